/// Whether two scenarios ask the same.
#pragma once

#include <cstdint>

#include "data_files.hpp"
#include "tree.hpp"

namespace partsim {

/// A hash of a resolved scenario as it is written, without its seed, and of the data files that it
/// names. The order of keys does not matter; `1s` and `1000ms` are not the same.
[[nodiscard]] std::uint64_t scenario_fingerprint(const TreeNode& fragment, const DataFiles& files);

}  // namespace partsim
