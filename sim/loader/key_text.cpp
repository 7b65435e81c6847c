#include "partsim/loader/key_text.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "partsim/keys/epk.hpp"

#include "scalar.hpp"
#include "text.hpp"
#include "tree.hpp"

namespace partsim {
namespace {

const std::string* field_of(const KeyPart& part) {
  if (const auto* value = std::get_if<FieldValue>(&part)) {
    return &value->field;
  }
  const auto* hashed = std::get_if<HashedSuffix>(&part);
  return hashed == nullptr ? nullptr : &hashed->field;
}

/// The levels as texts; nullopt leaves the reason in `error`.
std::optional<std::vector<std::string>> levels_of(std::string_view text, std::string& error) {
  if (!text.starts_with('[')) {
    return std::vector<std::string>{std::string(text)};
  }
  constexpr std::string_view kExpected = R"(, expected a list such as ["{tenant}", "{user}"])";
  const ParsedTree parsed = parse_value_tree(text, 1);
  if (!parsed.faults.empty() || !parsed.root || !parsed.root->is_list()) {
    error = (parsed.faults.empty() ? "it is no list" : parsed.faults.front().message) +
            std::string(kExpected);
    return std::nullopt;
  }
  std::vector<std::string> levels;
  for (const TreeNode& item : parsed.root->items) {
    if (!item.is_scalar()) {
      error = "a level is " + describe(item) + std::string(kExpected);
      return std::nullopt;
    }
    levels.push_back(item.text);
  }
  if (levels.empty() || levels.size() > kMaxKeyLevels) {
    error = "it has " + std::to_string(levels.size()) + " levels, expected 1 to 3";
    return std::nullopt;
  }
  return levels;
}

}  // namespace

KeyText parse_key_text(std::string_view text, const std::vector<std::string>& fields) {
  KeyText key;
  if (const auto fault = find_fault_in_value(text)) {
    key.error = fault->message;
    return key;
  }
  const auto levels = levels_of(text, key.error);
  if (!levels) {
    return key;
  }
  for (const std::string& level : *levels) {
    if (const auto field = field_of_key_path(level)) {
      key.error = key_path_message(level);
      key.hint = key_path_hint(*field);
      return key;
    }
    auto parsed = parse_key_template(level);
    if (const auto* wrong = std::get_if<TemplateError>(&parsed)) {
      key.error = wrong->message + " at character " + std::to_string(wrong->offset + 1);
      return key;
    }
    key.levels.push_back(std::get<KeyTemplate>(std::move(parsed)));
    for (const KeyPart& part : key.levels.back().parts) {
      const std::string* name = field_of(part);
      if (name != nullptr && std::find(fields.begin(), fields.end(), *name) == fields.end()) {
        key.error = "unknown field " + quoted(*name) +
                    (fields.empty() ? "; there are none" : ", expected one of " + joined(fields));
        key.hint = suggestion(*name, fields);
        return key;
      }
    }
  }
  return key;
}

}  // namespace partsim
