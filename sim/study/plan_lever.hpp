/// What a lever turns in a scenario, and between which ends.
#pragma once

#include <cstdint>
#include <string>

#include "partsim/study/plan.hpp"

namespace partsim {

/// Amounts are multiples of `step` from `least` to `most`.
struct PlanGrid {
  std::int64_t step = 1;
  std::int64_t least = 1;
  std::int64_t most = 1;
  std::int64_t start = 1;  // what the scenario has
};
[[nodiscard]] PlanGrid grid_of(const Scenario& scenario, const PlanOptions& options);

/// What is left to buy at least after `highest` was bought once.
[[nodiscard]] MilliRu floor_after(const Scenario& scenario, MilliRu highest_mru_per_s);

/// The largest amount below this one at which the layout is about to have more partitions, so that
/// each has as much as it ever has in this layout; 0 if there is none.
[[nodiscard]] std::int64_t layout_top_below(const Scenario& scenario, Lever lever,
                                            std::int64_t amount);

/// The smallest such amount from this one on; 0 if there is none.
[[nodiscard]] std::int64_t layout_top_from(const Scenario& scenario, Lever lever,
                                           std::int64_t amount);

[[nodiscard]] std::uint64_t partitions_at_start(const Scenario& scenario);

}  // namespace partsim
