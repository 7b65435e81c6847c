/// A tree against the language: unknown, missing and clashing keys, wrong types, units and ranges.
#pragma once

#include <string>
#include <vector>

#include "language.hpp"
#include "tree.hpp"

namespace partsim {

/// Appends every mistake of a mapping. Where something is missing the fault stands at `owner`.
void walk_section(const TreeNode& map, const Section& section, Place owner,
                  std::vector<Fault>& faults);

/// The alternative a mapping selects, as the bit of its selector; 0 if it has none.
[[nodiscard]] std::uint16_t selected_alternative(const TreeNode& map, const Section& section);

}  // namespace partsim
