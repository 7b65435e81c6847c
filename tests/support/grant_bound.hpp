/// The most that a budget may have granted, over every stretch of time at once.
#pragma once

#include <algorithm>
#include <functional>
#include <utility>

#include "partsim/scenario/scenario.hpp"

namespace partsim {

/// Over any stretch that begins with a window, a budget pays out less than what it can have held
/// when the stretch began (a window's share, or its burst store, and the store of a minute), the
/// shares of the windows since, the stores of the minutes since, and one overdraft. `room` is the
/// least that any stretch up to now leaves, so that one number stands for all of them.
/// What makes a budget smaller still (refusals that cost, buckets, low priority) is left out.
class GrantBound {
 public:
  __extension__ using Wide = __int128;
  /// In milli-RU a second at an instant: the share, and the share that sizes the burst store.
  using SharesAt = std::function<std::pair<MilliRu, MilliRu>(Nanoseconds)>;

  GrantBound(const Scenario& scenario, SharesAt shares_at, MilliRu burst_max_mru_per_s,
             Nanoseconds born_ns)
      : rules_(scenario.parameters),
        shares_at_(std::move(shares_at)),
        burst_max_mru_per_s_(burst_max_mru_per_s),
        window_(rules_.throttle_window_ns),
        now_(born_ns),
        next_window_(born_ns + window_) {
    const Nanoseconds into_minute = scenario.start_unix_s % 60 * kSecond;
    next_minute_ = ((born_ns + into_minute) / kMinute + 1) * kMinute - into_minute;
    look_up(born_ns);
    room_ = (share_ + minute_) * window_;
  }

  /// Whether a charge may be granted at t.
  [[nodiscard]] bool allows(Nanoseconds t, MilliRu charge) {
    advance(t);
    switch (rules_.throttle_model) {
      case ThrottleModel::token_bucket:
        return room_ >= std::min<Wide>(charge, share_) * window_;
      case ThrottleModel::window_strict:
        return room_ >= Wide{charge} * window_ && charge <= peak_ - spent_;
      case ThrottleModel::window_debt:
        break;
    }
    return room_ > 0 && (spent_ < peak_ || minute_ > 0);
  }

  void pay(Nanoseconds t, MilliRu charge) {
    advance(t);
    room_ -= Wide{charge} * window_;
    spent_ += charge;
  }

 private:
  void look_up(Nanoseconds t) {
    const auto [share, store] = shares_at_(t);
    const auto per_window = [this](MilliRu amount) { return Wide{amount} * window_ / kSecond; };
    const bool is_bucket = rules_.throttle_model == ThrottleModel::token_bucket;
    const bool bursts =
        rules_.burst_enabled && !is_bucket && share < rules_.burst_eligible_below_mru_per_s;
    const bool by_minute = rules_.ru_per_minute_enabled &&
                           rules_.throttle_model == ThrottleModel::window_debt &&
                           share <= rules_.ru_per_minute_max_partition_mru;
    share_ = per_window(share);
    const Wide saved = bursts ? per_window(store) * rules_.burst_window_s * kSecond / window_ : 0;
    most_ = rules_.burst_net_of_share ? share_ + saved : std::max(share_, saved);
    peak_ = bursts ? std::max(share_, per_window(burst_max_mru_per_s_)) : Wide{kNever} * kNever;
    minute_ = by_minute ? Wide{share} * rules_.ru_per_minute_ratio : 0;
  }

  void gain(Wide amount) { room_ = std::min(room_ + amount, (most_ + minute_) * window_); }

  void advance(Nanoseconds t) {
    const bool is_bucket = rules_.throttle_model == ThrottleModel::token_bucket;
    while (std::min(next_window_, next_minute_) <= t) {
      const Nanoseconds next = std::min(next_window_, next_minute_);
      if (is_bucket) {
        gain(share_ * (next - now_));
      }
      now_ = next;
      if (next == next_window_) {
        look_up(next);
        spent_ = std::max<Wide>(0, spent_ - peak_);
        if (rules_.throttle_model == ThrottleModel::window_strict) {
          room_ = std::max<Wide>(room_, 0);
        }
        gain(is_bucket ? 0 : share_ * window_);
        next_window_ += window_;
      }
      if (next == next_minute_) {
        gain(minute_ * window_);
        next_minute_ += kMinute;
      }
    }
    if (is_bucket) {
      gain(share_ * (t - now_));
      now_ = t;
    }
  }

  const ProviderParameters& rules_;
  SharesAt shares_at_;
  MilliRu burst_max_mru_per_s_;
  Nanoseconds window_;
  Nanoseconds now_;
  Nanoseconds next_window_;
  Nanoseconds next_minute_ = kNever;
  Wide share_ = 0;   // of a window
  Wide most_ = 0;    // that may be saved
  Wide peak_ = 0;    // that a window may spend
  Wide minute_ = 0;  // store of a minute
  Wide room_ = 0;    // times window_, so that a token bucket counts by the nanosecond
  Wide spent_ = 0;
};

}  // namespace partsim
