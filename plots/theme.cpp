#include "partsim/plots/theme.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

namespace partsim {
namespace {

constexpr Color kOk = 0x009E73;
constexpr Color kThrottled = 0xE69F00;
constexpr Color kRetried = 0xCC79A7;
constexpr Color kFailed = 0xD55E00;

// none of these is a colour with a meaning
constexpr std::array<Color, kSeriesColors> kSeries{0x0072B2, 0x882255, 0x56B4E9, 0x999933,
                                                   0x332288, 0x777777, 0x44AA99, 0x222222,
                                                   0x8C510A, 0xAA4499, 0x6C8EBF, 0x661100};

struct Stop {
  double at;
  Color color;
};
constexpr std::array<Stop, 5> kHeat{
    {{0, 0xF1F3F5}, {0.3, 0xC9DDF0}, {0.6, 0x6BAED6}, {0.9, 0x2171B5}, {1, 0x08306B}}};

Color between(const Stop& low, const Stop& high, double at) {
  const double part = (at - low.at) / (high.at - low.at);
  Color mixed = 0;
  for (const unsigned shift : {16U, 8U, 0U}) {
    const double from = (low.color >> shift) & 0xFFU;
    const double to = (high.color >> shift) & 0xFFU;
    mixed |= static_cast<Color>(std::lround(from + (to - from) * part)) << shift;
  }
  return mixed;
}

}  // namespace

Color color_of(Meaning meaning, std::uint32_t number) noexcept {
  switch (meaning) {
    case Meaning::ok:
      return kOk;
    case Meaning::throttled:
      return kThrottled;
    case Meaning::retried:
      return kRetried;
    case Meaning::failed:
      return kFailed;
    case Meaning::limit:
      return kInk;
    case Meaning::series:
      break;
  }
  return kSeries[number % kSeriesColors];
}

std::uint32_t dash_of(Meaning meaning, std::uint32_t number) noexcept {
  return meaning == Meaning::series ? number / kSeriesColors % 3 : 0;
}

Color heat_color(double fraction, bool refused) noexcept {
  if (refused || fraction >= 1) {
    return kThrottled;
  }
  const double at = std::clamp(fraction, 0.0, 1.0);
  for (std::size_t i = 1; i < kHeat.size(); ++i) {
    if (at <= kHeat[i].at) {
      return between(kHeat[i - 1], kHeat[i], at);
    }
  }
  return kHeat.back().color;
}

Color pale(Color color) noexcept {
  return between({0, kPaper}, {1, color}, 0.55);
}

std::string hex_text(Color color) {
  return fmt::format("#{:06X}", color);
}

}  // namespace partsim
