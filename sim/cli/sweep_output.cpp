#include "partsim/cli/sweep_output.hpp"

#include <filesystem>
#include <vector>

#include <fmt/format.h>

#include "partsim/plots/plots.hpp"
#include "partsim/plots/sweep_charts.hpp"
#include "partsim/report/sweep_report.hpp"

namespace partsim {

TextStyle text_style(const Flags& flags, const Console& console) {
  TextStyle style;
  style.width = console.width();
  style.color =
      flags.color == ColorMode::always || (flags.color == ColorMode::automatic && console.color());
  style.unicode = console.unicode();
  return style;
}

namespace {

namespace fs = std::filesystem;

/// A picture of results that are safe already: what goes wrong here is only told.
std::string add_charts(const SweepResult& result, const OutputFolder& folder, ChartChoice choice,
                       Console& console) {
  const std::vector<Chart> described = describe_sweep_charts(result);
  if (choice == ChartChoice::none || described.empty()) {
    return {};
  }
  const fs::path charts = folder.staging() / "charts";
  fs::create_directory(charts);
  ChartOptions options;
  options.backend = choice == ChartChoice::matplot ? ChartBackend::matplot : ChartBackend::gnuplot;
  const ChartOutcome outcome = draw_charts(described, charts.string(), options);
  if (!outcome.warning.empty()) {
    console.talk("partsim: warning: " + outcome.warning + "\n");
  }
  if (fs::is_empty(charts)) {
    fs::remove(charts);
  }
  const std::size_t count = outcome.files.size();
  return count == 0 ? "" : fmt::format(", {} {}", count, count == 1 ? "chart" : "charts");
}

}  // namespace

void write_sweep(const SweepResult& result, const OutputTarget& target, const Flags& flags,
                 Console& console) {
  OutputFolder folder(target);
  folder.write("sweep.json", sweep_json(result));
  folder.write("sweep.csv", sweep_csv(result));
  folder.write("runs.csv", sweep_runs_csv(result));
  const std::string charts = add_charts(result, folder, flags.charts, console);
  folder.commit();
  if (!flags.quiet) {
    console.talk(
        fmt::format("wrote {}/ (sweep.json, 2 csv{})\n", folder.target().string(), charts));
  }
}

void print_sweep(const SweepResult& result, const ScenarioWords& scenario, const Flags& flags,
                 Console& console) {
  console.data(flags.format == OutputFormat::json
                   ? sweep_json(result)
                   : sweep_summary(result, scenario, text_style(flags, console)));
  console.flush();
}

}  // namespace partsim
