/// The one thing to do next.
#pragma once

#include <string>
#include <vector>

#include "partsim/study/study.hpp"

#include "diagnosis.hpp"

namespace partsim {

struct NextStep {
  std::string why;  // "find the smallest throughput that meets this"
  /// What must stay on one line each, ready for a POSIX shell; not yet visible.
  std::vector<std::string> command;
};

/// `file` is the scenario as it was named on the command line.
[[nodiscard]] NextStep next_step(const StudyResult& study, const std::vector<Diagnosis>& diagnoses,
                                 const std::string& file);

}  // namespace partsim
