/// The steps of MurmurHash3, apart from where the bytes come from, so that keys can be hashed
/// without first being copied between their tag and their terminator.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "partsim/keys/murmur3.hpp"

namespace partsim {

[[nodiscard]] inline std::uint64_t load64(const char* bytes) noexcept {
  std::uint64_t word = 0;
  std::memcpy(&word, bytes, sizeof word);
  if constexpr (std::endian::native == std::endian::big) {
    word = __builtin_bswap64(word);
  }
  return word;
}

[[nodiscard]] inline std::uint32_t load32(const char* bytes) noexcept {
  std::uint32_t word = 0;
  std::memcpy(&word, bytes, sizeof word);
  if constexpr (std::endian::native == std::endian::big) {
    word = __builtin_bswap32(word);
  }
  return word;
}

[[nodiscard]] inline std::uint64_t load8(const char* bytes) noexcept {
  return static_cast<unsigned char>(*bytes);
}

/// The last `count` (0 .. 7) bytes before `end`, of a text of at least 8 bytes: one load that also
/// reads earlier bytes beats a copy of variable length.
[[nodiscard]] inline std::uint64_t load_last(const char* end, std::size_t count) noexcept {
  return count == 0 ? 0 : load64(end - 8) >> (8 * (8 - count));
}

/// All of a text of 0 .. 7 bytes. Loads may overlap; both put the same byte in the same place.
[[nodiscard]] inline std::uint64_t load_short(const char* bytes, std::size_t size) noexcept {
  if (size >= 4) {
    const std::uint64_t high = load32(bytes + size - 4);
    return load32(bytes) | high << (8 * (size - 4));
  }
  if (size == 0) {
    return 0;
  }
  const std::size_t middle = size / 2;
  return load8(bytes) | load8(bytes + middle) << (8 * middle) |
         load8(bytes + size - 1) << (8 * (size - 1));
}

/// State of the 128-bit variant with seed 0; words are little-endian.
class Murmur128 {
 public:
  void block(std::uint64_t a, std::uint64_t b) noexcept {
    h1_ = std::rotl(h1_ ^ scramble_a(a), 27) + h2_;
    h1_ = h1_ * 5 + 0x52DCE729;
    h2_ = std::rotl(h2_ ^ scramble_b(b), 31) + h1_;
    h2_ = h2_ * 5 + 0x38495AB5;
  }

  /// `a` and `b` are the 0 .. 15 bytes left, zero where there are none.
  [[nodiscard]] Hash128 finish(std::uint64_t a, std::uint64_t b, std::uint64_t length) noexcept {
    h2_ ^= scramble_b(b) ^ length;
    h1_ ^= scramble_a(a) ^ length;
    h1_ += h2_;
    h2_ += h1_;
    h1_ = avalanche(h1_);
    h2_ = avalanche(h2_);
    h1_ += h2_;
    h2_ += h1_;
    return {h1_, h2_};
  }

 private:
  static constexpr std::uint64_t kC1 = 0x87C37B91114253D5;
  static constexpr std::uint64_t kC2 = 0x4CF5AD432745937F;

  static std::uint64_t scramble_a(std::uint64_t a) noexcept { return std::rotl(a * kC1, 31) * kC2; }
  static std::uint64_t scramble_b(std::uint64_t b) noexcept { return std::rotl(b * kC2, 33) * kC1; }
  static std::uint64_t avalanche(std::uint64_t x) noexcept {
    x = (x ^ (x >> 33)) * 0xFF51AFD7ED558CCD;
    x = (x ^ (x >> 33)) * 0xC4CEB9FE1A85EC53;
    return x ^ (x >> 33);
  }

  std::uint64_t h1_ = 0;
  std::uint64_t h2_ = 0;
};

}  // namespace partsim
