/// One comparison with a limit: whether a value meets it, by how much, and for how long it did not.
#pragma once

#include <optional>

#include "partsim/metrics/metric_series.hpp"
#include "partsim/scenario/study_file.hpp"

namespace partsim {

struct ValueRange {
  double lowest = 0;
  double highest = 0;
};

struct Limit {
  Comparison comparison = Comparison::less;
  double value = 0;
  double tolerance = 0;  // of ==, in the unit of the value

  [[nodiscard]] bool holds(double measured) const;
  /// Distance to failing as a part of the limit; absolute if that is 0. Below 0: it has failed.
  [[nodiscard]] double margin(double measured) const;
  /// Whether any value of one range breaks the comparison with any limit of another.
  [[nodiscard]] bool can_break(const ValueRange& measured, const ValueRange& limit) const;
  /// Whether every value of at least 0 holds against itself times `factor`.
  [[nodiscard]] bool holds_against_itself(double factor) const;
};

struct Breach {
  std::optional<Nanoseconds> first_ns;  // when the first that lasted began; none did
  double value = 0;   // of all stretches so long, the best value of the worst stretch ...
  double margin = 0;  // ... and its margin
};

/// A breach is a stretch of intervals that all miss the limit; it counts if it lasts. Intervals
/// with nothing to measure neither make nor mend one.
[[nodiscard]] Breach worst_breach(const MetricSeries& series, const Limit& limit,
                                  Nanoseconds lasting_ns);

}  // namespace partsim
