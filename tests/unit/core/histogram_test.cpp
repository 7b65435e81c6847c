#include "partsim/core/histogram.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <vector>

#include "partsim/core/distribution.hpp"
#include "partsim/core/rng.hpp"

#include "support/catch.hpp"

namespace partsim {
namespace {

constexpr RngStream kStream(13, "histogram-test", "values");

/// Values of all magnitudes, from 0 to the largest.
std::uint64_t any_value(std::uint64_t i) {
  return kStream.draw(i) >> (kStream.draw(i, 1) % 64);
}

}  // namespace

TEST_CASE("An empty histogram reports zeros", "[core]") {
  const auto histogram = std::make_unique<Histogram>();
  CHECK(histogram->count() == 0);
  CHECK(histogram->min() == 0);
  CHECK(histogram->max() == 0);
  CHECK(histogram->mean() == 0.0);
  CHECK(histogram->quantile(0) == 0);
  CHECK(histogram->quantile(500'000) == 0);
  CHECK(histogram->quantile(1'000'000) == 0);
}

TEST_CASE("A single sample is every quantile, exactly, whatever its size", "[core]") {
  for (const std::uint64_t value : {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{255},
                                    std::uint64_t{256}, std::uint64_t{1'000'003}, UINT64_MAX}) {
    const auto histogram = std::make_unique<Histogram>();
    histogram->add(value);
    for (const std::uint32_t ppm : {0U, 1U, 500'000U, 999'999U, 1'000'000U}) {
      CHECK(histogram->quantile(ppm) == value);
    }
    CHECK(histogram->min() == value);
    CHECK(histogram->max() == value);
    CHECK(histogram->sum() == value);
  }
}

TEST_CASE("Cells rise with the value, without gaps, and end at the largest number", "[core]") {
  std::size_t before = Histogram::index(0);
  CHECK(before == 0);
  for (std::uint64_t value = 1; value < 100'000; ++value) {
    const std::size_t here = Histogram::index(value);
    REQUIRE((here == before || here == before + 1));
    before = here;
  }
  for (unsigned bit = 8; bit < 64; ++bit) {
    const std::uint64_t power = std::uint64_t{1} << bit;
    CHECK(Histogram::index(power) == Histogram::index(power - 1) + 1);
  }
  CHECK(Histogram::index(UINT64_MAX) == Histogram::kCells + (1U << Histogram::kSubBits) - 1);
}

TEST_CASE("Any value is reported within 0.4 %, values below 256 exactly", "[core]") {
  double worst = 0;
  for (std::uint64_t i = 0; i < 20'000; ++i) {
    // Three samples, so that the middle one is reported from its cell and not by the clamp.
    const std::uint64_t value = any_value(i) >> 1;
    Histogram histogram;
    histogram.add(0);
    histogram.add(value);
    histogram.add(UINT64_MAX);
    const std::uint64_t median = histogram.quantile(500'000);
    const double error = std::fabs(static_cast<double>(median) - static_cast<double>(value));
    if (value < 256) {
      REQUIRE(median == value);
    } else {
      worst = std::max(worst, error / static_cast<double>(value));
    }
  }
  CHECK(worst < 0.004);
  CHECK(worst > 0.003);
}

TEST_CASE("Quantiles of many samples are within 1 % of the sorted samples", "[core]") {
  const LogNormal law(5e6, 4e7);
  const auto histogram = std::make_unique<Histogram>();
  std::vector<std::uint64_t> sorted;
  std::uint64_t sum = 0;
  for (std::uint64_t i = 0; i < 100'000; ++i) {
    const auto value = static_cast<std::uint64_t>(law.sample(kStream.draw(i, 2)));
    histogram->add(value);
    sorted.push_back(value);
    sum += value;
  }
  std::sort(sorted.begin(), sorted.end());
  for (const std::uint32_t ppm : {10U, 10'000U, 500'000U, 900'000U, 990'000U, 999'990U}) {
    const std::size_t rank = (sorted.size() * ppm + 999'999) / 1'000'000;
    const auto truth = static_cast<double>(sorted[rank - 1]);
    CHECK(static_cast<double>(histogram->quantile(ppm)) == Approx(truth).epsilon(0.01));
  }
  CHECK(histogram->quantile(0) == sorted.front());
  CHECK(histogram->quantile(1'000'000) == sorted.back());
  CHECK(histogram->sum() == sum);
  CHECK(histogram->mean() == static_cast<double>(sum) / 100'000.0);
}

TEST_CASE("The rank of a quantile is proven from both sides", "[core]") {
  Histogram histogram;
  for (std::uint64_t value = 1; value <= 100; ++value) {
    histogram.add(value);
  }
  CHECK(histogram.quantile(10'000) == 1);
  CHECK(histogram.quantile(10'001) == 2);
  CHECK(histogram.quantile(500'000) == 50);
  CHECK(histogram.quantile(500'001) == 51);
  CHECK(histogram.quantile(990'000) == 99);
  CHECK(histogram.quantile(990'001) == 100);
}

TEST_CASE("Quantiles rise with p and stay between the smallest and the largest sample", "[core]") {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    INFO("seed " << seed);
    Histogram histogram;
    for (std::uint64_t i = 0; i <= seed * 7; ++i) {
      histogram.add(any_value(seed * 1000 + i));
    }
    std::uint64_t before = histogram.min();
    for (std::uint32_t ppm = 0; ppm <= 1'000'000; ppm += 2'500) {
      const std::uint64_t here = histogram.quantile(ppm);
      REQUIRE(here >= before);
      REQUIRE(here <= histogram.max());
      before = here;
    }
  }
}

TEST_CASE("Merged histograms equal the histogram of all samples, in any order", "[core]") {
  std::vector<Histogram> parts(3);
  const auto all = std::make_unique<Histogram>();
  for (std::uint64_t i = 0; i < 10'000; ++i) {
    const std::uint64_t value = any_value(i) >> 20;
    parts[i % parts.size()].add(value);
    all->add(value);
  }
  const auto forward = std::make_unique<Histogram>();
  const auto backward = std::make_unique<Histogram>();
  for (std::size_t i = 0; i < parts.size(); ++i) {
    forward->merge(parts[i]);
    backward->merge(parts[parts.size() - 1 - i]);
  }
  CHECK(*forward == *all);
  CHECK(*backward == *all);
  forward->merge(Histogram{});
  CHECK(*forward == *all);
  forward->add(0);
  CHECK_FALSE(*forward == *all);
}

}  // namespace partsim
