/// Names of results.json as paths, for `expect:` rules and comparisons: `throttled_share`,
/// `latency_ms.p99`, `clients.lookup.ru_per_operation`, `partitions.hottest.throttled_share`.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "partsim/metrics/run_result.hpp"

namespace partsim {

/// The unit in which a metric's number stands, and which suffixes a rule may write behind it.
enum class MetricUnit : std::uint8_t {
  count,
  share,
  milliseconds,
  seconds,
  ru,
  ru_per_second,
  bytes,
  ratio,
  usd
};

struct Metric {
  std::string path;  // `clients.*.attempts` stands for every client
  MetricUnit unit;
  std::string description;  // one line
};

/// Every metric path, in a fixed order. Where one says `partitions.hottest`, the id of a partition
/// may stand instead: `partitions.3.ru_consumed`.
[[nodiscard]] const std::vector<Metric>& metric_table();

/// The unit of a path, nullopt if there is no such metric. Client names may contain dots.
[[nodiscard]] std::optional<MetricUnit> metric_unit(std::string_view path);

/// The value in the unit of the table; nullopt for an unknown path, client or partition.
[[nodiscard]] std::optional<double> metric_value(const RunResult& run, std::string_view path);

}  // namespace partsim
