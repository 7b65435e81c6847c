#include <set>

#include "partsim/loader/loader.hpp"

#include "language.hpp"
#include "scalar.hpp"

namespace partsim {
namespace {

std::string json_text(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      out += '\\';
    }
    out += c;
  }
  return out += '"';
}

/// A JSON object under construction: members keep the order in which they were added.
class Object {
 public:
  Object& add(std::string_view key, std::string value) {
    members_.emplace_back(std::string(key), std::move(value));
    return *this;
  }
  Object& text(std::string_view key, std::string_view value) { return add(key, json_text(value)); }
  [[nodiscard]] bool empty() const { return members_.empty(); }
  [[nodiscard]] std::string str() const {
    if (members_.empty()) {
      return "{}";
    }
    std::string out = "{";
    for (const auto& [key, value] : members_) {
      out += (out.size() > 1 ? ",\n" : "\n") + indented(json_text(key) + ": " + value);
    }
    return out + "\n}";
  }
  static std::string indented(const std::string& text) {
    std::string out = "  ";
    for (const char c : text) {
      out += c;
      if (c == '\n') {
        out += "  ";
      }
    }
    return out;
  }

 private:
  std::vector<std::pair<std::string, std::string>> members_;
};

std::string json_list(const std::vector<std::string>& items) {
  if (items.empty()) {
    return "[]";
  }
  std::string out = "[";
  for (const std::string& item : items) {
    out += (out.size() > 1 ? ",\n" : "\n") + Object::indented(item);
  }
  return out + "\n]";
}

constexpr std::string_view kNumber = "(0|[1-9][0-9]*)(\\.[0-9]+)?";
constexpr std::string_view kTimeUnit = "(ns|us|ms|s|m|min|h|d)";
constexpr std::string_view kNamePattern = "^[A-Za-z0-9]([A-Za-z0-9._-]{0,62}[A-Za-z0-9_-])?$";
constexpr std::string_view kFieldPattern = "^[A-Za-z_][A-Za-z0-9_]{0,63}$";

/// The texts a kind accepts; empty where a pattern cannot say it.
std::string pattern_of(ValueKind kind) {
  const std::string number(kNumber);
  const std::string duration = number + " ?" + std::string(kTimeUnit);
  switch (kind) {
    case ValueKind::duration:
      return "^" + duration + "$";
    case ValueKind::service_duration:
      return "^" + duration + "(/RU)?$";
    case ValueKind::jitter:
      return "^(" + duration + "|" + number + " ?%)$";
    case ValueKind::rate:
      return "^" + number + " ?/(" + number + " ?)?" + std::string(kTimeUnit) + "$";
    case ValueKind::throughput:
      return "^" + number + " ?RU/s$";
    case ValueKind::ru:
      return "^" + number + " ?RU$";
    case ValueKind::size:
      return "^" + number + " ?(B|KB|MB|GB|TB)$";
    case ValueKind::percent:
      return "^" + number + " ?%$";
    case ValueKind::utc:
      return "^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}Z$";
    case ValueKind::name:
      return std::string(kNamePattern);
    case ValueKind::field_name:
      return std::string(kFieldPattern);
    case ValueKind::number_format:
      return "^[^{}]*\\{(:0([1-9]|1[0-8]))?\\}[^{}]*$";
    case ValueKind::expectation:
      return "^[^<>=!]+(<|<=|>|>=|==|!=) *[0-9A-Za-z][^<>=!]*$";
    default:
      return "";
  }
}

class SchemaWriter {
 public:
  std::string write() {
    Object root;
    root.text("$schema", "http://json-schema.org/draft-07/schema#");
    root.text("title", "partsim scenario, version 1");
    add_section(root, scenario_language(), false);
    // Definitions appear while their users are written.
    Object definitions;
    for (const auto& [name, text] : definitions_) {
      definitions.add(name, text);
    }
    root.add("definitions", definitions.str());
    return root.str() + "\n";
  }

 private:
  /// Fragments hold any part of a section, so nothing is required in them.
  std::string reference(const Section& section, bool is_partial) {
    const bool is_variant = &section == &fragment_language();
    const bool has_own_name = !is_partial && !section.schema_name.empty();
    const std::string name = std::string(has_own_name ? section.schema_name : section.name) +
                             (is_partial && !is_variant ? "_fragment" : "");
    if (seen_.insert(name).second) {
      Object definition;
      add_section(definition, section, is_partial);
      definitions_.emplace_back(name, definition.str());
    }
    Object object;
    object.text("$ref", "#/definitions/" + name);
    return object.str();
  }

