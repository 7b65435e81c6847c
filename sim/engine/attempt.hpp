/// One send of one request as the hot loop sees it. Private to the engine.
#pragma once

#include <cstdint>

#include "partsim/core/time.hpp"
#include "partsim/workload/arrival.hpp"

namespace partsim {

/// A refused request that will be sent again.
struct WaitingRetry {
  Nanoseconds due_ns;
  std::uint64_t id;
  Nanoseconds first_send_ns;
  std::uint32_t charge_mru;
  std::uint32_t join;
  std::uint16_t plan;
  std::uint16_t request;
  std::uint16_t attempt;  // the number it will have
  std::uint16_t gone;     // how many of the earlier ones met a partition in its swap
};

/// Rounds up to a multiple of a step by multiplying with the reciprocal: a 64-bit division per
/// refusal would be a tenth of the loop. The estimate is off by one at most, and mended.
class RoundUp {
 public:
  explicit RoundUp(Nanoseconds step) noexcept
      : step_(step), reciprocal_(1.0 / static_cast<double>(step)) {}
  [[nodiscard]] Nanoseconds operator()(Nanoseconds value) const noexcept {
    if (step_ == 1) {
      return value;
    }
    auto multiple = static_cast<Nanoseconds>(static_cast<double>(value) * reciprocal_) * step_;
    while (multiple < value) {
      multiple += step_;
    }
    while (multiple - step_ >= value) {
      multiple -= step_;
    }
    return multiple;
  }

 private:
  Nanoseconds step_;
  double reciprocal_;
};

/// One send of one request, first or repeated.
struct Attempt {
  Nanoseconds time_ns;
  std::uint64_t id;
  Nanoseconds first_send_ns;
  std::uint32_t charge_mru;
  std::uint32_t join;
  std::uint16_t plan;
  std::uint16_t request;
  std::uint16_t number;
  std::uint16_t gone;

  /// Its due_ns is when it was sent.
  [[nodiscard]] WaitingRetry as_sent() const noexcept {
    return {time_ns, id, first_send_ns, charge_mru, join, plan, request, number, gone};
  }
};

inline Attempt from_arrival(const Arrival& a) noexcept {
  return {a.time_ns, a.id, a.time_ns, a.charge_mru, a.join, a.plan, a.request, 0, 0};
}
inline Attempt from_retry(const WaitingRetry& w) noexcept {
  return {w.due_ns, w.id,      w.first_send_ns, w.charge_mru, w.join,
          w.plan,   w.request, w.attempt,       w.gone};
}

}  // namespace partsim
