/// The general budget of a partition: regions, reads and writes bought apart, burst, RU per minute,
/// priorities, throughput buckets, shares that change (docs/MODEL.md sections 6, 10 and 12 to 14).
///
/// With all of that off it behaves exactly like the plain budget of its model in `budget.hpp`.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>
#include <vector>

#include "partsim/core/time.hpp"
#include "partsim/scenario/pools.hpp"
#include "partsim/scenario/scenario.hpp"
#include "partsim/service/budget.hpp"

namespace partsim {

/// What the budget must know of an attempt's operation; resolved before the loop.
struct AttemptClass {
  std::uint8_t region = 0;  // that admits it
  bool is_write = false;
  bool is_low_priority = false;
  std::uint8_t bucket = 0;  // 1 .. kMaxThroughputBuckets; 0 = none
};

/// What is the same for every partition of a pool, for the whole run.
struct CapacityRules {
  ThrottleModel model = ThrottleModel::window_debt;
  Nanoseconds window_ns = kSecond;
  std::uint32_t regions = 1;
  bool units_apart = false;

  bool burst = false;
  std::int64_t burst_window_s = 300;
  MilliRu burst_max_mru_per_s = 0;        // of reads where they are apart, else of everything
  MilliRu burst_max_write_mru_per_s = 0;  // units_apart only
  MilliRu burst_eligible_below_mru_per_s = 0;
  bool burst_net_of_share = true;

  bool ru_per_minute = false;
  std::int64_t ru_per_minute_ratio = 10;
  MilliRu ru_per_minute_max_mru_per_s = 0;
  std::int64_t start_unix_s = 0;  // the store fills at whole minutes of UTC

  std::array<std::int64_t, kMaxThroughputBuckets> bucket_ppm{};
};

[[nodiscard]] CapacityRules capacity_rules(const Scenario& scenario, const PoolSpec& pool);

/// Consumption of a second, and what might have been consumed.
struct SecondUse {
  MilliRu consumed_mru = 0;
  MilliRu share_mru_per_s = 0;
};

/// Time never goes back. A *lane* is a budget of its own: one for each region, two where reads and
/// writes are bought apart.
class CapacityBudget {
 public:
  /// Born at a window boundary with a full balance and nothing saved. `even_share` sizes the burst
  /// store, which does not follow adaptive capacity.
  CapacityBudget(const CapacityRules& rules, const Share& share, const Share& even_share,
                 Nanoseconds born_ns);

  void advance(Nanoseconds t) noexcept { pass(t); }

  /// Like `advance(t)`, and runs `at_boundary(boundary_ns)` before the refill of every boundary at
  /// or after `wanted_ns`; it returns the instant from which on it wants to be run again (kNever:
  /// not at all, the present boundary: at every one). Returns the last such answer.
  template <class AtBoundary>
  Nanoseconds advance(Nanoseconds t, Nanoseconds wanted_ns, AtBoundary&& at_boundary) {
    while (true) {
      const Nanoseconds boundary = boundary_from(wanted_ns);
      if (boundary > t) {
        break;
      }
      pass(boundary - 1);
      if (is_token_bucket()) {
        fill(boundary);  // what overflows just before the boundary is left over too
      }
      wanted_ns = at_boundary(boundary);
      pass(boundary);
    }
    pass(t);
    return wanted_ns;
  }

  [[nodiscard]] bool admits(MilliRu charge, const AttemptClass& attempt) const noexcept {
    const Lane& lane = lane_of(attempt);
    const Limits& limits = limits_[kind_of(attempt)];
    if (is_token_bucket()) {
      return lane.level >= need(charge, limits) && limits.share > 0;
    }
    return share_admits(charge, lane, limits) &&
           (attempt.bucket == 0 || bucket_admits(attempt.bucket, lane, limits)) &&
           (!attempt.is_low_priority || covers_rest(lane, limits));
  }

  /// Pays: a write in every region.
  void take(MilliRu charge, const AttemptClass& attempt) noexcept {
    const Limits& limits = limits_[kind_of(attempt)];
    if (!attempt.is_write) {
      pay(charge, attempt.bucket, lane_of(attempt), limits);
      return;
    }
    for (std::size_t i = kind_of(attempt); i < lanes_.size(); i += kinds_) {
      pay(charge, attempt.bucket, lanes_[i], limits);
    }
  }

  /// A refusal that costs: it comes out of the balance, but is neither consumed nor spent.
  void take_refusal(MilliRu charge, const AttemptClass& attempt) noexcept {
    withdraw(charge, lane_of(attempt));
  }

