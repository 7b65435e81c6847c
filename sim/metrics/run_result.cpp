#include "partsim/metrics/run_result.hpp"

#include <algorithm>

#include "partsim/metrics/derived.hpp"

namespace partsim {
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
    sum.gone += client.gone;
    sum.forbidden += client.forbidden;
    sum.refused += client.refused;
    sum.timed_out += client.timed_out;
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
  // Those that a split has retired are left out, and those that it made are judged by their demand
  // per second: what counts is how uneven the layout is that the run ends with. A partition that
  // has more RU/s than others may be asked for more, in one container and over several.
  const auto share_of_partition = [](const PartitionResult& partition) {
    return static_cast<double>(partition.share_mru_per_s + partition.write_share_mru_per_s);
  };
  double sum = 0;
  double shares = 0;
  bool all_have_shares = true;
  for (const PartitionResult& partition : partitions) {
    if (partition.alive()) {
      sum += demand_mru_per_s(*this, partition);
      shares += share_of_partition(partition);
      all_have_shares = all_have_shares && share_of_partition(partition) > 0;
    }
  }
  double most = 0;
  for (const PartitionResult& partition : partitions) {
    if (partition.alive()) {
      // how many partitions like this one all shares would make
      const double count = all_have_shares ? shares / share_of_partition(partition)
                                           : static_cast<double>(alive_partitions(*this));
      most = std::max(most, demand_mru_per_s(*this, partition) * count);
    }
  }
  return sum > 0 ? most / sum : 1.0;
}

double RunResult::utilization() const {
  std::int64_t consumed_mru = 0;
  for (const PartitionResult& partition : partitions) {
    consumed_mru += partition.consumed_mru;
  }
  return provisioned_mru > 0
             ? static_cast<double>(consumed_mru) / static_cast<double>(provisioned_mru)
             : 0.0;
}

double RunResult::normalized_peak() const {
  double peak = 0;
  for (const PartitionResult& partition : partitions) {
    peak = std::max(peak, peak_utilization(partition));
  }
  return peak;
}

}  // namespace partsim
