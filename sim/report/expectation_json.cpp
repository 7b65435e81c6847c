#include "expectation_json.hpp"

namespace partsim {

Json expectation_json(const ExpectationResult& expectation) {
  const std::optional<double>& broken_s = expectation.first_broken_s;
  const std::optional<std::uint32_t>& partition = expectation.partition;
  return {{"rule", expectation.rule},
          {"variant", expectation.variant},
          {"value", fraction(expectation.value)},
          {"passed", expectation.passed},
          {"limit", fraction(expectation.limit)},
          {"margin", expectation.measured ? fraction(expectation.margin) : Json(nullptr)},
          {"first_broken_s", broken_s ? fraction(*broken_s) : Json(nullptr)},
          {"partition", partition ? Json(*partition) : Json(nullptr)},
          {"vacuous", !expectation.can_fail}};
}

}  // namespace partsim
