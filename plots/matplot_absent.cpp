#include "matplot_backend.hpp"

namespace partsim {

bool has_matplot() noexcept {
  return false;
}

ChartOutcome draw_with_matplot(const StudyResult& /*study*/, const std::string& /*folder*/) {
  return {{}, "no charts: this partsim was built without Matplot++"};
}

}  // namespace partsim
