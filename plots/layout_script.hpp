/// The chart of layouts that changed.
#pragma once

#include <vector>

#include "layout_data.hpp"
#include "script.hpp"

namespace partsim {

void add_layouts(Script& script, const std::vector<LayoutPanel>& panels, ChartFormat format);

}  // namespace partsim
