#include "layout_script.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

namespace partsim {
namespace {

constexpr double kGapX = 96;
constexpr double kGapY = 74;
constexpr double kRight = 24;
constexpr double kBottom = 62;
constexpr double kHeight = 210;
constexpr std::size_t kMaxOutlined = 120;  // more bands than this are told apart by colour alone

/// An axis of RU/s that ends on a round number, thousands grouped.
void add_rate_axis(Script& script, double highest) {
  constexpr std::array<double, 4> kSteps{1, 2, 2.5, 5};
  constexpr double kMostTics = 5;
  double step = 1;
  for (double power = 1; step * kMostTics < highest; power *= 10) {
    for (const double each : kSteps) {
      step = each * power;
      if (step * kMostTics >= highest) {
        break;
      }
    }
  }
  const double top = step * std::max(1.0, std::ceil(highest / step));
  std::string tics;
  for (double at = 0; at <= top * 1.0001; at += step) {
    std::string label = fmt::format("{:.0f}", at);
    for (std::size_t place = label.size(); place > 3;) {
      place -= 3;
      label.insert(place, 1, ',');
    }
    tics += fmt::format("{}'{}' {:.0f}", tics.empty() ? "" : ", ", label, at);
  }
  script.add("set yrange [0:{:.0f}]; set ytics ({})", top, tics);
}

void add_bands(Script& script, const DataFile& bands, const LayoutPanel& panel, double unit) {
  const bool outlined = panel.partitions <= kMaxOutlined;
  script.add("set style fill solid 0.72 {}", outlined ? "border rgb '#FFFFFF'" : "noborder");
  script.add(
      "plot '{}' using (($1+$2)/2/{}):(($3+$4)/2):($1/{}):($2/{}):3:4:(int($5) % {} + 1) with "
      "boxxyerror linecolor variable linewidth 1 notitle, \\",
      bands.name, unit, unit, unit, kColors.size());
  script.add(
      "  '' using (($1+$2)/2/{}):(($3+$4)/2):6 with labels center noenhanced textcolor '#111827' "
      "notitle",
      unit);
}

void add_row(Script& script, const LayoutPanel& panel, const Page& page, std::size_t row,
             bool last) {
  const double width = (kChartWidth - kChartLeft - kRight - kGapX) / 2;
  const double top = kChartHeader + 34 + static_cast<double>(row) * (kHeight + kGapY);
  const TimeUnit unit = time_unit(panel.seconds);
  script.add("set xrange [0:{:g}]", std::max(panel.seconds, 1.0) / unit.seconds);
  if (last) {
    script.add("set xlabel 'simulated time in {}' textcolor '{}'", unit.name, kSoftColor);
  }
  add_marks(script, panel.marks, unit.seconds);
  for (const bool keys : {true, false}) {
    add_margins(script, page,
                {.left = kChartLeft + (keys ? 0 : width + kGapX),
                 .top = top,
                 .width = width,
                 .height = kHeight});
    if (keys) {
      script.add("set label 3 T[{}] at graph 0,1 left offset 0,1.1 noenhanced font ',13'",
                 panel.run + 2);
      script.add("set ylabel 'keys owned, % of all' textcolor '{}' offset 1,0", kSoftColor);
      script.add("set yrange [0:100]; set ytics autofreq 25");
    } else {
      script.add("unset label 3");
      script.add("set ylabel 'shares, {}' textcolor '{}' offset 0.5,0", panel.rate, kSoftColor);
      add_rate_axis(script, panel.highest);
    }
    add_bands(script, keys ? panel.keys : panel.shares, panel, unit.seconds);
    script.add("unset label 1; unset label 2");
  }
  remove_marks(script, panel.marks.size());
}

}  // namespace

void add_layouts(Script& script, const std::vector<LayoutPanel>& panels, ChartFormat format) {
  const auto rows = static_cast<double>(panels.size());
  const double height = kChartHeader + 34 + rows * kHeight + (rows - 1) * kGapY + kBottom;
  const Page page{height};
  begin_chart(script, format, "layout", height);
  script.add("set multiplot");
  add_header(script, page,
             "Who owned the keys, and who had the throughput; one colour a partition, dashed where "
             "the layout changed");
  for (std::size_t i = 0; i < panels.size(); ++i) {
    add_row(script, panels[i], page, i, i + 1 == panels.size());
  }
  script.add("unset multiplot");
}

}  // namespace partsim
