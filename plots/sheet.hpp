/// Where everything stands on a chart's page, in pixels from the top left. Pure geometry: no
/// backend's language.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "partsim/plots/chart.hpp"

namespace partsim {

inline constexpr double kPageWidth = 1000;
inline constexpr double kPageEdge = 24;
inline constexpr double kLineHeight = 20;

struct Rectangle {
  double left = 0;
  double top = 0;
  double width = 0;
  double height = 0;
};

/// Text whose baseline is in the middle of `y`.
struct PlacedText {
  std::string text;  // visible
  double x = 0;
  double y = 0;
};

/// A name with a sample of its line.
struct LegendEntry {
  PlacedText name;
  const Line* line = nullptr;
  std::size_t panel = 0;
};

struct PlacedPanel {
  Rectangle plot;
  PlacedText heading;
  bool x_labels = true;    // the lowest of its column
  bool y_title = true;     // not that of its neighbour
  bool y_labels = true;    // likewise
  double label_width = 0;  // of names at bars
};

struct Sheet {
  double height = 0;
  PlacedText subject;
  std::vector<PlacedText> title;        // lines of it
  std::vector<PlacedText> explanation;  // likewise
  std::vector<LegendEntry> legend;
  std::vector<PlacedPanel> panels;
  bool has_scale = false;  // heat maps need one
  Rectangle scale;
};

/// About how wide a text is in the small font, in pixels.
[[nodiscard]] double text_width(const std::string& text);
/// Cut to fit, visible.
[[nodiscard]] std::string fitted(const std::string& text, double width);

[[nodiscard]] Sheet lay_out(const Chart& chart);

}  // namespace partsim
