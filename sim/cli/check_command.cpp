#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <exception>
#include <fcntl.h>
#include <filesystem>
#include <string>
#include <system_error>
#include <vector>

#include <fmt/format.h>

#include "partsim/cli/baselines.hpp"
#include "partsim/cli/commands.hpp"
#include "partsim/cli/descriptor.hpp"
#include "partsim/cli/exit_code.hpp"
#include "partsim/cli/scenario_files.hpp"
#include "partsim/cli/scenario_library.hpp"
#include "partsim/cli/signals.hpp"
#include "partsim/cli/whole_file.hpp"
#include "partsim/report/check_report.hpp"
#include "partsim/report/text.hpp"
#include "partsim/study/study_batch.hpp"

namespace partsim {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kWidestName = 40;

std::string name_of(const LoadedFile& file) {
  return file.result.study ? file.result.study->name : fs::path(file.path).stem().string();
}

/// `*` is any text, `?` any character.
bool fits(std::string_view pattern, std::string_view text) {
  std::size_t p = 0;
  std::size_t t = 0;
  std::size_t star = std::string_view::npos;
  std::size_t retry = 0;
  while (t < text.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      retry = t;
    } else if (p < pattern.size() && (pattern[p] == '?' || pattern[p] == text[t])) {
      ++p;
      ++t;
    } else if (star != std::string_view::npos) {
      p = star + 1;  // the star takes one character more
      t = ++retry;
    } else {
      return false;
    }
  }
  return pattern.find_first_not_of('*', p) == std::string_view::npos;
}

bool is_wanted(const std::string& filter, const std::string& name) {
  return filter.find_first_of("*?") == std::string::npos ? name.find(filter) != std::string::npos
                                                         : fits(filter, name);
}

void keep_wanted(const std::string& filter, std::vector<LoadedFile>& files) {
  std::vector<std::string> names;
  std::transform(files.begin(), files.end(), std::back_inserter(names), name_of);
  files.erase(
      std::remove_if(files.begin(), files.end(),
                     [&](const LoadedFile& file) { return !is_wanted(filter, name_of(file)); }),
      files.end());
  if (files.empty()) {
    const std::optional<std::string> meant = nearest_word(filter, names);
    throw UsageError("--filter is " + in_quotes(filter) + ", which no scenario's name fits",
                     meant ? "did you mean '" + *meant + "'?" : "");
  }
}

/// No code is benign; what could not be judged weighs more than what failed.
int worse_code(int a, int b) {
  const auto weight = [](int code) {
    constexpr std::array kOrder{exit_ok, exit_expectation_failed, exit_over_limit, exit_usage,
                                exit_files};
    return std::find(kOrder.begin(), kOrder.end(), code) - kOrder.begin();
  };
  return weight(a) < weight(b) ? b : a;
}

CheckedScenario unchecked(const LoadedFile& file) {
  CheckedScenario scenario;
  scenario.name = name_of(file);
  scenario.file = file.path;
  scenario.status = CheckStatus::invalid;
  if (!file.unreadable.empty()) {
    scenario.problems.push_back({0, 0, file.unreadable});
  }
  for (const Diagnostic& each : file.result.diagnostics) {
    const bool is_own = each.file == file.path;
    CheckProblem problem;
    problem.line = is_own ? each.line : 0;
    problem.column = is_own ? each.column : 0;
    problem.message = fmt::format("{}{}{}{}{}", is_own ? "" : each.file, is_own ? "" : ": ",
                                  each.message, each.hint.empty() ? "" : "; ", each.hint);
    scenario.problems.push_back(std::move(problem));
  }
  return scenario;
}

/// Results as they come, in the order of the files.
class Checking {
 public:
  Checking(const std::vector<LoadedFile>& files, const Flags& flags, Console& console)
      : files_(files), flags_(flags), console_(console), code_(findings_exit_code(files)) {
    style_.width = console.width();
    style_.color = flags.color == ColorMode::always ||
                   (flags.color == ColorMode::automatic && console.color());
    style_.unicode = console.unicode();
    for (std::size_t i = 0; i < files.size(); ++i) {
      name_width_ = std::max(name_width_,
                             std::min(display_width(visible_text(name_of(files[i]))), kWidestName));
      if (files[i].result.study) {
        tasks_.push_back(
            {&*files[i].result.study, traces_beside(files[i].path, flags.skip_bad_rows)});
        file_of_task_.push_back(i);
      }
    }
  }

