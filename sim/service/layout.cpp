#include "partsim/service/layout.hpp"

#include <algorithm>

namespace partsim {

HashVersion hash_version_of(const ContainerSpec& container) noexcept {
  return container.partition_key.size() > 1 ? HashVersion::multihash : container.hash;
}

std::uint32_t initial_partition_count(const ContainerSpec& container,
                                      const ProviderParameters& parameters) noexcept {
  if (container.throughput.partitions) {
    return *container.throughput.partitions;
  }
  const MilliRu per_partition = parameters.initial_partition_mru_manual;
  const MilliRu needed = (container.throughput.mru_per_s + per_partition - 1) / per_partition;
  return static_cast<std::uint32_t>(std::max<MilliRu>(needed, 1));
}

Layout initial_layout(const ContainerSpec& container, const ProviderParameters& parameters) {
  const std::uint32_t count = initial_partition_count(container, parameters);
  Layout layout;
  layout.hash = hash_version_of(container);
  layout.ranges = initial_ranges(layout.hash, count);
  const MilliRu even = container.throughput.mru_per_s / count;
  const MilliRu left_over = container.throughput.mru_per_s % count;
  for (std::uint32_t i = 0; i < count; ++i) {
    layout.share_mru_per_s.push_back(even + (i < left_over ? 1 : 0));
  }
  return layout;
}

}  // namespace partsim
