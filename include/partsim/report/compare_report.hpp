/// Two results metric by metric: what got worse, what got better, and whether it may.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "partsim/metrics/metric_table.hpp"
#include "partsim/report/report.hpp"
#include "partsim/study/study.hpp"

namespace partsim {

/// All metrics of one run as a file had them.
struct MeasuredRun {
  std::string variant;
  std::uint64_t seed = 0;
  std::string fingerprint;  // of the question; empty: the file does not say
  std::vector<std::pair<std::string, double>> metrics;  // by path, in the order of the table
};

struct MeasuredStudy {
  std::string name;
  std::string place;  // where it came from, for people
  bool partial = false;
  std::vector<MeasuredRun> runs;
  std::string error;  // why the text is no result; empty if it is one
};

/// A baseline: every metric of every run, one on a line, for people to review.
[[nodiscard]] std::string baseline_json(const StudyResult& study);
/// Of a results.json or a baseline. Never throws on bad text.
[[nodiscard]] MeasuredStudy parse_measured(const std::string& text);

enum class Change : std::uint8_t { worse, better, other, same, inconclusive };

/// One metric of one variant. With replications `base` and `next` are means, and `low` to `high`
/// is what 95 of 100 repetitions would say of the difference.
struct ComparedMetric {
  std::string path;
  MetricUnit unit = MetricUnit::ratio;
  GoodDirection good = GoodDirection::neither;
  double base = 0;
  double next = 0;
  double low = 0;
  double high = 0;
  Change change = Change::same;
};

struct ComparedVariant {
  std::string variant;
  std::size_t replications = 1;
  std::vector<ComparedMetric> metrics;
};

struct StudyComparison {
  std::string name;
  std::vector<ComparedVariant> variants;  // those that both have
  std::vector<std::string> notes;         // what was not compared, and on which conditions
};

/// Why the two are not about the same question; empty if they are.
[[nodiscard]] std::string other_question(const MeasuredStudy& base, const MeasuredStudy& next);
/// Runs of one variant with one seed are compared with each other; several seeds are replications.
[[nodiscard]] StudyComparison compare_studies(const MeasuredStudy& base, const MeasuredStudy& next);

/// `p99 > +5%`: what may not happen to a metric.
struct FailRule {
  enum class Way : std::uint8_t { rises, falls, worsens };
  std::string text;
  std::string variant;  // empty: every one
  std::string metric;   // of the run and of each client, unless it names one; empty: any
  Way way = Way::rises;
  double amount = 0;  // in the unit of the metric, or as a part of the base
  bool is_relative = true;
};

struct RuleBreak {
  std::string rule;
  std::string scenario;
  std::string variant;
  ComparedMetric metric;
  bool is_certain = true;  // false: the replications do not decide it
};

[[nodiscard]] std::vector<RuleBreak> find_breaks(const std::vector<FailRule>& rules,
                                                 const StudyComparison& comparison);

struct CompareReport {
  std::vector<StudyComparison> studies;
  std::vector<std::string> notes;  // about the two sides as a whole
  std::vector<std::string> rules;  // of --fail-on, as written
  std::vector<RuleBreak> breaks;
};
[[nodiscard]] std::string compare_text(const CompareReport& report, const TextStyle& style);
[[nodiscard]] std::string compare_json(const CompareReport& report);

}  // namespace partsim
