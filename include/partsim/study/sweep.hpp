/// The full product of varied values, variants and repetitions, and what it says.
///
/// A sweep is a list of runs, each a pure function of (resolved scenario, seed). Who runs which of
/// them, in what order, on how many threads or machines, cannot be seen in the result.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "partsim/engine/engine.hpp"
#include "partsim/scenario/study_file.hpp"
#include "partsim/study/statistics.hpp"

namespace partsim {

/// One thing that is varied: a path as in `--set`, and its values as they were written.
struct SweepAxis {
  std::string path;
  std::vector<std::string> values;
  [[nodiscard]] bool operator==(const SweepAxis&) const = default;
};

/// What is asked, without the scenarios themselves.
struct SweepDesign {
  std::string name;
  std::string title;
  std::uint64_t seed = 0;             // of the file
  std::vector<SweepAxis> axes;        // the last one varies fastest
  std::vector<std::string> variants;  // in the order of the file
  std::vector<std::string> metrics;   // paths of the metric table
  std::size_t target = 0;             // index of the metric that ranks, and whose precision counts
  std::uint32_t seeds = 1;            // replications of every point, at most
  double precision = 0;               // above zero: half width ÷ mean at which a point is done
  [[nodiscard]] bool operator==(const SweepDesign&) const = default;
};

/// Replications of a point before its precision is judged for the first time.
inline constexpr std::uint32_t kLeastReplications = 5;

/// Combinations of the values; SIZE_MAX if there are more than that.
[[nodiscard]] std::size_t point_count(const SweepDesign& design) noexcept;
/// Which value each axis has at a point.
[[nodiscard]] std::vector<std::size_t> values_at(const SweepDesign& design, std::size_t point);

/// Part `number` of `count`, from 1: every count-th point.
struct Shard {
  std::uint32_t number = 1;
  std::uint32_t count = 1;
  [[nodiscard]] bool has(std::size_t point) const noexcept { return point % count == number - 1; }
  [[nodiscard]] bool operator==(const Shard&) const = default;
};

/// The seed of a replication. The first is the file's own, so that one replication is what
/// `partsim run` shows. All points and variants have the same ones: they meet the same arrivals.
[[nodiscard]] std::uint64_t replication_seed(std::uint64_t seed,
                                             std::uint32_t replication) noexcept;

/// One run, reduced to what the sweep keeps of it.
struct Replication {
  std::uint64_t seed = 0;
  std::uint64_t digest = 0;
  std::vector<double> values;  // by metric; NaN where the run has no such client
};
struct SweepCell {
  std::vector<Replication> replications;
};
struct SweepPoint {
  std::size_t number = 0;
  std::vector<SweepCell> variants;  // all with the same number of replications
};
struct SweepResult {
  SweepDesign design;
  std::vector<SweepPoint> points;  // by number; those of a shard only
  bool complete = true;            // false: it was stopped
};

/// A point with its scenarios, in the order of the design's variants.
struct SweepTask {
  std::size_t number = 0;
  std::vector<Variant> variants;
};
struct RunPlace {
  std::size_t point = 0;
  std::size_t variant = 0;
  std::uint32_t replication = 0;
};

struct SweepOptions {
  unsigned jobs = 1;
  const std::atomic<bool>* stop = nullptr;
  TraceOpener open_trace;
  /// A run that is known already need not be made again. Called from one thread.
  std::function<std::optional<Replication>(const RunPlace&)> recall;
  /// Told of every run that was made, from any thread, never from two at once.
  std::function<void(const RunPlace&, const Replication&)> remember;
};

/// With `precision` every point has as many replications as its least precise variant needs, judged
/// after 5, 7, 9, 11, 13, 16, 20, ... of them. The result does not depend on `jobs` or on what was
/// recalled.
[[nodiscard]] SweepResult run_sweep(const SweepDesign& design, const std::vector<SweepTask>& tasks,
                                    const SweepOptions& options);

/// What one run says about the metrics.
[[nodiscard]] std::vector<double> metric_values(const RunResult& run,
                                                const std::vector<std::string>& metrics);

/// The values of one metric by replication.
[[nodiscard]] std::vector<double> values_of(const SweepCell& cell, std::size_t metric);
/// Nothing if some replication has no such value.
[[nodiscard]] std::optional<Interval> interval_of(const SweepCell& cell, std::size_t metric);
[[nodiscard]] std::optional<Interval> difference_of(const SweepCell& base, const SweepCell& other,
                                                    std::size_t metric);

/// Metrics that every sweep has, whatever was asked for: the ranking and the charts need them.
[[nodiscard]] const std::vector<std::string>& standing_metrics();
/// Where a path stands in the design.
[[nodiscard]] std::optional<std::size_t> metric_index(const SweepDesign& design,
                                                      std::string_view path);
/// Which way a metric is better; nothing for one that is neither good nor bad.
[[nodiscard]] std::optional<Direction> preferred_direction(std::string_view path);

/// A variant at a point, by index into the result.
struct SweepChoice {
  std::size_t point = 0;
  std::size_t variant = 0;
  [[nodiscard]] bool operator==(const SweepChoice&) const = default;
};

/// Operations may fail up to this share before a choice counts as no answer.
inline constexpr double kHarmlessFailures = 0.001;

struct SweepRanking {
  /// Best by the target, the price decides among equals. Choices that lose operations come last.
  std::vector<SweepChoice> order;
  /// No other choice is cheaper and as fast, or faster and as cheap: by price ascending. Choices
  /// that lose operations are never among them.
  std::vector<SweepChoice> frontier;
};
[[nodiscard]] SweepRanking rank(const SweepResult& result);
[[nodiscard]] bool loses_operations(const SweepResult& result, const SweepChoice& choice);

}  // namespace partsim
