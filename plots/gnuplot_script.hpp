/// The gnuplot script of all charts, for one output format. It contains no text of users.
#pragma once

#include <string>
#include <vector>

#include "chart_data.hpp"
#include "layout_data.hpp"
#include "script.hpp"

namespace partsim {

struct Charts {
  DataFile texts;  // title, then one panel heading a variant
  std::vector<UtilizationPanel> panels;
  LatencyCurves latency;
  VariantBars bars;
  std::vector<LayoutPanel> layouts;  // of the variants whose layout changed
  std::size_t variants = 0;
};

[[nodiscard]] Charts make_charts(const StudyResult& study);

[[nodiscard]] std::string gnuplot_script(const Charts& charts, ChartFormat format);

}  // namespace partsim
