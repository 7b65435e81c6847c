// The report page as a value: what it says, what it cannot be made to say, and its little helpers.
#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "partsim/plots/report_page.hpp"
#include "partsim/report/text.hpp"

#include "base64.hpp"
#include "chart_json.hpp"
#include "html.hpp"
#include "page_assets.hpp"
#include "page_sections.hpp"
#include "sha256.hpp"
#include "support/catch.hpp"
#include "unit/report/hostile_texts.hpp"
#include "unit/report/sample_layouts.hpp"
#include "xml_text.hpp"

namespace partsim {
namespace {

using testing::xml_fault;
using testing::xml_text;

constexpr PageAssets kInteractive{"body{color:red}", "draw('<b>')"};
constexpr PageAssets kStatic{"body{color:red}", ""};

ReportContext context_of(const std::string& text) {
  return {.scenario_text = text, .file_name = text, .command = text, .static_charts = {}};
}

std::size_t count(std::string_view text, std::string_view part) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != std::string_view::npos;
       at = text.find(part, at + 1)) {
    ++found;
  }
  return found;
}

/// What is between the n-th `begin` and the next `end`.
std::string between(const std::string& text, const std::string& begin, const std::string& end) {
  const std::size_t from = text.find(begin);
  REQUIRE(from != std::string::npos);
  const std::size_t to = text.find(end, from + begin.size());
  REQUIRE(to != std::string::npos);
  return text.substr(from + begin.size(), to - from - begin.size());
}

