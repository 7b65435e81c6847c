/// How little throughput may be bought, and how much to buy for a while so that all partitions
/// split alike (docs/MODEL.md section 10).
#pragma once

#include <cstdint>

#include "partsim/core/time.hpp"
#include "partsim/scenario/scenario.hpp"

namespace partsim {

/// What the minimum of a pool depends on.
struct MinimumBasis {
  CapacityMode mode = CapacityMode::manual;  // manual or autoscale
  Bytes stored_bytes = 0;
  MilliRu highest_mru_per_s = 0;  // the largest total the pool ever had
  bool is_database = false;
  std::uint32_t containers = 1;  // that share it
};

/// The least that may be bought; under autoscale the least maximum.
[[nodiscard]] MilliRu minimum_mru_per_s(const ProviderParameters& parameters,
                                        const MinimumBasis& basis) noexcept;

/// What to raise the throughput to, before it is lowered to `wanted`, so that every partition
/// splits equally often: with g = growth_partition_ru, `g * P * 2^ceil(log2(wanted / (g * P)))`.
/// `wanted` itself if nothing needs to split.
[[nodiscard]] MilliRu even_growth_mru_per_s(const ProviderParameters& parameters,
                                            std::uint32_t partitions, MilliRu wanted) noexcept;

}  // namespace partsim
