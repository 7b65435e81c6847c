/// The value an expectation met, as people compare it with the limit in the rule.
#pragma once

#include <string>

#include "partsim/study/study.hpp"

namespace partsim {

/// With its unit; three significant digits, more where fewer would look like the limit itself.
[[nodiscard]] std::string measured_value(const ExpectationResult& expectation);

/// Whether the rule sets an upper limit to what more throughput lowers: throttling, failures, time.
[[nodiscard]] bool wants_less_of_what_throughput_lowers(const ExpectationResult& expectation);

}  // namespace partsim
