/// How a metric went over the counted window, interval by interval. Only some are followed that
/// way; counts and RU become rates.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

#include "partsim/metrics/metric_table.hpp"
#include "partsim/metrics/run_result.hpp"

namespace partsim {

/// Rows that begin in the warm-up are left out. NaN where there is nothing to measure: no attempt
/// to be throttled, no operation that succeeded, no partition yet or any more.
struct MetricSeries {
  Nanoseconds begin_ns = 0;  // of the first row
  Nanoseconds interval_ns = kSecond;
  Nanoseconds end_ns = 0;  // of the run, which may be inside the last row
  std::vector<double> values;

  [[nodiscard]] Nanoseconds begin_of(std::size_t row) const noexcept;
  [[nodiscard]] Nanoseconds end_of(std::size_t row) const noexcept;
};

/// The unit of a metric in an interval; for RU it is RU/s, and a count is a number each second.
/// nullopt if the path is not followed over time.
[[nodiscard]] std::optional<MetricUnit> series_unit(std::string_view path);

/// nullopt also for a partition that the run does not have, and for `any` and `all`.
[[nodiscard]] std::optional<MetricSeries> metric_series(const RunResult& run,
                                                        std::string_view path);

}  // namespace partsim
