/// MurmurHash3 (Austin Appleby, public domain), written from its published definition.
#pragma once

#include <cstdint>
#include <span>

namespace partsim {

struct Hash128 {
  std::uint64_t h1;
  std::uint64_t h2;
  [[nodiscard]] bool operator==(const Hash128&) const = default;
};

[[nodiscard]] std::uint32_t murmur3_x86_32(std::span<const char> bytes) noexcept;  // seed 0
[[nodiscard]] Hash128 murmur3_x64_128(std::span<const char> bytes) noexcept;       // seed 0

}  // namespace partsim
