// Throughput that is set, redistributed or adapted: sections 10 and 13 of docs/MODEL.md.
#include <algorithm>

#include "support/naive_parts.hpp"

namespace partsim::naive {

using Why = Change::Why;

MilliRu Model::minimum(std::size_t pool) const {
  const Pool& its = pools[pool];
  const bool autoscale = its.bought.mode == CapacityMode::autoscale;
  const auto extra = std::max<std::int64_t>(
      0, its.shared ? std::int64_t(its.containers.size()) - rules.shared_db_max_containers : 0);
  Wide bytes = 0;
  for (const std::uint32_t id : alive(pool)) {
    bytes += partitions[id].storage_bytes;
  }
  const auto most = [&](MilliRu least, MilliRu more, MilliRu per_gb, std::int64_t divisor) {
    return std::max({least + extra * more, MilliRu(bytes * per_gb / kGigabyte),
                     divisor == 0 ? 0 : its.highest_mru / divisor});
  };
  if (!autoscale) {
    return most(rules.min_mru_manual, 100 * kMilliPerRu, rules.min_mru_per_gb_manual,
                rules.min_mru_high_water_divisor_manual);
  }
  const MilliRu step = rules.mru_step_autoscale;
  const MilliRu exact =
      most(rules.min_mru_autoscale_max, 1'000 * kMilliPerRu, rules.min_mru_per_gb_autoscale,
           rules.min_mru_high_water_divisor_autoscale);
  return (exact + step - 1) / step * step;
}

void Model::set_throughput(std::size_t pool, MilliRu total_mru, LayoutCause cause) {
  Pool& its = pools[pool];
  const bool is_request = cause == LayoutCause::throughput;  // not autoscale, following storage
  if (its.scaling || in_progress(pool, {Why::redistribution}) > 0) {
    return refuse(cause, pool, "423");
  }
  if (is_request && total_mru < minimum(pool)) {
    return refuse(cause, pool, "below the minimum");
  }
  if (std::erase_if(changes, [&](const Change& change) {
        return change.pool == pool && change.why == Why::merge;
      }) > 0) {
    refuse(LayoutCause::request, pool, "the merge was cancelled");
  }
  const auto n =
      std::int64_t(alive(pool).size()) + in_progress(pool, {Why::storage, Why::left_over});
  const MilliRu each = rules.growth_partition_mru;
  if (total_mru <= n * each) {
    return scale_done(pool, total_mru, cause);
  }
  its.scaling = Pool::Scaling{total_mru, (total_mru + each - 1) / each, 0, 0, now, cause};
  while (n << its.scaling->rounds < its.scaling->partitions) {
    ++its.scaling->rounds;
  }
  if (rules.growth_splits_all) {
    its.scaling->partitions = n << its.scaling->rounds;
  }
  scale_on(pool);
}

/// Begins the next round, unless one is in progress or the pool has what it needs.
void Model::scale_on(std::size_t pool) {
  Pool::Scaling& scaling = *pools[pool].scaling;
  std::vector<std::uint32_t> ids = alive(pool);
  const auto n = std::int64_t(ids.size());
  if (n >= scaling.partitions) {
    return scale_done(pool, scaling.total_mru, scaling.cause);
  }
  if (in_progress(pool, {Why::round}) > 0) {
    return;
  }
  std::stable_sort(ids.begin(), ids.end(), [&](std::uint32_t a, std::uint32_t b) {
    const bool wider = partitions[a].width_q32 > partitions[b].width_q32;
    const bool fuller = partitions[a].storage_bytes > partitions[b].storage_bytes;
    return (rules.split_order == SplitOrder::widest && wider) ||
           (rules.split_order == SplitOrder::fullest && fuller);
  });
  const std::int64_t others = in_progress(pool, {Why::storage, Why::left_over});
  std::int64_t missing = scaling.partitions - n - others;
  const Nanoseconds end =
      up(scaling.begin_ns + (scaling.round + 1) * rules.split_duration_ns / scaling.rounds);
  bool began = false;
  for (const std::uint32_t id : ids) {
    if (missing > 0 &&
        begin_split(id, {Why::round, pool, {id}, {}, end}, rules.split_cut_throughput)) {
      missing -= 1;
      began = true;
    }
  }
  scaling.round += began ? 1 : 0;
  if (!began && others == 0) {
    scale_done(pool, scaling.total_mru, scaling.cause);
  }
}

void Model::scale_done(std::size_t pool, MilliRu total_mru, LayoutCause cause) {
  const LayoutEvent before = event(LayoutEventKind::scale, cause, pool, alive(pool));
  pools[pool].scaling.reset();
  for (Change& change : changes) {
    const bool left_over = change.pool == pool && change.why == Why::round;
    change.why = left_over ? Why::left_over : change.why;
  }
  set_total(pool, total_mru);
  log(before, pool, alive(pool));
}

void Model::redistribute(std::size_t pool, const std::vector<Redistribute::Target>& targets) {
  const std::vector<std::uint32_t> ids = alive(pool);
  const MilliRu most = rules.partition_max_mru_per_s;
  bool allowed = !pools[pool].scaling && in_progress(pool, {Why::redistribution, Why::merge}) == 0;
  std::map<std::uint32_t, MilliRu> shares;
  for (const std::uint32_t id : ids) {
    shares[id] = sum(partitions[id].share);
  }
  for (const auto& [id, target_mru] : targets) {
    allowed = allowed && shares.contains(id) && !is_changing(id) && target_mru <= 2 * most;
    shares[id] = std::min(target_mru, most);
  }
  MilliRu total = 0;
  for (const auto& [id, share] : shares) {
    total += share;
  }
  if (!allowed || (!targets.empty() && total < minimum(pool))) {
    return refuse(LayoutCause::throughput, pool, "redistribute");
  }
  const LayoutEvent before =
      event(LayoutEventKind::redistribute, LayoutCause::throughput, pool, ids);
  pools[pool].custom = !targets.empty();
  for (const auto& [id, share] : shares) {
    partitions[id].share = {share, 0};
  }
  targets.empty() ? share_out(pool) : weigh_by_share(pool);
  for (const auto& [id, target_mru] : targets) {
    if (target_mru > most) {
      begin_split(
          id, {Why::redistribution, pool, {id}, {}, up(now + rules.split_duration_ns), target_mru},
          rules.split_cut_throughput);
    }
  }
  log(before, pool, ids);
}

void Model::adapt(std::size_t pool) {  // section 13
  const std::vector<std::uint32_t> ids = alive(pool);
  for (std::size_t kind = 0; kind < 2 && units_apart && rules.adaptive_capacity; ++kind) {
    const MilliRu limit =
        kind == 0 ? rules.partition_max_read_units_per_s : rules.partition_max_write_units_per_s;
    const MilliRu total = pools[pool].total.at(kind);
    std::map<std::uint32_t, MilliRu> need;
    std::map<std::uint32_t, MilliRu> met;
    MilliRu needs = 0;
    MilliRu all_met = 0;
    for (const std::uint32_t id : ids) {
      need[id] = std::min(limit, partitions[id].asked.at(kind) / (period / kSecond));
      met[id] = std::min(need[id], even_share(pool, id).at(kind));
      needs += need[id];
      all_met += met[id];
      partitions[id].asked.at(kind) = 0;
    }
    for (const std::uint32_t id : ids) {
      const Wide unmet = Wide(total - all_met) * (need[id] - met[id]);
      partitions[id].share.at(kind) =
          needs <= total ? std::min(limit, need[id] + (total - needs) / MilliRu(ids.size()))
                         : met[id] + MilliRu(unmet / std::max<MilliRu>(1, needs - all_met));
    }
  }
}

}  // namespace partsim::naive
