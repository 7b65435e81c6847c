// What is granted and what was bought, over random timelines: no budget is overdrawn by more than
// the model allows, and the shares of a pool add up to its total.
#include <algorithm>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "run_log.hpp"
#include "support/catch.hpp"
#include "support/grant_bound.hpp"
#include "support/random_timelines.hpp"
#include "support/share_history.hpp"

using namespace partsim;

namespace {

__extension__ using Wide = __int128;

/// The log of each partition, in the order in which it saw its attempts. Requests of one fan-out
/// may meet again in the child of a merge: the cheapest first, as that leaves most for the others.
std::vector<std::vector<AttemptRecord>> by_partition(const RunLog& log) {
  std::vector<std::vector<AttemptRecord>> partitions(log.result.partitions.size());
  for (const AttemptRecord& record : log.attempts) {
    if (record.outcome == AttemptOutcome::admitted) {
      partitions[record.partition].push_back(record);
    }
  }
  for (auto& records : partitions) {
    std::sort(records.begin(), records.end(), [](const auto& a, const auto& b) {
      return std::tie(a.time_ns, a.operation, a.client, a.charge_mru) <
             std::tie(b.time_ns, b.operation, b.client, b.charge_mru);
    });
  }
  return partitions;
}

/// The first partition of the same pool, whose even share was never exceeded by a later one.
std::uint32_t eldest_of(const RunResult& result, const PartitionResult& partition) {
  return std::find_if(
             result.partitions.begin(), result.partitions.end(),
             [&](const PartitionResult& other) { return other.container == partition.container; })
      ->id;
}

/// Budgets of one partition: one a region, two where reads and writes are bought apart.
class PartitionBounds {
 public:
  PartitionBounds(const Scenario& scenario, const ShareHistory& history, const RunResult& result,
                  const PartitionResult& partition)
      : kinds_(scenario.parameters.read_unit_bytes > 0 ? 2 : 1) {
    const ProviderParameters& p = scenario.parameters;
    const std::uint32_t id = partition.id;
    const std::uint32_t eldest = eldest_of(result, partition);
    for (std::size_t i = 0; i < kinds_ * scenario.regions.size(); ++i) {
      const bool writes = i % kinds_ == 1;
      const MilliRu limit =
          writes ? p.partition_max_write_units_per_s : p.partition_max_read_units_per_s;
      const auto share_at = [&history, writes](std::uint32_t of, Nanoseconds t) {
        const Share share = history.at(of, t);
        return writes ? share.write_mru_per_s : share.total_mru_per_s;
      };
      // Capacity that is lent: at most the limit, and a store of at most the first even share.
      const auto shares_at = [=, lends = p.adaptive_capacity](Nanoseconds t) {
        const MilliRu even = share_at(eldest, 0);
        return lends ? std::pair(std::max(limit, even), even)
                     : std::pair(share_at(id, t), share_at(id, t));
      };
      bounds_.emplace_back(scenario, shares_at, kinds_ == 2 ? limit : p.burst_max_mru_per_s,
                           partition.born_ns);
    }
  }

  /// Whether the region that is asked may grant it; a write is then paid in all of them.
  [[nodiscard]] bool grant(const AttemptRecord& record, std::size_t region, bool is_write) {
    const std::size_t kind = kinds_ == 2 && is_write ? 1 : 0;
    const bool allowed = bounds_[region * kinds_ + kind].allows(record.time_ns, record.charge_mru);
    for (std::size_t i = kind; i < bounds_.size(); i += kinds_) {
      if (is_write || i / kinds_ == region) {
        bounds_[i].pay(record.time_ns, record.charge_mru);
      }
    }
    return allowed;
  }

