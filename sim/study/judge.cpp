#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>

#include "partsim/metrics/derived.hpp"
#include "partsim/metrics/metric_series.hpp"
#include "partsim/metrics/metric_table.hpp"
#include "partsim/study/study.hpp"

#include "breach.hpp"

namespace partsim {
namespace {

double in_seconds(Nanoseconds time) {
  return static_cast<double>(time) / static_cast<double>(kSecond);
}

struct Judged {
  double value = 0;
  double margin = 0;
  bool passed = true;
};

const VariantResult* find_run(const std::vector<VariantResult>& runs, const std::string& variant) {
  const auto found = std::find_if(
      runs.begin(), runs.end(), [&](const VariantResult& each) { return each.variant == variant; });
  return found == runs.end() ? nullptr : &*found;
}

std::string path_of(const PartitionResult& partition, std::string_view metric) {
  return "partitions." + std::to_string(partition.id) + "." + std::string(metric);
}

/// When a rule was first broken, as far as the series tell: a share or a time when an interval was
/// beyond the limit, a count when its sum was.
std::optional<double> first_break(const RunResult& run, std::string_view path, const Limit& limit) {
  const std::optional<MetricSeries> series = metric_series(run, path);
  const std::optional<MetricUnit> unit = series_unit(path);
  const bool is_ordered =
      limit.comparison != Comparison::equal && limit.comparison != Comparison::not_equal;
  if (!series || !is_ordered) {
    return std::nullopt;
  }
  const bool adds_up = unit == MetricUnit::count || unit == MetricUnit::ru_per_second;
  const bool only_grows =
      limit.comparison == Comparison::greater || limit.comparison == Comparison::greater_equal;
  if (adds_up && only_grows) {
    return std::nullopt;  // too few, which shows at the end only
  }
  double sum = 0;
  for (std::size_t row = 0; row < series->values.size(); ++row) {
    const double value = series->values[row];
    if (std::isnan(value)) {
      continue;
    }
    sum += value * in_seconds(series->end_of(row) - series->begin_of(row));
    if (!limit.holds(adds_up ? sum : value)) {
      return in_seconds(series->begin_of(row));
    }
  }
  return std::nullopt;
}

/// The rule's metric, or the series that shows when a peak was reached.
std::string series_path(const RunResult& run, std::string_view path,
                        const std::optional<std::uint32_t>& partition) {
  const bool is_peak = path == "ru.normalized_peak" || path.ends_with(".peak_utilization");
  const bool is_by_second = run.series.interval_s == 1;
  return is_peak && is_by_second && partition
             ? "partitions." + std::to_string(*partition) + ".utilization"
             : std::string(path);
}

template <class Value>
std::optional<std::uint32_t> partition_with_most(const RunResult& run, Value value) {
  std::optional<std::uint32_t> id;
  double most = 0;
  for (const PartitionResult& partition : run.partitions) {
    if (value(partition) > most) {
      most = value(partition);
      id = partition.id;
    }
  }
  return id;
}

/// Where a metric of the whole run comes from, if one partition is to be named.
std::optional<std::uint32_t> partition_behind(const RunResult& run, std::string_view path) {
  if (path == "throttled_share" || path == "throttled") {
    return partition_with_most(
        run, [](const PartitionResult& each) { return static_cast<double>(each.throttled); });
  }
  if (path == "ru.normalized_peak") {
    return partition_with_most(run,
                               [](const PartitionResult& each) { return peak_utilization(each); });
  }
  const std::optional<std::size_t> hottest = hottest_partition(run);
  const bool is_hottest = path == "imbalance" || partition_path(path).is_hottest;
  return is_hottest && hottest ? std::optional(run.partitions[*hottest].id) : std::nullopt;
}

class Judge {
 public:
  Judge(const Expectation& rule, const VariantResult& judged, const VariantResult& other)
      : rule_(rule), run_(judged.run), other_(other), is_same_run_(&judged == &other) {
    result_.rule = rule.rule;
    result_.variant = judged.variant;
    result_.over_time = rule.lasting_ns > 0;
    result_.line = rule.line;
  }

  ExpectationResult judge() {
    if (!find_limit()) {
      return unmeasured();
    }
    result_.can_fail = can_fail();
    const PartitionPath path = partition_path(rule_.metric);
    return path.scope == PartitionScope::one ? judge_one() : judge_many(path);
  }

 private:
  bool find_limit() {
    std::optional<double> value = rule_.value;
    if (rule_.against) {
      value = metric_value(other_.run, rule_.against->metric);
      value = value ? std::optional(*value * rule_.against->times / rule_.against->over) : value;
    }
    limit_ = {rule_.comparison, value.value_or(0), rule_.tolerance};
    limit_.tolerance *= rule_.tolerance_is_relative ? std::abs(limit_.value) : 1;
    result_.limit = limit_.value;
    return value.has_value();
  }

