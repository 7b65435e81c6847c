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

/// Which way a metric must go to get better. Many are neither: more attempts may mean more
/// customers.
enum class GoodDirection : std::uint8_t { neither, lower, higher };

struct Metric {
  std::string path;  // `clients.*.attempts` stands for every client
  MetricUnit unit;
  std::string description;  // one line
  GoodDirection good = GoodDirection::neither;
  double lowest = 0;   // no run has less ...
  double highest = 0;  // ... or more; infinity where there is no such bound
};

/// Every metric path, in a fixed order. Where one says `partitions.hottest`, the id of a partition,
/// `any` or `all` may stand instead: `partitions.3.ru_consumed`.
[[nodiscard]] const std::vector<Metric>& metric_table();

/// The row of a path, with that path; nullopt if there is no such metric. Client names may contain
/// dots.
[[nodiscard]] std::optional<Metric> find_metric(std::string_view path);

/// The unit of a path, nullopt if there is no such metric. Client names may contain dots.
[[nodiscard]] std::optional<MetricUnit> metric_unit(std::string_view path);

enum class PartitionScope : std::uint8_t { one, any, all };

/// What `partitions.WHICH.METRIC` says; `metric` is empty for every other path.
struct PartitionPath {
  std::string_view metric;
  PartitionScope scope = PartitionScope::one;
  std::optional<std::uint32_t> id;
  bool is_hottest = false;
};
[[nodiscard]] PartitionPath partition_path(std::string_view path);

/// The value in the unit of the table; nullopt for an unknown path, client or partition, and for
/// `partitions.any` and `partitions.all`, which have many.
[[nodiscard]] std::optional<double> metric_value(const RunResult& run, std::string_view path);

}  // namespace partsim
