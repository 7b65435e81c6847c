/// What the clients of a pool ask of it, on average.
#pragma once

#include "partsim/scenario/pools.hpp"

namespace partsim {

/// Charges a second, in milli-RU or in thousandths of a unit.
struct Demand {
  double reads = 0;  // and queries
  double writes = 0;
};

/// Under these parameters, which need not be the scenario's; operations at once count as if they
/// were spread over a time.
[[nodiscard]] Demand demand_of(const Scenario& scenario, const PoolSpec& pool,
                               const ProviderParameters& parameters, Nanoseconds spread_ns);

}  // namespace partsim
