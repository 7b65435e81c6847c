/// One key in JSON, as `partsim route` and traces write it.
#pragma once

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <variant>
#include <vector>

#include "partsim/keys/component.hpp"
#include "partsim/keys/utf8.hpp"

namespace partsim {

struct KeyError {
  std::size_t offset = 0;  // byte in the line
  std::string message;
};

/// The components of one key, read from one line of strict JSON (RFC 8259).
///
/// Not a general JSON reader, for two reasons: a key has no depth, so one pass that makes
/// components and no tree, in memory kept from line to line, is many times faster; and its errors
/// can say what a key looks like. Numbers need care that depends on their text: `-0` is the
/// integer zero, `-0.0` the negative one, and these are two keys.
class KeyLine {
 public:
  /// At most `limit` components, 0 for as many as there are. False leaves the reason in `error()`.
  [[nodiscard]] bool parse(std::string_view line, std::size_t limit) {
    line_ = line;
    next_ = 0;
    used_ = 0;
    skip_space();
    if (at_end()) {
      return fail(0, "empty line, expected a JSON array of key components");
    }
    if (!take('[')) {
      return fail(next_, "unexpected " + shown() + ", expected '[' to begin a key");
    }
    skip_space();
    if (!take(']') && !parse_components(limit)) {
      return false;
    }
    skip_space();
    return at_end() || fail(next_, "unexpected " + shown() + ", expected one array a line");
  }

  /// A key of one string, as it is.
  [[nodiscard]] bool set_text(std::string_view text) {
    used_ = 0;
    line_ = text;
    for (next_ = 0; next_ < text.size();) {
      const std::size_t length = utf8_length(text.substr(next_));
      if (length == 0) {
        return fail(next_, "invalid UTF-8 " + shown() + ", expected UTF-8 text");
      }
      next_ += length;
    }
    add_string(text);
    return true;
  }

  [[nodiscard]] std::span<const KeyComponent> components() const noexcept {
    return {slots_.data(), used_};
  }
  [[nodiscard]] const KeyError& error() const noexcept { return error_; }

 private:
  static constexpr std::size_t kQuoteMax = 40;  // bytes of the user's text in a message
  static constexpr std::string_view kComponentExpected =
      R"(expected a string, number, true, false, null or {"undefined":true})";

  static bool is_digit(char c) noexcept { return c >= '0' && c <= '9'; }
  static bool is_letter(char c) noexcept {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
  }

  bool parse_components(std::size_t limit) {
    while (true) {
      if (limit != 0 && used_ == limit) {
        return fail(next_, "too many components, expected at most " + std::to_string(limit) +
                               " for a hierarchical key");
      }
      if (!parse_component()) {
        return false;
      }
      skip_space();
      if (take(']')) {
        return true;
      }
      if (!take(',')) {
        return fail(next_, "unexpected " + shown() + ", expected ',' or ']'");
      }
      skip_space();
    }
  }

  bool parse_component() {
    const char c = at_end() ? '\0' : line_[next_];
    if (c == '"') {
      return parse_string();
    }
    if (c == '-' || is_digit(c)) {
      return parse_number();
    }
    if (is_letter(c)) {
      return parse_word();
    }
    if (c == '{') {
      return parse_undefined();
    }
    if (c == '[') {
      return fail(next_, "an array inside a key, " + std::string(kComponentExpected));
    }
    return fail(next_, "unexpected " + shown() + ", " + std::string(kComponentExpected));
  }

  bool parse_word() {
    const std::size_t at = next_;
    while (!at_end() && is_letter(line_[next_])) {
      ++next_;
    }
    const std::string_view word = line_.substr(at, next_ - at);
    if (word == "true" || word == "false") {
      add(word == "true");
    } else if (word == "null") {
      add(Null{});
    } else {
      return fail(at, "unknown word '" + std::string(word.substr(0, kQuoteMax)) + "', " +
                          std::string(kComponentExpected));
    }
    return true;
  }

  /// `{"undefined":true}`, or `{}` as the services write it.
  bool parse_undefined() {
    const std::size_t at = next_++;
    const auto take_text = [this](std::string_view text) {
      skip_space();
      const bool there = line_.substr(next_, text.size()) == text;
      next_ += there ? text.size() : 0;
      return there;
    };
    if (!take_text("}")) {
      if (!take_text(R"("undefined")") || !take_text(":") || !take_text("true") ||
          !take_text("}")) {
        return fail(at, "an object that is no component, " + std::string(kComponentExpected));
      }
    }
    add(Undefined{});
    return true;
  }

