/// The optional second backend. Built without Matplot++ it only says so.
#pragma once

#include <string>

#include "partsim/plots/plots.hpp"

namespace partsim {

[[nodiscard]] bool has_matplot() noexcept;
[[nodiscard]] ChartOutcome draw_with_matplot(const StudyResult& study, const std::string& folder);

}  // namespace partsim
