/// How a physical partition's RU/s admit or refuse an attempt: three models, one shape.
///
/// Each model has `advance(t)` (time has come to t; never goes back), `admits(charge)`,
/// `take(charge)` (pay), `ready_ns(t, charge)` (after a refusal: when an attempt may be admitted
/// again) and `exhausted(cheapest)`: nothing at all can be admitted before `window_end_ns()` and
/// each refusal stands for itself, so the loop may refuse the rest of the window in any order.
#pragma once

#include <algorithm>
#include <cstdint>

#include "partsim/core/time.hpp"

namespace partsim {

struct BudgetSpec {
  MilliRu share_mru_per_window = 0;
  Nanoseconds window_ns = kSecond;
  bool refusals_cost = false;
};

/// `share` in milli-RU per second to milli-RU per window, rounded down.
[[nodiscard]] constexpr MilliRu share_per_window(MilliRu share_mru_per_s,
                                                 Nanoseconds window_ns) noexcept {
  __extension__ using Wide = __int128;
  return static_cast<MilliRu>(static_cast<Wide>(share_mru_per_s) * window_ns / kSecond);
}

/// Most that whole windows can grant in one second: a window longer than a second may spend all at
/// once.
[[nodiscard]] constexpr MilliRu windows_in_a_second(const BudgetSpec& spec) noexcept {
  const Nanoseconds windows =
      std::max<Nanoseconds>(1, (kSecond + spec.window_ns - 1) / spec.window_ns);
  return windows * spec.share_mru_per_window;
}

/// What the two models have in common that renew at the boundaries of windows.
template <class Model>
class WindowBudget {
 public:
  /// From the window that begins at t on; nothing at or after t was handled yet.
  void set_share(Nanoseconds t, MilliRu share_mru_per_window) noexcept {
    const bool unused = window_end_ - spec_.window_ns == t;
    if (!unused) {
      static_cast<Model*>(this)->advance(t - 1);
    }
    spec_.share_mru_per_window = share_mru_per_window;
    if (unused) {
      balance_ = share_mru_per_window;
    }
  }
  void take(MilliRu charge) noexcept { balance_ -= charge; }
  [[nodiscard]] Nanoseconds window_end_ns() const noexcept { return window_end_; }

 private:
  friend Model;  // nobody else makes one
  WindowBudget(const BudgetSpec& spec, Nanoseconds born_ns) noexcept
      : spec_(spec), balance_(spec.share_mru_per_window), window_end_(born_ns + spec.window_ns) {}

  BudgetSpec spec_;
  MilliRu balance_;
  Nanoseconds window_end_;
};

/// The default. The balance gains the share at each boundary, capped at the share; whoever meets a
/// balance above zero is admitted and pays in full, so the last one may overdraw and the debt is
/// worked off. It is the only simple rule that explains a retry-after above one second.
class WindowDebtBudget : public WindowBudget<WindowDebtBudget> {
 public:
  explicit WindowDebtBudget(const BudgetSpec& spec, Nanoseconds born_ns = 0) noexcept
      : WindowBudget(spec, born_ns) {}

  void advance(Nanoseconds t) noexcept {
    if (t >= window_end_) {
      const Nanoseconds windows = (t - window_end_) / spec_.window_ns + 1;
      window_end_ += windows * spec_.window_ns;
      // from a debt of d the share fills up after at most d / share + 1 windows
      const MilliRu share = spec_.share_mru_per_window;
      const MilliRu missing = share - balance_;
      if (share > 0) {
        balance_ = windows > missing / share ? share : std::min(share, balance_ + windows * share);
      }
    }
  }
  [[nodiscard]] bool admits(MilliRu /*charge*/) const noexcept { return balance_ > 0; }
  [[nodiscard]] Nanoseconds ready_ns(Nanoseconds /*t*/, MilliRu /*charge*/) const noexcept {
    const MilliRu share = spec_.share_mru_per_window;
    const Nanoseconds more = balance_ == 0 || share == 0 ? 0 : -balance_ / share;
    return window_end_ + more * spec_.window_ns;
  }
  [[nodiscard]] bool exhausted(MilliRu /*cheapest*/) const noexcept {
    return balance_ <= 0 && !spec_.refusals_cost;
  }

