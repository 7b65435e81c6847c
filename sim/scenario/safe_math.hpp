/// Arithmetic for scenarios that nobody has checked yet: it ends at bounds that no sound scenario
/// comes near, where plain integers would overflow.
#pragma once

#include <algorithm>
#include <cstdint>

namespace partsim {

__extension__ using Wide = __int128;

/// Counts and amounts above these are refused anyway.
inline constexpr std::int64_t kTooMany = INT64_C(1) << 40;
inline constexpr std::int64_t kTooMuch = INT64_C(1) << 60;

/// Broken scenarios are estimated too; they must only not divide by zero.
[[nodiscard]] constexpr std::int64_t positive(std::int64_t divisor) noexcept {
  return std::max<std::int64_t>(1, divisor);
}

/// Ceiling of a / b for positive numbers.
[[nodiscard]] constexpr std::int64_t divided_up(std::int64_t a, std::int64_t b) noexcept {
  return a / b + (a % b > 0 ? 1 : 0);
}

[[nodiscard]] constexpr std::int64_t not_too_much(Wide amount) noexcept {
  return static_cast<std::int64_t>(std::clamp<Wide>(amount, -Wide{kTooMuch}, kTooMuch));
}

[[nodiscard]] constexpr std::int64_t times(std::int64_t a, std::int64_t b) noexcept {
  return not_too_much(Wide{a} * b);
}

}  // namespace partsim
