// What the replications of a sweep say: intervals, differences, the best, the frontier.
#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>

#include "partsim/metrics/metric_table.hpp"
#include "partsim/study/sweep.hpp"

namespace partsim {
namespace {

bool has_gap(const std::vector<double>& values) {
  return values.empty() || std::any_of(values.begin(), values.end(), [](double value) {
           return value != value;  // NaN
         });
}

/// The mean of a standing metric; a run that has none of it is the worst.
double mean_of(const SweepResult& result, const SweepChoice& choice, std::string_view path) {
  const std::optional<std::size_t> metric = metric_index(result.design, path);
  if (!metric) {
    return std::numeric_limits<double>::infinity();
  }
  const std::vector<double> values =
      values_of(result.points[choice.point].variants[choice.variant], *metric);
  return has_gap(values) ? std::numeric_limits<double>::infinity() : moments(values).mean;
}

/// Three significant digits: what reads alike is alike, or a few cents of storage and a hundredth
/// of a millisecond would decide.
double readable(double value) {
  double scale = 1.0;
  for (; value * scale >= 1'000.0 && scale > 1e-12; scale /= 10.0) {
  }
  for (; value > 0.0 && value * scale < 100.0 && scale < 1e12; scale *= 10.0) {
  }
  const double digits = value * scale;
  return value > 0.0 && digits < 1'000.0 ? static_cast<double>(std::llround(digits)) / scale
                                         : value;
}

/// Nothing succeeded: its latency of zero is no speed.
bool is_idle(const SweepResult& result, const SweepChoice& choice) {
  return mean_of(result, choice, "operations.succeeded") <= 0.0;
}

/// The choices that nothing beats in both price and p99, by price.
std::vector<SweepChoice> frontier_of(const SweepResult& result,
                                     const std::vector<SweepChoice>& choices) {
  using Offer = std::tuple<double, double, std::size_t>;
  std::vector<Offer> offers;
  for (std::size_t i = 0; i < choices.size(); ++i) {
    if (!loses_operations(result, choices[i])) {
      offers.emplace_back(readable(mean_of(result, choices[i], "cost.per_month")),
                          readable(mean_of(result, choices[i], "latency_ms.p99")), i);
    }
  }
  std::sort(offers.begin(), offers.end());
  std::vector<SweepChoice> frontier;
  double fastest = std::numeric_limits<double>::infinity();
  double its_price = 0;
  for (const auto& [price, p99, index] : offers) {
    // Of equal offers all stay.
    if (p99 < fastest || (p99 == fastest && price == its_price)) {
      frontier.push_back(choices[index]);
      fastest = p99;
      its_price = price;
    }
  }
  return frontier;
}

}  // namespace

std::vector<double> values_of(const SweepCell& cell, std::size_t metric) {
  std::vector<double> values;
  values.reserve(cell.replications.size());
  for (const Replication& replication : cell.replications) {
    values.push_back(replication.values[metric]);
  }
  return values;
}

std::optional<Interval> interval_of(const SweepCell& cell, std::size_t metric) {
  const std::vector<double> values = values_of(cell, metric);
  return has_gap(values) ? std::nullopt : std::optional(confidence_interval(values));
}

std::optional<Interval> difference_of(const SweepCell& base, const SweepCell& other,
                                      std::size_t metric) {
  const std::vector<double> a = values_of(base, metric);
  const std::vector<double> b = values_of(other, metric);
  return has_gap(a) || has_gap(b) ? std::nullopt : std::optional(paired_difference(a, b));
}

const std::vector<std::string>& standing_metrics() {
  static const std::vector<std::string> kMetrics{"throttled_share",  "failed_share",
                                                 "latency_ms.p99",   "operations.succeeded",
                                                 "ru.per_operation", "cost.per_month"};
  return kMetrics;
}

std::optional<std::size_t> metric_index(const SweepDesign& design, std::string_view path) {
  const auto found = std::find(design.metrics.begin(), design.metrics.end(), path);
  return found == design.metrics.end()
             ? std::nullopt
             : std::optional(static_cast<std::size_t>(found - design.metrics.begin()));
}

std::optional<Direction> preferred_direction(std::string_view path) {
  const std::optional<Metric> metric = find_metric(path);
  if (!metric || metric->good == GoodDirection::neither) {
    return std::nullopt;
  }
  return metric->good == GoodDirection::higher ? Direction::higher_is_better
                                               : Direction::lower_is_better;
}

bool loses_operations(const SweepResult& result, const SweepChoice& choice) {
  return mean_of(result, choice, "failed_share") > kHarmlessFailures || is_idle(result, choice);
}

SweepRanking rank(const SweepResult& result) {
  std::vector<SweepChoice> choices;
  for (std::size_t point = 0; point < result.points.size(); ++point) {
    for (std::size_t variant = 0; variant < result.points[point].variants.size(); ++variant) {
      choices.push_back({point, variant});
    }
  }
  const std::string& target = result.design.metrics[result.design.target];
  const bool is_higher = preferred_direction(target) == Direction::higher_is_better;
  using Key = std::tuple<bool, double, double, double, std::size_t>;
  std::vector<Key> keys;
  for (std::size_t i = 0; i < choices.size(); ++i) {
    const bool loses = loses_operations(result, choices[i]);
    const double value = readable(mean_of(result, choices[i], target));
    keys.emplace_back(loses, loses ? mean_of(result, choices[i], "failed_share") : 0.0,
                      is_higher ? -value : value,
                      readable(mean_of(result, choices[i], "cost.per_month")), i);
  }
  std::sort(keys.begin(), keys.end());
  SweepRanking ranking;
  ranking.frontier = frontier_of(result, choices);
  for (const Key& key : keys) {
    ranking.order.push_back(choices[std::get<4>(key)]);
  }
  return ranking;
}

}  // namespace partsim
