// What is bought for each set of partitions, and whether the service would sell it.
#include <algorithm>

#include "partsim/scenario/minimum.hpp"

#include "findings.hpp"
#include "pool_checks.hpp"
#include "safe_math.hpp"

namespace partsim::checks {
namespace {

/// The key that says how a pool buys.
std::string buying_key(const PoolSpec& pool) {
  switch (pool.throughput.mode) {
    case CapacityMode::autoscale:
      return ".autoscale";
    case CapacityMode::serverless:
      return ".serverless";
    case CapacityMode::manual:
      break;
  }
  return pool.throughput.units ? ".capacity_units" : ".throughput";
}

class PoolCheck {
 public:
  PoolCheck(const Scenario& scenario, const PoolSpec& pool, Findings& findings)
      : scenario_(scenario),
        pool_(pool),
        findings_(findings),
        path_(estimate::pool_path(scenario, pool)),
        place_(path_ + buying_key(pool)) {}

  void check() {
    if (!is_sold()) {
      return;
    }
    if (pool_.throughput.mode != CapacityMode::serverless &&
        !sold_amount(scenario_, pool_, place_,
                     {pool_.throughput.mru_per_s, pool_.throughput.units.has_value(),
                      pool_.throughput.mru_per_s},
                     findings_)) {
      return;
    }
    if (!pool_.fixed || fixed()) {
      layout();
    }
  }

 private:
  void refuse(const std::string& message, const std::string& hint = {}) {
    findings_.add(place_, message, hint);
  }

  /// Whether this provider sells throughput in this way at all.
  bool is_sold() {
    const bool is_dynamodb = scenario_.provider == Provider::dynamodb;
    const CapacityMode mode = pool_.throughput.mode;
    if (pool_.is_database && is_dynamodb) {
      findings_.add("database", "dynamodb has no databases that tables share");
    } else if (mode == CapacityMode::autoscale && is_dynamodb) {
      refuse(
          "autoscale is not modelled for dynamodb, expected throughput, capacity_units or "
          "serverless");
    } else if (mode == CapacityMode::serverless && pool_.is_database) {
      refuse("a database cannot be serverless, expected throughput or autoscale");
    } else if (mode == CapacityMode::serverless && scenario_.regions.size() > 1) {
      refuse("a serverless container has one region, got " +
             std::to_string(scenario_.regions.size()));
    } else {
      return !pool_.throughput.units ||
             sold_units(scenario_, *pool_.throughput.units, place_,
                        "throughput, autoscale or serverless", findings_);
    }
    return false;
  }

  /// Whether a fixed container is one that could be bought.
  bool fixed() {
    const MilliRu most = scenario_.parameters.fixed_container_max_mru;
    const auto partitions = pool_.throughput.partitions.value_or(1);
    if (scenario_.provider != Provider::cosmos_2017 || most < 1) {
      findings_.add(path_ + ".fixed", "there are no fixed containers any more",
                    "provider cosmos_2017 has them");
    } else if (pool_.throughput.mode != CapacityMode::manual) {
      findings_.add(path_ + ".fixed", "a fixed container needs throughput");
    } else if (pool_.throughput.mru_per_s > most) {
      refuse("too much for a fixed container, expected at most " + format_throughput(most) +
             ", got " + format_throughput(pool_.throughput.mru_per_s));
    } else if (partitions != 1) {
      findings_.add(path_ + ".partitions",
                    "a fixed container has one partition, got " + std::to_string(partitions));
    } else {
      return true;
    }
    return false;
  }

  void layout() {
    const std::string path = pool_.throughput.partitions ? path_ + ".partitions" : place_;
    const std::uint64_t count = initial_partition_count(scenario_, pool_);
    if (!allowed_count(count, path, findings_)) {
      return;
    }
    allowed_share(scenario_.parameters, initial_total(scenario_, pool_), count, path, findings_);
  }

