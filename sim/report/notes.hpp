/// What else a run shows, beside why it was throttled: full keys, splits, burst, swaps. Each is
/// said only if it occurred.
#pragma once

#include <string>
#include <vector>

#include "diagnosis.hpp"

namespace partsim {

struct Note {
  Severity severity = Severity::good;
  std::string finding;   // for the verdict, after a name; empty if it is not worth that
  std::string sentence;  // whole, ending in a full stop; text of users is not yet made visible
  bool needs_another_key = false;  // no throughput helps
};

/// Worst first.
[[nodiscard]] std::vector<Note> notes_on(const RunResult& run);

}  // namespace partsim