  void add_section(Object& object, const Section& section, bool is_partial) {
    object.text("description", section.description);
    object.text("type", "object");
    object.add("additionalProperties", "false");
    Object properties;
    std::vector<std::string> required;
    for (const Key& key : section.keys) {
      properties.add(key.name, property(section, key, is_partial));
      if (key.required) {
        required.push_back(json_text(key.name));
      }
    }
    object.add("properties", properties.str());
    if (!is_partial) {
      if (!required.empty()) {
        object.add("required", json_list(required));
      }
      add_alternatives(object, section);
    }
  }

  static std::string requires_key(std::string_view name) {
    return Object().add("required", "[" + json_text(name) + "]").str();
  }

  static void add_alternatives(Object& object, const Section& section) {
    std::vector<std::string> branches;
    for (const Key* selector : section.selectors()) {
      std::vector<std::string> required{json_text(selector->name)};
      std::vector<std::string> forbidden;
      for (const Key& key : section.keys) {
        if ((key.required_with & selector->goes_with) != 0) {
          required.push_back(json_text(key.name));
        }
        if (!key.selects && key.goes_with != 0 && (key.goes_with & selector->goes_with) == 0) {
          forbidden.push_back(requires_key(key.name));
        }
      }
      Object branch;
      branch.add("required", json_list(required));
      if (!forbidden.empty()) {
        branch.add("not", Object().add("anyOf", json_list(forbidden)).str());
      }
      branches.push_back(branch.str());
    }
    if (section.may_select_none) {
      std::vector<std::string> all;
      for (const Key& key : section.keys) {
        if (key.goes_with != 0) {
          all.push_back(requires_key(key.name));
        }
      }
      branches.push_back(Object().add("not", Object().add("anyOf", json_list(all)).str()).str());
    }
    if (!branches.empty()) {
      object.add("oneOf", json_list(branches));
    }
    add_exclusions(object, section);
  }

  static void add_exclusions(Object& object, const Section& section) {
    std::vector<std::string> pairs;
    for (const Key& key : section.keys) {
      for (const Key& other : section.keys) {
        if (&key < &other && key.excludes_key(other.name)) {
          pairs.push_back(
              Object()
                  .add("required", json_list({json_text(key.name), json_text(other.name)}))
                  .str());
        }
      }
    }
    if (!pairs.empty()) {
      object.add("not", Object().add("anyOf", json_list(pairs)).str());
    }
  }

  std::string property(const Section& section, const Key& key, bool is_partial) {
    Object object;
    std::string description(key.description);
    if (const std::string fallback = fallback_text(section, key); !fallback.empty()) {
      description += " (" + fallback + ")";
    }
    object.text("description", description);
    add_value(object, key.value, is_partial);
    return object.str();
  }

  std::string value(const ValueRule& rule, bool is_partial) {
    Object object;
    add_value(object, rule, is_partial);
    return object.str();
  }

  static std::string words(std::span<const Word> words) {
    std::vector<std::string> names;
    for (const Word& word : words) {
      names.push_back(json_text(word.name));
    }
    return json_list(names);
  }

  void add_list(Object& object, const ValueRule& rule) {
    object.text("type", "array");
    object.add("minItems", std::to_string(rule.min));
    object.add("maxItems", std::to_string(rule.max));
    object.add("items", value(*rule.items, false));
    if (rule.items->kind == ValueKind::field_name || rule.items->kind == ValueKind::name) {
      object.add("uniqueItems", "true");
    }
  }

  void add_named(Object& object, const ValueRule& rule, bool is_partial) {
    const bool inner_partial = is_partial || rule.names == NameRule::variant;
    object.text("type", "object");
    object.add("minProperties", std::to_string(is_partial ? 0 : rule.min));
    object.add("maxProperties", std::to_string(rule.max));
    const auto pattern = rule.names == NameRule::field ? kFieldPattern : kNamePattern;
    object.add("propertyNames", Object().text("pattern", pattern).str());
    object.add("additionalProperties", reference(*rule.section, inner_partial));
  }

