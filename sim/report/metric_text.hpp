/// Metric values as people read them.
#pragma once

#include <string>
#include <string_view>

#include "partsim/metrics/metric_table.hpp"
#include "partsim/study/statistics.hpp"

namespace partsim {

/// With its unit: `9.5 ms`, `3.2 %`, `$3,504`; `−` before what is below zero.
[[nodiscard]] std::string metric_text(double value, MetricUnit unit);
/// `9.5 ms ± 0.2 ms`; the mean alone if there is no interval or nothing varied.
[[nodiscard]] std::string interval_text(const Interval& interval, MetricUnit unit,
                                        bool unicode = true);
/// Unknown paths count as plain numbers.
[[nodiscard]] MetricUnit unit_or_ratio(std::string_view path);
/// `p99`, `429s`: a metric in a column's heading.
[[nodiscard]] std::string metric_heading(std::string_view path);

}  // namespace partsim
