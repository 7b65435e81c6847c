#include "fragment.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "scalar.hpp"

namespace partsim {
namespace {

constexpr std::string_view kOnlyName = "main";

NamedContainer named(std::string_view name, const TreeNode& node, Place owner) {
  NamedContainer result{std::string(name), &node, {}, owner};
  const TreeNode* items = node.find("items");
  const TreeNode* fields = items == nullptr ? nullptr : items->find("fields");
  if (fields != nullptr) {
    for (const Entry& field : fields->entries) {
      result.fields.push_back(field.key);
    }
  }
  return result;
}

template <class Enum>
Enum word_or(const TreeNode* node, std::span<const Word> words, Enum otherwise) {
  for (std::size_t i = 0; node != nullptr && i < words.size(); ++i) {
    if (words[i].name == node->text) {
      return static_cast<Enum>(i);
    }
  }
  return otherwise;
}

class References {
 public:
  References(const TreeNode& fragment, std::vector<Fault>& faults)
      : fragment_(fragment), faults_(faults), containers_(containers_in(fragment)) {
    for (const NamedContainer& container : containers_) {
      names_.push_back(container.name);
    }
    if (const TreeNode* regions = fragment.find("regions")) {
      for (const TreeNode& region : regions->items) {
        regions_.push_back(region.text);
      }
    } else {
      regions_.emplace_back(kOnlyName);
    }
  }

  void check() {
    burst();
    for (const NamedContainer& container : containers_) {
      hash(*container.node);
      partition_key(container);
    }
    for (const Entry& client : fragment_.find("clients")->entries) {
      known(client.value.find("container"), "container", names_);
      known(client.value.find("region"), "region", regions_);
      if (containers_.size() > 1 && client.value.find("container") == nullptr) {
        add(client.key_place, "missing key 'container', expected one of " + joined(names_));
      }
    }
    timeline();
  }

 private:
  void add(Place place, std::string message, std::string hint = {}) {
    faults_.push_back({place, std::move(message), std::move(hint)});
  }

  void known(const TreeNode* node, const std::string& kind, const std::vector<std::string>& names) {
    if (node != nullptr && std::find(names.begin(), names.end(), node->text) == names.end()) {
      add(node->place,
          "unknown " + kind + " " + quoted(node->text) + ", expected one of " + joined(names),
          suggestion(node->text, names));
    }
  }

  /// A version that was written but cannot hold for this key. The scenario's own check cannot see
  /// it: there, several levels always mean the hierarchical hash.
  void hash(const TreeNode& container) {
    const TreeNode* key = container.find("partition_key");
    const TreeNode* hash = container.find("hash");
    if (hash != nullptr && hash->text == "v1" && key != nullptr && key->items.size() > 1) {
      add(hash->place, "hash v1 has no hierarchical keys, expected v2 with several levels");
    }
  }

  /// Only a trace can bring keys along.
  void partition_key(const NamedContainer& container) {
    if (container.node->find("partition_key") != nullptr) {
      return;
    }
    for (const Entry& client : fragment_.find("clients")->entries) {
      const TreeNode* name = client.value.find("container");
      const bool uses_it = name == nullptr || name->text == container.name;
      if (uses_it && client.value.find("trace") != nullptr) {
        return;
      }
    }
    add(container.owner,
        "missing key 'partition_key' in 'container', expected a key template such as "
        "{field}.{random 1..400}");
  }

  void burst() {
    if (const TreeNode* burst = fragment_.find("burst")) {
      add(burst->place,
          "'burst' is " + burst->text + ", but 'burst_enabled' in 'parameters' is not",
          "'burst' says the same; one of the two is enough");
    }
  }

