/// Tests of randomness at one level of significance, 1e-6: with fixed seeds a test never flickers,
/// and a sound generator would fail one in a million.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

namespace partsim::statistics {

inline constexpr double kNormalOneInMillion = 4.753424;     // upper quantile at 1e-6
inline constexpr double kNormalTwoSided = 4.891638;         // at 1e-6, both tails together
inline constexpr double kKolmogorovOneInMillion = 2.69342;  // sqrt(log(2 / 1e-6) / 2)

/// Upper quantile of chi-square at 1e-6 (Wilson and Hilferty 1931).
inline double chi_square_limit(double degrees) {
  const double spread = 2.0 / (9.0 * degrees);
  return degrees * std::pow(1.0 - spread + kNormalOneInMillion * std::sqrt(spread), 3.0);
}

/// Sum of (seen - expected)^2 / expected over its limit; above one the hypothesis falls.
inline double chi_square_ratio(const std::vector<double>& seen,
                               const std::vector<double>& expected) {
  double sum = 0;
  for (std::size_t i = 0; i < seen.size(); ++i) {
    const double difference = seen[i] - expected[i];
    sum += difference * difference / expected[i];
  }
  return sum / chi_square_limit(static_cast<double>(seen.size() - 1));
}

/// Largest distance between the samples' and the given distribution function, over its limit.
template <class Cdf>
double kolmogorov_ratio(std::vector<double> samples, Cdf cdf) {
  std::sort(samples.begin(), samples.end());
  const auto n = static_cast<double>(samples.size());
  double distance = 0;
  for (std::size_t i = 0; i < samples.size(); ++i) {
    const double value = cdf(samples[i]);
    const auto rank = static_cast<double>(i);
    distance = std::max({distance, value - rank / n, (rank + 1) / n - value});
  }
  return distance * std::sqrt(n) / kKolmogorovOneInMillion;
}

struct Moments {
  double mean;
  double standard_error;
};

inline Moments moments(const std::vector<double>& samples) {
  const auto n = static_cast<double>(samples.size());
  double sum = 0;
  for (const double x : samples) {
    sum += x;
  }
  const double mean = sum / n;
  double squares = 0;
  for (const double x : samples) {
    squares += (x - mean) * (x - mean);
  }
  return {mean, std::sqrt(squares / (n - 1) / n)};
}

/// Euler and Maclaurin's sum of k^-s over first <= k < last, from the formula, not from the
/// product.
inline double power_sum(double first, double last, double s) {
  double sum = 0;
  const double direct_end = std::min(last, std::max(first, 2000.0));
  for (double k = first; k < direct_end; ++k) {
    sum += std::pow(k, -s);
  }
  if (direct_end == last) {
    return sum;
  }
  const double a = direct_end;
  const double b = last;  // exclusive, so the last term's half is subtracted
  const double integral =
      s == 1 ? std::log(b / a) : (std::pow(b, 1 - s) - std::pow(a, 1 - s)) / (1 - s);
  const auto term = [s](double x) { return std::pow(x, -s); };
  return sum + integral + (term(a) - term(b)) / 2 + s * (term(a) / a - term(b) / b) / 12;
}

}  // namespace partsim::statistics
