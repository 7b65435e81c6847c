#include "partsim/metrics/derived.hpp"

#include <algorithm>
#include <limits>

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

/// From `begin_ns` to before `end_ns`.
struct Span {
  Nanoseconds begin_ns;
  Nanoseconds end_ns;
  [[nodiscard]] Nanoseconds length() const noexcept { return end_ns - begin_ns; }
};

/// What both have; of no length if they have nothing in common.
Span overlap(const Span& a, const Span& b) noexcept {
  const Nanoseconds begin = std::max(a.begin_ns, b.begin_ns);
  return {begin, std::max(begin, std::min(a.end_ns, b.end_ns))};
}

Span row_span(const RunResult& run, Eigen::Index row) noexcept {
  const Nanoseconds interval_ns = std::max<std::int64_t>(run.series.interval_s, 1) * kSecond;
  return {row * interval_ns, (row + 1) * interval_ns};
}

Span life_of(const RunResult& run, const PartitionResult& partition) noexcept {
  return {partition.born_ns, partition.retired_ns.value_or(run.simulated_ns)};
}

/// Every region has a budget of its own with the same share, and consumption counts them all.
double regions_of(const RunResult& run) noexcept {
  return static_cast<double>(std::max(run.regions, 1U));
}

/// Column of the series; nullopt for a partition of another run.
std::optional<Eigen::Index> column_of(const RunResult& run, const PartitionResult& partition) {
  const auto found =
      std::lower_bound(run.partitions.begin(), run.partitions.end(), partition.id,
                       [](const PartitionResult& each, std::uint32_t id) { return each.id < id; });
  if (found == run.partitions.end() || found->id != partition.id) {
    return std::nullopt;
  }
  return static_cast<Eigen::Index>(found - run.partitions.begin());
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

double key_space(std::int64_t width_q32) noexcept {
  constexpr double kWhole = 4'294'967'296.0;  // 2^32
  return as_double(width_q32) / kWhole;
}

double peak_utilization(const PartitionResult& partition) noexcept {
  return ratio(as_double(partition.peak_second_mru), as_double(partition.peak_share_mru));
}

double granted_mru(const RunResult& run, const PartitionResult& partition) {
  const LoadMatrix& shares = run.series.share_mru;
  const std::optional<Eigen::Index> column = column_of(run, partition);
  if (!column || *column >= shares.cols()) {
    return 0.0;
  }
  std::int64_t whole_rows_mru = 0;
  double begun_row_mru = 0;
  for (Eigen::Index row = 0; row < shares.rows(); ++row) {
    const std::int64_t share_mru = shares(row, *column);
    const Span present = overlap(row_span(run, row), life_of(run, partition));
    const Span counted = overlap(present, {run.warm_up_ns, run.simulated_ns});
    if (counted.begin_ns == present.begin_ns) {
      whole_rows_mru += counted.length() > 0 ? share_mru : 0;
    } else {
      // the warm-up ends inside this row
      begun_row_mru +=
          as_double(share_mru) * ratio(as_double(counted.length()), as_double(present.length()));
    }
  }
  return (as_double(whole_rows_mru) + begun_row_mru) * regions_of(run);
}

double mean_utilization(const RunResult& run, const PartitionResult& partition) {
  return ratio(as_double(partition.consumed_mru), granted_mru(run, partition));
}

double counted_life_s(const RunResult& run, const PartitionResult& partition) noexcept {
  const Span counted = overlap(life_of(run, partition), {run.warm_up_ns, run.simulated_ns});
  return as_double(counted.length()) / as_double(kSecond);
}

std::size_t alive_partitions(const RunResult& run) noexcept {
  return static_cast<std::size_t>(
      std::count_if(run.partitions.begin(), run.partitions.end(),
                    [](const PartitionResult& partition) { return partition.alive(); }));
}

double demand_mru_per_s(const RunResult& run, const PartitionResult& partition) noexcept {
  return ratio(as_double(partition.demand_mru), counted_life_s(run, partition));
}

std::optional<std::size_t> hottest_partition(const RunResult& run) noexcept {
  std::optional<std::size_t> hottest;
  double most = 0;
  for (std::size_t p = 0; p < run.partitions.size(); ++p) {
    const double demand = demand_mru_per_s(run, run.partitions[p]);
    if (run.partitions[p].alive() && (!hottest || demand > most)) {
      hottest = p;
      most = demand;
    }
  }
  return hottest;
}

std::uint64_t count_events(const RunResult& run, LayoutEventKind kind) noexcept {
  return static_cast<std::uint64_t>(
      std::count_if(run.layout_events.begin(), run.layout_events.end(),
                    [kind](const LayoutEvent& event) { return event.kind == kind; }));
}

MilliRu total_burst_mru(const RunResult& run) noexcept {
  MilliRu sum = 0;
  for (const PartitionResult& partition : run.partitions) {
    sum += partition.burst_mru;
  }
  return sum;
}

Bytes total_storage_bytes(const RunResult& run) noexcept {
  Bytes sum = 0;
  for (const PartitionResult& partition : run.partitions) {
    sum += partition.alive() ? partition.storage_bytes : 0;
  }
  return sum;
}

Bytes largest_partition_bytes(const RunResult& run) noexcept {
  Bytes most = 0;
  for (const PartitionResult& partition : run.partitions) {
    most = std::max(most, partition.alive() ? partition.storage_bytes : 0);
  }
  return most;
}

Bytes largest_key_bytes(const RunResult& run) noexcept {
  return run.large_keys.empty() ? 0 : run.large_keys.front().bytes;
}

std::int64_t total_cost_micro(const Cost& cost) noexcept {
  return cost.throughput_micro + cost.storage_micro;
}

bool existed_in(const RunResult& run, const PartitionResult& partition, Eigen::Index row) noexcept {
  return overlap(row_span(run, row), life_of(run, partition)).length() > 0;
}

UtilizationMatrix utilization_by_interval(const RunResult& run) {
  const LoadMatrix& consumed = run.series.consumed_mru;
  const LoadMatrix& shares = run.series.share_mru;
  PARTSIM_ASSERT(consumed.cols() == static_cast<Eigen::Index>(run.partitions.size()),
                 "the series has one column a partition");
  PARTSIM_ASSERT(shares.rows() == consumed.rows() && shares.cols() == consumed.cols(),
                 "every consumption of the series has a share beside it");
  UtilizationMatrix utilization =
      (shares > 0).select(consumed.cast<double>() / (shares.cast<double>() * regions_of(run)), 0.0);
  for (Eigen::Index p = 0; p < consumed.cols(); ++p) {
    const PartitionResult& partition = run.partitions[static_cast<std::size_t>(p)];
    for (Eigen::Index row = 0; row < consumed.rows(); ++row) {
      if (!existed_in(run, partition, row)) {
        utilization(row, p) = std::numeric_limits<double>::quiet_NaN();
      }
    }
  }
  return utilization;
}

}  // namespace partsim
