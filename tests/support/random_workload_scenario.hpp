/// Random scenarios that use every kind of client, retry, operation and item of docs/WORKLOAD.md.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "partsim/scenario/scenario.hpp"

namespace partsim {

/// Always the same scenario for a seed, so that a failing one can be run again. A few hundred to a
/// few thousand attempts.
[[nodiscard]] Scenario random_workload_scenario(std::uint64_t seed);

/// Scenarios with one thing less each.
[[nodiscard]] std::vector<Scenario> simpler_workload_scenarios(const Scenario& scenario);

/// What `describe` does not know: arrivals, retries, limits, operations, fields.
[[nodiscard]] std::string describe_workload(const Scenario& scenario);

}  // namespace partsim
