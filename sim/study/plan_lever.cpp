#include "plan_lever.hpp"

#include <algorithm>
#include <limits>
#include <variant>

#include "partsim/scenario/check.hpp"
#include "partsim/scenario/pools.hpp"

namespace partsim {
namespace {

/// More than the service sells to one container without being asked.
constexpr MilliRu kMostThroughput = 1'000'000 * kMilliPerRu;
constexpr std::int64_t kMostSuffixes = 100'000;
constexpr std::int64_t kMostPartitions = 1'000;

/// Where the only pool keeps what it bought.
ThroughputSpec& bought(Scenario& scenario) {
  return scenario.database && scenario.containers.front().shares_database
             ? scenario.database->throughput
             : scenario.containers.front().throughput;
}

bool buys(Lever lever) {
  return lever == Lever::throughput || lever == Lever::autoscale;
}

std::uint64_t* suffix_count(KeyPart& part) {
  if (auto* random = std::get_if<RandomSuffix>(&part)) {
    return &random->count;
  }
  auto* hashed = std::get_if<HashedSuffix>(&part);
  return hashed == nullptr ? nullptr : &hashed->count;
}

/// Braces that stand for themselves are doubled.
std::string escaped(const std::string& text) {
  std::string result;
  for (const char c : text) {
    result += c;
    if (c == '{' || c == '}') {
      result += c;
    }
  }
  return result;
}

std::string range_text(std::uint64_t first, std::uint64_t count) {
  return std::to_string(first) + ".." + std::to_string(first + count - 1) + "}";
}

std::string template_text(const KeyTemplate& level) {
  std::string text;
  for (const KeyPart& part : level.parts) {
    if (const auto* literal = std::get_if<LiteralText>(&part)) {
      text += escaped(literal->text);
    } else if (const auto* value = std::get_if<FieldValue>(&part)) {
      text += "{" + value->field + "}";
    } else if (const auto* random = std::get_if<RandomSuffix>(&part)) {
      text += "{random " + range_text(random->first, random->count);
    } else {
      const auto& hashed = std::get<HashedSuffix>(part);
      text += "{hash " + hashed.field + " " + range_text(hashed.first, hashed.count);
    }
  }
  return text;
}

/// Sets the suffixes of all containers, or says how many there are most of if `count` is 0.
std::uint64_t turn_suffixes(Scenario& scenario, std::uint64_t count) {
  std::uint64_t most = 0;
  for (ContainerSpec& container : scenario.containers) {
    for (KeyTemplate& level : container.partition_key) {
      for (KeyPart& part : level.parts) {
        std::uint64_t* suffixes = suffix_count(part);
        if (suffixes == nullptr) {
          continue;
        }
        most = std::max(most, *suffixes);
        *suffixes = count > 0 ? count : *suffixes;
      }
      level.text = count > 0 ? template_text(level) : level.text;
    }
  }
  return most;
}

std::int64_t rounded_up(std::int64_t amount, std::int64_t step) {
  return (amount + step - 1) / step * step;
}

MinimumBasis basis_of(const Scenario& scenario, CapacityMode mode, MilliRu highest) {
  const PoolSpec pool = pools_of(scenario).front();
  return {mode,
          stored_at_start(scenario, pool),
          highest,
          pool.is_database,
          static_cast<std::uint32_t>(pool.containers.size()),
          !pool.fixed && !pool.is_database};
}

PlanGrid throughput_grid(const Scenario& scenario, Lever lever) {
  const ProviderParameters& p = scenario.parameters;
  const bool is_autoscale = lever == Lever::autoscale;
  const MilliRu sold = is_autoscale ? p.mru_step_autoscale : p.mru_step_manual;
  PlanGrid grid;
  grid.step = std::max<MilliRu>(sold, kMilliPerRu);
  const CapacityMode mode = is_autoscale ? CapacityMode::autoscale : CapacityMode::manual;
  const MilliRu least = minimum_of(p, basis_of(scenario, mode, 0)).mru_per_s;
  grid.least = rounded_up(std::max<MilliRu>(least, 1), grid.step);
  const PoolSpec pool = pools_of(scenario).front();
  grid.most = pool.fixed ? p.fixed_container_max_mru : kMostThroughput;
  grid.start = pool.throughput.mru_per_s;
  return grid;
}

/// The amounts at which a layout has as much as it can: multiples of the first one, or the first
/// one doubled again and again.
struct TopRule {
  std::int64_t first = 0;  // 0: the layout does not depend on the amount
  bool doubles = false;
};

TopRule top_rule(const Scenario& scenario, Lever lever) {
  const PoolSpec pool = pools_of(scenario).front();
  const ProviderParameters& p = scenario.parameters;
  if (!buys(lever) || pool.fixed || units_apart(p)) {
    return {};
  }
  if (pool.throughput.partitions) {
    return {p.growth_partition_mru * *pool.throughput.partitions, true};
  }
  const bool is_large = lever == Lever::autoscale || pool.is_database;
  return {is_large ? p.initial_partition_mru_autoscale : p.initial_partition_mru_manual, false};
}

}  // namespace

PlanGrid grid_of(const Scenario& scenario, const PlanOptions& options) {
  PlanGrid grid;
  Scenario copy = scenario;
  if (buys(options.lever)) {
    grid = throughput_grid(scenario, options.lever);
  } else if (options.lever == Lever::suffixes) {
    grid.most = kMostSuffixes;
    grid.start = static_cast<std::int64_t>(turn_suffixes(copy, 0));
  } else {
    grid.most = kMostPartitions;
    grid.start = static_cast<std::int64_t>(partitions_at_start(scenario));
    const Share total = initial_total(scenario, pools_of(scenario).front());
    // Below, a partition would have more than it may: what the growth rule asks of one partition.
    while (grid.least < grid.most &&
           needed_partitions(scenario.parameters, total, static_cast<std::uint64_t>(grid.least)) >
               static_cast<std::uint64_t>(grid.least)) {
      ++grid.least;
    }
  }
  if (options.range) {
    grid.least = std::max(grid.least, rounded_up(options.range->first, grid.step));
    grid.most = options.range->second;
  }
  grid.most = std::max(grid.least, grid.most / grid.step * grid.step);
  grid.start = std::clamp(rounded_up(grid.start, grid.step), grid.least, grid.most);
  return grid;
}

MilliRu floor_after(const Scenario& scenario, MilliRu highest_mru_per_s) {
  const CapacityMode mode = pools_of(scenario).front().throughput.mode;
  const MilliRu least =
      minimum_of(scenario.parameters, basis_of(scenario, mode, highest_mru_per_s)).mru_per_s;
  const MilliRu step = mode == CapacityMode::autoscale ? scenario.parameters.mru_step_autoscale
                                                       : scenario.parameters.mru_step_manual;
  return rounded_up(least, std::max<MilliRu>(step, 1));
}

std::int64_t layout_top_below(const Scenario& scenario, Lever lever, std::int64_t amount) {
  const TopRule rule = top_rule(scenario, lever);
  if (rule.first <= 0 || rule.first >= amount) {
    return 0;
  }
  if (!rule.doubles) {
    return (amount - 1) / rule.first * rule.first;
  }
  std::int64_t top = rule.first;
  while (top * 2 < amount) {
    top *= 2;
  }
  return top;
}

std::int64_t layout_top_from(const Scenario& scenario, Lever lever, std::int64_t amount) {
  const TopRule rule = top_rule(scenario, lever);
  if (rule.first <= 0) {
    return 0;
  }
  if (!rule.doubles) {
    return rounded_up(amount, rule.first);
  }
  std::int64_t top = rule.first;
  while (top < amount) {
    top *= 2;
  }
  return top;
}

std::uint64_t partitions_at_start(const Scenario& scenario) {
  return initial_partition_count(scenario, pools_of(scenario).front());
}

std::string plan_objection(const Scenario& scenario, Lever lever) {
  const std::vector<PoolSpec> pools = pools_of(scenario);
  if (pools.size() != 1) {
    return "it buys throughput in " + std::to_string(pools.size()) +
           " places, and a plan is for one";
  }
  if (lever == Lever::suffixes) {
    Scenario copy = scenario;
    return turn_suffixes(copy, 0) == 0
               ? "its partition key has no {random a..b} and no {hash field a..b}"
               : "";
  }
  if (pools.front().throughput.units) {
    return "it buys capacity_units, reads and writes apart; give it throughput";
  }
  if (lever == Lever::autoscale && scenario.provider == Provider::dynamodb) {
    return "autoscale is not modelled for dynamodb";
  }
  if (lever == Lever::partitions && pools.front().fixed) {
    return "a fixed container has one partition";
  }
  return "";
}

Scenario with_amount(const Scenario& scenario, Lever lever, std::int64_t amount) {
  Scenario turned = scenario;
  if (lever == Lever::suffixes) {
    turn_suffixes(turned, static_cast<std::uint64_t>(amount));
    return turned;
  }
  ThroughputSpec& spec = bought(turned);
  if (lever == Lever::partitions) {
    spec.partitions = static_cast<std::uint32_t>(amount);
    return turned;
  }
  spec.mode = lever == Lever::autoscale ? CapacityMode::autoscale : CapacityMode::manual;
  spec.mru_per_s = amount;
  if (spec.partitions) {
    const PoolSpec pool = pools_of(turned).front();
    while (needed_partitions(scenario.parameters, initial_total(turned, pool), *spec.partitions) >
               *spec.partitions &&
           *spec.partitions < kMaxPartitions) {
      *spec.partitions *= 2;
    }
  }
  return turned;
}

}  // namespace partsim
