/// Every point of a sweep as scenarios, with a digest of all that decides its runs.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "partsim/cli/command_line.hpp"
#include "partsim/cli/console.hpp"
#include "partsim/study/sweep.hpp"

namespace partsim {

struct LoadedPoint {
  SweepTask task;
  std::uint64_t digest = 0;
};
struct LoadedSweep {
  SweepDesign design;
  std::vector<LoadedPoint> points;  // of the shard
  std::string digest;               // of all points of all shards
  std::string text;                 // of the scenario file
  int code = 0;                     // not 0: what is wrong was told to standard error
};

/// Reads the file once and resolves it for every point. Throws UsageError and FileError; what is
/// wrong with the scenarios is told, at most 20 mistakes, each once.
[[nodiscard]] LoadedSweep load_sweep(const Flags& flags, const Shard& shard, Console& console);

}  // namespace partsim
