/// Starts programs without a shell and ends those that take too long.
#pragma once

#include <chrono>
#include <string>
#include <vector>

namespace partsim {

struct ProgramCall {
  std::string program;                 // a name to look up in PATH, or a path
  std::vector<std::string> arguments;  // without the program itself
  std::string folder;                  // where it runs
  std::string log;                     // file in `folder` that gets its stderr
};

/// Runs all commands at the same time; the limit is for all of them together. One text a command:
/// empty if it ended with exit code 0, otherwise what went wrong.
[[nodiscard]] std::vector<std::string> run_commands(const std::vector<ProgramCall>& commands,
                                                    std::chrono::milliseconds limit);

}  // namespace partsim
