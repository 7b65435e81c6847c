#include "partsim/core/calendar.hpp"

#include <array>
#include <cstddef>

#include "partsim/core/assert.hpp"

namespace partsim {
namespace {

constexpr std::int64_t kSecondsADay = 86'400;
constexpr std::size_t kPatternLimit = 64;

bool is_leap(int year) noexcept {
  return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
}

/// Days of a year before the first of a month; month 13 gives the length of the year.
int days_before_month(int year, int month) noexcept {
  static constexpr std::array<int, 13> kDays = {0,   31,  59,  90,  120, 151, 181,
                                                212, 243, 273, 304, 334, 365};
  const int leap_day = month > 2 && is_leap(year) ? 1 : 0;
  return kDays[static_cast<std::size_t>(month - 1)] + leap_day;
}

/// Days from 1970-01-01 to the first of January of a year from 1970 on.
std::int64_t days_before_year(int year) noexcept {
  const int before = year - 1;  // leap days up to the end of that year; 477 of them before 1970
  return std::int64_t{365} * (year - 1970) + (before / 4 - before / 100 + before / 400 - 477);
}

void append_padded(std::string& out, std::int64_t value, int width) {
  const std::string digits = std::to_string(value);
  for (auto length = static_cast<int>(digits.size()); length < width; ++length) {
    out += '0';
  }
  out += digits;
}

/// How long the text of a token holds; 0 for the literal %%, -1 for what is no token.
std::int64_t token_period(char token) noexcept {
  switch (token) {
    case 'S':
    case 'T':
    case 's':
      return 1;
    case 'M':
      return 60;
    case 'H':
      return 3'600;
    case 'Y':
    case 'y':
    case 'm':
    case 'd':
    case 'j':
    case 'F':
      return kSecondsADay;
    case '%':
      return 0;
    default:
      return -1;
  }
}

void append_date(std::string& out, const CivilTime& time) {
  append_padded(out, time.year, 4);
  out += '-';
  append_padded(out, time.month, 2);
  out += '-';
  append_padded(out, time.day, 2);
}

void append_clock(std::string& out, const CivilTime& time) {
  append_padded(out, time.hour, 2);
  out += ':';
  append_padded(out, time.minute, 2);
  out += ':';
  append_padded(out, time.second, 2);
}

void append_token(std::string& out, char token, const CivilTime& time, std::int64_t unix_seconds) {
  switch (token) {
    case 'Y':
      return append_padded(out, time.year, 4);
    case 'y':
      return append_padded(out, time.year % 100, 2);
    case 'm':
      return append_padded(out, time.month, 2);
    case 'd':
      return append_padded(out, time.day, 2);
    case 'j':
      return append_padded(out, days_before_month(time.year, time.month) + time.day, 3);
    case 'H':
      return append_padded(out, time.hour, 2);
    case 'M':
      return append_padded(out, time.minute, 2);
    case 'S':
      return append_padded(out, time.second, 2);
    case 'F':
      return append_date(out, time);
    case 'T':
      return append_clock(out, time);
    case 's':
      return append_padded(out, unix_seconds, 1);
    default:
      out += '%';
  }
}

}  // namespace

CivilTime civil_time(std::int64_t unix_seconds) {
  PARTSIM_ASSERT(unix_seconds >= 0 && unix_seconds <= kLastUnixSecond, "years 1970 to 9999");
  const std::int64_t days = unix_seconds / kSecondsADay;
  const auto clock = static_cast<int>(unix_seconds % kSecondsADay);
  // Too late by at most one year: no year is longer than 366 days or, on average, shorter than 365.
  int year = 1970 + static_cast<int>(days * 400 / 146'097) + 1;
  while (days_before_year(year) > days) {
    --year;
  }
  const auto day_of_year = static_cast<int>(days - days_before_year(year));
  int month = 12;
  while (days_before_month(year, month) > day_of_year) {
    --month;
  }
  return {.year = year,
          .month = month,
          .day = day_of_year - days_before_month(year, month) + 1,
          .hour = clock / 3'600,
          .minute = clock / 60 % 60,
          .second = clock % 60};
}

std::optional<std::int64_t> unix_seconds(const CivilTime& time) {
  if (time.year < 1970 || time.year > 9999 || time.month < 1 || time.month > 12 || time.day < 1 ||
      time.hour < 0 || time.hour > 23 || time.minute < 0 || time.minute > 59 || time.second < 0 ||
      time.second > 59) {
    return std::nullopt;
  }
  const int first = days_before_month(time.year, time.month);
  if (time.day > days_before_month(time.year, time.month + 1) - first) {
    return std::nullopt;
  }
  const std::int64_t days = days_before_year(time.year) + first + time.day - 1;
  const std::int64_t minutes = std::int64_t{time.hour} * 60 + time.minute;
  return days * kSecondsADay + minutes * 60 + time.second;
}

std::optional<TimeFormat> TimeFormat::parse(std::string_view pattern) {
  if (pattern.empty() || pattern.size() > kPatternLimit) {
    return std::nullopt;
  }
  TimeFormat format;
  format.pattern_ = pattern;
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    if (pattern[i] != '%') {
      continue;
    }
    ++i;
    const std::int64_t period = i < pattern.size() ? token_period(pattern[i]) : -1;
    if (period < 0) {
      return std::nullopt;
    }
    if (period > 0 && (format.period_s_ == 0 || period < format.period_s_)) {
      format.period_s_ = period;
    }
  }
  return format;
}

void TimeFormat::append(std::string& out, std::int64_t unix_seconds) const {
  const CivilTime time = civil_time(unix_seconds);
  for (std::size_t i = 0; i < pattern_.size(); ++i) {
    if (pattern_[i] != '%') {
      out += pattern_[i];
    } else {
      ++i;
      append_token(out, pattern_[i], time, unix_seconds);
    }
  }
}

}  // namespace partsim
