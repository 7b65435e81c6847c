/// One function a chart; nullopt if there is nothing to show.
#pragma once

#include <optional>

#include "partsim/plots/chart.hpp"
#include "partsim/study/study.hpp"

namespace partsim {

[[nodiscard]] std::optional<Chart> describe_heat_map(const StudyResult& study);
[[nodiscard]] std::optional<Chart> describe_utilization(const StudyResult& study);
[[nodiscard]] std::optional<Chart> describe_throttled(const StudyResult& study);
[[nodiscard]] std::optional<Chart> describe_latency_curve(const StudyResult& study);
[[nodiscard]] std::optional<Chart> describe_latency_time(const StudyResult& study);
[[nodiscard]] std::optional<Chart> describe_variants(const StudyResult& study);
[[nodiscard]] std::optional<Chart> describe_layout(const StudyResult& study);
[[nodiscard]] std::optional<Chart> describe_hot_keys(const StudyResult& study);
[[nodiscard]] std::optional<Chart> describe_storage(const StudyResult& study);
[[nodiscard]] std::optional<Chart> describe_cost(const StudyResult& study);

}  // namespace partsim
