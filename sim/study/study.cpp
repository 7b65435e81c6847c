#include "partsim/study/study.hpp"

#include <algorithm>
#include <cstddef>
#include <mutex>
#include <optional>
#include <utility>

#include "partsim/metrics/metric_table.hpp"
#include "partsim/study/work_list.hpp"

namespace partsim {
namespace {

/// Adds up what the variants report. One call at a time, so that the listener needs no lock.
class ProgressSum {
 public:
  ProgressSum(const StudyFile& study, const std::function<void(double)>& listener)
      : listener_(listener), reached_(study.variants.size(), 0.0) {
    for (const Variant& variant : study.variants) {
      total_ += static_cast<double>(variant.scenario.duration_ns);
    }
  }

  void report(std::size_t variant, Nanoseconds reached_ns) {
    const std::lock_guard lock(mutex_);
    const auto reached = static_cast<double>(reached_ns);
    if (total_ <= 0.0 || reached <= reached_[variant]) {
      return;
    }
    done_ += reached - reached_[variant];
    reached_[variant] = reached;
    listener_(std::min(1.0, done_ / total_));
  }

 private:
  const std::function<void(double)>& listener_;
  std::mutex mutex_;
  std::vector<double> reached_;
  double total_ = 0.0;
  double done_ = 0.0;
};

RunResult run_variant(const Scenario& scenario, std::size_t index, const StudyOptions& options,
                      ProgressSum& progress) {
  RunOptions run_options;
  run_options.stop = options.stop;
  run_options.open_trace = options.open_trace;
  if (options.progress) {
    run_options.progress = [&progress, index](Nanoseconds reached) {
      progress.report(index, reached);
    };
  }
  RunResult result = run(scenario, run_options);
  if (options.progress && !result.partial) {
    progress.report(index, scenario.duration_ns);
  }
  return result;
}

bool holds(double value, Comparison comparison, double limit) {
  switch (comparison) {
    case Comparison::less:
      return value < limit;
    case Comparison::less_equal:
      return value <= limit;
    case Comparison::greater:
      return value > limit;
    case Comparison::greater_equal:
      return value >= limit;
    case Comparison::equal:
      return value == limit;
    case Comparison::not_equal:
      return value != limit;
  }
  return false;
}

}  // namespace

std::vector<ExpectationResult> judge(const std::vector<Expectation>& expectations,
                                     const std::vector<VariantResult>& runs) {
  std::vector<ExpectationResult> verdicts;
  for (const Expectation& expectation : expectations) {
    for (const VariantResult& result : runs) {
      if (!expectation.variant.empty() && expectation.variant != result.variant) {
        continue;
      }
      const std::optional<double> value = metric_value(result.run, expectation.metric);
      // A metric the run does not have (a client only other variants have) must not pass unseen.
      const bool passed = value && holds(*value, expectation.comparison, expectation.value);
      verdicts.push_back({expectation.rule, result.variant, value.value_or(0.0), passed});
    }
  }
  return verdicts;
}

StudyResult run_study(const StudyFile& study, const StudyOptions& options) {
  ProgressSum progress(study, options.progress);
  std::vector<std::optional<RunResult>> runs(study.variants.size());
  work_through(runs.size(), options.jobs, options.stop, [&](std::size_t index) {
    runs[index] = run_variant(study.variants[index].scenario, index, options, progress);
  });

  StudyResult result;
  result.name = study.name;
  result.title = study.title;
  result.seed = study.variants.empty() ? 0 : study.variants.front().scenario.seed;
  for (std::size_t index = 0; index < runs.size(); ++index) {
    result.partial = result.partial || !runs[index] || runs[index]->partial;
    if (runs[index]) {
      result.runs.push_back({study.variants[index].name, std::move(*runs[index])});
    }
  }
  if (!result.partial) {
    result.expectations = judge(study.expectations, result.runs);
  }
  return result;
}

}  // namespace partsim
