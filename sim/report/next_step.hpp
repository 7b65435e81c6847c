/// The one thing to do next.
#pragma once

#include <string>
#include <vector>

#include "partsim/report/next_step.hpp"
#include "partsim/study/study.hpp"

#include "diagnosis.hpp"

namespace partsim {

[[nodiscard]] NextStep next_step(const StudyResult& study, const std::vector<Diagnosis>& diagnoses,
                                 const ScenarioWords& scenario);

}  // namespace partsim
