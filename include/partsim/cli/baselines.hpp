/// Where baselines are kept: `partsim-baselines/NAME/<scenario>.json`, for people to review and to
/// commit.
#pragma once

#include <filesystem>
#include <string>

#include "partsim/report/compare_report.hpp"
#include "partsim/study/study.hpp"

namespace partsim {

/// Throws UsageError for a name that is none, FileError if nothing can be written there.
void check_baseline_target(const std::string& name);

/// Makes or replaces the baseline of one scenario; those of others stay. Returns its path.
std::filesystem::path save_baseline(const std::string& name, const StudyResult& study);

/// Results by what a command line names: a results.json, an output folder, a file or folder of
/// baselines, or the name of one. Throws FileError, or UsageError for what is none of these.
[[nodiscard]] std::vector<MeasuredStudy> read_measured(const std::string& place);

}  // namespace partsim