/// Everybody's text in every place that has one.
StudyResult named(const std::string& name) {
  StudyResult study = samples::vehicle_telemetry();
  study.name = name;
  study.title = name;
  study.runs[1].run = samples::growing_run();
  for (VariantResult& result : study.runs) {
    result.variant = name;
    result.run.hot_keys = {{name, 0, 1}};
    result.run.large_keys = {{name, 0, 1'000, true}};
    for (ClientResult& client : result.run.clients) {
      client.name = name;
    }
    for (LayoutEvent& event : result.run.layout_events) {
      event.container = name;
      event.reason = event.reason.empty() ? "" : name;
    }
  }
  for (ExpectationResult& each : study.expectations) {
    each.rule = name;
    each.variant = name;
  }
  return study;
}

TEST_CASE("The page opens with the verdict, and the expectations follow", "[plots]") {
  const std::string page =
      make_page(samples::vehicle_telemetry(), context_of("partsim: 1\n"), kInteractive);
  const std::string verdict = between(page, "<section id=\"verdict\"", "</section>");
  CHECK_THAT(verdict, has_text("vin-suffix does best"));
  CHECK_THAT(verdict, has_text("date burns partition 8 of 10"));
  CHECK_THAT(verdict, has_text("3 of 4 expectations met"));
  CHECK_THAT(verdict, has_text("class=\"verdict bad\""));  // one failed
  CHECK(page.find("id=\"verdict\"") < page.find("id=\"findings\""));
  CHECK(page.find("id=\"findings\"") < page.find("id=\"load\""));
  CHECK(page.find("id=\"load\"") < page.find("id=\"variants\""));
}

TEST_CASE("The page is the same bytes twice", "[plots]") {
  const StudyResult study = samples::vehicle_telemetry();
  const ReportContext context = context_of("partsim: 1\n");
  CHECK(report_page(study, context) == report_page(study, context));
}

TEST_CASE("The policy names the page's own script and style, and nothing else", "[plots]") {
  const StudyResult study = samples::vehicle_telemetry();
  const std::string page = make_page(study, context_of("x"), kInteractive);
  const std::string policy =
      between(page, "<meta http-equiv=\"Content-Security-Policy\" content=\"", "\"");
  CHECK_THAT(policy, has_text("default-src &#39;none&#39;"));
  CHECK_THAT(policy, has_text("connect-src &#39;none&#39;"));
  CHECK_THAT(policy, has_text("script-src " + markup_text(policy_hash(kInteractive.script))));
  CHECK_THAT(policy, has_text("style-src " + markup_text(policy_hash(kInteractive.style))));
  CHECK(policy.find("unsafe") == std::string::npos);
  CHECK(policy.find("http") == std::string::npos);
  CHECK(count(page, "<script") == 2);  // the data, which does nothing, and the script
  const std::string plain = make_page(study, context_of("x"), kStatic);
  CHECK(count(plain, "<script") == 0);
  CHECK(plain.find("script-src") == std::string::npos);
  CHECK_THAT(plain, has_text("img-src data:"));
}

TEST_CASE("Nobody's text adds an element, an attribute or a script", "[plots]") {
  for (const PageAssets& assets : {kInteractive, kStatic}) {
    const std::string harmless = make_page(named("harmless"), context_of("harmless"), assets);
    for (const std::string_view hostile : samples::kHostileTexts) {
      const std::string name(hostile);
      INFO(visible_text(name));
      const std::string page = make_page(named(name), context_of(name), assets);
      CHECK(count(page, "<script") == count(harmless, "<script"));
      CHECK(count(page, "</script>") == count(harmless, "</script>"));
      CHECK(count(page, "<section") == count(harmless, "<section"));
      CHECK(count(page, "<td") == count(harmless, "<td"));
      std::string markup = page;
      if (assets.interactive()) {  // a script is no markup, and its data has no `<` at all
        const std::string data = between(page, "id=\"page-data\">", "</script>");
        CHECK(data.find('<') == std::string::npos);
        markup.erase(markup.find(data), data.size());
        markup.erase(markup.find(kInteractive.script), kInteractive.script.size());
      }
      CHECK(xml_fault(markup).empty());
      CHECK_THAT(xml_text(markup), has_text(visible_text(name)));
    }
  }
}

TEST_CASE("The scenario is on the page line by line", "[plots]") {
  const std::string scenario = "a: 1\n\tb: \"<x>\"\r\n# 'c' & d\n";
  const std::string page = make_page(samples::vehicle_telemetry(),
                                     {.scenario_text = scenario,
                                      .file_name = "a.yaml",
                                      .command = "partsim run a.yaml",
                                      .static_charts = {}},
                                     kStatic);
  CHECK_THAT(page, has_text("a: 1\n\tb: &quot;&lt;x&gt;&quot;\n# &#39;c&#39; &amp; d\n</pre>"));
  const std::string reproduce = between(page, "<section id=\"reproduce\"", "</section>");
  CHECK_THAT(reproduce, has_text("partsim run a.yaml"));
  CHECK_THAT(reproduce, has_text("00c0ffee12345678"));  // the digest
}

TEST_CASE("Without the script the page shows drawn charts, which cannot run anything", "[plots]") {
  ReportContext context = context_of("x");
  context.static_charts = {{"heatmap", "<svg onload='alert(1)'/>"}};
  const StudyResult study = samples::vehicle_telemetry();
  const std::string page = make_page(study, context, kStatic);
  CHECK(count(page, "<figure") == 1);
  CHECK_THAT(page, has_text("<img src=\"data:image/svg+xml;base64," +
                            base64("<svg onload='alert(1)'/>") + "\" alt=\"date"));
  CHECK(page.find("onload") == std::string::npos);
  CHECK(count(make_page(study, context_of("x"), kStatic), "<figure") == 0);
  CHECK(count(make_page(study, context_of("x"), kInteractive), "<figure") >= 4);
}

TEST_CASE("A study that was stopped before its first run still has a page", "[plots]") {
  StudyResult study;
  study.name = "empty";
  study.partial = true;
  const std::string page = make_page(study, context_of("x"), kStatic);
  CHECK(xml_fault(page).empty());
  CHECK_THAT(page, has_text("No run has finished"));
  CHECK_THAT(page, has_text("stopped early"));
}

TEST_CASE("A long run with many partitions stays a page that opens", "[plots]") {
  RunResult run = samples::make_run({.demand_ru_per_s = std::vector<std::int64_t>(50, 5'000),
                                     .seconds = 4'096,
                                     .wiggle_percent = 80});
  run.series.interval_s = 21;  // a day
  run.simulated_ns = 4'096 * 21 * kSecond;
  StudyResult study = samples::one_run_study(run, "a");
  study.runs.push_back({"b", run});
  study.runs.push_back({"c", run});
  CHECK(report_page(study, context_of("x")).size() < 4'000'000);
}

TEST_CASE("Numbers of charts are JSON, whatever they are", "[plots]") {
  Panel panel;
  Line line;
  line.name = "a\"</script>\\";
  line.x = {0, 0.5, 1e9};
  line.y = {std::nan(""), std::numeric_limits<double>::infinity(), 1.0 / 3};
  panel.content = std::vector<Line>{line, line};
  Chart chart;
  chart.panels = {panel};
  const std::string json = page_data_json(samples::vehicle_telemetry(), {chart});
  CHECK_THAT(json, has_text(R"("xs":[[0,0.5,1e+09]])"));  // both lines stand on it
  CHECK_THAT(json, has_text(R"("y":[null,null,0.33333])"));
  CHECK_THAT(json, has_text(R"("name":"a\"\u003c/script\u003e\\")"));
}

TEST_CASE("SHA-256 of the standard's own examples", "[plots]") {
  const auto hex = [](std::string_view bytes) {
    std::string text;
    for (const std::uint8_t byte : sha256(bytes)) {
      text += "0123456789abcdef"[byte >> 4U];
      text += "0123456789abcdef"[byte & 15U];
    }
    return text;
  };
  CHECK(hex("") == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  CHECK(hex("abc") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  CHECK(hex("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq") ==
        "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  CHECK(hex(std::string(1'000'000, 'a')) ==
        "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
  CHECK(policy_hash("") == "'sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU='");
}

TEST_CASE("Base64 of the standard's own examples", "[plots]") {
  CHECK(base64("").empty());
  CHECK(base64("f") == "Zg==");
  CHECK(base64("fo") == "Zm8=");
  CHECK(base64("foo") == "Zm9v");
  CHECK(base64("foobar") == "Zm9vYmFy");
  CHECK(base64("\xFF\xFE\xFD") == "//79");
}

}  // namespace
}  // namespace partsim
