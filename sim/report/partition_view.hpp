/// The partitions of every variant: the first thing a reader sees after the verdict.
#pragma once

#include <string>

#include "partsim/report/report.hpp"

namespace partsim {

/// A table a variant with the partitions that matter most; with many variants one table with the
/// worst partition of each.
[[nodiscard]] std::string partition_view(const StudyResult& study, const TextStyle& style);

}  // namespace partsim
