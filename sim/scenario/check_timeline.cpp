// What the timeline asks of each set of partitions, followed from entry to entry.
#include <algorithm>

#include "findings.hpp"
#include "pool_checks.hpp"

namespace partsim::checks {
namespace {

/// A pool as far as the timeline alone decides.
class PoolHistory {
 public:
  PoolHistory(const Scenario& scenario, const PoolSpec& pool, Findings& findings)
      : scenario_(scenario),
        pool_(pool),
        findings_(findings),
        highest_(initial_total(scenario, pool).sum()),
        count_(initial_partition_count(scenario, pool)) {}

  [[nodiscard]] bool owns(std::uint32_t container) const { return pool_.has(container); }

  void apply(const SetThroughput& set, const std::string& path) {
    const bool is_autoscale = pool_.throughput.mode == CapacityMode::autoscale;
    const std::string place = path + (set.units      ? ".capacity_units"
                                      : is_autoscale ? ".autoscale"
                                                     : ".throughput");
    if (pool_.throughput.mode == CapacityMode::serverless) {
      findings_.add(path, "a serverless container has no throughput to set");
      return;
    }
    if (set.units &&
        !sold_units(scenario_, *set.units, place, "throughput or autoscale", findings_)) {
      return;
    }
    const MilliRu target = set.mru_per_s;
    const MilliRu most = scenario_.parameters.fixed_container_max_mru;
    if (pool_.fixed && target > most) {
      findings_.add(place, "too much for a fixed container, expected at most " +
                               format_throughput(most) + ", got " + format_throughput(target));
      return;
    }
    const Share total = bought_total(scenario_, pool_, target, set.units);
    highest_ = std::max(highest_, total.sum());
    if (!sold_amount(scenario_, pool_, place, {target, set.units.has_value(), highest_},
                     findings_)) {
      return;
    }
    count_ = needed_partitions(scenario_.parameters, total, count_);
    if (allowed_count(count_, place, findings_)) {
      allowed_share(scenario_.parameters, total, count_, place, findings_);
    }
  }

  void apply(const MergePartitions& /*merge*/, const std::string& path) {
    if (!scenario_.parameters.merge_enabled) {
      findings_.add(path + ".merge", "merging is off, expected merge_enabled in parameters",
                    "parameters: {merge_enabled: true}");
    } else if (pool_.fixed) {
      findings_.add(path + ".merge", "a fixed container has nothing to merge");
    }
  }

  void apply(const Redistribute& request, const std::string& path) {
    const std::string place = path + ".redistribute";
    if (scenario_.provider == Provider::dynamodb || pool_.fixed ||
        pool_.throughput.mode == CapacityMode::serverless) {
      findings_.add(place,
                    "there is no throughput to redistribute, expected manual or autoscale "
                    "throughput of Cosmos DB");
      return;
    }
    const MilliRu most = scenario_.parameters.partition_max_mru_per_s;
    for (std::size_t i = 0; i < request.targets.size(); ++i) {
      const auto& [partition, target] = request.targets[i];
      if (i > 0 && request.targets[i - 1].partition >= partition) {
        findings_.add(place, "partitions must be sorted by id and differ");
      }
      if (target < 1 || target / 2 > most || target > 2 * most) {
        std::string path_of_target = place;
        findings_.add(path_of_target.append(".").append(std::to_string(partition)),
                      "too much for a partition and its children, expected at most " +
                          format_throughput(2 * most) + ", got " +
                          format_throughput(std::max<MilliRu>(target, 0)),
                      "above " + format_throughput(most) + " it splits, and each half gets half");
      }
    }
  }

 private:
  const Scenario& scenario_;
  const PoolSpec& pool_;
  Findings& findings_;
  MilliRu highest_;
  std::uint64_t count_;
};

}  // namespace

void check_timeline(const Scenario& scenario, Findings& findings) {
  const std::vector<PoolSpec> pools = pools_of(scenario);
  std::vector<PoolHistory> histories;
  histories.reserve(pools.size());
  for (const PoolSpec& pool : pools) {
    histories.emplace_back(scenario, pool, findings);
  }
  Nanoseconds before = 0;
  for (std::size_t i = 0; i < scenario.timeline.size(); ++i) {
    const TimelineEntry& entry = scenario.timeline[i];
    const std::string path = "timeline." + std::to_string(i);
    if (entry.at_ns < 0 || entry.at_ns >= scenario.duration_ns) {
      findings.add(path + ".at", "the instant is not inside the run, expected below " +
                                     text_of(scenario.duration_ns) + ", got " +
                                     text_of(entry.at_ns));
    } else if (entry.at_ns < before) {
      findings.add(path + ".at", "the timeline must be sorted by time");
    }
    before = std::max(before, entry.at_ns);
    const auto history =
        std::find_if(histories.begin(), histories.end(),
                     [&entry](const PoolHistory& known) { return known.owns(entry.container); });
    if (history == histories.end()) {
      findings.add(path + ".container", "the container does not exist");
      continue;
    }
    std::visit([&](const auto& action) { history->apply(action, path); }, entry.action);
  }
}

}  // namespace partsim::checks
