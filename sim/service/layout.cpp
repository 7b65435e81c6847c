#include "partsim/service/layout.hpp"

#include <algorithm>

#include "partsim/service/charges.hpp"

namespace partsim {
namespace {

std::int64_t divided_up(std::int64_t a, std::int64_t b) noexcept {
  return (a + b - 1) / b;
}

/// ceil(reads / Rmax + writes / Wmax), exactly.
std::uint64_t partitions_for_units(const ProviderParameters& p, const Share& total) noexcept {
  __extension__ using Wide = __int128;
  const Wide read_max = p.partition_max_read_units_per_s;
  const Wide write_max = p.partition_max_write_units_per_s;
  const Wide whole = read_max * write_max;
  const Wide need = total.total_mru_per_s * write_max + total.write_mru_per_s * read_max;
  return static_cast<std::uint64_t>((need + whole - 1) / whole);
}

/// Expected operations a second that read and that write, in the clients of a pool.
struct Mix {
  double reads = 0;
  double writes = 0;
};

double operations_per_second(const Scenario& scenario, const ClientSpec& client) {
  if (const auto* once = std::get_if<AtOnce>(&client.arrivals)) {
    return static_cast<double>(once->count) * 1e9 / static_cast<double>(scenario.duration_ns);
  }
  const Rate& rate = std::get<OpenLoop>(client.arrivals).rate;
  return static_cast<double>(rate.count_micro) * 1e3 / static_cast<double>(rate.per_ns);
}

/// What the operations of a pool cost a second under these parameters.
Mix demand(const Scenario& scenario, const PoolSpec& pool, const ProviderParameters& parameters) {
  Mix mix;
  for (const ClientSpec& client : scenario.clients) {
    if (std::find(pool.containers.begin(), pool.containers.end(), client.container) ==
        pool.containers.end()) {
      continue;
    }
    const Charges charges(scenario.containers[client.container], parameters);
    const double rate = operations_per_second(scenario, client);
    for (const OperationSpec& operation : client.operations) {
      const double each = rate * static_cast<double>(operation.share_ppm) / 1e6;
      if (operation.kind == OperationKind::create) {
        mix.writes += each * static_cast<double>(charges.create());
      } else {
        const MilliRu charge = operation.kind == OperationKind::read
                                   ? charges.point_read()
                                   : charges.query(operation.matches, operation.returned);
        mix.reads += each * static_cast<double>(charge);
      }
    }
  }
  return mix;
}

/// Units that serve as many operations a second as these RU/s would serve under Cosmos DB, for the
/// mix of operations that the scenario has.
Share units_for(const Scenario& scenario, const PoolSpec& pool) {
  const Mix ru = demand(scenario, pool, profile_parameters(Provider::cosmos));
  const Mix units = demand(scenario, pool, scenario.parameters);
  const double all = ru.reads + ru.writes;
  const double scale = all > 0 ? static_cast<double>(pool.throughput.mru_per_s) / all : 0;
  const auto whole_units = [scale](double mru) {
    const auto rounded = (static_cast<MilliRu>(mru * scale) + 500) / kMilliPerRu * kMilliPerRu;
    return std::max<MilliRu>(rounded, kMilliPerRu);
  };
  return {whole_units(units.reads), whole_units(units.writes)};
}

}  // namespace

HashVersion hash_version_of(const ContainerSpec& container) noexcept {
  return container.partition_key.size() > 1 ? HashVersion::multihash : container.hash;
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
    }
    pools.push_back(std::move(pool));
  }
  return pools;
}

Share initial_total(const Scenario& scenario, const PoolSpec& pool) {
  const ProviderParameters& p = scenario.parameters;
  const bool serverless = pool.throughput.mode == CapacityMode::serverless;
  if (units_apart(p)) {
    if (serverless) {
      return {p.on_demand_initial_read_units, p.on_demand_initial_write_units};
    }
    if (pool.throughput.units) {
      return {pool.throughput.units->read_per_s, pool.throughput.units->write_per_s};
    }
    return units_for(scenario, pool);
  }
  if (serverless) {
    return {p.serverless_mru_per_partition * initial_partition_count(scenario, pool), 0};
  }
  return {pool.throughput.mru_per_s, 0};
}

std::uint32_t initial_partition_count(const Scenario& scenario, const PoolSpec& pool) {
  const ProviderParameters& p = scenario.parameters;
  if (pool.fixed) {
    return 1;
  }
  if (pool.throughput.partitions) {
    return *pool.throughput.partitions;
  }
  std::int64_t count = 1;
  if (units_apart(p)) {
    count = static_cast<std::int64_t>(partitions_for_units(p, initial_total(scenario, pool)));
  } else if (pool.throughput.mode != CapacityMode::serverless) {
    const bool growth = pool.throughput.mode == CapacityMode::autoscale || pool.is_database;
    count = divided_up(pool.throughput.mru_per_s,
                       growth ? p.initial_partition_mru_autoscale : p.initial_partition_mru_manual);
  }
  Bytes stored = 0;
  for (const std::uint32_t container : pool.containers) {
    stored += scenario.containers[container].initial_storage_bytes;
  }
  count = std::max(count, divided_up(stored, p.split_storage_threshold_bytes));
  return static_cast<std::uint32_t>(std::max<std::int64_t>(count, 1));
}

std::vector<MilliRu> even_shares(MilliRu total, std::size_t count) {
  std::vector<MilliRu> shares(count, total / static_cast<MilliRu>(count));
  for (std::size_t i = 0; i < static_cast<std::size_t>(total % static_cast<MilliRu>(count)); ++i) {
    ++shares[i];
  }
  return shares;
}

std::uint64_t needed_partitions(const ProviderParameters& parameters, const Share& total,
                                std::uint64_t now) noexcept {
  const std::uint64_t enough = units_apart(parameters)
                                   ? partitions_for_units(parameters, total)
                                   : static_cast<std::uint64_t>(divided_up(
                                         total.total_mru_per_s, parameters.growth_partition_mru));
  if (enough <= now) {
    return now;
  }
  std::uint64_t doubled = now;
  while (doubled < enough) {
    doubled *= 2;
  }
  return parameters.growth_splits_all ? doubled : enough;
}

}  // namespace partsim
