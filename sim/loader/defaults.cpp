// What a scenario leaves out: the defaults of the language, of the provider, and those that follow
// from the rest of the file.
#include <algorithm>
#include <utility>

#include "fragment.hpp"
#include "resolve.hpp"
#include "walk.hpp"

namespace partsim {
namespace {

TreeNode scalar_default(std::string_view text, Place place) {
  TreeNode node;
  node.kind = TreeNode::Kind::scalar;
  node.is_default = true;
  node.place = place;
  node.text = text;
  return node;
}

/// `{}`, `[main]` or a scalar, as the table has it.
TreeNode default_node(std::string_view text, Place place) {
  TreeNode node = scalar_default("", place);
  if (text == "{}") {
    node.kind = TreeNode::Kind::map;
    return node;
  }
  if (text.starts_with('[')) {
    node.kind = TreeNode::Kind::list;
    node.items.push_back(scalar_default(text.substr(1, text.size() - 2), place));
    return node;
  }
  return scalar_default(text, place);
}

Place key_place(const TreeNode& map, std::string_view key) {
  for (const Entry& entry : map.entries) {
    if (entry.key == key) {
      return entry.key_place;
    }
  }
  return map.place;
}

class Defaults {
 public:
  /// Resolving moves the nodes about, so what other parts ask for is kept apart.
  explicit Defaults(const TreeNode& fragment)
      : profile_(profile_of(fragment)), containers_(containers_in(fragment)) {
    const TreeNode* regions = fragment.find("regions");
    first_region_ = regions == nullptr ? "main" : regions->items.front().text;
    only_container_ = only_container(fragment);
    only_pool_ = only_pool(fragment);
  }

  void section(TreeNode& map, const Section& section, Place owner) {
    if (section.name == "client") {
      fields_ = fields_of(map);
    }
    const std::uint16_t chosen = selected_alternative(map, section);
    const TreeNode* named = section.name == "retry" ? map.find("preset") : nullptr;
    const std::string preset = named == nullptr ? std::string() : named->text;
    std::vector<Entry> ordered;
    for (const Key& key : section.keys) {
      const bool applies = key.goes_with == 0 || (key.goes_with & chosen) != 0;
      const std::string_view fallback =
          preset.empty() ? fallback_of(section, key, profile_) : preset_value(preset, key);
      if (TreeNode* written = map.find(key.name)) {
        ordered.push_back({std::string(key.name), key_place(map, key.name), std::move(*written)});
      } else if (!fallback.empty() && applies && !is_foreign(key)) {
        ordered.push_back({std::string(key.name), owner, default_node(fallback, owner)});
      } else if (auto node = applies ? derived(section, ordered, key, owner) : std::nullopt) {
        ordered.push_back({std::string(key.name), owner, std::move(*node)});
      }
    }
    map.entries = std::move(ordered);
    for (Entry& entry : map.entries) {
      value(entry.value, section.find(entry.key)->value, entry.key_place);
    }
  }

 private:
  /// Other providers have no APIs to choose from.
  [[nodiscard]] bool is_foreign(const Key& key) const {
    return key.name == "api" && profile_.provider == Provider::dynamodb;
  }

  [[nodiscard]] std::vector<std::string> fields_of(const TreeNode& client) const {
    const TreeNode* name = client.find("container");
    for (const NamedContainer& container : containers_) {
      if (name == nullptr || container.name == name->text) {
        return container.fields;
      }
    }
    return {};
  }

  /// Defaults that depend on the rest: a read knows all fields, a query returns all that matches.
  [[nodiscard]] std::optional<TreeNode> derived(const Section& section,
                                                const std::vector<Entry>& earlier, const Key& key,
                                                Place owner) const {
    const auto is_there = [&earlier](std::string_view name) {
      return std::any_of(earlier.begin(), earlier.end(),
                         [name](const Entry& entry) { return entry.key == name; });
    };
    if (key.name == "given") {
      TreeNode list = scalar_default("", owner);
      list.kind = TreeNode::Kind::list;
      for (const std::string& field :
           is_there("read_feed") ? std::vector<std::string>() : fields_) {
        list.items.push_back(scalar_default(field, owner));
      }
      return list;
    }
    if (key.name == "returned") {
      const auto matches = std::find_if(earlier.begin(), earlier.end(),
                                        [](const Entry& entry) { return entry.key == "matches"; });
      return scalar_default(matches == earlier.end() ? "1" : matches->value.text, owner);
    }
    if (key.name == "region") {
      return scalar_default(first_region_, owner);
    }
    const bool is_timeline = section.name == "timeline";
    if (key.name == "container" && (is_timeline || section.name == "client")) {
      const std::string& only = is_timeline ? only_pool_ : only_container_;
      return only.empty() ? std::nullopt : std::optional(scalar_default(only, owner));
    }
    return std::nullopt;
  }

  void value(TreeNode& node, const ValueRule& rule, Place owner) {
    if (node.is_map() && rule.kind == ValueKind::named_sections) {
      for (Entry& entry : node.entries) {
        section(entry.value, *rule.section, entry.key_place);
      }
    } else if (node.is_map() && rule.section != nullptr) {
      section(node, *rule.section, owner);
    } else if (node.is_list() && rule.items != nullptr && rule.items->section != nullptr) {
      for (TreeNode& item : node.items) {
        section(item, *rule.items->section, item.place);
      }
    }
  }

  Profile profile_;
  std::vector<NamedContainer> containers_;
  std::string first_region_;
  std::string only_container_;
  std::string only_pool_;
  std::vector<std::string> fields_;  // of the container of the client in hand
};

}  // namespace

void resolve_defaults(TreeNode& fragment) {
  Defaults(fragment).section(fragment, fragment_language(), fragment.place);
}

}  // namespace partsim
