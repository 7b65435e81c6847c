/// Readers of values that have passed the walk; the parts of the binding share them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "partsim/core/assert.hpp"
#include "partsim/scenario/scenario.hpp"

#include "data_files.hpp"
#include "scalar.hpp"
#include "tree.hpp"

namespace partsim::bind {

inline const TreeNode& member(const TreeNode& map, std::string_view key) {
  const TreeNode* node = map.find(key);
  PARTSIM_ASSERT(node != nullptr, "the walk and the defaults leave no required key missing");
  return *node;
}

inline std::uint64_t amount(const TreeNode& node, ValueKind kind) {
  const Parsed<std::uint64_t> parsed = parse_amount(kind, node.text);
  PARTSIM_ASSERT(parsed.value.has_value(), "the walk lets only values through that parse");
  return *parsed.value;
}

inline std::int64_t signed_amount(const TreeNode& map, std::string_view key, ValueKind kind) {
  return static_cast<std::int64_t>(amount(member(map, key), kind));
}

inline std::uint32_t small_amount(const TreeNode& node) {
  return static_cast<std::uint32_t>(amount(node, ValueKind::integer));
}

template <class Enum>
Enum word_of(const TreeNode& node, std::span<const Word> words) {
  // Enumerators stand in the order of their words.
  const auto found = std::find_if(words.begin(), words.end(),
                                  [&](const Word& word) { return word.name == node.text; });
  PARTSIM_ASSERT(found != words.end(), "the walk lets only known words through");
  return static_cast<Enum>(found - words.begin());
}

template <class T>
void sort_by_name(std::vector<T>& things) {
  std::sort(things.begin(), things.end(), [](const T& a, const T& b) { return a.name < b.name; });
}

/// What clients and the timeline refer to by name.
struct Names {
  std::vector<std::string> containers;
  std::vector<std::string> regions;
};

inline std::uint32_t index_of(const std::vector<std::string>& names, const TreeNode* name) {
  if (name == nullptr) {
    return 0;
  }
  const auto found = std::find(names.begin(), names.end(), name->text);
  PARTSIM_ASSERT(found != names.end(), "every reference was checked");
  return static_cast<std::uint32_t>(found - names.begin());
}

/// The parts of the binding that have a file of their own.
[[nodiscard]] ContainerSpec bind_container(const TreeNode& node, const DataFiles& files);
[[nodiscard]] ClientSpec bind_client(const Entry& entry, const Names& names,
                                     const DataFiles& files);
/// The section `capacity_units`.
[[nodiscard]] CapacityUnits bind_units(const TreeNode& node);
[[nodiscard]] ThroughputSpec bind_throughput(const TreeNode& node);
[[nodiscard]] ProviderParameters bind_parameters(const TreeNode& node);

}  // namespace partsim::bind
