#include "partsim/keys/murmur3.hpp"

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

#include "murmur3_rounds.hpp"

namespace partsim {

std::uint32_t murmur3_x86_32(std::span<const char> bytes) noexcept {
  const auto scramble = [](std::uint32_t k) {
    return std::rotl(k * 0xCC9E2D51U, 15) * 0x1B873593U;
  };
  const std::size_t whole = bytes.size() & ~std::size_t{3};
  std::uint32_t h = 0;
  for (std::size_t i = 0; i < whole; i += 4) {
    h = std::rotl(h ^ scramble(load32(bytes.data() + i)), 13) * 5 + 0xE6546B64U;
  }
  h ^= scramble(static_cast<std::uint32_t>(load_short(bytes.data() + whole, bytes.size() - whole)));
  h ^= static_cast<std::uint32_t>(bytes.size());
  h = (h ^ (h >> 16)) * 0x85EBCA6BU;
  h = (h ^ (h >> 13)) * 0xC2B2AE35U;
  return h ^ (h >> 16);
}

Hash128 murmur3_x64_128(std::span<const char> bytes) noexcept {
  Murmur128 state;
  const std::size_t size = bytes.size();
  if (size < 8) {
    return state.finish(load_short(bytes.data(), size), 0, size);
  }
  const char* next = bytes.data();
  const char* const end = next + size;
  for (; end - next >= 16; next += 16) {
    state.block(load64(next), load64(next + 8));
  }
  const auto left = static_cast<std::size_t>(end - next);
  if (left < 8) {
    return state.finish(load_last(end, left), 0, size);
  }
  return state.finish(load64(next), load_last(end, left - 8), size);
}

}  // namespace partsim
