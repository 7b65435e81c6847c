/// The parts of distribution.hpp that must inline into the hot loop.
#pragma once

#include <bit>
#include <cstdint>

#include "partsim/core/distribution.hpp"

namespace partsim {

inline double exponential(std::uint64_t draw) noexcept {
  // x in (0, 1], then -log(x) with the mantissa centred at sqrt(1/2): |s| < 0.1716, so that six
  // terms of the odd series of log((1+s)/(1-s)) leave an error of 2e-11.
  const double x = 2.0 - std::bit_cast<double>((draw >> 12) | 0x3FF0000000000000ULL);
  const std::uint64_t shifted =
      std::bit_cast<std::uint64_t>(x) + (0x3FF0000000000000ULL - 0x3FE6A09E667F3BCDULL);
  const double exponent = std::bit_cast<double>((shifted >> 52) | 0x4330000000000000ULL) -
                          (4503599627370496.0 + 1023.0);
  const auto mantissa =
      std::bit_cast<double>((shifted & 0x000FFFFFFFFFFFFFULL) + 0x3FE6A09E667F3BCDULL);
  const double s = (mantissa - 1.0) / (mantissa + 1.0);
  const double z = s * s;
  double p = 1.0 / 11;
  p = p * z + 1.0 / 9;
  p = p * z + 1.0 / 7;
  p = p * z + 1.0 / 5;
  p = p * z + 1.0 / 3;
  p = p * z + 1.0;
  // A difference, not a sign change: the shortest gap is 0, never -0.
  return 0.0 - (exponent * 0.693147180559945309417 + 2.0 * s * p);
}

inline double LogNormal::sample(std::uint64_t draw) const noexcept {
  // As a signed number the draw is its distance to the nearer end, and the sign says which end;
  // the conversion to double finds the octave for free.
  constexpr unsigned kShift = 52 - kCellBits;
  constexpr std::uint64_t kFirstCell = (std::uint64_t{1023 + 63 - kOctaves}) << kCellBits;
  const auto distance = static_cast<double>(static_cast<std::int64_t>(draw));
  const auto bits = std::bit_cast<std::uint64_t>(distance);
  const std::uint64_t cell = ((bits & 0x7FFFFFFFFFFFFFFFULL) >> kShift) - kFirstCell;
  if (cell > kCells) [[unlikely]] {
    return sample_tail(draw);
  }
  const double fraction =
      std::bit_cast<double>(((bits << kCellBits) & 0x000FFFFFFFFFFFFFULL) | 0x3FF0000000000000ULL) -
      1.0;
  const std::size_t edge = cell + (bits >> 63) * kSide;
  const double low = quantile_[edge];
  return low + (quantile_[edge + 1] - low) * fraction;
}

inline std::uint32_t AliasTable::sample(std::uint64_t draw) const noexcept {
  // The whole part of draw / 2^64 * size is the cell, the fraction is the coin. Thirty-two bits for
  // the cell would favour some cells by size / 2^32, which is 0.4 % in the largest table.
  __extension__ using Wide = unsigned __int128;
  const Wide product = Wide{draw} * cells_.size();
  const auto own = static_cast<std::uint32_t>(product >> 64);
  const auto coin = static_cast<std::uint32_t>(static_cast<std::uint64_t>(product) >> 32);
  const Cell cell = cells_[own];
  return coin < cell.cut ? own : cell.alias;
}

inline std::uint64_t Zipf::sample(std::uint64_t draw) const noexcept {
  return table_.size() != 0 ? table_.sample(draw) : sample_by_rejection(draw);
}

}  // namespace partsim
