#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "partsim/core/rng.hpp"

#include "support/catch.hpp"
#include "unit/core/statistics.hpp"

namespace partsim {
namespace {

constexpr RngStream kStream(3, "balls-test", "bins");

struct Throw {
  std::size_t balls;
  std::size_t bins;
  double expected;  // of the fullest bin, three decimals
};

std::vector<double> fullest_bins(const Throw& game, std::size_t replications, std::uint64_t slot) {
  std::vector<double> fullest;
  std::uint64_t index = 0;
  for (std::size_t r = 0; r < replications; ++r) {
    std::vector<int> load(game.bins, 0);
    int most = 0;
    for (std::size_t ball = 0; ball < game.balls; ++ball) {
      most = std::max(most, ++load[bounded(kStream.draw(index++, slot), game.bins)]);
    }
    fullest.push_back(most);
  }
  return fullest;
}

/// P(no bin has more than `limit` balls): bins as independent Poisson numbers, given their sum.
double none_above(const Throw& game, std::size_t limit) {
  const double mean = static_cast<double>(game.balls) / static_cast<double>(game.bins);
  const auto poisson = [](double rate, std::size_t k) {
    const auto x = static_cast<double>(k);
    return std::exp(x * std::log(rate) - rate - std::lgamma(x + 1));
  };
  std::vector<double> sum(game.balls + 1, 0.0);
  sum[0] = 1;
  for (std::size_t bin = 0; bin < game.bins; ++bin) {
    std::vector<double> next(game.balls + 1, 0.0);
    for (std::size_t k = 0; k <= std::min(limit, game.balls); ++k) {
      const double p = poisson(mean, k);
      for (std::size_t before = 0; before + k <= game.balls; ++before) {
        next[before + k] += sum[before] * p;
      }
    }
    sum = next;
  }
  return sum[game.balls] / poisson(static_cast<double>(game.balls), game.balls);
}

}  // namespace

TEST_CASE("Balls thrown by bounded draws fill the fullest bin as theory says", "[core]") {
  std::uint64_t slot = 0;
  for (const Throw& game : {Throw{400, 5, 90.530}, Throw{400, 10, 50.003}, Throw{400, 20, 28.781},
                            Throw{1000, 10, 115.664}, Throw{100, 100, 4.233}}) {
    INFO(game.balls << " balls in " << game.bins << " bins");
    // The expected value is the sum of P(fullest > m); beyond three means it no longer counts.
    double exact = 0;
    for (std::size_t m = 0; m < 3 * game.balls / game.bins + 12; ++m) {
      exact += m * game.bins < game.balls ? 1 : 1 - none_above(game, m);
    }
    CHECK(std::fabs(exact - game.expected) < 0.0006);
    // 99 % interval of the replications' mean.
    const statistics::Moments moments = statistics::moments(fullest_bins(game, 5'000, slot++));
    CHECK(std::fabs(moments.mean - game.expected) < 2.576 * moments.standard_error);
  }
}

TEST_CASE("The 95th and 99th percentiles of 400 balls in 10 bins are 56 and 60", "[core]") {
  const Throw game{400, 10, 50.003};
  CHECK(none_above(game, 55) < 0.95);
  CHECK(none_above(game, 56) >= 0.95);
  CHECK(none_above(game, 59) < 0.99);
  CHECK(none_above(game, 60) >= 0.99);
  constexpr double kReplications = 20'000;
  const std::vector<double> fullest = fullest_bins(game, 20'000, 8);
  for (const std::size_t limit : {45U, 50U, 55U, 56U, 59U, 60U}) {
    const double p = none_above(game, limit);
    const auto within = static_cast<double>(std::count_if(
        fullest.begin(), fullest.end(), [&](double x) { return x <= static_cast<double>(limit); }));
    const double spread = std::sqrt(p * (1 - p) / kReplications);
    CHECK(std::fabs(within / kReplications - p) < statistics::kNormalTwoSided * spread);
  }
}

TEST_CASE("A thousand items need 13 servers for a 99th percentile below 100", "[core]") {
  // E. Jones, 2023: the load of one server, p99 = 97 with 13 servers and 104 with 12.
  for (const auto& [servers, percentile] : {std::pair{13U, 97}, std::pair{12U, 104}}) {
    std::vector<int> loads;
    std::uint64_t index = 0;
    for (int r = 0; r < 4'000; ++r) {
      std::vector<int> load(servers, 0);
      for (int item = 0; item < 1'000; ++item) {
        ++load[bounded(kStream.draw(index++, servers), servers)];
      }
      loads.insert(loads.end(), load.begin(), load.end());
    }
    const auto rank = static_cast<std::ptrdiff_t>(loads.size() * 99 / 100);
    std::nth_element(loads.begin(), loads.begin() + rank, loads.end());
    CHECK(loads[static_cast<std::size_t>(rank)] == percentile);
  }
}

}  // namespace partsim
