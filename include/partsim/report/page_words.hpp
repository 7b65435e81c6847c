/// Sentences that a report with room has beside the findings. Text of users stands in them as it
/// is.
#pragma once

#include <string>

#include "partsim/study/study.hpp"

namespace partsim {

/// Where the mean latency of succeeded operations goes: service, queue, waiting for retries.
[[nodiscard]] std::string latency_sentence(const RunResult& run);

/// Of a study that was stopped early: what is missing; else empty.
[[nodiscard]] std::string stopped_sentence(const StudyResult& study);

}  // namespace partsim
