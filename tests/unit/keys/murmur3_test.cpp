#include "partsim/keys/murmur3.hpp"

#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include "partsim/core/rng.hpp"

#include "support/catch.hpp"

namespace partsim {
namespace {

/// The bytes of the number, least significant first.
std::string little_endian(double value) {
  const auto bits = std::bit_cast<std::uint64_t>(value);
  std::string bytes;
  for (unsigned shift = 0; shift < 64; shift += 8) {
    bytes += static_cast<char>(bits >> shift & 0xFF);
  }
  return bytes;
}

/// A second murmur128, word by word and byte by byte as the definition reads.
Hash128 plain_murmur128(std::string_view bytes) {
  constexpr std::uint64_t kC1 = 0x87C37B91114253D5;
  constexpr std::uint64_t kC2 = 0x4CF5AD432745937F;
  const auto word = [bytes](std::size_t from, std::size_t count) {
    std::uint64_t value = 0;
    for (std::size_t i = 0; i < count && from + i < bytes.size(); ++i) {
      value |= std::uint64_t{static_cast<unsigned char>(bytes[from + i])} << (8 * i);
    }
    return value;
  };
  const auto mix = [](std::uint64_t x) {
    x ^= x >> 33;
    x *= 0xFF51AFD7ED558CCD;
    x ^= x >> 33;
    x *= 0xC4CEB9FE1A85EC53;
    x ^= x >> 33;
    return x;
  };
  std::uint64_t h1 = 0;
  std::uint64_t h2 = 0;
  std::size_t at = 0;
  for (; at + 16 <= bytes.size(); at += 16) {
    h1 = std::rotl(h1 ^ std::rotl(word(at, 8) * kC1, 31) * kC2, 27) + h2;
    h1 = h1 * 5 + 0x52DCE729;
    h2 = std::rotl(h2 ^ std::rotl(word(at + 8, 8) * kC2, 33) * kC1, 31) + h1;
    h2 = h2 * 5 + 0x38495AB5;
  }
  h2 ^= std::rotl(word(at + 8, 8) * kC2, 33) * kC1;
  h1 ^= std::rotl(word(at, 8) * kC1, 31) * kC2;
  h1 ^= bytes.size();
  h2 ^= bytes.size();
  h1 += h2;
  h2 += h1;
  h1 = mix(h1);
  h2 = mix(h2);
  h1 += h2;
  h2 += h1;
  return {h1, h2};
}

TEST_CASE("The hashes of a text and of a number are those the SDKs' tests expect", "[keys]") {
  const std::string text = "afdgdd";
  CHECK(murmur3_x86_32(text) == 1099701186U);
  CHECK(murmur3_x64_128(text) == Hash128{2792699143512860960U, 15069672278200047189U});
  const std::string number = little_endian(374.0);
  CHECK(murmur3_x86_32(number) == 3717946798U);
  CHECK(murmur3_x64_128(number) == Hash128{16628891264555680919U, 12953474369317462U});
}

TEST_CASE("The 32-bit hash has its widely published values for every length of tail", "[keys]") {
  // The 32-bit variant with seed 0: "" and "hello" are in most ports' tests; "test" and the
  // pangram likewise. Tails of 0, 1, 0 and 3 bytes.
  CHECK(murmur3_x86_32(std::string()) == 0U);
  CHECK(murmur3_x86_32(std::string("hello")) == 0x248BFA47U);
  CHECK(murmur3_x86_32(std::string("test")) == 0xBA6BD213U);
  CHECK(murmur3_x86_32(std::string("The quick brown fox jumps over the lazy dog")) == 0x2E4FF723U);
}

TEST_CASE("The 128-bit hash has its published values for a text and for a long text", "[keys]") {
  CHECK(murmur3_x64_128(std::string()) == Hash128{0, 0});
  CHECK(murmur3_x64_128(std::string("hello")) == Hash128{0xCBD8A7B341BD9B02, 0x5B1E906A48AE1D19});
  CHECK(murmur3_x64_128(std::string("The quick brown fox jumps over the lazy dog")) ==
        Hash128{0xE34BBC7BBC071B6C, 0x7A433CA9C49A9347});
}

TEST_CASE("Every length from 0 to 100 bytes hashes as the definition says", "[keys]") {
  const RngStream stream(1, "murmur3", "bytes");
  std::string bytes;
  for (std::uint64_t size = 0; size <= 100; ++size) {
    INFO("size " << size);
    // A copy of exact size lets a sanitizer see any load beyond the ends.
    const std::string exact(bytes.begin(), bytes.end());
    CHECK(murmur3_x64_128(exact) == plain_murmur128(exact));
    bytes += static_cast<char>(stream.draw(size) & 0xFF);
  }
}

}  // namespace
}  // namespace partsim