  void add_value(Object& object, const ValueRule& rule, bool is_partial) {
    switch (rule.kind) {
      case ValueKind::section:
        // Draft-07 ignores what stands beside a $ref, so the description needs the detour.
        object.add("allOf", json_list({reference(*rule.section, is_partial)}));
        return;
      case ValueKind::named_sections:
        add_named(object, rule, is_partial);
        return;
      case ValueKind::list:
        add_list(object, rule);
        return;
      case ValueKind::text_or_list: {
        Object list;
        add_list(list, rule);
        object.add("oneOf", json_list({value(*rule.items, false), list.str()}));
        return;
      }
      case ValueKind::scalar_or_section:
        object.add("oneOf",
                   json_list({value(*rule.items, false), reference(*rule.section, is_partial)}));
        return;
      case ValueKind::choice_or_list: {
        Object list;
        add_list(list, rule);
        object.add("oneOf", json_list({Object().add("enum", words(rule.words)).str(), list.str()}));
        return;
      }
      case ValueKind::choice_or_section:
        object.add("oneOf", json_list({Object().add("enum", words(rule.words)).str(),
                                       reference(*rule.section, is_partial)}));
        return;
      case ValueKind::choice_or_numbered: {
        Object numbered;
        numbered.text("type", "object");
        numbered.add("minProperties", std::to_string(rule.min));
        numbered.add("maxProperties", std::to_string(rule.max));
        numbered.add("propertyNames", Object().text("pattern", "^(0|[1-9][0-9]*)$").str());
        numbered.add("additionalProperties", value(*rule.items, false));
        object.add("oneOf",
                   json_list({Object().add("enum", words(rule.words)).str(), numbered.str()}));
        return;
      }
      case ValueKind::choice:
        object.add("enum", words(rule.words));
        return;
      case ValueKind::any_scalar:
        add_any_scalar(object);
        return;
      default:
        add_scalar(object, rule);
    }
  }

  /// A value of a field; an item may lack it.
  static void add_any_scalar(Object& object) {
    object.add("type", R"(["string", "number", "boolean", "null", "object"])");
    Object undefined;
    undefined.text("description", "true: the item has no such field");
    undefined.add("const", "true");
    object.add("properties", Object().add("undefined", undefined.str()).str());
    object.add("required", R"(["undefined"])");
    object.add("additionalProperties", "false");
  }

  static void add_scalar(Object& object, const ValueRule& rule) {
    if (rule.kind <= ValueKind::kb_number) {
      object.text("type", rule.kind == ValueKind::integer ? "integer" : "number");
      object.add("minimum", format_number(rule.kind, rule.min));
      object.add("maximum", format_number(rule.kind, rule.max));
    } else if (rule.kind == ValueKind::boolean) {
      object.text("type", "boolean");
      if (rule.min == 1) {
        object.add("const", "true");
      }
    } else {
      object.text("type", "string");
      if (const std::string pattern = pattern_of(rule.kind); !pattern.empty()) {
        object.text("pattern", pattern);
      } else {
        object.add("minLength", "1");
      }
      if (rule.kind == ValueKind::title || rule.kind == ValueKind::file_name) {
        object.add("maxLength", std::to_string(rule.max));
      }
    }
  }

  std::set<std::string> seen_;
  std::vector<std::pair<std::string, std::string>> definitions_;
};

std::vector<NamedChoice> choices_of(std::span<const Word> words) {
  std::vector<NamedChoice> choices;
  for (const Word& word : words) {
    choices.push_back({std::string(word.name), std::string(word.description)});
  }
  return choices;
}

}  // namespace

std::string scenario_schema() {
  return SchemaWriter().write();
}

std::vector<ChoiceGroup> scenario_choices() {
  std::vector<ChoiceGroup> groups{
      {"groups", choices_of(group_words())},
      {"providers", choices_of(provider_words())},
      {"apis", choices_of(api_words())},
      {"throttle models", choices_of(throttle_model_words())},
      {"operations", choices_of(operation_words())},
      {"fields", choices_of(field_words())},
      {"spacings", choices_of(spacing_words())},
      {"daily curves", choices_of(curve_words())},
      {"retry policies", choices_of(retry_words())},
      {"back-off jitters", choices_of(jitter_words())},
      {"consistency levels", choices_of(consistency_words())},
      {"hash versions", choices_of(hash_words())},
      {"priorities", choices_of(priority_words())},
      {"throughput distributions", choices_of(distribution_words())},
      {"split orders", choices_of(split_order_words())},
      {"split cuts", choices_of(split_cut_words())},
  };
  ChoiceGroup parameters{"parameters", {}};
  for (const Key& key : section_of_parameters().keys) {
    parameters.choices.push_back(
        {std::string(key.name),
         std::string(key.description) + " (" + fallback_text(section_of_parameters(), key) + ")"});
  }
  groups.push_back(std::move(parameters));
  return groups;
}

}  // namespace partsim
