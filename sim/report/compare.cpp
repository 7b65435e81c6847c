#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "partsim/report/compare_report.hpp"
#include "partsim/study/statistics.hpp"

namespace partsim {
namespace {

constexpr double kUnknown = std::numeric_limits<double>::infinity();

using Metrics = std::map<std::string_view, double>;

/// Two runs that met the same arrivals and items.
struct Pair {
  const MeasuredRun* base = nullptr;
  const MeasuredRun* next = nullptr;
};

struct Pairing {
  std::vector<Pair> pairs;
  bool is_paired = true;  // false: no seed in common
};

std::vector<std::string> variants_of(const MeasuredStudy& study) {
  std::vector<std::string> names;
  for (const MeasuredRun& run : study.runs) {
    if (std::find(names.begin(), names.end(), run.variant) == names.end()) {
      names.push_back(run.variant);
    }
  }
  return names;
}

std::vector<const MeasuredRun*> runs_of(const MeasuredStudy& study, const std::string& variant) {
  std::vector<const MeasuredRun*> runs;
  for (const MeasuredRun& run : study.runs) {
    if (run.variant == variant) {
      runs.push_back(&run);
    }
  }
  return runs;
}

Pairing pair_up(const std::vector<const MeasuredRun*>& base,
                const std::vector<const MeasuredRun*>& next) {
  Pairing pairing;
  for (const MeasuredRun* each : base) {
    const auto same = std::find_if(next.begin(), next.end(), [each](const MeasuredRun* other) {
      return other->seed == each->seed;
    });
    if (same != next.end()) {
      pairing.pairs.push_back({each, *same});
    }
  }
  if (pairing.pairs.empty()) {
    pairing.is_paired = false;
    pairing.pairs.push_back({base.front(), next.front()});
  }
  return pairing;
}

Change change_of(const ComparedMetric& metric) {
  const double difference = metric.next - metric.base;
  if (difference == 0 && metric.low == 0 && metric.high == 0) {
    return Change::same;
  }
  if (metric.low <= 0 && metric.high >= 0) {
    return Change::inconclusive;
  }
  if (metric.good == GoodDirection::neither) {
    return Change::other;
  }
  const bool is_less = difference < 0;
  return is_less == (metric.good == GoodDirection::lower) ? Change::better : Change::worse;
}

ComparedMetric compare_metric(const std::string& path, const std::vector<double>& base,
                              const std::vector<double>& next) {
  ComparedMetric compared;
  compared.path = path;
  if (const std::optional<Metric> metric = find_metric(path)) {
    compared.unit = metric->unit;
    compared.good = metric->good;
  }
  compared.base = moments(base).mean;
  compared.next = moments(next).mean;
  const double difference = compared.next - compared.base;
  compared.low = difference;
  compared.high = difference;
  if (base.size() > 1) {
    const Interval interval = paired_difference(base, next);
    compared.low = interval.low();
    compared.high = interval.high();
  }
  compared.change = change_of(compared);
  return compared;
}

ComparedVariant compare_variant(const std::string& variant, const Pairing& pairing) {
  ComparedVariant compared;
  compared.variant = variant;
  compared.replications = pairing.pairs.size();
  std::vector<Metrics> base;
  std::vector<Metrics> next;
  for (const Pair& pair : pairing.pairs) {
    base.emplace_back(pair.base->metrics.begin(), pair.base->metrics.end());
    next.emplace_back(pair.next->metrics.begin(), pair.next->metrics.end());
  }
  for (const auto& [path, value] : pairing.pairs.front().next->metrics) {
    const std::string_view name = path;
    const auto has = [name](const Metrics& metrics) { return metrics.contains(name); };
    if (!std::all_of(base.begin(), base.end(), has) ||
        !std::all_of(next.begin(), next.end(), has)) {
      continue;
    }
    const auto values = [name](const std::vector<Metrics>& runs) {
      std::vector<double> found;
      found.reserve(runs.size());
      for (const Metrics& metrics : runs) {
        found.push_back(metrics.find(name)->second);
      }
      return found;
    };
    compared.metrics.push_back(compare_metric(path, values(base), values(next)));
  }
  return compared;
}

std::string clients_only_in(const MeasuredRun& run, const MeasuredRun& other) {
  constexpr std::string_view kClients = "clients.";
  constexpr std::string_view kOne = ".attempts";  // every client has it once
  std::set<std::string_view> known;
  for (const auto& [path, value] : other.metrics) {
    known.insert(path);
  }
  std::string names;
  for (const auto& [path, value] : run.metrics) {
    if (path.starts_with(kClients) && path.ends_with(kOne) && !known.contains(path)) {
      names += (names.empty() ? "" : ", ") +
               path.substr(kClients.size(), path.size() - kClients.size() - kOne.size());
    }
  }
  return names;
}

void add_notes(const std::string& variant, const Pairing& pairing, std::size_t runs,
               std::vector<std::string>& notes) {
  const Pair& first = pairing.pairs.front();
  for (const bool in_base : {true, false}) {
    const std::string names = in_base ? clients_only_in(*first.base, *first.next)
                                      : clients_only_in(*first.next, *first.base);
    if (!names.empty()) {
      notes.push_back(
          fmt::format("{}: clients only in {}: {}", variant, in_base ? "base" : "new", names));
    }
  }
  if (!pairing.is_paired) {
    notes.push_back(fmt::format("{}: seed {} in base, {} in new: some of the change is chance",
                                variant, first.base->seed, first.next->seed));
  } else if (pairing.pairs.size() < runs) {
    notes.push_back(fmt::format("{}: {} of {} runs have a seed that both sides ran", variant,
                                pairing.pairs.size(), runs));
  }
}

/// How far a metric went the way a rule forbids, at least and at most.
struct Reach {
  double least = 0;
  double most = 0;
};

Reach reach_of(const FailRule& rule, const ComparedMetric& metric) {
  const bool is_down = rule.way == FailRule::Way::falls ||
                       (rule.way == FailRule::Way::worsens && metric.good == GoodDirection::higher);
  Reach reach = is_down ? Reach{-metric.high, -metric.low} : Reach{metric.low, metric.high};
  if (rule.is_relative) {
    const double base = std::abs(metric.base);
    const auto part = [base](double distance) {
      return base > 0 ? distance / base : distance == 0 ? 0 : std::copysign(kUnknown, distance);
    };
    reach = {part(reach.least), part(reach.most)};
  }
  return reach;
}

bool is_about(const FailRule& rule, const std::string& variant, const ComparedMetric& metric) {
  if (!rule.variant.empty() && rule.variant != variant) {
    return false;
  }
  if (rule.metric.empty()) {
    return metric.good != GoodDirection::neither;
  }
  const bool is_of_client = metric.path.starts_with("clients.");
  return metric.path == rule.metric || (is_of_client && metric.path.ends_with("." + rule.metric));
}

}  // namespace

std::string other_question(const MeasuredStudy& base, const MeasuredStudy& next) {
  if (base.name != next.name) {
    return fmt::format("they are of different scenarios, '{}' and '{}'", base.name, next.name);
  }
  for (const MeasuredRun& run : next.runs) {
    for (const MeasuredRun* other : runs_of(base, run.variant)) {
      const bool is_known = !run.fingerprint.empty() && !other->fingerprint.empty();
      if (is_known && run.fingerprint != other->fingerprint) {
        return fmt::format("variant '{}' of '{}' is not the same scenario in both", run.variant,
                           next.name);
      }
    }
  }
  return {};
}

StudyComparison compare_studies(const MeasuredStudy& base, const MeasuredStudy& next) {
  StudyComparison comparison;
  comparison.name = next.name;
  for (const std::string& variant : variants_of(next)) {
    const auto ours = runs_of(base, variant);
    const auto theirs = runs_of(next, variant);
    if (ours.empty()) {
      comparison.notes.push_back(variant + ": only in new");
      continue;
    }
    const Pairing pairing = pair_up(ours, theirs);
    comparison.variants.push_back(compare_variant(variant, pairing));
    add_notes(variant, pairing, std::max(ours.size(), theirs.size()), comparison.notes);
  }
  for (const std::string& variant : variants_of(base)) {
    if (runs_of(next, variant).empty()) {
      comparison.notes.push_back(variant + ": only in base");
    }
  }
  return comparison;
}

std::vector<RuleBreak> find_breaks(const std::vector<FailRule>& rules,
                                   const StudyComparison& comparison) {
  std::vector<RuleBreak> breaks;
  for (const FailRule& rule : rules) {
    for (const ComparedVariant& variant : comparison.variants) {
      for (const ComparedMetric& metric : variant.metrics) {
        const Reach reach = reach_of(rule, metric);
        if (is_about(rule, variant.variant, metric) && reach.most > rule.amount) {
          breaks.push_back(
              {rule.text, comparison.name, variant.variant, metric, reach.least > rule.amount});
        }
      }
    }
  }
  return breaks;
}

}  // namespace partsim