  /// The most that one second may grant.
  [[nodiscard]] static MilliRu grant_limit(const BudgetSpec& spec,
                                           MilliRu largest_charge) noexcept {
    return windows_in_a_second(spec) + largest_charge;
  }
};

/// Only what fits into the rest of the window is admitted; nothing is carried over.
class WindowStrictBudget : public WindowBudget<WindowStrictBudget> {
 public:
  explicit WindowStrictBudget(const BudgetSpec& spec, Nanoseconds born_ns = 0) noexcept
      : WindowBudget(spec, born_ns) {}

  void advance(Nanoseconds t) noexcept {
    if (t >= window_end_) {
      window_end_ += ((t - window_end_) / spec_.window_ns + 1) * spec_.window_ns;
      balance_ = spec_.share_mru_per_window;
    }
  }
  [[nodiscard]] bool admits(MilliRu charge) const noexcept { return charge <= balance_; }
  [[nodiscard]] Nanoseconds ready_ns(Nanoseconds /*t*/, MilliRu /*charge*/) const noexcept {
    return window_end_;
  }
  [[nodiscard]] bool exhausted(MilliRu cheapest) const noexcept { return balance_ < cheapest; }

  /// The most that one second may grant.
  [[nodiscard]] static MilliRu grant_limit(const BudgetSpec& spec,
                                           MilliRu /*largest_charge*/) noexcept {
    return windows_in_a_second(spec);
  }
};

/// Refills continuously, holds one window's share. The level is kept in milli-RU times window
/// nanoseconds, so that a refill per nanosecond is a whole number.
class TokenBucketBudget {
 public:
  explicit TokenBucketBudget(const BudgetSpec& spec, Nanoseconds born_ns = 0) noexcept
      : spec_(spec),
        level_(static_cast<Wide>(spec.share_mru_per_window) * spec.window_ns),
        born_ns_(born_ns),
        now_(born_ns) {}

  /// From t on; nothing at or after t was handled yet.
  void set_share(Nanoseconds t, MilliRu share_mru_per_window) noexcept {
    advance(t);
    spec_.share_mru_per_window = share_mru_per_window;
    const Wide full = static_cast<Wide>(share_mru_per_window) * spec_.window_ns;
    level_ = t == born_ns_ ? full : std::min(level_, full);
  }

  void advance(Nanoseconds t) noexcept {
    const Wide full = static_cast<Wide>(spec_.share_mru_per_window) * spec_.window_ns;
    level_ = std::min(full, level_ + static_cast<Wide>(spec_.share_mru_per_window) * (t - now_));
    now_ = t;
  }
  [[nodiscard]] bool admits(MilliRu charge) const noexcept {
    return level_ >= need(charge) && spec_.share_mru_per_window > 0;
  }
  [[nodiscard]] Nanoseconds ready_ns(Nanoseconds t, MilliRu charge) const noexcept {
    const MilliRu share = spec_.share_mru_per_window;
    if (share == 0) {
      return t + spec_.window_ns;
    }
    return t + static_cast<Nanoseconds>((need(charge) - level_ + share - 1) / share);
  }
  [[nodiscard]] bool exhausted(MilliRu /*cheapest*/) const noexcept { return false; }
  void take(MilliRu charge) noexcept { level_ -= static_cast<Wide>(charge) * spec_.window_ns; }
  [[nodiscard]] Nanoseconds window_end_ns() const noexcept { return kNever; }

  /// The most that one second may grant.
  [[nodiscard]] static MilliRu grant_limit(const BudgetSpec& spec,
                                           MilliRu largest_charge) noexcept {
    return spec.share_mru_per_window + windows_in_a_second(spec) + largest_charge;
  }

 private:
  __extension__ using Wide = __int128;
  /// A charge above what the bucket holds is admitted when the bucket is full, and overdraws it.
  [[nodiscard]] Wide need(MilliRu charge) const noexcept {
    return static_cast<Wide>(std::min(charge, spec_.share_mru_per_window)) * spec_.window_ns;
  }

  BudgetSpec spec_;
  Wide level_;
  Nanoseconds born_ns_;
  Nanoseconds now_;
};

}  // namespace partsim
