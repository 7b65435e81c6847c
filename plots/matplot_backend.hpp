/// The optional backend. Compiled in only where CMake finds Matplot++.
#pragma once

#include <string>
#include <vector>

#include "partsim/plots/chart.hpp"

namespace partsim {

[[nodiscard]] bool has_matplot() noexcept;

/// Commands for gnuplot, as Matplot++ writes them, that draw each chart as NAME.svg and NAME.png
/// into the current folder. Of users' texts only what means nothing there gets through. Empty in a
/// build without Matplot++.
[[nodiscard]] std::string matplot_script(const std::vector<Chart>& charts);

}  // namespace partsim
