/// What `partsim check` found, for people and for pipelines. Everything but the JSON treats names
/// and rules as hostile text.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "partsim/report/report.hpp"
#include "partsim/study/study.hpp"

namespace partsim {

enum class CheckStatus : std::uint8_t { passed, failed, no_rules, invalid, stopped };

/// One mistake of a scenario that could not be run.
struct CheckProblem {
  std::uint32_t line = 0;  // 0: it is not in the file
  std::uint32_t column = 0;
  std::string message;
};

struct CheckedScenario {
  std::string name;  // of the file where the scenario has none
  std::string file;
  CheckStatus status = CheckStatus::passed;
  std::size_t variants = 0;
  std::vector<ExpectationResult> expectations;
  std::vector<CheckProblem> problems;  // of one that is invalid
};

/// Passed, failed or without rules, by its expectations.
[[nodiscard]] CheckStatus status_of(const std::vector<ExpectationResult>& expectations);

/// One line a scenario: how it ended, its name in so many columns, how many rules it met.
[[nodiscard]] std::string check_line(const CheckedScenario& scenario, std::size_t name_width,
                                     const TextStyle& style);
/// The failures in full, the rules that can never fail, and the tally.
[[nodiscard]] std::string check_summary(const std::vector<CheckedScenario>& scenarios,
                                        const TextStyle& style);
[[nodiscard]] std::string check_json(const std::vector<CheckedScenario>& scenarios);
/// JUnit XML: a test suite a scenario, a test case a rule and variant.
[[nodiscard]] std::string check_junit(const std::vector<CheckedScenario>& scenarios);
[[nodiscard]] std::string check_markdown(const std::vector<CheckedScenario>& scenarios);
/// Commands that make GitHub show failures beside the lines of the scenario.
[[nodiscard]] std::string check_annotations(const std::vector<CheckedScenario>& scenarios);

}  // namespace partsim
