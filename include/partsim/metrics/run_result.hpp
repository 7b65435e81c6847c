/// What a run found. Plain values; reports, charts, studies and tests only read it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <Eigen/Core>

#include "partsim/core/histogram.hpp"
#include "partsim/core/time.hpp"
#include "partsim/keys/epk.hpp"

namespace partsim {

/// Operations first sent inside the counted window [warm_up, end).
struct OperationCounts {
  std::uint64_t offered = 0;
  std::uint64_t succeeded = 0;
  std::uint64_t failed = 0;
  std::uint64_t in_flight = 0;  // offered == succeeded + failed + in_flight
};

/// Where the waiting of succeeded operations went; sums over them, in nanoseconds.
struct LatencyParts {
  std::uint64_t service_ns = 0;
  std::uint64_t queue_ns = 0;
  std::uint64_t retry_wait_ns = 0;
};

/// Attempts, throttles and RU are counted when they happen (inside the counted window), operations
/// by when they were first sent.
struct ClientResult {
  std::string name;
  OperationCounts operations;
  std::uint64_t requests = 0;  // of the offered operations: one a partition visited
  std::uint64_t attempts = 0;
  std::uint64_t throttled = 0;
  MilliRu consumed_mru = 0;
  MilliRu succeeded_mru = 0;  // what the succeeded operations cost
  Histogram latency_ns;       // of succeeded operations, first send to last answer
  LatencyParts parts;
};

struct PartitionResult {
  std::uint32_t id = 0;
  std::optional<std::uint32_t> parent;
  std::string container;
  std::string min_epk;  // hex, "" at the bottom
  std::string max_epk;  // hex, "FF" at the top
  MilliRu share_mru_per_s = 0;
  std::uint64_t attempts = 0;
  std::uint64_t throttled = 0;
  MilliRu consumed_mru = 0;
  MilliRu demand_mru = 0;       // charge of every first attempt, served or not
  MilliRu peak_second_mru = 0;  // most consumed in one second
  Bytes storage_bytes = 0;
};

/// A time-by-partition table; row r covers [r, r+1) * interval from time zero, warm-up included.
using LoadMatrix = Eigen::Array<std::int64_t, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
struct LoadSeries {
  std::int64_t interval_s = 1;  // doubles while a run is longer than kMaxIntervals of it
  LoadMatrix attempts;
  LoadMatrix throttled;
  LoadMatrix consumed_mru;
  static constexpr std::int64_t kMaxIntervals = 4096;
};

struct HotKey {
  std::string key;  // as text; levels of a hierarchical key joined by " / "
  std::uint32_t partition = 0;
  MilliRu demand_mru = 0;
};

enum class LayoutEventKind : std::uint8_t { split };
struct LayoutEvent {
  Nanoseconds at_ns = 0;
  LayoutEventKind kind = LayoutEventKind::split;
  std::string cause;
  std::vector<std::uint32_t> parents;
  std::vector<std::uint32_t> children;
};

struct Cost {
  std::int64_t per_hour_micro = 0;  // millionths of a US dollar
  std::int64_t per_month_micro = 0;
};

struct RunResult {
  std::uint64_t seed = 0;
  std::uint64_t digest = 0;      // of every attempt and every completion
  std::uint64_t events = 0;      // attempts handled, warm-up included
  Nanoseconds simulated_ns = 0;  // where the run ended
  Nanoseconds warm_up_ns = 0;
  bool partial = false;  // stopped before its duration
  std::int64_t start_unix_s = 0;
  MilliRu provisioned_mru_per_s = 0;
  std::vector<ClientResult> clients;        // by name
  std::vector<PartitionResult> partitions;  // by id
  LoadSeries series;
  std::vector<HotKey> hot_keys;  // heaviest first, at most 10
  MilliRu total_demand_mru = 0;  // what hot-key shares are shares of
  std::vector<LayoutEvent> layout_events;
  Cost cost;

  /// Over all clients.
  [[nodiscard]] ClientResult total() const;
  [[nodiscard]] double counted_seconds() const;
  [[nodiscard]] double throttled_share() const;  // throttled / attempts
  [[nodiscard]] double failed_share() const;     // failed / (succeeded + failed)
  [[nodiscard]] double imbalance()
      const;  // hottest partition's RU demand over the mean; 1 without demand
  [[nodiscard]] double utilization() const;  // consumed / provisioned over the counted window
  [[nodiscard]] double normalized_peak()
      const;  // largest consumed / share of any partition in any second
};

/// Shares as fractions with 0/0 = 0.
[[nodiscard]] double share_of(std::uint64_t part, std::uint64_t whole) noexcept;

}  // namespace partsim
