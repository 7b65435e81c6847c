/// Counter-based random numbers: every draw is a pure function of (stream, index, slot).
///
/// A stream belongs to one owner and one purpose, so adding a client, a field or a draw shifts
/// nobody else's numbers, and variants of a scenario meet the same arrivals and the same items.
#pragma once

#include <cstdint>
#include <string_view>

namespace partsim {

inline constexpr std::uint64_t kGoldenGamma = 0x9E3779B97F4A7C15ULL;

/// The output function of SplitMix64 (Steele, Lea, Flood 2014): a bijection of 64 bits.
[[nodiscard]] constexpr std::uint64_t mix64(std::uint64_t z) noexcept {
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;
  return z ^ (z >> 31);
}

/// Fixed 64-bit hash of a name (FNV-1a, then mixed); the same on every machine and library.
[[nodiscard]] constexpr std::uint64_t name_hash(std::string_view name) noexcept {
  std::uint64_t h = 0xCBF29CE484222325ULL;
  for (const char c : name) {
    h = (h ^ static_cast<unsigned char>(c)) * 0x100000001B3ULL;
  }
  return mix64(h);
}

class RngStream {
 public:
  /// Draws of one index: slots 0 to 15.
  static constexpr std::uint64_t kSlots = 16;

  constexpr RngStream() = default;
  constexpr RngStream(std::uint64_t seed, std::string_view owner, std::string_view purpose) noexcept
      : base_(mix64(mix64(seed + kGoldenGamma) ^ name_hash(owner)) ^ name_hash(purpose)) {}

  [[nodiscard]] constexpr std::uint64_t draw(std::uint64_t index,
                                             std::uint64_t slot = 0) const noexcept {
    return mix64(base_ + (index * kSlots + slot) * kGoldenGamma);
  }

 private:
  std::uint64_t base_ = 0;
};

/// A further draw for algorithms that reject: derived from the rejected one, never from a state.
[[nodiscard]] constexpr std::uint64_t redraw(std::uint64_t rejected) noexcept {
  return mix64(rejected + kGoldenGamma);
}

/// Uniform in [0, 1), a multiple of 2^-53.
[[nodiscard]] constexpr double unit_interval(std::uint64_t draw) noexcept {
  return static_cast<double>(draw >> 11) * 0x1p-53;
}

/// Uniform in [0, bound), exactly: multiply and reject (Lemire 2019). `bound` must be at least 1.
[[nodiscard]] constexpr std::uint64_t bounded(std::uint64_t draw, std::uint64_t bound) noexcept {
  __extension__ using Wide = unsigned __int128;
  Wide product = static_cast<Wide>(draw) * bound;
  if (static_cast<std::uint64_t>(product) < bound) [[unlikely]] {
    const std::uint64_t threshold = (0 - bound) % bound;
    while (static_cast<std::uint64_t>(product) < threshold) {
      draw = redraw(draw);
      product = static_cast<Wide>(draw) * bound;
    }
  }
  return static_cast<std::uint64_t>(product >> 64);
}

}  // namespace partsim