  void run() {
    run_studies(tasks_, flags_.jobs, &stop_requested(),
                [this](std::size_t task, StudyOutcome&& outcome) {
                  add_invalid(file_of_task_[task]);
                  take(files_[file_of_task_[task]], outcome);
                });
    add_invalid(files_.size());
  }

  [[nodiscard]] const std::vector<CheckedScenario>& scenarios() const { return scenarios_; }
  [[nodiscard]] const TextStyle& style() const { return style_; }
  [[nodiscard]] int code() const { return code_; }

 private:
  /// Files before `end` that could not be run.
  void add_invalid(std::size_t end) {
    for (; next_file_ < end; ++next_file_) {
      add(unchecked(files_[next_file_]));
    }
    next_file_ = end + 1;
  }

  void take(const LoadedFile& file, const StudyOutcome& outcome) {
    CheckedScenario scenario;
    scenario.name = outcome.result.name;
    scenario.file = file.path;
    scenario.variants = file.result.study->variants.size();
    scenario.expectations = outcome.result.expectations;
    scenario.status =
        outcome.result.partial ? CheckStatus::stopped : status_of(scenario.expectations);
    if (outcome.failure) {
      scenario.status = CheckStatus::invalid;
      scenario.problems.push_back({0, 0, trouble_of(outcome.failure)});
    } else if (scenario.status == CheckStatus::failed) {
      code_ = worse_code(code_, exit_expectation_failed);
    }
    if (flags_.save_baseline && !outcome.failure && !outcome.result.partial) {
      save_baseline(*flags_.save_baseline, outcome.result);
    }
    add(std::move(scenario));
  }

  /// Mistakes of a trace are the scenario's; anything else ends the program.
  std::string trouble_of(const std::exception_ptr& failure) {
    try {
      std::rethrow_exception(failure);
    } catch (const TraceError& error) {
      const bool is_content = error.kind() == TraceError::Kind::content;
      code_ = worse_code(code_, is_content ? exit_usage : exit_files);
      console_.talk(std::string(is_content ? "" : "partsim: ") + error.what() + "\n");
      return error.what();
    }
  }

  void add(CheckedScenario scenario) {
    if (flags_.format == OutputFormat::text) {
      console_.data(check_line(scenario, name_width_, style_));
      console_.flush();
    }
    scenarios_.push_back(std::move(scenario));
  }

  const std::vector<LoadedFile>& files_;
  const Flags& flags_;
  Console& console_;
  TextStyle style_;
  std::size_t name_width_ = 0;
  std::vector<StudyTask> tasks_;
  std::vector<std::size_t> file_of_task_;
  std::size_t next_file_ = 0;
  std::vector<CheckedScenario> scenarios_;
  int code_;
};

std::string environment(const char* name) {
  // NOLINTNEXTLINE(concurrency-mt-unsafe): no other thread exists here
  const char* value = std::getenv(name);
  return value == nullptr ? std::string() : std::string(value);
}

/// What a pipeline shows of the verdict never changes it: here a failure is only told.
void append_step_summary(const std::string& path, const std::string& markdown, Console& console) {
  Descriptor file(::open(path.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_NONBLOCK | O_CLOEXEC,
                         0666));  // NOLINT(cppcoreguidelines-pro-type-vararg)
  if (!file.is_open() || !write_all(file.get(), markdown) || !file.close()) {
    console.talk("partsim: warning: cannot write " + in_quotes(path) + ": " +
                 std::generic_category().message(errno) + "\n");
  }
}

void tell_github(const std::vector<CheckedScenario>& scenarios, Console& console) {
  if (environment("GITHUB_ACTIONS") != "true") {
    return;
  }
  console.talk(check_annotations(scenarios));
  if (const std::string path = environment("GITHUB_STEP_SUMMARY"); !path.empty()) {
    append_step_summary(path, check_markdown(scenarios), console);
  }
}

