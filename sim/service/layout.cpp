#include "partsim/service/layout.hpp"

namespace partsim {

std::vector<MilliRu> even_shares(MilliRu total, std::size_t count) {
  std::vector<MilliRu> shares(count, total / static_cast<MilliRu>(count));
  for (std::size_t i = 0; i < static_cast<std::size_t>(total % static_cast<MilliRu>(count)); ++i) {
    ++shares[i];
  }
  return shares;
}

}  // namespace partsim
