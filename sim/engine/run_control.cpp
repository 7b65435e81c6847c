#include <algorithm>
#include <utility>

#include "partsim/core/assert.hpp"

#include "run.hpp"

namespace partsim {
namespace {

__extension__ using Wide = __int128;

}  // namespace

Nanoseconds Run::next_control_ns() const {
  Nanoseconds next = next_adapt_ns_;
  if (next_timeline_ < scenario_.timeline.size()) {
    const Nanoseconds w = scenario_.parameters.throttle_window_ns;
    next = std::min(next, (scenario_.timeline[next_timeline_].at_ns + w - 1) / w * w);
  }
  for (const PoolState& state : pools_) {
    next = std::min(
        {next, state.pool->next_ns(), state.next_storage_check_ns, state.bill->hour_end_ns()});
    for (const PoolPartition& partition : state.pool->partitions()) {
      if (partition.gone_from_ns > now_ns_) {
        next = std::min(next, partition.gone_from_ns);
      }
    }
  }
  return next;
}

/// Everything that changes at this instant, in the order of docs/MODEL.md section 10.
void Run::control() {
  look_before_control();
  for (const std::uint32_t id : alive_) {
    partitions_[id].loop->settle(now_ns_);
  }
  for (PoolState& state : pools_) {
    if (state.bill->hour_end_ns() == now_ns_) {
      close_hour(state, hour_begin_ns_);
    }
  }
  hour_begin_ns_ = pools_.front().bill->hour_end_ns() - kHour;
  finish_due();
  obey_timeline();
  const bool adapts = next_adapt_ns_ == now_ns_;
  if (adapts) {
    for (PoolState& state : pools_) {
      adapt(state);
    }
    next_adapt_ns_ += std::max(kSecond, scenario_.parameters.throttle_window_ns);
  }
  check_storage();
  if (layout_changed_) {
    for (auto& container : containers_) {
      container->router.relayout();
    }
    for (std::uint32_t id = 0; id < partitions_.size(); ++id) {
      if (partitions_[id].retired_ns == now_ns_) {
        move_waiting(id);
      }
    }
    std::sort(alive_.begin(), alive_.end());
  }
  send_after_control(std::exchange(layout_changed_, false));
  const bool lends = adapts && scenario_.parameters.adaptive_capacity;
  for (PoolState& state : pools_) {
    sync_shares(state, !lends);
  }
  for (PoolState& state : pools_) {
    state.bill->note(now_ns_, state.pool->total());
  }
  open_swap_windows();
  plan_storage_checks();
}

/// Splits and merges that end now, over all pools in the order in which they were begun.
void Run::finish_due() {
  for (;;) {
    const auto first = std::min_element(
        pools_.begin(), pools_.end(), [this](const PoolState& a, const PoolState& b) {
          return a.pool->first_due(now_ns_) < b.pool->first_due(now_ns_);
        });
    if (first->pool->first_due(now_ns_) == UINT64_MAX) {
      return;
    }
    first->pool->finish_first_due(now_ns_);
  }
}

void Run::obey_timeline() {
  const Nanoseconds w = scenario_.parameters.throttle_window_ns;
  for (; next_timeline_ < scenario_.timeline.size(); ++next_timeline_) {
    const TimelineEntry& entry = scenario_.timeline[next_timeline_];
    if ((entry.at_ns + w - 1) / w * w > now_ns_) {
      return;
    }
    Pool& pool = *pools_[pool_of_container_[entry.container]].pool;
    if (const auto* scale = std::get_if<SetThroughput>(&entry.action)) {
      pool.set_throughput(now_ns_, entry.at_ns,
                          bought_total(scenario_, pool.spec(), scale->mru_per_s, scale->units));
    } else if (const auto* redistribution = std::get_if<Redistribute>(&entry.action)) {
      pool.redistribute(now_ns_, entry.at_ns, *redistribution);
    } else {
      pool.merge(now_ns_, entry.at_ns);
    }
  }
}

void Run::open_swap_windows() {
  for (PoolState& state : pools_) {
    for (const PoolPartition& in_pool : state.pool->partitions()) {
      PartitionState& partition = partitions_[in_pool.id];
      if (in_pool.gone_from_ns <= now_ns_ && !partition.swapping) {
        partition.swapping = true;
        partition.loop->open_swap_window();
      }
    }
  }
}

/// Takes over the shares of a pool; budgets that adaptive capacity has just set keep theirs.
void Run::sync_shares(PoolState& state, bool to_budgets) {
  for (const auto& [id, even] : state.pool->even()) {
    PartitionState& partition = partitions_[id];
    const Share& share = state.pool->find(id)->share;
    const Share& store = scenario_.parameters.adaptive_capacity ? even : share;
    const bool changed = partition.share != share || partition.store != store;
    if (partition.share != share) {
      partition.shares.emplace_back(now_ns_, share.total_mru_per_s + share.write_mru_per_s);
    }
    partition.share = share;
    partition.store = store;
    if (changed && to_budgets) {
      partition.loop->set_share(now_ns_, share, store);
    }
  }
}

// ---- storage -----------------------------------------------------------------------------------

void Run::check_storage() {
  const Nanoseconds period = std::max(kSecond, scenario_.parameters.throttle_window_ns);
  for (PoolState& state : pools_) {
    // a control point has come about for another reason, and may have changed what is stored where
    if (!state.tracks_storage || now_ns_ % period != 0) {
      continue;
    }
    state.pool->check_storage(now_ns_);
    for (const PoolPartition& in_pool : state.pool->partitions()) {
      partitions_[in_pool.id].single_key_full = in_pool.single_key_full;
    }
  }
}

void Run::plan_storage_checks() {
  for (PoolState& state : pools_) {
    if (state.tracks_storage) {
      state.next_storage_check_ns = next_storage_check(state);
    }
  }
}

/// Checks are due at every whole second, but most cannot find anything: a budget bounds how fast a
/// partition can grow. Only those are made that could matter.
Nanoseconds Run::next_storage_check(const PoolState& state) const {
  const ProviderParameters& p = scenario_.parameters;
  const Nanoseconds period = std::max(kSecond, p.throttle_window_ns);
  if (now_ns_ == 0 && state.next_storage_check_ns == kNever) {
    return 0;
  }
  const Nanoseconds soonest = (now_ns_ / period + 1) * period;
  const CapacityRules& c = state.capacity;
  const bool grows_freely = c.burst || c.ru_per_minute || c.units_apart || c.regions > 1 ||
                            state.cheapest_create_mru <= 0;
  if (state.largest_create_bytes == 0) {
    return grows_freely ? soonest : kNever;
  }
  if (grows_freely) {
    return soonest;
  }
  Wide room = kNever;  // bytes that a partition may still take before anything can happen
  Wide total_room = kNever;
  MilliRu most_share = 1;
  Wide stored = 0;
  for (const PoolPartition& in_pool : state.pool->partitions()) {
    const Bytes bytes = stored_bytes(in_pool.id);
    stored += bytes;
    most_share = std::max(most_share, in_pool.share.total_mru_per_s);
    if (!in_pool.splitting) {
      room = std::min<Wide>(room, p.split_storage_threshold_bytes - bytes);
    }
  }
  if (state.pool->spec().throughput.mode == CapacityMode::autoscale &&
      p.min_mru_per_gb_autoscale > 0) {
    const Wide holds =
        Wide{state.pool->total().total_mru_per_s} * kGigabyte / p.min_mru_per_gb_autoscale;
    total_room = (holds - stored) / static_cast<Wide>(state.pool->partitions().size());
  }
  room = std::min(room, total_room);
  const Wide creates = Wide{most_share} * period / kSecond / state.cheapest_create_mru + 2;
  const Wide periods = room / (creates * 2 * state.largest_create_bytes);
  if (periods < 2) {
    return soonest;
  }
  const Wide later = soonest + (periods - 1) * period;
  return static_cast<Nanoseconds>(std::min<Wide>(later, kNever));
}

std::vector<StorageBook::Key> Run::keys_in(const PoolState& state, const HashRange& range) {
  std::vector<StorageBook::Key> keys;
  for (const std::uint32_t container : state.pool->spec().containers) {
    if (containers_[container]->book != nullptr) {
      const auto more = containers_[container]->book->keys_in(range);
      keys.insert(keys.end(), more.begin(), more.end());
    }
  }
  std::sort(keys.begin(), keys.end(), [](const StorageBook::Key& a, const StorageBook::Key& b) {
    return (a.point <=> b.point) < 0;
  });
  return keys;
}

// ---- what pools ask of their host --------------------------------------------------------------

std::uint32_t Run::new_partition() {
  partitions_.emplace_back();
  demand_mru_.push_back(0);
  bin_begin_.resize(partitions_.size() + 1, 0);
  return static_cast<std::uint32_t>(partitions_.size() - 1);
}

Bytes Run::stored_bytes(std::uint32_t partition) const {
  const auto& loop = partitions_[partition].loop;
  return loop == nullptr ? 0 : loop->totals().storage_bytes;
}

std::optional<HashPoint> Run::data_median(std::uint32_t partition, const HashRange& range) {
  const PoolState& state = pools_[partitions_[partition].pool];
  const PoolSpec& spec = state.pool->spec();
  const auto keys = keys_in(state, range);
  Bytes old = stored_bytes(partition);
  for (const StorageBook::Key& key : keys) {
    old -= key.bytes;
  }
  const HashVersion hash = state.pool->layout().hash;
  const unsigned paths = key_levels_of(scenario_.containers[spec.containers.front()]);
  return partsim::data_median(hash, range, midpoint(hash, range, paths), keys,
                              std::max<Bytes>(old, 0));
}

void Run::split(const PoolPartition& parent, std::uint32_t lower, std::uint32_t upper,
                Nanoseconds now) {
  PartitionState& from = partitions_[parent.id];
  PoolState& state = pools_[from.pool];
  const auto keys = keys_in(state, from.range);
  const Bytes all = stored_bytes(parent.id);
  Bytes old = all;
  for (const StorageBook::Key& key : keys) {
    old -= key.bytes;
  }
  const HashPoint cut = state.pool->find(upper)->range.min;
  const Bytes below =
      bytes_below(state.pool->layout().hash, from.range, cut, keys, std::max<Bytes>(old, 0));
  retire(parent, now);
  for (const std::uint32_t child : {lower, upper}) {
    partitions_[child].pool = partitions_[parent.id].pool;
    partitions_[child].parent = parent.id;
    start_partition(child, child == lower ? below : all - below, now);
  }
}

void Run::merge(const PoolPartition& lower, const PoolPartition& upper, std::uint32_t child,
                Nanoseconds now) {
  const Bytes bytes = stored_bytes(lower.id) + stored_bytes(upper.id);
  retire(lower, now);
  retire(upper, now);
  partitions_[child].pool = partitions_[lower.id].pool;
  partitions_[child].parent = lower.id;
  start_partition(child, bytes, now);
}

void Run::record(LayoutEvent event) {
  layout_events_.push_back(std::move(event));
}

// ---- money -------------------------------------------------------------------------------------

/// Adds what a partition has used since the hour began.
void Run::take_lanes(std::uint32_t id, Nanoseconds hour_begin, PoolState& state,
                     std::vector<LaneUse>& lanes) {
  PartitionState& partition = partitions_[id];
  MilliRu share = 0;
  for (std::size_t i = 0; i < partition.shares.size(); ++i) {
    const bool in_force =
        i + 1 == partition.shares.size() || partition.shares[i + 1].first > hour_begin;
    share = in_force ? std::max(share, partition.shares[i].second) : share;
  }
  const auto used = partition.loop->take_billable(now_ns_, now_ns_ > scenario_.warm_up_ns);
  for (const MilliRu highest : used.highest_mru_per_s) {
    lanes.push_back({highest, share});
  }
  state.consumed_in_hour_mru += used.consumed_mru;
  state.consumed_in_hour_write_mru += used.consumed_write_mru;
}

void Run::close_hour(PoolState& state, Nanoseconds begin) {
  std::vector<LaneUse> lanes = std::move(state.retired_lanes);
  Bytes bytes = 0;
  for (const PoolPartition& partition : state.pool->partitions()) {
    take_lanes(partition.id, begin, state, lanes);
    bytes += stored_bytes(partition.id);
  }
  state.bill->close_hour(
      {lanes, state.consumed_in_hour_mru, state.consumed_in_hour_write_mru, bytes});
  state.retired_lanes.clear();
  state.consumed_in_hour_mru = 0;
  state.consumed_in_hour_write_mru = 0;
}

/// The partition serves no more; what waits there moves once the new layout stands.
void Run::retire(const PoolPartition& last, Nanoseconds now) {
  const std::uint32_t id = last.id;
  PartitionState& partition = partitions_[id];
  partition.share = last.share;
  partition.retired_ns = now;
  partition.loop->finish(now > scenario_.warm_up_ns);
  PoolState& state = pools_[partition.pool];
  take_lanes(id, hour_begin_ns_, state, state.retired_lanes);
  const Share demand = partition.loop->take_demand();
  state.retired_demand.total_mru_per_s += demand.total_mru_per_s;
  state.retired_demand.write_mru_per_s += demand.write_mru_per_s;
  alive_.erase(std::find(alive_.begin(), alive_.end(), id));
  layout_changed_ = true;
}

/// Who has a request of `partition` now: a partition that is alive keeps it, else it goes to the
/// owner of its key, and of a fan-out to the owner of the lowest hash.
std::uint32_t Run::holder_of(const WaitingRetry& retry, std::uint32_t partition) {
  const PartitionState& state = partitions_[partition];
  if (state.retired_ns == kNever) {
    return partition;
  }
  if (retry.join != kNoJoin) {
    return pools_[state.pool].pool->layout().owner(state.range.min);
  }
  return home_of(RequestId::client(retry.id), RequestId::operation(retry.id), retry.first_send_ns);
}

/// Who owns the key of an operation now.
std::uint32_t Run::home_of(std::uint32_t client, std::uint64_t operation, Nanoseconds sent_ns) {
  return containers_[scenario_.clients[client].container]->router.home(key_streams_[client],
                                                                       operation, sent_ns);
}

void Run::move_waiting(std::uint32_t from) {
  PartitionState& parent = partitions_[from];
  for (const WaitingRetry& retry : parent.loop->release_waiting()) {
    partitions_[holder_of(retry, from)].loop->adopt(retry);
  }
  for (const ExpiryQueue::Due& due : parent.loop->expiring().release()) {
    const std::uint32_t to = due.items.book->owner(due.items.key);
    partitions_[to].loop->expiring().add_due(due.due_ns, due.items);
  }
}

}  // namespace partsim
