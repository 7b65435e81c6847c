/// A run together with its attempts, and how two of them are compared and printed.
#pragma once

#include <string>
#include <vector>

#include "partsim/engine/engine.hpp"
#include "partsim/scenario/scenario.hpp"

namespace partsim {

struct RunLog {
  RunResult result;
  std::vector<AttemptRecord> attempts;  // sorted
};

[[nodiscard]] RunLog run_logged(const Scenario& scenario);

[[nodiscard]] std::string text_of(const AttemptRecord& record);

/// The first record in which two sorted logs differ, both ways; "" if they are equal.
[[nodiscard]] std::string first_difference(const std::vector<AttemptRecord>& engine,
                                           const std::vector<AttemptRecord>& other);

/// What the engine and the naive model see differently in a scenario; "" if nothing.
[[nodiscard]] std::string difference_from_model(const Scenario& scenario);

}  // namespace partsim
