/// Every provider parameter: a value that is not its default, and where it must arrive.
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "partsim/scenario/parameters.hpp"

namespace partsim::testing {

using P = ProviderParameters;
using ParameterPlace =
    std::variant<std::int64_t P::*, std::uint32_t P::*, bool P::*, ThrottleModel P::*,
                 ThroughputDistribution P::*, SplitOrder P::*, SplitCut P::*>;

struct ParameterRow {
  std::string name;
  std::string text;
  ParameterPlace place;
  std::int64_t value;
  std::string beside = {};  // what else must be written for the scenario to make sense
};

[[nodiscard]] const std::vector<ParameterRow>& parameter_rows();

/// Words as their numbers, switches as 0 and 1.
[[nodiscard]] inline std::int64_t value_at(const P& parameters, const ParameterPlace& place) {
  return std::visit([&](auto member) { return static_cast<std::int64_t>(parameters.*member); },
                    place);
}

}  // namespace partsim::testing
