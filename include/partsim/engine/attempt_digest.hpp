/// The part of a run's digest that one attempt makes.
#pragma once

#include <cstdint>

#include "partsim/core/rng.hpp"
#include "partsim/engine/engine.hpp"

namespace partsim {

/// A run's digest is the sum of these, modulo 2^64: a sum does not depend on the order in which
/// partitions are computed, and still changes with any attempt that does.
[[nodiscard]] inline std::uint64_t attempt_digest(const AttemptRecord& attempt,
                                                  std::uint64_t client_name_hash) noexcept {
  const std::uint64_t who = mix64(static_cast<std::uint64_t>(attempt.time_ns) + client_name_hash) +
                            attempt.operation * kGoldenGamma;
  const std::uint64_t what = std::uint64_t{attempt.partition} << 40 |
                             std::uint64_t{attempt.attempt} << 32 |
                             static_cast<std::uint64_t>(attempt.charge_mru);
  const std::uint64_t then =
      static_cast<std::uint64_t>(attempt.next_ns) * 4 + static_cast<std::uint64_t>(attempt.outcome);
  return mix64(who ^ what) + mix64(who + then);
}

}  // namespace partsim
