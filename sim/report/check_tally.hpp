/// What the forms of a check's report count alike.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <vector>

#include "partsim/report/check_report.hpp"

namespace partsim {

struct CheckTally {
  std::array<std::size_t, 5> of_status{};  // scenarios
  std::size_t rules = 0;                   // judged, each for every variant it is about
  std::size_t met = 0;

  [[nodiscard]] std::size_t count(CheckStatus status) const {
    return of_status.at(static_cast<std::size_t>(status));
  }
};
[[nodiscard]] CheckTally tally_of(const std::vector<CheckedScenario>& scenarios);
[[nodiscard]] std::size_t rules_met(const CheckedScenario& scenario);

/// `3 scenarios: 1 passed, 2 failed; 5 of 7 rules met`.
[[nodiscard]] std::string tally_text(const std::vector<CheckedScenario>& scenarios);

/// Each once, with its variant only if it can fail in another.
[[nodiscard]] std::vector<std::string> vacuous_rules(const CheckedScenario& scenario);

}  // namespace partsim