 private:
  std::size_t kinds_;
  std::vector<GrantBound> bounds_;
};

std::string grants_complaint(const Scenario& scenario, const RunLog& log, std::size_t& grants) {
  const Operations operations(scenario);
  const ShareHistory history = share_history(scenario, log.result);
  const auto attempts = by_partition(log);
  for (const PartitionResult& partition : log.result.partitions) {
    PartitionBounds bounds(scenario, history, log.result, partition);
    for (const AttemptRecord& record : attempts[partition.id]) {
      const bool is_write = operations.is_write(record);
      const bool moves = is_write && !scenario.multi_region_writes;
      const std::size_t region = moves ? 0 : scenario.clients[record.client].region;
      ++grants;
      if (!bounds.grant(record, region, is_write)) {
        return "more is granted than there can be: " + text_of(record) + '\n';
      }
    }
  }
  return {};
}

/// A random scenario with units bought apart, in which capacity is lent and nothing is saved.
Scenario lending(std::uint64_t seed) {
  Scenario scenario;
  for (seed = mix64(seed); scenario.parameters.read_unit_bytes == 0; ++seed) {
    scenario = random_life_scenario(seed);
  }
  ProviderParameters& p = scenario.parameters;
  p.adaptive_capacity = true;
  p.burst_enabled = false;
  p.throttle_window_ns = std::max(p.throttle_window_ns, kSecond);
  if (p.throttle_model == ThrottleModel::token_bucket) {
    p.throttle_model = ThrottleModel::window_debt;
  }
  scenario.regions.resize(1);
  for (ClientSpec& client : scenario.clients) {
    client.region = 0;
  }
  return scenario;
}

/// Where capacity is lent and nothing saved, a pool grants in a window what was bought for it and
/// one overdraft of each partition.
std::string lent_complaint(const Scenario& scenario, const RunLog& log, int& windows_full) {
  const Operations operations(scenario);
  const Nanoseconds window = scenario.parameters.throttle_window_ns;
  for (const PoolSpec& pool : pools_of(scenario)) {
    std::map<std::pair<Nanoseconds, bool>, std::map<std::uint32_t, std::pair<Wide, MilliRu>>> paid;
    for (const AttemptRecord& record : log.attempts) {
      if (record.outcome == AttemptOutcome::admitted &&
          log.result.partitions[record.partition].container == pool.name) {
        auto& [sum, largest] =
            paid[{record.time_ns / window, operations.is_write(record)}][record.partition];
        sum += record.charge_mru;
        largest = std::max(largest, record.charge_mru);
      }
    }
    for (const auto& [which, partitions] : paid) {
      const CapacityUnits& units = *pool.throughput.units;
      const Wide bought = Wide{which.second ? units.write_per_s : units.read_per_s} * window;
      Wide granted = 0;
      Wide overdrafts = 0;
      for (const auto& [id, grants] : partitions) {
        granted += grants.first * kSecond;
        overdrafts += Wide{grants.second} * kSecond;
      }
      windows_full += granted >= bought / 2 ? 1 : 0;
      if (granted > bought + overdrafts) {
        return "pool " + pool.name + " grants more than was bought in window " +
               std::to_string(which.first) + '\n';
      }
    }
  }
  return {};
}

}  // namespace

TEST_CASE("No partition of any timeline grants more than its shares, its stores and one overdraft",
          "[property]") {
  std::size_t grants = 0;
  for_all_timelines(random_life_scenario, [&](const Scenario& scenario) {
    return grants_complaint(scenario, run_logged(scenario), grants);
  });
  CHECK(grants > 50'000);
}

TEST_CASE("Partitions that lend each other capacity grant what was bought and no more",
          "[property]") {
  int windows_full = 0;  // at least by half
  for_all_timelines(lending, [&](const Scenario& scenario) {
    return lent_complaint(scenario, run_logged(scenario), windows_full);
  });
  CHECK(windows_full > 300);
}

TEST_CASE("The shares of a pool are what was bought, or short of it for a reason with a name",
          "[property]") {
  ShareHistory seen;
  for_all_timelines(random_life_scenario, [&](const Scenario& scenario) {
    const RunResult result = run_logged(scenario).result;
    const ShareHistory history = share_history(scenario, result);
    std::string complaint = history.complaint;
    for (const PartitionResult& partition : result.partitions) {
      const Share last = history.shares.at(partition.id).back().second;
      if (partition.share_mru_per_s != last.total_mru_per_s + last.write_mru_per_s ||
          partition.write_share_mru_per_s != last.write_mru_per_s) {
        complaint += "partition " + std::to_string(partition.id) + " ends with another share\n";
      }
    }
    seen.changes += history.changes;
    seen.capped += history.capped;
    seen.rounded += history.rounded;
    seen.split_targets += history.split_targets;
    return complaint;
  });
  CAPTURE(seen.changes, seen.capped, seen.rounded, seen.split_targets);
  // About a third of what is seen.
  CHECK(seen.changes > 400);
  CHECK(seen.capped > 0);
  CHECK(seen.rounded > 1);
  CHECK(seen.split_targets > 10);
}
