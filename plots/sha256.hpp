/// SHA-256, by which a page's policy names the only script and style that may act in it.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace partsim {

/// FIPS 180-4.
[[nodiscard]] std::array<std::uint8_t, 32> sha256(std::string_view bytes);

/// As a content security policy has it: `'sha256-BASE64'`, quotes included.
[[nodiscard]] std::string policy_hash(std::string_view bytes);

}  // namespace partsim
