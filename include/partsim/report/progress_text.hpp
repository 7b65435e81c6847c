/// How far a running study is, on one line.
#pragma once

#include <string>

#include "partsim/report/report.hpp"

namespace partsim {

/// `date-key  43 %  25.8 of 60 s simulated  1.2M requests/s  3 s left`; at most the style's width.
/// `elapsed_s` is wall-clock time since the study began: the caller has the clock.
[[nodiscard]] std::string progress_text(const std::string& name, const StudyProgress& progress,
                                        double elapsed_s, const TextStyle& style);

}  // namespace partsim
