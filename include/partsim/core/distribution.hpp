/// Distributions on raw 64-bit draws. Each sample is a pure function of its draw.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace partsim {

/// Exponential with mean one, by own logarithm of a number in (0, 1]. Never negative or infinite.
/// Inline and branch-free, so that a loop over a block of draws vectorises.
[[nodiscard]] inline double exponential(std::uint64_t draw) noexcept;

/// Log-normal by its median and 99th percentile; rises with the draw. A table of quantiles (4,096
/// cells, narrower towards both tails, linear inside) and the exact formula beyond a probability of
/// 2^-17 at either end. Relative error below 1e-4 while p99 is at most 1,000 times the median.
class LogNormal {
 public:
  LogNormal() = default;
  /// Both above zero, median <= p99 <= 10^30 median; p99 == median gives a constant.
  LogNormal(double median, double p99);
  [[nodiscard]] double sample(std::uint64_t draw) const noexcept;
  [[nodiscard]] double mean() const noexcept;

 private:
  // A cell is the exponent and the leading bits of the distance to the nearer end, as a double
  // stores them: 16 octaves of 128 cells on either side of the median.
  static constexpr unsigned kCellBits = 7;
  static constexpr unsigned kOctaves = 16;
  static constexpr std::size_t kCells = std::size_t{kOctaves} << kCellBits;
  static constexpr std::size_t kSide = kCells + 2;  // the last edge is the median, then a guard

  [[nodiscard]] double sample_tail(std::uint64_t draw) const noexcept;

  std::vector<double> quantile_;  // cell edges: lower side from its end inwards, then upper side
  double median_ = 0;
  double sigma_ = 0;
};

/// Index drawn by weight, one table look-up and one coin (Vose's alias method). Built with integer
/// arithmetic from integer weights, so that the table is the same everywhere.
class AliasTable {
 public:
  AliasTable() = default;
  /// At least one weight, at least one above zero, sum below 2^62, at most 2^24 weights.
  explicit AliasTable(std::span<const std::uint64_t> weights);
  /// Each index with its share of the weight, to within 2^-32; one without weight never.
  [[nodiscard]] std::uint32_t sample(std::uint64_t draw) const noexcept;
  [[nodiscard]] std::size_t size() const noexcept { return cells_.size(); }

 private:
  struct Cell {
    std::uint32_t cut;  // keep the cell's own index when the 32-bit coin is below this
    std::uint32_t alias;
  };
  std::vector<Cell> cells_;
};

/// Ranks 0 .. count-1 with probability proportional to 1 / (rank+1)^exponent. Alias table up to
/// kAliasLimit values, rejection-inversion (Hörmann and Derflinger 1996) above; 1 to 10^9 values,
/// exponent 0 to 10. In the table a rank is weighed in 2^-40 parts of the first.
class Zipf {
 public:
  static constexpr std::uint64_t kAliasLimit = 1U << 20;

  Zipf() = default;
  Zipf(std::uint64_t count, double exponent);
  [[nodiscard]] std::uint64_t sample(std::uint64_t draw) const noexcept;
  /// Probability of a rank (for tests and reports); 13 digits, in constant time.
  [[nodiscard]] static double share(std::uint64_t rank, std::uint64_t count, double exponent);

 private:
  [[nodiscard]] std::uint64_t sample_by_rejection(std::uint64_t draw) const noexcept;
  /// x^-exponent, its integral from 1, and the inverse of that.
  [[nodiscard]] double density(double x) const noexcept;
  [[nodiscard]] double integral(double x) const noexcept;
  [[nodiscard]] double inverse_integral(double area) const noexcept;

  AliasTable table_;
  std::uint64_t count_ = 1;
  double exponent_ = 0;
  // constants of rejection-inversion
  double h_x1_ = 0;
  double h_n_ = 0;
  double shortcut_ = 0;
};

}  // namespace partsim

#include "partsim/core/distribution_inline.hpp"
