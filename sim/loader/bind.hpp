/// A resolved tree to the structs of a run.
#pragma once

#include "partsim/scenario/scenario.hpp"

#include "data_files.hpp"
#include "tree.hpp"

namespace partsim {

/// `fragment` has passed the walk and has its defaults, `files` have been read; nothing can be
/// wrong with it any more but what `check` finds.
[[nodiscard]] Scenario bind_scenario(const TreeNode& fragment, const DataFiles& files);

/// Gives clients with `rate_counters` their rates, and where it can be done the keys the weights
/// that put the counted load on each partition. What was done stands in the notes of the tree.
/// `scenario` has passed the checks; false: there are none.
bool apply_counters(TreeNode& fragment, const DataFiles& files, Scenario& scenario);

}  // namespace partsim
