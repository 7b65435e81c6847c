// What goes into the scripts and data files, without gnuplot.
#include <algorithm>
#include <cmath>
#include <set>
#include <string>

#include "gnuplot_script.hpp"
#include "support/catch.hpp"
#include "unit/report/hostile_texts.hpp"
#include "unit/report/sample_layouts.hpp"

namespace partsim {
namespace {

StudyResult named(const std::string& name) {
  StudyResult study = samples::vehicle_telemetry();
  study.name = name;
  study.title = name;
  for (VariantResult& result : study.runs) {
    result.variant = name;
    for (ClientResult& client : result.run.clients) {
      client.name = name;
    }
    for (HotKey& key : result.run.hot_keys) {
      key.key = name;
    }
  }
  return study;
}

TEST_CASE("Not one byte of a user's text is in a script", "[plots]") {
  const Charts harmless = make_charts(named("harmless"));
  for (const ChartFormat format : {ChartFormat::svg, ChartFormat::png}) {
    const std::string script = gnuplot_script(harmless, format);
    CHECK(script.find("harmless") == std::string::npos);
    for (const std::string_view hostile : samples::kHostileTexts) {
      INFO(hostile);
      CHECK(gnuplot_script(make_charts(named(std::string(hostile))), format) == script);
    }
  }
}

/// Rows and fields as gnuplot reads them: tabs part fields, newlines rows, quotes protect neither.
std::vector<std::size_t> fields_by_row(const std::string& content) {
  std::vector<std::size_t> fields;
  std::size_t count = 1;
  for (const char c : content) {
    if (c == '\n') {
      fields.push_back(count);
      count = 1;
    } else if (c == '\t') {
      ++count;
    }
  }
  return fields;
}

TEST_CASE("A user's text stays in its field of a data file", "[plots]") {
  const Charts harmless = make_charts(named("harmless"));
  for (const std::string_view hostile : samples::kHostileTexts) {
    INFO(hostile);
    const Charts charts = make_charts(named(std::string(hostile)));
    CHECK(fields_by_row(charts.texts.content) == fields_by_row(harmless.texts.content));
    CHECK(fields_by_row(charts.bars.bars.content) == fields_by_row(harmless.bars.bars.content));
    for (std::size_t i = 0; i < charts.latency.curves.size(); ++i) {
      CHECK(fields_by_row(charts.latency.curves[i].content) ==
            fields_by_row(harmless.latency.curves[i].content));
    }
    for (std::size_t i = 0; i < charts.panels.size(); ++i) {
      CHECK(charts.panels[i].cells.content == harmless.panels[i].cells.content);
    }
  }
}

TEST_CASE("A field of text has exactly two quotes and no single backslash", "[plots]") {
  for (const std::string_view hostile : samples::kHostileTexts) {
    INFO(hostile);
    const std::string field = data_text(hostile, 200);
    REQUIRE(field.size() >= 2);
    CHECK(field.front() == '"');
    CHECK(field.back() == '"');
    const std::string inner = field.substr(1, field.size() - 2);
    CHECK(inner.find('"') == std::string::npos);
    for (std::size_t i = inner.find('\\'); i < inner.size(); i = inner.find('\\', i + 2)) {
      CHECK(inner.substr(i, 2) == "\\\\");
    }
  }
  CHECK(data_text("abcdef", 4) == "\"abc…\"");
}

TEST_CASE("The heat map shows every second and partition of a small run as it was", "[plots]") {
  const RunResult run = samples::make_run({.demand_ru_per_s = {3'000, 12'000}, .seconds = 3});
  const std::vector<UtilizationPanel> panels = utilization_panels(samples::one_run_study(run));
  REQUIRE(panels.size() == 1);
  CHECK(panels[0].columns == 3);
  CHECK(panels[0].rows == 2);
  CHECK(panels[0].seconds == 3);
  CHECK(panels[0].highest == 1.0);
  CHECK(panels[0].throttled);
  CHECK(panels[0].cells.content ==
        "0\t1\t0\t50.00\t0.0000\n1\t2\t0\t50.00\t0.0000\n2\t3\t0\t50.00\t0.0000\n\n\n"
        "0\t1\t1\t100.00\t0.5000\n1\t2\t1\t100.00\t0.5000\n2\t3\t1\t100.00\t0.5000\n\n\n");
}

TEST_CASE("A partition's row begins at its birth and ends when it retires", "[plots]") {
  RunResult run = samples::make_layout_run(
      {{.demand_ru_per_s = 12'000, .retired_s = 2},
       {.percent = 50, .demand_ru_per_s = 5'000, .born_s = 2, .parent = 0}},
      3);
  run.layout_events = {samples::make_event({.at_s = 2}),
                       samples::make_event({.at_s = 2, .kind = LayoutEventKind::scale}),
                       samples::make_event({.at_s = 2, .kind = LayoutEventKind::refused})};
  const UtilizationPanel panel = utilization_panels(samples::one_run_study(run))[0];
  CHECK(panel.cells.content ==
        "0\t1\t0\t100.00\t0.1667\n1\t2\t0\t100.00\t0.1667\n2\t3\t0\tNaN\t0.0000\n\n\n"
        "0\t1\t1\tNaN\t0.0000\n1\t2\t1\tNaN\t0.0000\n2\t3\t1\t50.00\t0.0000\n\n\n");
  CHECK(panel.highest == 1.0);
  CHECK(panel.marks == std::vector<double>{2});  // once, and not for what was refused
}

TEST_CASE("The heat map numbers its partitions in whole steps", "[plots]") {
  const auto script_for = [](std::size_t partitions) {
    return gnuplot_script(
        make_charts(samples::one_run_study(samples::make_run(
            {.demand_ru_per_s = std::vector<std::int64_t>(partitions, 10), .seconds = 2}))),
        ChartFormat::svg);
  };
  CHECK_THAT(script_for(6), has_text("\nset ytics 0,1\n"));
  CHECK_THAT(script_for(8), has_text("\nset ytics 0,1\n"));
  CHECK_THAT(script_for(9), has_text("\nset ytics 0,2\n"));
  CHECK_THAT(script_for(1'000), has_text("\nset ytics 0,200\n"));
}

TEST_CASE("Very many changes are marked by a few lines", "[plots]") {
  RunResult run;
  for (std::int64_t i = 0; i < 1'000; ++i) {
    run.layout_events.push_back(samples::make_event({.at_s = i}));
  }
  const std::vector<double> marks = change_times_s(run);
  CHECK(marks.size() <= 24);
  CHECK(marks.front() == 0);
  CHECK(std::is_sorted(marks.begin(), marks.end()));
  CHECK(change_times_s(RunResult{}).empty());
}

TEST_CASE("The layout chart shows who owned which keys, from birth to end", "[plots]") {
  const std::vector<LayoutPanel> panels =
      layout_panels(samples::one_run_study(samples::growing_run()));
  REQUIRE(panels.size() == 1);
  CHECK(panels[0].partitions == 5);
  CHECK(panels[0].seconds == 600);
  CHECK(panels[0].highest == 30'000);
  CHECK(panels[0].marks == std::vector<double>{240, 360});
  // 0 owns all, then 1 the lower half and 2 the upper, then 3 and 4 the lower quarters
  CHECK(panels[0].keys.content ==
        "0\t240\t0\t100\t0\t\"0\"\n240\t360\t0\t50\t1\t\"1\"\n360\t600\t0\t25\t3\t\"3\"\n"
        "360\t600\t25\t50\t4\t\"4\"\n240\t600\t50\t100\t2\t\"2\"\n");
}

TEST_CASE("The layout chart stacks the shares, with a new band wherever one moves", "[plots]") {
  const std::vector<LayoutPanel> panels =
      layout_panels(samples::one_run_study(samples::growing_run()));
  CHECK(panels[0].shares.content ==
        "0\t240\t0\t10000\t0\t\"\"\n240\t360\t0\t5000\t1\t\"\"\n"
        "240\t360\t5000\t10000\t2\t\"\"\n360\t600\t20000\t30000\t2\t\"\"\n"
        "360\t600\t0\t10000\t3\t\"\"\n360\t600\t10000\t20000\t4\t\"\"\n");
}

TEST_CASE("Only variants whose layout changed are in the layout chart", "[plots]") {
  StudyResult study = samples::vehicle_telemetry();
  CHECK(layout_panels(study).empty());
  study.runs[1].run = samples::growing_run();
  study.runs[2].run.layout_events = {samples::make_event({.kind = LayoutEventKind::refused})};
  const std::vector<LayoutPanel> panels = layout_panels(study);
  REQUIRE(panels.size() == 1);
  CHECK(panels[0].run == 1);
}

TEST_CASE("One full second of one partition is still full when cells are merged", "[plots]") {
  RunResult run = samples::make_run(
      {.demand_ru_per_s = std::vector<std::int64_t>(1'000, 60), .seconds = 2'000});
  run.series.consumed_mru(1'234, 567) = 6'000'000;
  run.series.throttled(77, 5) = run.series.attempts(77, 5);
  const UtilizationPanel panel = utilization_panels(samples::one_run_study(run))[0];
  CHECK(panel.rows <= 64);
  CHECK(panel.rows * panel.columns <= 24'000);
  CHECK(panel.highest == 1.0);
  CHECK(panel.throttled);
  CHECK_THAT(panel.cells.content, has_text("\t100.00\t0.0000\n"));
  CHECK_THAT(panel.cells.content, has_text("\t1.00\t1.0000\n"));
}

TEST_CASE("A latency curve rises and ends at the last percentile the samples can tell", "[plots]") {
  RunResult run = samples::make_run({.demand_ru_per_s = {3'000}});
  for (std::uint64_t ms = 1; ms <= 500; ++ms) {
    run.clients[0].latency_ns.add(ms * 1'000'000);
  }
  const LatencyCurves curves = latency_curves(samples::one_run_study(run, "v"));
  REQUIRE(curves.curves.size() == 1);
  CHECK(curves.largest_x == 500);  // one of 500 lies beyond 99.8 %
  CHECK(curves.lowest_ms == 1.0);
  CHECK(curves.highest_ms == 500.0);
  CHECK(curves.curves[0].content.starts_with("x\t\"v\"\n1\t1\n"));
  CHECK(curves.curves[0].content.ends_with("\n"));
}

TEST_CASE("Runs without a success have no curve, and the others keep their colours", "[plots]") {
  StudyResult study = samples::vehicle_telemetry();
  for (ClientResult& client : study.runs[1].run.clients) {
    client.latency_ns = Histogram();
  }
  CHECK(latency_curves(study).runs == std::vector<std::size_t>{0, 2});
}

}  // namespace
}  // namespace partsim
