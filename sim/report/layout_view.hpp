/// Splits, merges and changes of throughput on the time axis.
#pragma once

#include <string>

#include "partsim/report/report.hpp"

namespace partsim {

/// A line an event, a few a variant; empty if no layout changed.
[[nodiscard]] std::string layout_view(const StudyResult& study, const TextStyle& style);

}  // namespace partsim
