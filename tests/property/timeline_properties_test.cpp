// Identities of layouts that change, over random timelines, checked from the engine's result and
// its log of attempts: nothing of the key space or of the stored bytes is lost or doubled.
#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <string>
#include <vector>

#include "partsim/scenario/charges.hpp"
#include "partsim/scenario/pools.hpp"

#include "run_log.hpp"
#include "support/catch.hpp"
#include "support/random_timelines.hpp"

using namespace partsim;

namespace {

constexpr std::int64_t kWhole = std::int64_t{1} << 32U;

/// Small scenarios all of whose data may change places; some of whose items expire.
Scenario with_ttl(std::uint64_t seed) {
  Scenario scenario = random_life_scenario(seed);
  Dice dice(seed);
  for (ContainerSpec& container : scenario.containers) {
    container.ttl_ns = dice.pick<Nanoseconds>({200, 500, 1'000, 2'000}) * kMillisecond;
  }
  return scenario;
}

// ---- the key space -----------------------------------------------------------------------------

/// From the bottom to the top, each range beginning where the one below it ends.
std::string tiling_complaint(const std::vector<const PartitionResult*>& alive) {
  std::map<std::string, const PartitionResult*> by_bottom;
  std::int64_t width = 0;
  for (const PartitionResult* partition : alive) {
    by_bottom[partition->min_epk] = partition;
    width += partition->width_q32;
  }
  std::string edge;
  for (std::size_t i = 0; i < alive.size(); ++i) {
    const auto next = by_bottom.find(edge);
    if (next == by_bottom.end()) {
      return "nobody owns what is above " + edge + '\n';
    }
    if (next->second->max_epk <= edge) {
      return "a range ends before it begins, at " + edge + '\n';
    }
    edge = next->second->max_epk;
  }
  if (edge != "FF") {
    return "nobody owns the top, above " + edge + '\n';
  }
  return width == kWhole ? "" : "the widths add up to " + std::to_string(width) + '\n';
}

/// At the start and after every birth and every death.
std::string key_space_complaint(const RunResult& result) {
  std::map<std::string, std::set<Nanoseconds>> instants;
  for (const PartitionResult& partition : result.partitions) {
    instants[partition.container].insert({0, partition.born_ns, partition.retired_ns.value_or(0)});
  }
  for (const auto& [pool, times] : instants) {
    for (const Nanoseconds t : times) {
      std::vector<const PartitionResult*> alive;
      for (const PartitionResult& partition : result.partitions) {
        if (partition.container == pool && partition.born_ns <= t &&
            partition.retired_ns.value_or(kNever) > t) {
          alive.push_back(&partition);
        }
      }
      const std::string complaint = tiling_complaint(alive);
      if (!complaint.empty()) {
        return std::string("pool ")
            .append(pool)
            .append(" at ")
            .append(std::to_string(t))
            .append(": ")
            .append(complaint);
      }
    }
  }
  return {};
}

bool moves_data(const LayoutEvent& event) {
  return event.kind == LayoutEventKind::split || event.kind == LayoutEventKind::merge;
}

/// What the events say of who came and who went is what the partitions say of themselves.
std::string events_complaint(const RunResult& result) {
  std::map<std::uint32_t, Nanoseconds> born;
  std::map<std::uint32_t, Nanoseconds> retired;
  for (const PartitionResult& partition : result.partitions) {
    if (!partition.parent) {
      born[partition.id] = 0;
    }
  }
  for (const LayoutEvent& event : result.layout_events) {
    std::int64_t width = 0;
    for (const LayoutEvent::Slice& slice : event.before) {
      width -= slice.width_q32;
      if (moves_data(event)) {
        retired[slice.partition] = event.at_ns;
      }
    }
    for (const LayoutEvent::Slice& slice : event.after) {
      width += slice.width_q32;
      if (moves_data(event)) {
        born[slice.partition] = event.at_ns;
      }
    }
    if (width != 0 && event.kind != LayoutEventKind::refused) {
      return "an event changes the width of the key space\n";
    }
  }
  for (const PartitionResult& partition : result.partitions) {
    const auto end = retired.find(partition.id);
    const Nanoseconds last = end == retired.end() ? kNever : end->second;
    if (!born.contains(partition.id) || born[partition.id] != partition.born_ns ||
        last != partition.retired_ns.value_or(kNever)) {
      return "no event tells of partition " + std::to_string(partition.id) + '\n';
    }
  }
  return {};
}

// ---- stored bytes ------------------------------------------------------------------------------

Bytes sum_of_bytes(const std::vector<LayoutEvent::Slice>& slices) {
  return std::accumulate(slices.begin(), slices.end(), Bytes{0},
                         [](Bytes all, const auto& slice) { return all + slice.storage_bytes; });
}

/// Without a time to live a partition has in the end what it was born with and what was written to
/// it; the first ones of a pool were born with the initial storage.
std::string bytes_complaint(const Scenario& scenario, const RunLog& log) {
  const Operations operations(scenario);
  std::map<std::uint32_t, Bytes> held;
  for (const AttemptRecord& record : log.attempts) {
    held[record.partition] += operations.stored_bytes(record);
  }
  for (const LayoutEvent& event : log.result.layout_events) {
    if (moves_data(event)) {
      if (sum_of_bytes(event.before) != sum_of_bytes(event.after)) {
        return "bytes before and after an event differ\n";
      }
      for (const LayoutEvent::Slice& slice : event.before) {
        if (log.result.partitions[slice.partition].storage_bytes != slice.storage_bytes) {
          return "a partition retires with other bytes than it has\n";
        }
      }
      for (const LayoutEvent::Slice& slice : event.after) {
        held[slice.partition] += slice.storage_bytes;
      }
    }
  }
  std::map<std::string, Bytes> unexplained;  // of a pool: what the first partitions began with
  for (const PartitionResult& partition : log.result.partitions) {
    const Bytes more = partition.storage_bytes - held[partition.id];
    unexplained[partition.container] += more;
    if (partition.parent && more != 0) {
      return "partition " + std::to_string(partition.id) + " has " + std::to_string(more) +
             " bytes too many\n";
    }
  }
  for (const PoolSpec& pool : pools_of(scenario)) {
    for (const std::uint32_t container : pool.containers) {
      unexplained[pool.name] -= scenario.containers[container].initial_storage_bytes;
    }
    if (unexplained[pool.name] != 0) {
      return "pool " + pool.name + " has " + std::to_string(unexplained[pool.name]) +
             " bytes too many\n";
    }
  }
  return {};
}

/// With one: initial storage and what was written, less what left-over RU have paid for deleting.
/// Where a delete is free, no more than was due can be gone.
std::string expiry_complaint(const Scenario& scenario, const RunLog& log, int& deleted) {
  const Operations operations(scenario);
  for (const PoolSpec& pool : pools_of(scenario)) {
    Bytes most = 0;
    Bytes least = 0;
    Bytes stored = 0;
    MilliRu paid = 0;
    for (const std::uint32_t container : pool.containers) {
      most += scenario.containers[container].initial_storage_bytes;
    }
    least = most;
    for (const AttemptRecord& record : log.attempts) {
      if (log.result.partitions[record.partition].container == pool.name) {
        const std::uint32_t container = scenario.clients[record.client].container;
        const Bytes bytes = operations.stored_bytes(record);
        const Nanoseconds due = record.time_ns + *scenario.containers[container].ttl_ns;
        most += bytes;
        least += due >= scenario.duration_ns ? bytes : 0;
      }
    }
    for (const PartitionResult& partition : log.result.partitions) {
      if (partition.container == pool.name) {
        stored += partition.alive() ? partition.storage_bytes : 0;
        paid += partition.ttl_mru;
      }
    }
    const ContainerSpec& container = scenario.containers[pool.containers.front()];
    if (scenario.parameters.read_unit_bytes == 0 && pool.containers.size() == 1) {
      const MilliRu each = Charges(container, scenario.parameters).create();
      const Bytes item = container.item_size_bytes *
                         (kMillion + scenario.parameters.index_storage_overhead_ppm) / kMillion;
      most -= paid / each * item;
      deleted += paid > 0 ? 1 : 0;
      if (stored != most || paid % each != 0) {
        return "pool " + pool.name + " holds " + std::to_string(stored) + " bytes, expected " +
               std::to_string(most) + '\n';
      }
    }
    if (stored > most || stored < least) {
      return "pool " + pool.name + " holds " + std::to_string(stored) + " bytes of " +
             std::to_string(least) + " to " + std::to_string(most) + '\n';
    }
  }
  return {};
}

}  // namespace

