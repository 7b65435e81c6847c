#include "support/share_history.hpp"

#include <algorithm>
#include <numeric>

namespace partsim {
namespace {

MilliRu both(const Share& share) {
  return share.total_mru_per_s + share.write_mru_per_s;
}

/// One pool, event by event.
class PoolReplay {
 public:
  PoolReplay(const Scenario& scenario, PoolSpec spec, ShareHistory& history)
      : scenario_(scenario), rules_(scenario.parameters), spec_(std::move(spec)), out_(history) {}

  void start(const std::vector<std::uint32_t>& partitions) {
    const auto count = static_cast<MilliRu>(partitions.size());
    for (const std::uint32_t id : partitions) {
      alive_[id] = {};
    }
    if (rules_.read_unit_bytes > 0) {
      total_ = {spec_.throughput.units->read_per_s, spec_.throughput.units->write_per_s};
    } else if (is_serverless()) {
      total_ = {rules_.serverless_mru_per_partition * count, 0};
    } else {
      total_ = {spec_.throughput.mru_per_s, 0};
    }
    make_even();
    note(0);
  }

  void apply(const LayoutEvent& event) {
    expect(event.total_before_mru == both(total_), event, "the total before is another");
    expect_shares(event.before, event);
    if (event.kind == LayoutEventKind::refused || !out_.complaint.empty()) {
      return;
    }
    if (event.kind == LayoutEventKind::split) {
      split(event);
    } else if (event.kind == LayoutEventKind::merge) {
      merge(event);
    } else {
      set_all(event);
    }
    expect(event.total_after_mru == both(total_), event, "the total after is another");
    expect_shares(event.after, event);
    expect(sum() + missing_ == both(total_), event, "the shares do not add up to the total");
    note(event.at_ns);
    ++out_.changes;
  }

 private:
  [[nodiscard]] bool is_serverless() const {
    return spec_.throughput.mode == CapacityMode::serverless;
  }
  [[nodiscard]] MilliRu sum() const {
    return std::accumulate(alive_.begin(), alive_.end(), MilliRu{0},
                           [](MilliRu all, const auto& p) { return all + both(p.second); });
  }

  void expect(bool holds, const LayoutEvent& event, const std::string& what) {
    if (!holds && out_.complaint.empty()) {
      out_.complaint = "pool " + spec_.name + " at " + std::to_string(event.at_ns) + " ns, kind " +
                       std::to_string(static_cast<int>(event.kind)) + ": " + what + '\n';
    }
  }
  void expect_shares(const std::vector<LayoutEvent::Slice>& slices, const LayoutEvent& event) {
    for (const LayoutEvent::Slice& slice : slices) {
      expect(alive_.contains(slice.partition), event, "a partition is not alive");
      expect(both(alive_[slice.partition]) == slice.share_mru_per_s, event,
             "the share of partition " + std::to_string(slice.partition) + " is " +
                 std::to_string(slice.share_mru_per_s) + ", expected " +
                 std::to_string(both(alive_[slice.partition])));
    }
  }

  void note(Nanoseconds now) {
    for (const auto& [id, share] : alive_) {
      auto& past = out_.shares[id];
      if (past.empty() || past.back().second != share) {
        past.emplace_back(now, share);
      }
    }
  }

  /// Equal shares; the first ids get what is left over.
  void make_even() {
    const auto count = static_cast<MilliRu>(alive_.size());
    MilliRu place = 0;
    for (auto& [id, share] : alive_) {
      share.total_mru_per_s =
          total_.total_mru_per_s / count + (place < total_.total_mru_per_s % count ? 1 : 0);
      share.write_mru_per_s =
          total_.write_mru_per_s / count + (place < total_.write_mru_per_s % count ? 1 : 0);
      ++place;
    }
    missing_ = 0;
  }

  /// Throughput that was set, or shares that were redistributed: the event names them all.
  void set_all(const LayoutEvent& event) {
    expect(event.after.size() == alive_.size(), event, "not all partitions are named");
    if (event.kind == LayoutEventKind::redistribute) {
      custom_ = has_targets(event);
    }
    total_ = {event.total_after_mru, 0};
    if (!custom_) {
      make_even();
      return;
    }
    const bool is_scale = event.kind == LayoutEventKind::scale;
    bool at_limit = false;
    for (const LayoutEvent::Slice& slice : event.after) {
      alive_[slice.partition] = {slice.share_mru_per_s, 0};
      at_limit |= slice.share_mru_per_s == rules_.partition_max_mru_per_s;
      expect(!is_scale || slice.share_mru_per_s <= rules_.partition_max_mru_per_s, event,
             "a partition has more than it may");
    }
    missing_ = both(total_) - sum();
    const bool is_rounding = missing_ < static_cast<MilliRu>(alive_.size());
    expect(missing_ == 0 || (is_scale && missing_ > 0 && (at_limit || is_rounding)), event,
           std::to_string(missing_) + " mRU/s are missing for no reason");
    out_.capped += !is_rounding ? 1 : 0;
    out_.rounded += missing_ > 0 && is_rounding ? 1 : 0;
  }

