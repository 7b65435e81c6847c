// Listed values of a field: text, number, boolean or null, by how they are written.
#include <algorithm>
#include <initializer_list>

#include "scalar.hpp"

namespace partsim {
namespace {

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

bool in_words(std::string_view text, std::initializer_list<std::string_view> words) {
  return std::find(words.begin(), words.end(), text) != words.end();
}

/// Numbers of any YAML dialect: octal, hexadecimal, exponents, underscores, sexagesimal.
bool looks_like_number(std::string_view text) {
  if (!text.empty() && (text.front() == '-' || text.front() == '+')) {
    text.remove_prefix(1);
  }
  const bool starts =
      !text.empty() &&
      (is_digit(text.front()) || (text.front() == '.' && text.size() > 1 && is_digit(text[1])));
  if (!starts) {
    return in_words(lower_case(text), {".inf", ".nan"});
  }
  const std::string lower = lower_case(text);
  if (lower.starts_with("0x") || lower.starts_with("0o") || lower.starts_with("0b")) {
    return lower.find_first_not_of("0123456789abcdef_", 2) == std::string::npos;
  }
  for (std::size_t i = 0; i < lower.size(); ++i) {
    const bool sign_of_exponent = (lower[i] == '-' || lower[i] == '+') && lower[i - 1] == 'e';
    if (!is_digit(lower[i]) && !sign_of_exponent &&
        std::string_view("._,:e").find(lower[i]) == std::string_view::npos) {
      return false;
    }
  }
  return true;
}

}  // namespace

std::optional<KeyComponent> parse_component(const TreeNode& node) {
  if (node.is_list()) {
    return std::nullopt;
  }
  if (node.is_map()) {
    const TreeNode* undefined = node.entries.size() == 1 ? node.find("undefined") : nullptr;
    const bool is_true = undefined != nullptr && !undefined->is_quoted && undefined->text == "true";
    return is_true ? std::optional<KeyComponent>(Undefined{}) : std::nullopt;
  }
  if (node.kind == TreeNode::Kind::empty) {
    return node.text == "null" ? std::optional<KeyComponent>(Null{}) : std::nullopt;
  }
  if (node.is_quoted) {
    return KeyComponent(node.text);
  }
  if (node.text == "true" || node.text == "false") {
    return KeyComponent(node.text == "true");
  }
  std::string_view digits = node.text;
  const bool is_negative = digits.starts_with('-');
  digits.remove_prefix(is_negative ? 1 : 0);
  if (const auto number = parse_plain_number(digits)) {
    // Minus zero would be a second spelling of the same key.
    return KeyComponent(is_negative && *number > 0 ? -*number : *number);
  }
  if (looks_like_number(node.text) ||
      in_words(lower_case(node.text), {"true", "false", "yes", "no", "on", "off", "y", "n"})) {
    return std::nullopt;
  }
  return KeyComponent(node.text);
}

}  // namespace partsim
