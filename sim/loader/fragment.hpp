/// What the parts of a scenario know of each other: which containers there are, who shares the
/// database, what each name refers to.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "language.hpp"
#include "tree.hpp"

namespace partsim {

struct NamedContainer {
  std::string name;  // "main" when there is only `container`
  const TreeNode* node = nullptr;
  std::vector<std::string> fields;
  Place owner;  // of its key
};
/// In the order in which a run has them: by name. Well-formed fragments only, as all below.
[[nodiscard]] std::vector<NamedContainer> containers_in(const TreeNode& fragment);
/// Without throughput of its own.
[[nodiscard]] bool shares_database(const TreeNode& container);

[[nodiscard]] Profile profile_of(const TreeNode& fragment);
/// The name of the one member of `containers`; empty if there are several, or only `container`.
[[nodiscard]] std::string only_container(const TreeNode& fragment);
/// A member of `containers` that stands for all partitions there are; empty likewise.
[[nodiscard]] std::string only_pool(const TreeNode& fragment);

/// `burst: true` is another way to write the parameter `burst_enabled`; the tree keeps the latter.
/// Where both are written they must agree, and both stay if they do not.
void move_burst(TreeNode& fragment);
/// Entries of a timeline by time; those of one instant keep their order.
void sort_timeline(TreeNode& fragment);

/// Entries of a timeline that change the rate of a client become `changes` of that client, by time;
/// `touched` has the clients for which this ever happened.
void move_rate_changes(TreeNode& fragment, std::set<std::string>& touched);

/// Names that lead nowhere or are missing, and words that contradict each other.
void find_wrong_references(const TreeNode& fragment, std::vector<Fault>& faults);

}  // namespace partsim
