#include "partsim/core/distribution.hpp"

#include <bit>
#include <cmath>
#include <cstdint>
#include <vector>

#include "partsim/core/rng.hpp"

#include "support/catch.hpp"
#include "unit/core/statistics.hpp"

namespace partsim {
namespace {

constexpr RngStream kStream(5, "distribution-test", "draws");
constexpr std::uint64_t kDraws = 400'000;
constexpr double kNormal99 = 2.3263478740408408;

template <class Sampler>
std::vector<double> sample_many(Sampler sampler, std::uint64_t slot) {
  std::vector<double> samples(kDraws);
  for (std::uint64_t i = 0; i < kDraws; ++i) {
    samples[i] = sampler(kStream.draw(i, slot));
  }
  return samples;
}

/// Bits that are equally likely in every octave of the distance to an end, so that tails are seen.
std::uint64_t spread_draw(std::uint64_t i) {
  const std::uint64_t near_zero = kStream.draw(i, 6) >> (i % 60);
  return (i & 1U) != 0 ? ~near_zero : near_zero;
}

/// The exact quantile of the log-normal at (draw + 1/2) / 2^64, found from erfc by bisection.
double exact_log_normal(double median, double sigma, std::uint64_t draw) {
  const bool upper = (draw >> 63) != 0;
  const double tail = (static_cast<double>(upper ? ~draw : draw) + 0.5) * 0x1p-64;
  double low = 0;
  double high = 10;
  for (int i = 0; i < 60; ++i) {
    const double middle = (low + high) / 2;
    (0.5 * std::erfc(middle / std::sqrt(2.0)) > tail ? low : high) = middle;
  }
  return median * std::exp(sigma * (upper ? low : -low));
}

}  // namespace

TEST_CASE("Exponential samples follow the exponential law with mean one", "[core]") {
  const std::vector<double> samples = sample_many(exponential, 0);
  CHECK(statistics::kolmogorov_ratio(samples, [](double x) { return -std::expm1(-x); }) < 1);
  const statistics::Moments moments = statistics::moments(samples);
  CHECK(std::fabs(moments.mean - 1) < statistics::kNormalTwoSided * moments.standard_error);
}

TEST_CASE("An exponential sample is minus the logarithm of its draw to 2e-11", "[core]") {
  double worst = 0;
  for (std::uint64_t i = 0; i < kDraws; ++i) {
    const std::uint64_t draw = spread_draw(i);
    const double x = 1.0 - static_cast<double>(draw >> 12) * 0x1p-52;
    worst = std::max(worst, std::fabs(exponential(draw) + std::log(x)));
  }
  CHECK(worst < 2e-11);
}

TEST_CASE("The shortest exponential sample is plain zero and the longest is 52 log 2", "[core]") {
  CHECK(exponential(0) == 0.0);
  CHECK_FALSE(std::signbit(exponential(0)));
  CHECK(exponential(1 << 12) > 0.0);
  CHECK(std::fabs(exponential(UINT64_MAX) - 52 * std::log(2.0)) < 1e-10);
}

TEST_CASE("Log-normal samples have the median and the 99th percentile that were asked for",
          "[core]") {
  const double median = 5e6;
  for (const double p99 : {6e6, 2e7, 5e8}) {
    const LogNormal law(median, p99);
    const double sigma = std::log(p99 / median) / kNormal99;
    const auto cdf = [&](double x) {
      return 0.5 * std::erfc(-std::log(x / median) / sigma / std::sqrt(2.0));
    };
    const std::vector<double> samples =
        sample_many([&](std::uint64_t draw) { return law.sample(draw); }, 1);
    CHECK(statistics::kolmogorov_ratio(samples, cdf) < 1);
    CHECK(law.sample(std::uint64_t{1} << 63) == Approx(median).epsilon(1e-12));
    CHECK(law.sample(static_cast<std::uint64_t>(0.99 * 0x1p64)) == Approx(p99).epsilon(1e-4));
    CHECK(law.sample(static_cast<std::uint64_t>(0.01 * 0x1p64)) ==
          Approx(median * median / p99).epsilon(1e-4));
  }
}

TEST_CASE("A log-normal sample is within 1e-4 of the exact quantile, in both tails too", "[core]") {
  for (const double ratio : {1.5, 4.0, 100.0, 1000.0}) {
    const LogNormal law(3.0, 3.0 * ratio);
    const double sigma = std::log(ratio) / kNormal99;
    double worst = 0;
    for (std::uint64_t i = 0; i < 20'000; ++i) {
      const std::uint64_t draw = spread_draw(i);
      const double truth = exact_log_normal(3.0, sigma, draw);
      worst = std::max(worst, std::fabs(law.sample(draw) / truth - 1));
    }
    INFO("p99 / median " << ratio);
    CHECK(worst < 1e-4);
  }
}

TEST_CASE("Log-normal samples rise with the draw across all cells and seams", "[core]") {
  const LogNormal law(5e6, 2e7);
  double before = law.sample(0);
  CHECK(before > 0);
  for (unsigned shift = 0; shift < 63; ++shift) {  // towards the median from below, by octaves
    for (std::uint64_t step = 0; step < 512; ++step) {
      const std::uint64_t octave = std::uint64_t{1} << shift;
      const std::uint64_t draw = octave + (shift > 9 ? step * (octave >> 9) : 0);
      const double here = law.sample(draw);
      REQUIRE(here >= before);
      before = here;
    }
  }
  for (unsigned shift = 63; shift-- > 0;) {  // and away from it above
    for (std::uint64_t step = 512; step-- > 0;) {
      const std::uint64_t octave = std::uint64_t{1} << shift;
      const std::uint64_t distance = octave + (shift > 9 ? step * (octave >> 9) : 0);
      const double here = law.sample(~distance);
      REQUIRE(here >= before);
      before = here;
    }
  }
  CHECK(std::isfinite(law.sample(UINT64_MAX)));
  CHECK(law.sample(UINT64_MAX) >= before);
}

TEST_CASE("The log-normal mean is the closed form and the samples have it", "[core]") {
  const LogNormal law(10.0, 40.0);
  const double sigma = std::log(4.0) / kNormal99;
  CHECK(law.mean() == Approx(10.0 * std::exp(sigma * sigma / 2)).epsilon(1e-12));
  const statistics::Moments moments =
      statistics::moments(sample_many([&](std::uint64_t draw) { return law.sample(draw); }, 2));
  CHECK(std::fabs(moments.mean - law.mean()) <
        statistics::kNormalTwoSided * moments.standard_error);
}

TEST_CASE("A log-normal whose 99th percentile is its median is a constant", "[core]") {
  const LogNormal law(5e6, 5e6);
  for (const std::uint64_t draw :
       {std::uint64_t{0}, std::uint64_t{1} << 47, std::uint64_t{1} << 63, UINT64_MAX}) {
    CHECK(law.sample(draw) == 5e6);
  }
  CHECK(law.mean() == 5e6);
}

TEST_CASE("Samples have the same bits with every compiler", "[core]") {
  const LogNormal law(5e6, 2e7);
  const std::uint64_t draw = kStream.draw(1);
  CHECK(draw == 0xc6f234a0733190a3);
  CHECK(std::bit_cast<std::uint64_t>(exponential(draw)) == 0x3ff804d6a9d37a0c);
  CHECK(std::bit_cast<std::uint64_t>(exponential(~draw)) == 0x3fd0231e35562bae);
  CHECK(std::bit_cast<std::uint64_t>(law.sample(draw)) == 0x415e0b9f6283714c);
  CHECK(std::bit_cast<std::uint64_t>(law.sample(~draw)) == 0x414837706de8d04e);
  CHECK(std::bit_cast<std::uint64_t>(law.sample(12345)) == 0x40e4df40605e703c);
}

}  // namespace partsim
