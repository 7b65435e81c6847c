#include "gnuplot_panel.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string_view>
#include <variant>
#include <vector>

#include "partsim/plots/theme.hpp"
#include "partsim/report/text.hpp"

namespace partsim {
namespace {

std::string soft() {
  return fmt::format("textcolor '{}'", hex_text(kSoftInk));
}

std::string number(double value) {
  return std::isnan(value) ? "NaN" : fmt::format("{:.7g}", value);
}

std::string axis_title(const Axis& axis) {
  return axis.unit.empty()    ? axis.title
         : axis.title.empty() ? axis.unit
                              : axis.title + ", " + axis.unit;
}

/// Every so manieth of `count` marks, so that each has `room` of `length`.
std::size_t thinned(std::size_t count, double room, double length) {
  std::size_t step = 1;
  for (const std::size_t next : {2U, 5U, 10U, 20U, 50U, 100U, 200U, 500U, 1000U}) {
    if (static_cast<double>(count) / static_cast<double>(step) * room <= length) {
      break;
    }
    step = next;
  }
  return step;
}

/// "T[3] 0, T[4] 10": marks of an axis, their texts or only their places.
std::string ticks_of(PanelOutput& out, const std::vector<Axis::Tick>& ticks, bool texts,
                     std::size_t step) {
  std::string list;
  for (std::size_t i = 0; i < ticks.size(); i += step) {
    list += fmt::format("{}{} {}", list.empty() ? "" : ", ",
                        texts ? out.texts.add_tick(ticks[i].text) : "''", number(ticks[i].at));
  }
  return list;
}

void add_x_axis(PanelOutput& out, const Panel& panel, const PlacedPanel& placed) {
  const Axis& axis = panel.x;
  out.commands.add("{} logscale x", axis.scale == AxisScale::logarithmic ? "set" : "unset");
  out.commands.add("set xrange [{}:{}]", number(axis.low), number(axis.high));
  if (axis.ticks.empty()) {
    out.commands.add("set xtics autofreq");
  } else {
    double room = 0;
    for (const Axis::Tick& tick : axis.ticks) {
      room = std::max(room, text_width(tick.text) + 8);
    }
    const std::size_t step = axis.scale == AxisScale::logarithmic
                                 ? 1
                                 : thinned(axis.ticks.size(), room, placed.plot.width);
    out.commands.add("set xtics ({})", ticks_of(out, axis.ticks, placed.x_labels, step));
  }
  if (placed.x_labels && !axis.title.empty()) {
    out.commands.add("set xlabel {} offset 0,0.2 {}", out.texts.add(axis_title(axis)), soft());
  } else {
    out.commands.add("unset xlabel");
  }
}

void add_y_axis(PanelOutput& out, const Panel& panel, const PlacedPanel& placed, const Page& page) {
  const Axis& axis = panel.y;
  constexpr double kTickHeight = 17;
  out.commands.add("{} logscale y", axis.scale == AxisScale::logarithmic ? "set" : "unset");
  out.commands.add("set yrange [{}:{}]", number(axis.low), number(axis.high));
  if (axis.ticks.empty()) {
    out.commands.add("set ytics autofreq");
  } else {
    const std::size_t step = thinned(axis.ticks.size(), kTickHeight, placed.plot.height);
    out.commands.add("set ytics ({})", ticks_of(out, axis.ticks, true, step));
  }
  if (placed.y_title && !axis.title.empty()) {
    // at the left of the room for numbers, whatever their width
    out.commands.add("set label {} at screen {:.5f},{:.5f} center rotate by 90 {}",
                     out.texts.add(fitted(axis_title(axis), std::max(placed.plot.height, 90.0))),
                     page.x(placed.plot.left - placed.label_width),
                     page.y(placed.plot.top + placed.plot.height / 2), soft());
  }
}

/// Warm-up and the like: behind lines as a shade, above what fills the panel as a thin bar.
void add_phases(PanelOutput& out, const Panel& panel, const PlacedPanel& placed, bool behind) {
  const double span = panel.x.high - panel.x.low;
  for (const Phase& phase : panel.phases) {
    if (behind) {
      out.commands.add(
          "set object rectangle from first {0}, graph 0 to first {1}, graph 1 behind fillstyle "
          "solid 1 noborder fillcolor rgb '{2}'",
          number(phase.from), number(phase.to), hex_text(kPhaseColor));
    } else {
      out.commands.add(
          "set arrow from first {0}, graph 1.02 to first {1}, graph 1.02 nohead front linecolor "
          "rgb '{2}' linewidth 3",
          number(phase.from), number(phase.to), hex_text(kSoftInk));
    }
    const double width = span > 0 ? (phase.to - phase.from) / span * placed.plot.width : 0;
    if (behind && !phase.label.empty() && text_width(phase.label) + 6 <= width) {
      out.commands.add("set label {} at first {}, graph 1 left offset 0.5,-0.7 font small {}",
                       out.texts.add(phase.label), number(phase.from), soft());
    }
  }
}

void add_marks(PanelOutput& out, const Panel& panel) {
  for (const Mark& mark : panel.marks) {
    out.commands.add(
        "set arrow from first {0}, graph 0 to first {0}, graph 1.03 nohead front linecolor rgb "
        "'{1}' linewidth 1 dashtype 2",
        number(mark.x), hex_text(kInk));
    if (!mark.label.empty()) {
      const bool late = mark.x > panel.x.low + (panel.x.high - panel.x.low) * 0.85;
      out.commands.add("set label {} at first {}, graph 1 {} offset 0,0.8 font small {}",
                       out.texts.add(mark.label), number(mark.x), late ? "right" : "left", soft());
    }
  }
}

void add_limits(PanelOutput& out, const Panel& panel) {
  for (const LimitLine& limit : panel.limits) {
    out.commands.add(
        "set arrow from graph 0, first {0} to graph 1, first {0} nohead front linecolor rgb '{1}' "
        "linewidth 1.2 dashtype 2",
        number(limit.y), hex_text(color_of(Meaning::limit, 0)));
    if (!limit.label.empty()) {
      out.commands.add("set label {} at graph 1, first {} right offset -0.5,0.6 front {}",
                       out.texts.add(limit.label), number(limit.y), soft());
    }
  }
}

// ---- contents: each ends in one plot command ----------------------------------------------------

void plot_lines(PanelOutput& out, const Panel& panel) {
  const auto& lines = std::get<std::vector<Line>>(panel.content);
  std::string plots;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const Line& line = lines[i];
    const std::string block = fmt::format("{}l{}", out.prefix, i);
    out.data.add("{} << EOD", block);
    const std::size_t points = std::min(line.x.size(), line.y.size());
    for (std::size_t k = 0; k < points; ++k) {
      // a level step in many pieces would begin its dashes anew in each
      const bool level = line.stepped && k > 0 && k + 1 < points && line.y[k] == line.y[k - 1] &&
                         line.y[k] == line.y[k + 1];
      if (level) {
        continue;
      }
      out.data.add("{} {}", number(line.x[k]), number(line.y[k]));
    }
    out.data.add("EOD");
    plots += fmt::format("{}{} using 1:2 with {} linecolor rgb '{}' linewidth {} dashtype {}",
                         plots.empty() ? "" : ", ", block, line.stepped ? "steps" : "lines",
                         hex_text(color_of(line.meaning, line.number)), line.dashed ? 1.2 : 2.2,
                         line.dashed ? 2 : dash_of(line.meaning, line.number) + 10);
  }
  out.commands.add("set grid {}ytics linestyle 9",
                   panel.x.scale == AxisScale::logarithmic ? "xtics " : "");
  out.commands.add("plot {}", plots.empty() ? "NaN" : plots);
  out.commands.add("unset grid");
}

struct Bar {
  double place;  // from the top
  double half;
};

Bar bar_at(std::size_t category, std::size_t group, std::size_t groups) {
  const double width = 0.64 / static_cast<double>(groups);
  return {static_cast<double>(category) - 0.32 + (static_cast<double>(group) + 0.5) * width,
          width / 2};
}

void add_bar_texts(PanelOutput& out, const Panel& panel, const PlacedPanel& placed) {
  const auto& groups = std::get<std::vector<BarGroup>>(panel.content);
  for (std::size_t c = 0; placed.y_labels && c < panel.x.categories.size(); ++c) {
    out.commands.add("set label {} at graph 0, first {} right offset -0.8,0 textcolor '{}'",
                     out.texts.add(fitted(panel.x.categories[c], placed.label_width)), c,
                     hex_text(kInk));
  }
  for (std::size_t g = 0; g < groups.size(); ++g) {
    for (std::size_t c = 0; c < std::min(groups[g].texts.size(), groups[g].values.size()); ++c) {
      out.commands.add("set label {} at first {}, first {} left offset 0.6,0 textcolor '{}'",
                       out.texts.add(groups[g].texts[c]), number(groups[g].values[c]),
                       number(bar_at(c, g, groups.size()).place), hex_text(kInk));
    }
  }
}

/// Bars lie on their side: so names of any length can be read.
void plot_bars(PanelOutput& out, const Panel& panel, const PlacedPanel& placed) {
  const auto& groups = std::get<std::vector<BarGroup>>(panel.content);
  std::size_t longest = 0;  // text behind a bar
  out.data.add("{}b << EOD", out.prefix);
  for (std::size_t g = 0; g < groups.size(); ++g) {
    const BarGroup& group = groups[g];
    for (std::size_t c = 0; c < group.values.size(); ++c) {
      const Color color = c < group.colors.size() ? color_of(Meaning::series, group.colors[c])
                                                  : color_of(group.meaning, 0);
      const Bar bar = bar_at(c, g, groups.size());
      out.data.add("{0} {1} 0 {2} {3} {4} {5}", number(group.values[c] / 2), number(bar.place),
                   number(group.values[c]), number(bar.place - bar.half),
                   number(bar.place + bar.half), color);
      longest = c < group.texts.size() ? std::max(longest, display_width(group.texts[c])) : longest;
    }
  }
  out.data.add("EOD");
  const double room =
      std::min(0.6, (text_width(std::string(longest, '0')) + 10) / placed.plot.width);
  out.commands.add("set border 2; unset xtics; unset ytics");
  out.commands.add("set xrange [0:{}]", number(panel.y.high / (1 - room)));
  out.commands.add(
      "set yrange [{}:-0.5]",
      number(static_cast<double>(std::max<std::size_t>(panel.x.categories.size(), 1)) - 0.5));
  add_bar_texts(out, panel, placed);
  const std::string unit =
      panel.y.title == panel.heading ? panel.y.unit : panel.y.unit + " " + panel.y.title;
  out.commands.add("unset xlabel");
  out.commands.add("set label {} at graph 0, graph 0 left offset 0,-0.8 {}",
                   out.texts.add(fitted(unit, placed.plot.width + 20)), soft());
  out.commands.add("plot {}b using 1:2:3:4:5:6:7 with boxxyerror linecolor rgb variable",
                   out.prefix);
  out.commands.add("set border 3");
}

/// A few cells as rectangles stay crisp at any size, many as one picture stay small.
void plot_heat_map(PanelOutput& out, const HeatMap& map, const PlacedPanel& placed) {
  constexpr double kLeastCell = 6;  // pixels; narrower ones show the seams between them
  const std::size_t rows = map.row_labels.size();
  const std::size_t columns = map.x_edges.size() - 1;
  const double cell_width =
      placed.plot.width / static_cast<double>(std::max<std::size_t>(columns, 1));
  const double cell_height =
      placed.plot.height / static_cast<double>(std::max<std::size_t>(rows, 1));
  const bool crisp = cell_width >= kLeastCell && cell_height >= kLeastCell;
  out.data.add("{}h << EOD", out.prefix);
  const double step = (map.x_edges.back() - map.x_edges.front()) / static_cast<double>(columns);
  const double gap_x = step / cell_width;  // a pixel
  const double gap_y = 1 / cell_height;
  for (std::size_t r = 0; r < rows; ++r) {
    for (std::size_t c = 0; c < columns; ++c) {
      const double value = map.values[r * columns + c];
      const bool there = !std::isnan(value);
      const Color color = there ? heat_color(value, map.refused[r * columns + c]) : 0xFFFFFF;
      const auto y = static_cast<double>(r);
      if (crisp && there) {
        out.data.add("{} {} {} {} {} {} {}", number((map.x_edges[c] + map.x_edges[c + 1]) / 2),
                     number(y + 0.5), number(map.x_edges[c]), number(map.x_edges[c + 1] - gap_x),
                     number(y + gap_y), number(y + 1), color);
      } else if (!crisp) {
        out.data.add("{} {} {} {} {} {}",
                     number(map.x_edges.front() + (static_cast<double>(c) + 0.5) * step),
                     number(y + 0.5), color >> 16U, (color >> 8U) & 0xFFU, color & 0xFFU,
                     there ? 255 : 0);
      }
    }
  }
  out.data.add("EOD");
  if (crisp) {
    out.commands.add(
        "plot {}h using 1:2:3:4:5:6:7 with boxxyerror linecolor rgb variable fillstyle solid 1 "
        "noborder",
        out.prefix);
  } else {
    out.commands.add("plot {}h using 1:2:3:4:5:6 with rgbalpha", out.prefix);
  }
}

void plot_bands(PanelOutput& out, const Panel& panel, const PlacedPanel& placed) {
  constexpr double kOutlined = 5;  // pixels; of thinner bands the outline would hide the colour
  const auto& bands = std::get<Bands>(panel.content);
  double thinnest = placed.plot.height;
  out.data.add("{}a << EOD", out.prefix);
  for (const Band& band : bands.bands) {
    thinnest = std::min(thinnest, (band.y_high - band.y_low) / panel.y.high * placed.plot.height);
    out.data.add("{} {} {} {} {} {} {}", number((band.x_low + band.x_high) / 2),
                 number((band.y_low + band.y_high) / 2), number(band.x_low), number(band.x_high),
                 number(band.y_low), number(band.y_high),
                 pale(color_of(Meaning::series, band.color)));
    if (!band.label.empty()) {
      out.commands.add("set label {} at first {}, first {} center front textcolor '{}'",
                       out.texts.add(band.label), number((band.x_low + band.x_high) / 2),
                       number((band.y_low + band.y_high) / 2), hex_text(kInk));
    }
  }
  out.data.add("EOD");
  out.commands.add(
      "plot {}a using 1:2:3:4:5:6:7 with boxxyerror linecolor rgb variable fillstyle solid 1 {}",
      out.prefix, thinnest >= kOutlined ? "border rgb '#FFFFFF'" : "noborder");
}

}  // namespace

