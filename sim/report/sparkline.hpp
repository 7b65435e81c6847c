/// Utilisation over time in a few columns.
#pragma once

#include <cstddef>
#include <string>

#include "partsim/metrics/run_result.hpp"

namespace partsim {

/// What the partition with this index consumed of its share, from the beginning of the counted
/// window to the end of the run: `width` columns whatever the run's length, each the mean of its
/// time, on a scale of 0 to 100 % that is the same for all. Blank where the partition was not
/// there.
[[nodiscard]] std::string sparkline(const RunResult& run, std::size_t partition, std::size_t width,
                                    bool unicode);

}  // namespace partsim
