#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include <fmt/format.h>

#include "partsim/plots/describe.hpp"
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

bool write(const fs::path& file, const std::string& content) {
  std::ofstream stream(file, std::ios::binary);
  stream << content;
  stream.close();  // a full disk shows only here
  return stream.good();
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

/// Moves what was drawn out of the work folder; what is missing or empty is told.
void collect(ChartOutcome& outcome, const fs::path& work, const fs::path& folder,
             const std::string& file) {
  std::error_code error;
  if (fs::file_size(work / file, error) > 0 && !error) {
    fs::rename(work / file, folder / file, error);
    if (!error) {
      outcome.files.push_back(file);
      return;
    }
  }
  add_warning(outcome, fmt::format("{} was not drawn", file));
}

ChartOutcome draw(const std::vector<Chart>& charts, const fs::path& folder,
                  const ChartOptions& options) {
  constexpr const char* kScript = "charts.gnuplot";
  constexpr const char* kLog = "log";
  ChartOutcome outcome;
  const WorkFolder work(folder);
  const GnuplotInput input = options.backend == ChartBackend::matplot
                                 ? GnuplotInput{matplot_script(charts), {}}
                                 : gnuplot_input(charts);
  if (!work.exists() || !write(work.path() / kTextsFile, input.texts) ||
      !write(work.path() / kScript, input.script)) {
    outcome.warning = "no charts: cannot write to their folder";
    return outcome;
  }
  // -d: no settings file of the user may change a chart
  const std::string failure = run_commands(
      {{options.gnuplot, {"-d", kScript}, work.path().string(), kLog}}, options.limit)[0];
  if (!failure.empty()) {
    // what a failed gnuplot leaves behind may be half a picture
    const std::string complaint = first_complaint(work.path() / kLog);
    add_warning(outcome, failure + (complaint.empty() ? "" : " (" + complaint + ")"));
  } else {
    for (const Chart& chart : charts) {
      collect(outcome, work.path(), folder, chart.name + ".svg");
      collect(outcome, work.path(), folder, chart.name + ".png");
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
    return draw_charts(describe_charts(study), folder, options);
  } catch (const std::exception& error) {
    // charts are the garnish: a run's results must not be lost to them
    return {{}, fmt::format("no charts: {}", visible_text(error.what()))};
  }
}

ChartOutcome draw_charts(const std::vector<Chart>& charts, const std::string& folder,
                         const ChartOptions& options) {
  try {
    if (!is_built_in(options.backend)) {
      return {{}, "no charts: this partsim was built without Matplot++"};
    }
    if (charts.empty()) {
      return {{}, "no charts: there is nothing to show"};
    }
    return draw(charts, folder, options);
  } catch (const std::exception& error) {
    return {{}, fmt::format("no charts: {}", visible_text(error.what()))};
  }
}

}  // namespace partsim
