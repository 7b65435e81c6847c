#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include <fmt/format.h>

#include "partsim/plots/plots.hpp"
#include "partsim/report/text.hpp"

#include "gnuplot_script.hpp"
#include "matplot_backend.hpp"
#include "process.hpp"

namespace partsim {
namespace {

namespace fs = std::filesystem;

/// A folder of our own beside the charts, so that a finished chart only has to be renamed; gone at
/// the end.
class WorkFolder {
 public:
  explicit WorkFolder(const fs::path& parent) {
    std::string pattern = (parent / ".charts-XXXXXX").string();
    if (mkdtemp(pattern.data()) != nullptr) {
      path_ = pattern;
    }
  }
  ~WorkFolder() {
    std::error_code ignored;
    if (!path_.empty()) {
      fs::remove_all(path_, ignored);
    }
  }
  WorkFolder(const WorkFolder&) = delete;
  WorkFolder& operator=(const WorkFolder&) = delete;

  [[nodiscard]] bool exists() const { return !path_.empty(); }
  [[nodiscard]] const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

bool write(const fs::path& folder, const DataFile& file) {
  std::ofstream stream(folder / file.name, std::ios::binary);
  stream << file.content;
  stream.close();  // a full disk shows only here
  return stream.good();
}

bool write_inputs(const fs::path& folder, const Charts& charts) {
  bool good = write(folder, charts.texts) && write(folder, charts.bars.bars);
  for (const UtilizationPanel& panel : charts.panels) {
    good = good && write(folder, panel.cells);
  }
  for (const DataFile& curve : charts.latency.curves) {
    good = good && write(folder, curve);
  }
  for (const LayoutPanel& panel : charts.layouts) {
    good = good && write(folder, panel.keys) && write(folder, panel.shares);
  }
  return good && write(folder, {"svg.gnuplot", gnuplot_script(charts, ChartFormat::svg)}) &&
         write(folder, {"png.gnuplot", gnuplot_script(charts, ChartFormat::png)});
}

/// The first line with words of gnuplot's complaints, made safe to print.
std::string first_complaint(const fs::path& log) {
  constexpr std::size_t kLongest = 160;
  std::ifstream stream(log);
  std::string line;
  while (std::getline(stream, line)) {
    if (line.find_first_not_of(" \t^\r") != std::string::npos) {
      return shorten(visible_text(line), kLongest);
    }
  }
  return {};
}

void add_warning(ChartOutcome& outcome, const std::string& text) {
  outcome.warning += (outcome.warning.empty() ? "" : "; ") + text;
}

ChartOutcome draw_with_gnuplot(const StudyResult& study, const fs::path& folder,
                               const ChartOptions& options) {
  ChartOutcome outcome;
  const WorkFolder work(folder);
  const Charts charts = make_charts(study);
  if (!work.exists() || !write_inputs(work.path(), charts)) {
    outcome.warning = "no charts: cannot write to their folder";
    return outcome;
  }
  // -d: no settings file of the user may change a chart
  const std::vector<ProgramCall> commands{
      {options.gnuplot, {"-d", "svg.gnuplot"}, work.path().string(), "svg.log"},
      {options.gnuplot, {"-d", "png.gnuplot"}, work.path().string(), "png.log"}};
  const std::vector<std::string> failures = run_commands(commands, options.limit);
  for (std::size_t i = 0; i < failures.size(); ++i) {
    const bool repeated = i > 0 && failures[i] == failures[i - 1];
    if (!failures[i].empty() && !repeated) {
      const std::string complaint = first_complaint(work.path() / commands[i].log);
      add_warning(outcome, failures[i] + (complaint.empty() ? "" : " (" + complaint + ")"));
    }
  }
  std::vector<std::string_view> names{"utilization", "latency", "variants"};
  if (!charts.layouts.empty()) {
    names.emplace_back("layout");
  }
  for (const std::string_view name : names) {
    for (std::size_t i = 0; i < failures.size(); ++i) {
      const std::string file = fmt::format("{}.{}", name, i == 0 ? "svg" : "png");
      std::error_code error;
      // what a failed gnuplot leaves behind may be half a picture
      if (failures[i].empty() && fs::file_size(work.path() / file, error) > 0 && !error) {
        fs::rename(work.path() / file, folder / file, error);
        if (!error) {
          outcome.files.push_back(file);
          continue;
        }
      }
      if (failures[i].empty()) {
        add_warning(outcome, fmt::format("{} was not drawn", file));
      }
    }
  }
  if (outcome.files.empty()) {
    outcome.warning = "no charts: " + outcome.warning;
  }
  return outcome;
}

}  // namespace

bool is_built_in(ChartBackend backend) noexcept {
  return backend != ChartBackend::matplot || has_matplot();
}

ChartOutcome draw_charts(const StudyResult& study, const std::string& folder,
                         const ChartOptions& options) {
  if (study.runs.empty()) {
    return {{}, "no charts: no run has finished"};
  }
  try {
    if (options.backend == ChartBackend::matplot) {
      return draw_with_matplot(study, folder);
    }
    return draw_with_gnuplot(study, folder, options);
  } catch (const std::exception& error) {
    // charts are the garnish: a run's results must not be lost to them
    return {{}, fmt::format("no charts: {}", visible_text(error.what()))};
  }
}

}  // namespace partsim