  const Scenario& scenario_;
  const PoolSpec& pool_;
  Findings& findings_;
  std::string path_;
  std::string place_;
};

void check_sharing(const Scenario& scenario, Findings& findings) {
  const ContainerSpec* first = nullptr;
  for (std::size_t i = 0; i < scenario.containers.size(); ++i) {
    const ContainerSpec& container = scenario.containers[i];
    if (!container.shares_database) {
      continue;
    }
    const std::string path = estimate::container_path(scenario, i);
    if (!scenario.database) {
      findings.add(path, "no throughput, and no database to share",
                   "one of throughput, autoscale and serverless, or a 'database' section");
    } else if (first != nullptr && hash_version_of(*first) != hash_version_of(container)) {
      findings.add(path + ".partition_key",
                   "containers that share a database need the same hash, " + quoted(first->name) +
                       " has another",
                   "as many levels of the key and the same 'hash' make it the same");
    }
    first = first == nullptr ? &container : first;
  }
  if (scenario.database && first == nullptr) {
    findings.add("database", "nobody shares the database, expected a container without throughput");
  }
}

std::string reason_of(const Minimum& minimum, const MinimumBasis& basis) {
  switch (minimum.reason) {
    case Minimum::Reason::containers:
      return std::to_string(basis.containers) + " containers share the database";
    case Minimum::Reason::unlimited:
      return "a container that is not fixed starts there";
    case Minimum::Reason::storage:
      return format_size(basis.stored_bytes) + " are stored";
    case Minimum::Reason::highest:
      return "it once had " + format_throughput(basis.highest_mru_per_s);
    case Minimum::Reason::plain:
      break;
  }
  return {};
}

}  // namespace

bool sold_amount(const Scenario& scenario, const PoolSpec& pool, const std::string& place,
                 const Amount& wanted, Findings& findings) {
  const ProviderParameters& p = scenario.parameters;
  const MilliRu amount = wanted.mru_per_s;
  if (amount < 1 || amount > (wanted.is_units ? 2 : 1) * kMaxThroughput) {
    findings.add(place, "throughput is out of range, expected above 0 and at most 1000000000 RU/s");
    return false;
  }
  const std::string got = ", got " + format_throughput(amount);
  const MinimumBasis basis{pool.throughput.mode,
                           stored_at_start(scenario, pool),
                           wanted.highest_mru_per_s,
                           pool.is_database,
                           static_cast<std::uint32_t>(pool.containers.size()),
                           !pool.fixed && !pool.is_database};
  const Minimum least = minimum_of(p, basis);
  if (amount < least.mru_per_s) {
    findings.add(
        place,
        "throughput is too low, expected at least " + format_throughput(least.mru_per_s) + got,
        reason_of(least, basis));
    return false;
  }
  const bool is_autoscale = pool.throughput.mode == CapacityMode::autoscale;
  const MilliRu step = is_autoscale ? p.mru_step_autoscale : p.mru_step_manual;
  if (step > 0 && amount % step != 0) {
    findings.add(place, "throughput is between two steps, expected a multiple of " +
                            format_throughput(step) + got);
  }
  return true;
}

bool sold_units(const Scenario& scenario, const CapacityUnits& units, const std::string& place,
                const std::string& expected, Findings& findings) {
  if (!units_apart(scenario.parameters)) {
    findings.add(place, "capacity units are sold by dynamodb only, expected " + expected);
    return false;
  }
  if (units.read_per_s < kMilliPerRu || units.write_per_s < kMilliPerRu) {
    findings.add(place, "capacity units are out of range, expected at least 1 of each");
    return false;
  }
  return true;
}

bool allowed_count(std::uint64_t count, const std::string& place, Findings& findings) {
  if (count < 1 || count > kMaxPartitions) {
    findings.add(place,
                 "partitions are out of range, expected 1 to 10000, got " + std::to_string(count));
    return false;
  }
  return true;
}

void allowed_share(const ProviderParameters& p, const Share& total, std::uint64_t count,
                   const std::string& place, Findings& findings) {
  const auto within = [&](MilliRu amount, MilliRu most, const std::string& what) {
    if (divided_up(amount, static_cast<std::int64_t>(count)) > most) {
      findings.add(
          place,
          "too much for a partition, expected at most " + format_throughput(most) + " each, got " +
              format_throughput(amount) + " over " + std::to_string(count),
          what + " needs at least " + std::to_string(divided_up(amount, most)) + " partitions");
    }
  };
  if (!units_apart(p)) {
    within(total.total_mru_per_s, p.partition_max_mru_per_s, "this throughput");
  } else {
    within(total.total_mru_per_s, p.partition_max_read_units_per_s, "this many read units");
    within(total.write_mru_per_s, p.partition_max_write_units_per_s, "this many write units");
  }
}

void check_pools(const Scenario& scenario, Findings& findings) {
  check_sharing(scenario, findings);
  for (const PoolSpec& pool : pools_of(scenario)) {
    if (!pool.is_database || scenario.database) {
      PoolCheck(scenario, pool, findings).check();
    }
  }
}

}  // namespace partsim::checks
