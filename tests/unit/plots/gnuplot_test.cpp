// Charts drawn by the real gnuplot, and by programs that misbehave in its place.
#include <algorithm>
#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "partsim/plots/describe.hpp"
#include "partsim/plots/plots.hpp"
#include "partsim/plots/theme.hpp"
#include "partsim/report/text.hpp"

#include "chart_folder.hpp"
#include "process.hpp"
#include "support/catch.hpp"
#include "unit/report/hostile_texts.hpp"
#include "unit/report/sample_layouts.hpp"
#include "xml_text.hpp"

namespace partsim {
namespace {

using testing::ChartFolder;
using testing::xml_fault;
using testing::xml_text;

/// Both formats of the charts that the study has.
std::vector<std::string> files_of(const StudyResult& study) {
  std::vector<std::string> names;
  for (const Chart& chart : describe_charts(study)) {
    names.push_back(chart.name + ".png");
    names.push_back(chart.name + ".svg");
  }
  std::sort(names.begin(), names.end());
  return names;
}

bool has_gnuplot() {
  const ChartFolder folder;
  const auto failures = run_commands({{"gnuplot", {"--version"}, folder.path().string(), "log"}},
                                     std::chrono::seconds(10));
  if (!failures[0].empty()) {
    WARN("skipped: no gnuplot here: " << failures[0]);
    return false;
  }
  return true;
}

ChartOutcome draw(const StudyResult& study, const ChartFolder& folder) {
  return draw_charts(study, folder.path().string());
}

void check_pictures(const ChartFolder& folder) {
  for (const std::string& name : folder.files()) {
    INFO(name);
    const std::string content = folder.content(name);
    if (name.ends_with(".png")) {
      CHECK(content.starts_with("\x89PNG\r\n\x1A\n"));
      CHECK(content.substr(content.size() - 8, 4) == "IEND");
    } else {
      CHECK(content.starts_with("<?xml"));
      CHECK(xml_fault(content).empty());
    }
  }
}

TEST_CASE("The small XML reader tells good from bad", "[plots]") {
  CHECK(xml_fault("<?xml version=\"1.0\"?><!-- <a> --><a b='/>'><c/>&lt;&#39;</a>\n").empty());
  CHECK_FALSE(xml_fault("<a><b></a></b>").empty());
  CHECK_FALSE(xml_fault("<a>").empty());
  CHECK_FALSE(xml_fault("<a>x & y</a>").empty());
  CHECK_FALSE(xml_fault("<a>x < y</a>").empty());
  CHECK_FALSE(xml_fault("<a><!-- </a>").empty());
  CHECK_FALSE(xml_fault("<a>\x1B</a>").empty());
}

TEST_CASE("Every chart is drawn as .svg and .png, the same bytes twice", "[plots]") {
  if (!has_gnuplot()) {
    return;
  }
  const ChartFolder first;
  const ChartFolder second;
  const StudyResult study = samples::vehicle_telemetry();
  const ChartOutcome outcome = draw(study, first);
  CHECK(outcome.warning.empty());
  std::vector<std::string> named = outcome.files;
  std::sort(named.begin(), named.end());
  CHECK(named == files_of(study));
  CHECK(first.files() == files_of(study));  // and nothing else, not even a hidden folder
  check_pictures(first);
  CHECK(draw(study, second).warning.empty());
  for (const std::string& name : files_of(study)) {
    INFO(name);
    CHECK(first.content(name) == second.content(name));
  }
}

TEST_CASE("The charts carry the title and the names of the variants", "[plots]") {
  if (!has_gnuplot()) {
    return;
  }
  const ChartFolder folder;
  StudyResult study = samples::vehicle_telemetry();
  study.title = "Fish & <chips>, Zürich 東京";
  CHECK(draw(study, folder).warning.empty());
  for (const char* name : {"latency.svg", "utilization.svg", "variants.svg", "throttled.svg"}) {
    INFO(name);
    CHECK_THAT(folder.content(name), has_text("Fish"));
    const std::string text = xml_text(folder.content(name));
    CHECK_THAT(text, has_text("Fish & <chips>, Zürich 東京"));
    CHECK_THAT(text, has_text("random-suffix"));
    CHECK(folder.content(name).find("<chips>") == std::string::npos);
  }
}

TEST_CASE("Hostile names run nothing, and the charts are still drawn", "[plots]") {
  if (!has_gnuplot()) {
    return;
  }
  constexpr std::size_t kTogether = 4;  // variants of one study
  for (std::size_t i = 0; i < samples::kHostileTexts.size(); i += kTogether) {
    const ChartFolder folder;
    StudyResult study;
    study.name = "hostile";
    for (std::size_t k = i; k < std::min(i + kTogether, samples::kHostileTexts.size()); ++k) {
      const std::string name(samples::kHostileTexts.at(k));
      UNSCOPED_INFO(visible_text(name));
      study.title = name;
      RunResult run = samples::make_run({.demand_ru_per_s = {9'000, 3'000}, .seconds = 5});
      run.clients[0].name = name;
      run.hot_keys = {{name, 0, run.total_demand_mru}};
      run.cost.per_month_micro = static_cast<std::int64_t>(k) * 1'000'000'000;
      samples::add_latency(run.clients[0], 5'000);
      study.runs.push_back({name, run});
    }
    const ChartOutcome outcome = draw(study, folder);
    CHECK(outcome.warning.empty());
    CHECK(folder.files() == files_of(study));  // so no canary
    CHECK_FALSE(std::filesystem::exists("canary"));
    check_pictures(folder);
  }
}

TEST_CASE("Hostile titles are shown, not interpreted", "[plots]") {
  if (!has_gnuplot()) {
    return;
  }
  for (const std::string_view title :
       {"a_b^c{/=40 big}", "@A `touch canary` $(x)", "%s%d 100 %", "</script><b>&amp;",
        R"(back\slash \n \101)", "T[1] . system('x')", "# no comment", "it's 'quoted'",
        "e\u0301 ✅"}) {
    INFO(title);
    const ChartFolder folder;
    StudyResult study = samples::one_run_study(samples::make_run({.demand_ru_per_s = {3'000, 10}}));
    study.title = title;
    CHECK(draw(study, folder).warning.empty());
    CHECK_THAT(xml_text(folder.content("heatmap.svg")), has_text(std::string(title)));
  }
}

TEST_CASE("A layout that changed is a chart with the partitions' numbers", "[plots]") {
  if (!has_gnuplot()) {
    return;
  }
  const ChartFolder folder;
  StudyResult study = samples::one_run_study(samples::growing_run(), "grows");
  study.runs.push_back({"still", samples::make_run({.demand_ru_per_s = {3'000, 10}})});
  const ChartOutcome outcome = draw(study, folder);
  CHECK(outcome.warning.empty());
  check_pictures(folder);
  const std::string svg = folder.content("layout.svg");
  CHECK(xml_fault(svg).empty());
  const std::string text = xml_text(svg);
  for (const char* part :
       {"grows", "keys owned", "shares, RU/s", "from 1 to 3 partitions", "30,000"}) {
    CHECK_THAT(text, has_text(part));
  }
  CHECK(text.find("still") == std::string::npos);
  CHECK(folder.content("layout.png").starts_with("\x89PNG\r\n\x1A\n"));
}

StudyResult of_runs(std::size_t runs, std::size_t partitions) {
  StudyResult study = samples::one_run_study(RunResult{});
  study.runs.clear();
  for (std::size_t i = 0; i < runs; ++i) {
    RunResult run = samples::make_run(
        {.demand_ru_per_s = std::vector<std::int64_t>(partitions, 3'000), .seconds = 20});
    samples::add_latency(run.clients[0], 5'000 * (i + 1));
    study.runs.push_back({"v" + std::to_string(i), run});
  }
  return study;
}

TEST_CASE("Charts are drawn without a warning for every shape of study", "[plots]") {
  if (!has_gnuplot()) {
    return;
  }
  std::vector<StudyResult> studies{of_runs(1, 10), of_runs(13, 3), of_runs(30, 8),
                                   of_runs(1, 1),  of_runs(2, 3),  of_runs(1, 1'000)};
  studies.push_back(  // no traffic
      samples::one_run_study(samples::make_run({.demand_ru_per_s = {0, 0, 0}})));
  studies.push_back(
      samples::one_run_study(samples::make_run({.demand_ru_per_s = std::vector<std::int64_t>(9)})));
  StudyResult mixed = of_runs(2, 3);
  mixed.runs.push_back(of_runs(1, 1'000).runs[0]);
  mixed.runs.push_back({"empty", RunResult{}});
  studies.push_back(mixed);
  for (const StudyResult& study : studies) {
    INFO(study.runs.size() << " runs of " << study.runs[0].run.partitions.size() << " partitions");
    const ChartFolder folder;
    CHECK(draw(study, folder).warning.empty());
    CHECK(folder.files() == files_of(study));
    check_pictures(folder);
  }
}

TEST_CASE("A study without runs has no charts and says why", "[plots]") {
  const ChartFolder folder;
  const ChartOutcome outcome = draw(StudyResult{}, folder);
  CHECK(outcome.files.empty());
  CHECK(outcome.warning == "no charts: no run has finished");
}

TEST_CASE("A run without a partition or a second has no charts and says why", "[plots]") {
  const ChartFolder folder;
  const ChartOutcome outcome = draw(samples::one_run_study(RunResult{}), folder);
  CHECK(outcome.files.empty());
  CHECK(outcome.warning == "no charts: there is nothing to show");
  CHECK(folder.files().empty());
}

TEST_CASE("A missing gnuplot is a warning and leaves no file", "[plots]") {
  for (const char* program : {"no-such-gnuplot", "./no-such-gnuplot", "/"}) {
    INFO(program);
    const ChartFolder folder;
    const ChartOutcome outcome =
        draw_charts(of_runs(1, 3), folder.path().string(), {.gnuplot = program});
    CHECK(outcome.files.empty());
    CHECK(outcome.warning.starts_with("no charts: '" + std::string(program) +
                                      "' cannot be started: "));
    CHECK(folder.files().empty());
  }
}

TEST_CASE("A folder that cannot be written to is a warning", "[plots]") {
  const ChartFolder folder;
  const ChartOutcome missing = draw_charts(of_runs(1, 3), (folder.path() / "no" / "such").string());
  CHECK(missing.files.empty());
  CHECK(missing.warning == "no charts: cannot write to their folder");
}

TEST_CASE("A hanging gnuplot is ended at the limit, with all that it started", "[plots]") {
  const ChartFolder programs;
  const ChartFolder folder;
  const std::string hangs =
      programs.add_script("hangs", "sleep 60 & echo half > latency.svg; wait");
  const auto begin = std::chrono::steady_clock::now();
  const ChartOutcome outcome = draw_charts(of_runs(1, 3), folder.path().string(),
                                           {.gnuplot = hangs, .limit = std::chrono::seconds(1)});
  const auto took = std::chrono::steady_clock::now() - begin;
  CHECK(took >= std::chrono::seconds(1));
  CHECK(took < std::chrono::seconds(20));  // generous: the machine may be busy
  CHECK(outcome.files.empty());
  CHECK_THAT(outcome.warning, has_text("was ended after 1000 ms"));
  CHECK(folder.files().empty());
}

TEST_CASE("A failing gnuplot leaves no half a picture, and its complaint is passed on", "[plots]") {
  const ChartFolder programs;
  const ChartFolder folder;
  const std::string fails = programs.add_script(
      "fails", R"(echo half > latency.svg; printf '\n  ^\nno \033[31mfonts\n' >&2; exit 1)");
  const ChartOutcome outcome =
      draw_charts(of_runs(1, 3), folder.path().string(), {.gnuplot = fails});
  CHECK(outcome.files.empty());
  CHECK_THAT(outcome.warning, has_text("ended with exit code 1 (no \\x1B[31mfonts)"));
  CHECK(folder.files().empty());
}

TEST_CASE("A gnuplot that is killed or draws nothing is noticed", "[plots]") {
  const ChartFolder programs;
  const ChartFolder folder;
  const std::string dies = programs.add_script("dies", "kill -9 $$");
  CHECK_THAT(draw_charts(of_runs(1, 3), folder.path().string(), {.gnuplot = dies}).warning,
             has_text("was ended by signal 9"));
  const std::string idle = programs.add_script("idle", "exit 0");
  const ChartOutcome outcome =
      draw_charts(of_runs(1, 3), folder.path().string(), {.gnuplot = idle});
  CHECK(outcome.files.empty());
  CHECK_THAT(outcome.warning, has_text("latency.svg was not drawn"));
  CHECK(folder.files().empty());
}

TEST_CASE("One gnuplot draws all charts, and gets no settings and no shell", "[plots]") {
  const ChartFolder programs;
  const ChartFolder folder;
  const std::string calls = (programs.path() / "calls").string();
  const std::string counts = programs.add_script("counts", "echo \"$*\" >> " + calls);
  CHECK_FALSE(draw_charts(of_runs(3, 10), folder.path().string(), {.gnuplot = counts})
                  .warning.empty());  // it draws nothing
  CHECK(programs.content("calls") == "-d charts.gnuplot\n");
}

TEST_CASE("A chart that was not drawn is told, the others are kept", "[plots]") {
  const ChartFolder programs;
  const ChartFolder folder;
  const std::string some = programs.add_script(
      "some", "for c in heatmap utilization; do echo '<svg/>' > $c.svg; done; : > latency.png");
  const ChartOutcome outcome =
      draw_charts(of_runs(1, 3), folder.path().string(), {.gnuplot = some});
  CHECK(folder.files() == std::vector<std::string>{"heatmap.svg", "utilization.svg"});
  CHECK_THAT(outcome.warning, has_text("latency.png was not drawn"));
  CHECK_THAT(outcome.warning, has_text("heatmap.png was not drawn"));
}

bool draws_with_matplot() {
  if (!is_built_in(ChartBackend::matplot)) {
    WARN("skipped: no Matplot++ in this build");
    return false;
  }
  return has_gnuplot();
}

TEST_CASE("Matplot++ draws the same charts, the same bytes twice", "[.][matplot]") {
  if (!draws_with_matplot()) {
    return;
  }
  const ChartFolder first;
  const ChartFolder second;
  StudyResult study = samples::vehicle_telemetry();
  study.runs.push_back({"grows", samples::growing_run()});
  const ChartOptions options{.backend = ChartBackend::matplot};
  CHECK(draw_charts(study, first.path().string(), options).warning.empty());
  CHECK(draw_charts(study, second.path().string(), options).warning.empty());
  CHECK(first.files() == files_of(study));
  check_pictures(first);
  for (const std::string& name : files_of(study)) {
    INFO(name);
    CHECK(first.content(name) == second.content(name));
  }
  CHECK_THAT(xml_text(first.content("heatmap.svg")), has_text("date: partition 8 of 10"));
}

TEST_CASE("Hostile names run nothing in Matplot++'s charts either", "[.][matplot]") {
  if (!draws_with_matplot()) {
    return;
  }
  StudyResult study;
  study.title = samples::kHostileTexts.front();
  for (const std::string_view hostile : samples::kHostileTexts) {
    RunResult run = samples::make_run({.demand_ru_per_s = {9'000, 3'000}, .seconds = 2});
    run.hot_keys = {{std::string(hostile), 0, run.total_demand_mru}};
    study.runs.push_back({std::string(hostile), run});
  }
  for (std::size_t i = 0; i < study.runs.size(); i += 11) {
    StudyResult part = study;
    part.runs.assign(study.runs.begin() + static_cast<std::ptrdiff_t>(i),
                     study.runs.begin() + static_cast<std::ptrdiff_t>(i + 11));
    const ChartFolder place;
    const ChartOutcome outcome =
        draw_charts(part, place.path().string(), {.backend = ChartBackend::matplot});
    CHECK(outcome.warning.empty());
    CHECK(place.files() == files_of(part));
    CHECK_FALSE(std::filesystem::exists("canary"));
  }
}

TEST_CASE("Matplot++ without gnuplot is a warning, not an end by a signal", "[.][matplot]") {
  if (!draws_with_matplot()) {
    return;
  }
  const ChartFolder folder;
  const ChartOutcome outcome =
      draw_charts(of_runs(1, 3), folder.path().string(),
                  {.gnuplot = "no-such-gnuplot", .backend = ChartBackend::matplot});
  CHECK(outcome.files.empty());
  CHECK(outcome.warning.starts_with("no charts: 'no-such-gnuplot' cannot be started: "));
  CHECK(folder.files().empty());
}

/// What an .svg shows, without what differs between minor versions of gnuplot: the generator's
/// name and the definitions of its symbols.
std::string essence(const std::string& svg) {
  std::string kept;
  std::size_t begin = 0;
  while (begin < svg.size()) {
    const std::size_t end = std::min(svg.find('\n', begin), svg.size());
    const std::string line = svg.substr(begin, end - begin);
    if (line.find("gpPt") == std::string::npos && line.find("GNUPLOT") == std::string::npos) {
      kept += line + "\n";
    }
    begin = end + 1;
  }
  return kept;
}

std::size_t count_of(const std::string& text, std::string_view part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) {
    ++count;
  }
  return count;
}

TEST_CASE("A heat map of two partitions and three seconds is these rectangles and words",
          "[plots]") {
  if (!has_gnuplot()) {
    return;
  }
  const ChartFolder folder;
  const StudyResult study = samples::one_run_study(
      samples::make_run({.demand_ru_per_s = {3'000, 12'000}, .seconds = 3}), "golden");
  CHECK(draw(study, folder).warning.empty());
  const std::string svg = essence(folder.content("heatmap.svg"));
  // three cells at the limit and the end of the scale in the colour of throttling, three at half
  const auto filled = [&svg](std::string_view color) {
    return count_of(svg, fmt::format("fill = 'rgb({})'", color));
  };
  CHECK(filled("230, 159,   0") == 4);
  const Color half = heat_color(0.5, false);
  CHECK(filled(fmt::format("{:3}, {:3}, {:3}", half >> 16U, (half >> 8U) & 0xFFU, half & 0xFFU)) ==
        3);
  const std::string text = xml_text(svg);
  for (const char* word :
       {"A sample",
        "golden: partition 1 of 2 took 80 % of the load and refused 50 % of its attempts",
        "How much of its share", "limit", "golden: 40 % of attempts throttled"}) {
    INFO(word);
    CHECK(text.find(word) != std::string::npos);
  }
}

}  // namespace
}  // namespace partsim
