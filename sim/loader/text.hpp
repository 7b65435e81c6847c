/// Text as bytes: what may stand in a scenario, where it stands, and how a message quotes it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace partsim {

/// Where something was written. Origin 0 is the file; origin k is the k-th `--set`.
struct Place {
  std::uint32_t origin = 0;
  std::uint32_t line = 1;    // 1-based
  std::uint32_t column = 1;  // 1-based, in code points
  [[nodiscard]] auto operator<=>(const Place&) const = default;
};

/// Why a byte or character is refused, and at which byte.
struct TextFault {
  std::size_t offset = 0;
  std::string message;
};

/// Raw bytes of a file: UTF-8, no control characters but line ends and tabs, no bidirectional
/// controls.
[[nodiscard]] std::optional<TextFault> find_fault_in_file(std::string_view bytes);
/// A value after its escapes: as above, and no line ends or tabs either.
[[nodiscard]] std::optional<TextFault> find_fault_in_value(std::string_view text);

/// Turns byte offsets into places. Remembers the last one, so that neighbours are found quickly.
class PlaceFinder {
 public:
  PlaceFinder(std::string_view text, std::uint32_t origin) : text_(text), origin_(origin) {}
  [[nodiscard]] Place at(std::size_t offset);

 private:
  std::string_view text_;
  std::uint32_t origin_;
  std::size_t offset_ = 0;  // of the place below
  std::size_t line_begin_ = 0;
  std::uint32_t line_ = 1;
  std::uint32_t column_ = 1;
};

/// `'text'` for a message: control characters as \xNN, at most 40 bytes of it, then `...`.
[[nodiscard]] std::string quoted(std::string_view text);
/// Control characters as \xNN; everything else as it is.
[[nodiscard]] std::string escaped(std::string_view text);
/// At most `limit` bytes, cut between characters and ended by `...`.
[[nodiscard]] std::string shortened(std::string text, std::size_t limit);
/// First character above ASCII as `U+0430`, if there is one.
[[nodiscard]] std::optional<std::string> first_non_ascii(std::string_view text);
[[nodiscard]] std::string lower_case(std::string_view text);

/// Calls `line(number, text)` for each line with something in it, until that is false.
template <class Take>
void each_line(std::string_view text, Take take) {
  std::uint32_t number = 1;
  for (; !text.empty(); ++number) {
    const std::size_t end = text.find('\n');
    std::string_view line = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    line.remove_suffix(line.ends_with('\r') ? 1 : 0);
    if (!line.empty() && !take(number, line)) {
      return;
    }
  }
}

}  // namespace partsim
