#include "axes.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "numbers.hpp"

namespace partsim {
namespace {

constexpr double kMostTicks = 5;

/// A round step of which at most `most` lie below `highest`.
double round_step(double highest, double most) {
  constexpr std::array<double, 4> kSteps{1, 2, 2.5, 5};
  if (!(highest > 0)) {
    return 1 / most;
  }
  double power = std::pow(10.0, std::floor(std::log10(highest / most)));
  for (;; power *= 10) {
    for (const double step : kSteps) {
      if (step * power * most >= highest * (1 - 1e-9)) {
        return step * power;
      }
    }
  }
}

std::string tick_text(double value) {
  return value >= 1'000 ? grouped(static_cast<std::uint64_t>(std::llround(value)))
                        : fmt::format("{:g}", value);
}

/// Steps that divide a day as people do.
double time_step(double longest, const TimeUnit& unit) {
  constexpr std::array<double, 13> kSteps{1,   2,   5,   10,  15,    30,   60,
                                          120, 240, 300, 600, 1'200, 3'000};
  constexpr std::array<double, 6> kHours{1, 2, 4, 6, 12, 24};
  constexpr double kMost = 8;
  if (unit.name == "h" && longest <= kHours.back() * kMost) {
    return *std::find_if(kHours.begin(), kHours.end(),
                         [longest](double step) { return step * kMost >= longest; });
  }
  for (const double step : kSteps) {
    if (step * kMost >= longest) {
      return step;
    }
  }
  return round_step(longest, kMost);
}

std::string duration_text(double ms) {
  return ms >= 1'000 ? tick_text(ms / 1'000) + " s" : fmt::format("{:g} ms", ms);
}

}  // namespace

TimeUnit time_unit(double longest_s) {
  return longest_s <= 600         ? TimeUnit{1, "s"}
         : longest_s <= 4 * 3'600 ? TimeUnit{60, "min"}
                                  : TimeUnit{3'600, "h"};
}

double simulated_s(const RunResult& run) noexcept {
  return static_cast<double>(run.simulated_ns) / static_cast<double>(kSecond);
}

double longest_s(const StudyResult& study) noexcept {
  double longest = 1;
  for (const VariantResult& result : study.runs) {
    longest = std::max(longest, simulated_s(result.run));
  }
  return longest;
}

Axis time_axis(const StudyResult& study) {
  const TimeUnit unit = time_unit(longest_s(study));
  Axis axis;
  axis.title = "simulated time";
  axis.unit = unit.name;
  axis.high = longest_s(study) / unit.seconds;
  const double step = time_step(axis.high, unit);
  for (double at = 0; at <= axis.high * (1 + 1e-9); at += step) {
    axis.ticks.push_back({at, tick_text(at)});
  }
  return axis;
}

Axis value_axis(std::string title, std::string unit, double highest) {
  const double step = round_step(highest, kMostTicks);
  Axis axis;
  axis.title = std::move(title);
  axis.unit = std::move(unit);
  const double steps = std::max(1.0, std::ceil(highest / step - 1e-9));
  axis.high = highest > 0 ? step * steps : 1;
  for (double i = 0; highest > 0 && i <= steps; ++i) {
    axis.ticks.push_back({i * step, tick_text(i * step)});
  }
  if (axis.ticks.empty()) {
    axis.ticks = {{0, "0"}, {1, "1"}};
  }
  return axis;
}

Axis percent_axis(std::string title, double highest_percent) {
  Axis axis = value_axis(std::move(title), "%", std::max(highest_percent, 1.0));
  if (highest_percent > 50 && highest_percent <= 100) {
    axis.high = 100;
    axis.ticks = {{0, "0"}, {25, "25"}, {50, "50"}, {75, "75"}, {100, "100"}};
  }
  return axis;
}

Axis latency_axis(double lowest_ms, double highest_ms) {
  constexpr std::array<double, 3> kSteps{1, 2, 5};
  constexpr double kMany = 500;  // from here on powers of ten alone are enough
  std::vector<double> marks;
  for (int power = -7; power <= 9; ++power) {
    for (const double step : kSteps) {
      marks.push_back(step * std::pow(10.0, power));
    }
  }
  const auto above_low = std::upper_bound(marks.begin(), marks.end() - 2, lowest_ms * 0.98);
  Axis axis;
  axis.title = "latency";
  axis.scale = AxisScale::logarithmic;
  axis.low = above_low == marks.begin() ? marks.front() : *(above_low - 1);
  const auto above_high = std::lower_bound(marks.begin(), marks.end() - 1, highest_ms * 1.02);
  axis.high = std::max(*above_high, axis.low * 10);
  const bool powers_only = axis.high / axis.low > kMany;
  for (std::size_t i = 0; i < marks.size(); ++i) {
    const bool inside = marks[i] >= axis.low * 0.999 && marks[i] <= axis.high * 1.001;
    if (inside && (!powers_only || i % kSteps.size() == 0)) {
      axis.ticks.push_back({marks[i], duration_text(marks[i])});
    }
  }
  return axis;
}

Axis percentile_axis(double largest) {
  Axis axis;
  axis.title = "percentile of operations";
  axis.scale = AxisScale::logarithmic;
  axis.low = 1;
  axis.high = std::max(largest, 10.0);
  for (const auto& [at, text] :
       {std::pair(1.0, "0 %"), std::pair(2.0, "50 %"), std::pair(10.0, "90 %"),
        std::pair(100.0, "99 %"), std::pair(1e3, "99.9 %"), std::pair(1e4, "99.99 %"),
        std::pair(1e5, "99.999 %")}) {
    if (at <= axis.high) {
      axis.ticks.push_back({at, text});
    }
  }
  return axis;
}

}  // namespace partsim
