/// What a client does with a refusal.
#pragma once

#include <cstdint>

#include "partsim/core/rng.hpp"
#include "partsim/scenario/scenario.hpp"

namespace partsim {

/// The SDKs' rule: follow the server's retry-after, up to a number of retries and a total of
/// waiting.
class RetryPolicy {
 public:
  RetryPolicy(const RetrySpec& spec, std::uint64_t seed, std::string_view client)
      : spec_(spec),
        jitter_(seed, client, "jitter"),
        fan_out_jitter_(seed, client, "jitter/fan-out") {}

  struct Refusal {
    std::uint64_t operation;
    std::uint32_t attempt;  // that was refused, 0 for the first send
    std::uint32_t request;  // number within a fan-out
    bool is_fan_out;
    Nanoseconds retry_after_ns;
    Nanoseconds waited_ns;  // sum of the earlier waits
  };
  /// How long to wait before sending again, or -1 to give up.
  [[nodiscard]] Nanoseconds wait_ns(const Refusal& refusal) const noexcept {
    if (refusal.attempt >= spec_.max_retries) {
      return -1;
    }
    Nanoseconds wait = refusal.retry_after_ns;
    if (spec_.jitter_ns > 0 || spec_.jitter_ppm > 0) {
      wait += jitter_ns(refusal);
    }
    const bool too_long = refusal.waited_ns + wait > spec_.max_wait_ns || wait >= spec_.max_wait_ns;
    return too_long ? -1 : wait;
  }

 private:
  [[nodiscard]] Nanoseconds jitter_ns(const Refusal& refusal) const noexcept {
    const std::uint64_t retry = refusal.attempt + 1;
    std::uint64_t draw = refusal.is_fan_out
                             ? mix64(fan_out_jitter_.draw(refusal.operation) +
                                     (std::uint64_t{refusal.request} * 256 + retry) * kGoldenGamma)
                             : mix64(jitter_.draw(refusal.operation) + retry * kGoldenGamma);
    Nanoseconds jitter = 0;
    if (spec_.jitter_ns > 0) {
      jitter = static_cast<Nanoseconds>(bounded(draw, static_cast<std::uint64_t>(spec_.jitter_ns)));
      draw = redraw(draw);
    }
    if (spec_.jitter_ppm > 0) {
      const auto ppm =
          static_cast<std::int64_t>(bounded(draw, static_cast<std::uint64_t>(spec_.jitter_ppm)));
      jitter += refusal.retry_after_ns / kMillion * ppm +
                refusal.retry_after_ns % kMillion * ppm / kMillion;
    }
    return jitter;
  }

  RetrySpec spec_;
  RngStream jitter_;
  RngStream fan_out_jitter_;
};

}  // namespace partsim
