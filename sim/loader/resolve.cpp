#include "resolve.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "partsim/core/units.hpp"

#include "scalar.hpp"
#include "walk.hpp"

namespace partsim {
namespace {

/// Where each key of a mapping stands, so that merging thousands of entries stays quick.
using Index = std::map<std::string, std::size_t, std::less<>>;

Index index_of(const TreeNode& map) {
  Index index;
  for (std::size_t i = 0; i < map.entries.size(); ++i) {
    index.emplace(map.entries[i].key, i);
  }
  return index;
}

void merge_named(TreeNode& base, const TreeNode& fragment, const Section& section);

void merge_entry(TreeNode& base, Index& index, const Entry& entry, const ValueRule* rule) {
  const auto [found, is_new] = index.emplace(entry.key, base.entries.size());
  if (is_new) {
    base.entries.push_back(entry);
    return;
  }
  Entry& known = base.entries[found->second];
  const bool merges =
      known.value.is_map() && entry.value.is_map() && rule != nullptr && rule->section != nullptr;
  if (!merges) {
    known = entry;
  } else if (rule->kind == ValueKind::named_sections) {
    merge_named(known.value, entry.value, *rule->section);
  } else {
    merge_section(known.value, entry.value, *rule->section);
  }
}

void merge_named(TreeNode& base, const TreeNode& fragment, const Section& section) {
  const ValueRule inner{.kind = ValueKind::section, .section = &section};
  Index index = index_of(base);
  for (const Entry& entry : fragment.entries) {
    merge_entry(base, index, entry, &inner);
  }
}

/// Drops what the base said for another alternative; true if there was something.
bool drop_clashes(TreeNode& base, const Key& key, const Section& section) {
  const auto clashes = [&](const Entry& other) {
    const Key* known = section.find(other.key);
    const bool other_alternative = key.selects && known != nullptr && known->goes_with != 0 &&
                                   (known->goes_with & key.goes_with) == 0;
    return other_alternative || key.excludes_key(other.key);
  };
  const auto kept = std::remove_if(base.entries.begin(), base.entries.end(), clashes);
  const bool found = kept != base.entries.end();
  base.entries.erase(kept, base.entries.end());
  return found;
}

/// The entry whose key is the longest that begins the path; names may hold dots themselves.
template <class NodeType>
auto* longest_entry(NodeType& map, std::string_view path) {
  decltype(map.entries.data()) best = nullptr;
  for (auto& entry : map.entries) {
    const std::string& key = entry.key;
    const bool begins =
        path.starts_with(key) && (path.size() == key.size() || path[key.size()] == '.');
    if (begins && (best == nullptr || best->key.size() < key.size())) {
      best = &entry;
    }
  }
  return best;
}

std::string_view first_part(std::string_view path) {
  return path.substr(0, path.find('.'));
}

void remove_part(std::string_view& path, std::size_t length) {
  path.remove_prefix(std::min(path.size(), length + 1));
}

TreeNode empty_map(Place place) {
  TreeNode node;
  node.kind = TreeNode::Kind::map;
  node.place = place;
  return node;
}

/// The rule of a member of a mapping or list; an unknown one has no rule to speak of.
ValueRule rule_inside(const ValueRule& rule, std::string_view key) {
  if (rule.kind == ValueKind::named_sections) {
    return {.kind = ValueKind::section, .section = rule.section};
  }
  const Key* known = rule.section == nullptr ? nullptr : rule.section->find(key);
  return known == nullptr ? ValueRule{} : known->value;
}

/// Makes the rest of a path that does not exist yet, then merges it as a variant would be.
void merge_path(TreeNode& map, const ValueRule& rule, std::vector<std::string> parts,
                TreeNode value) {
  const Place place = value.place;
  for (; !parts.empty(); parts.pop_back()) {
    TreeNode outer = empty_map(place);
    outer.entries.push_back({std::move(parts.back()), place, std::move(value)});
    value = std::move(outer);
  }
  static constexpr Section kUnknown{};
  const Section& section = rule.section == nullptr ? kUnknown : *rule.section;
  if (rule.kind == ValueKind::named_sections) {
    merge_named(map, value, section);
  } else {
    merge_section(map, value, section);
  }
}

/// Whether a member has all that no default can give.
bool is_whole_member(const TreeNode& member, const Section& section) {
  const bool has_required = std::all_of(
      section.keys.begin(), section.keys.end(),
      [&member](const Key& key) { return !key.required || member.find(key.name) != nullptr; });
  const std::vector<const Key*> selectors = section.selectors();
  const bool has_selected =
      selectors.empty() || section.may_select_none ||
      std::any_of(selectors.begin(), selectors.end(),
                  [&member](const Key* key) { return member.find(key->name) != nullptr; });
  return member.is_map() && has_required && has_selected;
}

std::optional<Fault> set_in(TreeNode& at, const ValueRule& rule, std::string_view path,
                            TreeNode value) {
  if (at.is_list()) {
    const std::string_view part = first_part(path);
    const Parsed<std::uint64_t> index = parse_integer(part);
    if (!index || *index.value >= at.items.size()) {
      return Fault{{},
                   "no item " + quoted(part) + ", expected an index below " +
                       std::to_string(at.items.size()),
                   {}};
    }
    remove_part(path, part.size());
    TreeNode& item = at.items[*index.value];
    if (path.empty()) {
      item = std::move(value);
      return std::nullopt;
    }
    return set_in(item, rule.items == nullptr ? ValueRule{} : *rule.items, path, std::move(value));
  }
  if (!at.is_map()) {
    // A word such as `retry: dotnet` gives way to the mapping the path speaks of.
    at = empty_map(value.place);
  }
  if (Entry* next = longest_entry(at, path); next != nullptr && next->key.size() < path.size()) {
    const ValueRule inside = rule_inside(rule, next->key);
    remove_part(path, next->key.size());
    return set_in(next->value, inside, path, std::move(value));
  }
  std::vector<std::string> parts;
  if (longest_entry(at, path) != nullptr) {
    parts.emplace_back(path);
  } else {
    while (!path.empty()) {
      parts.emplace_back(first_part(path));
      remove_part(path, parts.back().size());
    }
  }
  merge_path(at, rule, std::move(parts), std::move(value));
  return std::nullopt;
}

}  // namespace

TreeNode fragment_of(const TreeNode& root) {
  TreeNode result;
  result.kind = TreeNode::Kind::map;
  result.place = root.place;
  for (const Entry& entry : root.entries) {
    // What nobody knows comes along: it may be what a missing key was meant to be.
    if (fragment_language().find(entry.key) != nullptr ||
        scenario_language().find(entry.key) == nullptr) {
      result.entries.push_back(entry);
    }
  }
  return result;
}

void merge_section(TreeNode& base, const TreeNode& fragment, const Section& section) {
  Index index = index_of(base);
  for (const Entry& entry : fragment.entries) {
    const Key* key = section.find(entry.key);
    if (key != nullptr && drop_clashes(base, *key, section)) {
      index = index_of(base);
    }
    merge_entry(base, index, entry, key == nullptr ? nullptr : &key->value);
  }
}

std::optional<Fault> set_path(TreeNode& root, std::string_view path, TreeNode value) {
  static constexpr std::size_t kMaxPathBytes = 256;
  const bool has_empty_part = path.empty() || path.front() == '.' || path.back() == '.' ||
                              path.find("..") != std::string_view::npos;
  if (has_empty_part || path.size() > kMaxPathBytes) {
    return Fault{{}, "not a path, expected names joined by dots, got " + quoted(path), {}};
  }
  const std::vector<std::string> names = fragment_language().key_names();
  if (fragment_language().find(first_part(path)) == nullptr) {
    return Fault{{},
                 "no such value " + quoted(first_part(path)) + ", expected one of " + joined(names),
                 suggestion(first_part(path), names)};
  }
  return set_in(root, {.kind = ValueKind::section, .section = &fragment_language()}, path,
                std::move(value));
}

std::optional<Fault> unknown_member(const TreeNode& before, const TreeNode& after,
                                    std::string_view path) {
  const TreeNode* was = &before;
  const TreeNode* is = &after;
  ValueRule rule{.kind = ValueKind::section, .section = &fragment_language()};
  while (was != nullptr && is != nullptr && was->is_map() && is->is_map()) {
    const Entry* known = longest_entry(*was, path);
    const Entry* now = longest_entry(*is, path);
    if (now == nullptr) {
      return std::nullopt;
    }
    if (known == nullptr) {
      // A value for all of it is judged as a value.
      const bool is_inside = path.size() > now->key.size();
      const bool is_named = rule.kind == ValueKind::named_sections && rule.section != nullptr;
      if (!is_named || !is_inside || is_whole_member(now->value, *rule.section)) {
        return std::nullopt;
      }
      std::vector<std::string> names;
      for (const Entry& entry : was->entries) {
        names.push_back(entry.key);
      }
      return Fault{{},
                   "unknown " + std::string(rule.section->name) + " " + quoted(now->key) +
                       ", expected one of " + joined(names),
                   suggestion(now->key, names)};
    }
    rule = rule_inside(rule, known->key);
    remove_part(path, known->key.size());
    was = &known->value;
    is = &now->value;
  }
  return std::nullopt;
}

Place find_place(const TreeNode& root, std::string_view path) {
  const TreeNode* at = &root;
  Place place = root.place;
  while (!path.empty()) {
    if (at->is_map()) {
      const Entry* next = longest_entry(*at, path);
      if (next == nullptr) {
        return place;
      }
      remove_part(path, next->key.size());
      at = &next->value;
      // A missing member is looked for under the name of its owner.
      place = path.empty() || !at->is_map() ? at->place : next->key_place;
      continue;
    }
    if (!at->is_list()) {
      return place;
    }
    // Items go by index, or by their text: what was sorted since is still found.
    const std::string_view part = first_part(path);
    const Parsed<std::uint64_t> index = parse_integer(part);
    const auto by_text = std::find_if(at->items.begin(), at->items.end(),
                                      [part](const TreeNode& item) { return item.text == part; });
    if (by_text != at->items.end() && by_text->is_scalar()) {
      at = &*by_text;
    } else if (index && *index.value < at->items.size()) {
      at = &at->items[*index.value];
    } else {
      return place;
    }
    place = at->place;
    remove_part(path, part.size());
  }
  return place;
}

}  // namespace partsim
