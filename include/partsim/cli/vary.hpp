/// `--vary PATH=VALUES`: what a sweep varies.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "partsim/study/sweep.hpp"

namespace partsim {

/// More values of one axis are refused before they are written out.
inline constexpr std::size_t kMaxAxisValues = 100'000;

/// `A,B,C`, a YAML list `["{a}, {b}", c]`, or a range `LO..HI/STEP` or `LO..HI/xFACTOR` whose unit
/// stands on any of its numbers. Throws UsageError.
[[nodiscard]] SweepAxis parse_vary(const std::string& text);
/// All of them; a path may be varied once and not be set besides. Throws UsageError.
[[nodiscard]] std::vector<SweepAxis> parse_axes(const std::vector<std::string>& texts,
                                                const std::vector<std::string>& set_paths);

/// `1%` or `0.01`, above 0 and below 1. Throws UsageError.
[[nodiscard]] double parse_precision(const std::string& text);
/// `2/8`. Throws UsageError.
[[nodiscard]] Shard parse_shard(const std::string& text);

/// A decimal of at most six places, times a million, and what stands behind it.
struct Quantity {
  std::int64_t micro = 0;
  std::string unit;  // as written, with the space before it
};
/// The texts of a range without a step, `1000..60000 RU/s`; false if it is none.
[[nodiscard]] bool parse_range(const std::string& text, Quantity& low, Quantity& high);
/// The number without trailing zeros, and the unit.
[[nodiscard]] std::string quantity_text(const Quantity& quantity);

}  // namespace partsim
