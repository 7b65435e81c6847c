#include <cstdint>
#include <vector>

#include "partsim/core/distribution.hpp"
#include "partsim/core/rng.hpp"

#include "support/catch.hpp"
#include "unit/core/statistics.hpp"

namespace partsim {
namespace {

constexpr RngStream kStream(7, "alias-test", "draws");

/// The draw whose cell is `cell` of `cells` and whose coin is `coin` / 2^32.
std::uint64_t draw_for(std::uint64_t cell, std::uint64_t cells, std::uint64_t coin) {
  __extension__ using Wide = unsigned __int128;
  const Wide target = (Wide{cell} << 64) + (Wide{coin} << 32);
  return static_cast<std::uint64_t>((target + cells - 1) / cells);
}

/// The probability of each index, read off the table by asking for every cell and its cut.
std::vector<double> probabilities(const AliasTable& table) {
  const std::uint64_t n = table.size();
  std::vector<double> share(n, 0.0);
  for (std::uint64_t cell = 0; cell < n; ++cell) {
    const std::uint32_t last = table.sample(draw_for(cell, n, 0xFFFF'FFFFULL));
    std::uint64_t low = 0;  // smallest coin that already gives the alias
    std::uint64_t high = 0xFFFF'FFFFULL;
    while (low < high) {
      const std::uint64_t middle = (low + high) / 2;
      if (table.sample(draw_for(cell, n, middle)) == last) {
        high = middle;
      } else {
        low = middle + 1;
      }
    }
    const double own = static_cast<double>(low) / 4294967296.0 / static_cast<double>(n);
    share[cell] += last == cell ? 1.0 / static_cast<double>(n) : own;
    if (last != cell) {
      share[last] += 1.0 / static_cast<double>(n) - own;
    }
  }
  return share;
}

}  // namespace

TEST_CASE("An alias table gives each index its share of the weights to 2^-32", "[core]") {
  const std::vector<std::vector<std::uint64_t>> cases = {
      {1},
      {1, 1},
      {1, 2, 3, 4},
      {0, 5, 0, 7, 0},
      {1'000'000, 1, 1, 1},
      {(std::uint64_t{1} << 62) - 4, 1, 2},
  };
  for (const std::vector<std::uint64_t>& weights : cases) {
    const AliasTable table(weights);
    REQUIRE(table.size() == weights.size());
    double sum = 0;
    for (const std::uint64_t weight : weights) {
      sum += static_cast<double>(weight);
    }
    const std::vector<double> share = probabilities(table);
    for (std::size_t i = 0; i < weights.size(); ++i) {
      CHECK(std::fabs(share[i] - static_cast<double>(weights[i]) / sum) < 1.01 / 4294967296.0);
    }
  }
}

TEST_CASE("An index without weight is never drawn, at either end of the draws", "[core]") {
  const AliasTable table(std::vector<std::uint64_t>{0, 3, 0, 2, 0, 0});
  CHECK((table.sample(0) == 1 || table.sample(0) == 3));
  CHECK((table.sample(UINT64_MAX) == 1 || table.sample(UINT64_MAX) == 3));
  for (std::uint64_t i = 0; i < 100'000; ++i) {
    const std::uint32_t index = table.sample(kStream.draw(i));
    REQUIRE((index == 1 || index == 3));
  }
}

TEST_CASE("Draws through an alias table follow the weights", "[core]") {
  std::vector<std::uint64_t> weights(1000);
  double sum = 0;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    weights[i] = 1 + bounded(kStream.draw(i, 1), 1000);
    sum += static_cast<double>(weights[i]);
  }
  const AliasTable table(weights);
  constexpr std::uint64_t kDraws = 2'000'000;
  std::vector<double> seen(weights.size(), 0.0);
  for (std::uint64_t i = 0; i < kDraws; ++i) {
    seen[table.sample(kStream.draw(i, 2))] += 1;
  }
  std::vector<double> expected(weights.size());
  for (std::size_t i = 0; i < weights.size(); ++i) {
    expected[i] = static_cast<double>(weights[i]) / sum * static_cast<double>(kDraws);
  }
  CHECK(statistics::chi_square_ratio(seen, expected) < 1);
}

TEST_CASE("The largest alias table of equal weights does not favour any cell", "[core]") {
  // 2^24 - 1 cells: picking a cell with 32 bits would give some of them 0.4 % more than others.
  const std::uint64_t n = (1U << 24) - 1;
  const AliasTable table(std::vector<std::uint64_t>(n, 5));
  for (const std::uint64_t cell : {std::uint64_t{0}, n / 3, n - 1}) {
    CHECK(table.sample(draw_for(cell, n, 0)) == cell);
    CHECK(table.sample(draw_for(cell, n, 0xFFFF'FFFFULL)) == cell);
  }
}

}  // namespace partsim
