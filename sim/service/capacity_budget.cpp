#include "partsim/service/capacity_budget.hpp"

#include "partsim/core/assert.hpp"

namespace partsim {
namespace {

__extension__ using Wide = __int128;

/// Far above any amount that is reached, far below an overflow.
constexpr MilliRu kNoLimit = INT64_MAX / 4;

}  // namespace

CapacityRules capacity_rules(const Scenario& scenario, const PoolSpec& pool) {
  const ProviderParameters& p = scenario.parameters;
  CapacityRules rules;
  rules.model = p.throttle_model;
  rules.window_ns = p.throttle_window_ns;
  rules.regions = static_cast<std::uint32_t>(scenario.regions.size());
  rules.units_apart = units_apart(p);
  rules.burst = p.burst_enabled;
  rules.burst_window_s = p.burst_window_s;
  rules.burst_max_mru_per_s =
      rules.units_apart ? p.partition_max_read_units_per_s : p.burst_max_mru_per_s;
  rules.burst_max_write_mru_per_s = p.partition_max_write_units_per_s;
  rules.burst_eligible_below_mru_per_s = p.burst_eligible_below_mru_per_s;
  rules.burst_net_of_share = p.burst_net_of_share;
  rules.ru_per_minute = p.ru_per_minute_enabled;
  rules.ru_per_minute_ratio = p.ru_per_minute_ratio;
  rules.ru_per_minute_max_mru_per_s = p.ru_per_minute_max_partition_mru;
  rules.start_unix_s = scenario.start_unix_s;
  if (!pool.is_database) {  // buckets belong to a container with throughput of its own
    rules.bucket_ppm = scenario.containers[pool.containers.front()].bucket_ppm;
  }
  return rules;
}

CapacityBudget::CapacityBudget(const CapacityRules& rules, const Share& share,
                               const Share& even_share, Nanoseconds born_ns)
    : rules_(rules),
      kinds_(rules.units_apart ? 2 : 1),
      lanes_(rules.regions * kinds_),
      born_(born_ns),
      now_(born_ns),
      window_end_(born_ns + rules.window_ns) {
  PARTSIM_ASSERT(born_ns % rules.window_ns == 0, "a partition is born at a window boundary");
  if (rules_.ru_per_minute && rules_.model == ThrottleModel::window_debt) {
    const Nanoseconds into_minute = (rules_.start_unix_s % 60) * kSecond;
    next_minute_ = ((born_ns + into_minute) / kMinute + 1) * kMinute - into_minute;
  }
  set_limits(share, even_share);
  start_full();
}

CapacityBudget::Limits CapacityBudget::limits_for(std::size_t kind, MilliRu share,
                                                  MilliRu even) const noexcept {
  Limits limits;
  limits.share_per_s = share;
  limits.share = share_per_window(share, rules_.window_ns);
  limits.store = limits.share;
  limits.bursts = rules_.burst && rules_.model != ThrottleModel::token_bucket &&
                  share < rules_.burst_eligible_below_mru_per_s;
  if (limits.bursts) {
    const Wide saved = static_cast<Wide>(share_per_window(even, rules_.window_ns)) *
                       rules_.burst_window_s * kSecond / rules_.window_ns;
    // What is saved is saved beside the share of the window in progress; the vendor's own
    // arithmetic counts that in, but a window always has it.
    const Wide store = saved + (rules_.burst_net_of_share ? limits.share : 0);
    limits.store = std::max(limits.share, static_cast<MilliRu>(std::min<Wide>(store, kNoLimit)));
    const MilliRu most = kind == 1 ? rules_.burst_max_write_mru_per_s : rules_.burst_max_mru_per_s;
    limits.peak = std::max(limits.share, share_per_window(most, rules_.window_ns));
  }
  if (next_minute_ != kNever && share <= rules_.ru_per_minute_max_mru_per_s) {
    limits.minute = rules_.ru_per_minute_ratio * share;
  }
  for (std::size_t i = 0; i < kMaxThroughputBuckets; ++i) {
    limits.bucket_cap[i] =
        static_cast<MilliRu>(static_cast<Wide>(limits.share) * rules_.bucket_ppm[i] / kMillion);
  }
  return limits;
}

CapacityBudget::Wide CapacityBudget::second_limit(const Limits& limits) const noexcept {
  const Nanoseconds windows =
      std::max<Nanoseconds>(1, (kSecond + rules_.window_ns - 1) / rules_.window_ns);
  // a second that is cut by a window's end sees one refill more; one by a minute's, two stores
  const Wide saved = static_cast<Wide>(limits.store) + static_cast<Wide>(windows) * limits.share;
  return saved + 2 * static_cast<Wide>(limits.minute);
}

void CapacityBudget::set_limits(const Share& share, const Share& even_share) noexcept {
  const std::array<MilliRu, 2> shares{share.total_mru_per_s, share.write_mru_per_s};
  const std::array<MilliRu, 2> evens{even_share.total_mru_per_s, even_share.write_mru_per_s};
  for (std::size_t kind = 0; kind < kinds_; ++kind) {
    const MilliRu window_share = limits_[kind].window_share;
    limits_[kind] = limits_for(kind, shares[kind], evens[kind]);
    limits_[kind].window_share = window_share;
    second_limit_[kind] = std::max(second_limit_[kind], second_limit(limits_[kind]));
  }
}

void CapacityBudget::start_full() noexcept {
  for (std::size_t i = 0; i < lanes_.size(); ++i) {
    Limits& limits = limits_[i % kinds_];
    limits.window_share = limits.share;
    lanes_[i].balance = limits.share;
    lanes_[i].minute_left = limits.minute;
    lanes_[i].level = static_cast<Wide>(limits.share) * rules_.window_ns;
  }
}

void CapacityBudget::set_share(Nanoseconds t, const Share& share,
                               const Share& even_share) noexcept {
  if (t == born_) {  // it has not begun yet
    set_limits(share, even_share);
    start_full();
    return;
  }
  pass(t - 1);
  PARTSIM_ASSERT(window_end_ == t, "a share changes before its window begins");
  if (is_token_bucket()) {
    fill(t);
  }
  set_limits(share, even_share);
  for (std::size_t i = 0; i < lanes_.size(); ++i) {
    const Limits& limits = limits_[i % kinds_];
    lanes_[i].level = std::min(lanes_[i].level, static_cast<Wide>(limits.share) * rules_.window_ns);
    lanes_[i].minute_left = std::min(lanes_[i].minute_left, limits.minute);
  }
}

void CapacityBudget::pass_boundaries(Nanoseconds t) noexcept {
  while (true) {
    // at one instant the window refills before the minute's store does
    const Nanoseconds until = std::min(t, next_minute_);
    if (window_end_ <= until) {
      const Nanoseconds windows = (until - window_end_) / rules_.window_ns + 1;
      const Nanoseconds last = window_end_ + (windows - 1) * rules_.window_ns;
      if (is_token_bucket()) {
        fill(last);
      }
      refill(windows);
      window_end_ = last + rules_.window_ns;
    } else if (next_minute_ <= t) {
      refill_minute();
      next_minute_ += kMinute;
    } else {
      return;
    }
  }
}

void CapacityBudget::fill(Nanoseconds t) noexcept {
  if (t <= now_) {
    return;
  }
  for (std::size_t i = 0; i < lanes_.size(); ++i) {
    Lane& lane = lanes_[i];
    const Wide share = limits_[i % kinds_].share;
    const Wide full = share * rules_.window_ns;
    lane.level += share * (t - now_);
    if (lane.level > full) {
      lane.overflow += lane.level - full;
      lane.level = full;
    }
  }
  now_ = t;
}

void CapacityBudget::refill(Nanoseconds windows) noexcept {
  for (std::size_t i = 0; i < lanes_.size(); ++i) {
    refill(windows, lanes_[i], limits_[i % kinds_]);
  }
  for (Limits& limits : limits_) {
    limits.window_share = limits.share;
  }
}

void CapacityBudget::refill(Nanoseconds windows, Lane& lane, const Limits& limits) const noexcept {
  lane.overflow = 0;
  Nanoseconds gains = windows;
  if (limits.bursts && !rules_.burst_net_of_share) {
    gains -= std::min(windows, windows_without_gain(lane, limits));
  }
  if (rules_.model == ThrottleModel::window_strict) {
    lane.balance = std::max<MilliRu>(0, lane.balance);
  }
  lane.balance = static_cast<MilliRu>(
      std::min<Wide>(lane.balance + static_cast<Wide>(gains) * limits.share, limits.store));
  lane.spent = limits.bursts ? static_cast<MilliRu>(std::max<Wide>(
                                   0, lane.spent - static_cast<Wide>(windows) * limits.peak))
                             : 0;
  for (std::size_t i = 0; i < kMaxThroughputBuckets; ++i) {
    lane.bucket_spent[i] = static_cast<MilliRu>(std::max<Wide>(
        0, lane.bucket_spent[i] - static_cast<Wide>(windows) * limits.bucket_cap[i]));
  }
}

void CapacityBudget::refill_minute() noexcept {
  for (std::size_t i = 0; i < lanes_.size(); ++i) {
    lanes_[i].minute_left = limits_[i % kinds_].minute;
    make_up(lanes_[i]);
  }
}

/// Boundaries, from the next one on, at which more than the share was spent before, so that
/// nothing is added (the vendor's arithmetic).
Nanoseconds CapacityBudget::windows_without_gain(const Lane& lane,
                                                 const Limits& limits) const noexcept {
  if (rules_.burst_net_of_share || !limits.bursts || lane.spent <= limits.share) {
    return 0;
  }
  return limits.peak == 0 ? INT64_MAX : (lane.spent - limits.share - 1) / limits.peak + 1;
}

Nanoseconds CapacityBudget::boundary_from(Nanoseconds t) const noexcept {
  if (t <= window_end_) {
    return window_end_;
  }
  return boundary_after(
      (static_cast<Wide>(t) - window_end_ + rules_.window_ns - 1) / rules_.window_ns + 1);
}

/// The n-th boundary from now; the first is the end of the window in progress.
Nanoseconds CapacityBudget::boundary_after(Wide windows) const noexcept {
  return static_cast<Nanoseconds>(
      std::min<Wide>(window_end_ + (windows - 1) * rules_.window_ns, kNever));
}

Nanoseconds CapacityBudget::share_ready_ns(const Lane& lane, const Limits& limits) const noexcept {
  if (rules_.model == ThrottleModel::window_strict) {
    return window_end_;
  }
  Wide windows = 1;
  if (lane.balance <= 0 && limits.share > 0) {
    windows = static_cast<Wide>(-lane.balance) / limits.share + 1;
    windows += windows_without_gain(lane, limits);
  }
  if (lane.spent >= limits.peak && limits.peak > 0) {
    windows = std::max<Wide>(windows, lane.spent / limits.peak);
  }
  const Nanoseconds boundary = boundary_after(windows);
  return limits.minute > 0 ? std::min(boundary, next_minute_) : boundary;
}

Nanoseconds CapacityBudget::ready_ns(Nanoseconds t, MilliRu charge,
                                     const AttemptClass& attempt) const noexcept {
  const Lane& lane = lane_of(attempt);
  const Limits& limits = limits_[kind_of(attempt)];
  if (is_token_bucket()) {
    if (limits.share == 0) {
      return t + rules_.window_ns;
    }
    const Wide missing = need(charge, limits) - lane.level;
    return t + static_cast<Nanoseconds>((missing + limits.share - 1) / limits.share);
  }
  if (!share_admits(charge, lane, limits)) {
    return share_ready_ns(lane, limits);
  }
  if (attempt.bucket > 0 && !bucket_admits(attempt.bucket, lane, limits)) {
    const MilliRu cap = limits.bucket_cap[attempt.bucket - 1U];
    const MilliRu spent = lane.bucket_spent[attempt.bucket - 1U];
    return boundary_after(cap > 0 ? std::max<MilliRu>(1, spent / cap) : 1);
  }
  if (limits.share == 0) {
    return window_end_;
  }
  const Wide lasts_ns = static_cast<Wide>(lane.balance) * rules_.window_ns / limits.share;
  return std::max(t + 1, static_cast<Nanoseconds>(window_end_ - std::max<Wide>(0, lasts_ns)));
}

SecondUse CapacityBudget::close_second() noexcept {
  SecondUse most{lanes_[0].second_mru, limits_[0].share_per_s};
  for (std::size_t i = 1; i < lanes_.size(); ++i) {
    const SecondUse use{lanes_[i].second_mru, limits_[i % kinds_].share_per_s};
    if (static_cast<Wide>(use.consumed_mru) * most.share_mru_per_s >
        static_cast<Wide>(most.consumed_mru) * use.share_mru_per_s) {
      most = use;
    }
  }
  for (Lane& lane : lanes_) {
    lane.second_mru = 0;
  }
  for (std::size_t kind = 0; kind < kinds_; ++kind) {
    second_limit_[kind] = second_limit(limits_[kind]);
  }
  return most;
}

MilliRu CapacityBudget::grant_limit(MilliRu largest_charge) const noexcept {
  Wide limit = 0;
  for (std::size_t kind = 0; kind < kinds_; ++kind) {
    limit += second_limit_[kind] + largest_charge;
  }
  // every region may grant as much, and a write is charged in all of them
  limit *= static_cast<Wide>(rules_.regions) * rules_.regions;
  return static_cast<MilliRu>(std::min<Wide>(limit, INT64_MAX));
}

MilliRu CapacityBudget::left_over() const noexcept {
  const Limits& limits = limits_[kinds_ - 1];
  MilliRu least = INT64_MAX;
  for (std::size_t i = kinds_ - 1; i < lanes_.size(); i += kinds_) {
    const Lane& lane = lanes_[i];
    const MilliRu left = is_token_bucket()
                             ? static_cast<MilliRu>(lane.overflow / rules_.window_ns)
                             : std::min(lane.balance, limits.window_share - lane.spent);
    least = std::min(least, std::max<MilliRu>(0, left));
  }
  return least;
}

void CapacityBudget::take_left_over(MilliRu amount) noexcept {
  PARTSIM_ASSERT(amount >= 0 && amount <= left_over(), "background work uses left-overs only");
  for (std::size_t i = kinds_ - 1; i < lanes_.size(); i += kinds_) {
    lanes_[i].balance -= amount;
    lanes_[i].overflow -= static_cast<Wide>(amount) * rules_.window_ns;
  }
}

}  // namespace partsim
