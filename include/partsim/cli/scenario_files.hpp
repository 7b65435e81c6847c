/// Scenario files from disk to studies, with everything that is wrong with them told at once.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "partsim/cli/command_line.hpp"
#include "partsim/cli/console.hpp"
#include "partsim/loader/loader.hpp"
#include "partsim/report/report.hpp"

namespace partsim {

/// More is never read, whatever the file claims to be.
inline constexpr std::size_t kMaxScenarioBytes = std::size_t{1} << 20;
inline constexpr std::size_t kMaxShownDiagnostics = 20;

/// The text of a regular file, at most kMaxScenarioBytes + 1 bytes of it, so that the loader sees
/// that it is too long. Throws FileError; a pipe or a folder is refused without waiting.
[[nodiscard]] std::string read_scenario_text(const std::string& path);

struct LoadedFile {
  std::string path;
  std::string text;
  std::string unreadable;  // why; empty if it was read
  LoadResult result;
};

/// What the flags say of loading, and how the files that a scenario names are found.
[[nodiscard]] LoadOptions options_for(const Flags& flags, const std::string& path);

/// Reads and checks every file, and so many rows of the traces they replay; adds the guard of
/// --max-events to the loader's findings.
[[nodiscard]] std::vector<LoadedFile> load_files(const Flags& flags, std::uint64_t trace_rows = 1);

/// Requests of all variants together, by estimate.
[[nodiscard]] double estimated_requests(const StudyFile& study);

/// The exit code that the findings call for: 3 before 2 before 4 before 0.
[[nodiscard]] int findings_exit_code(const std::vector<LoadedFile>& files);

/// The findings of every file to standard error, at most 20 a file.
void tell_findings(const std::vector<LoadedFile>& files, Console& console);

/// The file and what the flags change of it, for a next step. A variant only if it is the only one.
[[nodiscard]] ScenarioWords words_of(const Flags& flags, const std::string& path);

}  // namespace partsim
