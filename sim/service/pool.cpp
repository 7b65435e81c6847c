#include "partsim/service/pool.hpp"

#include <algorithm>
#include <utility>

#include "partsim/core/units.hpp"
#include "partsim/scenario/minimum.hpp"

namespace partsim {
namespace {

__extension__ using Wide = __int128;

constexpr std::string_view kScalingReason = "423: another throughput change is still in progress";

}  // namespace

Pool::Pool(const Scenario& scenario, PoolSpec spec, PoolHost& host)
    : parameters_(&scenario.parameters), spec_(std::move(spec)), host_(&host) {
  const ContainerSpec& first = scenario.containers[spec_.containers.front()];
  layout_.hash = hash_version_of(first);
  paths_ = key_levels_of(first);
  const auto count = static_cast<std::uint32_t>(initial_partition_count(scenario, spec_));
  for (const HashRange& range : initial_ranges(layout_.hash, count)) {
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

void Pool::rebuild_layout() {
  layout_.ranges.clear();
  layout_.ids.clear();
  for (const PoolPartition& partition : partitions_) {
    layout_.ranges.push_back(partition.range);
    layout_.ids.push_back(partition.id);
  }
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

MilliRu Pool::total_mru() const noexcept {
  return total_.sum();
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
  return minimum_of(*parameters_,
                    {spec_.throughput.mode, stored_bytes(), highest_mru_, spec_.is_database,
                     static_cast<std::uint32_t>(spec_.containers.size())})
      .mru_per_s;
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
  const MilliRu target_mru = target.sum();
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

}  // namespace partsim
