/// UTF-8, one character at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace partsim {

[[nodiscard]] inline bool is_utf8_continuation(char c) noexcept {
  return (static_cast<unsigned char>(c) & 0xC0U) == 0x80U;
}

/// Bytes of the character that begins the text, 0 if it is not UTF-8 (Unicode, table 3-7).
[[nodiscard]] inline std::size_t utf8_length(std::string_view text) noexcept {
  const auto byte = [text](std::size_t i) -> unsigned {
    return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U;
  };
  const auto continues = [byte](std::size_t i) { return (byte(i) & 0xC0U) == 0x80U; };
  const unsigned lead = byte(0);
  const unsigned second = byte(1);
  if (lead < 0x80U) {
    return 1;
  }
  if (lead < 0xC2U || lead > 0xF4U || !continues(1)) {
    return 0;
  }
  if (lead < 0xE0U) {
    return 2;
  }
  if (lead < 0xF0U) {  // neither overlong nor half a surrogate pair
    const bool allowed = !(lead == 0xE0U && second < 0xA0U) && !(lead == 0xEDU && second > 0x9FU);
    return allowed && continues(2) ? 3 : 0;
  }
  const bool allowed = !(lead == 0xF0U && second < 0x90U) && !(lead == 0xF4U && second > 0x8FU);
  return allowed && continues(2) && continues(3) ? 4 : 0;
}

inline void append_utf8(std::uint32_t code, std::string& out) {
  const auto add = [&out](std::uint32_t byte) { out += static_cast<char>(byte); };
  if (code < 0x80U) {
    add(code);
  } else if (code < 0x800U) {
    add(0xC0U | code >> 6U);
    add(0x80U | (code & 0x3FU));
  } else if (code < 0x10000U) {
    add(0xE0U | code >> 12U);
    add(0x80U | (code >> 6U & 0x3FU));
    add(0x80U | (code & 0x3FU));
  } else {
    add(0xF0U | code >> 18U);
    add(0x80U | (code >> 12U & 0x3FU));
    add(0x80U | (code >> 6U & 0x3FU));
    add(0x80U | (code & 0x3FU));
  }
}

}  // namespace partsim
