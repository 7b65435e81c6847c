// How the partitions of a pool split: rounds of a scaling, storage, heat; and what ends when.
#include <algorithm>
#include <tuple>
#include <utility>

#include "partsim/core/assert.hpp"
#include "partsim/scenario/minimum.hpp"
#include "partsim/service/pool.hpp"

namespace partsim {
namespace {

__extension__ using Wide = __int128;

/// Half for the lower child, which gets the odd one, and half for the upper.
std::pair<MilliRu, MilliRu> halves(MilliRu amount) noexcept {
  return {amount - amount / 2, amount / 2};
}

}  // namespace

bool Pool::round_in_progress() const noexcept {
  return std::any_of(splitting_.begin(), splitting_.end(),
                     [](const Splitting& split) { return split.of_round; });
}

std::vector<std::uint32_t> Pool::in_split_order() const {
  std::vector<std::pair<std::int64_t, std::uint32_t>> order;  // what counts against it, id
  for (const PoolPartition& partition : partitions_) {
    std::int64_t rank = 0;
    if (parameters_->split_order == SplitOrder::widest) {
      rank = -static_cast<std::int64_t>(range_width_q32(layout_.hash, partition.range));
    } else if (parameters_->split_order == SplitOrder::fullest) {
      rank = -host_->stored_bytes(partition.id);
    }
    order.emplace_back(rank, partition.id);
  }
  std::sort(order.begin(), order.end());
  std::vector<std::uint32_t> ids;
  ids.reserve(order.size());
  for (const auto& [rank, id] : order) {
    ids.push_back(id);
  }
  return ids;
}

/// Begins as many splits as are missing. If none can begin and none is under way, the pool takes
/// the new total as it is.
void Pool::begin_round(Nanoseconds now) {
  Scaling& scaling = *scaling_;
  const auto end =
      static_cast<Nanoseconds>(scaling.begin_ns + Wide{parameters_->split_duration_ns} *
                                                      (scaling.round + 1) / scaling.rounds);
  std::uint64_t missing = scaling.partitions - partitions_.size() - splitting_.size();
  bool begun = false;
  for (const std::uint32_t id : in_split_order()) {
    PoolPartition& partition = *find(id);
    if (missing > 0 && !partition.splitting &&
        begin_split(partition, LayoutCause::throughput, parameters_->split_cut_throughput,
                    scaling.asked_ns, up(end))) {
      splitting_.back().of_round = true;
      begun = true;
      --missing;
    }
  }
  scaling.round += begun ? 1 : 0;
  if (!begun && splitting_.empty()) {
    const Scaling done = *scaling_;
    scaling_.reset();
    change_total(done.target, done.cause, now, done.asked_ns);
  }
}

/// Ends the scaling if there are partitions enough, else begins its next round when the last one
/// has ended.
void Pool::continue_scaling(Nanoseconds now) {
  if (!scaling_) {
    return;
  }
  if (partitions_.size() >= scaling_->partitions) {
    const Scaling done = *scaling_;
    scaling_.reset();
    for (Splitting& split : splitting_) {
      split.of_round = false;
    }
    change_total(done.target, done.cause, now, done.asked_ns);
  } else if (!round_in_progress() &&
             partitions_.size() + splitting_.size() < scaling_->partitions) {
    begin_round(now);
  }
}

bool Pool::begin_split(PoolPartition& partition, LayoutCause cause, SplitCut how, Nanoseconds asked,
                       Nanoseconds end) {
  if (spec_.fixed) {
    return false;
  }
  std::optional<HashPoint> cut;
  if (how == SplitCut::data_median) {
    cut = host_->data_median(partition.id, partition.range);
  } else {
    cut = midpoint(layout_.hash, partition.range, paths_);
  }
  if (!cut || !(*cut > partition.range.min)) {
    return false;
  }
  partition.splitting = true;
  partition.gone_from_ns = parameters_->split_swap_unavailable_ns > 0
                               ? end - parameters_->split_swap_unavailable_ns
                               : kNever;
  splitting_.push_back({partition.id, *cut, asked, end, host_->next_order(), cause});
  return true;
}

Nanoseconds Pool::next_ns() const noexcept {
  Nanoseconds next = merging_ ? merging_->end_ns : kNever;
  for (const Splitting& split : splitting_) {
    next = std::min(next, split.end_ns);
  }
  return next;
}

std::uint64_t Pool::first_due(Nanoseconds now) const noexcept {
  std::uint64_t first = merging_ && merging_->end_ns <= now ? merging_->order : UINT64_MAX;
  for (const Splitting& split : splitting_) {
    first = split.end_ns <= now ? std::min(first, split.order) : first;
  }
  return first;
}

void Pool::finish_first_due(Nanoseconds now) {
  const std::uint64_t first = first_due(now);
  if (merging_ && merging_->order == first) {
    finish_merge(now);
  } else {
    const auto due = std::find_if(splitting_.begin(), splitting_.end(),
                                  [first](const Splitting& split) { return split.order == first; });
    PARTSIM_ASSERT(due != splitting_.end(), "something is due");
    const Splitting split = *due;
    splitting_.erase(due);
    finish_split(split, now);
  }
  continue_scaling(now);  // may begin what ends at once
}

void Pool::finish_split(const Splitting& split, Nanoseconds now) {
  LayoutEvent ended = event(LayoutEventKind::split, split.cause, now, split.asked_ns);
  const auto place = std::find_if(partitions_.begin(), partitions_.end(),
                                  [&](const PoolPartition& p) { return p.id == split.partition; });
  PARTSIM_ASSERT(place != partitions_.end(), "what splits is alive until it has");
  const PoolPartition parent = *place;
  ended.before = {slice(parent)};

  PoolPartition lower;
  PoolPartition upper;
  lower.id = host_->new_partition();
  upper.id = host_->new_partition();
  lower.range = {parent.range.min, split.cut, false};
  upper.range = {split.cut, parent.range.max, parent.range.open_ended};
  const bool redistributed = split.redistributed_mru > 0;
  std::tie(lower.share.total_mru_per_s, upper.share.total_mru_per_s) =
      halves(redistributed ? split.redistributed_mru : parent.share.total_mru_per_s);
  std::tie(lower.share.write_mru_per_s, upper.share.write_mru_per_s) =
      halves(parent.share.write_mru_per_s);
  std::tie(lower.weight, upper.weight) =
      halves(redistributed ? split.redistributed_mru : parent.weight);
  *place = upper;
  partitions_.insert(place, lower);

  if (redistributed) {
    total_ = {};
    for (const PoolPartition& partition : partitions_) {
      total_.total_mru_per_s += partition.weight;
    }
    highest_mru_ = std::max(highest_mru_, total_mru());
  } else if (spec_.throughput.mode == CapacityMode::serverless && !units_apart(*parameters_)) {
    apply_total(
        {parameters_->serverless_mru_per_partition * static_cast<MilliRu>(partitions_.size()), 0});
  } else if (split.cause != LayoutCause::throughput && !custom_ &&
             parameters_->throughput_distribution == ThroughputDistribution::even) {
    apply_total(total_);
  }
  rebuild_layout();
  host_->split(parent, lower.id, upper.id, now);
  ended.after = {slice(*find(lower.id)), slice(*find(upper.id))};
  ended.total_after_mru = total_mru();
  host_->record(std::move(ended));
}

void Pool::check_storage(Nanoseconds now) {
  std::vector<std::uint32_t> ids = layout_.ids;
  std::sort(ids.begin(), ids.end());
  for (const std::uint32_t id : ids) {
    PoolPartition& partition = *find(id);
    const bool idle = !partition.splitting && !partition.merging && !spec_.fixed;
    const Bytes bytes = host_->stored_bytes(id);
    if (!idle || bytes <= parameters_->split_storage_threshold_bytes ||
        bytes == partition.uncut_bytes ||
        begin_split(partition, LayoutCause::storage, parameters_->split_cut_storage, now,
                    up(now + parameters_->split_duration_ns))) {
      continue;
    }
    partition.uncut_bytes = bytes;
    if (!partition.single_key_full) {
      partition.single_key_full = true;
      LayoutEvent refused = event(LayoutEventKind::refused, LayoutCause::storage, now, now);
      refused.before = {slice(partition)};
      refused.reason = "partition " + std::to_string(id) +
                       " is over its storage limit and cannot split: one logical partition holds "
                       "all of it";
      host_->record(std::move(refused));
    }
  }
  if (spec_.throughput.mode != CapacityMode::autoscale || !busy_reason().empty() ||
      parameters_->min_mru_per_gb_autoscale == 0) {
    return;
  }
  const Wide need =
      (Wide{stored_bytes()} * parameters_->min_mru_per_gb_autoscale + kGigabyte - 1) / kGigabyte;
  if (need > total_.total_mru_per_s) {
    begin_scaling({next_autoscale_step(*parameters_, static_cast<MilliRu>(need)), 0},
                  LayoutCause::storage, now, now);
  }
}

void Pool::split_for_heat(std::uint32_t id, Nanoseconds now) {
  PoolPartition* partition = find(id);
  if (partition != nullptr && !partition->splitting && !partition->merging) {
    static_cast<void>(begin_split(*partition, LayoutCause::heat, SplitCut::midpoint, now,
                                  up(now + parameters_->split_duration_ns)));
  }
}

}  // namespace partsim
