#include "pools.hpp"

#include <algorithm>

#include "partsim/core/units.hpp"

namespace partsim::estimate {
namespace {

__extension__ using Wide = __int128;

constexpr MilliRu kMorePerContainerManual = 100 * kMilliPerRu;
constexpr MilliRu kMorePerContainerAutoscale = 1'000 * kMilliPerRu;
/// Counts and amounts above these are refused anyway; they must only not overflow.
constexpr std::int64_t kTooMany = INT64_C(1) << 40;
constexpr std::int64_t kTooMuch = INT64_C(1) << 60;

/// Broken scenarios are estimated too; they must only not divide by zero.
std::int64_t positive(std::int64_t divisor) {
  return std::max<std::int64_t>(1, divisor);
}

/// The published charge of a point operation.
MilliRu table_charge(Bytes size, MilliRu ChargeRow::*column) {
  const ChargeRow* low = kCosmosCharges.data();
  if (size <= low->size_bytes) {
    return low->*column;
  }
  const ChargeRow* last = low + kCosmosCharges.size() - 1;
  while (low + 1 < last && low[1].size_bytes < size) {
    ++low;
  }
  return low->*column + (low[1].*column - low->*column) * (size - low->size_bytes) /
                            (low[1].size_bytes - low->size_bytes);
}

struct Mix {
  double reads = 0;
  double writes = 0;
};

/// Operations at once count as if they were spread over a time.
double operations_per_second(const ClientSpec& client, Nanoseconds spread_ns) {
  if (const auto* once = std::get_if<AtOnce>(&client.arrivals)) {
    return static_cast<double>(once->count) * 1e9 / static_cast<double>(positive(spread_ns));
  }
  const Rate& rate = std::get<OpenLoop>(client.arrivals).rate;
  return rate.per_ns < 1
             ? 0.0
             : static_cast<double>(rate.count_micro) * 1e3 / static_cast<double>(rate.per_ns);
}

double units_for(double bytes, Bytes unit) {
  const auto size = static_cast<double>(unit);
  const double whole = static_cast<double>(static_cast<std::int64_t>(std::min(bytes / size, 1e15)));
  return std::max(1.0, whole * size < bytes ? whole + 1 : whole) * static_cast<double>(kMilliPerRu);
}

/// What one operation costs under Cosmos DB, in milli-RU, or in thousandths of a unit.
double cost_of(const ContainerSpec& container, const OperationSpec& operation,
               const ProviderParameters& p) {
  const auto size = static_cast<double>(container.item_size_bytes);
  const bool is_write = operation.kind == OperationKind::create;
  const bool is_query = operation.kind == OperationKind::query;
  const bool is_strong = container.consistency == Consistency::strong ||
                         container.consistency == Consistency::bounded_staleness;
  if (units_apart(p)) {
    const double bytes = is_query ? size * operation.returned : size;
    const double factor =
        is_write || is_strong ? 1.0 : static_cast<double>(p.eventual_read_factor_ppm) / 1e6;
    return factor * units_for(bytes, is_write ? p.write_unit_bytes : p.read_unit_bytes);
  }
  if (is_write) {
    return static_cast<double>(table_charge(container.item_size_bytes, &ChargeRow::write_mru)) +
           static_cast<double>(p.index_mru_per_term) * container.indexed_terms;
  }
  const double factor = is_strong ? static_cast<double>(p.strong_read_multiplier_micro) / 1e6 : 1.0;
  const double query = static_cast<double>(p.query_min_mru_per_partition) +
                       static_cast<double>(p.query_mru_per_match) * operation.matches +
                       static_cast<double>(p.query_mru_per_returned_kb) * operation.returned *
                           (size / static_cast<double>(kKilobyte));
  const auto read =
      static_cast<double>(table_charge(container.item_size_bytes, &ChargeRow::read_mru));
  return factor * (is_query ? query : read);
}

Mix demand(const Scenario& scenario, const PoolView& pool, const ProviderParameters& p,
           Nanoseconds spread_ns) {
  Mix mix;
  for (const ClientSpec& client : scenario.clients) {
    if (std::find(pool.containers.begin(), pool.containers.end(), client.container) ==
        pool.containers.end()) {
      continue;
    }
    const double rate = operations_per_second(client, spread_ns);
    for (const OperationSpec& operation : client.operations) {
      const bool is_write = operation.kind == OperationKind::create;
      (is_write ? mix.writes : mix.reads) +=
          rate * static_cast<double>(operation.share_ppm) / 1e6 *
          cost_of(scenario.containers[client.container], operation, p);
    }
  }
  return mix;
}

/// What an on-demand table may come to: a multiple of the busiest second, which for operations at
/// once is the one they all fall into.
Total on_demand_peak(const Scenario& scenario, const PoolView& pool) {
  const Mix peak = demand(scenario, pool, scenario.parameters, kSecond);
  const auto times = static_cast<double>(scenario.parameters.on_demand_peak_multiplier);
  const auto units = [times](double mru) {
    return static_cast<MilliRu>(std::min(mru * times, static_cast<double>(kTooMuch)));
  };
  return {units(peak.reads), units(peak.writes)};
}

/// Units that serve as many operations as these RU/s would serve under Cosmos DB.
Total units_like(const Scenario& scenario, const PoolView& pool) {
  const Mix ru = demand(scenario, pool, profile_parameters(Provider::cosmos), scenario.duration_ns);
  const Mix units = demand(scenario, pool, scenario.parameters, scenario.duration_ns);
  const double all = ru.reads + ru.writes;
  const double scale = all > 0 ? static_cast<double>(pool.throughput.mru_per_s) / all : 0;
  const auto whole = [scale](double mru) {
    const auto rounded = static_cast<MilliRu>(std::min(mru * scale / 1e3 + 0.5, 1e15));
    return std::max<MilliRu>(rounded, 1) * kMilliPerRu;
  };
  return {whole(units.reads), whole(units.writes)};
}

/// ceil(reads / Rmax + writes / Wmax), exactly.
std::int64_t count_for_units(const ProviderParameters& p, const Total& total) {
  const Wide read_max = positive(p.partition_max_read_units_per_s);
  const Wide write_max = positive(p.partition_max_write_units_per_s);
  const Wide whole = read_max * write_max;
  const Wide need = total.reads * write_max + total.writes * read_max;
  return static_cast<std::int64_t>(std::min<Wide>((need + whole - 1) / whole, kTooMany));
}

}  // namespace

std::string container_path(const Scenario& scenario, std::size_t index) {
  const std::string& name = scenario.containers[index].name;
  const bool is_only = scenario.containers.size() == 1 && !scenario.database && name == "main";
  return is_only ? "container" : "containers." + name;
}

std::vector<PoolView> pools_of(const Scenario& scenario) {
  std::vector<PoolView> pools;
  std::size_t shared = SIZE_MAX;
  for (std::uint32_t i = 0; i < scenario.containers.size(); ++i) {
    const ContainerSpec& container = scenario.containers[i];
    if (container.shares_database && shared != SIZE_MAX) {
      pools[shared].containers.push_back(i);
      pools[shared].stored_bytes += std::min(container.initial_storage_bytes, kTooMany * 1'024);
      continue;
    }
    PoolView pool;
    pool.containers = {i};
    pool.stored_bytes = std::min(container.initial_storage_bytes, kTooMany * 1'024);
    pool.is_database = container.shares_database;
    if (pool.is_database) {
      shared = pools.size();
      pool.throughput = scenario.database ? scenario.database->throughput : ThroughputSpec{};
      pool.path = "database";
    } else {
      pool.throughput = container.throughput;
      pool.fixed = container.fixed;
      pool.path = container_path(scenario, i);
    }
    pools.push_back(std::move(pool));
  }
  return pools;
}

std::vector<Extent> extents_of(const Scenario& scenario) {
  std::vector<Extent> extents(scenario.containers.size());
  for (const PoolView& pool : pools_of(scenario)) {
    const Extent extent = extent_of(scenario, pool);
    for (const std::uint32_t container : pool.containers) {
      extents[container] = extent;
    }
  }
  return extents;
}

Total initial_total(const Scenario& scenario, const PoolView& pool) {
  const ProviderParameters& p = scenario.parameters;
  const bool serverless = pool.throughput.mode == CapacityMode::serverless;
  if (!units_apart(p)) {
    const Wide flowing = Wide{p.serverless_mru_per_partition} * partition_count(scenario, pool);
    return {serverless ? static_cast<MilliRu>(std::min<Wide>(flowing, kTooMuch))
                       : pool.throughput.mru_per_s,
            0};
  }
  if (serverless) {
    return {p.on_demand_initial_read_units, p.on_demand_initial_write_units};
  }
  return pool.throughput.units
             ? Total{pool.throughput.units->read_per_s, pool.throughput.units->write_per_s}
             : units_like(scenario, pool);
}

Total scaled_total(const ProviderParameters& p, const Total& now, MilliRu target) {
  if (!units_apart(p)) {
    return {target, 0};
  }
  const Wide all = std::max<Wide>(1, Wide{now.reads} + now.writes);
  const auto reads = static_cast<MilliRu>(Wide{now.reads} * target / all);
  return {reads, target - reads};
}

std::int64_t partition_count(const Scenario& scenario, const PoolView& pool) {
  const ProviderParameters& p = scenario.parameters;
  if (pool.throughput.partitions) {
    return *pool.throughput.partitions;
  }
  if (pool.fixed) {
    return 1;
  }
  std::int64_t count = 1;
  if (units_apart(p)) {
    count = count_for_units(p, initial_total(scenario, pool));
  } else if (pool.throughput.mode != CapacityMode::serverless) {
    const bool large = pool.throughput.mode == CapacityMode::autoscale || pool.is_database;
    count = divided_up(pool.throughput.mru_per_s,
                       large ? p.initial_partition_mru_autoscale : p.initial_partition_mru_manual);
  }
  const std::int64_t filled =
      divided_up(pool.stored_bytes, positive(p.split_storage_threshold_bytes));
  return std::clamp<std::int64_t>(std::max(count, filled), 1, kTooMany);
}

std::int64_t grown_count(const ProviderParameters& p, const Total& total, std::int64_t now) {
  const std::int64_t enough = std::min(
      kTooMany, units_apart(p) ? count_for_units(p, total)
                               : divided_up(total.reads, positive(p.growth_partition_mru)));
  if (enough <= now) {
    return now;
  }
  std::int64_t doubled = std::max<std::int64_t>(now, 1);
  while (doubled < enough) {
    doubled *= 2;
  }
  return p.growth_splits_all ? doubled : enough;
}

Extent extent_of(const Scenario& scenario, const PoolView& pool) {
  const ProviderParameters& p = scenario.parameters;
  const auto poorest = [](const Total& total) {
    return total.writes > 0 ? std::min(total.reads, total.writes) : total.reads;
  };
  Total total = initial_total(scenario, pool);
  Extent extent;
  extent.partitions = partition_count(scenario, pool);
  MilliRu least = poorest(total);
  const bool on_demand = units_apart(p) && pool.throughput.mode == CapacityMode::serverless;
  if (on_demand && scenario.duration_ns > p.on_demand_window_ns) {
    const Total peak = on_demand_peak(scenario, pool);
    total = {std::max(total.reads, peak.reads), std::max(total.writes, peak.writes)};
    extent.partitions = grown_count(p, total, extent.partitions);
  }
  extent.largest_total = total.reads + total.writes;
  for (const TimelineEntry& entry : scenario.timeline) {
    const auto* set = std::get_if<SetThroughput>(&entry.action);
    const bool is_ours = std::find(pool.containers.begin(), pool.containers.end(),
                                   entry.container) != pool.containers.end();
    if (set == nullptr || !is_ours) {
      continue;
    }
    total = scaled_total(p, total, set->mru_per_s);
    extent.partitions = grown_count(p, total, extent.partitions);
    extent.largest_total = std::max(extent.largest_total, total.reads + total.writes);
    least = std::min(least, poorest(total));
  }
  extent.least_share = least / std::max<std::int64_t>(1, extent.partitions);
  return extent;
}

Minimum minimum_of(const ProviderParameters& p, const PoolView& pool, MilliRu highest_mru) {
  const bool is_autoscale = pool.throughput.mode == CapacityMode::autoscale;
  Minimum least{is_autoscale ? p.min_mru_autoscale_max : p.min_mru_manual, {}};
  const auto raise = [&least](MilliRu mru, std::string reason) {
    if (mru > least.mru_per_s) {
      least = {mru, std::move(reason)};
    }
  };
  const auto count = static_cast<std::int64_t>(pool.containers.size());
  if (pool.is_database && count > p.shared_db_max_containers) {
    const std::int64_t more = count - p.shared_db_max_containers;
    raise(least.mru_per_s +
              more * (is_autoscale ? kMorePerContainerAutoscale : kMorePerContainerManual),
          std::to_string(count) + " containers share the database");
  }
  if (!pool.fixed && !pool.is_database) {
    raise(p.min_mru_unlimited_container, "a container that is not fixed starts there");
  }
  const MilliRu per_gb = is_autoscale ? p.min_mru_per_gb_autoscale : p.min_mru_per_gb_manual;
  raise(static_cast<MilliRu>(
            std::min<Wide>(Wide{pool.stored_bytes} * per_gb / kGigabyte, INT64_MAX / 4)),
        format_size(std::max<Bytes>(pool.stored_bytes, 0)) + " are stored");
  const std::int64_t divisor =
      is_autoscale ? p.min_mru_high_water_divisor_autoscale : p.min_mru_high_water_divisor_manual;
  if (divisor > 0) {
    raise(highest_mru / divisor, "it once had " + format_throughput(highest_mru));
  }
  const MilliRu step = p.mru_step_autoscale;
  if (is_autoscale && step > 0) {
    least.mru_per_s = divided_up(least.mru_per_s, step) * step;
  }
  return least;
}

}  // namespace partsim::estimate
