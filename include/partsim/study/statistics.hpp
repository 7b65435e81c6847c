/// What a handful of repetitions proves: means, confidence intervals, paired differences.
///
/// Everything here is computed from + - * / and square roots in a fixed order, so that intervals in
/// result files are the same bytes on every machine.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace partsim {

/// The part of all repeated experiments whose interval holds the true value.
inline constexpr double kConfidence = 0.95;

struct Moments {
  std::size_t count = 0;
  double mean = 0;      // 0 without values
  double variance = 0;  // of the sample (divided by count - 1); 0 with fewer than two values
};
[[nodiscard]] Moments moments(std::span<const double> values) noexcept;

/// Inverse of Student's t distribution function with `degrees` >= 1 degrees of freedom, p in
/// (0, 1). Absolute error below 1e-7 for p between 0.0005 and 0.9995.
[[nodiscard]] double student_t_quantile(double p, std::uint64_t degrees) noexcept;

/// A mean and how far the true one may lie from it. One value alone says nothing about that: its
/// half width is infinite.
struct Interval {
  std::size_t count = 0;
  double mean = 0;
  double half_width = 0;
  [[nodiscard]] double low() const noexcept { return mean - half_width; }
  [[nodiscard]] double high() const noexcept { return mean + half_width; }
  [[nodiscard]] bool is_known() const noexcept { return count >= 2; }
};
/// By Student's t over independent repetitions.
[[nodiscard]] Interval confidence_interval(std::span<const double> values,
                                           double confidence = kConfidence) noexcept;

/// Of b - a, value by value: both have the same length, and the values at one place come from runs
/// with the same seed. What both runs met alike cancels, so this is far tighter than two intervals
/// side by side.
[[nodiscard]] Interval paired_difference(std::span<const double> a, std::span<const double> b,
                                         double confidence = kConfidence);

/// Whether the half width is at most this part of the mean. A mean of zero without any spread is
/// precise; one with spread never is.
[[nodiscard]] bool is_precise(const Interval& interval, double relative) noexcept;

enum class Direction : std::uint8_t { lower_is_better, higher_is_better };
/// `same`: the difference was exactly zero in every pair. `inconclusive`: zero lies inside the
/// interval, or there were fewer than two pairs.
enum class Verdict : std::uint8_t { better, worse, same, inconclusive };
/// What a difference b - a says of b.
[[nodiscard]] Verdict verdict_of(const Interval& difference, Direction direction) noexcept;

}  // namespace partsim
