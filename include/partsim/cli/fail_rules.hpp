/// Rules of `compare --fail-on`: `p99 > +5%`, `any > 10%`, `date.clients.lookup.failed_share >
/// 1pp`.
#pragma once

#include <string>
#include <vector>

#include "partsim/report/compare_report.hpp"

namespace partsim {

/// Each text may hold several, separated by commas. The runs say which variants and clients there
/// are. Throws UsageError.
[[nodiscard]] std::vector<FailRule> parse_fail_rules(const std::vector<std::string>& texts,
                                                     const std::vector<MeasuredStudy>& studies);

}  // namespace partsim
