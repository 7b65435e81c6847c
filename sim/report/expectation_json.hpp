/// The verdict on a rule as it stands in JSON files.
#pragma once

#include "partsim/study/study.hpp"

#include "json_writer.hpp"

namespace partsim {

[[nodiscard]] Json expectation_json(const ExpectationResult& expectation);

}  // namespace partsim
