#include "matplot_backend.hpp"

namespace partsim {

bool has_matplot() noexcept {
  return false;
}

std::string matplot_script(const std::vector<Chart>& /*charts*/) {
  return {};
}

}  // namespace partsim
