// What gnuplot is given, and where things stand on a page, without gnuplot.
#include <algorithm>
#include <string>

#include "partsim/plots/describe.hpp"
#include "partsim/report/text.hpp"

#include "gnuplot_script.hpp"
#include "sheet.hpp"
#include "support/catch.hpp"
#include "unit/report/hostile_texts.hpp"
#include "unit/report/sample_layouts.hpp"

namespace partsim {
namespace {

/// Every text of a user that reaches a chart is `name`.
StudyResult named(const std::string& name) {
  StudyResult study = samples::vehicle_telemetry();
  study.name = name;
  study.title = name;
  study.runs.push_back({name, samples::growing_run()});
  for (VariantResult& result : study.runs) {
    result.variant = name;
    for (ClientResult& client : result.run.clients) {
      client.name = name;
    }
    for (HotKey& key : result.run.hot_keys) {
      key.key = name;
    }
    result.run.cost.per_month_micro += 1'000'000;
  }
  return study;
}

TEST_CASE("Not one byte of a user's text is in the script", "[plots]") {
  // of the same width, so that everything stands where it stood
  CHECK(gnuplot_input(describe_charts(named("harmless"))).script ==
        gnuplot_input(describe_charts(named("`reboot`"))).script);
  for (const std::string_view hostile : samples::kHostileTexts) {
    INFO(visible_text(hostile));
    const GnuplotInput input = gnuplot_input(describe_charts(named(std::string(hostile))));
    CHECK(input.script.find("canary") == std::string::npos);
    CHECK(input.script.find('`') == std::string::npos);
    CHECK(input.script.find("system") == std::string::npos);
    CHECK(std::all_of(input.script.begin(), input.script.end(),
                      [](char c) { return c == '\n' || (c >= ' ' && c <= '~'); }));
  }
  CHECK(gnuplot_input(describe_charts(named("harmless"))).script.find("harmless") ==
        std::string::npos);
}

TEST_CASE("A user's text is one row of the file of texts, whatever it holds", "[plots]") {
  const auto rows_of = [](const std::string& name) {
    const std::string texts = gnuplot_input(describe_charts(named(name))).texts;
    return std::count(texts.begin(), texts.end(), '\n');
  };
  const auto expected = rows_of("harmless");
  for (const std::string_view hostile : samples::kHostileTexts) {
    INFO(visible_text(hostile));
    const GnuplotInput input = gnuplot_input(describe_charts(named(std::string(hostile))));
    CHECK(input.texts.find('\t') == std::string::npos);
    // a long one may be cut or take a second line
    CHECK(rows_of(std::string(hostile)) >= expected - 2);
    CHECK(rows_of(std::string(hostile)) <= expected + 10);
    CHECK_THAT(input.script, has_text("array T[" + std::to_string(rows_of(std::string(hostile)))));
  }
}

TEST_CASE("A field of text has exactly two quotes and no single backslash", "[plots]") {
  for (const std::string_view hostile : samples::kHostileTexts) {
    INFO(visible_text(hostile));
    const std::string field = data_text(hostile);
    REQUIRE(field.size() >= 2);
    CHECK(field.front() == '"');
    CHECK(field.back() == '"');
    const std::string inner = field.substr(1, field.size() - 2);
    CHECK(inner.find('"') == std::string::npos);
    for (std::size_t i = inner.find('\\'); i < inner.size(); i = inner.find('\\', i + 2)) {
      CHECK(inner.substr(i, 2) == "\\\\");
    }
  }
}

TEST_CASE("The same text is stored once, and marks at axes keep their per cent", "[plots]") {
  Texts texts;
  CHECK(texts.add("a") == "T[1]");
  CHECK(texts.add_tick("50 %") == "T[2]");
  CHECK(texts.add("a") == "T[1]");
  CHECK(texts.size() == 2);
  CHECK(texts.content() == "\"a\"\n\"50 %%\"\n");
}

TEST_CASE("The same charts are the same script", "[plots]") {
  const auto once = gnuplot_input(describe_charts(samples::vehicle_telemetry()));
  const auto again = gnuplot_input(describe_charts(samples::vehicle_telemetry()));
  CHECK(once.script == again.script);
  CHECK(once.texts == again.texts);
}

/// A study of many variants with long names and partitions of several numbers.
StudyResult crowd(std::size_t runs) {
  StudyResult study;
  study.title = std::string(300, 't');
  for (std::size_t i = 0; i < runs; ++i) {
    RunResult run = samples::make_run(
        {.demand_ru_per_s = std::vector<std::int64_t>(1 + i * 17 % 60, 9'000), .seconds = 10});
    run.cost.per_month_micro = static_cast<std::int64_t>(i) * 1'000'000'000;
    samples::add_latency(run.clients[0], 5'000);
    study.runs.push_back({std::string(5 + i * 7 % 60, 'v') + std::to_string(i), run});
  }
  return study;
}

bool overlap(const Rectangle& a, const Rectangle& b) {
  return a.left < b.left + b.width && b.left < a.left + a.width && a.top < b.top + b.height &&
         b.top < a.top + a.height;
}

TEST_CASE("Nothing on a page overlaps or leaves it, with one variant or with many", "[plots]") {
  for (const std::size_t runs : {1U, 2U, 3U, 5U, 12U, 30U}) {
    for (const Chart& chart : describe_charts(crowd(runs))) {
      INFO(chart.name << " of " << runs);
      const Sheet sheet = lay_out(chart);
      REQUIRE(sheet.panels.size() == chart.panels.size());
      std::vector<Rectangle> places;
      const auto add_text = [&places](const PlacedText& text) {
        places.push_back({text.x, text.y - 7, text_width(text.text), 14});
      };
      add_text(sheet.subject);
      for (const PlacedText& line : sheet.title) {
        add_text(line);
      }
      for (const PlacedText& line : sheet.explanation) {
        add_text(line);
      }
      for (const LegendEntry& entry : sheet.legend) {
        add_text(entry.name);
      }
      for (const PlacedPanel& panel : sheet.panels) {
        add_text(panel.heading);
        places.push_back(panel.plot);
      }
      for (std::size_t i = 0; i < places.size(); ++i) {
        CHECK(places[i].left >= 0);
        CHECK(places[i].left + places[i].width <= kPageWidth);
        CHECK(places[i].top >= 0);
        CHECK(places[i].top + places[i].height <= sheet.height);
        for (std::size_t k = 0; k < i; ++k) {
          INFO(k << " and " << i);
          CHECK_FALSE(overlap(places[i], places[k]));
        }
      }
    }
  }
}

}  // namespace
}  // namespace partsim
