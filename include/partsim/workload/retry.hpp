/// What a client does with a refusal.
#pragma once

#include <algorithm>
#include <cstdint>

#include "partsim/core/rng.hpp"
#include "partsim/scenario/scenario.hpp"

namespace partsim {

/// The SDKs' rule: follow the server's retry-after, up to a number of retries and a total of
/// waiting. Or a wait of their own: a back-off, or always the same.
class RetryPolicy {
 public:
  RetryPolicy(const RetrySpec& spec, std::uint64_t seed, std::string_view client)
      : spec_(spec),
        follows_service_(spec.backoff_base_ns == 0 && spec.fixed_wait_ns == 0 &&
                         spec.longest_wait_ns >= kNever && !spec.may_overshoot),
        max_wait_ns_(spec.may_overshoot ? kNever : spec.max_wait_ns),
        jitter_(seed, client, "jitter"),
        fan_out_jitter_(seed, client, "jitter/fan-out") {}

  struct Refusal {
    std::uint64_t operation;
    std::uint32_t attempt;  // that was refused, 0 for the first send
    std::uint32_t gone;     // how many of the earlier ones met a partition in its swap
    std::uint32_t request;  // number within a fan-out
    bool is_fan_out;
    Nanoseconds retry_after_ns;
    Nanoseconds waited_ns;  // sum of the earlier waits
  };
  /// How long to wait before sending again, or -1 to give up.
  [[nodiscard, gnu::always_inline]] Nanoseconds wait_ns(const Refusal& refusal) const noexcept {
    if (refusal.attempt - refusal.gone >= spec_.max_retries) {
      return -1;
    }
    Nanoseconds wait = refusal.retry_after_ns;
    if (!follows_service_) {
      wait = own_wait_ns(refusal);
    } else if (spec_.jitter_ns > 0 || spec_.jitter_ppm > 0) {
      wait += jitter_ns(refusal, wait);
    }
    const bool too_long = refusal.waited_ns + wait > max_wait_ns_ || wait >= max_wait_ns_;
    return too_long ? -1 : wait;
  }
  /// After an answer that the partition is gone: at once, then after waits that double.
  [[nodiscard]] Nanoseconds gone_wait_ns(std::uint32_t gone, Nanoseconds waited_ns,
                                         const ProviderParameters& parameters) const noexcept {
    Nanoseconds wait = gone == 0 ? 0 : parameters.client_gone_retry_initial_ns;
    for (std::uint32_t i = 1; i < gone && wait < parameters.client_gone_retry_max_ns; ++i) {
      wait *= 2;
    }
    wait = std::min(wait, parameters.client_gone_retry_max_ns);
    const bool gives_up =
        spec_.max_retries == 0 || waited_ns + wait > parameters.client_gone_retry_total_ns;
    return gives_up ? -1 : wait;
  }

 private:
  [[nodiscard]] std::uint64_t jitter_draw(const Refusal& refusal) const noexcept {
    const std::uint64_t retry = refusal.attempt - refusal.gone + 1;
    return refusal.is_fan_out ? mix64(fan_out_jitter_.draw(refusal.operation) +
                                      (std::uint64_t{refusal.request} * 256 + retry) * kGoldenGamma)
                              : mix64(jitter_.draw(refusal.operation) + retry * kGoldenGamma);
  }

  /// By every rule but the plainest; kNever to give up.
  [[nodiscard]] Nanoseconds own_wait_ns(const Refusal& refusal) const noexcept {
    if (spec_.may_overshoot && refusal.waited_ns > spec_.max_wait_ns) {
      return kNever;
    }
    if (spec_.backoff_base_ns > 0) {
      return backoff_ns(refusal);
    }
    const Nanoseconds wait = spec_.fixed_wait_ns > 0
                                 ? spec_.fixed_wait_ns
                                 : std::min(refusal.retry_after_ns, spec_.longest_wait_ns);
    return wait + jitter_ns(refusal, wait);
  }

  [[nodiscard]] Nanoseconds backoff_ns(const Refusal& refusal) const noexcept {
    Nanoseconds limit = std::min(spec_.backoff_base_ns, spec_.backoff_max_ns);
    for (std::uint32_t i = refusal.gone; i < refusal.attempt && limit < spec_.backoff_max_ns; ++i) {
      limit = std::min(limit * 2, spec_.backoff_max_ns);
    }
    if (spec_.backoff_jitter == RetrySpec::Jitter::none) {
      return limit;
    }
    const Nanoseconds least = spec_.backoff_jitter == RetrySpec::Jitter::equal ? limit / 2 : 0;
    const auto width = static_cast<std::uint64_t>(std::max<Nanoseconds>(1, limit - least));
    return least + static_cast<Nanoseconds>(bounded(jitter_draw(refusal), width));
  }

  /// What is added to a wait of this length.
  [[nodiscard]] Nanoseconds jitter_ns(const Refusal& refusal, Nanoseconds wait) const noexcept {
    std::uint64_t draw = jitter_draw(refusal);
    Nanoseconds jitter = 0;
    if (spec_.jitter_ns > 0) {
      jitter = static_cast<Nanoseconds>(bounded(draw, static_cast<std::uint64_t>(spec_.jitter_ns)));
      draw = redraw(draw);
    }
    if (spec_.jitter_ppm > 0) {
      const auto ppm =
          static_cast<std::int64_t>(bounded(draw, static_cast<std::uint64_t>(spec_.jitter_ppm)));
      jitter += wait / kMillion * ppm + wait % kMillion * ppm / kMillion;
    }
    return jitter;
  }

  RetrySpec spec_;
  bool follows_service_;
  Nanoseconds max_wait_ns_;  // kNever where only what was waited before counts
  RngStream jitter_;
  RngStream fan_out_jitter_;
};

}  // namespace partsim
