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
/// Most consumed in one second over the share; the last request of a second may overdraw it.
[[nodiscard]] double peak_utilization(const PartitionResult& partition) noexcept;
/// Consumed over share x time of the counted window.
[[nodiscard]] double mean_utilization(const RunResult& run,
                                      const PartitionResult& partition) noexcept;
/// Index of the partition with most demand, the lowest id on a tie; nullopt without partitions.
[[nodiscard]] std::optional<std::size_t> hottest_partition(const RunResult& run) noexcept;

/// Utilisation of every partition in every interval of the series, as fractions of the share. The
/// last interval counts only the seconds the run reached.
using UtilizationMatrix = Eigen::Array<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
[[nodiscard]] UtilizationMatrix utilization_by_interval(const RunResult& run);

}  // namespace partsim
