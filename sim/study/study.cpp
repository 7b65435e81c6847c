#include "partsim/study/study.hpp"

#include <algorithm>
#include <cstddef>
#include <mutex>
#include <optional>
#include <utility>

#include "partsim/study/work_list.hpp"

#include "assemble.hpp"

namespace partsim {
namespace {

/// Adds up what the variants report. One call at a time, so that the listener needs no lock.
class ProgressSum {
 public:
  ProgressSum(const StudyFile& study, const std::function<void(const StudyProgress&)>& listener)
      : listener_(listener), reached_(study.variants.size()) {
    for (const Variant& variant : study.variants) {
      sum_.total_ns += variant.scenario.duration_ns;
    }
  }

  void report(std::size_t variant, Nanoseconds reached_ns, std::uint64_t attempts) {
    const std::lock_guard lock(mutex_);
    Reached& reached = reached_[variant];
    if (sum_.total_ns <= 0 || reached_ns <= reached.time_ns) {
      return;
    }
    sum_.simulated_ns += reached_ns - reached.time_ns;
    sum_.attempts += attempts - reached.attempts;
    reached = {reached_ns, attempts};
    const double share =
        static_cast<double>(sum_.simulated_ns) / static_cast<double>(sum_.total_ns);
    sum_.share = std::min(1.0, share);
    listener_(sum_);
  }

 private:
  struct Reached {
    Nanoseconds time_ns = 0;
    std::uint64_t attempts = 0;
  };

  const std::function<void(const StudyProgress&)>& listener_;
  std::mutex mutex_;
  std::vector<Reached> reached_;
  StudyProgress sum_;
};

RunResult run_variant(const Scenario& scenario, std::size_t index, const StudyOptions& options,
                      ProgressSum& progress) {
  RunOptions run_options;
  run_options.stop = options.stop;
  run_options.open_trace = options.open_trace;
  if (options.progress) {
    run_options.progress = [&progress, index](Nanoseconds reached, std::uint64_t attempts) {
      progress.report(index, reached, attempts);
    };
  }
  RunResult result = run(scenario, run_options);
  if (options.progress && !result.partial) {
    progress.report(index, scenario.duration_ns, result.events);
  }
  return result;
}

}  // namespace

StudyResult assemble(const StudyFile& study, std::vector<std::optional<RunResult>> runs) {
  StudyResult result;
  result.name = study.name;
  result.title = study.title;
  result.seed = study.variants.empty() ? 0 : study.variants.front().scenario.seed;
  for (std::size_t index = 0; index < runs.size(); ++index) {
    result.partial = result.partial || !runs[index] || runs[index]->partial;
    if (runs[index]) {
      const Variant& variant = study.variants[index];
      result.runs.push_back({variant.name, std::move(*runs[index]), variant.fingerprint});
    }
  }
  if (!result.partial) {
    result.expectations = judge(study.expectations, result.runs);
  }
  return result;
}

StudyResult run_study(const StudyFile& study, const StudyOptions& options) {
  ProgressSum progress(study, options.progress);
  std::vector<std::optional<RunResult>> runs(study.variants.size());
  work_through(runs.size(), options.jobs, options.stop, [&](std::size_t index) {
    runs[index] = run_variant(study.variants[index].scenario, index, options, progress);
  });
  return assemble(study, std::move(runs));
}

}  // namespace partsim