  // ---- numbers
  // -----------------------------------------------------------------------------------

  std::size_t take_digits() noexcept {
    const std::size_t at = next_;
    while (!at_end() && is_digit(line_[next_])) {
      ++next_;
    }
    return next_ - at;
  }

  bool parse_number() {
    const std::size_t at = next_;
    const bool negative = take('-');
    const std::size_t digits_at = next_;
    const std::size_t digits = take_digits();
    if (digits == 0) {
      return fail(next_, "unexpected " + shown() + ", expected a digit");
    }
    if (digits > 1 && line_[digits_at] == '0') {
      return fail(at, "a number with a leading zero, expected none");
    }
    bool integer = true;
    if (take('.')) {
      integer = false;
      if (take_digits() == 0) {
        return fail(next_, "unexpected " + shown() + ", expected a digit after '.'");
      }
    }
    if (take('e') || take('E')) {
      integer = false;
      if (!take('-')) {
        static_cast<void>(take('+'));
      }
      if (take_digits() == 0) {
        return fail(next_, "unexpected " + shown() + ", expected a digit of the exponent");
      }
    }
    return add_number(line_.substr(at, next_ - at), at, negative && integer);
  }

  bool add_number(std::string_view text, std::size_t at, bool negative_integer) {
    double value = 0.0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error == std::errc::result_out_of_range) {
      if (is_large(text)) {
        return fail(at, "a number beyond the largest double, expected at most 1.797e308");
      }
      value = text.front() == '-' ? -0.0 : 0.0;  // nearest to a number below the smallest double
    }
    add(negative_integer && value == 0.0 ? 0.0 : value);
    return true;
  }

  /// Whether a number that no double can hold is too large (and not too small): the place of its
  /// first digit that is not zero, moved by the exponent, lies before the decimal point.
  static bool is_large(std::string_view text) noexcept {
    constexpr long long kHuge = 1LL << 40;
    const std::size_t exponent_at = std::min(text.find_first_of("eE"), text.size());
    const std::string_view digits = text.substr(0, exponent_at);
    const std::size_t point = std::min(digits.find('.'), digits.size());
    const std::size_t first = std::min(digits.find_first_of("123456789"), digits.size());
    long long exponent = 0;
    bool negative = false;
    for (const char c : text.substr(exponent_at)) {
      negative = negative || c == '-';
      if (is_digit(c)) {
        exponent = std::min(exponent * 10 + (c - '0'), kHuge);
      }
    }
    const long long place = static_cast<long long>(point) - static_cast<long long>(first);
    return place + (negative ? -exponent : exponent) > 0;
  }

  // ---- strings
  // -----------------------------------------------------------------------------------

  bool parse_string() {
    const std::size_t open = next_++;
    const std::size_t from = next_;
    bool escaped = false;  // without escapes the text is taken from the line in one piece
    scratch_.clear();
    std::size_t copied = from;
    while (true) {
      while (!at_end() && is_plain(line_[next_])) {
        ++next_;
      }
      if (at_end()) {
        return fail(open, "unterminated string, expected '\"' before the end of the line");
      }
      const char c = line_[next_];
      if (c == '"') {
        break;
      }
      if (c == '\\') {
        escaped = true;
        scratch_.append(line_, copied, next_ - copied);
        if (!parse_escape()) {
          return false;
        }
        copied = next_;
      } else if (static_cast<unsigned char>(c) < 0x20) {
        return fail(next_, "control character " + shown() + " in a string, expected an escape");
      } else {
        const std::size_t length = utf8_length(line_.substr(next_));
        if (length == 0) {
          return fail(next_, "invalid UTF-8 " + shown() + ", expected UTF-8 text");
        }
        next_ += length;
      }
    }
    if (escaped) {
      scratch_.append(line_, copied, next_ - copied);
    }
    add_string(escaped ? std::string_view(scratch_) : line_.substr(from, next_ - from));
    ++next_;
    return true;
  }

