#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
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

/// An interval of a run's latency series.
struct Moment {
  std::size_t run = 0;
  std::size_t row = 0;
};

double in_ms_of(std::uint64_t ns) {
  return std::max(static_cast<double>(ns) / 1e6, kLeastMs);
}

/// p50, p95 and p99; of a long run the largest of each step, so that no bad minute disappears.
std::vector<Line> percentile_lines(const StudyResult& study, const RunResult& run) {
  constexpr std::size_t kMaxSteps = 240;
  const LatencySeries& series = run.latency_series;
  const std::size_t step =
      std::max<std::size_t>(1, (series.rows.size() + kMaxSteps - 1) / kMaxSteps);
  const double unit_s = time_unit(longest_s(study)).seconds;
  std::vector<Line> lines(3);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    lines[i].name = std::array{"p50", "p95", "p99"}[i];
    lines[i].number = std::array<std::uint32_t, 3>{2, 0, 4}[i];  // from pale to dark blue
    lines[i].stepped = true;
  }
  for (std::size_t row = 0; row < series.rows.size(); row += step) {
    std::array<double, 3> most{0, 0, 0};
    for (std::size_t r = row; r < std::min(row + step, series.rows.size()); ++r) {
      const LatencySeries::Row& each = series.rows[r];
      if (each.succeeded > 0) {
        most = {std::max(most[0], in_ms_of(each.p50_ns)), std::max(most[1], in_ms_of(each.p95_ns)),
                std::max(most[2], in_ms_of(each.p99_ns))};
      }
    }
    const double begin_s = static_cast<double>(row) * static_cast<double>(series.interval_s);
    for (std::size_t i = 0; i < lines.size(); ++i) {
      lines[i].x.push_back(begin_s / unit_s);
      lines[i].y.push_back(most[i] > 0 ? most[i] : std::numeric_limits<double>::quiet_NaN());
    }
  }
  const double end_s =
      std::min(static_cast<double>(series.rows.size()) * static_cast<double>(series.interval_s),
               std::ceil(simulated_s(run)));
  for (Line& line : lines) {
    line.x.push_back(end_s / unit_s);
    close_line(line);
  }
  return lines;
}

/// "date: p99 of a second reaches 9.2 s, at 12 s; over the whole run it is 2.8 s".
std::string slowest_finding(const StudyResult& study, const Moment& slowest) {
  const RunResult& run = study.runs[slowest.run].run;
  const LatencySeries& series = run.latency_series;
  const std::string length =
      series.interval_s == 1 ? "a second" : in_clock(series.interval_s * kSecond);
  const auto at_ns = static_cast<std::int64_t>(slowest.row) * series.interval_s * kSecond;
  return fmt::format("{}: the p99 of {} reaches {} at {}; of the whole run it is {}",
                     short_name(study, slowest.run), length,
                     in_ms(in_ms_of(series.rows[slowest.row].p99_ns)), in_clock(at_ns),
                     in_ms(latency_ms(run.total().latency_ns).p99));
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

std::optional<Chart> describe_latency_time(const StudyResult& study) {
  Chart chart = new_chart(study, "latency-time");
  double lowest_ms = 0;
  double highest_ms = 0;
  std::optional<Moment> slowest;
  for (std::size_t i = 0; i < panels_of(study); ++i) {
    const LatencySeries& series = study.runs[i].run.latency_series;
    for (std::size_t row = 0; row < series.rows.size(); ++row) {
      if (series.rows[row].succeeded == 0) {
        continue;
      }
      const double low = in_ms_of(series.rows[row].p50_ns);
      const double high = in_ms_of(series.rows[row].p99_ns);
      lowest_ms = lowest_ms > 0 ? std::min(lowest_ms, low) : low;
      if (high > highest_ms) {
        highest_ms = high;
        slowest = Moment{i, row};
      }
    }
  }
  if (!slowest) {
    return std::nullopt;
  }
  for (std::size_t i = 0; i < panels_of(study); ++i) {
    Panel panel = new_time_panel(study, i);
    panel.y = latency_axis(lowest_ms, highest_ms);
    panel.content = percentile_lines(study, study.runs[i].run);
    chart.panels.push_back(std::move(panel));
  }
  chart.title = slowest_finding(study, *slowest);
  chart.explanation =
      "Latency of the operations that succeeded, by when they were first sent; a gap: none did" +
      phase_words(study) + left_out(panels_of(study), study.runs.size());
  chart.columns = columns_for(chart.panels.size());
  return chart;
}

}  // namespace partsim
