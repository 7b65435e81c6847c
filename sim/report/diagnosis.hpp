/// What a run means, in words. Derived from the result alone, so that it can be tested on made-up
/// ones.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "partsim/metrics/derived.hpp"
#include "partsim/report/findings.hpp"
#include "partsim/study/study.hpp"

namespace partsim {

/// Why attempts were throttled, or why not.
enum class Cause : std::uint8_t {
  idle,           // nothing was counted
  calm,           // hardly a 429 anywhere
  healthy,        // 1 to 5 % on every partition, evenly loaded: what the vendor calls healthy
  hot_partition,  // few partitions burn while the others idle
  overload,       // more is asked for than was bought
  uneven,         // the total would fit, its spread does not
  bursts,         // the average fits and is even, single seconds do not fit
  queueing,       // RU/s are left, but operations wait for workers
  outgrown,       // a partition burned until it split; what came after it is calm
};

struct Diagnosis {
  Severity severity = Severity::good;
  Cause cause = Cause::calm;
  std::string finding;             // after a name: "burns partition 8 of 10"
  std::string sentence;            // the whole story; text of users in it is not yet made visible
  std::vector<std::string> notes;  // what else happened, a sentence each
};

[[nodiscard]] Diagnosis diagnose(const RunResult& run);

/// Which variant is good, which is bad; one or a few short sentences.
[[nodiscard]] std::string verdict(const StudyResult& study,
                                  const std::vector<Diagnosis>& diagnoses);

}  // namespace partsim