  static bool is_plain(char c) noexcept {
    const auto byte = static_cast<unsigned char>(c);
    return byte >= 0x20 && byte < 0x80 && byte != '"' && byte != '\\';
  }

  /// At a backslash.
  bool parse_escape() {
    constexpr std::string_view kLetters = R"("\/bfnrt)";
    constexpr std::string_view kMeaning = "\"\\/\b\f\n\r\t";
    const std::size_t at = next_++;
    if (take('u')) {
      return parse_unicode_escape(at);
    }
    const std::size_t which = at_end() ? kLetters.npos : kLetters.find(line_[next_]);
    if (which == kLetters.npos) {
      return fail(at, R"(unknown escape, expected one of \" \\ \/ \b \f \n \r \t \uXXXX)");
    }
    scratch_ += kMeaning[which];
    ++next_;
    return true;
  }

  /// After `\u`; characters above U+FFFF are written as a pair of escapes.
  bool parse_unicode_escape(std::size_t at) {
    std::uint32_t code = 0;
    if (!take_hex4(code)) {
      return fail(at, "incomplete escape, expected \\u and four hex digits");
    }
    const auto is_high = [](std::uint32_t unit) { return unit >= 0xD800U && unit < 0xDC00U; };
    const auto is_low = [](std::uint32_t unit) { return unit >= 0xDC00U && unit < 0xE000U; };
    if (is_high(code)) {
      std::uint32_t low = 0;
      if (!take('\\') || !take('u') || !take_hex4(low) || !is_low(low)) {
        return fail(at, "half a surrogate pair, expected its second half \\uDC00 to \\uDFFF");
      }
      code = 0x10000U + ((code - 0xD800U) << 10U) + (low - 0xDC00U);
    } else if (is_low(code)) {
      return fail(at, "half a surrogate pair, expected its first half \\uD800 to \\uDBFF before");
    }
    append_utf8(code, scratch_);
    return true;
  }

  bool take_hex4(std::uint32_t& value) noexcept {
    const std::string_view text = line_.substr(next_, 4);
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, 16);
    if (text.size() != 4 || error != std::errc() || end != text.data() + 4) {
      return false;
    }
    next_ += 4;
    return true;
  }

  // ---- common
  // ------------------------------------------------------------------------------------

  /// Slots, and the memory of strings in them, are kept for the next line.
  KeyComponent& new_slot() {
    if (used_ == slots_.size()) {
      slots_.emplace_back();
    }
    return slots_[used_++];
  }
  template <typename Value>
  void add(Value value) {
    new_slot() = value;
  }
  void add_string(std::string_view text) {
    KeyComponent& slot = new_slot();
    if (std::string* kept = std::get_if<std::string>(&slot)) {
      kept->assign(text);
    } else {
      slot.emplace<std::string>(text);
    }
  }

  [[nodiscard]] bool at_end() const noexcept { return next_ == line_.size(); }

  void skip_space() noexcept {
    while (!at_end() && (line_[next_] == ' ' || line_[next_] == '\t' || line_[next_] == '\r')) {
      ++next_;
    }
  }

  bool take(char c) noexcept {
    if (at_end() || line_[next_] != c) {
      return false;
    }
    ++next_;
    return true;
  }

  /// The next character for a message: itself if it can be printed, else its first byte.
  [[nodiscard]] std::string shown() const {
    constexpr std::string_view kHex = "0123456789ABCDEF";
    if (at_end()) {
      return "end of line";
    }
    const auto byte = static_cast<unsigned char>(line_[next_]);
    const std::size_t length = utf8_length(line_.substr(next_));
    const bool c1_control =
        byte == 0xC2U && length == 2 && static_cast<unsigned char>(line_[next_ + 1]) < 0xA0U;
    if (byte < 0x20U || byte == 0x7FU || length == 0 || c1_control) {
      return std::string("\\x") + kHex[byte >> 4U] + kHex[byte & 0xFU];
    }
    return "'" + std::string(line_.substr(next_, length)) + "'";
  }

  bool fail(std::size_t offset, std::string message) {
    error_ = {offset, std::move(message)};
    return false;
  }

  std::string_view line_;
  std::size_t next_ = 0;
  std::vector<KeyComponent> slots_;
  std::size_t used_ = 0;
  std::string scratch_;
  KeyError error_;
};

}  // namespace partsim
