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
#include "partsim/metrics/latency_series.hpp"
#include "partsim/scenario/scenario.hpp"
#include "partsim/service/layout_event.hpp"
#include "partsim/workload/trace_rows.hpp"

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
  std::uint64_t gone = 0;       // attempts that met a partition in its swap (410/1007)
  std::uint64_t forbidden = 0;  // writes to a full logical partition (403/1014)
  std::uint64_t refused = 0;    // transactions over several logical partitions (400)
  std::uint64_t timed_out = 0;  // failed operations: the application gave up waiting
  MilliRu consumed_mru = 0;     // in all regions that were charged
  MilliRu succeeded_mru = 0;    // what the succeeded operations cost
  Histogram latency_ns;         // of succeeded operations, first send to last answer
  LatencyParts parts;
  std::optional<TraceCounts> trace;  // of a client that replays one: its rows, warm-up included
};

/// Every physical partition that ever was, in order of ids; a split or a merge retires some.
struct PartitionResult {
  std::uint32_t id = 0;
  std::optional<std::uint32_t> parent;  // the first, if a merge made it
  std::string container;                // the database's name if several share it
  std::string min_epk;                  // hex, "" at the bottom
  std::string max_epk;                  // hex, "FF" at the top
  std::int64_t width_q32 = 0;           // of the key space, in parts of 2^32
  Nanoseconds born_ns = 0;
  std::optional<Nanoseconds> retired_ns;
  MilliRu share_mru_per_s = 0;        // at the end of the run, or of the partition
  MilliRu write_share_mru_per_s = 0;  // of it for writes, where they are bought apart
  std::uint64_t attempts = 0;
  std::uint64_t throttled = 0;
  MilliRu consumed_mru = 0;
  MilliRu demand_mru = 0;        // charge of every first attempt, served or not
  MilliRu peak_second_mru = 0;   // consumed in the second in which it was most of the share ...
  MilliRu peak_share_mru = 0;    // ... and the share of that second
  MilliRu burst_mru = 0;         // consumed above the share, from what was saved
  MilliRu ttl_mru = 0;           // left-over RU that deleted expired items; not in consumed_mru
  Bytes storage_bytes = 0;       // at the end of the run, or of the partition
  bool single_key_full = false;  // over its storage limit, and one key is the reason

  [[nodiscard]] bool alive() const noexcept { return !retired_ns.has_value(); }
};

/// A time-by-partition table; row r covers [r, r+1) * interval from time zero, warm-up included.
using LoadMatrix = Eigen::Array<std::int64_t, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
struct LoadSeries {
  std::int64_t interval_s = 1;  // doubles while a run is longer than kMaxIntervals of it
  LoadMatrix attempts;
  LoadMatrix throttled;
  LoadMatrix consumed_mru;
  LoadMatrix share_mru;  // what the partition might have consumed: its shares, added up second by
                         // second; zero before it was born and after it retired
  LoadMatrix storage_bytes;  // at the end of the interval; zero likewise
  static constexpr std::int64_t kMaxIntervals = 4096;
};

struct HotKey {
  std::string key;  // as text; levels of a hierarchical key joined by " / "
  std::uint32_t partition = 0;
  MilliRu demand_mru = 0;
};

/// What the run would be billed, by the clock hours it touched.
struct Cost {
  std::int64_t per_hour_micro = 0;   // mean over those hours, storage included; millionths of a USD
  std::int64_t per_month_micro = 0;  // the same for hours_per_month
  std::int64_t throughput_micro = 0;  // all hours of the run
  std::int64_t storage_micro = 0;
  std::int64_t hours = 0;
};

/// A logical partition by its size.
struct LargeKey {
  std::string key;
  std::uint32_t partition = 0;
  Bytes bytes = 0;
  bool full = false;  // at its limit: writes are refused
};

struct RunResult {
  std::uint64_t seed = 0;
  std::uint64_t digest = 0;      // of every attempt and every completion
  std::uint64_t events = 0;      // attempts handled, warm-up included
  Nanoseconds simulated_ns = 0;  // where the run ended
  Nanoseconds warm_up_ns = 0;
  bool partial = false;  // stopped before its duration
  std::int64_t start_unix_s = 0;
  MilliRu provisioned_mru_per_s = 0;  // bought at the end of the run, in one region
  MilliRu provisioned_mru = 0;        // bought over the counted window, in all regions
  std::uint32_t regions = 1;
  Provider provider = Provider::cosmos;
  Api api = Api::nosql;
  std::vector<ClientResult> clients;        // by name
  std::vector<PartitionResult> partitions;  // by id, retired ones included
  LoadSeries series;
  LatencySeries latency_series;
  std::vector<HotKey> hot_keys;      // heaviest first, at most 10
  MilliRu total_demand_mru = 0;      // what hot-key shares are shares of
  std::vector<LargeKey> large_keys;  // largest first, at most 10; empty unless sizes were tracked
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