  ExpectationResult unmeasured() {
    result_.measured = false;
    result_.passed = false;
    return result_;
  }

  [[nodiscard]] std::optional<Judged> verdict(const std::string& path) const {
    if (rule_.lasting_ns == 0) {
      const std::optional<double> value = metric_value(run_, path);
      return value ? std::optional(Judged{*value, limit_.margin(*value), limit_.holds(*value)})
                   : std::nullopt;
    }
    const std::optional<MetricSeries> series = metric_series(run_, path);
    if (!series) {
      return std::nullopt;
    }
    const Breach breach = worst_breach(*series, limit_, rule_.lasting_ns);
    return Judged{breach.value, breach.margin, !breach.first_ns};
  }

  [[nodiscard]] std::optional<double> broken_at(const std::string& path) const {
    if (rule_.lasting_ns == 0) {
      return first_break(run_, series_path(run_, path, result_.partition), limit_);
    }
    const std::optional<MetricSeries> series = metric_series(run_, path);
    const std::optional<Nanoseconds> first =
        series ? worst_breach(*series, limit_, rule_.lasting_ns).first_ns : std::nullopt;
    return first ? std::optional(in_seconds(*first)) : std::nullopt;
  }

  ExpectationResult settle(const Judged& verdict, const std::string& path) {
    result_.value = verdict.value;
    result_.margin = verdict.margin;
    result_.passed = verdict.passed;
    if (!verdict.passed) {
      result_.first_broken_s = broken_at(path);
    }
    return result_;
  }

  ExpectationResult judge_one() {
    const std::optional<Judged> found = verdict(rule_.metric);
    if (!found) {
      return unmeasured();
    }
    const PartitionPath path = partition_path(rule_.metric);
    if (path.id) {
      result_.partition = path.id;
    } else if (path.is_hottest || !found->passed) {
      result_.partition = partition_behind(run_, rule_.metric);
    }
    return settle(*found, rule_.metric);
  }

  /// All: the partition that does worst decides. Any: the one that does best.
  ExpectationResult judge_many(const PartitionPath& path) {
    const bool all = path.scope == PartitionScope::all;
    const auto rank = [](const Judged& each) { return std::pair(each.passed, each.margin); };
    std::optional<Judged> decisive;
    for (const PartitionResult& partition : run_.partitions) {
      const std::optional<Judged> found = counted_life_s(run_, partition) > 0
                                              ? verdict(path_of(partition, path.metric))
                                              : std::nullopt;
      const bool decides =
          found &&
          (!decisive || (all ? rank(*found) < rank(*decisive) : rank(*decisive) < rank(*found)));
      if (decides) {
        decisive = found;
        result_.partition = partition.id;
      }
    }
    return decisive ? settle(*decisive, "partitions." + std::to_string(*result_.partition) + "." +
                                            std::string(path.metric))
                    : unmeasured();
  }

  /// By what the metric and the limit can be at all, whatever the run.
  [[nodiscard]] bool can_fail() const {
    const Metric metric = find_metric(rule_.metric).value_or(Metric{});
    if (rule_.lasting_ns > run_.simulated_ns - run_.warm_up_ns) {
      return false;
    }
    if (!rule_.against) {
      return limit_.can_break({metric.lowest, metric.highest}, {limit_.value, limit_.value});
    }
    const double factor = rule_.against->times / rule_.against->over;
    if (is_same_run_ && rule_.against->metric == rule_.metric) {
      return !limit_.holds_against_itself(factor);
    }
    const Metric other = find_metric(rule_.against->metric).value_or(Metric{});
    return limit_.can_break({metric.lowest, metric.highest},
                            {other.lowest * factor, other.highest * factor});
  }

  const Expectation& rule_;
  const RunResult& run_;
  const VariantResult& other_;
  bool is_same_run_;
  Limit limit_;
  ExpectationResult result_;
};

}  // namespace

std::vector<ExpectationResult> judge(const std::vector<Expectation>& expectations,
                                     const std::vector<VariantResult>& runs) {
  std::vector<ExpectationResult> verdicts;
  for (const Expectation& rule : expectations) {
    const bool names_other = rule.against && !rule.against->variant.empty();
    const VariantResult* named = names_other ? find_run(runs, rule.against->variant) : nullptr;
    if (names_other && named == nullptr) {
      continue;
    }
    for (const VariantResult& result : runs) {
      // without a variant: all of them, but for the one they are compared with
      const bool is_meant =
          rule.variant.empty() ? &result != named : rule.variant == result.variant;
      if (is_meant) {
        verdicts.push_back(Judge(rule, result, named == nullptr ? result : *named).judge());
      }
    }
  }
  return verdicts;
}

}  // namespace partsim
