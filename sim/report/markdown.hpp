/// Text of users inside Markdown, where it must stay text.
#pragma once

#include <string>
#include <string_view>

namespace partsim {

/// On one line, in a table too: no markup, no HTML, no mention of anybody.
[[nodiscard]] std::string markdown(std::string_view text);
/// As code, in a table too.
[[nodiscard]] std::string markdown_code(std::string_view text);

}  // namespace partsim
