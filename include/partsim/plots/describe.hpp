/// Results to plain descriptions of charts.
#pragma once

#include <vector>

#include "partsim/plots/chart.hpp"
#include "partsim/study/study.hpp"

namespace partsim {

/// In a fixed order, the heat map first; only charts that have something to show: the layout if it
/// changed, storage if it grew, refusals if there were any, a comparison if there is something to
/// compare. Titles say what was found. A study without runs has none.
[[nodiscard]] std::vector<Chart> describe_charts(const StudyResult& study);

}  // namespace partsim
