/// Sweeps to text: the terminal summary, sweep.json and the CSV files.
#pragma once

#include <string>
#include <string_view>

#include "partsim/report/report.hpp"
#include "partsim/study/sweep.hpp"

namespace partsim {

/// The best choice, every point (the best 40 if there are more), how the variants differ, and one
/// next step. `file` is the scenario as the reader would name it.
[[nodiscard]] std::string sweep_summary(const SweepResult& result, const ScenarioWords& scenario,
                                        const TextStyle& style);

[[nodiscard]] std::string sweep_json(const SweepResult& result);  // docs/SWEEP.md, ends in \n
/// One row per point, variant and metric: n, mean, low, high.
[[nodiscard]] std::string sweep_csv(const SweepResult& result);
/// One row per run, one column per metric.
[[nodiscard]] std::string sweep_runs_csv(const SweepResult& result);

/// `throughput=20000 RU/s, users=5` with the last words of the paths.
[[nodiscard]] std::string point_label(const SweepDesign& design, std::size_t point);
/// The last words of a path that tell it from the other axes.
[[nodiscard]] std::string axis_label(const SweepDesign& design, std::size_t axis);

}  // namespace partsim
