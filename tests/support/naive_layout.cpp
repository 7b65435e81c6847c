// Pools, partitions, splits and merges: sections 4 and 10 of docs/MODEL.md.
#include <algorithm>

#include "support/naive_parts.hpp"

namespace partsim::naive {
namespace {

using Why = Change::Why;

Units halves(const Units& units, bool lower) {
  return {(units[0] + (lower ? 1 : 0)) / 2, (units[1] + (lower ? 1 : 0)) / 2};
}

}  // namespace

void Model::create_pool(Pool pool) {
  const std::size_t index = pools.size();
  const ContainerSpec& first = *pool.containers.front();
  const ThroughputSpec& bought = pool.bought;
  const bool autoscale = bought.mode == CapacityMode::autoscale || pool.shared;
  Wide asked = bought.mru_per_s;
  Wide each =
      autoscale ? rules.initial_partition_mru_autoscale : rules.initial_partition_mru_manual;
  pool.total = {bought.mru_per_s, 0};
  if (units_apart) {
    const CapacityUnits units = bought.units.value_or(CapacityUnits{bought.mru_per_s, 0});
    pool.total = {units.read_per_s, units.write_per_s};
    asked = Wide(units.read_per_s) * rules.partition_max_write_units_per_s +
            Wide(units.write_per_s) * rules.partition_max_read_units_per_s;
    each = Wide(rules.partition_max_read_units_per_s) * rules.partition_max_write_units_per_s;
  }
  Bytes stored = 0;
  for (const ContainerSpec* container : pool.containers) {
    stored += container->initial_storage_bytes;
  }
  const Bytes most = rules.split_storage_threshold_bytes;
  const Wide by_rule = bought.mode == CapacityMode::serverless ? 1 : (asked + each - 1) / each;
  Wide n = bought.partitions.value_or(
      std::uint32_t(std::max<Wide>(by_rule, (stored + most - 1) / most)));
  pools.push_back(pool);
  n = is_fixed(index) ? 1 : n;
  for (const HashRange& range : initial_ranges(first.hash, std::uint32_t(n))) {
    add_partition(index, range, {});
  }
  share_out(index);
  for (const ContainerSpec* container : pool.containers) {
    load(index, *container);
  }
}

std::size_t Model::pool_of(const ContainerSpec& container) const {
  std::size_t index = 0;
  const auto has = [&](const Pool& pool) {
    return std::count(pool.containers.begin(), pool.containers.end(), &container) > 0;
  };
  while (!has(pools[index])) {
    ++index;
  }
  return index;
}

bool Model::is_fixed(std::size_t pool) const {
  return !pools[pool].shared && pools[pool].containers.front()->fixed;
}

std::vector<std::uint32_t> Model::alive(std::size_t pool) const {
  std::vector<std::uint32_t> ids;
  for (const Partition& partition : partitions) {
    if (partition.pool == pool && partition.alive()) {
      ids.push_back(partition.id);
    }
  }
  return ids;
}

std::vector<std::uint32_t> Model::by_range(std::size_t pool) const {
  std::vector<std::uint32_t> ids = alive(pool);
  std::sort(ids.begin(), ids.end(), [&](std::uint32_t a, std::uint32_t b) {
    return partitions[a].range.min < partitions[b].range.min;
  });
  return ids;
}

std::int64_t Model::in_progress(std::size_t pool, std::set<Why> why) const {
  return std::count_if(changes.begin(), changes.end(), [&](const Change& change) {
    return change.pool == pool && why.contains(change.why);
  });
}

bool Model::is_changing(std::uint32_t partition) const {
  return std::any_of(changes.begin(), changes.end(), [&](const Change& change) {
    return std::count(change.going.begin(), change.going.end(), partition) > 0;
  });
}

Partition& Model::add_partition(std::size_t pool, const HashRange& range,
                                const std::vector<std::uint32_t>& parents) {
  const HashVersion hash = pools[pool].containers.front()->hash;
  Partition& added = partitions.emplace_back();
  added.id = std::uint32_t(partitions.size() - 1);
  added.pool = pool;
  added.container = pools[pool].shared ? "database" : pools[pool].containers.front()->name;
  added.range = range;
  added.min_epk = boundary_hex(hash, range.min);
  added.max_epk = range.open_ended ? "FF" : boundary_hex(hash, range.max);
  added.width_q32 = std::int64_t(range_width_q32(hash, range));
  added.born_ns = now;
  for (const std::uint32_t parent : parents) {
    added.parent = added.parent.value_or(parent);
    partitions[parent].retired_ns = now;
    partitions[parent].heirs.push_back(added.id);
  }
  return added;
}

Units Model::even_share(std::size_t pool, std::uint32_t partition) const {
  const std::vector<std::uint32_t> ids = alive(pool);
  const auto n = MilliRu(ids.size());
  const MilliRu index = std::find(ids.begin(), ids.end(), partition) - ids.begin();
  const auto [read, write] = pools[pool].total;
  return {read / n + (index < read % n ? 1 : 0), write / n + (index < write % n ? 1 : 0)};
}

/// The shares that follow from the total and the policy.
void Model::share_out(std::size_t pool) {
  Pool& its = pools[pool];
  const std::vector<std::uint32_t> ids = alive(pool);
  if (its.bought.mode == CapacityMode::serverless) {
    its.total = {rules.serverless_mru_per_partition * MilliRu(ids.size()), 0};
  }
  its.highest_mru = std::max(its.highest_mru, sum(its.total));
  Wide weights = 0;
  for (const std::uint32_t id : ids) {
    weights += partitions[id].weight;
  }
  for (const std::uint32_t id : ids) {
    partitions[id].share = even_share(pool, id);
    for (std::size_t kind = 0; its.custom && kind < 2; ++kind) {
      const Wide part =
          Wide(partitions[id].weight) * its.total.at(kind) / std::max<Wide>(1, weights);
      partitions[id].share.at(kind) = std::min(MilliRu(part), rules.partition_max_mru_per_s);
    }
  }
}

/// A custom pool's weights and total follow from the shares.
void Model::weigh_by_share(std::size_t pool) {
  pools[pool].total = {};
  for (const std::uint32_t id : alive(pool)) {
    partitions[id].weight = sum(partitions[id].share);
    pools[pool].total[0] += partitions[id].weight;
  }
  pools[pool].highest_mru = std::max(pools[pool].highest_mru, pools[pool].total[0]);
}

/// Reads and writes bought apart keep their proportion.
void Model::set_total(std::size_t pool, MilliRu total_mru) {
  Units& total = pools[pool].total;
  const MilliRu before = sum(total);
  const auto read = units_apart ? MilliRu(Wide(total[0]) * total_mru / before) : total_mru;
  total = {read, total_mru - read};
  share_out(pool);
}

void Model::control() {  // section 10
  for (auto it = changes.begin(); it != changes.end();) {
    if (it->end_ns > now) {
      ++it;
      continue;
    }
    const Change ended = *it;
    changes.erase(it);
    end_change(ended);
    it = changes.begin();
  }
  for (const TimelineEntry& entry : scenario.timeline) {
    const std::size_t pool = pool_of(scenario.containers.at(entry.container));
    if (up(entry.at_ns) != now) {
      continue;
    }
    if (const auto* target = std::get_if<SetThroughput>(&entry.action)) {
      set_throughput(pool, target->mru_per_s, LayoutCause::throughput);
    } else if (const auto* change = std::get_if<Redistribute>(&entry.action)) {
      redistribute(pool, change->targets);
    } else {
      begin_merge(pool);
    }
  }
  for (std::size_t pool = 0; pool < pools.size() && now > 0 && now % period == 0; ++pool) {
    adapt(pool);
  }
  for (std::size_t pool = 0; pool < pools.size() && now % period == 0; ++pool) {
    check_storage(pool);
  }
}

bool Model::begin_split(std::uint32_t partition, Change change, SplitCut cut_by) {
  const std::optional<HashPoint> at = cut(partitions[partition], cut_by);
  if (!at || is_changing(partition)) {
    return false;
  }
  change.cut = *at;
  changes.push_back(change);
  return true;
}

void Model::begin_merge(std::size_t pool) {
  const std::vector<std::uint32_t> ids = by_range(pool);
  Change merge{Why::merge, pool, {}, {}, up(now + rules.merge_duration_ns)};
  const auto small = [&](const Partition& partition) {
    return sum(partition.share) < rules.merge_max_partition_mru_per_s &&
           partition.storage_bytes < rules.merge_max_partition_bytes;
  };
  for (std::size_t i = 0; i + 1 < ids.size(); ++i) {
    const Partition& a = partitions[ids[i]];
    const Partition& b = partitions[ids[i + 1]];
    if (small(a) && small(b) && sum(a.share) + sum(b.share) <= rules.partition_max_mru_per_s &&
        a.storage_bytes + b.storage_bytes <= rules.split_storage_threshold_bytes) {
      merge.going.insert(merge.going.end(), {ids[i], ids[i + 1]});
      ++i;
    }
  }
  const bool busy =
      pools[pool].scaling || std::any_of(changes.begin(), changes.end(),
                                         [&](const Change& change) { return change.pool == pool; });
  if (!rules.merge_enabled || busy || merge.going.empty()) {
    return refuse(LayoutCause::request, pool, "merge");
  }
  changes.push_back(merge);
}

void Model::end_change(const Change& change) {
  if (change.why == Why::merge) {
    return end_merge(change);
  }
  end_split(change);
  const bool round_ended = in_progress(change.pool, {Why::round}) == 0;
  if (pools[change.pool].scaling && (change.why != Why::round || round_ended)) {
    scale_on(change.pool);
  }
}

void Model::end_split(const Change& change) {
  const std::uint32_t parent = change.going.front();
  const LayoutEvent before =
      event(LayoutEventKind::split,
            change.why == Why::storage ? LayoutCause::storage : LayoutCause::throughput,
            change.pool, {parent});
  const Partition old = partitions[parent];
  const Bytes old_lower = old_below(old, change.cut);
  for (const bool lower : {true, false}) {
    Partition& child =
        add_partition(change.pool,
                      lower ? HashRange{old.range.min, change.cut, false}
                            : HashRange{change.cut, old.range.max, old.range.open_ended},
                      {parent});
    const bool targeted = change.why == Why::redistribution;
    child.share = halves(targeted ? Units{change.target_mru, 0} : old.share, lower);
    child.weight = halves({old.weight, 0}, lower)[0];
    child.old_bytes = lower ? old_lower : old.old_bytes - old_lower;
    child.storage_bytes = child.old_bytes;
    for (const auto& [name, key] : keys) {
      const bool here = pool_of(*name.first) == change.pool && child.range.contains(key.point);
      child.storage_bytes += here ? key.bytes : 0;
    }
  }
  Pool& pool = pools[change.pool];
  const bool even = rules.throughput_distribution == ThroughputDistribution::even;
  if (change.why == Why::redistribution) {
    weigh_by_share(change.pool);
  } else if (pool.bought.mode == CapacityMode::serverless ||
             (change.why == Why::storage && even && !pool.custom)) {
    share_out(change.pool);
  }
  log(before, change.pool, partitions[parent].heirs);
}

void Model::end_merge(const Change& change) {
  for (std::size_t i = 0; i < change.going.size(); i += 2) {
    const std::vector<std::uint32_t> pair = {change.going[i], change.going[i + 1]};
    const LayoutEvent before =
        event(LayoutEventKind::merge, LayoutCause::request, change.pool, pair);
    const HashRange& high = partitions[pair[1]].range;
    Partition& merged = add_partition(
        change.pool, {partitions[pair[0]].range.min, high.max, high.open_ended}, pair);
    for (const std::uint32_t id : pair) {
      merged.share[0] += partitions[id].share[0];
      merged.share[1] += partitions[id].share[1];
      merged.weight += partitions[id].weight;
      merged.old_bytes += partitions[id].old_bytes;
      merged.storage_bytes += partitions[id].storage_bytes;
    }
    log(before, change.pool, {merged.id});
  }
}

LayoutEvent Model::event(LayoutEventKind kind, LayoutCause cause, std::size_t pool,
                         const std::vector<std::uint32_t>& before) const {
  LayoutEvent event;
  event.at_ns = now;
  event.kind = kind;
  event.cause = cause;
  event.container = pools[pool].shared ? "database" : pools[pool].containers.front()->name;
  event.total_before_mru = event.total_after_mru = sum(pools[pool].total);
  for (const std::uint32_t id : before) {
    const Partition& p = partitions[id];
    event.before.push_back({id, p.width_q32, sum(p.share), p.storage_bytes});
  }
  return event;
}

void Model::log(LayoutEvent event, std::size_t pool, const std::vector<std::uint32_t>& after) {
  event.total_after_mru = sum(pools[pool].total);
  for (const std::uint32_t id : after) {
    const Partition& p = partitions[id];
    event.after.push_back({id, p.width_q32, sum(p.share), p.storage_bytes});
  }
  result.layout_events.push_back(std::move(event));
}

void Model::refuse(LayoutCause cause, std::size_t pool, const std::string& reason) {
  LayoutEvent refused = event(LayoutEventKind::refused, cause, pool, {});
  refused.reason = reason;
  log(refused, pool, {});
}

}  // namespace partsim::naive
