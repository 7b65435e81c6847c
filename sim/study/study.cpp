#include "partsim/study/study.hpp"

#include <algorithm>
#include <cstddef>
#include <exception>
#include <mutex>
#include <optional>
#include <system_error>
#include <thread>
#include <utility>

#include "partsim/metrics/metric_table.hpp"

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

/// The variants as a list of work that any number of threads may take from. Every result has its
/// own slot, so who computes it and when cannot be seen afterwards.
class WorkList {
 public:
  WorkList(const StudyFile& study, const StudyOptions& options)
      : study_(study),
        options_(options),
        progress_(study, options.progress),
        results_(study.variants.size()),
        failures_(study.variants.size()) {}

  /// Takes variants until none is left, the study is stopped, or a run has failed.
  void work() noexcept {
    while (!stopped() && !failed_.load(std::memory_order_relaxed)) {
      const std::size_t index = next_.fetch_add(1, std::memory_order_relaxed);
      if (index >= results_.size()) {
        return;
      }
      try {
        results_[index] = run_variant(index);
      } catch (...) {
        failures_[index] = std::current_exception();
        failed_.store(true, std::memory_order_relaxed);
      }
    }
  }

  /// To be called when all threads have ended. Throws what the first failing variant threw.
  std::vector<VariantResult> take_results(bool& partial) {
    std::vector<VariantResult> runs;
    for (std::size_t index = 0; index < results_.size(); ++index) {
      if (failures_[index]) {
        std::rethrow_exception(failures_[index]);
      }
      if (!results_[index]) {
        partial = true;
        continue;
      }
      partial = partial || results_[index]->partial;
      runs.push_back({study_.variants[index].name, std::move(*results_[index])});
    }
    return runs;
  }

 private:
  [[nodiscard]] bool stopped() const noexcept {
    return options_.stop != nullptr && options_.stop->load(std::memory_order_relaxed);
  }

  RunResult run_variant(std::size_t index) {
    RunOptions run_options;
    run_options.stop = options_.stop;
    run_options.open_trace = options_.open_trace;
    if (options_.progress) {
      run_options.progress = [this, index](Nanoseconds reached) {
        progress_.report(index, reached);
      };
    }
    RunResult result = run(study_.variants[index].scenario, run_options);
    if (options_.progress && !result.partial) {
      progress_.report(index, study_.variants[index].scenario.duration_ns);
    }
    return result;
  }

  const StudyFile& study_;
  const StudyOptions& options_;
  ProgressSum progress_;
  std::atomic<std::size_t> next_{0};
  std::atomic<bool> failed_{false};
  std::vector<std::optional<RunResult>> results_;
  std::vector<std::exception_ptr> failures_;
};

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
  WorkList list(study, options);
  {
    const std::size_t threads = std::min<std::size_t>(options.jobs, study.variants.size());
    std::vector<std::jthread> helpers;
    try {
      for (std::size_t i = 1; i < threads; ++i) {
        helpers.emplace_back([&list] { list.work(); });
      }
    } catch (const std::system_error&) {
      // The system grants no more threads. The work is the same with fewer, only slower.
    }
    list.work();
  }

  StudyResult result;
  result.name = study.name;
  result.title = study.title;
  result.seed = study.variants.empty() ? 0 : study.variants.front().scenario.seed;
  result.runs = list.take_results(result.partial);
  if (!result.partial) {
    result.expectations = judge(study.expectations, result.runs);
  }
  return result;
}

}  // namespace partsim
