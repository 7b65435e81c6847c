#include "walk.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "partsim/loader/loader.hpp"

#include "scalar.hpp"

namespace partsim {
namespace {

/// Suggestions cost a comparison with every known word; nobody reads hundreds.
constexpr std::size_t kMaxHints = 100;

using KeySet = std::set<std::string, std::less<>>;

/// Known keys that a misspelt one stands for: they are not missing as well.
KeySet meant_keys(const TreeNode& map, const Section& section) {
  const std::vector<std::string> names = section.key_names();
  KeySet meant;
  std::size_t unknown = 0;
  for (const Entry& entry : map.entries) {
    if (section.find(entry.key) == nullptr && ++unknown <= kMaxHints) {
      if (auto nearest = nearest_word(entry.key, names)) {
        meant.insert(std::move(*nearest));
      }
    }
  }
  return meant;
}

/// The file itself, or a variant merged over it: no need to say in which section.
bool is_whole(const Section& section) {
  return &section == &scenario_language() || &section == &fragment_language();
}

class Walk {
 public:
  explicit Walk(std::vector<Fault>& faults) : faults_(faults) {}

  void section(const TreeNode& map, const Section& section, Place owner);

 private:
  void add(Place place, std::string message, std::string hint = {}) {
    faults_.push_back({place, shortened(std::move(message), 200), std::move(hint)});
  }
  [[nodiscard]] std::string hint(std::string_view word, const std::vector<std::string>& known) {
    return ++hints_ > kMaxHints ? std::string() : suggestion(word, known);
  }
  void unknown_key(const Entry& entry, const Section& section);
  void alternatives(const TreeNode& map, const Section& section, Place owner, const KeySet& meant);
  void value(const TreeNode& node, const ValueRule& rule, const std::string& what, Place owner);
  void named(const TreeNode& map, const ValueRule& rule, const std::string& what, Place owner);
  void list(const TreeNode& node, const ValueRule& rule, const std::string& what);
  void numbered(const TreeNode& map, const ValueRule& rule, const std::string& what);
  void empty(const TreeNode& node, const ValueRule& rule, const std::string& what);

