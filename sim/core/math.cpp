#include "partsim/core/math.hpp"

#include <array>
#include <bit>
#include <cfloat>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "partsim/core/assert.hpp"

// Every intermediate must be rounded to a double at once, or the bits depend on the compiler.
static_assert(FLT_EVAL_METHOD == 0, "x87 style evaluation would change results");

namespace partsim {
namespace {

constexpr std::uint64_t kMantissaMask = 0x000F'FFFF'FFFF'FFFFULL;
constexpr std::uint64_t kOneBits = 0x3FF0'0000'0000'0000ULL;
constexpr std::uint64_t kSqrtHalfBits = 0x3FE6'A09E'667F'3BCDULL;
constexpr int kExponentBias = 1023;

// log(2) in two parts. The first has 32 bits, so that its product with any exponent is exact.
constexpr double kLog2High = 0x1.62e42fee00000p-1;
constexpr double kLog2Low = 0x1.a39ef35793c76p-33;
constexpr double kInverseLog2 = 0x1.71547652b82fep+0;

// The odd series of log((1+s)/(1-s)) without its first term: (2/3) s^2 + (2/5) s^4 + ... With
// |s| < 0.1716 the first term left out is below 2^-57 of the sum.
constexpr std::array<double, 11> kLogSeries = {2.0 / 23, 2.0 / 21, 2.0 / 19, 2.0 / 17,
                                               2.0 / 15, 2.0 / 13, 2.0 / 11, 2.0 / 9,
                                               2.0 / 7,  2.0 / 5,  2.0 / 3};

// 1/n! from n = 13 down to 2: beyond, a term with |r| < 0.3466 is below 2^-57.
constexpr std::array<double, 12> kExpSeries = {
    1.0 / 6227020800.0, 1.0 / 479001600.0, 1.0 / 39916800.0, 1.0 / 3628800.0,
    1.0 / 362880.0,     1.0 / 40320.0,     1.0 / 5040.0,     1.0 / 720.0,
    1.0 / 120.0,        1.0 / 24.0,        1.0 / 6.0,        1.0 / 2.0};

/// Horner's rule, the coefficient of the highest power first.
template <std::size_t N>
double polynomial(const std::array<double, N>& coefficients, double x) noexcept {
  double sum = coefficients[0];
  for (std::size_t i = 1; i < N; ++i) {
    sum = sum * x + coefficients[i];
  }
  return sum;
}

/// x = 2^exponent (1 + fraction), with 1 + fraction between sqrt(1/2) and sqrt(2); exact.
struct Reduced {
  double exponent;
  double fraction;
};

Reduced reduce(double x) noexcept {
  int exponent = 0;
  if (x < DBL_MIN) {
    x *= 0x1p54;
    exponent = -54;
  }
  const std::uint64_t shifted = std::bit_cast<std::uint64_t>(x) + (kOneBits - kSqrtHalfBits);
  exponent += static_cast<int>(shifted >> 52) - kExponentBias;
  const auto mantissa = std::bit_cast<double>((shifted & kMantissaMask) + kSqrtHalfBits);
  return {static_cast<double>(exponent), mantissa - 1.0};
}

/// An unevaluated sum: `high` is the rounded value, `low` what the rounding left.
struct TwoDoubles {
  double high;
  double low;
};

TwoDoubles two_sum(double a, double b) noexcept {
  const double sum = a + b;
  const double from_b = sum - a;
  return {sum, (a - (sum - from_b)) + (b - from_b)};
}

/// Veltkamp's split: two halves whose products are exact. |a| must be below 2^996.
TwoDoubles split(double a) noexcept {
  const double scaled = 134217729.0 * a;
  const double high = scaled - (scaled - a);
  return {high, a - high};
}

/// Dekker's product, because a fused multiply-add is not on every machine.
TwoDoubles two_product(double a, double b) noexcept {
  const double product = a * b;
  const TwoDoubles x = split(a);
  const TwoDoubles y = split(b);
  return {product, ((x.high * y.high - product) + x.high * y.low + x.low * y.high) + x.low * y.low};
}

/// log to about 2^-57 relative: a power multiplies the absolute error of the logarithm, so a
/// rounded one would not do.
TwoDoubles log_extended(double x) noexcept {
  const Reduced r = reduce(x);
  const double divisor = 2.0 + r.fraction;
  const double divisor_low = r.fraction - (divisor - 2.0);
  const double s = r.fraction / divisor;
  const TwoDoubles back = two_product(s, divisor);
  const double s_low = (((r.fraction - back.high) - back.low) - s * divisor_low) / divisor;
  const double z = s * s;
  const double tail = s * (z * polynomial(kLogSeries, z));
  const TwoDoubles head = two_sum(r.exponent * kLog2High, 2.0 * s);
  const double low = head.low + (2.0 * s_low + tail + r.exponent * kLog2Low);
  const double high = head.high + low;
  return {high, low - (high - head.high)};
}

/// e^x where the result is a normal number.
double exp_in_range(double x) noexcept {
  const double scaled = x * kInverseLog2;
  const int exponent = static_cast<int>(scaled < 0 ? scaled - 0.5 : scaled + 0.5);
  const auto k = static_cast<double>(exponent);
  const double r = (x - k * kLog2High) - k * kLog2Low;
  const double mantissa = 1.0 + (r + r * r * polynomial(kExpSeries, r));
  const std::int64_t biased = std::int64_t{exponent} + kExponentBias;
  return mantissa * std::bit_cast<double>(static_cast<std::uint64_t>(biased) << 52);
}

double ratio(const std::array<double, 8>& above, const std::array<double, 8>& below,
             double x) noexcept {
  return polynomial(above, x) / polynomial(below, x);
}

}  // namespace

double det_log(double x) noexcept {
  PARTSIM_ASSERT(x > 0 && x <= DBL_MAX, "a logarithm needs a positive, finite number");
  const Reduced r = reduce(x);
  const double f = r.fraction;
  const double s = f / (2.0 + f);
  const double z = s * s;
  // 2 s = f - s f, so the rounding of s only touches a correction, never the leading term.
  const double correction = s * (f - z * polynomial(kLogSeries, z));
  return r.exponent * kLog2High - ((correction - r.exponent * kLog2Low) - f);
}

double det_exp(double x) noexcept {
  PARTSIM_ASSERT(x >= -700 && x <= 700, "the exponential must neither overflow nor underflow");
  return exp_in_range(x);
}

double det_pow(double x, double y) noexcept {
  PARTSIM_ASSERT(x > 0 && x <= DBL_MAX, "a power needs a positive, finite base");
  if (x == 1.0 || y == 0.0) {
    return 1.0;
  }
  const TwoDoubles logarithm = log_extended(x);
  const TwoDoubles product = two_product(y, logarithm.high);
  PARTSIM_ASSERT(product.high > -701 && product.high < 701, "the power must be in range");
  const double low = product.low + y * logarithm.low;
  const double head = exp_in_range(product.high);
  return head + head * low;
}

double det_log1p_over_x(double x) noexcept {
  PARTSIM_ASSERT(x > -1 && x < DBL_MAX, "log(1+x) needs x above -1");
  // The quotient hardly changes between x and the number that 1+x was rounded to, so it is taken
  // there, where the logarithm's argument is exact (Kahan).
  const double rounded = 1.0 + x;
  if (rounded == 1.0) {
    return 1.0;
  }
  return det_log(rounded) / (rounded - 1.0);
}

double det_expm1_over_x(double x) noexcept {
  // (e^x - 1)/x = 1 + x (1/2! + x/3! + ...): the exponential's own series, one power lower, where
  // the difference would lose digits.
  if (x >= -0.35 && x <= 0.35) {
    return 1.0 + x * polynomial(kExpSeries, x);
  }
  return (det_exp(x) - 1.0) / x;
}

// Wichura's algorithm AS 241 (Applied Statistics 37, 1988), the PPND16 coefficients: quotients of
// two polynomials of degree seven in three ranges, about 16 digits.
double normal_quantile(double p) noexcept {
  PARTSIM_ASSERT(p > 0 && p < 1, "a probability strictly between 0 and 1");
  static constexpr std::array<double, 8> kCentreAbove = {
      2.5090809287301226727e3, 3.3430575583588128105e4, 6.7265770927008700853e4,
      4.5921953931549871457e4, 1.3731693765509461125e4, 1.9715909503065514427e3,
      1.3314166789178437745e2, 3.3871328727963666080e0};
  static constexpr std::array<double, 8> kCentreBelow = {
      5.2264952788528545610e3, 2.8729085735721942674e4,
      3.9307895800092710610e4, 2.1213794301586595867e4,
      5.3941960214247511077e3, 6.8718700749205790830e2,
      4.2313330701600911252e1, 1.0};
  static constexpr std::array<double, 8> kMiddleAbove = {
      7.74545014278341407640e-4, 2.27238449892691845833e-2, 2.41780725177450611770e-1,
      1.27045825245236838258e0,  3.64784832476320460504e0,  5.76949722146069140550e0,
      4.63033784615654529590e0,  1.42343711074968357734e0};
  static constexpr std::array<double, 8> kMiddleBelow = {
      1.05075007164441684324e-9, 5.47593808499534494600e-4,
      1.51986665636164571966e-2, 1.48103976427480074590e-1,
      6.89767334985100004550e-1, 1.67638483018380384940e0,
      2.05319162663775882187e0,  1.0};
  static constexpr std::array<double, 8> kFarAbove = {
      2.01033439929228813265e-7, 2.71155556874348757815e-5, 1.24266094738807843860e-3,
      2.65321895265761230930e-2, 2.96560571828504891230e-1, 1.78482653991729133580e0,
      5.46378491116411436990e0,  6.65790464350110377720e0};
  static constexpr std::array<double, 8> kFarBelow = {
      2.04426310338993978564e-15, 1.42151175831644588870e-7,
      1.84631831751005468180e-5,  7.86869131145613259100e-4,
      1.48753612908506148525e-2,  1.36929880922735805310e-1,
      5.99832206555887937690e-1,  1.0};
  const double q = p - 0.5;
  if (q >= -0.425 && q <= 0.425) {
    return q * ratio(kCentreAbove, kCentreBelow, 0.180625 - q * q);
  }
  const double tail = q < 0 ? p : 1.0 - p;
  // A square root is correctly rounded everywhere (IEEE 754), unlike the rest of the C library.
  const double r = std::sqrt(-det_log(tail));
  const double size =
      r <= 5.0 ? ratio(kMiddleAbove, kMiddleBelow, r - 1.6) : ratio(kFarAbove, kFarBelow, r - 5.0);
  return q < 0 ? -size : size;
}

}  // namespace partsim
