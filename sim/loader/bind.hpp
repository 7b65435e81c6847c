/// A resolved tree to the structs of a run.
#pragma once

#include "partsim/scenario/scenario.hpp"

#include "data_files.hpp"
#include "tree.hpp"

namespace partsim {

/// `fragment` has passed the walk and has its defaults, `files` have been read; nothing can be
/// wrong with it any more but what `check` finds.
[[nodiscard]] Scenario bind_scenario(const TreeNode& fragment, const DataFiles& files);

}  // namespace partsim
