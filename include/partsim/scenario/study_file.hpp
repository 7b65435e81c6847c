/// What one scenario file asks: a scenario in one or more variants, and what is expected of them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "partsim/scenario/scenario.hpp"

namespace partsim {

enum class Comparison : std::uint8_t { less, less_equal, greater, greater_equal, equal, not_equal };

/// Another metric as a limit: `date.throttled_share / 10`.
struct MetricReference {
  std::string variant;  // empty: of the run that is judged
  std::string metric;
  double times = 1;
  double over = 1;
};

/// One line of `expect:`, e.g. `vin-suffix.clients.lookup.ru_per_operation < 1.1`. Numbers are in
/// the metric's own unit (shares as fractions, times in the unit of the name), those of a rule with
/// `for` in the unit of its series.
struct Expectation {
  std::string rule;     // as written
  std::string variant;  // empty: every variant must meet it, or all but the one in `against`
  std::string metric;   // path inside a run of results.json; `partitions.any` and `.all` too
  Comparison comparison = Comparison::less;
  double value = 0;                          // the limit, if there is no `against`
  std::optional<MetricReference> against{};  // the limit
  double tolerance = 0;                      // of ==: how far off still counts
  bool tolerance_is_relative = false;        // as a part of the limit
  Nanoseconds lasting_ns = 0;                // above 0: a breach must last so long to count
  std::uint32_t line = 0;                    // in the file; 0: it is not in one
};

struct Variant {
  std::string name;  // "base" when the file has no variants
  Scenario scenario;
  /// Of the resolved scenario without its seed: two runs of one question have the same.
  std::uint64_t fingerprint = 0;
};

struct StudyFile {
  std::string name;
  std::string title;
  std::string group;   // what it is for, one of the words of `group:`; empty: it does not say
  std::string lesson;  // what it teaches, in one line; may be empty
  std::vector<Variant> variants;  // in the order of the file; at least one
  std::vector<Expectation> expectations;
};

}  // namespace partsim
