/// The folder of a sweep's results, the same whether one process ran it or many.
#pragma once

#include <string>

#include "partsim/cli/command_line.hpp"
#include "partsim/cli/console.hpp"
#include "partsim/cli/output_folder.hpp"
#include "partsim/report/report.hpp"
#include "partsim/study/sweep.hpp"

namespace partsim {

/// sweep.json, sweep.csv, runs.csv and the charts.
void write_sweep(const SweepResult& result, const OutputTarget& target, const Flags& flags,
                 Console& console);
/// The summary or, with `--format json`, sweep.json, to standard output.
void print_sweep(const SweepResult& result, const ScenarioWords& scenario, const Flags& flags,
                 Console& console);

/// Of the console and the flags together.
[[nodiscard]] TextStyle text_style(const Flags& flags, const Console& console);

}  // namespace partsim
