/// What a comparison of providers met: only what really occurred in the runs.
#pragma once

#include <string>
#include <vector>

#include "partsim/report/report.hpp"

namespace partsim {

/// In a run's own words: lent capacity, splits by cause, limits that were reached, burst.
[[nodiscard]] std::vector<std::string> provider_traits(const RunResult& run);

/// A list by variant; empty unless the variants have different providers.
[[nodiscard]] std::string provider_differences(const StudyResult& study, const TextStyle& style);

}  // namespace partsim