void add_panel(PanelOutput& out, const Panel& panel, const PlacedPanel& placed, const Page& page) {
  const Rectangle& plot = placed.plot;
  out.commands.add("set lmargin at screen {:.5f}; set rmargin at screen {:.5f}", page.x(plot.left),
                   page.x(plot.left + plot.width));
  out.commands.add("set tmargin at screen {:.5f}; set bmargin at screen {:.5f}", page.y(plot.top),
                   page.y(plot.top + plot.height));
  if (!placed.heading.text.empty()) {
    out.commands.add("set label {} at screen {:.5f},{:.5f} left font middle",
                     out.texts.add(placed.heading.text), page.x(placed.heading.x),
                     page.y(placed.heading.y));
  }
  if (std::holds_alternative<std::vector<BarGroup>>(panel.content)) {
    plot_bars(out, panel, placed);
    return;
  }
  const auto* lines = std::get_if<std::vector<Line>>(&panel.content);
  add_x_axis(out, panel, placed);
  const auto* map = std::get_if<HeatMap>(&panel.content);
  Panel labelled;
  if (map != nullptr) {
    for (std::size_t r = map->row_labels.size(); r-- > 0;) {
      labelled.y.ticks.push_back({static_cast<double>(r) + 0.5, map->row_labels[r]});
    }
    labelled.y.title = panel.y.title;
    labelled.y.high = panel.y.high;
  }
  add_y_axis(out, map != nullptr ? labelled : panel, placed, page);
  add_phases(out, panel, placed, lines != nullptr);
  add_marks(out, panel);
  add_limits(out, panel);
  if (lines != nullptr) {
    plot_lines(out, panel);
  } else if (map != nullptr) {
    plot_heat_map(out, *map, placed);
  } else {
    plot_bands(out, panel, placed);
  }
}

}  // namespace partsim
