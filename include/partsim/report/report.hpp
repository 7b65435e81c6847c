/// Results to text: the terminal summary, results.json and the CSV files.
#pragma once

#include <string>

#include "partsim/study/study.hpp"

namespace partsim {

struct TextStyle {
  unsigned width = 80;  // columns, 40 to 120; no line exceeds it
  bool color = false;   // ANSI colours
  bool unicode = true;  // bars and arrows beyond ASCII
};

/// At most 40 lines at 80 columns and beyond: verdict, diagnosis, a row a variant, the worst
/// partitions over time, expectations and one next step for `file`, the scenario as it was named
/// on the command line. What does not fit is counted, and it says where to find it.
[[nodiscard]] std::string short_summary(const StudyResult& study, const TextStyle& style,
                                        const std::string& file);

/// All there is: verdict first, then one sentence of diagnosis, per partition before aggregate,
/// latency split into service, queue and retry wait, variants side by side, expectations, digest
/// line.
[[nodiscard]] std::string terminal_summary(const StudyResult& study, const TextStyle& style);

[[nodiscard]] std::string results_json(const StudyResult& study);  // ends in \n
[[nodiscard]] std::string partitions_csv(
    const StudyResult& study);  // one row per variant and partition
[[nodiscard]] std::string timeseries_csv(
    const StudyResult& study);  // one row per second, variant, partition
[[nodiscard]] std::string latency_csv(
    const StudyResult& study);  // percentile curve per variant and client
[[nodiscard]] std::string latency_time_csv(
    const StudyResult& study);  // percentiles over time per variant

}  // namespace partsim
