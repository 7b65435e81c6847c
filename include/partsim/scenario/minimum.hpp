/// How little throughput may be bought (docs/MODEL.md section 10).
#pragma once

#include <cstdint>

#include "partsim/scenario/scenario.hpp"

namespace partsim {

/// What the minimum of a pool depends on.
struct MinimumBasis {
  CapacityMode mode = CapacityMode::manual;  // manual or autoscale
  Bytes stored_bytes = 0;
  MilliRu highest_mru_per_s = 0;  // the largest total the pool ever had
  bool is_database = false;
  std::uint32_t containers = 1;  // that share it
  bool is_unlimited = false;     // counts with `min_ru_unlimited_container`
};

/// The least that may be bought; under autoscale the least maximum.
struct Minimum {
  /// What makes it so high.
  enum class Reason : std::uint8_t { plain, containers, unlimited, storage, highest };
  MilliRu mru_per_s = 0;
  Reason reason = Reason::plain;
};
[[nodiscard]] Minimum minimum_of(const ProviderParameters& parameters,
                                 const MinimumBasis& basis) noexcept;

/// The least autoscale maximum that is sold and not below this one.
[[nodiscard]] MilliRu next_autoscale_step(const ProviderParameters& parameters,
                                          MilliRu mru_per_s) noexcept;

}  // namespace partsim
