/// Bytes as RFC 4648 text.
#pragma once

#include <string>
#include <string_view>

namespace partsim {

[[nodiscard]] std::string base64(std::string_view bytes);

}  // namespace partsim
