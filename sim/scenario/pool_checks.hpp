/// Checks of throughput that hold for the start and for every entry of a timeline.
#pragma once

#include <cstdint>
#include <string>

#include "findings.hpp"

namespace partsim::checks {

/// Range, minimum and step of an amount that a pool is set to; `highest` is the most it ever had.
/// False: it makes no sense to look at the partitions it would need.
[[nodiscard]] bool sold_amount(const Scenario& scenario, const estimate::PoolView& pool,
                               const std::string& place, MilliRu amount, MilliRu highest,
                               Findings& findings);
[[nodiscard]] bool allowed_count(std::int64_t count, const std::string& place, Findings& findings);
/// No partition gets more than it can have.
void allowed_share(const ProviderParameters& p, const estimate::Total& total, std::int64_t count,
                   const std::string& place, Findings& findings);

}  // namespace partsim::checks
