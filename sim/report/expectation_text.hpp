/// Verdicts on rules as people read them. Rules and names come as they were written; whoever shows
/// them makes them visible text.
#pragma once

#include <string>
#include <utility>

#include "partsim/report/compare_report.hpp"
#include "partsim/study/study.hpp"

namespace partsim {

/// The value with its unit; three significant digits, more where fewer would look like the limit
/// itself.
[[nodiscard]] std::string measured_value(const ExpectationResult& expectation);
/// The limit likewise.
[[nodiscard]] std::string limit_value(const ExpectationResult& expectation);
/// `3.2%, limit 1%: missed by 220 % of it`, of a rule that did not pass.
[[nodiscard]] std::string broken_rule(const ExpectationResult& expectation);
/// `first broken at 12 s, on partition 8`, as far as it is known; may be empty.
[[nodiscard]] std::string broken_place(const ExpectationResult& expectation);
/// The rule, and the variant it was judged for if there are several and the rule does not say.
[[nodiscard]] std::string named_rule(const ExpectationResult& expectation, bool has_variants);

/// `19.2%`, `0.045%`: three significant digits.
[[nodiscard]] std::string short_percent(double part);

/// Base and new with their units: with three significant digits, or as many more as tell them
/// apart.
[[nodiscard]] std::pair<std::string, std::string> amounts_that_differ(const ComparedMetric& metric);

/// Whether the rule sets an upper limit to what more throughput lowers: throttling, failures, time.
[[nodiscard]] bool wants_less_of_what_throughput_lowers(const ExpectationResult& expectation);

}  // namespace partsim
