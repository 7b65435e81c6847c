#include <algorithm>
#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "partsim/metrics/derived.hpp"

#include "axes.hpp"
#include "describers.hpp"
#include "numbers.hpp"
#include "provider_words.hpp"
#include "study_view.hpp"

namespace partsim {
namespace {

constexpr std::size_t kMaxBars = 24;

/// One number of each variant, and how it is written.
struct Measure {
  std::string heading;
  std::string unit;
  std::function<double(const RunResult&)> value;
  std::function<std::string(double)> text;
};

Panel bars_of(const StudyResult& study, const Measure& measure) {
  Panel panel;
  panel.heading = measure.heading;
  BarGroup bars;
  bars.name = measure.heading;
  double highest = 0;
  for (std::size_t i = 0; i < std::min(study.runs.size(), kMaxBars); ++i) {
    panel.x.categories.push_back(name_of(study, i));
    bars.values.push_back(measure.value(study.runs[i].run));
    bars.texts.push_back(measure.text(bars.values.back()));
    bars.colors.push_back(static_cast<std::uint32_t>(i));
    highest = std::max(highest, bars.values.back());
  }
  panel.x.high = static_cast<double>(panel.x.categories.size());
  panel.y = value_axis(measure.heading, measure.unit, highest);
  panel.content = std::vector<BarGroup>{std::move(bars)};
  return panel;
}

/// The client whose operations' RU differ most between the variants: what a key costs its readers
/// disappears in the mean over all clients, most of whose operations are writes of one price.
std::size_t most_affected_client(const StudyResult& study) {
  std::size_t most = 0;
  double widest = 0;
  for (std::size_t c = 0; c < study.runs.front().run.clients.size(); ++c) {
    double low = 0;
    double high = 0;
    for (const VariantResult& result : study.runs) {
      const double ru = c < result.run.clients.size() ? ru_per_operation(result.run.clients[c]) : 0;
      low = ru > 0 && (low <= 0 || ru < low) ? ru : low;
      high = std::max(high, ru);
    }
    const double spread = low > 0 ? high / low : 0;
    if (spread > widest) {
      widest = spread;
      most = c;
    }
  }
  return most;
}

std::vector<Measure> measures_of(const StudyResult& study) {
  const ProviderWords& words = words_of(study.runs.front().run);
  const std::size_t client = most_affected_client(study);
  const std::vector<ClientResult>& clients = study.runs.front().run.clients;
  const bool failures = std::any_of(study.runs.begin(), study.runs.end(), [](const auto& result) {
    return result.run.failed_share() > 0;
  });
  std::vector<Measure> measures{{"throttled", "% of attempts",
                                 [](const RunResult& run) { return run.throttled_share() * 100; },
                                 [](double value) { return in_percent(value / 100); }}};
  if (failures) {
    measures.push_back({"failed", "% of operations",
                        [](const RunResult& run) { return run.failed_share() * 100; },
                        [](double value) { return in_percent(value / 100); }});
  }
  measures.push_back({"latency p99", "succeeded ones",
                      [](const RunResult& run) { return latency_ms(run.total().latency_ns).p99; },
                      [](double value) { return value > 0 ? in_ms(value) : "none"; }});
  measures.push_back({fmt::format("{} per operation", words.unit == "RU" ? "RU" : "units"),
                      clients.size() > 1 ? "of client " + clients[client].name : "",
                      [client](const RunResult& run) {
                        return client < run.clients.size() ? ru_per_operation(run.clients[client])
                                                           : 0.0;
                      },
                      [](double value) { return value > 0 ? in_ru(value) : "none"; }});
  measures.push_back({"imbalance", "hottest / mean",
                      [](const RunResult& run) { return run.imbalance(); },
                      [](double value) { return in_times(value); }});
  return measures;
}

std::size_t extreme(const StudyResult& study, const std::function<double(const RunResult&)>& value,
                    bool largest) {
  std::size_t found = 0;
  for (std::size_t i = 1; i < study.runs.size(); ++i) {
    const double here = value(study.runs[i].run);
    const double there = value(study.runs[found].run);
    found = (largest ? here > there : here < there) ? i : found;
  }
  return found;
}

std::string variants_finding(const StudyResult& study) {
  const auto failed = [](const RunResult& run) { return run.failed_share(); };
  const auto throttled = [](const RunResult& run) { return run.throttled_share(); };
  const bool by_failures = failed(study.runs[extreme(study, failed, true)].run) > 0;
  const std::function<double(const RunResult&)> value =
      by_failures ? std::function<double(const RunResult&)>(failed) : throttled;
  const std::size_t worst = extreme(study, value, true);
  const std::size_t best = extreme(study, value, false);
  const double most = value(study.runs[worst].run);
  if (most <= 0) {
    return "No variant is throttled and no operation fails";
  }
  const auto spared = std::count_if(study.runs.begin(), study.runs.end(),
                                    [&value](const auto& each) { return value(each.run) <= 0; });
  const std::size_t others = study.runs.size() - 1;
  const std::string rest =
      spared == static_cast<std::ptrdiff_t>(others)
          ? fmt::format("the other{} none", others == 1 ? "" : "s")
          : fmt::format("{} {}", short_name(study, best),
                        spared > 0 ? "none" : in_percent(value(study.runs[best].run)));
  return fmt::format("{} {} {} of its {}, {}", short_name(study, worst),
                     by_failures ? "fails" : "refuses", in_percent(most),
                     by_failures ? "operations" : "attempts", rest);
}

double dollars_per_million(const RunResult& run) {
  const auto succeeded = static_cast<double>(run.total().operations.succeeded);
  const double per_second = static_cast<double>(run.cost.per_hour_micro) / 1e6 / 3'600;
  return succeeded > 0 ? per_second * run.counted_seconds() / succeeded * 1e6 : 0.0;
}

double dollars_per_month(const RunResult& run) {
  return static_cast<double>(run.cost.per_month_micro) / 1e6;
}

std::string dollars(double value) {
  return in_usd(std::llround(value * 1e6));
}

}  // namespace

std::optional<Chart> describe_variants(const StudyResult& study) {
  if (study.runs.size() < 2) {
    return std::nullopt;
  }
  Chart chart = new_chart(study, "variants");
  chart.title = variants_finding(study);
  chart.explanation = "What each variant costs and suffers; shorter is better" +
                      left_out(std::min(study.runs.size(), kMaxBars), study.runs.size());
  for (const Measure& measure : measures_of(study)) {
    chart.panels.push_back(bars_of(study, measure));
  }
  chart.columns = static_cast<std::uint32_t>(chart.panels.size());
  return chart;
}

std::optional<Chart> describe_cost(const StudyResult& study) {
  const std::size_t dearest = extreme(study, dollars_per_month, true);
  const std::size_t cheapest = extreme(study, dollars_per_month, false);
  const double most = dollars_per_month(study.runs[dearest].run);
  const double least = dollars_per_month(study.runs[cheapest].run);
  if (dollars(most) == dollars(least)) {
    return std::nullopt;
  }
  Chart chart = new_chart(study, "cost");
  chart.title = fmt::format("{} costs {} a month, {} {}", short_name(study, dearest), dollars(most),
                            short_name(study, cheapest), dollars(least));
  chart.explanation =
      "Throughput and storage at the rate of the run's hours, and what succeeded for it" +
      left_out(std::min(study.runs.size(), kMaxBars), study.runs.size());
  chart.panels.push_back(bars_of(study, {"a month", "USD", dollars_per_month, dollars}));
  chart.panels.push_back(
      bars_of(study, {"a million operations that succeed", "USD", dollars_per_million,
                      [](double value) { return value > 0 ? dollars(value) : "none"; }}));
  chart.columns = 2;
  return chart;
}

}  // namespace partsim
