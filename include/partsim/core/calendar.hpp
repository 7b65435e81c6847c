/// Simulated wall-clock text, UTC, without the C library's locale or time zone.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace partsim {

/// An instant of the Gregorian calendar, UTC, without leap seconds.
struct CivilTime {
  int year = 1970;
  int month = 1;  // 1 to 12
  int day = 1;    // 1 to 31
  int hour = 0;
  int minute = 0;
  int second = 0;
  [[nodiscard]] bool operator==(const CivilTime&) const = default;
};

/// 9999-12-31T23:59:59Z, the last instant that the calendar knows.
inline constexpr std::int64_t kLastUnixSecond = 253'402'300'799;

/// Seconds since 1970-01-01T00:00:00Z (0 to kLastUnixSecond) to the calendar.
[[nodiscard]] CivilTime civil_time(std::int64_t unix_seconds);
/// And back; nullopt when there is no such instant (30 February, second 60) or outside that range.
[[nodiscard]] std::optional<std::int64_t> unix_seconds(const CivilTime& time);

/// A strftime-like rollup of the simulated clock: %Y %m %d %H %M %S %y %j %F %T %s %% and literal
/// text. `period_s` is how long one text can stay valid at most (1, 60, 3600 or 86400 s): the
/// finest token decides, and every text changes only at a multiple of it (UTC).
class TimeFormat {
 public:
  /// nullopt for an unknown or cut-off % token, an empty text, or more than 64 bytes.
  [[nodiscard]] static std::optional<TimeFormat> parse(std::string_view pattern);

  /// Appends the text for an instant, in seconds since 1970-01-01T00:00:00Z (0 .. year 9999).
  void append(std::string& out, std::int64_t unix_seconds) const;
  /// The period; 0 when the pattern has no time token at all (a constant).
  [[nodiscard]] std::int64_t period_s() const noexcept { return period_s_; }
  [[nodiscard]] const std::string& pattern() const noexcept { return pattern_; }

 private:
  std::string pattern_;
  std::int64_t period_s_ = 0;
};

}  // namespace partsim