/// Before the work: where results go must be there, and must not be what they are made from.
void check_targets(const Flags& flags, const std::vector<LoadedFile>& files) {
  for (const auto& [flag, path] :
       {std::pair("--junit", flags.junit), std::pair("--markdown", flags.markdown)}) {
    if (!path) {
      continue;
    }
    check_file_target(*path);
    for (const LoadedFile& file : files) {
      std::error_code ignored;
      if (fs::equivalent(*path, file.path, ignored)) {
        throw UsageError(std::string(flag) + " is " + in_quotes(*path) +
                         ", which is one of the scenarios");
      }
    }
  }
  if (flags.junit && flags.junit == flags.markdown) {
    throw UsageError("--junit and --markdown are the same file");
  }
  if (!flags.save_baseline) {
    return;
  }
  check_baseline_target(*flags.save_baseline);
  for (std::size_t i = 0; i < files.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      if (name_of(files[i]) == name_of(files[j])) {
        throw UsageError(in_quotes(files[j].path) + " and " + in_quotes(files[i].path) +
                         " are both named " + in_quotes(name_of(files[i])) +
                         ", so their baselines would collide");
      }
    }
  }
}

void write_files(const Flags& flags, const std::vector<CheckedScenario>& scenarios,
                 Console& console) {
  const auto write = [&](const std::string& path, const std::string& text) {
    write_whole_file(path, text);
    console.talk(flags.quiet ? "" : "wrote " + path + "\n");
  };
  if (flags.junit) {
    write(*flags.junit, check_junit(scenarios));
  }
  if (flags.markdown) {
    write(*flags.markdown, check_markdown(scenarios));
  }
  if (flags.save_baseline && !flags.quiet) {
    console.talk("wrote partsim-baselines/" + *flags.save_baseline + "/\n");
  }
}

int check_paths(const Flags& given, Console& console) {
  Flags flags = given;
  flags.arguments = scenario_paths(given.arguments);
  std::vector<LoadedFile> files = load_files(flags);
  if (flags.filter) {
    keep_wanted(*flags.filter, files);
  }
  check_targets(flags, files);
  tell_findings(files, console);
  Checking checking(files, flags, console);
  checking.run();
  console.data(flags.format == OutputFormat::json
                   ? check_json(checking.scenarios())
                   : check_summary(checking.scenarios(), checking.style()));
  console.flush();
  write_files(flags, checking.scenarios(), console);
  tell_github(checking.scenarios(), console);
  return stop_signal() == 0 ? checking.code() : exit_signal_base + stop_signal();
}

}  // namespace

const Command& check_command() {
  static const Command kCommand{
      {.name = "check",
       .arguments = "PATH...",
       .summary = "run scenarios and judge their 'expect:' rules, for pipelines",
       .details = "Runs the scenarios, or all those of a folder, and judges the rules of their\n"
                  "'expect:'. Prints one line for each, then every failure with its rule, value,\n"
                  "limit, first moment and partition, and the rules that can never fail. Writes\n"
                  "no results. A scenario that is invalid is told; the others still run. The\n"
                  "exit code is that of the worst: 3 files, 2 invalid, 4 over a limit, 1 a rule\n"
                  "failed. In GitHub Actions failures become annotations and a step summary.\n",
       .examples = "  partsim check scenarios\n"
                   "  partsim check scenarios --filter 'storage-*' --junit junit.xml\n"
                   "  partsim check scenario.yaml --set container.partitions=20\n"
                   "  partsim check scenarios --save-baseline main\n",
       .flags = {Flag::filter, Flag::junit, Flag::markdown, Flag::save_baseline, Flag::seed,
                 Flag::set, Flag::variant, Flag::jobs, Flag::max_events, Flag::skip_bad_rows,
                 Flag::format, Flag::quiet, Flag::color, Flag::help},
       .arguments_min = 1},
      check_paths};
  return kCommand;
}

}  // namespace partsim
