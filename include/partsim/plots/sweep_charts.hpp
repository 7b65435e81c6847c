/// Sweeps to plain descriptions of charts.
#pragma once

#include <vector>

#include "partsim/plots/chart.hpp"
#include "partsim/study/sweep.hpp"

namespace partsim {

/// `sweep`: the target against the varied value, a line a variant with its interval, a panel for
/// each combination of what else is varied, all with equal axes. `pareto`: price against p99 with
/// the frontier. Only charts that have something to show.
[[nodiscard]] std::vector<Chart> describe_sweep_charts(const SweepResult& result);

}  // namespace partsim
