#include "partsim/metrics/run_result.hpp"

#include <algorithm>

#include "partsim/metrics/derived.hpp"

namespace partsim {
namespace {

using Amounts = Eigen::Array<std::int64_t, Eigen::Dynamic, 1>;

/// One number a partition; integers, so that sums are exact in any order.
template <class Member>
Amounts by_partition(const RunResult& run, Member member) {
  Amounts amounts(static_cast<Eigen::Index>(run.partitions.size()));
  std::transform(run.partitions.begin(), run.partitions.end(), amounts.begin(),
                 [member](const PartitionResult& partition) { return partition.*member; });
  return amounts;
}

}  // namespace

double share_of(std::uint64_t part, std::uint64_t whole) noexcept {
  return whole == 0 ? 0.0 : static_cast<double>(part) / static_cast<double>(whole);
}

ClientResult RunResult::total() const {
  ClientResult sum;
  for (const ClientResult& client : clients) {
    sum.operations.offered += client.operations.offered;
    sum.operations.succeeded += client.operations.succeeded;
    sum.operations.failed += client.operations.failed;
    sum.operations.in_flight += client.operations.in_flight;
    sum.requests += client.requests;
    sum.attempts += client.attempts;
    sum.throttled += client.throttled;
    sum.consumed_mru += client.consumed_mru;
    sum.succeeded_mru += client.succeeded_mru;
    sum.latency_ns.merge(client.latency_ns);
    sum.parts.service_ns += client.parts.service_ns;
    sum.parts.queue_ns += client.parts.queue_ns;
    sum.parts.retry_wait_ns += client.parts.retry_wait_ns;
  }
  return sum;
}

double RunResult::counted_seconds() const {
  const Nanoseconds counted_ns = std::max<Nanoseconds>(simulated_ns - warm_up_ns, 0);
  return static_cast<double>(counted_ns) / static_cast<double>(kSecond);
}

double RunResult::throttled_share() const {
  return partsim::throttled_share(total());
}

double RunResult::failed_share() const {
  return partsim::failed_share(total());
}

double RunResult::imbalance() const {
  const Amounts demand = by_partition(*this, &PartitionResult::demand_mru);
  const std::int64_t sum = demand.sum();
  if (sum <= 0) {
    return 1.0;
  }
  return static_cast<double>(demand.maxCoeff()) * static_cast<double>(demand.size()) /
         static_cast<double>(sum);
}

double RunResult::utilization() const {
  const double granted_mru = static_cast<double>(provisioned_mru_per_s) * counted_seconds();
  const std::int64_t consumed_mru = by_partition(*this, &PartitionResult::consumed_mru).sum();
  return granted_mru > 0 ? static_cast<double>(consumed_mru) / granted_mru : 0.0;
}

double RunResult::normalized_peak() const {
  double peak = 0;
  for (const PartitionResult& partition : partitions) {
    peak = std::max(peak, peak_utilization(partition));
  }
  return peak;
}

}  // namespace partsim
