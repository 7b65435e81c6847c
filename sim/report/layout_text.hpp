/// A run's layout events as sentences.
#pragma once

#include <string>
#include <vector>

#include "partsim/metrics/run_result.hpp"

namespace partsim {

struct LayoutLine {
  std::string when;  // "at 300 s"
  std::string what;  // not yet made visible: names of containers and reasons are in it
  std::size_t events = 1;
};

/// One line an event, in their order; partitions that split together share one.
[[nodiscard]] std::vector<LayoutLine> layout_lines(const RunResult& run);

/// "3 splits, 1 merge, 2 refused"; empty without events.
[[nodiscard]] std::string layout_counts(const RunResult& run);

/// What the shares of an event leave unused of what was bought, because some partition is at its
/// limit; 0 if all can be used. Rounding of shares does not count.
[[nodiscard]] MilliRu unusable_mru(const LayoutEvent& event) noexcept;

}  // namespace partsim
