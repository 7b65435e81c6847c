#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "partsim/cli/baselines.hpp"
#include "partsim/cli/commands.hpp"
#include "partsim/cli/descriptor.hpp"
#include "partsim/cli/exit_code.hpp"
#include "partsim/cli/output_folder.hpp"
#include "partsim/cli/progress_line.hpp"
#include "partsim/cli/scenario_files.hpp"
#include "partsim/cli/signals.hpp"
#include "partsim/plots/plots.hpp"
#include "partsim/plots/report_page.hpp"
#include "partsim/report/report.hpp"
#include "partsim/report/text.hpp"
#include "partsim/study/study.hpp"

namespace partsim {
namespace {

namespace fs = std::filesystem;

/// One target a file. Folders are named after scenarios, so two scenarios of one name would
/// overwrite each other; so would names that differ only by case on some file systems.
std::vector<OutputTarget> plan_targets(const Flags& flags, const std::vector<LoadedFile>& files) {
  std::vector<OutputTarget> targets;
  std::map<std::string, std::string> taken;
  for (const LoadedFile& file : files) {
    const std::string& name = file.result.study->name;
    std::string folded = name;
    std::transform(folded.begin(), folded.end(), folded.begin(), [](char c) {
      return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    });
    const auto [earlier, is_new] = taken.emplace(folded, file.path);
    if (!is_new) {
      throw UsageError(in_quotes(earlier->second) + " and " + in_quotes(file.path) +
                       " are both named " + in_quotes(name) + ", so their results would collide");
    }
    OutputTarget target;
    target.folder = flags.output.value_or("partsim-out");
    if (!flags.output || files.size() > 1) {
      target.folder /= name;
    }
    target.force = flags.force;
    target.precious = {fs::current_path()};
    for (const LoadedFile& each : files) {
      target.precious.emplace_back(each.path);
    }
    targets.push_back(target);
  }
  return targets;
}

/// Charts are a picture of results that are already safe: what goes wrong here is only told.
std::size_t add_charts(const StudyResult& study, const OutputFolder& folder, ChartChoice choice,
                       Console& console) {
  const fs::path charts = folder.staging() / "charts";
  fs::create_directory(charts);
  ChartOutcome outcome;
  try {
    ChartOptions options;
    options.backend =
        choice == ChartChoice::matplot ? ChartBackend::matplot : ChartBackend::gnuplot;
    outcome = draw_charts(study, charts.string(), options);
  } catch (const std::exception& error) {
    outcome.warning = std::string("no charts: ") + error.what();
  }
  if (!outcome.warning.empty()) {
    console.talk("partsim: warning: " + outcome.warning + "\n");
  }
  if (fs::is_empty(charts)) {
    fs::remove(charts);
  }
  return outcome.files.size();
}

/// The command that gives the same results: without what only says where they go.
std::string command_for(const LoadedFile& file, const Flags& flags) {
  std::string command = "partsim run";
  const auto add = [&command](std::string_view flag, const std::string& value) {
    command += fmt::format(" {} {}", flag, shell_word(value));
  };
  if (flags.load.seed) {
    add("--seed", fmt::format("{}", *flags.load.seed));
  }
  for (const Override& each : flags.load.overrides) {
    add("--set", each.path + "=" + each.value);
  }
  for (const std::string& variant : flags.load.only_variants) {
    add("--variant", variant);
  }
  if (flags.skip_bad_rows) {
    command += " --skip-bad-rows";
  }
  return command + " " + shell_word(fs::path(file.path).filename().string());
}

/// Only of a build that has no interactive ones.
std::vector<StaticChart> drawn_charts(const fs::path& charts) {
  std::vector<StaticChart> drawn;
  if (has_interactive_page() || !fs::exists(charts)) {
    return drawn;
  }
  for (const fs::directory_entry& entry : fs::directory_iterator(charts)) {
    if (entry.path().extension() == ".svg") {
      std::ifstream stream(entry.path(), std::ios::binary);
      drawn.push_back({entry.path().stem().string(),
                       {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()}});
    }
  }
  std::sort(drawn.begin(), drawn.end(),
            [](const StaticChart& a, const StaticChart& b) { return a.name < b.name; });
  return drawn;
}

void write_results(const StudyResult& study, const LoadedFile& file, const std::string& json,
                   OutputFolder& folder, const Flags& flags, Console& console) {
  folder.write("results.json", json);
  folder.write("partitions.csv", partitions_csv(study));
  folder.write("timeseries.csv", timeseries_csv(study));
  folder.write("latency.csv", latency_csv(study));
  folder.write("latency_time.csv", latency_time_csv(study));
  std::string charts;
  // Somebody who interrupts wants to be let go, not to wait for pictures.
  if (flags.charts != ChartChoice::none && stop_signal() == 0 && !study.partial) {
    const std::size_t count = add_charts(study, folder, flags.charts, console);
    charts = count == 0 ? "" : fmt::format(", {} {}", count, count == 1 ? "chart" : "charts");
  }
  folder.write("report.html",
               report_page(study, {.scenario_text = file.text,
                                   .file_name = fs::path(file.path).filename().string(),
                                   .command = command_for(file, flags),
                                   .static_charts = drawn_charts(folder.staging() / "charts")}));
  folder.commit();
  if (!flags.quiet) {
    console.talk(fmt::format("wrote {}/ (report.html, results.json, 4 csv{}{})\n",
                             folder.target().string(), charts, study.partial ? "; partial" : ""));
  }
}

StudyResult simulate(const LoadedFile& file, const Flags& flags, Console& console) {
  const StudyFile& study = *file.result.study;
  ProgressLine line(console, study.name, flags.quiet);
  StudyOptions options;
  options.jobs = flags.jobs;
  options.stop = &stop_requested();
  options.progress = [&line](const StudyProgress& progress) { line.show(progress); };
  options.open_trace = traces_beside(file.path, flags.skip_bad_rows);
  return run_study(study, options);
}

int run_one(const LoadedFile& file, const OutputTarget& target, const Flags& flags,
            Console& console) {
  OutputFolder folder(target);  // first: an hour of work must not end where nothing can be written
  const StudyResult result = simulate(file, flags, console);
  const std::string json = results_json(result);
  write_results(result, file, json, folder, flags, console);
  if (flags.save_baseline && !result.partial) {
    const fs::path path = save_baseline(*flags.save_baseline, result);
    console.talk(flags.quiet ? "" : "wrote " + path.string() + "\n");
  }
  if (flags.format == OutputFormat::json) {
    console.data(json);
  } else if (flags.summary != SummaryChoice::none) {
    TextStyle style;
    style.width = console.width();
    style.color = flags.color == ColorMode::always ||
                  (flags.color == ColorMode::automatic && console.color());
    style.unicode = console.unicode();
    console.data(flags.summary == SummaryChoice::full
                     ? terminal_summary(result, style)
                     : short_summary(result, style, words_of(flags, file.path)));
  }
  console.flush();
  const bool passed = std::all_of(result.expectations.begin(), result.expectations.end(),
                                  [](const ExpectationResult& each) { return each.passed; });
  return passed ? exit_ok : exit_expectation_failed;
}

int run_files(const Flags& flags, Console& console) {
  if (flags.charts == ChartChoice::matplot && !is_built_in(ChartBackend::matplot)) {
    throw UsageError("--charts is 'matplot', but this partsim was built without Matplot++",
                     "gnuplot draws them too");
  }
  const std::vector<LoadedFile> files = load_files(flags);
  tell_findings(files, console);
  const int findings = findings_exit_code(files);
  if (findings != exit_ok) {
    return findings;
  }
  const std::vector<OutputTarget> targets = plan_targets(flags, files);
  if (flags.save_baseline) {
    check_baseline_target(*flags.save_baseline);
  }
  for (const OutputTarget& target : targets) {
    check_output_target(target);  // before the work, which may take an hour
  }
  int code = exit_ok;
  for (std::size_t i = 0; i < files.size() && stop_signal() == 0; ++i) {
    code = std::max(code, run_one(files[i], targets[i], flags, console));
  }
  return stop_signal() == 0 ? code : exit_signal_base + stop_signal();
}

}  // namespace

const Command& run_command() {
  static const Command kCommand{
      {.name = "run",
       .arguments = "FILE...",
       .summary = "run scenarios; print the verdict, write results and charts",
       .details = "Runs all variants of every FILE. The summary (or results.json, with --format\n"
                  "json) goes to standard output; report.html, results.json, four csv files and\n"
                  "the charts to a folder that appears complete or not at all. An existing folder\n"
                  "is replaced only if partsim made it. All files are checked before the first\n"
                  "runs. Ctrl-C stops the run and keeps what it has found so far.\n",
       .examples = "  partsim run scenario.yaml\n"
                   "  partsim run scenario.yaml -o out --variant by-date --seed 7\n"
                   "  partsim run scenario.yaml --set clients.shop.rate=900/s\n"
                   "  partsim run scenario.yaml --summary full --charts none\n"
                   "  partsim run scenario.yaml --format json | jq '.runs[].throttled_share'\n",
       .flags = {Flag::output, Flag::charts, Flag::seed, Flag::set, Flag::variant, Flag::jobs,
                 Flag::max_events, Flag::skip_bad_rows, Flag::save_baseline, Flag::format,
                 Flag::summary, Flag::quiet, Flag::color, Flag::force, Flag::help},
       .arguments_min = 1},
      run_files};
  return kCommand;
}

}  // namespace partsim
