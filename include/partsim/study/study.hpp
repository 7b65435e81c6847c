/// Many runs for one question, on all cores; what was expected of them.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "partsim/engine/engine.hpp"
#include "partsim/scenario/study_file.hpp"

namespace partsim {

struct VariantResult {
  std::string variant;
  RunResult run;
  std::uint64_t fingerprint = 0;  // of its scenario without the seed; 0: not known
};

struct ExpectationResult {
  std::string rule;
  std::string variant;
  double value = 0;  // with `for` the one nearest to breaking among those held that long
  bool passed = false;
  double limit = 0;  // what the value was compared with
  /// How far the value is from failing; below 0 how far it has failed. A part of the limit, or an
  /// absolute distance where the limit is 0.
  double margin = 0;
  std::optional<double> first_broken_s{};    // simulated time, where it can be known
  std::optional<std::uint32_t> partition{};  // the one that decided, where there is one
  bool can_fail = true;                      // false: no run could ever break the rule
  bool measured = true;                      // false: the run has no such client or partition
  bool over_time = false;                    // judged by intervals: counts and RU are rates
  std::uint32_t line = 0;                    // of the rule in its file; 0: it is not in one
};

struct StudyResult {
  std::string name;
  std::string title;
  std::uint64_t seed = 0;
  std::vector<VariantResult> runs;              // in the order of the file
  std::vector<ExpectationResult> expectations;  // in the order of the file, then of the variants
  bool partial = false;  // some run was stopped; unfinished ones are absent or marked
};

/// How far a study is, all of its variants together.
struct StudyProgress {
  double share = 0;  // of all simulated time, 0 to 1
  Nanoseconds simulated_ns = 0;
  Nanoseconds total_ns = 0;
  std::uint64_t attempts = 0;  // handled so far
};

struct StudyOptions {
  unsigned jobs = 1;
  const std::atomic<bool>* stop = nullptr;
  /// Called from any thread, never from two at once; nothing in it ever falls.
  std::function<void(const StudyProgress&)> progress;
  /// Called by each run that replays a trace, from its thread.
  TraceOpener open_trace;
};

/// Runs every variant; the result does not depend on `jobs`. Expectations of a partial study are
/// not judged. A rule about variants that are not all in the study is left out. What a run throws
/// is thrown again here, after all threads have ended.
[[nodiscard]] StudyResult run_study(const StudyFile& study, const StudyOptions& options);

/// The verdict on every rule, by the runs of `result`.
[[nodiscard]] std::vector<ExpectationResult> judge(const std::vector<Expectation>& expectations,
                                                   const std::vector<VariantResult>& runs);

}  // namespace partsim
