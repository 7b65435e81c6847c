/// What to do after reading a result: a reason, and a command that can be pasted.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "partsim/report/report.hpp"

namespace partsim {

struct NextStep {
  std::string why;  // "find the smallest throughput that meets this"
  /// What must stay on one line each, ready for a POSIX shell; not yet visible. May be empty.
  std::vector<std::string> command;
};

/// `partsim NAME FILE`, then the flags.
[[nodiscard]] std::vector<std::string> command_words(std::string_view name,
                                                     const ScenarioWords& scenario);
/// Adds `--variant NAME` unless the flags have chosen one.
void add_variant(std::vector<std::string>& command, const std::string& variant);

/// The command in one line.
[[nodiscard]] std::string one_line(const NextStep& step);
/// "Next: why", then the command on lines that a shell takes as one.
[[nodiscard]] std::string next_step_text(const NextStep& step, const TextStyle& style);

}  // namespace partsim
