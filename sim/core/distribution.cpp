#include "partsim/core/distribution.hpp"

#include <algorithm>
#include <bit>
#include <numeric>

#include "partsim/core/assert.hpp"
#include "partsim/core/math.hpp"
#include "partsim/core/rng.hpp"

namespace partsim {
namespace {

__extension__ using Wide = unsigned __int128;

constexpr double kNormal99 = 2.3263478740408408;  // quantile of the standard normal at 0.99

/// The nearest integer of a number from 0 to 2^52; a half goes up. Not the C library's rounding.
std::uint64_t nearest(double x) noexcept {
  const auto whole = static_cast<std::uint64_t>(x);
  return x - static_cast<double>(whole) >= 0.5 ? whole + 1 : whole;
}

/// Sum of k^-s for k = 1 .. n: the first terms one by one, the rest by Euler and Maclaurin.
double power_sum(std::uint64_t n, double s) {
  constexpr std::uint64_t kDirect = 256;
  const std::uint64_t direct = std::min(n, kDirect);
  double sum = 0;
  for (std::uint64_t k = direct; k >= 1; --k) {  // small terms first
    sum += det_pow(static_cast<double>(k), -s);
  }
  if (n == direct) {
    return sum;
  }
  const auto a = static_cast<double>(direct);
  const auto b = static_cast<double>(n);
  const double fa = det_pow(a, -s);
  const double fb = det_pow(b, -s);
  const double length = det_log(b / a);
  const double integral = a * fa * length * det_expm1_over_x((1.0 - s) * length);
  const double first = s * (fa / a - fb / b) / 12.0;
  const double third = s * (s + 1.0) * (s + 2.0) * (fa / (a * a * a) - fb / (b * b * b)) / 720.0;
  return sum + (integral + (fb - fa) / 2.0 + first - third);
}

}  // namespace

LogNormal::LogNormal(double median, double p99) : median_(median) {
  PARTSIM_ASSERT(median > 0 && p99 >= median && p99 <= median * 1e30,
                 "a log-normal has 0 < median <= p99 <= 10^30 median");
  sigma_ = p99 == median ? 0.0 : det_log(p99 / median) / kNormal99;
  quantile_.resize(2 * kSide);
  for (std::size_t cell = 0; cell <= kCells; ++cell) {
    const auto octave = static_cast<int>(cell >> kCellBits);
    const auto step = static_cast<double>(cell & ((std::size_t{1} << kCellBits) - 1));
    const auto scale = std::bit_cast<double>(
        static_cast<std::uint64_t>(1023 - 1 - static_cast<int>(kOctaves) + octave) << 52);
    const double p = scale * (1.0 + step * (1.0 / (1U << kCellBits)));
    const double z = sigma_ * normal_quantile(p);
    quantile_[cell] = median * det_exp(z);
    quantile_[kSide + cell] = median * det_exp(-z);
  }
  quantile_[kCells + 1] = quantile_[kCells];
  quantile_[kSide + kCells + 1] = quantile_[kSide + kCells];
}

double LogNormal::sample_tail(std::uint64_t draw) const noexcept {
  const bool upper = (draw >> 63) != 0;
  const std::uint64_t distance = upper ? ~draw : draw;
  const double z = sigma_ * normal_quantile((static_cast<double>(distance) + 0.5) * 0x1p-64);
  return median_ * det_exp(upper ? -z : z);
}

double LogNormal::mean() const noexcept {
  return median_ * det_exp(sigma_ * sigma_ * 0.5);
}

AliasTable::AliasTable(std::span<const std::uint64_t> weights) {
  const std::size_t n = weights.size();
  PARTSIM_ASSERT(n >= 1 && n <= (1U << 24), "1 to 2^24 weights");
  const Wide sum = std::accumulate(weights.begin(), weights.end(), Wide{0});
  PARTSIM_ASSERT(sum > 0 && sum < (Wide{1} << 62), "the sum of weights must be in 1 .. 2^62-1");
  const auto full = static_cast<std::uint64_t>(sum);

  // A cell holds `full`; n times the weights fill n cells exactly, so nothing is ever rounded
  // before the cut. Small ones sit at the front of `order`, large ones at the back.
  std::vector<Wide> level(n);
  std::vector<std::uint32_t> order(n);
  std::size_t small = 0;
  std::size_t large = n;
  for (std::size_t i = 0; i < n; ++i) {
    level[i] = Wide{weights[i]} * n;
    const auto index = static_cast<std::uint32_t>(i);
    if (level[i] < full) {
      order[small++] = index;
    } else {
      order[--large] = index;
    }
  }
  cells_.resize(n);
  for (std::size_t i = 0; i < n; ++i) {
    cells_[i] = {.cut = UINT32_MAX, .alias = static_cast<std::uint32_t>(i)};
  }
  // `small` counts the small ones waiting; `large` is where the current giver stands. The sum of
  // levels is n cells at all times, so a giver exists as long as a small one does.
  while (small > 0) {
    const std::uint32_t taker = order[--small];
    const std::uint32_t giver = order[large];
    cells_[taker].cut = static_cast<std::uint32_t>((level[taker] << 32) / full);
    cells_[taker].alias = giver;
    level[giver] -= full - level[taker];
    if (level[giver] < full) {
      order[small++] = giver;
      ++large;
    }
  }
}

Zipf::Zipf(std::uint64_t count, double exponent) : count_(count), exponent_(exponent) {
  PARTSIM_ASSERT(count >= 1 && count <= 1'000'000'000, "1 to 10^9 values");
  PARTSIM_ASSERT(exponent >= 0 && exponent <= 10, "exponent 0 to 10");
  if (count <= kAliasLimit) {
    std::vector<std::uint64_t> weights(count);
    for (std::uint64_t rank = 0; rank < count; ++rank) {
      const double share = det_pow(static_cast<double>(rank + 1), -exponent);
      weights[rank] = nearest(share * 0x1p40);
    }
    table_ = AliasTable(weights);
    return;
  }
  // The first value's bar is moved to the left end of its unit, so that it is never rejected.
  h_x1_ = integral(1.5) - 1.0;
  h_n_ = integral(static_cast<double>(count) + 0.5);
  shortcut_ = 2.0 - inverse_integral(integral(2.5) - density(2.0));
}

double Zipf::density(double x) const noexcept {
  return det_exp(-exponent_ * det_log(x));
}

double Zipf::integral(double x) const noexcept {
  const double logarithm = det_log(x);
  return logarithm * det_expm1_over_x((1.0 - exponent_) * logarithm);
}

double Zipf::inverse_integral(double area) const noexcept {
  // With an exponent above one the whole tail has a finite area; rounding must not step past it.
  const double t = std::max(area * (1.0 - exponent_), -1.0 + 0x1p-53);
  return det_exp(area * det_log1p_over_x(t));
}

std::uint64_t Zipf::sample_by_rejection(std::uint64_t draw) const noexcept {
  while (true) {
    const double area = h_n_ + unit_interval(draw) * (h_x1_ - h_n_);
    const double x = inverse_integral(area);
    const std::uint64_t value = std::clamp(nearest(x), std::uint64_t{1}, count_);
    const auto k = static_cast<double>(value);
    if (k - x <= shortcut_ || area >= integral(k + 0.5) - density(k)) {
      return value - 1;
    }
    draw = redraw(draw);
  }
}

double Zipf::share(std::uint64_t rank, std::uint64_t count, double exponent) {
  PARTSIM_ASSERT(rank < count, "a rank below the number of values");
  return det_pow(static_cast<double>(rank + 1), -exponent) / power_sum(count, exponent);
}

}  // namespace partsim
