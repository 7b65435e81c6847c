/// From the tree of a file to the tree of one variant: merging, `--set`, defaults, and back from a
/// path to the place where its value was written.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "language.hpp"
#include "tree.hpp"

namespace partsim {

/// The part of a file that variants share and may replace.
[[nodiscard]] TreeNode fragment_of(const TreeNode& root);

/// Mappings merge key by key, anything else is replaced. A key that selects an alternative
/// (`at_once` over `rate`) takes those with it that do not go with it.
void merge_section(TreeNode& base, const TreeNode& fragment, const Section& section);

/// Writes a value at a dotted path, as if it were merged over; indices reach into lists. Returns
/// what is wrong with the path, without its place.
[[nodiscard]] std::optional<Fault> set_path(TreeNode& root, std::string_view path, TreeNode value);

/// What is wrong with a path into a client, container or field that was not there before it was set
/// and that it has not made whole: `clients.shpo.rate`. Without its place.
[[nodiscard]] std::optional<Fault> unknown_member(const TreeNode& before, const TreeNode& after,
                                                  std::string_view path);

/// Adds every default, in the order of the language.
void resolve_defaults(TreeNode& fragment);

/// Where the value of a path stands; for a part that nobody wrote, the nearest owner.
[[nodiscard]] Place find_place(const TreeNode& root, std::string_view path);

}  // namespace partsim
