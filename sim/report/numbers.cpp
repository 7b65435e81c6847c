#include "numbers.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

namespace partsim {
namespace {

constexpr std::int64_t kMicro = 1'000'000;
/// Beyond this a double has no six decimal places left, and its millionths no 64-bit integer.
constexpr double kLargest = 9e12;

std::int64_t to_micro(double value) {
  if (!std::isfinite(value)) {
    return 0;
  }
  return std::llround(std::clamp(value, -kLargest, kLargest) * static_cast<double>(kMicro));
}

/// One decimal below ten, none from there on, thousands grouped.
std::string short_number(double value) {
  const double size = std::abs(value);
  if (size >= 999.5) {
    return grouped(static_cast<std::uint64_t>(std::llround(std::min(size, kLargest))));
  }
  return size < 9.95 ? fmt::format("{:.1f}", value) : fmt::format("{:.0f}", value);
}

/// All digits below ten thousand, a suffix from there on.
std::string with_suffix(std::uint64_t value, std::string (*number)(double)) {
  constexpr std::array<const char*, 6> kSuffixes{"", "k", "M", "G", "T", "P"};
  if (value < 10'000) {
    return grouped(value);
  }
  auto scaled = static_cast<double>(value);
  std::size_t suffix = 0;
  while (scaled >= 999.5 && suffix + 1 < kSuffixes.size()) {
    scaled /= 1000;
    ++suffix;
  }
  return number(scaled) + kSuffixes[suffix];
}

}  // namespace

std::string grouped(std::uint64_t value) {
  std::string digits = fmt::format("{}", value);
  for (std::size_t position = digits.size(); position > 3;) {
    position -= 3;
    digits.insert(position, 1, ',');
  }
  return digits;
}

std::string in_percent(double share) {
  const double percent = share * 100;
  if (percent <= 0 || !std::isfinite(percent)) {
    return "0 %";
  }
  if (percent < 0.05) {
    return "<0.1 %";
  }
  if (percent >= 99.5 && percent < 100) {
    return fmt::format("{:.1f} %", std::min(percent, 99.9));
  }
  return short_number(percent) + " %";
}

std::string in_keys(std::int64_t q32) {
  // ranges end on whole hashes, so that even all of them may fall short of the whole by a few parts
  return in_percent(rounded(static_cast<double>(q32) / 4'294'967'296.0));
}

std::string in_ms(double ms) {
  if (ms <= 0 || !std::isfinite(ms)) {
    return "0 ms";
  }
  if (ms < 0.005) {
    return "<0.01 ms";
  }
  if (ms < 0.995) {
    return fmt::format("{:.2f} ms", ms);
  }
  if (ms < 999.5) {
    return short_number(ms) + " ms";
  }
  return short_number(ms / 1000) + " s";
}

std::string in_seconds(std::int64_t ns) {
  // one decimal is enough to tell where a run ended
  const std::int64_t tenths = ns / 100'000'000;
  return tenths % 10 == 0 ? fmt::format("{} s", tenths / 10)
                          : fmt::format("{}.{} s", tenths / 10, tenths % 10);
}

std::string in_ru(double ru) {
  if (ru <= 0 || !std::isfinite(ru)) {
    return "0";
  }
  return ru < 0.05 ? "<0.1" : ru < 99.95 ? fmt::format("{:.1f}", ru) : short_number(ru);
}

std::string in_visits(double visits) {
  const std::string text = in_ru(visits);
  return text.ends_with(".0") ? text.substr(0, text.size() - 2) : text;
}

std::string in_usd(std::int64_t micro) {
  const double dollars = static_cast<double>(micro) / static_cast<double>(kMicro);
  return dollars < 99.995 ? fmt::format("${:.2f}", dollars) : "$" + short_number(dollars);
}

std::string in_times(double ratio) {
  return ratio < 9.995   ? fmt::format("{:.2f}", ratio)
         : ratio < 99.95 ? fmt::format("{:.1f}", ratio)
                         : short_number(ratio);
}

std::string in_short(std::uint64_t value) {
  return with_suffix(value, short_number);
}

std::string count_cell(std::uint64_t value) {
  return with_suffix(value, three_digits);
}

std::string in_bytes(std::int64_t bytes) {
  constexpr std::array<const char*, 6> kUnits{"B", "KB", "MB", "GB", "TB", "PB"};
  auto scaled = static_cast<double>(bytes);
  std::size_t unit = 0;
  while (scaled >= 999.5 && unit + 1 < kUnits.size()) {
    scaled /= 1024;
    ++unit;
  }
  std::string number = unit == 0 ? fmt::format("{}", bytes) : short_number(scaled);
  if (number.ends_with(".0")) {
    number.resize(number.size() - 2);
  }
  return fmt::format("{} {}", number, kUnits[unit]);
}

std::string in_clock(std::int64_t ns) {
  constexpr std::int64_t kSecondNs = 1'000'000'000;
  const std::int64_t seconds = ns / kSecondNs;
  if (seconds < 1'000) {
    return in_seconds(ns);
  }
  const std::int64_t minutes = seconds / 60;
  if (minutes >= 120) {
    return minutes % 60 == 0 ? fmt::format("{} h", minutes / 60)
                             : fmt::format("{} h {} min", minutes / 60, minutes % 60);
  }
  return seconds % 60 == 0 ? fmt::format("{} min", minutes)
                           : fmt::format("{} min {} s", minutes, seconds % 60);
}

std::string three_digits(double value) {
  if (value <= 0 || !std::isfinite(value)) {
    return "0";
  }
  if (value < 0.0005) {
    return "<0.001";
  }
  if (value >= 99.95) {
    return short_number(value);
  }
  return value < 0.9995  ? fmt::format("{:.3f}", value)
         : value < 9.995 ? fmt::format("{:.2f}", value)
                         : fmt::format("{:.1f}", value);
}

std::string percent_cell(double share) {
  const double percent = share * 100;
  if (percent >= 99.95 && percent < 100) {
    return "99.9";
  }
  return three_digits(percent);
}

std::string dollars_cell(std::int64_t micro) {
  return in_usd(micro).substr(1);
}

double rounded(double value) {
  // a correctly rounded quotient: the double nearest to the decimal, which prints as that decimal
  return static_cast<double>(to_micro(value)) / static_cast<double>(kMicro);
}

std::string decimal(double value) {
  return scaled_decimal(to_micro(value), kMicro);
}

std::string scaled_decimal(std::int64_t value, std::int64_t scale) {
  const bool negative = value < 0;
  const auto size =
      negative ? 0 - static_cast<std::uint64_t>(value) : static_cast<std::uint64_t>(value);
  const auto unsigned_scale = static_cast<std::uint64_t>(scale);
  std::string text = fmt::format("{}{}", negative ? "-" : "", size / unsigned_scale);
  std::uint64_t rest = size % unsigned_scale;
  if (rest != 0) {
    text += '.';
    while (rest != 0) {
      rest *= 10;
      text += static_cast<char>('0' + rest / unsigned_scale);
      rest %= unsigned_scale;
    }
  }
  return text;
}

}  // namespace partsim
