#include "base64.hpp"

#include <cstddef>
#include <cstdint>

namespace partsim {

std::string base64(std::string_view bytes) {
  constexpr std::string_view kDigits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const auto byte = [bytes, i](std::size_t k) -> std::uint32_t {
      return i + k < bytes.size() ? static_cast<std::uint8_t>(bytes[i + k]) : 0;
    };
    const std::uint32_t group = byte(0) << 16U | byte(1) << 8U | byte(2);
    for (unsigned k = 0; k < 4; ++k) {
      // k digits tell k - 1 bytes and a bit of the next
      text += i + k <= bytes.size() ? kDigits[group >> (18U - 6U * k) & 63U] : '=';
    }
  }
  return text;
}

}  // namespace partsim
