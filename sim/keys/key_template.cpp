#include "partsim/keys/key_template.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "partsim/keys/murmur3.hpp"

namespace partsim {

namespace {

constexpr std::string_view kRangeExpected = "expected a range such as 1..400";
constexpr std::size_t kQuoteMax = 40;  // bytes of the user's text in a message

bool is_digit(char c) noexcept {
  return c >= '0' && c <= '9';
}
bool is_name_start(char c) noexcept {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
bool is_name(char c) noexcept {
  return is_name_start(c) || is_digit(c);
}

std::string quoted(std::string_view word) {
  return "'" + std::string(word.substr(0, kQuoteMax)) + (word.size() > kQuoteMax ? "…'" : "'");
}

char lower(char c) noexcept {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

/// Letters to insert, delete or replace, case apart.
std::size_t edit_distance(std::string_view word, std::string_view known) {
  std::vector<std::size_t> row(known.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (const char letter : word) {
    std::size_t diagonal = row[0]++;
    for (std::size_t i = 1; i <= known.size(); ++i) {
      const std::size_t replaced = diagonal + (lower(letter) == known[i - 1] ? 0 : 1);
      diagonal = row[i];
      row[i] = std::min({row[i] + 1, row[i - 1] + 1, replaced});
    }
  }
  return row[known.size()];
}

/// `random` or `hash`, if the word is near one of them.
std::optional<std::string_view> meant_word(std::string_view word) {
  constexpr std::size_t kFar = 12;  // as long as that, no word can be near
  if (word.size() > kFar) {
    return std::nullopt;
  }
  const std::size_t to_random = edit_distance(word, "random");
  const std::size_t to_hash = edit_distance(word, "hash");
  if (std::min(to_random, to_hash) > 2) {
    return std::nullopt;
  }
  return to_random <= to_hash ? "random" : "hash";
}

struct SuffixRange {
  std::uint64_t first = 0;
  std::uint64_t count = 1;
};

/// Reads one template from left to right; the first mistake ends it.
class TemplateReader {
 public:
  explicit TemplateReader(std::string_view text) : text_(text) {}

  std::variant<KeyTemplate, TemplateError> read() {
    if (text_.empty()) {
      return TemplateError{0, "empty template, expected text or a field such as {name}"};
    }
    while (!at_end() && !error_) {
      read_next();
    }
    if (error_) {
      return *std::move(error_);
    }
    flush_literal();
    return KeyTemplate{std::string(text_), std::move(parts_)};
  }

 private:
  void read_next() {
    const char c = text_[next_];
    const bool doubled = next_ + 1 < text_.size() && text_[next_ + 1] == c;
    if (c != '{' && c != '}') {
      literal_ += c;
      ++next_;
    } else if (doubled) {
      literal_ += c;
      next_ += 2;
    } else if (c == '}') {
      fail(next_, "unexpected '}', write '}}' for a brace in the text");
    } else {
      flush_literal();
      ++next_;
      read_braces();
    }
  }

  /// After the opening brace, up to and with the closing one.
  void read_braces() {
    skip_spaces();
    const std::size_t at = next_;
    const std::string_view word = take_word();
    if (word.empty()) {
      fail(at, "expected a field name, 'random' or 'hash'");
    } else if (word == "random") {
      read_random();
    } else if (word == "hash") {
      read_hash();
    } else {
      skip_spaces();
      if (!at_end() && (is_name(text_[next_]) || text_[next_] == '.')) {
        fail_unknown_word(at, word);
        return;
      }
      parts_.emplace_back(FieldValue{std::string(word)});
    }
    close();
  }

  void read_random() {
    skip_spaces();
    const std::size_t at = next_;
    if (!at_end() && is_name_start(text_[next_])) {
      const std::string_view field = take_word();
      fail(at, std::string(kRangeExpected) + ", got " + quoted(field) +
                   "; a suffix made from a field is {hash field 1..400}");
      return;
    }
    if (const auto range = take_range()) {
      parts_.emplace_back(RandomSuffix{range->first, range->count});
    }
  }

  void read_hash() {
    skip_spaces();
    const std::size_t at = next_;
    const std::string_view field = take_word();
    if (field.empty()) {
      fail(at, "expected a field name after 'hash', as in {hash name 1..400}");
      return;
    }
    if (const auto range = take_range()) {
      parts_.emplace_back(HashedSuffix{std::string(field), range->first, range->count});
    }
  }

  void fail_unknown_word(std::size_t at, std::string_view word) {
    const auto meant = meant_word(word);
    fail(at, "unknown word " + quoted(word) +
                 (meant ? ", did you mean '" + std::string(*meant) + "'?"
                        : std::string(", expected 'random', 'hash' or a field name alone")));
  }

  std::optional<SuffixRange> take_range() {
    skip_spaces();
    const std::size_t at = next_;
    const auto first = take_number(at);
    if (!first) {
      return std::nullopt;
    }
    if (text_.substr(next_, 2) != "..") {
      fail(at, std::string(kRangeExpected));
      return std::nullopt;
    }
    next_ += 2;
    const auto last = take_number(at);
    if (!last) {
      return std::nullopt;
    }
    if (*last < *first) {
      fail(at, "empty range " + std::to_string(*first) + ".." + std::to_string(*last) +
                   ", expected the smaller number first");
      return std::nullopt;
    }
    return SuffixRange{*first, *last - *first + 1};
  }

  std::optional<std::uint64_t> take_number(std::size_t range_at) {
    constexpr std::uint64_t kLimit = std::uint64_t{1} << 32;
    const std::size_t at = next_;
    std::uint64_t value = 0;
    for (; !at_end() && is_digit(text_[next_]); ++next_) {
      value = std::min(value * 10 + static_cast<std::uint64_t>(text_[next_] - '0'), kLimit);
    }
    if (next_ == at) {
      fail(range_at, std::string(kRangeExpected));
      return std::nullopt;
    }
    if (value == kLimit) {
      fail(at, "number too large, expected below 4294967296");
      return std::nullopt;
    }
    if (next_ - at > 1 && text_[at] == '0') {
      // Who writes 001..400 expects padded suffixes, which would be other keys.
      fail(at, "leading zero, expected a plain number: suffixes are not padded");
      return std::nullopt;
    }
    return value;
  }

  std::string_view take_word() {
    const std::size_t at = next_;
    if (!at_end() && is_name_start(text_[next_])) {
      while (!at_end() && is_name(text_[next_])) {
        ++next_;
      }
    }
    return text_.substr(at, next_ - at);
  }

  void close() {
    skip_spaces();
    if (at_end() || text_[next_] != '}') {
      fail(next_, "expected '}'");
      return;
    }
    ++next_;
  }

  void skip_spaces() {
    while (!at_end() && text_[next_] == ' ') {
      ++next_;
    }
  }

  void flush_literal() {
    if (!literal_.empty()) {
      parts_.emplace_back(LiteralText{std::exchange(literal_, {})});
    }
  }

  /// What comes after a mistake only follows from it, so the first one stays.
  void fail(std::size_t offset, std::string message) {
    if (!error_) {
      error_ = TemplateError{offset, std::move(message)};
    }
  }

  [[nodiscard]] bool at_end() const noexcept { return next_ == text_.size(); }

  std::string_view text_;
  std::size_t next_ = 0;
  std::string literal_;
  std::vector<KeyPart> parts_;
  std::optional<TemplateError> error_;
};

}  // namespace

std::variant<KeyTemplate, TemplateError> parse_key_template(std::string_view text) {
  return TemplateReader(text).read();
}

std::uint64_t hashed_suffix(const HashedSuffix& part, std::string_view field_text) noexcept {
  return part.first + murmur3_x64_128(field_text).h1 % part.count;
}

}  // namespace partsim
