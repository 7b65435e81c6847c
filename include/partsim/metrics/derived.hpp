/// Values computed from a run's counters, in the units of results.json. Reports, charts and metric
/// paths all take them from here, so one number never has two definitions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include <Eigen/Core>

#include "partsim/metrics/run_result.hpp"

namespace partsim {

struct LatencySummary {
  double mean = 0;
  double p50 = 0;
  double p90 = 0;
  double p95 = 0;
  double p99 = 0;
  double p999 = 0;
  double max = 0;
};

/// Means over succeeded operations.
struct LatencyPartsSummary {
  double service = 0;
  double queue = 0;
  double retry_wait = 0;
};

[[nodiscard]] LatencySummary latency_ms(const Histogram& latency_ns) noexcept;
/// The latency that `ppm` millionths of the samples do not exceed, in milliseconds.
[[nodiscard]] double latency_ms_at(const Histogram& latency_ns, std::uint32_t ppm) noexcept;
[[nodiscard]] LatencyPartsSummary latency_parts_ms(const ClientResult& client) noexcept;

[[nodiscard]] double throttled_share(const ClientResult& client) noexcept;
/// Of the operations that ended: failed / (succeeded + failed).
[[nodiscard]] double failed_share(const ClientResult& client) noexcept;
/// What a succeeded operation cost in RU; 0 if none succeeded.
[[nodiscard]] double ru_per_operation(const ClientResult& client) noexcept;
/// Requests an offered operation needs: 1 for point operations, more for a fan-out.
[[nodiscard]] double partitions_per_operation(const ClientResult& client) noexcept;

[[nodiscard]] double throttled_share(const PartitionResult& partition) noexcept;
/// Of the key space, 0 to 1.
[[nodiscard]] double key_space(std::int64_t width_q32) noexcept;
/// Most consumed of the share in one second, over the share of that second; the last request of a
/// second may overdraw it.
[[nodiscard]] double peak_utilization(const PartitionResult& partition) noexcept;
/// What the partition might have consumed in all regions in the part of the counted window in which
/// it was there.
[[nodiscard]] double granted_mru(const RunResult& run, const PartitionResult& partition);
/// Consumed over granted; 0 if nothing was granted.
[[nodiscard]] double mean_utilization(const RunResult& run, const PartitionResult& partition);
/// Seconds of the counted window in which the partition was there.
[[nodiscard]] double counted_life_s(const RunResult& run,
                                    const PartitionResult& partition) noexcept;
/// Partitions that no split or merge has retired.
[[nodiscard]] std::size_t alive_partitions(const RunResult& run) noexcept;
/// RU that first attempts asked of it for each second of that.
[[nodiscard]] double demand_mru_per_s(const RunResult& run,
                                      const PartitionResult& partition) noexcept;
/// Index of the partition with most demand of those alive at the end, the lowest id on a tie;
/// nullopt without partitions. A partition that was born late is judged by its demand per second.
[[nodiscard]] std::optional<std::size_t> hottest_partition(const RunResult& run) noexcept;

[[nodiscard]] std::uint64_t count_events(const RunResult& run, LayoutEventKind kind) noexcept;
/// Consumed above the shares, over all partitions.
[[nodiscard]] MilliRu total_burst_mru(const RunResult& run) noexcept;
/// At the end of the run, over the partitions alive.
[[nodiscard]] Bytes total_storage_bytes(const RunResult& run) noexcept;

[[nodiscard]] Bytes largest_partition_bytes(const RunResult& run) noexcept;
/// 0 if the sizes of logical partitions were not followed.
[[nodiscard]] Bytes largest_key_bytes(const RunResult& run) noexcept;
/// Of all hours that the run touched.
[[nodiscard]] std::int64_t total_cost_micro(const Cost& cost) noexcept;

/// Whether the partition was there at any time of row `row` of the series.
[[nodiscard]] bool existed_in(const RunResult& run, const PartitionResult& partition,
                              Eigen::Index row) noexcept;
/// Utilisation of every partition in every interval of the series, as fractions of what its shares
/// in all regions add up to there. NaN before a partition was born and after it retired: a chart
/// leaves such places empty, and a maximum must skip them.
using UtilizationMatrix = Eigen::Array<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
[[nodiscard]] UtilizationMatrix utilization_by_interval(const RunResult& run);

}  // namespace partsim
