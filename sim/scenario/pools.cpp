#include "partsim/scenario/pools.hpp"

#include <algorithm>

#include "demand.hpp"
#include "safe_math.hpp"

namespace partsim {
namespace {

/// ceil(reads / Rmax + writes / Wmax), exactly.
std::int64_t count_for_units(const ProviderParameters& p, const Share& total) noexcept {
  const Wide read_max = positive(p.partition_max_read_units_per_s);
  const Wide write_max = positive(p.partition_max_write_units_per_s);
  const Wide whole = read_max * write_max;
  const Wide need = total.total_mru_per_s * write_max + total.write_mru_per_s * read_max;
  return static_cast<std::int64_t>(std::min<Wide>((need + whole - 1) / whole, kTooMany));
}

/// Units that serve as many operations a second as these RU/s would serve under Cosmos DB, for the
/// mix of operations that the scenario has.
Share units_for(const Scenario& scenario, const PoolSpec& pool, MilliRu mru_per_s) {
  const Demand ru = demand_of(scenario, pool, profile_parameters(Provider::cosmos),  //
                              scenario.duration_ns);
  const Demand units = demand_of(scenario, pool, scenario.parameters, scenario.duration_ns);
  const double all = ru.reads + ru.writes;
  const double scale = all > 0 ? static_cast<double>(mru_per_s) / all : 0;
  const auto whole_units = [scale](double mru) {
    const double exact = std::clamp(mru * scale, 0.0, static_cast<double>(kTooMuch));
    const MilliRu rounded = (static_cast<MilliRu>(exact) + 500) / kMilliPerRu * kMilliPerRu;
    return std::max<MilliRu>(rounded, kMilliPerRu);
  };
  return {whole_units(units.reads), whole_units(units.writes)};
}

}  // namespace

bool PoolSpec::has(std::uint32_t container) const noexcept {
  return std::find(containers.begin(), containers.end(), container) != containers.end();
}

HashVersion hash_version_of(const ContainerSpec& container) noexcept {
  return container.partition_key.size() > 1 ? HashVersion::multihash : container.hash;
}

unsigned key_levels_of(const ContainerSpec& container) noexcept {
  if (!container.partition_key.empty()) {
    return static_cast<unsigned>(container.partition_key.size());
  }
  return container.hash == HashVersion::multihash ? static_cast<unsigned>(kMaxKeyLevels) : 1;
}

std::vector<PoolSpec> pools_of(const Scenario& scenario) {
  std::vector<PoolSpec> pools;
  std::size_t shared = SIZE_MAX;
  for (std::uint32_t i = 0; i < scenario.containers.size(); ++i) {
    const ContainerSpec& container = scenario.containers[i];
    if (container.shares_database && shared != SIZE_MAX) {
      pools[shared].containers.push_back(i);
      continue;
    }
    PoolSpec pool{container.name, container.throughput, false, container.fixed, {i}};
    if (container.shares_database) {
      shared = pools.size();
      pool.name = "database";
      pool.throughput = scenario.database ? scenario.database->throughput : ThroughputSpec{};
      pool.is_database = true;
      pool.fixed = false;
    }
    pools.push_back(std::move(pool));
  }
  return pools;
}

Bytes stored_at_start(const Scenario& scenario, const PoolSpec& pool) noexcept {
  Bytes stored = 0;
  for (const std::uint32_t container : pool.containers) {
    stored = not_too_much(Wide{stored} +
                          std::max<Bytes>(0, scenario.containers[container].initial_storage_bytes));
  }
  return stored;
}

Share bought_total(const Scenario& scenario, const PoolSpec& pool, MilliRu mru_per_s,
                   const std::optional<CapacityUnits>& units) {
  if (!units_apart(scenario.parameters)) {
    return {mru_per_s, 0};
  }
  if (units) {
    return {not_too_much(units->read_per_s), not_too_much(units->write_per_s)};
  }
  return units_for(scenario, pool, mru_per_s);
}

Share initial_total(const Scenario& scenario, const PoolSpec& pool) {
  const ProviderParameters& p = scenario.parameters;
  if (pool.throughput.mode != CapacityMode::serverless) {
    return bought_total(scenario, pool, pool.throughput.mru_per_s, pool.throughput.units);
  }
  if (units_apart(p)) {
    return {p.on_demand_initial_read_units, p.on_demand_initial_write_units};
  }
  const auto count = static_cast<std::int64_t>(initial_partition_count(scenario, pool));
  return {times(p.serverless_mru_per_partition, count), 0};
}

std::uint64_t initial_partition_count(const Scenario& scenario, const PoolSpec& pool) {
  const ProviderParameters& p = scenario.parameters;
  if (pool.fixed) {
    return 1;
  }
  if (pool.throughput.partitions) {
    return *pool.throughput.partitions;
  }
  std::int64_t count = 1;
  if (units_apart(p)) {
    count = count_for_units(p, initial_total(scenario, pool));
  } else if (pool.throughput.mode != CapacityMode::serverless) {
    const bool large = pool.throughput.mode == CapacityMode::autoscale || pool.is_database;
    count = divided_up(pool.throughput.mru_per_s, positive(large ? p.initial_partition_mru_autoscale
                                                                 : p.initial_partition_mru_manual));
  }
  const std::int64_t filled =
      divided_up(stored_at_start(scenario, pool), positive(p.split_storage_threshold_bytes));
  return static_cast<std::uint64_t>(std::clamp<std::int64_t>(std::max(count, filled), 1, kTooMany));
}

std::uint64_t needed_partitions(const ProviderParameters& parameters, const Share& total,
                                std::uint64_t now) noexcept {
  const std::int64_t count =
      units_apart(parameters)
          ? count_for_units(parameters, total)
          : divided_up(total.total_mru_per_s, positive(parameters.growth_partition_mru));
  const auto enough = static_cast<std::uint64_t>(std::clamp<std::int64_t>(count, 0, kTooMany));
  if (enough <= now) {
    return now;
  }
  std::uint64_t doubled = std::max<std::uint64_t>(1, now);
  while (doubled < enough) {
    doubled *= 2;
  }
  return parameters.growth_splits_all ? doubled : enough;
}

MilliRu even_growth_mru_per_s(const ProviderParameters& parameters, std::uint32_t partitions,
                              MilliRu wanted) noexcept {
  Wide target = Wide{parameters.growth_partition_mru} * partitions;
  if (wanted <= target || target <= 0) {
    return wanted;
  }
  while (target < wanted) {
    target *= 2;
  }
  return static_cast<MilliRu>(target);
}

}  // namespace partsim
