#include "partsim/core/rng.hpp"

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <vector>

#include "support/catch.hpp"
#include "unit/core/statistics.hpp"

namespace partsim {
namespace {

constexpr std::uint64_t kDraws = 1 << 19;

/// Two sequences of draws that must look independent although their inputs are close.
struct Pair {
  const char* what;
  std::uint64_t (*first)(std::uint64_t);
  std::uint64_t (*second)(std::uint64_t);
};

constexpr RngStream kStream(1, "ingest", "arrivals");
constexpr RngStream kOtherSeed(2, "ingest", "arrivals");
constexpr RngStream kOtherOwner(1, "ingesu", "arrivals");
constexpr RngStream kOtherPurpose(1, "ingest", "operation");

constexpr std::array<Pair, 6> kPairs = {{
    {"consecutive indices", [](std::uint64_t i) { return kStream.draw(i); },
     [](std::uint64_t i) { return kStream.draw(i + 1); }},
    {"consecutive slots", [](std::uint64_t i) { return kStream.draw(i, 0); },
     [](std::uint64_t i) { return kStream.draw(i, 1); }},
    {"a draw and its redraw", [](std::uint64_t i) { return kStream.draw(i); },
     [](std::uint64_t i) { return redraw(kStream.draw(i)); }},
    {"neighbouring seeds", [](std::uint64_t i) { return kStream.draw(i); },
     [](std::uint64_t i) { return kOtherSeed.draw(i); }},
    {"owners that differ by a letter", [](std::uint64_t i) { return kStream.draw(i); },
     [](std::uint64_t i) { return kOtherOwner.draw(i); }},
    {"purposes of one owner", [](std::uint64_t i) { return kStream.draw(i); },
     [](std::uint64_t i) { return kOtherPurpose.draw(i); }},
}};

}  // namespace

TEST_CASE("mix64 is the published output function of SplitMix64", "[core]") {
  // First outputs of SplitMix64 with seed 1234567, as printed in its reference implementations.
  CHECK(mix64(1234567 + kGoldenGamma) == 6457827717110365317ULL);
  CHECK(mix64(1234567 + 2 * kGoldenGamma) == 3203168211198807973ULL);
  CHECK(mix64(1234567 + 3 * kGoldenGamma) == 9817491932198370423ULL);
}

TEST_CASE("Every bit of a draw is set half of the time", "[core]") {
  std::array<double, 64> ones{};
  for (std::uint64_t i = 0; i < kDraws; ++i) {
    const std::uint64_t draw = kStream.draw(i);
    for (unsigned bit = 0; bit < 64; ++bit) {
      ones[bit] += static_cast<double>((draw >> bit) & 1U);
    }
  }
  const auto n = static_cast<double>(kDraws);
  double sum = 0;
  for (const double count : ones) {
    const double z = (count - n / 2) / std::sqrt(n / 4);
    sum += z * z;
  }
  CHECK(sum < statistics::chi_square_limit(64));
}

TEST_CASE("Draws from neighbouring counters, slots and streams are uncorrelated", "[core]") {
  const auto n = static_cast<double>(kDraws);
  for (const Pair& pair : kPairs) {
    INFO(pair.what);
    double product = 0;
    double different_bits = 0;
    std::vector<double> cells(256, 0.0);
    for (std::uint64_t i = 0; i < kDraws; ++i) {
      const std::uint64_t a = pair.first(i);
      const std::uint64_t b = pair.second(i);
      product += (unit_interval(a) - 0.5) * (unit_interval(b) - 0.5);
      different_bits += std::popcount(a ^ b);
      cells[((a >> 60) << 4) | (b >> 60)] += 1;
    }
    // A product of two uniforms has variance 1/144; bits that differ are binomial(64, 1/2).
    CHECK(std::fabs(product * 12 / std::sqrt(n)) < statistics::kNormalTwoSided);
    CHECK(std::fabs((different_bits - 32 * n) / (4 * std::sqrt(n))) < statistics::kNormalTwoSided);
    CHECK(statistics::chi_square_ratio(cells, std::vector<double>(256, n / 256)) < 1);
  }
}

TEST_CASE("Uniform numbers follow the uniform law and stay below one", "[core]") {
  std::vector<double> samples(kDraws);
  for (std::uint64_t i = 0; i < kDraws; ++i) {
    samples[i] = unit_interval(kStream.draw(i, 3));
  }
  CHECK(statistics::kolmogorov_ratio(samples, [](double x) { return x; }) < 1);
  CHECK(unit_interval(0) == 0.0);
  CHECK(unit_interval(UINT64_MAX) == 1.0 - 0x1p-53);
}

TEST_CASE("Bounded draws are uniform, also where 2^64 is no multiple of the bound", "[core]") {
  for (const std::uint64_t bound : {1ULL, 2ULL, 7ULL, 1000ULL}) {
    INFO("bound " << bound);
    std::vector<double> seen(bound, 0.0);
    for (std::uint64_t i = 0; i < kDraws; ++i) {
      seen.at(bounded(kStream.draw(i, 4), bound)) += 1;
    }
    const double expected = static_cast<double>(kDraws) / static_cast<double>(bound);
    if (bound > 1) {
      CHECK(statistics::chi_square_ratio(seen, std::vector<double>(bound, expected)) < 1);
    }
  }
  // Three quarters of 2^64: without rejection every third value would come up twice as often.
  const std::uint64_t bound = 3ULL << 62;
  std::vector<double> thirds(3, 0.0);
  for (std::uint64_t i = 0; i < kDraws; ++i) {
    const std::uint64_t value = bounded(kStream.draw(i, 5), bound);
    REQUIRE(value < bound);
    thirds[value % 3] += 1;
  }
  CHECK(statistics::chi_square_ratio(thirds, std::vector<double>(3, kDraws / 3.0)) < 1);
}

TEST_CASE("Streams and draws have the same bits everywhere", "[core]") {
  CHECK(name_hash("ingest") == 0xe61a5cb2449d4c4a);
  CHECK(kStream.draw(0) == 0x793ce3e4c74890ff);
  CHECK(kStream.draw(123456789, 7) == 0xdf146aac8a93782e);
  CHECK(redraw(42) == 0xbdd732262feb6e95);
  CHECK(bounded(0xC000'0000'0000'0001ULL, 1000) == 750);
  // Here the product ends in zeros and must be rejected, or 500 would come up once too often.
  CHECK(bounded(0x8000'0000'0000'0000ULL, 1000) == bounded(redraw(0x8000'0000'0000'0000ULL), 1000));
}

}  // namespace partsim
