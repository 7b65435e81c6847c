#include "extent.hpp"

#include <algorithm>

#include "demand.hpp"
#include "safe_math.hpp"

namespace partsim::estimate {
namespace {

/// What an on-demand table may come to: a multiple of the busiest second, which for operations at
/// once is the one they all fall into.
Share on_demand_peak(const Scenario& scenario, const PoolSpec& pool) {
  const Demand peak = demand_of(scenario, pool, scenario.parameters, kSecond);
  const auto multiple = static_cast<double>(scenario.parameters.on_demand_peak_multiplier);
  const auto units = [multiple](double mru) {
    return static_cast<MilliRu>(std::clamp(mru * multiple, 0.0, static_cast<double>(kTooMuch)));
  };
  return {units(peak.reads), units(peak.writes)};
}

MilliRu poorest(const Share& total) {
  return total.write_mru_per_s > 0 ? std::min(total.total_mru_per_s, total.write_mru_per_s)
                                   : total.total_mru_per_s;
}

}  // namespace

std::string container_path(const Scenario& scenario, std::size_t index) {
  const std::string& name = scenario.containers[index].name;
  const bool is_only = scenario.containers.size() == 1 && !scenario.database && name == "main";
  return is_only ? "container" : "containers." + name;
}

std::string pool_path(const Scenario& scenario, const PoolSpec& pool) {
  return pool.is_database ? "database" : container_path(scenario, pool.containers.front());
}

std::vector<Extent> extents_of(const Scenario& scenario) {
  std::vector<Extent> extents(scenario.containers.size());
  for (const PoolSpec& pool : pools_of(scenario)) {
    const Extent extent = extent_of(scenario, pool);
    for (const std::uint32_t container : pool.containers) {
      extents[container] = extent;
    }
  }
  return extents;
}

Extent extent_of(const Scenario& scenario, const PoolSpec& pool) {
  const ProviderParameters& p = scenario.parameters;
  Share total = initial_total(scenario, pool);
  Extent extent;
  extent.partitions = initial_partition_count(scenario, pool);
  MilliRu least = poorest(total);
  const bool on_demand = units_apart(p) && pool.throughput.mode == CapacityMode::serverless;
  if (on_demand && scenario.duration_ns > p.on_demand_window_ns) {
    const Share peak = on_demand_peak(scenario, pool);
    total = {std::max(total.total_mru_per_s, peak.total_mru_per_s),
             std::max(total.write_mru_per_s, peak.write_mru_per_s)};
    extent.partitions = needed_partitions(p, total, extent.partitions);
  }
  extent.largest_total = total.sum();
  for (const TimelineEntry& entry : scenario.timeline) {
    const auto* set = std::get_if<SetThroughput>(&entry.action);
    if (set == nullptr || !pool.has(entry.container)) {
      continue;
    }
    total = bought_total(scenario, pool, set->mru_per_s, set->units);
    extent.partitions = needed_partitions(p, total, extent.partitions);
    extent.largest_total = std::max(extent.largest_total, total.sum());
    least = std::min(least, poorest(total));
  }
  extent.least_share = least / static_cast<MilliRu>(std::max<std::uint64_t>(1, extent.partitions));
  return extent;
}

}  // namespace partsim::estimate
