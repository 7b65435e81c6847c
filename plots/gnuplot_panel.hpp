/// One panel in gnuplot's language.
#pragma once

#include <string>

#include "partsim/plots/chart.hpp"

#include "gnuplot_script.hpp"
#include "sheet.hpp"

namespace partsim {

/// Places on a page in pixels from the top left, as gnuplot's fractions from the bottom left.
struct Page {
  double height = 1;
  [[nodiscard]] double x(double px) const { return px / kPageWidth; }
  [[nodiscard]] double y(double px) const { return 1.0 - px / height; }
};

/// Where a panel's commands go. Numbers come before the charts, as data blocks that both formats
/// read.
struct PanelOutput {
  Script& commands;
  Script& data;
  Texts& texts;
  std::string prefix;  // of the names of data blocks: "$c0p1"
};

void add_panel(PanelOutput& out, const Panel& panel, const PlacedPanel& placed, const Page& page);

}  // namespace partsim
