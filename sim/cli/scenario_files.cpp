#include "partsim/cli/scenario_files.hpp"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "partsim/cli/descriptor.hpp"
#include "partsim/cli/exit_code.hpp"
#include "partsim/cli/whole_file.hpp"
#include "partsim/report/text.hpp"
#include "partsim/scenario/check.hpp"

namespace partsim {
namespace {

void guard_events(LoadedFile& file, std::uint64_t max_events) {
  if (!file.result.study) {
    return;
  }
  const double estimate = estimated_requests(*file.result.study);
  if (estimate <= static_cast<double>(max_events)) {
    return;
  }
  Diagnostic diagnostic;
  diagnostic.file = file.path;
  diagnostic.message = fmt::format("about {:.3g} requests estimated, limit {:.3g}", estimate,
                                   static_cast<double>(max_events));
  diagnostic.hint = "shorten the duration, lower the rates, or raise --max-events";
  diagnostic.over_limit = true;
  file.result.study.reset();
  file.result.diagnostics.push_back(std::move(diagnostic));
}

/// A mistake in a trace is one of the scenario's; `place: error: message` is what it says.
void check_traces(LoadedFile& file, const Flags& flags, std::uint64_t rows) {
  if (!file.result.study) {
    return;
  }
  try {
    look_into_traces(*file.result.study, traces_beside(file.path, flags.skip_bad_rows), rows);
  } catch (const TraceError& error) {
    file.result.study.reset();
    const std::string text = error.what();
    static constexpr std::string_view kMark = ": error: ";
    const std::size_t mark = text.find(kMark);
    const std::size_t colon = text.rfind(':', mark - 1);
    if (error.kind() == TraceError::Kind::file || mark == std::string::npos ||
        colon == std::string::npos) {
      file.unreadable = text;
      return;
    }
    Diagnostic diagnostic;
    diagnostic.file = text.substr(0, colon);
    diagnostic.line = static_cast<std::uint32_t>(
        std::strtoul(text.substr(colon + 1, mark - colon - 1).c_str(), nullptr, 10));
    diagnostic.message = text.substr(mark + kMark.size());
    file.result.diagnostics.push_back(std::move(diagnostic));
  }
}

}  // namespace

std::string read_scenario_text(const std::string& path) {
  if (std::error_code ignored; std::filesystem::is_directory(path, ignored)) {
    throw FileError("cannot read " + in_quotes(path) +
                    ": it is a folder; 'partsim check' takes folders");
  }
  return read_regular_file(path, kMaxScenarioBytes + 1);
}

LoadOptions options_for(const Flags& flags, const std::string& path) {
  LoadOptions options = flags.load;
  options.read_file = files_beside(path);
  return options;
}

std::vector<LoadedFile> load_files(const Flags& flags, std::uint64_t trace_rows) {
  std::vector<LoadedFile> files;
  for (const std::string& path : flags.arguments) {
    LoadedFile file;
    file.path = path;
    try {
      file.text = read_scenario_text(path);
      file.result = load_study(file.text, path, options_for(flags, path));
      guard_events(file, flags.load.max_requests);
      check_traces(file, flags, trace_rows);
    } catch (const FileError& error) {
      file.unreadable = error.what();
    }
    files.push_back(std::move(file));
  }
  return files;
}

double estimated_requests(const StudyFile& study) {
  double sum = 0;
  for (const Variant& variant : study.variants) {
    sum += estimated_requests(variant.scenario);
  }
  return sum;
}

int findings_exit_code(const std::vector<LoadedFile>& files) {
  int code = exit_ok;
  for (const LoadedFile& file : files) {
    if (!file.unreadable.empty()) {
      return exit_files;
    }
    for (const Diagnostic& diagnostic : file.result.diagnostics) {
      if (!diagnostic.over_limit) {
        code = exit_usage;
      } else if (code == exit_ok) {
        code = exit_over_limit;
      }
    }
  }
  return code;
}

void tell_findings(const std::vector<LoadedFile>& files, Console& console) {
  for (const LoadedFile& file : files) {
    if (!file.unreadable.empty()) {
      console.talk("partsim: " + file.unreadable + "\n");
    }
    const std::vector<Diagnostic>& all = file.result.diagnostics;
    const std::size_t shown = std::min(all.size(), kMaxShownDiagnostics);
    for (std::size_t i = 0; i < shown; ++i) {
      // What is wrong inside a file beside the scenario has no line of the scenario to show.
      const bool is_own = all[i].file == file.path;
      std::string text = format_diagnostic(all[i], is_own ? file.text : std::string());
      if (text.empty() || text.back() != '\n') {
        text += '\n';
      }
      console.talk(text);
    }
    if (all.size() > shown) {
      console.talk(fmt::format("{}: and {} more\n", file.path, all.size() - shown));
    }
  }
}

ScenarioWords words_of(const Flags& flags, const std::string& path) {
  ScenarioWords words(path);
  if (flags.load.seed) {
    words.flags.push_back(fmt::format("--seed {}", *flags.load.seed));
  }
  for (const Override& each : flags.load.overrides) {
    words.flags.push_back("--set " + shell_word(each.path + "=" + each.value));
  }
  if (flags.load.only_variants.size() == 1) {
    words.flags.push_back("--variant " + shell_word(flags.load.only_variants.front()));
  }
  return words;
}

}  // namespace partsim
