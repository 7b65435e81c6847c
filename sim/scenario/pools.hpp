/// Who buys which partitions, and how many there can be: the static part of docs/MODEL.md sections
/// 4, 10 and 13. Upper bounds where a run decides.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "partsim/scenario/scenario.hpp"

namespace partsim::estimate {

/// Throughput bought for a set of partitions: by a container for itself, or by the database.
struct PoolView {
  ThroughputSpec throughput;
  bool is_database = false;
  bool fixed = false;
  std::vector<std::uint32_t> containers;  // indices into Scenario::containers
  Bytes stored_bytes = 0;                 // at the start
  std::string path;                       // YAML path of the section that buys
};

/// Reads and writes in a second where they are bought apart; else all of it in the first.
struct Total {
  MilliRu reads = 0;
  MilliRu writes = 0;
};

/// Ceiling of a / b for positive numbers.
inline std::int64_t divided_up(std::int64_t a, std::int64_t b) {
  return a / b + (a % b > 0 ? 1 : 0);
}

[[nodiscard]] inline bool units_apart(const ProviderParameters& p) {
  return p.read_unit_bytes > 0 && p.write_unit_bytes > 0;
}

/// `container`, or `containers.NAME` where there are several or they share a database.
[[nodiscard]] std::string container_path(const Scenario& scenario, std::size_t index);

/// In the order of their first container.
[[nodiscard]] std::vector<PoolView> pools_of(const Scenario& scenario);

/// The throughput of a new pool.
[[nodiscard]] Total initial_total(const Scenario& scenario, const PoolView& pool);
/// What a single number of the timeline stands for, when there was `now`.
[[nodiscard]] Total scaled_total(const ProviderParameters& p, const Total& now, MilliRu target);

/// Partitions of a new pool: as stated, or by the creation rule, and enough for what is stored.
[[nodiscard]] std::int64_t partition_count(const Scenario& scenario, const PoolView& pool);
/// Partitions after growth to a total, by the growth rule.
[[nodiscard]] std::int64_t grown_count(const ProviderParameters& p, const Total& total,
                                       std::int64_t now);

/// How large and how thin a pool may become over its timeline.
struct Extent {
  std::int64_t partitions = 1;  // most
  MilliRu least_share = 0;      // of a partition with most partitions and the least total
  MilliRu largest_total = 0;
};
[[nodiscard]] Extent extent_of(const Scenario& scenario, const PoolView& pool);
/// That of its pool for every container.
[[nodiscard]] std::vector<Extent> extents_of(const Scenario& scenario);

/// The least throughput a pool may be set to, and the rule that says so.
struct Minimum {
  MilliRu mru_per_s = 0;
  std::string reason;  // empty: the plain minimum
};
[[nodiscard]] Minimum minimum_of(const ProviderParameters& p, const PoolView& pool,
                                 MilliRu highest_mru);

}  // namespace partsim::estimate
