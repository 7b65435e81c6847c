/// The value an expectation met, as people compare it with the limit in the rule.
#pragma once

#include <string>

#include "partsim/study/study.hpp"

namespace partsim {

/// With its unit; three significant digits, more where fewer would look like the limit itself.
[[nodiscard]] std::string measured_value(const ExpectationResult& expectation);

}  // namespace partsim
