#include "partsim/study/statistics.hpp"

#include <cmath>
#include <limits>
#include <vector>

#include "partsim/core/assert.hpp"
#include "partsim/core/math.hpp"

namespace partsim {
namespace {

constexpr double kPi = 3.14159265358979323846;
/// Beyond, the expansion in 1/degrees is exact to more digits than the sum.
constexpr std::uint64_t kManyDegrees = 200;

/// For x >= 0: halves the angle until the series is short.
double arc_tangent(double x) noexcept {
  double factor = 1.0;
  while (x > 0.1) {
    x = x / (1.0 + std::sqrt(1.0 + x * x));
    factor *= 2.0;
  }
  const double z = x * x;
  double sum = 0.0;
  for (int k = 17; k >= 1; k -= 2) {
    sum = 1.0 / k - z * sum;
  }
  return factor * x * sum;
}

/// Probability that |T| <= x sqrt(degrees): the finite sums of Abramowitz and Stegun, 26.7.3 and
/// 26.7.4, with x the tangent of their angle.
double two_sided_probability(double x, std::uint64_t degrees) noexcept {
  const double cosine_squared = 1.0 / (1.0 + x * x);
  const double sine = x * std::sqrt(cosine_squared);
  const bool is_odd = degrees % 2 == 1;
  double term = is_odd ? std::sqrt(cosine_squared) : 1.0;
  double sum = 0.0;
  for (std::uint64_t k = is_odd ? 1 : 0; k + 2 <= degrees; k += 2) {
    sum += term;
    term *= cosine_squared * static_cast<double>(k + 1) / static_cast<double>(k + 2);
  }
  return is_odd ? 2.0 / kPi * (arc_tangent(x) + sine * sum) : sine * sum;
}

/// Where |T| stays below with this probability, by halving an interval until it has no middle.
double by_bisection(double probability, std::uint64_t degrees) noexcept {
  double low = 0.0;
  double high = 1.0;
  while (two_sided_probability(high, degrees) < probability && high < 1e18) {
    low = high;
    high *= 2.0;
  }
  for (double middle = (low + high) / 2.0; low < middle && middle < high;
       middle = (low + high) / 2.0) {
    (two_sided_probability(middle, degrees) < probability ? low : high) = middle;
  }
  return high * std::sqrt(static_cast<double>(degrees));
}

/// Abramowitz and Stegun, 26.7.5.
double by_expansion(double z, std::uint64_t degrees) noexcept {
  const double n = 1.0 / static_cast<double>(degrees);
  const double y = z * z;
  const double first = (y + 1.0) / 4.0;
  const double second = ((5.0 * y + 16.0) * y + 3.0) / 96.0;
  const double third = (((3.0 * y + 19.0) * y + 17.0) * y - 15.0) / 384.0;
  const double fourth = ((((79.0 * y + 776.0) * y + 1482.0) * y - 1920.0) * y - 945.0) / 92160.0;
  return z * (1.0 + n * (first + n * (second + n * (third + n * fourth))));
}

/// Thousands of intervals have as many values each, and the quantile is dear.
double remembered_quantile(double p, std::uint64_t degrees) noexcept {
  struct Memory {
    double p = 0;
    std::uint64_t degrees = 0;
    double value = 0;
  };
  static thread_local Memory memory;
  if (memory.p != p || memory.degrees != degrees) {
    memory = {p, degrees, student_t_quantile(p, degrees)};
  }
  return memory.value;
}

}  // namespace

Moments moments(std::span<const double> values) noexcept {
  // Two passes, the second corrected for what the rounding of the mean left over.
  Moments result;
  result.count = values.size();
  if (values.empty()) {
    return result;
  }
  const auto count = static_cast<double>(values.size());
  double rough = 0.0;
  for (const double value : values) {
    rough += value / count;
  }
  double sum = 0.0;
  double squares = 0.0;
  for (const double value : values) {
    const double distance = value - rough;
    sum += distance;
    squares += distance * distance;
  }
  result.mean = rough + sum / count;
  if (values.size() >= 2) {
    const double left = squares - sum * sum / count;
    result.variance = left > 0.0 ? left / (count - 1.0) : 0.0;
  }
  return result;
}

double student_t_quantile(double p, std::uint64_t degrees) noexcept {
  PARTSIM_ASSERT(p > 0 && p < 1, "a probability strictly between 0 and 1");
  PARTSIM_ASSERT(degrees >= 1, "no spread can be judged from one value");
  if (degrees > kManyDegrees) {
    return by_expansion(normal_quantile(p), degrees);
  }
  const double size = by_bisection(p < 0.5 ? 1.0 - 2.0 * p : 2.0 * p - 1.0, degrees);
  return p < 0.5 ? -size : size;
}

Interval confidence_interval(std::span<const double> values, double confidence) noexcept {
  const Moments found = moments(values);
  Interval interval{found.count, found.mean, std::numeric_limits<double>::infinity()};
  if (interval.is_known()) {
    const double deviation = std::sqrt(found.variance / static_cast<double>(found.count));
    interval.half_width = remembered_quantile(0.5 + confidence / 2.0, found.count - 1) * deviation;
  }
  return interval;
}

Interval paired_difference(std::span<const double> a, std::span<const double> b,
                           double confidence) {
  PARTSIM_ASSERT(a.size() == b.size(), "pairs need a partner each");
  std::vector<double> differences(a.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    differences[i] = b[i] - a[i];
  }
  return confidence_interval(differences, confidence);
}

bool is_precise(const Interval& interval, double relative) noexcept {
  const double size = interval.mean < 0 ? -interval.mean : interval.mean;
  return interval.is_known() && interval.half_width <= relative * size;
}

Verdict verdict_of(const Interval& difference, Direction direction) noexcept {
  if (!difference.is_known()) {
    return Verdict::inconclusive;
  }
  if (difference.mean == 0.0 && difference.half_width == 0.0) {
    return Verdict::same;
  }
  if (difference.low() <= 0.0 && difference.high() >= 0.0) {
    return Verdict::inconclusive;
  }
  const bool is_lower = difference.mean < 0.0;
  return is_lower == (direction == Direction::lower_is_better) ? Verdict::better : Verdict::worse;
}

}  // namespace partsim
