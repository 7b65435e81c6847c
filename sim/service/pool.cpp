#include "partsim/service/pool.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

#include "partsim/core/assert.hpp"
#include "partsim/core/units.hpp"
#include "partsim/service/minimum.hpp"

namespace partsim {
namespace {

__extension__ using Wide = __int128;

/// Half for the lower child, which gets the odd one, and half for the upper.
std::pair<MilliRu, MilliRu> halves(MilliRu amount) noexcept {
  return {amount - amount / 2, amount / 2};
}

constexpr std::string_view kScalingReason = "423: another throughput change is still in progress";

}  // namespace

Pool::Pool(const Scenario& scenario, PoolSpec spec, PoolHost& host)
    : parameters_(&scenario.parameters), spec_(std::move(spec)), host_(&host) {
  const ContainerSpec& first = scenario.containers[spec_.containers.front()];
  layout_.hash = hash_version_of(first);
  paths_ = static_cast<unsigned>(first.partition_key.size());
  for (const HashRange& range :
       initial_ranges(layout_.hash, initial_partition_count(scenario, spec_))) {
    PoolPartition partition;
    partition.id = host.new_partition();
    partition.range = range;
    partitions_.push_back(partition);
  }
  apply_total(initial_total(scenario, spec_));
  rebuild_layout();
}

PoolPartition* Pool::find(std::uint32_t id) noexcept {
  const auto found = std::find_if(partitions_.begin(), partitions_.end(),
                                  [id](const PoolPartition& p) { return p.id == id; });
  return found == partitions_.end() ? nullptr : &*found;
}

std::vector<std::pair<std::uint32_t, Share>> Pool::even() const {
  std::vector<std::pair<std::uint32_t, Share>> shares;
  for (const PoolPartition& partition : partitions_) {
    shares.emplace_back(partition.id, Share{});
  }
  std::sort(shares.begin(), shares.end(),
            [](const auto& a, const auto& b) { return a.first < b.first; });
  const std::vector<MilliRu> totals = even_shares(total_.total_mru_per_s, shares.size());
  const std::vector<MilliRu> writes = even_shares(total_.write_mru_per_s, shares.size());
  for (std::size_t i = 0; i < shares.size(); ++i) {
    shares[i].second = {totals[i], writes[i]};
  }
  return shares;
}

Share Pool::share_of_total(MilliRu mru_per_s) const noexcept {
  if (!units_apart(*parameters_)) {
    return {mru_per_s, 0};
  }
  const Wide now = total_mru();
  const auto reads = static_cast<MilliRu>(Wide{total_.total_mru_per_s} * mru_per_s / now);
  return {reads, mru_per_s - reads};
}

MilliRu Pool::total_mru() const noexcept {
  return total_.total_mru_per_s + total_.write_mru_per_s;
}

Nanoseconds Pool::up(Nanoseconds t) const noexcept {
  const Nanoseconds w = parameters_->throttle_window_ns;
  return (t + w - 1) / w * w;
}

Bytes Pool::stored_bytes() const {
  Bytes bytes = 0;
  for (const PoolPartition& partition : partitions_) {
    bytes += host_->stored_bytes(partition.id);
  }
  return bytes;
}

MilliRu Pool::minimum_mru() const {
  return minimum_mru_per_s(*parameters_,
                           {spec_.throughput.mode, stored_bytes(), highest_mru_, spec_.is_database,
                            static_cast<std::uint32_t>(spec_.containers.size())});
}

bool Pool::round_in_progress() const noexcept {
  return std::any_of(splitting_.begin(), splitting_.end(),
                     [](const Splitting& split) { return split.of_round; });
}

// ---- events ------------------------------------------------------------------------------------

LayoutEvent::Slice Pool::slice(const PoolPartition& partition) const {
  return {partition.id, static_cast<std::int64_t>(range_width_q32(layout_.hash, partition.range)),
          partition.share.total_mru_per_s + partition.share.write_mru_per_s,
          host_->stored_bytes(partition.id)};
}

std::vector<LayoutEvent::Slice> Pool::slices() const {
  std::vector<LayoutEvent::Slice> all;
  for (const PoolPartition& partition : partitions_) {
    all.push_back(slice(partition));
  }
  std::sort(all.begin(), all.end(), [](const LayoutEvent::Slice& a, const LayoutEvent::Slice& b) {
    return a.partition < b.partition;
  });
  return all;
}

LayoutEvent Pool::event(LayoutEventKind kind, LayoutCause cause, Nanoseconds now,
                        Nanoseconds asked) const {
  LayoutEvent result;
  result.at_ns = now;
  result.asked_ns = asked;
  result.kind = kind;
  result.cause = cause;
  result.container = spec_.name;
  result.total_before_mru = total_mru();
  result.total_after_mru = total_mru();
  return result;
}

void Pool::refuse(Nanoseconds now, Nanoseconds asked, LayoutCause cause, std::string reason) {
  LayoutEvent refused = event(LayoutEventKind::refused, cause, now, asked);
  refused.reason = std::move(reason);
  host_->record(std::move(refused));
}

std::string_view Pool::busy_reason() const noexcept {
  const bool redistributing =
      std::any_of(splitting_.begin(), splitting_.end(),
                  [](const Splitting& s) { return s.redistributed_mru > 0; });
  return scaling_ || redistributing ? kScalingReason : std::string_view{};
}

// ---- throughput --------------------------------------------------------------------------------

void Pool::apply_total(const Share& total) {
  total_ = total;
  highest_mru_ = std::max(highest_mru_, total_mru());
  if (!custom_) {
    for (const auto& [id, share] : even()) {
      find(id)->share = share;
    }
    return;
  }
  Wide weights = 0;
  for (const PoolPartition& partition : partitions_) {
    weights += partition.weight;
  }
  for (PoolPartition& partition : partitions_) {
    const auto part = static_cast<MilliRu>(
        weights > 0 ? Wide{partition.weight} * total.total_mru_per_s / weights : 0);
    partition.share = {std::min(part, parameters_->partition_max_mru_per_s), 0};
  }
}

void Pool::change_total(const Share& total, LayoutCause cause, Nanoseconds now, Nanoseconds asked) {
  LayoutEvent scaled = event(LayoutEventKind::scale, cause, now, asked);
  scaled.before = slices();
  apply_total(total);
  scaled.after = slices();
  scaled.total_after_mru = total_mru();
  host_->record(std::move(scaled));
}

void Pool::cancel_merge(Nanoseconds now) {
  if (!merging_) {
    return;
  }
  for (PoolPartition& partition : partitions_) {
    partition.merging = false;
  }
  refuse(now, merging_->asked_ns, LayoutCause::request,
         "the merge was cancelled by a change of throughput");
  merging_.reset();
}

void Pool::set_throughput(Nanoseconds now, Nanoseconds asked, Share target) {
  if (const std::string_view busy = busy_reason(); !busy.empty()) {
    refuse(now, asked, LayoutCause::throughput, std::string(busy));
    return;
  }
  const MilliRu target_mru = target.total_mru_per_s + target.write_mru_per_s;
  if (const MilliRu minimum = minimum_mru(); target_mru < minimum) {
    refuse(now, asked, LayoutCause::throughput,
           "400: " + format_throughput(target_mru) + " is below the minimum of " +
               format_throughput(minimum));
    return;
  }
  begin_scaling(target, LayoutCause::throughput, now, asked);
}

/// At once if the partitions can carry it, else in rounds of splits.
void Pool::begin_scaling(const Share& target, LayoutCause cause, Nanoseconds now,
                         Nanoseconds asked) {
  cancel_merge(now);
  const std::uint64_t now_partitions = partitions_.size() + splitting_.size();
  const std::uint64_t needed =
      spec_.fixed ? now_partitions : needed_partitions(*parameters_, target, now_partitions);
  if (needed <= now_partitions) {
    change_total(target, cause, now, asked);
    return;
  }
  std::int64_t rounds = 0;
  while (now_partitions << rounds < needed) {
    ++rounds;
  }
  scaling_ = Scaling{target, needed, now, asked, rounds, 0, cause};
  begin_round(now);
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

void Pool::redistribute(Nanoseconds now, Nanoseconds asked, const Redistribute& request) {
  if (const std::string_view busy = busy_reason(); !busy.empty() || merging_) {
    refuse(now, asked, LayoutCause::throughput, std::string(merging_ ? kScalingReason : busy));
    return;
  }
  MilliRu sum = total_mru();
  for (const Redistribute::Target& target : request.targets) {
    const PoolPartition* partition = find(target.partition);
    if (partition == nullptr || partition->splitting) {
      refuse(now, asked, LayoutCause::throughput,
             "400: there is no partition " + std::to_string(target.partition) + " to change");
      return;
    }
    if (target.mru_per_s > 2 * parameters_->partition_max_mru_per_s) {
      refuse(now, asked, LayoutCause::throughput,
             "400: a partition may be asked for at most " +
                 format_throughput(2 * parameters_->partition_max_mru_per_s));
      return;
    }
    sum += std::min(target.mru_per_s, parameters_->partition_max_mru_per_s) -
           partition->share.total_mru_per_s;
  }
  if (const MilliRu minimum = minimum_mru(); !request.targets.empty() && sum < minimum) {
    refuse(now, asked, LayoutCause::throughput,
           "400: the shares would sum to less than the minimum of " + format_throughput(minimum));
    return;
  }
  LayoutEvent changed = event(LayoutEventKind::redistribute, LayoutCause::throughput, now, asked);
  changed.before = slices();
  custom_ = !request.targets.empty();
  for (const Redistribute::Target& target : request.targets) {
    PoolPartition& partition = *find(target.partition);
    partition.share.total_mru_per_s =
        std::min(target.mru_per_s, parameters_->partition_max_mru_per_s);
    if (target.mru_per_s > parameters_->partition_max_mru_per_s) {
      if (begin_split(partition, LayoutCause::throughput, parameters_->split_cut_throughput, asked,
                      up(now + parameters_->split_duration_ns))) {
        splitting_.back().redistributed_mru = target.mru_per_s;
      }
    }
  }
  if (custom_) {
    total_ = {};
    for (PoolPartition& partition : partitions_) {
      partition.weight = partition.share.total_mru_per_s;
      total_.total_mru_per_s += partition.weight;
    }
    highest_mru_ = std::max(highest_mru_, total_mru());
  } else {
    apply_total(total_);
  }
  changed.after = slices();
  changed.total_after_mru = total_mru();
  host_->record(std::move(changed));
}

// ---- splits and merges -------------------------------------------------------------------------

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

void Pool::merge(Nanoseconds now, Nanoseconds asked) {
  if (!busy_reason().empty() || merging_ || !splitting_.empty()) {
    refuse(now, asked, LayoutCause::request, std::string(kScalingReason));
    return;
  }
  const auto small = [&](const PoolPartition& p) {
    return p.share.total_mru_per_s < parameters_->merge_max_partition_mru_per_s &&
           host_->stored_bytes(p.id) < parameters_->merge_max_partition_bytes;
  };
  Merging merging{{}, asked, up(now + parameters_->merge_duration_ns), host_->next_order()};
  for (std::size_t i = 0; i + 1 < partitions_.size(); ++i) {
    PoolPartition& a = partitions_[i];
    PoolPartition& b = partitions_[i + 1];
    const bool fits =
        a.share.total_mru_per_s + b.share.total_mru_per_s <= parameters_->partition_max_mru_per_s &&
        host_->stored_bytes(a.id) + host_->stored_bytes(b.id) <=
            parameters_->split_storage_threshold_bytes;
    if (small(a) && small(b) && fits) {
      a.merging = b.merging = true;
      merging.pairs.push_back(a.id);
      ++i;
    }
  }
  if (merging.pairs.empty()) {
    refuse(now, asked, LayoutCause::request,
           "no two neighbours are small enough: below " +
               format_throughput(parameters_->merge_max_partition_mru_per_s) + " and " +
               format_size(parameters_->merge_max_partition_bytes) + " each");
    return;
  }
  merging_ = std::move(merging);
}

void Pool::finish_merge(Nanoseconds now) {
  const Merging merging = std::move(*merging_);
  merging_.reset();
  for (const std::uint32_t first : merging.pairs) {
    LayoutEvent ended = event(LayoutEventKind::merge, LayoutCause::request, now, merging.asked_ns);
    const auto place = std::find_if(partitions_.begin(), partitions_.end(),
                                    [first](const PoolPartition& p) { return p.id == first; });
    const PoolPartition lower = *place;
    const PoolPartition upper = *(place + 1);
    ended.before = {slice(lower), slice(upper)};
    PoolPartition child;
    child.id = host_->new_partition();
    child.range = {lower.range.min, upper.range.max, upper.range.open_ended};
    child.share = {lower.share.total_mru_per_s + upper.share.total_mru_per_s,
                   lower.share.write_mru_per_s + upper.share.write_mru_per_s};
    child.weight = lower.weight + upper.weight;
    *place = child;
    partitions_.erase(place + 1);
    rebuild_layout();
    host_->merge(lower, upper, child.id, now);
    ended.after = {slice(child)};
    host_->record(std::move(ended));
  }
}

void Pool::rebuild_layout() {
  layout_.ranges.clear();
  layout_.ids.clear();
  for (const PoolPartition& partition : partitions_) {
    layout_.ranges.push_back(partition.range);
    layout_.ids.push_back(partition.id);
  }
}

// ---- by itself ---------------------------------------------------------------------------------

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
    const Wide step = parameters_->mru_step_autoscale;
    begin_scaling({static_cast<MilliRu>((need + step - 1) / step * step), 0}, LayoutCause::storage,
                  now, now);
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
