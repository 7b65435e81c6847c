/// Axes with ends and marks that suit people, so that every backend draws the same ones.
#pragma once

#include <string>

#include "partsim/plots/chart.hpp"
#include "partsim/study/study.hpp"

namespace partsim {

/// The unit in which the times of a study are short numbers.
struct TimeUnit {
  double seconds = 1;
  std::string name = "s";
};
[[nodiscard]] TimeUnit time_unit(double longest_s);

[[nodiscard]] double simulated_s(const RunResult& run) noexcept;
[[nodiscard]] double longest_s(const StudyResult& study) noexcept;  // at least one second
/// From zero to the end of the longest run; every panel of a study has it.
[[nodiscard]] Axis time_axis(const StudyResult& study);

/// From zero to a round number from `highest` on, thousands grouped.
[[nodiscard]] Axis value_axis(std::string title, std::string unit, double highest);
/// Up to 100 % if it is more than half of that.
[[nodiscard]] Axis percent_axis(std::string title, double highest_percent);
/// In ms on a logarithmic scale around the two values.
[[nodiscard]] Axis latency_axis(double lowest_ms, double highest_ms);
/// Of 1 / (1 - p), up to `largest`.
[[nodiscard]] Axis percentile_axis(double largest);

}  // namespace partsim
