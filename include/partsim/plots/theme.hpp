/// One look for every backend: colours that most kinds of colour blindness can tell apart (after
/// Okabe and Ito, and Tol), each with one meaning.
#pragma once

#include <cstdint>
#include <string>

#include "partsim/plots/chart.hpp"

namespace partsim {

/// 0xRRGGBB.
using Color = std::uint32_t;

inline constexpr Color kInk = 0x111827;
inline constexpr Color kSoftInk = 0x6B7280;  // axes and explanations step back behind the data
inline constexpr Color kPaper = 0xFFFFFF;
inline constexpr Color kGridColor = 0xE5E7EB;
inline constexpr Color kPhaseColor = 0xF3F4F6;
inline constexpr std::uint32_t kSeriesColors = 12;

/// Series repeat their colours after kSeriesColors; `dash_of` tells the repetitions apart.
[[nodiscard]] Color color_of(Meaning meaning, std::uint32_t number) noexcept;
/// 0 for a solid line, then 1 and 2 for two kinds of broken ones.
[[nodiscard]] std::uint32_t dash_of(Meaning meaning, std::uint32_t number) noexcept;
/// Of a cell of a heat map: from pale to dark blue, the colour of throttling at the limit.
[[nodiscard]] Color heat_color(double fraction, bool refused) noexcept;
/// Mixed with paper, so that text can stand on it.
[[nodiscard]] Color pale(Color color) noexcept;
/// "#0072B2".
[[nodiscard]] std::string hex_text(Color color);

}  // namespace partsim
