/// The folder of a sweep's results, the same whether one process ran it or many.
#pragma once

#include <string>

#include "partsim/cli/command_line.hpp"
#include "partsim/cli/console.hpp"
#include "partsim/cli/output_folder.hpp"
#include "partsim/report/report.hpp"
#include "partsim/study/sweep.hpp"

namespace partsim {

/// Writes sweep.json, sweep.csv, runs.csv and the charts, then prints the summary or, with
/// `--format json`, sweep.json. `file` is the scenario as the summary names it.
void put_out_sweep(const SweepResult& result, const ScenarioWords& scenario,
                   const OutputTarget& target, const Flags& flags, Console& console);

/// Of the console and the flags together.
[[nodiscard]] TextStyle text_style(const Flags& flags, const Console& console);

}  // namespace partsim