  /// A new maximum is for autoscale, other throughput for what is bought by hand.
  void mode(const TreeNode& entry, const std::string& container) {
    const auto found = std::find_if(containers_.begin(), containers_.end(),
                                    [&](const NamedContainer& c) { return c.name == container; });
    const TreeNode* buyer = found == containers_.end() ? nullptr : found->node;
    if (buyer != nullptr && shares_database(*buyer)) {
      buyer = fragment_.find("database");
    }
    if (buyer == nullptr) {
      return;
    }
    const bool scales = buyer->find("autoscale") != nullptr;
    const std::string_view wrong = scales ? "throughput" : "autoscale";
    const std::string_view right = scales ? "autoscale" : "throughput";
    for (const Entry& key : entry.entries) {
      if (key.key == wrong) {
        add(key.key_place, quoted(wrong) + " does not fit how the throughput is bought, expected " +
                               quoted(right));
      }
    }
  }

  /// An entry that changes the rate of a client.
  void rate_change(const TreeNode& entry) {
    const TreeNode& name = *entry.find("client");
    std::vector<std::string> clients;
    for (const Entry& client : fragment_.find("clients")->entries) {
      clients.push_back(client.key);
    }
    known(&name, "client", clients);
    const TreeNode* client = fragment_.find("clients")->find(name.text);
    if (client != nullptr && client->find("rate") == nullptr) {
      add(name.place, quoted(name.text) + " has no rate to change, expected a client with 'rate'");
    }
    if (client != nullptr && client->find("rate_file") != nullptr) {
      add(name.place, quoted(name.text) + " has a 'rate_file', which says all its changes");
    }
    const TreeNode& at = *entry.find("at");
    const TreeNode& duration = *fragment_.find("duration");
    const auto time_of = [](const TreeNode& node) {
      return parse_amount(ValueKind::duration, node.text).value.value_or(0);
    };
    if (time_of(at) >= time_of(duration)) {
      add(at.place, "the instant is not inside the run, expected below " + duration.text +
                        ", got " + at.text);
    }
  }

  void timeline() {
    const TreeNode* timeline = fragment_.find("timeline");
    if (timeline == nullptr) {
      return;
    }
    const bool must_name = containers_.size() > 1 && only_pool(fragment_).empty();
    for (const TreeNode& entry : timeline->items) {
      if (entry.find("client") != nullptr) {
        rate_change(entry);
        continue;
      }
      const TreeNode* name = entry.find("container");
      known(name, "container", names_);
      if (name != nullptr || !must_name) {
        mode(entry, name != nullptr ? name->text : containers_.front().name);
      }
      if (must_name && entry.find("container") == nullptr) {
        add(entry.place,
            "missing key 'container' in 'timeline', expected one of " + joined(names_));
      }
    }
  }

