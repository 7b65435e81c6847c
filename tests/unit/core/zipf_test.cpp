#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <vector>

#include "partsim/core/distribution.hpp"
#include "partsim/core/rng.hpp"

#include "support/catch.hpp"
#include "unit/core/statistics.hpp"

namespace partsim {
namespace {

constexpr RngStream kStream(9, "zipf-test", "draws");

/// Chi-square of many draws over the first ranks one by one and then over ever wider groups, each
/// expected at least fifty times, against sums that the product has no part in.
double fit(std::uint64_t count, double exponent, std::uint64_t draws, std::uint64_t slot) {
  const auto n = static_cast<double>(count);
  const double total = statistics::power_sum(1, n + 1, exponent);
  std::vector<double> edges = {1};  // value of the first rank of each group, then the end
  std::vector<double> expected;
  double end = 1;
  double share = 0;
  while (end < n + 1) {
    const double next = std::min(n + 1, std::max(end + 1, std::floor(end * 1.1)));
    share += statistics::power_sum(end, next, exponent) / total;
    end = next;
    if (share * static_cast<double>(draws) >= 50) {
      edges.push_back(end);
      expected.push_back(share * static_cast<double>(draws));
      share = 0;
    }
  }
  edges.back() = n + 1;  // what is left is too rare for a group of its own
  expected.back() += share * static_cast<double>(draws);
  const Zipf law(count, exponent);
  std::vector<double> seen(expected.size(), 0.0);
  for (std::uint64_t i = 0; i < draws; ++i) {
    const std::uint64_t rank = law.sample(kStream.draw(i, slot));
    REQUIRE(rank < count);
    const auto group = std::upper_bound(edges.begin(), edges.end(), static_cast<double>(rank + 1));
    seen[static_cast<std::size_t>(group - edges.begin()) - 1] += 1;
  }
  return statistics::chi_square_ratio(seen, expected);
}

}  // namespace

TEST_CASE("Zipf ranks follow their law with a table", "[core]") {
  CHECK(fit(10, 0.0, 300'000, 0) < 1);
  CHECK(fit(10'000, 0.99, 500'000, 1) < 1);
  CHECK(fit(10'000, 1.2, 500'000, 2) < 1);
  CHECK(fit(Zipf::kAliasLimit, 0.6, 500'000, 3) < 1);
}

TEST_CASE("Zipf ranks follow their law by rejection, up to a hundred million keys and beyond",
          "[core]") {
  CHECK(fit(Zipf::kAliasLimit + 1, 0.0, 300'000, 4) < 1);
  CHECK(fit(Zipf::kAliasLimit + 1, 0.6, 300'000, 5) < 1);
  CHECK(fit(100'000'000, 0.99, 500'000, 6) < 1);
  CHECK(fit(100'000'000, 1.0, 300'000, 7) < 1);
  CHECK(fit(100'000'000, 1.2, 300'000, 8) < 1);
  CHECK(fit(1'000'000'000, 2.5, 300'000, 9) < 1);
}

TEST_CASE("Table and rejection agree where one hands over to the other", "[core]") {
  const Zipf table(Zipf::kAliasLimit, 0.99);
  const Zipf rejection(Zipf::kAliasLimit + 1, 0.99);
  constexpr std::uint64_t kDraws = 400'000;
  double difference = 0;
  for (std::uint64_t i = 0; i < kDraws; ++i) {
    const double a = table.sample(kStream.draw(i, 10)) < 100 ? 1 : 0;
    const double b = rejection.sample(kStream.draw(i, 11)) < 100 ? 1 : 0;
    difference += a - b;
  }
  const double share = statistics::power_sum(1, 101, 0.99) /
                       statistics::power_sum(1, static_cast<double>(Zipf::kAliasLimit), 0.99);
  const double spread = std::sqrt(2 * share * (1 - share) * static_cast<double>(kDraws));
  CHECK(std::fabs(difference) < statistics::kNormalTwoSided * spread);
}

TEST_CASE("Extreme Zipf laws stay in range and do not hang", "[core]") {
  for (const double exponent : {0.0, 1.0, 10.0}) {
    for (const std::uint64_t count : {std::uint64_t{1}, std::uint64_t{2}, Zipf::kAliasLimit + 1,
                                      std::uint64_t{1'000'000'000}}) {
      const Zipf law(count, exponent);
      for (const std::uint64_t draw : {std::uint64_t{0}, std::uint64_t{1} << 11, UINT64_MAX}) {
        CHECK(law.sample(draw) < count);
      }
    }
  }
  CHECK(Zipf().sample(12345) == 0);
  // With exponent ten the first of the ranks has all but a thousandth: 1 / zeta(10).
  CHECK(Zipf::share(0, 1'000'000'000, 10) == Approx(1 / 1.000994575127818).epsilon(1e-12));
}

TEST_CASE("The Zipf normaliser equals the constant published with YCSB", "[core]") {
  // zeta(10^10, 0.99) of YCSB's scrambled Zipfian generator. The law itself ends at 10^9 values,
  // but the sum behind share() must not.
  const double zeta = statistics::power_sum(1, 1e10 + 1, 0.99);
  CHECK(std::fabs(zeta - 26.46902820178302) < 1e-9);
  CHECK(std::fabs(1 / Zipf::share(0, 10'000'000'000ULL, 0.99) - 26.46902820178302) < 1e-9);
}

TEST_CASE("The share of the top key is as derived, and shares add up to one", "[core]") {
  CHECK(std::fabs(Zipf::share(0, 1'000, 0.99) - 0.12938) < 5e-6);
  CHECK(std::fabs(Zipf::share(0, 1'000'000, 0.99) - 0.06497) < 5e-6);
  double sum = 0;
  for (std::uint64_t rank = 0; rank < 5'000; ++rank) {
    sum += Zipf::share(rank, 5'000, 1.1);
  }
  CHECK(sum == Approx(1).epsilon(1e-12));
  CHECK(Zipf::share(6, 8, 0.0) == 0.125);
}

TEST_CASE("The hottest of several shards carries what Brooker's false-sharing script gives",
          "[core]") {
  // 10,000 keys, exponent 1.2, shuffled and dealt into equal shards. Published digits are three, so
  // half a unit of the third is added to the 99 % interval of the simulation's own replications.
  struct Published {
    std::size_t shards;
    double mean;
    double percentile99;
  };
  constexpr std::size_t kKeys = 10'000;
  constexpr std::size_t kReplications = 2'000;
  std::vector<double> weights(kKeys);
  const double top = Zipf::share(0, kKeys, 1.2);
  for (std::size_t rank = 0; rank < kKeys; ++rank) {
    weights[rank] = top * std::pow(static_cast<double>(rank + 1), -1.2);
  }
  REQUIRE(std::accumulate(weights.begin(), weights.end(), 0.0) == Approx(1).epsilon(1e-9));
  std::vector<std::vector<double>> hottest(3);
  const std::vector<Published> published = {
      {2, 0.607, 0.741}, {5, 0.367, 0.506}, {10, 0.288, 0.410}};
  for (std::size_t r = 0; r < kReplications; ++r) {
    for (std::size_t last = kKeys - 1; last > 0; --last) {
      const std::uint64_t draw = kStream.draw(r * kKeys + last, 12);
      std::swap(weights[last], weights[bounded(draw, last + 1)]);
    }
    for (std::size_t i = 0; i < published.size(); ++i) {
      const std::size_t size = kKeys / published[i].shards;
      double most = 0;
      for (std::size_t from = 0; from < kKeys; from += size) {
        const auto begin = weights.begin() + static_cast<std::ptrdiff_t>(from);
        most =
            std::max(most, std::accumulate(begin, begin + static_cast<std::ptrdiff_t>(size), 0.0));
      }
      hottest[i].push_back(most);
    }
  }
  for (std::size_t i = 0; i < published.size(); ++i) {
    INFO(published[i].shards << " shards");
    std::vector<double>& samples = hottest[i];
    const statistics::Moments moments = statistics::moments(samples);
    CHECK(std::fabs(moments.mean - published[i].mean) < 2.576 * moments.standard_error + 0.0005);
    // Order statistics that enclose the true 99th percentile with 99 %: 1980 -+ 2.576 sqrt(19.8).
    std::sort(samples.begin(), samples.end());
    CHECK(samples[1968] - 0.0005 < published[i].percentile99);
    CHECK(samples[1991] + 0.0005 > published[i].percentile99);
  }
  const auto doubled = static_cast<double>(
      std::count_if(hottest[1].begin(), hottest[1].end(), [](double x) { return x >= 0.4; }));
  const double spread = 2.576 * std::sqrt(0.246 * 0.754 / kReplications);
  CHECK(std::fabs(doubled / kReplications - 0.246) < spread + 0.0005);
}

TEST_CASE("Zipf ranks are the same with every compiler", "[core]") {
  const std::uint64_t draw = kStream.draw(1);
  CHECK(draw == 0x74d96503c8db407b);
  CHECK(Zipf(10'000, 0.99).sample(draw) == 3);
  CHECK(Zipf(10'000, 0.99).sample(~draw) == 7);
  CHECK(Zipf(100'000'000, 0.99).sample(draw) == 26538);
  CHECK(Zipf(100'000'000, 1.2).sample(draw) == 24);
}

}  // namespace partsim
