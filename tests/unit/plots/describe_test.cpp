// What the charts say, from results made by hand; no backend is involved.
#include "partsim/plots/describe.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <string>

#include "partsim/plots/theme.hpp"

#include "support/catch.hpp"
#include "unit/report/sample_layouts.hpp"

namespace partsim {
namespace {

std::vector<std::string> names_of(const std::vector<Chart>& charts) {
  std::vector<std::string> names;
  for (const Chart& chart : charts) {
    names.push_back(chart.name);
  }
  return names;
}

const Chart& chart_of(const std::vector<Chart>& charts, std::string_view name) {
  const auto found = std::find_if(charts.begin(), charts.end(),
                                  [name](const Chart& chart) { return chart.name == name; });
  INFO(name);
  REQUIRE(found != charts.end());
  return *found;
}

const std::vector<Line>& lines_of(const Panel& panel) {
  return std::get<std::vector<Line>>(panel.content);
}

const Line& line_of(const Panel& panel, std::string_view name) {
  const std::vector<Line>& lines = lines_of(panel);
  const auto found = std::find_if(lines.begin(), lines.end(),
                                  [name](const Line& line) { return line.name == name; });
  INFO(name);
  REQUIRE(found != lines.end());
  return *found;
}

const BarGroup& bars_of(const Panel& panel) {
  return std::get<std::vector<BarGroup>>(panel.content).at(0);
}

std::vector<Chart> describe(const RunResult& run, const std::string& variant = "v") {
  return describe_charts(samples::one_run_study(run, variant));
}

bool is_nan(double value) {
  return std::isnan(value);
}

// ---- which charts -------------------------------------------------------------------------------

TEST_CASE("A calm run alone has a heat map, its use and its latency, and no empty chart",
          "[plots]") {
  RunResult run = samples::make_run({.demand_ru_per_s = {3'000, 3'000}});
  samples::add_latency(run.clients[0], 5'000);
  CHECK(names_of(describe(run)) == std::vector<std::string>{"heatmap", "utilization", "latency"});
  CHECK(describe_charts(StudyResult{}).empty());
  CHECK(describe(RunResult{}).empty());
}

TEST_CASE("Charts stand in a fixed order, the heat map first", "[plots]") {
  StudyResult study = samples::vehicle_telemetry();
  CHECK(names_of(describe_charts(study)) == std::vector<std::string>{"heatmap", "utilization",
                                                                     "throttled", "latency",
                                                                     "variants", "hot-keys"});
  study.runs[1].run = samples::growing_run();
  study.runs[2].run.cost.per_month_micro += 1'000'000'000;
  study.runs[0].run.latency_series.rows.resize(60);
  study.runs[0].run.latency_series.rows[7] = {10, 1'000'000, 2'000'000, 3'000'000, 4'000'000};
  LoadMatrix& storage = study.runs[0].run.series.storage_bytes;
  storage = LoadMatrix::Constant(60, 10, std::int64_t{1} << 30);
  storage.bottomRows(30) *= 2;
  CHECK(names_of(describe_charts(study)) ==
        std::vector<std::string>{"heatmap", "utilization", "throttled", "latency", "latency-time",
                                 "variants", "layout", "hot-keys", "storage", "cost"});
}

TEST_CASE("Storage that hardly grows, keys that are not hot and equal prices have no chart",
          "[plots]") {
  StudyResult study = samples::vehicle_telemetry();
  for (VariantResult& result : study.runs) {
    result.run.hot_keys = {{"k", 1, result.run.total_demand_mru / 200}};
    result.run.series.storage_bytes = LoadMatrix::Constant(60, 10, std::int64_t{1} << 40);
  }
  const std::vector<std::string> names = names_of(describe_charts(study));
  for (const char* name : {"storage", "hot-keys", "cost", "layout"}) {
    INFO(name);
    CHECK(std::find(names.begin(), names.end(), name) == names.end());
  }
}

// ---- titles -------------------------------------------------------------------------------------

TEST_CASE("Titles say what was found, the subject is the scenario", "[plots]") {
  const std::vector<Chart> charts = describe_charts(samples::vehicle_telemetry());
  for (const Chart& chart : charts) {
    CHECK(chart.subject == "Vehicle telemetry, one day of writes, three partition keys");
    CHECK_FALSE(chart.explanation.empty());
  }
  CHECK(chart_of(charts, "heatmap").title ==
        "date: partition 8 of 10 took all of the load and refused 85 % of its attempts");
  CHECK(chart_of(charts, "utilization").title ==
        "date: partition 8 used 100 % of its share, the others 0 % of theirs");
  CHECK(chart_of(charts, "variants").title == "date fails 84 % of its operations, the others none");
  CHECK(chart_of(charts, "hot-keys").title ==
        "date: 2018-08-09 causes 100 % of the demand, all of it on partition 8");
}

TEST_CASE("A variant whose transactions are all refused is not called healthy", "[plots]") {
  RunResult run = samples::make_run({.demand_ru_per_s = {0, 0}});
  run.clients[0].operations = {100, 0, 100, 0};
  run.clients[0].attempts = 100;
  run.clients[0].refused = 100;
  const std::vector<Chart> charts = describe(run, "pairs");
  CHECK(chart_of(charts, "heatmap").panels[0].heading ==
        "pairs: no attempt throttled, 100 % of operations failed (400)");
  CHECK_THAT(chart_of(charts, "utilization").title,
             has_text("but all of the operations of pairs fail (400)"));
  CHECK_THAT(chart_of(charts, "heatmap").title,
             has_text("but all of the operations of pairs fail (400)"));
}

TEST_CASE("A run of a file without variants is called by its scenario", "[plots]") {
  const std::vector<Chart> charts =
      describe(samples::make_run({.demand_ru_per_s = {12'000}}), "base");
  CHECK(chart_of(charts, "heatmap").title ==
        "sample: its one partition refused 50 % of its attempts");
}

// ---- heat map -----------------------------------------------------------------------------------

TEST_CASE("The heat map shows every second and partition of a small run as it was", "[plots]") {
  const std::vector<Chart> charts =
      describe(samples::make_run({.demand_ru_per_s = {3'000, 12'000}, .seconds = 3}));
  const Panel& panel = chart_of(charts, "heatmap").panels.at(0);
  const auto& map = std::get<HeatMap>(panel.content);
  CHECK(map.x_edges == std::vector<double>{0, 1, 2, 3});
  CHECK(map.row_labels == std::vector<std::string>{"1", "0"});  // partition 0 on top
  CHECK(map.values == std::vector<double>{1, 1, 1, 0.5, 0.5, 0.5});
  CHECK(map.refused == std::vector<bool>{true, true, true, false, false, false});
  CHECK(panel.x.unit == "s");
  CHECK(panel.x.high == 3);
}

TEST_CASE("A partition's row begins at its birth and ends when it retires", "[plots]") {
  RunResult run = samples::make_layout_run(
      {{.demand_ru_per_s = 12'000, .retired_s = 2},
       {.percent = 50, .demand_ru_per_s = 5'000, .born_s = 2, .parent = 0}},
      3);
  run.layout_events = {
      samples::make_event({.at_s = 2, .asked_s = 1}),
      samples::make_event({.at_s = 2, .asked_s = 2, .kind = LayoutEventKind::scale}),
      samples::make_event({.at_s = 2, .kind = LayoutEventKind::refused})};
  const std::vector<Chart> charts = describe(run);
  const Panel& panel = chart_of(charts, "heatmap").panels.at(0);
  const auto& map = std::get<HeatMap>(panel.content);
  REQUIRE(map.values.size() == 6);
  CHECK(is_nan(map.values[0]));
  CHECK(is_nan(map.values[1]));
  CHECK(map.values[2] == 0.5);
  CHECK(map.values[3] == 1);
  CHECK(is_nan(map.values[5]));
  REQUIRE(panel.marks.size() == 1);  // once, and not for what was refused
  CHECK(panel.marks[0].x == 2);
  CHECK(panel.marks[0].label == "split");
  REQUIRE(panel.phases.size() == 1);
  CHECK(panel.phases[0].from == 1);
  CHECK(panel.phases[0].to == 2);
}

TEST_CASE("One full second of one partition is still full when cells are merged", "[plots]") {
  RunResult run = samples::make_run(
      {.demand_ru_per_s = std::vector<std::int64_t>(1'000, 60), .seconds = 2'000});
  run.series.consumed_mru(1'234, 567) = 6'000'000;
  run.series.throttled(77, 5) = run.series.attempts(77, 5);
  const std::vector<Chart> charts = describe(run);
  const auto& map = std::get<HeatMap>(chart_of(charts, "heatmap").panels.at(0).content);
  CHECK(map.row_labels.size() <= 64);
  CHECK(map.values.size() <= 24'000);
  CHECK(map.values.size() == map.row_labels.size() * (map.x_edges.size() - 1));
  CHECK(std::count(map.values.begin(), map.values.end(), 1.0) == 1);
  CHECK(std::count(map.refused.begin(), map.refused.end(), true) == 1);
  CHECK(map.x_edges.back() * 60 == Approx(2'000));  // in minutes
}

TEST_CASE("Very many changes are marked by a few lines without words", "[plots]") {
  RunResult run = samples::make_run({.demand_ru_per_s = {10}, .seconds = 1'000});
  for (std::int64_t i = 0; i < 1'000; ++i) {
    run.layout_events.push_back(samples::make_event({.at_s = i}));
  }
  const std::vector<Chart> charts = describe(run);
  const std::vector<Mark>& marks = chart_of(charts, "heatmap").panels.at(0).marks;
  CHECK(marks.size() <= 24);
  CHECK(marks.front().x == 0);
  CHECK(
      std::all_of(marks.begin(), marks.end(), [](const Mark& mark) { return mark.label.empty(); }));
}

TEST_CASE("Colours of a heat map darken up to the limit and break there", "[plots]") {
  CHECK(heat_color(0, false) == 0xF1F3F5);
  CHECK(heat_color(0.9999, false) != heat_color(1, false));
  CHECK(heat_color(1, false) == color_of(Meaning::throttled, 0));
  CHECK(heat_color(0.2, true) == color_of(Meaning::throttled, 0));
  const auto red = [](double fraction) { return heat_color(fraction, false) >> 16U; };
  for (int percent = 1; percent < 100; ++percent) {
    INFO(percent);
    CHECK(red(percent / 100.0) <= red((percent - 1) / 100.0));
  }
}

TEST_CASE("No colour of a series has a meaning of its own", "[plots]") {
  std::set<Color> colors;
  for (const Meaning meaning :
       {Meaning::ok, Meaning::throttled, Meaning::retried, Meaning::failed, Meaning::limit}) {
    colors.insert(color_of(meaning, 3));
  }
  for (std::uint32_t i = 0; i < kSeriesColors; ++i) {
    colors.insert(color_of(Meaning::series, i));
  }
  CHECK(colors.size() == 5 + kSeriesColors);
  CHECK(color_of(Meaning::series, kSeriesColors) == color_of(Meaning::series, 0));
  CHECK(dash_of(Meaning::series, kSeriesColors) != dash_of(Meaning::series, 0));
}

// ---- utilisation and 429s -----------------------------------------------------------------------

TEST_CASE("Use stands beside the share of each partition, in RU/s", "[plots]") {
  RunResult run = samples::make_run({.demand_ru_per_s = {3'000, 12'000, 0}, .seconds = 3});
  run.warm_up_ns = kSecond;
  const std::vector<Chart> charts = describe(run);
  const Panel& panel = chart_of(charts, "utilization").panels.at(0);
  REQUIRE(lines_of(panel).size() == 3);  // partition 2 was asked for nothing
  const Line& share = line_of(panel, "share of each");
  CHECK(share.meaning == Meaning::limit);
  CHECK(share.dashed);
  CHECK(share.y == std::vector<double>{6'000, 6'000, 6'000, 6'000});
  CHECK(line_of(panel, "partition 0").y == std::vector<double>{3'000, 3'000, 3'000, 3'000});
  CHECK(line_of(panel, "partition 1").y == std::vector<double>{6'000, 6'000, 6'000, 6'000});
  CHECK(line_of(panel, "partition 1").x == std::vector<double>{0, 1, 2, 3});
  CHECK(line_of(panel, "partition 1").number == 1);
  CHECK(panel.y.unit == "RU/s");
  CHECK(panel.y.high > 6'000);
  REQUIRE(panel.phases.size() == 1);
  CHECK(panel.phases[0].label == "warm-up");
  CHECK(panel.phases[0].to == 1);
}

double value_at(const Line& line, double x) {
  const auto after = std::upper_bound(line.x.begin(), line.x.end(), x);
  return line.y.at(static_cast<std::size_t>(after - line.x.begin()) - 1);
}

TEST_CASE("Equal shares are one line, which goes where they go", "[plots]") {
  const std::vector<Chart> charts = describe(samples::growing_run());
  const Line& share = line_of(chart_of(charts, "utilization").panels.at(0), "share of each");
  CHECK(value_at(share, 100) == 10'000);
  CHECK(value_at(share, 300) == 5'000);
  CHECK(value_at(share, 500) == 10'000);
}

TEST_CASE("Uneven shares have a line each, beside that of their partition", "[plots]") {
  const std::vector<Chart> charts = describe(samples::make_layout_run(
      {{.percent = 50, .share_ru_per_s = 6'000, .demand_ru_per_s = 5'000},
       {.percent = 50, .share_ru_per_s = 3'000, .demand_ru_per_s = 5'000, .born_s = 4}},
      10));
  const Panel& panel = chart_of(charts, "utilization").panels.at(0);
  const Line& share = line_of(panel, "share of 1");
  CHECK(share.dashed);
  CHECK(share.meaning == Meaning::series);
  CHECK(share.number == line_of(panel, "partition 1").number);
  CHECK(is_nan(value_at(share, 3)));
  CHECK(value_at(share, 4) == 3'000);
  CHECK(value_at(line_of(panel, "share of 0"), 4) == 6'000);
}

TEST_CASE("The last interval of a run that ends inside it is not taken for a whole one",
          "[plots]") {
  RunResult run = samples::make_run({.demand_ru_per_s = {4'000}, .seconds = 3});
  run.series.interval_s = 2;  // rows of 2 s; the run ends after 5
  run.simulated_ns = 5 * kSecond;
  run.series.consumed_mru.setConstant(8'000'000);
  run.series.consumed_mru(2, 0) = 4'000'000;
  run.series.share_mru.setConstant(12'000'000);
  run.series.share_mru(2, 0) = 6'000'000;
  const std::vector<Chart> charts = describe(run);
  const Panel& panel = chart_of(charts, "utilization").panels.at(0);
  CHECK(line_of(panel, "partition 0").y == std::vector<double>{4'000, 4'000, 4'000, 4'000});
  CHECK(line_of(panel, "partition 0").x == std::vector<double>{0, 2, 4, 5});
  CHECK(line_of(panel, "its share").y == std::vector<double>{6'000, 6'000, 6'000, 6'000});
}

TEST_CASE("429s over time stand beside what was served, on equal axes", "[plots]") {
  StudyResult study =
      samples::one_run_study(samples::make_run({.demand_ru_per_s = {12'000}, .seconds = 2}), "hot");
  study.runs.push_back({"calm", samples::make_run({.demand_ru_per_s = {3'000}, .seconds = 1})});
  const std::vector<Chart> charts = describe_charts(study);
  const Chart& chart = chart_of(charts, "throttled");
  CHECK(chart.title == "hot: 50 % of attempts met a 429, all the time");
  REQUIRE(chart.panels.size() == 2);
  const Line& throttled = line_of(chart.panels[0], "throttled (429)");
  CHECK(throttled.meaning == Meaning::throttled);
  CHECK(throttled.y == std::vector<double>{1'200, 1'200, 1'200});
  CHECK(line_of(chart.panels[0], "served").y == std::vector<double>{1'200, 1'200, 1'200});
  CHECK(line_of(chart.panels[0], "served").meaning == Meaning::ok);
  CHECK(line_of(chart.panels[1], "throttled (429)").y == std::vector<double>{0, 0});
}

TEST_CASE("Small multiples have equal axes", "[plots]") {
  StudyResult study = samples::vehicle_telemetry();
  study.runs[1].run.simulated_ns = 30 * kSecond;
  for (const Chart& chart : describe_charts(study)) {
    if (chart.name == "variants") {
      continue;  // each panel is another measure
    }
    for (const Panel& panel : chart.panels) {
      INFO(chart.name << ": " << panel.heading);
      const Panel& first = chart.panels.front();
      CHECK(panel.y.high == first.y.high);
      CHECK(panel.y.low == first.y.low);
      if (panel.x.categories.empty()) {
        CHECK(panel.x.high == first.x.high);
        CHECK(panel.x.unit == first.x.unit);
      }
    }
  }
}

// ---- latency ------------------------------------------------------------------------------------

TEST_CASE("A latency curve rises and ends at the last percentile the samples can tell", "[plots]") {
  RunResult run = samples::make_run({.demand_ru_per_s = {3'000}});
  for (std::uint64_t ms = 1; ms <= 500; ++ms) {
    run.clients[0].latency_ns.add(ms * 1'000'000);
  }
  const std::vector<Chart> charts = describe(run);
  const Panel& panel = chart_of(charts, "latency").panels.at(0);
  const Line& curve = line_of(panel, "v");
  CHECK(curve.x.front() == 1);
  CHECK(curve.y.front() == 1.0);
  CHECK(curve.x.back() == 500);  // one of 500 lies beyond 99.8 %
  CHECK(std::is_sorted(curve.y.begin(), curve.y.end()));
  CHECK(panel.y.scale == AxisScale::logarithmic);
  CHECK(panel.y.low <= 1.0);
  CHECK(panel.y.high >= 500.0);
  CHECK(panel.x.ticks.front().text == "0 %");
}

TEST_CASE("Runs without a success have no curve, and the others keep their colours", "[plots]") {
  StudyResult study = samples::vehicle_telemetry();
  for (ClientResult& client : study.runs[1].run.clients) {
    client.latency_ns = Histogram();
  }
  const std::vector<Chart> charts = describe_charts(study);
  const std::vector<Line>& curves = lines_of(chart_of(charts, "latency").panels.at(0));
  REQUIRE(curves.size() == 2);
  CHECK(curves[0].name == "date (84 % failed)");
  CHECK(curves[0].number == 0);
  CHECK(curves[1].number == 2);
}

TEST_CASE("Latency over time has gaps where nothing succeeded", "[plots]") {
  RunResult run = samples::make_run({.demand_ru_per_s = {3'000}, .seconds = 3});
  run.latency_series.rows = {{5, 1'000'000, 2'000'000, 3'000'000, 9'000'000},
                             {},
                             {5, 4'000'000, 5'000'000, 60'000'000, 90'000'000}};
  const std::vector<Chart> charts = describe(run);
  const Chart& chart = chart_of(charts, "latency-time");
  CHECK_THAT(chart.title, has_text("v: the p99 of a second reaches 60 ms at 2 s"));
  const Line& p99 = line_of(chart.panels.at(0), "p99");
  REQUIRE(p99.y.size() == 4);
  CHECK(p99.y[0] == 3);
  CHECK(is_nan(p99.y[1]));
  CHECK(p99.y[2] == 60);
  CHECK(line_of(chart.panels.at(0), "p50").y[2] == 4);
  CHECK(line_of(chart.panels.at(0), "p95").y[0] == 2);
}

// ---- layout, storage, keys, money ---------------------------------------------------------------

TEST_CASE("The layout chart shows who owned which keys, from birth to end", "[plots]") {
  const std::vector<Chart> charts = describe(samples::growing_run(), "grows");
  const Chart& chart = chart_of(charts, "layout");
  CHECK(chart.columns == 2);
  CHECK(chart.title ==
        "grows: from 1 to 3 partitions, with 25 % to 50 % of the keys and 10,000 RU/s each");
  REQUIRE(chart.panels.size() == 2);
  // 0 owns all, then 1 the lower half and 2 the upper, then 3 and 4 the lower quarters
  const std::vector<std::array<double, 5>> expected{{0, 0, 240, 0, 100},
                                                    {1, 240, 360, 0, 50},
                                                    {3, 360, 600, 0, 25},
                                                    {4, 360, 600, 25, 50},
                                                    {2, 240, 600, 50, 100}};
  const std::vector<Band>& bands = std::get<Bands>(chart.panels[0].content).bands;
  REQUIRE(bands.size() == expected.size());
  for (std::size_t i = 0; i < bands.size(); ++i) {
    INFO(i);
    const Band& band = bands[i];
    CHECK(std::array<double, 5>{static_cast<double>(band.color), band.x_low, band.x_high,
                                band.y_low, band.y_high} == expected[i]);
    CHECK(band.label == std::to_string(band.color));
  }
}

TEST_CASE("The layout chart stacks the shares, with a new band wherever one moves", "[plots]") {
  const std::vector<Chart> charts = describe(samples::growing_run());
  const Panel& panel = chart_of(charts, "layout").panels.at(1);
  const std::vector<std::array<double, 5>> expected{
      {0, 0, 240, 0, 10'000},        {1, 240, 360, 0, 5'000},  {2, 240, 360, 5'000, 10'000},
      {2, 360, 600, 20'000, 30'000}, {3, 360, 600, 0, 10'000}, {4, 360, 600, 10'000, 20'000}};
  const std::vector<Band>& bands = std::get<Bands>(panel.content).bands;
  REQUIRE(bands.size() == expected.size());
  for (std::size_t i = 0; i < bands.size(); ++i) {
    INFO(i);
    const Band& band = bands[i];
    CHECK(std::array<double, 5>{static_cast<double>(band.color), band.x_low, band.x_high,
                                band.y_low, band.y_high} == expected[i]);
  }
  CHECK(panel.y.high >= 30'000);
}

TEST_CASE("Only variants whose layout changed are in the layout chart", "[plots]") {
  StudyResult study = samples::vehicle_telemetry();
  study.runs[1].run = samples::growing_run();
  study.runs[2].run.layout_events = {samples::make_event({.kind = LayoutEventKind::refused})};
  const std::vector<Chart> charts = describe_charts(study);
  const Chart& chart = chart_of(charts, "layout");
  REQUIRE(chart.panels.size() == 2);
  CHECK(chart.panels[0].variant == "random-suffix");
}

TEST_CASE("Storage is shown at the end of each second, in a unit that suits it", "[plots]") {
  RunResult run = samples::make_run({.demand_ru_per_s = {10, 10}, .seconds = 2});
  run.series.storage_bytes = LoadMatrix::Zero(2, 2);
  run.series.storage_bytes(0, 0) = std::int64_t{1} << 30;
  run.series.storage_bytes(1, 0) = std::int64_t{3} << 30;
  run.series.storage_bytes(1, 1) = std::int64_t{1} << 29;
  const std::vector<Chart> charts = describe(run);
  const Chart& chart = chart_of(charts, "storage");
  CHECK(chart.title == "v goes from 1 GB to 3.5 GB, at most 3 GB on one partition");
  const Panel& panel = chart.panels.at(0);
  CHECK(panel.y.unit == "GB");
  CHECK(line_of(panel, "partition 0").x == std::vector<double>{0, 1, 2});
  CHECK(line_of(panel, "partition 0").y == std::vector<double>{1, 1, 3});
  CHECK(is_nan(line_of(panel, "partition 1").y[0]));
  CHECK(line_of(panel, "partition 1").x == std::vector<double>{1, 1, 2});
  CHECK(line_of(panel, "partition 1").y[2] == 0.5);
}

TEST_CASE("Bars compare the variants, each in its own colour, with their numbers", "[plots]") {
  const std::vector<Chart> charts = describe_charts(samples::vehicle_telemetry());
  const Chart& chart = chart_of(charts, "variants");
  REQUIRE(chart.panels.size() == 5);
  CHECK(chart.columns == 5);
  const Panel& throttled = chart.panels[0];
  CHECK(throttled.x.categories == std::vector<std::string>{"date", "random-suffix", "vin-suffix"});
  CHECK(bars_of(throttled).colors == std::vector<std::uint32_t>{0, 1, 2});
  CHECK(bars_of(throttled).values[0] == Approx(84.2).margin(0.1));
  CHECK(bars_of(throttled).values[2] == 0.0);
  // what a key costs its readers, not the mean over all clients
  CHECK(chart.panels[3].y.unit == "of client lookup");
  CHECK(bars_of(chart.panels[3]).values == std::vector<double>{1, 25.73, 1});
  CHECK(bars_of(chart.panels[3]).texts[1] == "25.7");
}

TEST_CASE("The bill is compared by the month and by what succeeded for it", "[plots]") {
  StudyResult study;
  study.name = "bill";
  for (const std::int64_t dollars : {72, 144}) {
    RunResult run = samples::make_run({.demand_ru_per_s = {5'000}, .seconds = 3'600});
    run.cost = {.per_hour_micro = dollars * 1'000'000 / 720,
                .per_month_micro = dollars * 1'000'000};
    study.runs.push_back({std::to_string(dollars), run});
  }
  const std::vector<Chart> charts = describe_charts(study);
  const Chart& chart = chart_of(charts, "cost");
  CHECK(chart.title == "144 costs $144 a month, 72 $72.00");
  CHECK(bars_of(chart.panels.at(0)).values == std::vector<double>{72, 144});
  // 1,000 operations a second for an hour at 0.1 dollars
  CHECK(bars_of(chart.panels.at(1)).values[0] == Approx(0.1 / 3.6));
}

TEST_CASE("Hot keys are shown with their part of the demand and their partition", "[plots]") {
  RunResult run = samples::make_run({.demand_ru_per_s = {6'000, 6'000}});
  run.hot_keys = {{"a", 1, run.total_demand_mru / 2}, {"b", 0, run.total_demand_mru / 4}};
  const std::vector<Chart> charts = describe(run);
  const Panel& panel = chart_of(charts, "hot-keys").panels.at(0);
  CHECK(panel.x.categories == std::vector<std::string>{"a", "b"});
  CHECK(bars_of(panel).values == std::vector<double>{50, 25});
  CHECK(bars_of(panel).texts == std::vector<std::string>{"50 %, partition 1", "25 %, partition 0"});
}

TEST_CASE("A study of very many variants says which it shows", "[plots]") {
  StudyResult study;
  for (int i = 0; i < 30; ++i) {
    study.runs.push_back({"v" + std::to_string(i),
                          samples::make_run({.demand_ru_per_s = {9'000, 10}, .seconds = 5})});
  }
  for (const Chart& chart : describe_charts(study)) {
    INFO(chart.name);
    CHECK_THAT(chart.explanation, has_text("of 30 variants)"));
    CHECK(chart.panels.size() <= 12);
  }
}

}  // namespace
}  // namespace partsim
