/// Text with a unit to an exact integer, and back. No rounding: what does not fit the scale exactly
/// is refused. No locale, no floating point.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "partsim/core/time.hpp"

namespace partsim {

/// So many events in such a time, as written: `7000/s` is {7000 * 10^6, 1 s}, `8000/3s` is exact
/// too.
struct Rate {
  std::int64_t count_micro = 0;  // millionths of an event
  Nanoseconds per_ns = kSecond;
  [[nodiscard]] bool operator==(const Rate&) const = default;
};

/// A mean time, either for a request or for each RU of it: `1ms`, `0.2ms/RU`.
struct ServiceDuration {
  Nanoseconds mean_ns = 0;
  bool per_ru = false;
  [[nodiscard]] bool operator==(const ServiceDuration&) const = default;
};

/// Why a text was refused; each parser has one sentence for the rest ("expected a duration such as
/// ...").
enum class UnitError : std::uint8_t {
  malformed,
  missing_unit,
  unknown_unit,
  too_fine,
  out_of_range
};

template <class T>
struct Parsed {
  std::optional<T> value;
  UnitError error = UnitError::malformed;  // meaningful without a value
  explicit operator bool() const noexcept { return value.has_value(); }
};

// Grammar of all: DIGITS [ '.' DIGITS ] [one space] UNIT, nothing before or after. No sign, no
// exponent, no leading zero ("0" and "0.5" are fine), at most 19 significant digits
// (every int64 has an exact text). More digits before the point are out_of_range, after it
// too_fine.

/// ns us ms s m min h d -> nanoseconds (m and min both mean minutes).
[[nodiscard]] Parsed<Nanoseconds> parse_duration(std::string_view text);
/// B KB MB GB TB, powers of 1024 -> bytes.
[[nodiscard]] Parsed<Bytes> parse_size(std::string_view text);
/// `400 RU/s` -> milli-RU per second.
[[nodiscard]] Parsed<MilliRu> parse_throughput(std::string_view text);
/// `5 RU` -> milli-RU.
[[nodiscard]] Parsed<MilliRu> parse_ru(std::string_view text);
/// `90%` -> parts per million (0..1000000; more is out_of_range).
[[nodiscard]] Parsed<std::int64_t> parse_percent(std::string_view text);
/// `7000/s`, `100/min`, `8000/3s`, `2666.5/s`; zero is allowed, above 10^9 a second is
/// out_of_range.
[[nodiscard]] Parsed<Rate> parse_rate(std::string_view text);
/// `1ms` or `0.2ms/RU`.
[[nodiscard]] Parsed<ServiceDuration> parse_service_duration(std::string_view text);
/// A plain decimal with at most six places -> millionths. `0.99` -> 990000. Sign not allowed.
[[nodiscard]] Parsed<std::int64_t> parse_decimal_micro(std::string_view text);
/// Unsigned decimal integer without leading zero.
[[nodiscard]] Parsed<std::uint64_t> parse_integer(std::string_view text);
/// `2018-08-09T08:00:00Z` (UTC, years 1970 to 2261) -> seconds since 1970-01-01.
[[nodiscard]] Parsed<std::int64_t> parse_utc(std::string_view text);

// Shortest exact text that parses back to the same value; minutes are `m`, sizes and RU have a
// space. Amounts are never negative.
[[nodiscard]] std::string format_duration(Nanoseconds value);
[[nodiscard]] std::string format_size(Bytes value);
[[nodiscard]] std::string format_throughput(MilliRu value);  // "60000 RU/s"
[[nodiscard]] std::string format_ru(MilliRu value);          // "5.8 RU"
[[nodiscard]] std::string format_percent(std::int64_t ppm);
[[nodiscard]] std::string format_rate(const Rate& value);
[[nodiscard]] std::string format_service_duration(const ServiceDuration& value);
[[nodiscard]] std::string format_decimal_micro(std::int64_t value);
[[nodiscard]] std::string format_utc(std::int64_t seconds);

}  // namespace partsim
