#include "gnuplot_script.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

#include <fmt/format.h>

#include "partsim/report/text.hpp"

#include "layout_script.hpp"
#include "script.hpp"

namespace partsim {
namespace {

void add_preamble(Script& script, const Charts& charts) {
  script.add("set encoding utf8");
  script.add(R"(set datafile separator "\t")");
  script.add("set datafile commentschars ''");
  // reading the texts into variables is what keeps them out of this script
  script.add("array T[{}]", charts.variants + 2);
  script.add("set table $ignored");
  script.add("plot '{}' using (T[int($0)+1]=strcol(1), 0) with table", charts.texts.name);
  script.add("unset table");
}

std::string left_out(std::size_t shown, std::size_t all) {
  return shown < all ? fmt::format(" (the first {} of {} variants)", shown, all) : "";
}

// ---- utilisation over time ----------------------------------------------------------------------

/// Panels in a grid; all of one size, the size of the one that needs most.
struct PanelGrid {
  std::size_t columns = 1;
  std::size_t rows = 1;
  double width = 0;
  double height = 0;
  double page_height = 0;
  bool lines = false;
  static constexpr double kGapX = 62;
  static constexpr double kGapY = 64;
  static constexpr double kRight = 96;  // the colour scale stands here
  static constexpr double kBottom = 62;
};

PanelGrid arrange(const std::vector<UtilizationPanel>& panels) {
  PanelGrid grid;
  std::size_t partitions = 0;
  std::size_t rows = 1;
  for (const UtilizationPanel& panel : panels) {
    partitions = std::max(partitions, panel.partitions);
    rows = std::max(rows, panel.rows);
  }
  grid.lines = partitions <= kMaxLinePartitions;
  grid.columns = panels.size() <= 4 ? 1 : 2;
  grid.rows = std::max<std::size_t>(1, (panels.size() + grid.columns - 1) / grid.columns);
  const double wanted = grid.lines ? (panels.size() == 1 ? 300 : 170)
                                   : std::clamp(14.0 * static_cast<double>(rows), 130.0, 300.0);
  grid.height = grid.rows > 3 ? std::min(wanted, 160.0) : wanted;
  grid.width = (kChartWidth - kChartLeft - PanelGrid::kRight -
                PanelGrid::kGapX * static_cast<double>(grid.columns - 1)) /
               static_cast<double>(grid.columns);
  grid.page_height = kChartHeader + 30 + static_cast<double>(grid.rows) * grid.height +
                     static_cast<double>(grid.rows - 1) * PanelGrid::kGapY + PanelGrid::kBottom;
  return grid;
}

void add_heat_map(Script& script, const PanelGrid& grid, const UtilizationPanel& panel,
                  double unit) {
  constexpr std::size_t kMaxRectangles = 1'600;
  constexpr std::size_t kMaxColumns = 130;  // narrower ones show the seams between them
  const auto rows = static_cast<double>(panel.rows);
  const double group = std::ceil(static_cast<double>(panel.partitions) / rows);
  // partitions have whole numbers only, and about eight of them fit
  constexpr double kMostTics = 8;
  double step = 1;
  for (const double next : {2.0, 5.0, 10.0, 20.0, 50.0, 100.0, 200.0, 500.0, 1'000.0, 10'000.0}) {
    step = step * kMostTics < static_cast<double>(panel.partitions) ? next : step;
  }
  script.add("set ytics 0,{}", step);
  // partition 0 on top, as in the terminal
  script.add("set yrange [{}:-0.5]", static_cast<double>(panel.partitions) - 0.5);
  // a few cells as rectangles stay crisp at any size, many as one picture stay small
  const bool rectangles =
      panel.rows * panel.columns <= kMaxRectangles && panel.columns <= kMaxColumns;
  const double cell = std::min(grid.width / static_cast<double>(panel.columns), grid.height / rows);
  script.add("size_of(share) = {:.3f} * (0.45 + 0.55 * sqrt(share))",
             std::clamp(cell / 15, 0.18, 0.75));
  script.add("plot '{}' using (($1+$2)/2/{}):($3+{}):4 with image{} notitle, \\", panel.cells.name,
             unit, (group - 1) / 2, rectangles ? " pixels" : "");
  script.add(
      "  '' using ($5 > 0 ? ($1+$2)/2/{} : NaN):($3+{}):(size_of($5)) with points pointtype 7 "
      "pointsize variable linecolor rgb '{}' notitle",
      unit, (group - 1) / 2, kThrottledColor);
}

struct LinesStyle {
  double unit;         // seconds in one of the time axis
  double top_percent;  // of the other
  double key_x;        // on the page: the right end of the panel's heading
  double key_y;
};

constexpr std::size_t kKeyLabels = 20;  // tags of gnuplot's labels, clear of all others

/// "partition 0 1 2" with a dot of its line's colour before each; gnuplot's own key would give
/// every name the room of the longest and run into the heading.
void add_line_key(Script& script, std::size_t lines, const LinesStyle& style) {
  if (lines < 2) {
    return;
  }
  constexpr double kEntry = 34 / kChartWidth;
  const double left = style.key_x - kEntry * static_cast<double>(lines);
  script.add("set label {} 'partition' at screen {:.4f},{:.4f} right textcolor '{}'", kKeyLabels,
             left, style.key_y, kSoftColor);
  for (std::size_t p = 0; p < lines; ++p) {
    script.add(
        "set label {} '{}' at screen {:.4f},{:.4f} left textcolor '{}' point pointtype 7 "
        "pointsize 0.8 linetype {} offset 0.8,-0.15",
        kKeyLabels + 1 + p, p, left + kEntry * (static_cast<double>(p) + 0.4), style.key_y,
        kSoftColor, p + 1);
  }
}

void add_lines(Script& script, const UtilizationPanel& panel, const LinesStyle& style) {
  script.add("set yrange [0:{:.0f}]", style.top_percent);
  script.add("set ytics 50");
  script.add("set grid ytics linestyle 9");
  script.add(
      "set arrow 1 from graph 0, first 100 to graph 1, first 100 nohead back linecolor rgb '{}' "
      "dashtype 2",
      kSoftColor);
  add_line_key(script, panel.rows, style);
  script.add(
      "plot for [p=0:{}] '{}' index p using (($1+$2)/2/{}):4 with lines linetype p+1 "
      "notitle, \\",
      panel.rows - 1, panel.cells.name, style.unit);
  script.add(
      "  '{}' using ($5 > 0 ? ($1+$2)/2/{} : NaN):4 with points pointtype 7 pointsize 0.7 "
      "linecolor rgb '{}' notitle",
      panel.cells.name, style.unit, kThrottledColor);
  script.add("unset arrow 1; unset grid");
  for (std::size_t p = 0; p <= panel.rows; ++p) {
    script.add("unset label {}", kKeyLabels + p);
  }
}

void add_panel(Script& script, const Charts& charts, const PanelGrid& grid, std::size_t index) {
  const UtilizationPanel& panel = charts.panels[index];
  const Page page{grid.page_height};
  const std::size_t row = index / grid.columns;
  const std::size_t column = index % grid.columns;
  double longest_s = 1;
  double highest = 1;
  for (const UtilizationPanel& each : charts.panels) {
    longest_s = std::max(longest_s, each.seconds);
    highest = std::max(highest, each.highest);
  }
  const TimeUnit unit = time_unit(longest_s);
  const Rectangle place{
      .left = kChartLeft + static_cast<double>(column) * (grid.width + PanelGrid::kGapX),
      .top = kChartHeader + 30 + static_cast<double>(row) * (grid.height + PanelGrid::kGapY),
      .width = grid.width,
      .height = grid.height};
  add_margins(script, page, place);
  add_marks(script, panel.marks, unit.seconds);
  script.add("set label 3 T[{}] at graph 0,1 left offset 0,0.8 noenhanced font ',13'", index + 2);
  script.add("set xrange [0:{}]", longest_s / unit.seconds);
  const bool lowest = index + grid.columns >= charts.panels.size();
  if (lowest) {
    script.add("set xlabel 'simulated time in {}' textcolor '{}'", unit.name, kSoftColor);
  } else {
    script.add("unset xlabel");
  }
  if (column == 0) {
    script.add("set ylabel '{}' textcolor '{}' offset 1,0",
               grid.lines ? "used, % of share" : "partition", kSoftColor);
  } else {
    script.add("unset ylabel");
  }
  // one scale for all panels: it belongs to the last one drawn
  if (!grid.lines && index + 1 == charts.panels.size()) {
    script.add(
        "set colorbox vertical user origin screen {:.4f},{:.4f} size screen {:.4f},{:.4f} noborder",
        page.x(kChartWidth - 76), page.y(grid.page_height - PanelGrid::kBottom), page.x(14),
        std::min(240.0, grid.page_height - kChartHeader - 30 - PanelGrid::kBottom) /
            grid.page_height);
  }
  if (panel.columns == 0 || panel.rows == 0) {
    script.add("set yrange [0:1]; unset ytics; plot NaN notitle; set ytics");
  } else if (grid.lines) {
    add_lines(script, panel,
              {.unit = unit.seconds,
               .top_percent = std::ceil(highest * 1.05 * 10) * 10,
               .key_x = page.x(place.left + place.width),
               .key_y = page.y(place.top - 14)});
  } else {
    add_heat_map(script, grid, panel, unit.seconds);
  }
  remove_marks(script, panel.marks.size());
  script.add("unset label 1; unset label 2");
}

void add_utilization(Script& script, const Charts& charts, ChartFormat format) {
  const PanelGrid grid = arrange(charts.panels);
  begin_chart(script, format, "utilization", grid.page_height);
  script.add("set tics out scale 0.5");
  script.add(
      "set palette defined (0 '#F1F3F5', 30 '#C9DDF0', 60 '#6BAED6', 90 '#2171B5', 100 '#08306B')");
  script.add("set cbrange [0:100]");
  script.add("set cbtics 25 format '%g %%' scale 0");
  script.add("unset colorbox");
  const bool throttled = std::any_of(charts.panels.begin(), charts.panels.end(),
                                     [](const UtilizationPanel& panel) { return panel.throttled; });
  const bool changed =
      std::any_of(charts.panels.begin(), charts.panels.end(),
                  [](const UtilizationPanel& panel) { return !panel.marks.empty(); });
  const std::string explanation =
      std::string(grid.lines ? "How much of its RU/s each partition used"
                             : "How much of its RU/s each partition used: the darker, the more") +
      (throttled ? "; an orange dot is throttling" : "; no throttling") +
      (changed ? "; dashed where the layout changed" : "") +
      left_out(charts.panels.size(), charts.variants);
  script.add("set multiplot");
  add_header(script, Page{grid.page_height}, explanation);
  for (std::size_t i = 0; i < charts.panels.size(); ++i) {
    add_panel(script, charts, grid, i);
  }
  script.add("unset multiplot");
}

// ---- latency curve ------------------------------------------------------------------------------

std::string duration_label(double ms) {
  return ms >= 1000 ? fmt::format("{:g} s", ms / 1000) : fmt::format("{:g} ms", ms);
}

/// 1, 2 and 5 times powers of ten around the data; powers alone once there are many of them.
void add_latency_axis(Script& script, const LatencyCurves& latency) {
  constexpr std::array<double, 3> kSteps{1, 2, 5};
  std::vector<double> marks;
  for (int power = -7; power <= 9; ++power) {
    for (const double step : kSteps) {
      marks.push_back(step * std::pow(10.0, power));
    }
  }
  const auto above_low = std::upper_bound(marks.begin(), marks.end() - 2, latency.lowest_ms * 0.98);
  const double low = above_low == marks.begin() ? marks.front() : *(above_low - 1);
  const auto above_high =
      std::lower_bound(marks.begin(), marks.end() - 1, latency.highest_ms * 1.02);
  const double high = std::max(*above_high, low * 10);
  const bool powers_only = high / low > 2'000;
  std::string tics;
  for (std::size_t i = 0; i < marks.size(); ++i) {
    const bool inside = marks[i] >= low * 0.999 && marks[i] <= high * 1.001;
    if (inside && (!powers_only || i % kSteps.size() == 0)) {
      tics +=
          fmt::format("{}'{}' {:g}", tics.empty() ? "" : ", ", duration_label(marks[i]), marks[i]);
    }
  }
  script.add("set logscale y 10");
  script.add("set yrange [{:g}:{:g}]", low, high);
  script.add("set ytics ({})", tics);
}

void add_latency(Script& script, const Charts& charts, ChartFormat format) {
  const LatencyCurves& latency = charts.latency;
  constexpr double kKeyLine = 24;
  // two names a line fit at any length
  const double key_height = kKeyLine * std::ceil(static_cast<double>(latency.runs.size()) / 2.0);
  const double height = 520 + key_height;
  const Page page{height};
  begin_chart(script, format, "latency", height);
  add_header(script, page,
             "Latency of succeeded operations as the application sees it, retries included" +
                 left_out(std::min(charts.variants, kMaxCurves), charts.variants));
  add_margins(script, page,
              {.left = kChartLeft + 8,
               .top = kChartHeader + 12 + key_height,
               .width = kChartWidth - kChartLeft - 56,
               .height = height - kChartHeader - 12 - key_height - 64});
  add_latency_axis(script, latency);
  script.add("set logscale x 10");
  script.add("set xrange [1:{:g}]", latency.largest_x);
  script.add(
      "set xtics ('0 %%' 1, '50 %%' 2, '90 %%' 10, '99 %%' 100, '99.9 %%' 1000, '99.99 %%' 10000, "
      "'99.999 %%' 100000)");
  script.add("set xlabel 'percentile of operations' textcolor '{}'", kSoftColor);
  script.add("set ylabel 'latency (logarithmic)' textcolor '{}' offset -1,0", kSoftColor);
  script.add("set grid xtics ytics linestyle 9");
  if (latency.runs.empty()) {
    script.add("set label 3 'no operation succeeded' at graph 0.5,0.5 center textcolor '{}'",
               kSoftColor);
    script.add("plot NaN notitle");
    return;
  }
  script.add(
      "set key at screen {:.4f},{:.4f} left top Left reverse noenhanced maxrows {} samplen 2 width "
      "2",
      page.x(kChartLeft), page.y(kChartHeader - 4), (latency.runs.size() + 1) / 2);
  std::string plots;
  for (std::size_t i = 0; i < latency.runs.size(); ++i) {
    const std::size_t run = latency.runs[i];
    plots +=
        fmt::format("{}'{}' using 1:2 with lines linetype {} dashtype {} title columnheader(2)",
                    i == 0 ? "plot " : ", \\\n  ", latency.curves[i].name, run % kColors.size() + 1,
                    run < kColors.size() ? 1 : 2);
  }
  script.add("{}", plots);
}

// ---- variants side by side ----------------------------------------------------------------------

void add_variants(Script& script, const Charts& charts, ChartFormat format) {
  constexpr std::array<std::string_view, 4> kTitles{"throttled (429)", "latency p99",
                                                    "RU per operation", "imbalance"};
  constexpr std::array<std::string_view, 4> kUnits{"% of attempts", "succeeded operations", "",
                                                   "hottest / mean partition"};
  constexpr std::size_t kRuMeasure = 2;  // its second line names a client: text of users
  constexpr double kNames = 214;
  constexpr double kGap = 26;
  constexpr double kRow = 34;
  const auto count = static_cast<double>(std::max<std::size_t>(charts.bars.count, 1));
  const double height = kChartHeader + 34 + count * kRow + 66;
  const Page page{height};
  const double width = (kChartWidth - kNames - 24 - 3 * kGap) / 4;
  begin_chart(script, format, "variants", height);
  script.add("set multiplot");
  add_header(script, page,
             "What each variant costs and suffers; shorter is better" +
                 left_out(charts.bars.count, charts.variants));
  script.add("set border 2 linecolor '{}'", kSoftColor);
  script.add("set yrange [{}:-0.5]", count - 0.5);
  script.add("unset xtics");  // the number stands behind each bar
  script.add("set style fill solid 1 noborder");
  for (std::size_t m = 0; m < kTitles.size(); ++m) {
    const double largest = charts.bars.largest.at(m);
    const double end = (largest > 0 ? largest : 1.0) * 1.45;  // room for the number behind the bar
    add_margins(script, page,
                {.left = kNames + static_cast<double>(m) * (width + kGap),
                 .top = kChartHeader + 34,
                 .width = width,
                 .height = count * kRow});
    script.add("set xrange [0:{:g}]", end);
    if (m == kRuMeasure) {
      script.add("set xlabel T[{}] noenhanced textcolor '{}'", charts.variants + 2, kSoftColor);
    } else {
      script.add("set xlabel '{}' textcolor '{}'", kUnits[m], kSoftColor);
    }
    script.add("set label 3 '{}' at graph 0,1 left offset 0,0.8 font ',13'", kTitles[m]);
    script.add("set ytics scale 0 noenhanced textcolor '#111827'");
    const std::size_t column = 4 + 2 * m;
    script.add(
        "plot '{}' using (${}/2):1:(0):(${}):($1-0.31):($1+0.31):(int($2) % {} + 1){} with "
        "boxxyerror "
        "linecolor variable notitle, \\",
        charts.bars.bars.name, column, column, kColors.size(), m == 0 ? ":ytic(3)" : "");
    script.add("  '' using {}:1:{} with labels left offset 0.6,0 noenhanced notitle", column,
               column + 1);
    script.add("unset label 1; unset label 2; set format y ''");
  }
  script.add("unset multiplot");
}

}  // namespace

Charts make_charts(const StudyResult& study) {
  constexpr std::size_t kTitleWidth = 96;
  constexpr std::size_t kPanelWidth = 44;
  Charts charts{.texts = {"texts.dat", {}},
                .panels = utilization_panels(study),
                .latency = latency_curves(study),
                .bars = variant_bars(study),
                .layouts = layout_panels(study),
                .variants = study.runs.size()};
  charts.texts.content =
      data_text(study.title.empty() ? study.name : study.title, kTitleWidth) + "\n";
  for (const VariantResult& result : study.runs) {
    const double percent = result.run.throttled_share() * 100;
    const std::string heading = fmt::format("{}:  {:.{}f} % of attempts throttled",
                                            shorten(visible_text(result.variant), kPanelWidth),
                                            percent, percent > 0 && percent < 9.95 ? 1 : 0);
    charts.texts.content += data_text(heading, 100) + "\n";
  }
  charts.texts.content += data_text(charts.bars.ru_of, 30) + "\n";
  return charts;
}

std::string gnuplot_script(const Charts& charts, ChartFormat format) {
  Script script;
  add_preamble(script, charts);
  add_utilization(script, charts, format);
  add_latency(script, charts, format);
  add_variants(script, charts, format);
  if (!charts.layouts.empty()) {
    add_layouts(script, charts.layouts, format);
  }
  script.add("set output");
  return script.text();
}

}  // namespace partsim
