/// Which physical partitions a container has, and what each may spend.
#pragma once

#include <cstdint>
#include <vector>

#include "partsim/core/time.hpp"
#include "partsim/keys/epk.hpp"

namespace partsim {

/// Physical partitions in range order: their ranges tile the key space.
struct Layout {
  HashVersion hash = HashVersion::v2;
  std::vector<HashRange> ranges;
  std::vector<std::uint32_t> ids;  // which partition owns ranges[i]; unique over all containers

  [[nodiscard]] std::uint32_t owner(const HashPoint& point) const noexcept {
    return ids[owner_of(ranges, point)];
  }
};

/// `total / count` each; what does not divide goes to the first ones, one milli-RU each.
[[nodiscard]] std::vector<MilliRu> even_shares(MilliRu total, std::size_t count);

}  // namespace partsim