  std::vector<Fault>& faults_;
  std::size_t hints_ = 0;
};

void Walk::unknown_key(const Entry& entry, const Section& section) {
  if (&section == &fragment_language() && scenario_language().find(entry.key) != nullptr) {
    add(entry.key_place, quoted(entry.key) + " belongs to the whole file, not to a variant");
    return;
  }
  std::string message = "unknown key " + quoted(entry.key);
  if (!is_whole(section)) {
    message += " in " + quoted(section.name);
  }
  if (const auto letter = first_non_ascii(entry.key)) {
    message += ", which holds the non-ASCII character " + *letter;
  }
  if (section.find(lower_case(entry.key)) != nullptr) {
    message += ", keys are case-sensitive";
  }
  const std::vector<std::string> names = section.key_names();
  std::string near = hint(entry.key, names);
  if (near.empty() && hints_ <= kMaxHints) {
    near = "known keys: " + joined(names, 150);
  }
  add(entry.key_place, std::move(message), std::move(near));
}

void Walk::alternatives(const TreeNode& map, const Section& section, Place owner,
                        const KeySet& meant) {
  const std::vector<const Key*> selectors = section.selectors();
  if (selectors.empty()) {
    return;
  }
  std::vector<std::string> names;
  names.reserve(selectors.size());
  for (const Key* key : selectors) {
    names.emplace_back(key->name);
  }
  const Key* chosen = nullptr;
  for (const Entry& entry : map.entries) {
    const Key* key = section.find(entry.key);
    if (key == nullptr || !key->selects) {
      continue;
    }
    if (chosen != nullptr) {
      add(entry.key_place, quoted(entry.key) + " does not go with " + quoted(chosen->name) +
                               ", expected exactly one of " + joined(names));
      continue;
    }
    chosen = key;
  }
  if (chosen == nullptr && std::any_of(names.begin(), names.end(), [&meant](const auto& name) {
        return meant.contains(name);
      })) {
    return;
  }
  if (chosen == nullptr && !section.may_select_none) {
    add(owner, is_whole(section) ? "missing key, expected exactly one of " + joined(names)
                                 : "nothing selected in " + quoted(section.name) +
                                       ", expected exactly one of " + joined(names));
    return;
  }
  const std::uint16_t alternative = chosen == nullptr ? 0 : chosen->goes_with;
  for (const Entry& entry : map.entries) {
    const Key* key = section.find(entry.key);
    if (key != nullptr && !key->selects && key->goes_with != 0 &&
        (key->goes_with & alternative) == 0) {
      add(entry.key_place,
          quoted(entry.key) + (chosen == nullptr ? " needs one of " + joined(names)
                                                 : " does not go with " + quoted(chosen->name)));
    }
  }
  for (const Key& key : section.keys) {
    if ((key.required_with & alternative) != 0 && map.find(key.name) == nullptr &&
        !meant.contains(key.name)) {
      add(owner, "missing key " + quoted(key.name) + " beside " + quoted(chosen->name));
    }
  }
}

void Walk::section(const TreeNode& map, const Section& section, Place owner) {
  const KeySet meant = meant_keys(map, section);
  for (const Key& key : section.keys) {
    if (key.required && map.find(key.name) == nullptr && !meant.contains(key.name)) {
      const std::string where = is_whole(section) ? std::string() : " in " + quoted(section.name);
      add(owner,
          "missing key " + quoted(key.name) + where + ", expected " + expectation_of(key.value));
    }
  }
  alternatives(map, section, owner, meant);
  for (const Entry& entry : map.entries) {
    const Key* key = section.find(entry.key);
    if (key == nullptr) {
      unknown_key(entry, section);
      continue;
    }
    // Reported once, at the second of the two.
    for (const Entry& other : map.entries) {
      if (other.value.place < entry.value.place && key->excludes_key(other.key)) {
        add(entry.key_place, quoted(entry.key) + " does not go with " + quoted(other.key));
      }
    }
    value(entry.value, key->value, quoted(entry.key), entry.key_place);
  }
}

void Walk::empty(const TreeNode& node, const ValueRule& rule, const std::string& what) {
  if (node.text.empty()) {
    const bool is_section =
        rule.kind == ValueKind::section || rule.kind == ValueKind::named_sections;
    add(node.place, (is_section ? "section " + what + " is empty" : "missing value of " + what) +
                        ", expected " + expectation_of(rule));
  } else {
    add(node.place, what + " is null, expected " + expectation_of(rule));
  }
}

void Walk::list(const TreeNode& node, const ValueRule& rule, const std::string& what) {
  if (node.items.size() < rule.min || node.items.size() > rule.max) {
    add(node.place, what + " has " + std::to_string(node.items.size()) + " items, expected " +
                        std::to_string(rule.min) + " to " + std::to_string(rule.max));
  }
  std::map<std::string_view, std::size_t> seen;
  for (std::size_t i = 0; i < node.items.size(); ++i) {
    const TreeNode& item = node.items[i];
    const std::string label = "item " + std::to_string(i + 1) + " of " + what;
    if (item.kind == TreeNode::Kind::empty && item.text.empty()) {
      add(item.place, label + " is empty, expected " + expectation_of(*rule.items));
      continue;
    }
    value(item, *rule.items, label, item.place);
    const bool must_differ =
        rule.items->kind == ValueKind::field_name || rule.items->kind == ValueKind::name;
    if (must_differ && item.is_scalar() && !seen.emplace(item.text, i).second) {
      add(item.place, label + " is there twice, got " + quoted(item.text));
    }
  }
}

void Walk::named(const TreeNode& map, const ValueRule& rule, const std::string& what, Place owner) {
  if (map.entries.size() < rule.min || map.entries.size() > rule.max) {
    add(owner, what + " has " + std::to_string(map.entries.size()) + " members, expected " +
                   std::to_string(rule.min) + " to " + std::to_string(rule.max));
  }
  std::map<std::string, const Entry*> seen;
  for (const Entry& entry : map.entries) {
    if (auto fault = name_fault(entry.key, rule.names)) {
      add(entry.key_place, std::move(*fault));
    }
    const auto [first, is_new] =
        seen.emplace(rule.names == NameRule::field ? entry.key : lower_case(entry.key), &entry);
    if (!is_new) {
      add(entry.key_place, "names " + quoted(first->second->key) + " and " + quoted(entry.key) +
                               " differ only by case");
    }
    const ValueRule inner{.kind = ValueKind::section, .section = rule.section};
    // A variant is checked where it matters: merged over the scenario.
    if (rule.names != NameRule::variant || !entry.value.is_map()) {
      value(entry.value, inner, quoted(entry.key), entry.key_place);
    }
  }
}

void Walk::numbered(const TreeNode& map, const ValueRule& rule, const std::string& what) {
  if (map.entries.size() < rule.min || map.entries.size() > rule.max) {
    add(map.place, what + " has " + std::to_string(map.entries.size()) + " members, expected " +
                       std::to_string(rule.min) + " to " + std::to_string(rule.max));
  }
  for (const Entry& entry : map.entries) {
    const Parsed<std::uint64_t> number = parse_integer(entry.key);
    if (!number || *number.value > UINT32_MAX) {
      add(entry.key_place,
          "a partition goes by its id, expected an integer, got " + quoted(entry.key));
    }
    value(entry.value, *rule.items, quoted(entry.key), entry.key_place);
  }
}

void Walk::value(const TreeNode& node, const ValueRule& rule, const std::string& what,
                 Place owner) {
  // `null` and `{undefined: true}` are values of a field.
  const bool is_value = rule.kind == ValueKind::any_scalar && parse_component(node);
  if (node.kind == TreeNode::Kind::empty && !is_value) {
    empty(node, rule, what);
    return;
  }
  const bool takes_map =
      rule.kind == ValueKind::section || rule.kind == ValueKind::named_sections ||
      rule.kind == ValueKind::scalar_or_section || rule.kind == ValueKind::choice_or_section ||
      rule.kind == ValueKind::choice_or_numbered;
  const bool takes_list = rule.kind == ValueKind::list || rule.kind == ValueKind::text_or_list ||
                          rule.kind == ValueKind::choice_or_list;
  const bool takes_scalar = rule.kind != ValueKind::section &&
                            rule.kind != ValueKind::named_sections && rule.kind != ValueKind::list;
  if (node.is_map() && takes_map) {
    if (rule.kind == ValueKind::named_sections) {
      named(node, rule, what, owner);
    } else if (rule.kind == ValueKind::choice_or_numbered) {
      numbered(node, rule, what);
    } else {
      section(node, *rule.section, owner);
    }
  } else if (node.is_list() && takes_list) {
    list(node, rule, what);
  } else if (takes_scalar && (node.is_scalar() || is_value)) {
    const bool has_inner =
        rule.kind == ValueKind::text_or_list || rule.kind == ValueKind::scalar_or_section;
    const ValueRule& scalar = has_inner ? *rule.items : rule;
    if (auto fault = check_scalar(node, scalar, what)) {
      add(fault->place, std::move(fault->message),
          ++hints_ > kMaxHints ? std::string() : std::move(fault->hint));
    }
  } else {
    add(node.place,
        what + " has the wrong type, expected " + expectation_of(rule) + ", got " + describe(node));
  }
}

}  // namespace

void walk_section(const TreeNode& map, const Section& section, Place owner,
                  std::vector<Fault>& faults) {
  Walk(faults).section(map, section, owner);
}

std::uint16_t selected_alternative(const TreeNode& map, const Section& section) {
  for (const Entry& entry : map.entries) {
    const Key* key = section.find(entry.key);
    if (key != nullptr && key->selects) {
      return key->goes_with;
    }
  }
  return 0;
}

}  // namespace partsim
