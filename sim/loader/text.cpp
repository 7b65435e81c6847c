#include "text.hpp"

#include <algorithm>
#include <array>

namespace partsim {
namespace {

constexpr std::size_t kQuotedBytes = 40;

struct Character {
  std::uint32_t code = 0;
  std::size_t bytes = 0;  // 0: not UTF-8
};

unsigned byte_at(std::string_view text, std::size_t offset) {
  return offset < text.size() ? static_cast<unsigned char>(text[offset]) : 0U;
}

/// Strict UTF-8: no overlong forms, no surrogates, nothing above U+10FFFF.
Character decode(std::string_view text, std::size_t offset) {
  const unsigned lead = byte_at(text, offset);
  if (lead < 0x80) {
    return {lead, 1};
  }
  const std::size_t length = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  if (lead < 0xC2 || lead > 0xF4) {
    return {};
  }
  static constexpr std::array<unsigned, 5> kLeadMask{0, 0, 0x1F, 0x0F, 0x07};
  std::uint32_t code = lead & kLeadMask.at(length);
  for (std::size_t i = 1; i < length; ++i) {
    const unsigned next = byte_at(text, offset + i);
    if ((next & 0xC0U) != 0x80U) {
      return {};
    }
    code = (code << 6U) | (next & 0x3FU);
  }
  static constexpr std::array<std::uint32_t, 5> kSmallest{0, 0, 0x80, 0x800, 0x10000};
  if (code < kSmallest.at(length) || code > 0x10FFFF || (code >= 0xD800 && code <= 0xDFFF)) {
    return {};
  }
  return {code, length};
}

std::string code_name(std::uint32_t code) {
  static constexpr std::string_view kDigits = "0123456789ABCDEF";
  std::string name = "U+";
  const int digits = code > 0xFFFFF ? 6 : code > 0xFFFF ? 5 : 4;
  for (int i = digits - 1; i >= 0; --i) {
    name += kDigits[(code >> (4U * static_cast<unsigned>(i))) & 0xFU];
  }
  return name;
}

bool is_control(std::uint32_t code) {
  return code < 0x20 || (code >= 0x7F && code <= 0x9F) || code == 0x2028 || code == 0x2029;
}

/// These reorder what a reader sees, so a name in a report could look like another.
bool is_bidirectional(std::uint32_t code) {
  return code == 0x061C || code == 0x200E || code == 0x200F || (code >= 0x202A && code <= 0x202E) ||
         (code >= 0x2066 && code <= 0x2069);
}

std::optional<std::string> fault_of(std::uint32_t code) {
  if (is_control(code)) {
    return "control character " + code_name(code) + " is not allowed";
  }
  if (is_bidirectional(code)) {
    return "bidirectional control " + code_name(code) + " is not allowed";
  }
  if (code == 0xFEFF || (code & 0xFFFEU) == 0xFFFEU) {
    return "character " + code_name(code) + " is not allowed";
  }
  return std::nullopt;
}

std::optional<TextFault> find_fault(std::string_view text, bool is_file) {
  for (std::size_t at = 0; at < text.size();) {
    const Character c = decode(text, at);
    if (c.bytes == 0) {
      return TextFault{at, "invalid UTF-8, expected a text file in UTF-8"};
    }
    const bool line_end = c.code == '\n' || (c.code == '\r' && byte_at(text, at + 1) == '\n');
    if (is_file && c.code == '\r' && !line_end) {
      return TextFault{at, "bare carriage return, expected lines that end in a line feed"};
    }
    if (!(is_file && (line_end || c.code == '\t'))) {
      if (auto fault = fault_of(c.code)) {
        return TextFault{at, std::move(*fault)};
      }
    }
    at += c.bytes;
  }
  return std::nullopt;
}

bool continues_character(char c) {
  return (static_cast<unsigned char>(c) & 0xC0U) == 0x80U;
}

void append_byte_escape(std::string& out, char c) {
  static constexpr std::string_view kDigits = "0123456789abcdef";
  const unsigned value = static_cast<unsigned char>(c);
  out += "\\x";
  out += kDigits[value >> 4U];
  out += kDigits[value & 0xFU];
}

}  // namespace

std::optional<TextFault> find_fault_in_file(std::string_view bytes) {
  if (bytes.starts_with("\xFE\xFF") || bytes.starts_with("\xFF\xFE")) {
    return TextFault{0, "not UTF-8 but UTF-16, expected a text file in UTF-8"};
  }
  return find_fault(bytes, true);
}

std::optional<TextFault> find_fault_in_value(std::string_view text) {
  return find_fault(text, false);
}

Place PlaceFinder::at(std::size_t offset) {
  offset = std::min(offset, text_.size());
  while (offset < line_begin_) {
    offset_ = line_begin_ - 1;
    const std::size_t before =
        offset_ == 0 ? std::string_view::npos : text_.rfind('\n', offset_ - 1);
    line_begin_ = before == std::string_view::npos ? 0 : before + 1;
    --line_;
    offset_ = line_begin_;
    column_ = 1;
  }
  while (offset_ > offset) {
    --offset_;
    column_ -= continues_character(text_[offset_]) ? 0U : 1U;
  }
  for (; offset_ < offset; ++offset_) {
    if (text_[offset_] == '\n') {
      ++line_;
      column_ = 1;
      line_begin_ = offset_ + 1;
    } else {
      column_ += continues_character(text_[offset_]) ? 0U : 1U;
    }
  }
  return {origin_, line_, column_};
}

std::string escaped(std::string_view text) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const Character c = decode(text, at);
    const std::size_t bytes = std::max<std::size_t>(c.bytes, 1);
    if (c.bytes == 0 || is_control(c.code) || is_bidirectional(c.code)) {
      for (std::size_t i = 0; i < bytes; ++i) {
        append_byte_escape(out, text[at + i]);
      }
    } else {
      out += text.substr(at, bytes);
    }
    at += bytes;
  }
  return out;
}

std::string shortened(std::string text, std::size_t limit) {
  static constexpr std::string_view kMore = "...";
  if (text.size() <= limit) {
    return text;
  }
  std::size_t keep = limit > kMore.size() ? limit - kMore.size() : 0;
  while (keep > 0 && continues_character(text[keep])) {
    --keep;
  }
  text.resize(keep);
  return text += kMore;
}

std::string quoted(std::string_view text) {
  // Cut before escaping: the rest of a long text is never looked at.
  return "'" + shortened(escaped(text.substr(0, kQuotedBytes + 4)), kQuotedBytes) + "'";
}

std::optional<std::string> first_non_ascii(std::string_view text) {
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (static_cast<unsigned char>(text[at]) >= 0x80) {
      return code_name(decode(text, at).code);
    }
  }
  return std::nullopt;
}

std::string lower_case(std::string_view text) {
  std::string out(text);
  for (char& c : out) {
    if (c >= 'A' && c <= 'Z') {
      c = static_cast<char>(c - 'A' + 'a');
    }
  }
  return out;
}

}  // namespace partsim
