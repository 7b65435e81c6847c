/// Resolved trees back to YAML.
#pragma once

#include <string>
#include <vector>

#include "partsim/scenario/study_file.hpp"

#include "tree.hpp"

namespace partsim {

struct NamedTree {
  std::string name;
  TreeNode tree;
};

/// The scenario with every default, then of each variant what differs from it. Loading the text
/// gives the same study again.
[[nodiscard]] std::string explain_trees(const StudyFile& study, const TreeNode& base,
                                        const std::vector<NamedTree>& variants);

}  // namespace partsim
