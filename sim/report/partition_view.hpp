/// The partitions of every variant: the first thing a reader sees after the verdict.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "partsim/report/report.hpp"

namespace partsim {

/// Whether a partition throttles more than the vendor calls healthy.
[[nodiscard]] bool burns(const PartitionResult& partition);

/// Indexes of partitions: those that burn first, then those alive, then by demand, then by id.
[[nodiscard]] std::vector<std::size_t> by_heat(const RunResult& run);

/// A table a variant with the partitions that matter most; with many variants one table with the
/// worst partition of each.
[[nodiscard]] std::string partition_view(const StudyResult& study, const TextStyle& style);

}  // namespace partsim
