#include "partsim/metrics/derived.hpp"

#include <algorithm>

#include "partsim/core/assert.hpp"

namespace partsim {
namespace {

constexpr double kNsPerMs = 1e6;

double ratio(double part, double whole) noexcept {
  return whole > 0 ? part / whole : 0.0;
}

double as_double(std::uint64_t value) noexcept {
  return static_cast<double>(value);
}

double as_double(std::int64_t value) noexcept {
  return static_cast<double>(value);
}

}  // namespace

double latency_ms_at(const Histogram& latency_ns, std::uint32_t ppm) noexcept {
  return as_double(latency_ns.quantile(ppm)) / kNsPerMs;
}

LatencySummary latency_ms(const Histogram& latency_ns) noexcept {
  return {.mean = latency_ns.mean() / kNsPerMs,
          .p50 = latency_ms_at(latency_ns, 500'000),
          .p90 = latency_ms_at(latency_ns, 900'000),
          .p95 = latency_ms_at(latency_ns, 950'000),
          .p99 = latency_ms_at(latency_ns, 990'000),
          .p999 = latency_ms_at(latency_ns, 999'000),
          .max = as_double(latency_ns.max()) / kNsPerMs};
}

LatencyPartsSummary latency_parts_ms(const ClientResult& client) noexcept {
  const double succeeded_ms = as_double(client.operations.succeeded) * kNsPerMs;
  return {.service = ratio(as_double(client.parts.service_ns), succeeded_ms),
          .queue = ratio(as_double(client.parts.queue_ns), succeeded_ms),
          .retry_wait = ratio(as_double(client.parts.retry_wait_ns), succeeded_ms)};
}

double throttled_share(const ClientResult& client) noexcept {
  return share_of(client.throttled, client.attempts);
}

double failed_share(const ClientResult& client) noexcept {
  return share_of(client.operations.failed, client.operations.succeeded + client.operations.failed);
}

double ru_per_operation(const ClientResult& client) noexcept {
  return ratio(as_double(client.succeeded_mru),
               as_double(client.operations.succeeded) * static_cast<double>(kMilliPerRu));
}

double partitions_per_operation(const ClientResult& client) noexcept {
  return share_of(client.requests, client.operations.offered);
}

double throttled_share(const PartitionResult& partition) noexcept {
  return share_of(partition.throttled, partition.attempts);
}

double peak_utilization(const PartitionResult& partition) noexcept {
  return ratio(as_double(partition.peak_second_mru), as_double(partition.share_mru_per_s));
}

double mean_utilization(const RunResult& run, const PartitionResult& partition) noexcept {
  return ratio(as_double(partition.consumed_mru),
               as_double(partition.share_mru_per_s) * run.counted_seconds());
}

std::optional<std::size_t> hottest_partition(const RunResult& run) noexcept {
  if (run.partitions.empty()) {
    return std::nullopt;
  }
  // max_element keeps the first of equals, and partitions are sorted by id
  const auto hottest = std::max_element(run.partitions.begin(), run.partitions.end(),
                                        [](const PartitionResult& a, const PartitionResult& b) {
                                          return a.demand_mru < b.demand_mru;
                                        });
  return static_cast<std::size_t>(hottest - run.partitions.begin());
}

UtilizationMatrix utilization_by_interval(const RunResult& run) {
  const LoadMatrix& consumed = run.series.consumed_mru;
  PARTSIM_ASSERT(consumed.cols() == static_cast<Eigen::Index>(run.partitions.size()),
                 "the series has one column a partition");
  Eigen::ArrayXd share(consumed.cols());
  for (Eigen::Index p = 0; p < consumed.cols(); ++p) {
    share[p] = as_double(run.partitions[static_cast<std::size_t>(p)].share_mru_per_s);
  }
  UtilizationMatrix utilization = consumed.cast<double>();
  for (Eigen::Index row = 0; row < consumed.rows(); ++row) {
    const std::int64_t start_s = static_cast<std::int64_t>(row) * run.series.interval_s;
    // budgets are granted by the second, so a second that was begun counts in full
    const std::int64_t reached_s = (run.simulated_ns + kSecond - 1) / kSecond - start_s;
    const std::int64_t covered_s =
        std::clamp<std::int64_t>(reached_s, 1, std::max<std::int64_t>(run.series.interval_s, 1));
    utilization.row(row) /= (share * as_double(covered_s)).transpose();
  }
  // a partition without a share uses none of it, also where 0 / 0 says otherwise
  return (share.transpose().replicate(consumed.rows(), 1) > 0).select(utilization, 0.0);
}

}  // namespace partsim
