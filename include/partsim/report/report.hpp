/// Results to text: the terminal summary, results.json and the CSV files.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "partsim/study/study.hpp"

namespace partsim {

struct TextStyle {
  unsigned width = 80;  // columns, 40 to 120; no line exceeds it
  bool color = false;   // ANSI colours
  bool unicode = true;  // bars and arrows beyond ASCII
};

/// A scenario as a command line named it, with the flags that changed what it says: a next step
/// without them would be about another scenario.
struct ScenarioWords {
  // not explicit: a file alone is the usual case
  ScenarioWords(const char* name) : file(name) {}
  ScenarioWords(std::string name, std::vector<std::string> changes = {})
      : file(std::move(name)), flags(std::move(changes)) {}

  std::string file;
  std::vector<std::string> flags;  // `--seed 7`, `--set 'a.b=c'`: ready for a shell
};

/// At most 40 lines at 80 columns and beyond: verdict, diagnosis, a row a variant, the worst
/// partitions over time, expectations and one next step for `file`, the scenario as it was named
/// on the command line. What does not fit is counted, and it says where to find it.
[[nodiscard]] std::string short_summary(const StudyResult& study, const TextStyle& style,
                                        const ScenarioWords& scenario);

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