  /// The timeline's redistributions of this pool at that instant.
  [[nodiscard]] std::vector<Redistribute> redistributions(Nanoseconds at) const {
    std::vector<Redistribute> found;
    for (const TimelineEntry& entry : scenario_.timeline) {
      const auto* request = std::get_if<Redistribute>(&entry.action);
      const bool is_ours = std::find(spec_.containers.begin(), spec_.containers.end(),
                                     entry.container) != spec_.containers.end();
      if (request != nullptr && is_ours && entry.at_ns == at) {
        found.push_back(*request);
      }
    }
    return found;
  }
  /// Whether this was a redistribution to given targets; without, shares are equal again.
  [[nodiscard]] bool has_targets(const LayoutEvent& event) const {
    const auto got = [&](const Redistribute::Target& target) {
      return std::any_of(event.after.begin(), event.after.end(), [&](const auto& slice) {
        return slice.partition == target.partition &&
               slice.share_mru_per_s == std::min(target.mru_per_s, rules_.partition_max_mru_per_s);
      });
    };
    const auto requests = redistributions(event.asked_ns);
    return std::any_of(requests.begin(), requests.end(), [&](const Redistribute& request) {
      return !request.targets.empty() &&
             std::all_of(request.targets.begin(), request.targets.end(), got);
    });
  }
  /// Whether a partition was asked to have so much, more than one may have.
  [[nodiscard]] bool was_target(std::uint32_t partition, MilliRu mru_per_s, Nanoseconds at) const {
    const auto requests = redistributions(at);
    return std::any_of(requests.begin(), requests.end(), [&](const Redistribute& request) {
      return std::any_of(request.targets.begin(), request.targets.end(), [&](const auto& target) {
        return target.partition == partition && target.mru_per_s == mru_per_s;
      });
    });
  }

  void split(const LayoutEvent& event) {
    if (event.before.size() != 1 || event.after.size() != 2) {
      expect(false, event, "a split makes two of one");
      return;
    }
    const std::uint32_t parent = event.before[0].partition;
    Share share = alive_[parent];
    const MilliRu children = event.after[0].share_mru_per_s + event.after[1].share_mru_per_s;
    const bool is_target =
        custom_ && event.cause == LayoutCause::throughput && children > both(share);
    if (is_target) {
      expect(was_target(parent, children, event.asked_ns), event, "nobody asked for so much");
      total_.total_mru_per_s += children - both(share) - missing_;
      missing_ = 0;
      share = {children, 0};
      ++out_.split_targets;
    }
    alive_.erase(parent);
    const Share lower{share.total_mru_per_s - share.total_mru_per_s / 2,
                      share.write_mru_per_s - share.write_mru_per_s / 2};
    alive_[event.after[0].partition] = lower;
    alive_[event.after[1].partition] = {share.total_mru_per_s - lower.total_mru_per_s,
                                        share.write_mru_per_s - lower.write_mru_per_s};
    const bool is_even = rules_.throughput_distribution == ThroughputDistribution::even;
    if (is_serverless()) {
      total_ = {rules_.serverless_mru_per_partition * static_cast<MilliRu>(alive_.size()), 0};
      make_even();
    } else if (event.cause != LayoutCause::throughput && !custom_ && is_even) {
      make_even();
    }
  }

  void merge(const LayoutEvent& event) {
    if (event.before.size() != 2 || event.after.size() != 1) {
      expect(false, event, "a merge makes one of two");
      return;
    }
    MilliRu joined = 0;
    for (const LayoutEvent::Slice& slice : event.before) {
      joined += both(alive_[slice.partition]);
      alive_.erase(slice.partition);
    }
    alive_[event.after[0].partition] = {joined, 0};
  }

  const Scenario& scenario_;
  const ProviderParameters& rules_;
  PoolSpec spec_;
  ShareHistory& out_;
  std::map<std::uint32_t, Share> alive_;
  Share total_;
  MilliRu missing_ = 0;  // of the total, because of a limit or of rounding
  bool custom_ = false;
};

}  // namespace

Share ShareHistory::at(std::uint32_t partition, Nanoseconds t) const {
  Share share;
  for (const auto& [since, value] : shares.at(partition)) {
    share = since <= t ? value : share;
  }
  return share;
}

ShareHistory share_history(const Scenario& scenario, const RunResult& result) {
  ShareHistory history;
  for (const PoolSpec& spec : pools_of(scenario)) {
    std::vector<std::uint32_t> first;
    for (const PartitionResult& partition : result.partitions) {
      if (partition.container == spec.name && !partition.parent) {
        first.push_back(partition.id);
      }
    }
    PoolReplay replay(scenario, spec, history);
    replay.start(first);
    for (const LayoutEvent& event : result.layout_events) {
      if (event.container == spec.name) {
        replay.apply(event);
      }
    }
  }
  return history;
}

}  // namespace partsim
