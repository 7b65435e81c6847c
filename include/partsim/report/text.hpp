/// Text of users made safe to show, and measured in terminal columns.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace partsim {

/// Valid UTF-8 without anything that acts on a terminal: control, bidi and line-separator
/// characters and broken bytes become `\xNN` or `\uNNNN`. Without `unicode` everything beyond ASCII
/// becomes `?`.
[[nodiscard]] std::string visible_text(std::string_view text, bool unicode = true);

/// Terminal columns of visible text: wide characters take two, combining marks none.
[[nodiscard]] std::size_t display_width(std::string_view visible);

/// At most `width` columns; what was cut off is marked by an ellipsis.
[[nodiscard]] std::string shorten(std::string_view visible, std::size_t width, bool unicode = true);

/// Lines of at most `width` (at least 2) columns, broken at spaces, inside a word only if it is too
/// long.
[[nodiscard]] std::vector<std::string> wrap(std::string_view visible, std::size_t width);

/// Visible text with the five characters replaced that mean something in HTML and XML. XML has no
/// way to write most control characters, not even escaped, so it is good that they are visible.
[[nodiscard]] std::string markup_text(std::string_view text);

/// A word as a POSIX shell takes it: as it is, or in single quotes.
[[nodiscard]] std::string shell_word(const std::string& word);

}  // namespace partsim