  /// After a refusal at t: when the first of share, bucket and priority that refused may admit.
  [[nodiscard]] Nanoseconds ready_ns(Nanoseconds t, MilliRu charge,
                                     const AttemptClass& attempt) const noexcept;

  /// Refusals differ by class, so none stands for the others.
  [[nodiscard]] static bool exhausted(MilliRu /*cheapest*/) noexcept { return false; }
  [[nodiscard]] Nanoseconds window_end_ns() const noexcept {
    return is_token_bucket() ? kNever : window_end_;
  }

  /// From the window that begins at t on; t is a boundary, and the budget was not yet advanced to
  /// it (or was born at it). Close a second that ends at t first.
  void set_share(Nanoseconds t, const Share& share, const Share& even_share) noexcept;

  /// Closes the second in progress: of the lane that was used most relative to its share.
  [[nodiscard]] SecondUse close_second() noexcept;
  /// The most that the second in progress may grant, all regions that are charged together.
  [[nodiscard]] MilliRu grant_limit(MilliRu largest_charge) const noexcept;

  /// For adaptive capacity: an attempt was made, whether admitted or not ...
  void note_demand(MilliRu charge, const AttemptClass& attempt) noexcept {
    demand_[kind_of(attempt)] += charge;
  }
  /// ... and the charge of all since last asked.
  [[nodiscard]] Share demanded() noexcept {
    const Share demand{demand_[0], demand_[1]};
    demand_ = {};
    return demand;
  }

  /// What the second in progress has consumed so far does not count for its use.
  void begin_counting() noexcept {
    for (Lane& lane : lanes_) {
      lane.second_mru = 0;
    }
  }
  /// Consumed in the second in progress by one region, ask before it is closed: of writes, where
  /// they are apart, or of the rest.
  [[nodiscard]] MilliRu second_mru(std::uint32_t region, bool writes) const noexcept {
    const std::size_t kind = writes ? 1 : 0;
    return kind < kinds_ ? lanes_[region * kinds_ + kind].second_mru : 0;
  }

  /// Inside `at_boundary` only: what every region has left of the write share of the window that
  /// ends; background deletes take it before it is saved or lost.
  [[nodiscard]] MilliRu left_over() const noexcept;
  void take_left_over(MilliRu amount) noexcept;

  /// Consumed above the share, from what was saved, in all regions, since birth.
  [[nodiscard]] MilliRu burst_mru() const noexcept { return burst_mru_; }
  [[nodiscard]] MilliRu balance_mru(const AttemptClass& attempt) const noexcept {
    return lane_of(attempt).balance;
  }
  [[nodiscard]] MilliRu minute_store_mru(const AttemptClass& attempt) const noexcept {
    return lane_of(attempt).minute_left;
  }

 private:
  __extension__ using Wide = __int128;

  /// What a share means in a window; one for each kind, the same in every region.
  struct Limits {
    MilliRu share_per_s = 0;
    MilliRu share = 0;         // S
    MilliRu window_share = 0;  // S of the window in progress, while the next one's is already set
    MilliRu store = 0;         // L, or L + S: the balance never exceeds it
    MilliRu peak = INT64_MAX;  // P: the most a window may spend
    MilliRu minute = 0;        // M: the store of RU per minute
    bool bursts = false;
    std::array<MilliRu, kMaxThroughputBuckets> bucket_cap{};
  };
  struct Lane {
    MilliRu balance = 0;
    MilliRu spent = 0;
    MilliRu minute_left = 0;
    MilliRu second_mru = 0;
    Wide level = 0;     // token bucket: milli-RU times window nanoseconds
    Wide overflow = 0;  // ... that the full bucket could not hold in this window
    std::array<MilliRu, kMaxThroughputBuckets> bucket_spent{};
  };

  [[nodiscard]] bool is_token_bucket() const noexcept {
    return rules_.model == ThrottleModel::token_bucket;
  }
  [[nodiscard]] std::size_t kind_of(const AttemptClass& attempt) const noexcept {
    return kinds_ == 2 && attempt.is_write ? 1U : 0U;
  }
  [[nodiscard]] const Lane& lane_of(const AttemptClass& attempt) const noexcept {
    return lanes_[attempt.region * kinds_ + kind_of(attempt)];
  }
  [[nodiscard]] Lane& lane_of(const AttemptClass& attempt) noexcept {
    return lanes_[attempt.region * kinds_ + kind_of(attempt)];
  }

