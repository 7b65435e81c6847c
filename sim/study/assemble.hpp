/// Runs to a study.
#pragma once

#include <optional>
#include <vector>

#include "partsim/study/study.hpp"

namespace partsim {

/// One place a variant, empty if it never ran; judged if all of them ended.
[[nodiscard]] StudyResult assemble(const StudyFile& study,
                                   std::vector<std::optional<RunResult>> runs);

}  // namespace partsim
