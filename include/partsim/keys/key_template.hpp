/// Key templates: literal text, `{field}`, `{random a..b}`, `{hash field a..b}`. `{{` and `}}` are
/// literal braces. Parsed once; the running engine only walks the parts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace partsim {

struct LiteralText {
  std::string text;
  [[nodiscard]] bool operator==(const LiteralText&) const = default;
};
/// `{vin}`: the item's field as text.
struct FieldValue {
  std::string field;
  [[nodiscard]] bool operator==(const FieldValue&) const = default;
};
/// `{random 1..400}`: best spread of writes, but a reader cannot compute it again.
struct RandomSuffix {
  std::uint64_t first = 0;
  std::uint64_t count = 1;
  [[nodiscard]] bool operator==(const RandomSuffix&) const = default;
};
/// `{hash vin 1..400}`: the same item always gets the same suffix, so a reader who knows the field
/// can compute the key again. That is what sets it apart from RandomSuffix, whose reads must fan
/// out.
struct HashedSuffix {
  std::string field;
  std::uint64_t first = 0;
  std::uint64_t count = 1;
  [[nodiscard]] bool operator==(const HashedSuffix&) const = default;
};

using KeyPart = std::variant<LiteralText, FieldValue, RandomSuffix, HashedSuffix>;

/// One level of a key. Exactly one FieldValue and nothing else keeps the field's own type
/// (a numeric field makes a number key); anything else is a string.
struct KeyTemplate {
  std::string text;  // as written
  std::vector<KeyPart> parts;
  [[nodiscard]] bool operator==(const KeyTemplate&) const = default;
};

struct TemplateError {
  std::size_t offset;   // byte in the text, its size for what is missing at the end
  std::string message;  // "expected '}'", "unknown word 'rand', did you mean 'random'?" ...
};

/// The template, or why not. Field names are [A-Za-z_][A-Za-z0-9_]*, but not `random` or `hash`;
/// ranges 0 <= a <= b < 2^32. Spaces may surround the words inside braces. Neighbouring literal
/// text is one part; an empty text is an error.
[[nodiscard]] std::variant<KeyTemplate, TemplateError> parse_key_template(std::string_view text);

/// The suffix of `{hash field a..b}`: first + murmur3_x64_128(field text).h1 % count.
[[nodiscard]] std::uint64_t hashed_suffix(const HashedSuffix& part,
                                          std::string_view field_text) noexcept;

}  // namespace partsim
