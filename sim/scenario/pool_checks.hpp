/// Checks of throughput that hold for the start and for every entry of a timeline.
#pragma once

#include <cstdint>
#include <string>

#include "findings.hpp"

namespace partsim::checks {

/// What a pool is set to.
struct Amount {
  MilliRu mru_per_s = 0;
  bool is_units = false;          // reads and writes together
  MilliRu highest_mru_per_s = 0;  // the most it ever had, this one included
};
/// Range, minimum and step of an amount. False: it makes no sense to look at the partitions it
/// would need.
[[nodiscard]] bool sold_amount(const Scenario& scenario, const PoolSpec& pool,
                               const std::string& place, const Amount& amount, Findings& findings);
/// Whether units are sold at all, and so few; `expected` is what might be bought instead.
[[nodiscard]] bool sold_units(const Scenario& scenario, const CapacityUnits& units,
                              const std::string& place, const std::string& expected,
                              Findings& findings);
[[nodiscard]] bool allowed_count(std::uint64_t count, const std::string& place, Findings& findings);
/// No partition gets more than it can have.
void allowed_share(const ProviderParameters& p, const Share& total, std::uint64_t count,
                   const std::string& place, Findings& findings);

}  // namespace partsim::checks
