/// What one scenario file asks: a scenario in one or more variants, and what is expected of them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "partsim/scenario/scenario.hpp"

namespace partsim {

enum class Comparison : std::uint8_t { less, less_equal, greater, greater_equal, equal, not_equal };

/// One line of `expect:`, e.g. `vin-suffix.clients.lookup.ru_per_operation < 1.1`.
struct Expectation {
  std::string rule;     // as written
  std::string variant;  // empty: every variant must meet it
  std::string metric;   // path inside a run of results.json
  Comparison comparison = Comparison::less;
  double value =
      0;  // in the metric's own unit (shares as fractions, times in the unit of the name)
};

struct Variant {
  std::string name;  // "base" when the file has no variants
  Scenario scenario;
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
