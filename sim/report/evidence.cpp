#include "evidence.hpp"

#include <algorithm>
#include <optional>

namespace partsim {
namespace {

double ratio(double part, double whole) {
  return whole > 0 ? part / whole : 0.0;
}

/// The partition to speak of, of those alive.
const PartitionResult* find_hottest(const RunResult& run) {
  const std::optional<std::size_t> hottest = hottest_partition(run);
  if (!hottest) {
    return nullptr;
  }
  const PartitionResult* found = &run.partitions[*hottest];
  if (throttled_share(*found) >= kHealthyFrom) {
    return found;
  }
  // demand alone misleads where shares differ: a small partition burns below a large one's load
  for (const PartitionResult& partition : run.partitions) {
    const double throttled = partition.alive() ? throttled_share(partition) : 0.0;
    if (throttled >= kHealthyFrom && throttled > throttled_share(*found)) {
      found = &partition;
    }
  }
  return found;
}

void add_partitions(const RunResult& run, Evidence& evidence) {
  double demand_mru = 0;
  double others_consumed_mru = 0;
  double others_granted_mru = 0;
  for (const PartitionResult& partition : run.partitions) {
    demand_mru += static_cast<double>(partition.demand_mru);
    evidence.names_container =
        evidence.names_container || partition.container != run.partitions.front().container;
    const double throttled = throttled_share(partition);
    if (!partition.alive()) {
      evidence.worst_retired = std::max(evidence.worst_retired, throttled);
      continue;
    }
    evidence.worst_throttled = std::max(evidence.worst_throttled, throttled);
    if (throttled > kHealthyTo) {
      const TimeAtLimit at_limit = time_at_limit(run, partition);
      if (evidence.burning == 0 || at_limit.rows < evidence.least_at_limit.rows) {
        evidence.least_at_limit = at_limit;
      }
      ++evidence.burning;
    }
    if (partition.id != evidence.hottest->id) {
      others_consumed_mru += static_cast<double>(partition.consumed_mru);
      others_granted_mru += granted_mru(run, partition);
    }
  }
  evidence.others_used = ratio(others_consumed_mru, others_granted_mru);
  evidence.demand = ratio(demand_mru, static_cast<double>(run.provisioned_mru));
}

/// Of one container among several.
double overload_of_container(const RunResult& run, const std::string& container) {
  double demand_mru = 0;
  double granted = 0;
  for (const PartitionResult& partition : run.partitions) {
    if (!partition.alive() || partition.container != container) {
      continue;
    }
    if (throttled_share(partition) <= kHealthyTo) {
      return 0;
    }
    demand_mru += static_cast<double>(partition.demand_mru);
    granted += granted_mru(run, partition);
  }
  const double demand = ratio(demand_mru, granted);
  return demand > 1.0 ? demand : 0.0;
}

}  // namespace

TimeAtLimit time_at_limit(const RunResult& run, const PartitionResult& partition) {
  const LoadSeries& series = run.series;
  const auto found =
      std::lower_bound(run.partitions.begin(), run.partitions.end(), partition.id,
                       [](const PartitionResult& each, std::uint32_t id) { return each.id < id; });
  const Eigen::Index column = found - run.partitions.begin();
  TimeAtLimit time;
  if (column >= series.throttled.cols()) {
    return time;
  }
  const Nanoseconds interval_ns = std::max<std::int64_t>(series.interval_s, 1) * kSecond;
  for (Eigen::Index row = 0; row < series.throttled.rows(); ++row) {
    if (row * interval_ns >= run.warm_up_ns && existed_in(run, partition, row)) {
      ++time.of_rows;
      time.rows += series.throttled(row, column) > 0 ? 1 : 0;
    }
  }
  return time;
}

Evidence gather_evidence(const RunResult& run) {
  Evidence evidence;
  evidence.words = &words_of(run);
  evidence.partitions = alive_partitions(run);
  evidence.throttled = run.throttled_share();
  evidence.imbalance = run.imbalance();
  evidence.peak = run.normalized_peak();
  evidence.waits = latency_parts_ms(run.total());
  evidence.hottest = find_hottest(run);
  if (evidence.hottest != nullptr) {
    add_partitions(run, evidence);
    evidence.hottest_used = mean_utilization(run, *evidence.hottest);
    if (evidence.names_container && evidence.burning < evidence.partitions) {
      evidence.container_demand = overload_of_container(run, evidence.hottest->container);
    }
    evidence.at_limit = time_at_limit(run, *evidence.hottest);
  }
  return evidence;
}

HeaviestKey heaviest_key(const RunResult& run, const PartitionResult& partition) {
  const double seconds = run.counted_seconds();
  for (const HotKey& key : run.hot_keys) {
    if (key.partition == partition.id) {
      // by the second: a key lived on another partition before a split, this one did not
      const double key_rate = ratio(static_cast<double>(key.demand_mru), seconds);
      return {&key, std::min(1.0, ratio(key_rate, demand_mru_per_s(run, partition)))};
    }
  }
  return {};
}

}  // namespace partsim