  [[nodiscard]] bool share_admits(MilliRu charge, const Lane& lane,
                                  const Limits& limits) const noexcept {
    if (rules_.model == ThrottleModel::window_strict) {
      return charge <= std::min(lane.balance, limits.peak - lane.spent);
    }
    return (lane.balance > 0 && lane.spent < limits.peak) || lane.minute_left > 0;
  }
  [[nodiscard]] static bool bucket_admits(std::uint8_t bucket, const Lane& lane,
                                          const Limits& limits) noexcept {
    return lane.bucket_spent[bucket - 1U] < limits.bucket_cap[bucket - 1U] &&
           (!limits.bursts || lane.spent < limits.share);
  }
  /// What is left would last to the end of the window at full rate.
  [[nodiscard]] bool covers_rest(const Lane& lane, const Limits& limits) const noexcept {
    return static_cast<Wide>(lane.balance) * rules_.window_ns >=
           static_cast<Wide>(limits.share) * (window_end_ - now_);
  }
  /// A charge above what the bucket holds is admitted when the bucket is full, and overdraws it.
  [[nodiscard]] Wide need(MilliRu charge, const Limits& limits) const noexcept {
    return static_cast<Wide>(std::min(charge, limits.share)) * rules_.window_ns;
  }

  void pay(MilliRu charge, std::uint8_t bucket, Lane& lane, const Limits& limits) noexcept {
    if (limits.bursts) {
      const MilliRu covered = std::clamp<MilliRu>(lane.balance, 0, charge);
      burst_mru_ += std::max<MilliRu>(0, lane.spent + covered - limits.share) -
                    std::max<MilliRu>(0, lane.spent - limits.share);
    }
    withdraw(charge, lane);
    lane.spent += charge;
    lane.second_mru += charge;
    if (bucket > 0) {
      lane.bucket_spent[bucket - 1U] += charge;
    }
  }
  void withdraw(MilliRu charge, Lane& lane) noexcept {
    if (is_token_bucket()) {
      lane.level -= static_cast<Wide>(charge) * rules_.window_ns;
    } else {
      lane.balance -= charge;
      make_up(lane);
    }
  }
  /// A balance below zero is made up from the minute's store as far as it goes.
  void make_up(Lane& lane) noexcept {
    if (lane.balance < 0 && lane.minute_left > 0) {
      const MilliRu moved = std::min(-lane.balance, lane.minute_left);
      lane.balance += moved;
      lane.minute_left -= moved;
      burst_mru_ += moved;
    }
  }

  void pass(Nanoseconds t) noexcept {
    if (t >= window_end_ || t >= next_minute_) {
      pass_boundaries(t);
    }
    if (is_token_bucket()) {
      fill(t);
    }
    now_ = std::max(now_, t);
  }
  void pass_boundaries(Nanoseconds t) noexcept;
  /// Token buckets gain what flows in until t.
  void fill(Nanoseconds t) noexcept;
  void refill(Nanoseconds windows) noexcept;
  void refill(Nanoseconds windows, Lane& lane, const Limits& limits) const noexcept;
  void refill_minute() noexcept;
  [[nodiscard]] Nanoseconds windows_without_gain(const Lane& lane,
                                                 const Limits& limits) const noexcept;
  [[nodiscard]] Nanoseconds boundary_from(Nanoseconds t) const noexcept;
  [[nodiscard]] Nanoseconds boundary_after(Wide windows) const noexcept;
  [[nodiscard]] Nanoseconds share_ready_ns(const Lane& lane, const Limits& limits) const noexcept;
  [[nodiscard]] Limits limits_for(std::size_t kind, MilliRu share, MilliRu even) const noexcept;
  [[nodiscard]] Wide second_limit(const Limits& limits) const noexcept;
  void set_limits(const Share& share, const Share& even_share) noexcept;
  void start_full() noexcept;

  CapacityRules rules_;
  std::size_t kinds_;
  std::array<Limits, 2> limits_{};
  std::vector<Lane> lanes_;  // region after region; in each, reads before writes
  std::array<MilliRu, 2> demand_{};
  std::array<Wide, 2> second_limit_{};  // the largest of the shares that the second has seen
  Nanoseconds born_;
  Nanoseconds now_;
  Nanoseconds window_end_;
  Nanoseconds next_minute_ = kNever;
  MilliRu burst_mru_ = 0;
};

}  // namespace partsim
