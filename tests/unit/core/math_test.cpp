#include "partsim/core/math.hpp"

#include <bit>
#include <cfloat>
#include <cmath>
#include <cstdint>
#include <limits>

#include "partsim/core/rng.hpp"

#include "support/catch.hpp"

namespace partsim {
namespace {

constexpr RngStream kNumbers(11, "math-test", "numbers");
constexpr int kTrials = 200'000;

/// Distance in units of the last place of the true value, which has more digits than a double.
double ulps(double value, long double truth) {
  const double rounded = std::fabs(static_cast<double>(truth));
  const double unit = std::nextafter(rounded, std::numeric_limits<double>::infinity()) - rounded;
  return static_cast<double>(std::fabs(static_cast<long double>(value) - truth)) / unit;
}

double relative_error(double value, long double truth) {
  return static_cast<double>(std::fabs((static_cast<long double>(value) - truth) / truth));
}

double uniform(int trial, std::uint64_t slot) {
  return unit_interval(kNumbers.draw(static_cast<std::uint64_t>(trial), slot)) + 0x1p-54;
}

/// Any positive, finite double, subnormal ones among them, each bit pattern equally likely.
double any_positive(int trial) {
  const std::uint64_t draw = kNumbers.draw(static_cast<std::uint64_t>(trial), 0);
  return std::bit_cast<double>(bounded(draw, 0x7FEF'FFFF'FFFF'FFFFULL) + 1);
}

}  // namespace

TEST_CASE("The logarithm is within 2 ulp for every positive number", "[core]") {
  double worst = 0;
  for (int i = 0; i < kTrials; ++i) {
    const double near_one = 0.5 + uniform(i, 1);
    const double very_near_one = 1.0 + (uniform(i, 1) - 0.5) * 1e-6;
    for (const double x : {any_positive(i), near_one, very_near_one}) {
      const long double truth = std::log(static_cast<long double>(x));
      if (x != 1.0) {
        worst = std::max(worst, ulps(det_log(x), truth));
      }
    }
  }
  CHECK(worst < 2.0);
  CHECK(det_log(1.0) == 0.0);
  CHECK_FALSE(std::signbit(det_log(1.0)));
  CHECK(ulps(det_log(DBL_MAX), std::log(static_cast<long double>(DBL_MAX))) < 2.0);
  CHECK(ulps(det_log(DBL_TRUE_MIN), std::log(static_cast<long double>(DBL_TRUE_MIN))) < 2.0);
}

TEST_CASE("The exponential is within 2 ulp from -700 to 700", "[core]") {
  double worst = 0;
  for (int i = 0; i < kTrials; ++i) {
    const double centred = uniform(i, 2) - 0.5;
    for (const double x : {centred * 1400.0, centred, centred * 1e-4}) {
      worst = std::max(worst, ulps(det_exp(x), std::exp(static_cast<long double>(x))));
    }
  }
  CHECK(worst < 2.0);
  CHECK(det_exp(0.0) == 1.0);
  CHECK(ulps(det_exp(700.0), std::exp(700.0L)) < 2.0);
  CHECK(ulps(det_exp(-700.0), std::exp(-700.0L)) < 2.0);
}

TEST_CASE("Powers keep 13 digits even where the exponent multiplies the logarithm's error",
          "[core]") {
  double worst = 0;
  for (int i = 0; i < kTrials; ++i) {
    for (const double x : {any_positive(i), 0.5 + uniform(i, 1)}) {
      const double y = (2.0 * uniform(i, 3) - 1.0) * 699.0 / std::fabs(std::log(x));
      if (std::fabs(y) < 1e12) {
        const long double truth = std::pow(static_cast<long double>(x), y);
        worst = std::max(worst, relative_error(det_pow(x, y), truth));
      }
    }
  }
  CHECK(worst < 1e-13);
  CHECK(det_pow(1.0, DBL_MAX) == 1.0);
  CHECK(det_pow(DBL_MAX, 0.0) == 1.0);
  CHECK(det_pow(2.0, 10.0) == 1024.0);
}

TEST_CASE("log(1+x)/x and (exp(x)-1)/x are accurate on both sides of zero and at it", "[core]") {
  double worst_log = 0;
  double worst_exp = 0;
  for (int i = 0; i < kTrials; ++i) {
    const double u = uniform(i, 4);
    for (const double x : {u * 3 - 0.999, (u - 0.5) * 1e-5, (u - 0.5) * 1e-15, u * 1e9}) {
      const auto wide = static_cast<long double>(x);
      worst_log = std::max(worst_log, relative_error(det_log1p_over_x(x), std::log1p(wide) / wide));
    }
    for (const double x : {u - 0.5, (u - 0.5) * 1e-5, (u - 0.5) * 1e-15, (u - 0.5) * 1400}) {
      const auto wide = static_cast<long double>(x);
      worst_exp = std::max(worst_exp, relative_error(det_expm1_over_x(x), std::expm1(wide) / wide));
    }
  }
  CHECK(worst_log < 1e-15);
  CHECK(worst_exp < 2e-15);
  CHECK(det_log1p_over_x(0.0) == 1.0);
  CHECK(det_expm1_over_x(0.0) == 1.0);
}

TEST_CASE("The normal quantile inverts the normal distribution function to 1e-9", "[core]") {
  double worst = 0;
  for (int i = 0; i < kTrials; ++i) {
    const double u = uniform(i, 5);
    for (const double p : {u, u * 1e-3, u * 1e-12, u * 1e-100}) {
      const auto z = static_cast<long double>(normal_quantile(p));
      const long double back = 0.5L * std::erfc(-z / std::sqrt(2.0L));
      const long double density = std::exp(-0.5L * z * z) / std::sqrt(2.0L * std::acos(-1.0L));
      worst = std::max(
          worst, static_cast<double>(std::fabs((back - static_cast<long double>(p)) / density)));
    }
  }
  CHECK(worst < 1e-9);
  CHECK(normal_quantile(0.5) == 0.0);
  // Printed tables of the normal distribution.
  CHECK(std::fabs(normal_quantile(0.975) - 1.959963984540054) < 1e-12);
  CHECK(std::fabs(normal_quantile(0.99) - 2.326347874040841) < 1e-12);
  CHECK(normal_quantile(0.25) == -normal_quantile(0.75));
}

TEST_CASE("The normal quantile rises across the seams of its three formulas", "[core]") {
  for (const double seam : {0.075, 0.925, std::exp(-25.0), 1e-300}) {
    double before = normal_quantile(seam * (1 - 1e-6));
    for (int step = -9; step <= 10; ++step) {
      const double here = normal_quantile(seam * (1 + step * 1e-7));
      CHECK(here > before);
      before = here;
    }
  }
}

TEST_CASE("Own mathematics has the same bits with every compiler", "[core]") {
  // Accuracy is the business of the cases above; these bits catch a compiler that contracts,
  // reorders or widens.
  CHECK(std::bit_cast<std::uint64_t>(det_log(10.0)) == 0x40026bb1bbb55516);
  CHECK(std::bit_cast<std::uint64_t>(det_exp(-3.7)) == 0x3f99511fc6871044);
  CHECK(std::bit_cast<std::uint64_t>(det_pow(1234.5, -0.99)) == 0x3f4c807c423c17a9);
  CHECK(std::bit_cast<std::uint64_t>(det_log1p_over_x(0.3)) == 0x3febfc4b23cd8b18);
  CHECK(std::bit_cast<std::uint64_t>(det_expm1_over_x(-0.3)) == 0x3feba563f4c9b7f0);
  CHECK(std::bit_cast<std::uint64_t>(normal_quantile(0.001)) == 0xc008b8cbb7204470);
  CHECK(std::bit_cast<std::uint64_t>(normal_quantile(1e-20)) == 0xc022865170b43a4b);
}

}  // namespace partsim
