#include "breach.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <deque>
#include <utility>
#include <vector>

namespace partsim {
namespace {

/// What is written as 1 % must not fail by the last digit of a double.
constexpr double kLastDigit = 1e-9;

struct Measured {
  std::size_t row = 0;
  double value = 0;
  double margin = 0;
  bool holds = true;
};

bool does_worse(const Measured& a, const Measured& b) {
  return std::pair(a.holds, a.margin) < std::pair(b.holds, b.margin);
}

std::vector<Measured> measured_rows(const MetricSeries& series, const Limit& limit) {
  std::vector<Measured> rows;
  for (std::size_t row = 0; row < series.values.size(); ++row) {
    const double value = series.values[row];
    if (!std::isnan(value)) {
      rows.push_back({row, value, limit.margin(value), limit.holds(value)});
    }
  }
  return rows;
}

/// How far a value is from another as results.json has them, with six decimals: there 2^30 /
/// (2^32 - 1) of the key space is 0.25.
double distance(double measured, double value) {
  constexpr double kLargest = 9e12;  // beyond it a double has no six decimals
  const double apart = std::abs(measured - value);
  if (!(std::abs(measured) < kLargest && std::abs(value) < kLargest)) {
    return apart;
  }
  const auto micro = [](double number) {
    return static_cast<std::int64_t>(number * 1e6 + (number < 0 ? -0.5 : 0.5));
  };
  return micro(measured) == micro(value) ? 0.0 : apart;
}

}  // namespace

bool Limit::holds(double measured) const {
  switch (comparison) {
    case Comparison::less:
      return measured < value;
    case Comparison::less_equal:
      return measured <= value;
    case Comparison::greater:
      return measured > value;
    case Comparison::greater_equal:
      return measured >= value;
    case Comparison::equal:
      return distance(measured, value) <= tolerance * (1 + kLastDigit);
    case Comparison::not_equal:
      return distance(measured, value) > 0;
  }
  return false;
}

double Limit::margin(double measured) const {
  const double scale = value == 0 ? 1 : std::abs(value);
  switch (comparison) {
    case Comparison::less:
    case Comparison::less_equal:
      return (value - measured) / scale;
    case Comparison::greater:
    case Comparison::greater_equal:
      return (measured - value) / scale;
    case Comparison::equal:
      return (tolerance - distance(measured, value)) / scale;
    case Comparison::not_equal:
      return distance(measured, value) / scale;
  }
  return 0;
}

bool Limit::can_break(const ValueRange& measured, const ValueRange& limit) const {
  switch (comparison) {
    case Comparison::less:
      return measured.highest >= limit.lowest;
    case Comparison::less_equal:
      return measured.highest > limit.lowest;
    case Comparison::greater:
      return measured.lowest <= limit.highest;
    case Comparison::greater_equal:
      return measured.lowest < limit.highest;
    case Comparison::equal:
      return measured.highest > limit.lowest + tolerance ||
             measured.lowest < limit.highest - tolerance;
    case Comparison::not_equal:
      return measured.highest >= limit.lowest && measured.lowest <= limit.highest;
  }
  return true;
}

bool Limit::holds_against_itself(double factor) const {
  switch (comparison) {
    case Comparison::less_equal:
      return factor >= 1;
    case Comparison::greater_equal:
      return factor <= 1;
    case Comparison::equal:
      return factor == 1;
    case Comparison::less:
    case Comparison::greater:
    case Comparison::not_equal:
      break;
  }
  return false;
}

Breach worst_breach(const MetricSeries& series, const Limit& limit, Nanoseconds lasting_ns) {
  const std::vector<Measured> rows = measured_rows(series, limit);
  Breach breach;
  if (rows.empty()) {
    breach.margin = std::max(0.0, limit.margin(0));
    return breach;
  }
  std::optional<Measured> worst;
  // Places in `rows` from `begin` on, each doing better than all behind it: the first is the best
  // of the stretch.
  std::deque<std::size_t> best;
  std::size_t end = 0;
  for (std::size_t begin = 0; begin < rows.size(); ++begin) {
    const auto lasts = [&] {
      return end > begin &&
             series.end_of(rows[end - 1].row) - series.begin_of(rows[begin].row) >= lasting_ns;
    };
    for (; end < rows.size() && !lasts(); ++end) {
      while (!best.empty() && !does_worse(rows[end], rows[best.back()])) {
        best.pop_back();
      }
      best.push_back(end);
    }
    const Measured& of_stretch = rows[best.front()];
    if (!lasts()) {
      // nothing lasts so long; what there is tells how near it came
      worst = worst ? worst : std::optional(of_stretch);
      break;
    }
    if (!of_stretch.holds && !breach.first_ns) {
      breach.first_ns = series.begin_of(rows[begin].row);
    }
    if (!worst || does_worse(of_stretch, *worst)) {
      worst = of_stretch;
    }
    if (best.front() == begin) {
      best.pop_front();
    }
  }
  breach.value = worst->value;
  breach.margin = worst->margin;
  return breach;
}

}  // namespace partsim
