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

/// Equal as results.json has them, with six decimals: 2^30 / (2^32 - 1) of the key space is 0.25.
bool same_as_written(double value, double limit) {
  constexpr double kLargest = 9e12;  // beyond it a double has no six decimals
  if (!(value > -kLargest && value < kLargest && limit > -kLargest && limit < kLargest)) {
    return value == limit;
  }
  const auto micro = [](double number) {
    return static_cast<std::int64_t>(number * 1e6 + (number < 0 ? -0.5 : 0.5));
  };
  return micro(value) == micro(limit);
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
      return same_as_written(value, limit);
    case Comparison::not_equal:
      return !same_as_written(value, limit);
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
