/// What sentences about a run are made of: counted once, from the result alone.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "partsim/metrics/derived.hpp"
#include "partsim/metrics/run_result.hpp"

#include "provider_words.hpp"

namespace partsim {

// The vendor's yardsticks: 1 to 5 % of 429s is healthy if partitions are even; one range at 100 %
// with the others at or below 30 % is the sign of a hot partition.
inline constexpr double kHealthyFrom = 0.01;
inline constexpr double kHealthyTo = 0.05;
inline constexpr double kIdleOthers = 0.30;
// Ours: from twice the mean the hottest partition, not the total, decides what can be used.
inline constexpr double kHotImbalance = 2.0;
inline constexpr double kEvenImbalance = 1.5;
inline constexpr double kFullSecond = 0.9;  // large charges leave a rest that nothing fits in

/// Rows of the series, in the counted window and the partition's life, in which it refused an
/// attempt for want of RU.
struct TimeAtLimit {
  std::int64_t rows = 0;
  std::int64_t of_rows = 0;
};
[[nodiscard]] TimeAtLimit time_at_limit(const RunResult& run, const PartitionResult& partition);

struct Evidence {
  const ProviderWords* words = nullptr;
  /// Of those alive at the end: the one with most demand, or, if it copes while another does not,
  /// the one that throttles most.
  const PartitionResult* hottest = nullptr;
  bool names_container = false;  // partitions of several pools are told apart by name
  /// Every partition of the hottest one's container burns, others' do not: this much of what that
  /// container has is asked for. 0 otherwise.
  double container_demand = 0;
  std::size_t partitions = 0;
  std::size_t burning = 0;     // partitions that throttle more than is healthy
  double worst_throttled = 0;  // of any partition
  double throttled = 0;        // of all attempts
  double hottest_used = 0;     // of its share
  double others_used = 0;      // of theirs, together
  double demand = 0;           // first attempts' RU over provisioned RU
  double peak = 0;             // largest use of a share in any second
  double imbalance = 1;
  double worst_retired = 0;    // throttled share of any partition that a split or merge replaced
  TimeAtLimit at_limit;        // of the hottest
  TimeAtLimit least_at_limit;  // of those that burn
  LatencyPartsSummary waits;
};

[[nodiscard]] Evidence gather_evidence(const RunResult& run);

/// The heaviest key of a partition and its part of that partition's demand, 0 to 1.
struct HeaviestKey {
  const HotKey* key = nullptr;  // nullptr if none of the ten heaviest keys is there
  double share = 0;
};
[[nodiscard]] HeaviestKey heaviest_key(const RunResult& run, const PartitionResult& partition);

}  // namespace partsim
