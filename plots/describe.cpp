#include "partsim/plots/describe.hpp"

#include <array>
#include <optional>
#include <utility>

#include "describers.hpp"

namespace partsim {

std::vector<Chart> describe_charts(const StudyResult& study) {
  using Describe = std::optional<Chart> (*)(const StudyResult&);
  constexpr std::array<Describe, 10> kAll{
      describe_heat_map,     describe_utilization, describe_throttled, describe_latency_curve,
      describe_latency_time, describe_variants,    describe_layout,    describe_hot_keys,
      describe_storage,      describe_cost};
  std::vector<Chart> charts;
  if (study.runs.empty()) {
    return charts;
  }
  for (const Describe describe : kAll) {
    if (std::optional<Chart> chart = describe(study)) {
      charts.push_back(std::move(*chart));
    }
  }
  return charts;
}

}  // namespace partsim
