#include "partsim/report/text.hpp"

#include <algorithm>
#include <array>
#include <cstdint>

#include <fmt/format.h>

namespace partsim {
namespace {

struct CodePoint {
  char32_t value = 0;
  std::size_t bytes = 1;
  bool valid = false;
};

/// Decodes strictly: overlong forms, surrogates and values past U+10FFFF are invalid, one byte at a
/// time.
CodePoint decode(std::string_view text) {
  const auto byte = [text](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned first = byte(0);
  if (first < 0x80) {
    return {first, 1, true};
  }
  const std::size_t bytes = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
  if (first < 0xC2 || first > 0xF4 || text.size() < bytes) {
    return {first, 1, false};
  }
  char32_t value = first & (0xFFU >> (bytes + 1));
  for (std::size_t i = 1; i < bytes; ++i) {
    if ((byte(i) & 0xC0U) != 0x80U) {
      return {first, 1, false};
    }
    value = (value << 6) | (byte(i) & 0x3FU);
  }
  constexpr std::array<char32_t, 5> kSmallest{0, 0, 0x80, 0x800, 0x10000};
  const bool is_surrogate = value >= 0xD800 && value <= 0xDFFF;
  if (value < kSmallest[bytes] || value > 0x10FFFF || is_surrogate) {
    return {first, 1, false};
  }
  return {value, bytes, true};
}

struct Range {
  char32_t first;
  char32_t last;
};

template <std::size_t N>
bool in_ranges(const std::array<Range, N>& ranges, char32_t value) {
  return std::any_of(ranges.begin(), ranges.end(), [value](const Range& range) {
    return value >= range.first && value <= range.last;
  });
}

// Controls, direction marks, line and paragraph separators, byte order mark.
constexpr std::array<Range, 8> kActing{{{0x00, 0x1F},
                                        {0x7F, 0x9F},
                                        {0x061C, 0x061C},
                                        {0x200E, 0x200F},
                                        {0x2028, 0x202E},
                                        {0x2066, 0x2069},
                                        {0xFEFF, 0xFEFF},
                                        {0xFFF9, 0xFFFB}}};
constexpr std::array<Range, 7> kZeroWidth{{{0x0300, 0x036F},
                                           {0x1AB0, 0x1AFF},
                                           {0x1DC0, 0x1DFF},
                                           {0x200B, 0x200D},
                                           {0x20D0, 0x20FF},
                                           {0xFE00, 0xFE0E},
                                           {0xFE20, 0xFE2F}}};
// Rather too many than too few: a line may end early but must not run over. U+FE0F is not among the
// zero-width ones because it makes the symbol before it wide.
constexpr std::array<Range, 18> kDoubleWidth{{{0x1100, 0x115F},
                                              {0x231A, 0x23FF},
                                              {0x25FD, 0x270B},
                                              {0x2728, 0x2728},
                                              {0x274C, 0x2757},
                                              {0x2795, 0x27BF},
                                              {0x2B1B, 0x2B55},
                                              {0x2E80, 0x303E},
                                              {0x3041, 0xA4CF},
                                              {0xA960, 0xA97C},
                                              {0xAC00, 0xD7A3},
                                              {0xF900, 0xFAFF},
                                              {0xFE30, 0xFE6F},
                                              {0xFF00, 0xFF60},
                                              {0xFFE0, 0xFFE6},
                                              {0x16FE0, 0x1B2FF},
                                              {0x1F000, 0x1FAFF},
                                              {0x20000, 0x3FFFD}}};

std::size_t columns_of(char32_t value) {
  if (value < 0x300) {
    return 1;
  }
  return in_ranges(kZeroWidth, value) ? 0 : in_ranges(kDoubleWidth, value) ? 2 : 1;
}

/// Bytes of the longest start of `visible` that fits in `width` columns.
std::size_t bytes_that_fit(std::string_view visible, std::size_t width) {
  std::size_t used = 0;
  std::size_t position = 0;
  while (position < visible.size()) {
    const CodePoint next = decode(visible.substr(position));
    used += columns_of(next.value);
    if (used > width) {
      break;
    }
    position += next.bytes;
  }
  return position;
}

/// What must not be parted from the number before it.
bool is_unit(std::string_view word) {
  while (word.ends_with('.') || word.ends_with(',') || word.ends_with(';') || word.ends_with(')')) {
    word.remove_suffix(1);
  }
  constexpr std::array<std::string_view, 10> kUnits{"%",  "s",    "ms",      "min", "h",
                                                    "RU", "RU/s", "units/s", "GB",  "MB"};
  return std::find(kUnits.begin(), kUnits.end(), word) != kUnits.end();
}

}  // namespace

std::string visible_text(std::string_view text, bool unicode) {
  std::string visible;
  visible.reserve(text.size());
  while (!text.empty()) {
    const CodePoint next = decode(text);
    if (!next.valid || in_ranges(kActing, next.value)) {
      const auto value = static_cast<std::uint32_t>(next.value);
      visible += value < 0x100 ? fmt::format("\\x{:02X}", value) : fmt::format("\\u{:04X}", value);
    } else if (next.value >= 0x80 && !unicode) {
      visible += '?';
    } else {
      visible += text.substr(0, next.bytes);
    }
    text.remove_prefix(next.bytes);
  }
  return visible;
}

std::size_t display_width(std::string_view visible) {
  std::size_t width = 0;
  while (!visible.empty()) {
    const CodePoint next = decode(visible);
    width += columns_of(next.value);
    visible.remove_prefix(next.bytes);
  }
  return width;
}

std::string shorten(std::string_view visible, std::size_t width, bool unicode) {
  if (display_width(visible) <= width) {
    return std::string(visible);
  }
  const std::string_view ellipsis = unicode ? "…" : "~";
  if (width == 0) {
    return {};
  }
  std::string_view kept = visible.substr(0, bytes_that_fit(visible, width - 1));
  while (kept.ends_with(' ')) {
    kept.remove_suffix(1);
  }
  return std::string(kept) + std::string(ellipsis);
}

std::vector<std::string> wrap(std::string_view visible, std::size_t width) {
  std::vector<std::string> lines;
  std::string line;
  const auto finish_line = [&] {
    lines.push_back(line);
    line.clear();
  };
  while (!visible.empty()) {
    const std::size_t space = std::min(visible.find(' '), visible.size());
    std::string_view word = visible.substr(0, space);
    visible.remove_prefix(std::min(space + 1, visible.size()));
    if (word.empty()) {
      continue;
    }
    const std::size_t needed = display_width(word) + (line.empty() ? 0 : 1);
    if (!line.empty() && display_width(line) + needed > width) {
      const std::size_t last = is_unit(word) ? line.rfind(' ') : std::string::npos;
      const std::string number = last == std::string::npos ? "" : line.substr(last + 1);
      const bool counted = !number.empty() && number.back() >= '0' && number.back() <= '9';
      if (counted && display_width(number) + needed <= width) {
        line.resize(last);
        finish_line();
        line = number;
      } else {
        finish_line();
      }
    }
    while (display_width(word) > width) {
      // a character wider than the line still has to go somewhere
      const std::size_t bytes = std::max(bytes_that_fit(word, width), decode(word).bytes);
      line = word.substr(0, bytes);
      word.remove_prefix(bytes);
      finish_line();
    }
    line += line.empty() || word.empty() ? "" : " ";
    line += word;
  }
  if (!line.empty() || lines.empty()) {
    finish_line();
  }
  return lines;
}

std::string markup_text(std::string_view text) {
  std::string out;
  for (const char c : visible_text(text)) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      case '\'':
        out += "&#39;";
        break;
      default:
        out += c;
    }
  }
  return out;
}

std::string shell_word(const std::string& word) {
  constexpr std::string_view kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./,:@%+=";
  if (!word.empty() && word.find_first_not_of(kPlain) == std::string::npos) {
    return word;
  }
  std::string quoted = "'";
  for (const char c : word) {
    quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  }
  return quoted + "'";
}

}  // namespace partsim