  const TreeNode& fragment_;
  std::vector<Fault>& faults_;
  std::vector<NamedContainer> containers_;
  std::vector<std::string> names_;
  std::vector<std::string> regions_;
};

}  // namespace

std::vector<NamedContainer> containers_in(const TreeNode& fragment) {
  std::vector<NamedContainer> result;
  for (const Entry& entry : fragment.entries) {
    if (entry.key == "container") {
      result.push_back(named(kOnlyName, entry.value, entry.key_place));
    }
  }
  if (const TreeNode* several = fragment.find("containers")) {
    for (const Entry& entry : several->entries) {
      result.push_back(named(entry.key, entry.value, entry.key_place));
    }
    std::sort(result.begin(), result.end(),
              [](const NamedContainer& a, const NamedContainer& b) { return a.name < b.name; });
  }
  return result;
}

bool shares_database(const TreeNode& container) {
  static constexpr std::array<std::string_view, 4> kOwn{"throughput", "autoscale", "serverless",
                                                        "capacity_units"};
  return std::none_of(kOwn.begin(), kOwn.end(), [&container](std::string_view key) {
    return container.find(key) != nullptr;
  });
}

Profile profile_of(const TreeNode& fragment) {
  return {word_or(fragment.find("provider"), provider_words(), Provider::cosmos),
          word_or(fragment.find("api"), api_words(), Api::nosql)};
}

std::string only_container(const TreeNode& fragment) {
  const TreeNode* several = fragment.find("containers");
  return several != nullptr && several->entries.size() == 1 ? several->entries.front().key
                                                            : std::string();
}

std::string only_pool(const TreeNode& fragment) {
  const std::vector<NamedContainer> containers = containers_in(fragment);
  const bool all_share =
      std::all_of(containers.begin(), containers.end(),
                  [](const NamedContainer& container) { return shares_database(*container.node); });
  return all_share && !containers.empty() ? containers.front().name : only_container(fragment);
}

void move_burst(TreeNode& fragment) {
  const auto entry = std::find_if(fragment.entries.begin(), fragment.entries.end(),
                                  [](const Entry& candidate) { return candidate.key == "burst"; });
  if (entry == fragment.entries.end() || !entry->value.is_scalar() || entry->value.is_quoted ||
      (entry->value.text != "true" && entry->value.text != "false")) {
    return;
  }
  TreeNode* parameters = fragment.find("parameters");
  if (parameters != nullptr && !parameters->is_map()) {
    return;
  }
  const TreeNode* known = parameters == nullptr ? nullptr : parameters->find("burst_enabled");
  if (known != nullptr && known->text != entry->value.text) {
    return;
  }
  Entry moved = std::move(*entry);
  fragment.entries.erase(entry);
  if (known != nullptr) {
    return;
  }
  moved.key = "burst_enabled";
  if (fragment.find("parameters") == nullptr) {
    TreeNode map;
    map.kind = TreeNode::Kind::map;
    map.place = moved.key_place;
    fragment.entries.push_back({"parameters", moved.key_place, std::move(map)});
  }
  fragment.find("parameters")->entries.push_back(std::move(moved));
}

void sort_timeline(TreeNode& fragment) {
  TreeNode* timeline = fragment.find("timeline");
  if (timeline == nullptr) {
    return;
  }
  const auto time_of = [](const TreeNode& entry) {
    return parse_amount(ValueKind::duration, entry.find("at")->text).value.value_or(0);
  };
  std::stable_sort(
      timeline->items.begin(), timeline->items.end(),
      [&time_of](const TreeNode& a, const TreeNode& b) { return time_of(a) < time_of(b); });
}

void move_rate_changes(TreeNode& fragment, std::set<std::string>& touched) {
  TreeNode* timeline = fragment.find("timeline");
  TreeNode& clients = *fragment.find("clients");
  const auto time_of = [](const TreeNode& entry) {
    return parse_amount(ValueKind::duration, entry.find("at")->text).value.value_or(0);
  };
  const auto changes_of = [](TreeNode& client) -> TreeNode& {
    if (client.find("changes") == nullptr) {
      TreeNode list;
      list.kind = TreeNode::Kind::list;
      list.place = client.place;
      client.entries.push_back({"changes", client.place, std::move(list)});
    }
    return *client.find("changes");
  };
  std::vector<TreeNode> rest;
  for (TreeNode& entry : timeline == nullptr ? rest : timeline->items) {
    const TreeNode* name = entry.find("client");
    if (name == nullptr) {
      rest.push_back(std::move(entry));
      continue;
    }
    touched.insert(name->text);
    std::vector<TreeNode>& changes = changes_of(*clients.find(name->text)).items;
    entry.entries.erase(std::find_if(entry.entries.begin(), entry.entries.end(),
                                     [](const Entry& key) { return key.key == "client"; }));
    const std::uint64_t at = time_of(entry);
    // What the author put in the wrong order stays so, to be told.
    const auto next = std::find_if(changes.begin(), changes.end(),
                                   [&](const TreeNode& change) { return time_of(change) > at; });
    changes.insert(next, std::move(entry));
  }
  if (timeline != nullptr) {
    timeline->items = std::move(rest);
  }
  // A variant without them must say so where the scenario has some.
  for (Entry& client : clients.entries) {
    if (touched.contains(client.key) && client.value.find("rate") != nullptr &&
        client.value.find("rate_file") == nullptr) {
      (void)changes_of(client.value);
    }
  }
}

void find_wrong_references(const TreeNode& fragment, std::vector<Fault>& faults) {
  References(fragment, faults).check();
}

}  // namespace partsim
