/// Answers of `partsim plan` to text.
#pragma once

#include <string>
#include <string_view>

#include "partsim/report/report.hpp"
#include "partsim/study/plan.hpp"

namespace partsim {

/// The answers side by side, then what each needs to know; at most 40 lines. `file` is the scenario
/// as the reader would name it.
[[nodiscard]] std::string plan_summary(const PlanResult& result, const ScenarioWords& scenario,
                                       const TextStyle& style);
[[nodiscard]] std::string plan_json(const PlanResult& result);  // docs/SWEEP.md, ends in \n

}  // namespace partsim
