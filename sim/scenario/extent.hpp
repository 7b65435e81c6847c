/// How large and how thin a pool may become over its timeline: upper bounds where a run decides.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "partsim/scenario/pools.hpp"

namespace partsim::estimate {

using partsim::units_apart;

/// `container`, or `containers.NAME` where there are several or they share a database.
[[nodiscard]] std::string container_path(const Scenario& scenario, std::size_t index);
/// That of the section that buys.
[[nodiscard]] std::string pool_path(const Scenario& scenario, const PoolSpec& pool);

struct Extent {
  std::uint64_t partitions = 1;  // most
  MilliRu least_share = 0;       // of a partition with most partitions and the least total
  MilliRu largest_total = 0;
};
[[nodiscard]] Extent extent_of(const Scenario& scenario, const PoolSpec& pool);
/// That of its pool for every container.
[[nodiscard]] std::vector<Extent> extents_of(const Scenario& scenario);

}  // namespace partsim::estimate
