/// Which physical partitions a container has, and what each may spend.
#pragma once

#include <cstdint>
#include <vector>

#include "partsim/keys/epk.hpp"
#include "partsim/scenario/scenario.hpp"

namespace partsim {

/// Physical partitions in range order; ids are indices.
struct Layout {
  HashVersion hash = HashVersion::v2;
  std::vector<HashRange> ranges;
  std::vector<MilliRu> share_mru_per_s;
};

/// The hash a container really uses: a key of several levels is always hashed level by level.
[[nodiscard]] HashVersion hash_version_of(const ContainerSpec& container) noexcept;

/// Partitions of a new container: as stated, or by the creation rule for manual throughput.
[[nodiscard]] std::uint32_t initial_partition_count(const ContainerSpec& container,
                                                    const ProviderParameters& parameters) noexcept;

/// Even ranges, even shares; what does not divide goes to the first partitions, one milli-RU each.
[[nodiscard]] Layout initial_layout(const ContainerSpec& container,
                                    const ProviderParameters& parameters);

}  // namespace partsim
