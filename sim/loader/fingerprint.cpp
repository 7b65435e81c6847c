#include "fingerprint.hpp"

#include <algorithm>
#include <string_view>
#include <vector>

#include "partsim/core/rng.hpp"

namespace partsim {
namespace {

std::uint64_t chained(std::uint64_t hash, std::uint64_t next) {
  return mix64(hash + kGoldenGamma) ^ next;
}

// NOLINTNEXTLINE(misc-no-recursion): as deep as a scenario may be, kMaxDepth
std::uint64_t hash_of(const TreeNode& node, const DataFiles& files) {
  std::uint64_t hash = chained(static_cast<std::uint64_t>(node.kind), name_hash(node.text));
  for (const TreeNode& item : node.items) {
    hash = chained(hash, hash_of(item, files));
  }
  std::vector<const Entry*> entries;
  for (const Entry& entry : node.entries) {
    entries.push_back(&entry);
  }
  std::sort(entries.begin(), entries.end(),
            [](const Entry* a, const Entry* b) { return a->key < b->key; });
  for (const Entry* entry : entries) {
    hash = chained(hash, name_hash(entry->key));
    hash = chained(hash, hash_of(entry->value, files));
    if (entry->value.is_scalar() && (entry->key == "values_file" || entry->key == "rate_file")) {
      hash = chained(hash, files.hash_of(entry->value.text));
    }
  }
  return mix64(hash);
}

}  // namespace

std::uint64_t scenario_fingerprint(const TreeNode& fragment, const DataFiles& files) {
  TreeNode question = fragment;
  const auto is_seed = [](const Entry& entry) { return entry.key == "seed"; };
  question.entries.erase(std::remove_if(question.entries.begin(), question.entries.end(), is_seed),
                         question.entries.end());
  return hash_of(question, files);
}

}  // namespace partsim
