/// What stands in the columns of a trace, from text to values. Nothing here throws; no value means
/// that the text is none.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "partsim/core/units.hpp"
#include "partsim/scenario/scenario.hpp"

namespace partsim {

/// Seconds (`12.5`), an instant of ISO 8601 in UTC (`2024-01-01T00:00:00.1234567Z`) or as the Azure
/// portal exports it (`1/31/2024, 4:05:06.789 PM`), in nanoseconds since 1970 or since whatever the
/// seconds count from.
[[nodiscard]] std::optional<Nanoseconds> trace_time(std::string_view text);
/// Reads times one after the other: most of them are in the minute of the one before.
class TraceClock {
 public:
  /// As trace_time.
  [[nodiscard]] std::optional<Nanoseconds> read(std::string_view text);

 private:
  std::string minute_;  // `2024-01-31T16:05:` of the last instant; empty: it was none
  Nanoseconds minute_ns_ = 0;
};
/// RU with any number of decimals, rounded to thousandths.
[[nodiscard]] std::optional<MilliRu> trace_charge(std::string_view text);
/// Digits only.
[[nodiscard]] std::optional<std::int64_t> trace_number(std::string_view text);
/// Names of the service's logs (`SqlQuery`) and of scenarios (`query`), in any case.
[[nodiscard]] std::optional<OperationKind> trace_operation(std::string_view text);

}  // namespace partsim
