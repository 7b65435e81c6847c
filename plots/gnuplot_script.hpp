/// The gnuplot script of all charts, for one output format. It contains no text of users.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "chart_data.hpp"

namespace partsim {

enum class ChartFormat : std::uint8_t { svg, png };

struct Charts {
  DataFile texts;  // title, then one panel heading a variant
  std::vector<UtilizationPanel> panels;
  LatencyCurves latency;
  VariantBars bars;
  std::size_t variants = 0;
};

[[nodiscard]] Charts make_charts(const StudyResult& study);

[[nodiscard]] std::string gnuplot_script(const Charts& charts, ChartFormat format);

}  // namespace partsim
