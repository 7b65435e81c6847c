/// The little JSON the command line writes itself; results come from the report module.
#pragma once

#include <string>
#include <string_view>

namespace partsim {

/// A JSON string with its quotes. Bytes that are not UTF-8 become U+FFFD, so the text always
/// parses.
[[nodiscard]] std::string json_string(std::string_view text);

}  // namespace partsim
