/// What the service would bill, and the errors the application would see: both in its own words.
#pragma once

#include <string>

#include "partsim/report/report.hpp"

namespace partsim {

/// By the hour, by the month, and what the hours of the run are made of; empty if nothing was
/// billed.
[[nodiscard]] std::string money_view(const StudyResult& study, const TextStyle& style);

/// How each refusal reaches the application; empty if there was none.
[[nodiscard]] std::string error_view(const StudyResult& study, const TextStyle& style);

}  // namespace partsim