TEST_CASE("At every instant the ranges of a pool's partitions tile the key space", "[property]") {
  std::size_t changes = 0;
  for_all_timelines(random_life_scenario, [&](const Scenario& scenario) {
    const RunResult result = run_logged(scenario).result;
    changes += static_cast<std::size_t>(
        std::count_if(result.layout_events.begin(), result.layout_events.end(), moves_data));
    return key_space_complaint(result) + events_complaint(result);
  });
  CHECK(changes > 300);
}

TEST_CASE("No split and no merge of any timeline loses or doubles a byte", "[property]") {
  std::size_t moved = 0;  // events with data to move
  for_all_timelines(random_life_scenario, [&](const Scenario& scenario) {
    const RunLog log = run_logged(scenario);
    for (const LayoutEvent& event : log.result.layout_events) {
      moved += moves_data(event) && sum_of_bytes(event.before) > 0 ? 1U : 0U;
    }
    return bytes_complaint(scenario, log);
  });
  CHECK(moved > 200);
}

TEST_CASE("Stored bytes are those written less those that a time to live has deleted",
          "[property]") {
  int deleted = 0;
  for_all_timelines(with_ttl, [&](const Scenario& scenario) {
    return expiry_complaint(scenario, run_logged(scenario), deleted);
  });
  CHECK(deleted > 50);
}
