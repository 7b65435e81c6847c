// Charts drawn by the real gnuplot, and by programs that misbehave in its place.
#include <algorithm>
#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

#include "partsim/plots/plots.hpp"
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

const std::vector<std::string> kFiles{"latency.png",     "latency.svg",  "utilization.png",
                                      "utilization.svg", "variants.png", "variants.svg"};

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
  for (const std::string& name : kFiles) {
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

TEST_CASE("Three charts are drawn as .svg and .png, the same bytes twice", "[plots]") {
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
  CHECK(named == kFiles);
  CHECK(first.files() == kFiles);  // and nothing else, not even a hidden folder
  check_pictures(first);
  CHECK(draw(study, second).warning.empty());
  for (const std::string& name : kFiles) {
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
  for (const char* name : {"latency.svg", "utilization.svg", "variants.svg"}) {
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
  for (const std::string_view hostile : samples::kHostileTexts) {
    const std::string name(hostile);
    INFO(visible_text(name));
    const ChartFolder folder;
    StudyResult study = samples::one_run_study(
        samples::make_run({.demand_ru_per_s = {9'000, 3'000}, .seconds = 5}), name);
    study.title = name;
    study.runs[0].run.clients[0].name = name;
    samples::add_latency(study.runs[0].run.clients[0], 5'000);
    study.runs.push_back({name + "2", study.runs[0].run});
    const ChartOutcome outcome = draw(study, folder);
    CHECK(outcome.warning.empty());
    CHECK(folder.files() == kFiles);  // so no canary
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
        R"(back\slash \n \101)", "# no comment", "it's 'quoted'", "e\u0301 ✅"}) {
    INFO(title);
    const ChartFolder folder;
    StudyResult study = samples::one_run_study(samples::make_run({.demand_ru_per_s = {3'000, 10}}));
    study.title = title;
    CHECK(draw(study, folder).warning.empty());
    CHECK_THAT(xml_text(folder.content("variants.svg")), has_text(std::string(title)));
  }
}

TEST_CASE("A layout that changed is a fourth chart, with the partitions' numbers", "[plots]") {
  if (!has_gnuplot()) {
    return;
  }
  const ChartFolder folder;
  StudyResult study = samples::one_run_study(samples::growing_run(), "grows");
  study.runs.push_back({"still", samples::make_run({.demand_ru_per_s = {3'000, 10}})});
  const ChartOutcome outcome = draw(study, folder);
  CHECK(outcome.warning.empty());
  CHECK(outcome.files.size() == kFiles.size() + 2);
  check_pictures(folder);
  const std::string svg = folder.content("layout.svg");
  CHECK(xml_fault(svg).empty());
  const std::string text = xml_text(svg);
  for (const char* part : {"grows", "keys owned", "shares, RU/s", "30,000"}) {
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
  studies.push_back(samples::one_run_study(RunResult{}));  // no partition and no second either
  StudyResult mixed = of_runs(2, 3);
  mixed.runs.push_back(of_runs(1, 1'000).runs[0]);
  mixed.runs.push_back({"empty", RunResult{}});
  studies.push_back(mixed);
  for (const StudyResult& study : studies) {
    INFO(study.runs.size() << " runs of " << study.runs[0].run.partitions.size() << " partitions");
    const ChartFolder folder;
    CHECK(draw(study, folder).warning.empty());
    CHECK(folder.files() == kFiles);
    check_pictures(folder);
  }
}

TEST_CASE("A study without runs has no charts and says why", "[plots]") {
  const ChartFolder folder;
  const ChartOutcome outcome = draw(StudyResult{}, folder);
  CHECK(outcome.files.empty());
  CHECK(outcome.warning == "no charts: no run has finished");
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

TEST_CASE("A failure of one format keeps the charts of the other", "[plots]") {
  const ChartFolder programs;
  const ChartFolder folder;
  const std::string half =
      programs.add_script("half",
                          "case $2 in png*) exit 3;; esac\n"
                          "for c in latency utilization variants; do echo '<svg/>' > $c.svg; done");
  const ChartOutcome outcome =
      draw_charts(of_runs(1, 3), folder.path().string(), {.gnuplot = half});
  CHECK(folder.files() ==
        std::vector<std::string>{"latency.svg", "utilization.svg", "variants.svg"});
  CHECK_THAT(outcome.warning, has_text("exit code 3"));
}

}  // namespace
}  // namespace partsim
