#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include <fmt/format.h>

#include "partsim/metrics/derived.hpp"

#include "axes.hpp"
#include "describers.hpp"
#include "numbers.hpp"
#include "study_view.hpp"

namespace partsim {
namespace {

constexpr std::size_t kMaxCurves = 16;
constexpr double kMaxX = 1e5;  // 99.999 %: the finest percentile of latency.csv
constexpr double kLeastMs = 1e-6;

/// `date (84 % failed)`: the curve shows only those that succeeded.
std::string curve_name(const StudyResult& study, std::size_t run, const ClientResult& total) {
  const double failed = failed_share(total);
  return failed > 0 ? fmt::format("{} ({} failed)", name_of(study, run), in_percent(failed))
                    : name_of(study, run);
}

Line curve_of(const Histogram& latency_ns) {
  constexpr double kPointsPerDecade = 60;
  Line line;
  // a percentile that fewer than one operation lies beyond says nothing
  const double end = std::clamp(static_cast<double>(latency_ns.count()), 1.0, kMaxX);
  for (int step = 0;; ++step) {
    const double x = std::min(std::pow(10.0, step / kPointsPerDecade), end);
    line.x.push_back(x);
    const auto ppm = static_cast<std::uint32_t>(std::lround(1e6 - 1e6 / x));
    line.y.push_back(std::max(latency_ms_at(latency_ns, ppm), kLeastMs));
    if (x >= end) {
      return line;
    }
  }
}

/// "p99 is 12 ms with vin-suffix and 29 s with date".
std::string curve_finding(const StudyResult& study) {
  std::optional<std::size_t> best;
  std::optional<std::size_t> worst;
  std::vector<double> p99(study.runs.size());
  for (std::size_t i = 0; i < study.runs.size(); ++i) {
    const Histogram latency_ns = study.runs[i].run.total().latency_ns;
    if (latency_ns.count() == 0) {
      continue;
    }
    p99[i] = latency_ms(latency_ns).p99;
    best = !best || p99[i] < p99[*best] ? i : best;
    worst = !worst || p99[i] > p99[*worst] ? i : worst;
  }
  if (study.runs.size() == 1) {
    return fmt::format("Half of the operations take at most {}, 99 % at most {}",
                       in_ms(latency_ms(study.runs[0].run.total().latency_ns).p50), in_ms(p99[0]));
  }
  if (in_ms(p99[*best]) == in_ms(p99[*worst])) {
    return fmt::format("99 % of the operations take at most {} with every variant",
                       in_ms(p99[*best]));
  }
  return fmt::format("99 % of the operations take at most {} with {}, {} with {}",
                     in_ms(p99[*best]), short_name(study, *best), in_ms(p99[*worst]),
                     short_name(study, *worst));
}

}  // namespace

std::optional<Chart> describe_latency_curve(const StudyResult& study) {
  Chart chart = new_chart(study, "latency");
  std::vector<Line> curves;
  double lowest_ms = 0;
  double highest_ms = 0;
  double largest_x = 100;
  for (std::size_t i = 0; i < std::min(study.runs.size(), kMaxCurves); ++i) {
    const ClientResult total = study.runs[i].run.total();
    if (total.latency_ns.count() == 0) {
      continue;
    }
    Line line = curve_of(total.latency_ns);
    line.name = curve_name(study, i, total);
    line.number = static_cast<std::uint32_t>(i);
    lowest_ms = curves.empty() ? line.y.front() : std::min(lowest_ms, line.y.front());
    highest_ms = std::max(highest_ms, line.y.back());
    largest_x = std::max(largest_x, line.x.back());
    curves.push_back(std::move(line));
  }
  if (curves.empty()) {
    return std::nullopt;
  }
  chart.title = curve_finding(study);
  chart.explanation =
      "Latency of the operations that succeeded, as the application sees it, retries included" +
      left_out(std::min(study.runs.size(), kMaxCurves), study.runs.size());
  Panel panel;
  panel.x = percentile_axis(largest_x);
  panel.y = latency_axis(lowest_ms, highest_ms);
  panel.content = std::move(curves);
  chart.panels.push_back(std::move(panel));
  return chart;
}

std::optional<Chart> describe_latency_time(const StudyResult& /*study*/) {
  return std::nullopt;
}

}  // namespace partsim
