/// One value against its rule, and the typed readers the binding shares with that check.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "partsim/core/units.hpp"
#include "partsim/keys/component.hpp"

#include "language.hpp"
#include "tree.hpp"

namespace partsim {

/// What is wrong with a scalar, as `WHAT, expected ..., got ...`, placed at the value.
[[nodiscard]] std::optional<Fault> check_scalar(const TreeNode& node, const ValueRule& rule,
                                                std::string_view what);

/// "a duration such as 250ms, 10s, 5min": what a rule wants, for a message.
[[nodiscard]] std::string expectation_of(const ValueRule& rule);

/// What is wrong with a name the author chose; nullopt: nothing.
[[nodiscard]] std::optional<std::string> name_fault(std::string_view name, NameRule rule);

/// An amount in the integer scale of its kind (see ValueKind).
[[nodiscard]] Parsed<std::uint64_t> parse_amount(ValueKind kind, std::string_view text);

/// A plain number of its kind as it would be written.
[[nodiscard]] std::string format_number(ValueKind kind, std::uint64_t amount);

/// `VIN{:06}`: text around one number.
struct NumberFormat {
  std::string prefix;
  std::string suffix;
  std::uint32_t width = 0;
};
[[nodiscard]] std::optional<NumberFormat> parse_number_format(std::string_view text);

/// The key value a plain or quoted scalar stands for; nullopt when it looks like a number, boolean
/// or null of some YAML dialect without being one of ours.
[[nodiscard]] std::optional<KeyComponent> parse_component(const TreeNode& node);

/// DIGITS[.DIGITS], at most 400 characters, as the nearest double; nullopt if there is none.
[[nodiscard]] std::optional<double> parse_plain_number(std::string_view text);

/// The field of `/customer`, the way the service itself writes a key: as a template it would be
/// text and nothing else.
[[nodiscard]] std::optional<std::string> field_of_key_path(std::string_view text);
[[nodiscard]] std::string key_path_message(std::string_view text);
[[nodiscard]] std::string key_path_hint(std::string_view field);

[[nodiscard]] std::vector<std::string> word_names(std::span<const Word> words);
/// "did you mean 'x'?", or nothing.
[[nodiscard]] std::string suggestion(std::string_view word, const std::vector<std::string>& known);
/// "a, b and 3 more", at most about `limit` bytes.
[[nodiscard]] std::string joined(const std::vector<std::string>& words, std::size_t limit = 80);

}  // namespace partsim
