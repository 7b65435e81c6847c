#include "partsim/core/units.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>

#include "partsim/core/assert.hpp"
#include "partsim/core/calendar.hpp"

namespace partsim {
namespace {

__extension__ using Wide = unsigned __int128;

constexpr std::size_t kDigitLimit = 19;  // 10^19 still fits 64 bits, and 2^63 needs 19 digits
constexpr std::int64_t kRatePerSecondLimit = 1'000'000'000;

struct Unit {
  std::string_view name;
  std::int64_t scale;
};

// The first unit with the shortest text wins in the printers, so zero is "0s" and "0 B".
constexpr std::array<Unit, 8> kDurationUnits = {{{"s", kSecond},
                                                 {"ms", kMillisecond},
                                                 {"us", kMicrosecond},
                                                 {"ns", 1},
                                                 {"m", kMinute},
                                                 {"h", kHour},
                                                 {"d", kDay},
                                                 {"min", kMinute}}};
constexpr std::array<Unit, 5> kSizeUnits = {{{"B", 1},
                                             {"KB", std::int64_t{1} << 10},
                                             {"MB", std::int64_t{1} << 20},
                                             {"GB", std::int64_t{1} << 30},
                                             {"TB", std::int64_t{1} << 40}}};
constexpr std::array<Unit, 1> kThroughputUnits = {{{"RU/s", kMilliPerRu}}};
constexpr std::array<Unit, 1> kRuUnits = {{{"RU", kMilliPerRu}}};
constexpr std::array<Unit, 1> kPercentUnits = {{{"%", kMillion / 100}}};

template <class T>
Parsed<T> refuse(UnitError error) {
  return {.value = std::nullopt, .error = error};
}

template <class T>
Parsed<T> accept(T value) {
  return {.value = value};
}

bool is_digit(char c) noexcept {
  return c >= '0' && c <= '9';
}

/// What could stand where a unit is expected: letters (of any alphabet), % and /.
bool looks_like_unit(std::string_view text) noexcept {
  return std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '%' || c == '/' ||
           static_cast<unsigned char>(c) >= 0x80;
  });
}

/// DIGITS [ '.' DIGITS ] from the front of a text.
struct Number {
  bool well_formed = false;
  std::optional<UnitError> error;  // too many digits: reported only if all else is right
  std::uint64_t mantissa = 0;
  std::size_t places = 0;
  std::string_view rest;
};

Number scan_number(std::string_view text) {
  Number number;
  std::size_t end = 0;
  while (end < text.size() && is_digit(text[end])) {
    ++end;
  }
  const std::size_t whole = end;
  if (whole == 0 || (whole > 1 && text[0] == '0')) {
    return number;
  }
  if (end < text.size() && text[end] == '.') {
    ++end;
    while (end < text.size() && is_digit(text[end])) {
      ++end;
    }
    number.places = end - whole - 1;
    if (number.places == 0) {
      return number;
    }
  }
  number.well_formed = true;
  number.rest = text.substr(end);
  std::size_t significant = 0;
  for (std::size_t i = 0; i < end; ++i) {
    if (text[i] == '.') {
      continue;
    }
    significant += (significant > 0 || text[i] != '0') ? 1U : 0U;
    if (significant > kDigitLimit) {
      number.error = whole > kDigitLimit ? UnitError::out_of_range : UnitError::too_fine;
      return number;
    }
    number.mantissa = number.mantissa * 10 + static_cast<std::uint64_t>(text[i] - '0');
  }
  return number;
}

/// mantissa * scale / 10^places, if that is an integer of 63 bits.
Parsed<std::int64_t> scaled(const Number& number, std::int64_t scale) {
  if (number.error) {
    return refuse<std::int64_t>(*number.error);
  }
  Wide value = Wide{number.mantissa} * static_cast<std::uint64_t>(scale);
  for (std::size_t i = 0; i < number.places; ++i) {
    if (value % 10 != 0) {
      return refuse<std::int64_t>(UnitError::too_fine);
    }
    value /= 10;
  }
  if (value > Wide{INT64_MAX}) {
    return refuse<std::int64_t>(UnitError::out_of_range);
  }
  return accept(static_cast<std::int64_t>(value));
}

Parsed<Unit> find_unit(std::string_view name, std::span<const Unit> units) {
  for (const Unit& unit : units) {
    if (unit.name == name) {
      return accept(unit);
    }
  }
  return refuse<Unit>(looks_like_unit(name) ? UnitError::unknown_unit : UnitError::malformed);
}

/// The grammar of all: a number, at most one space, a unit of the table.
Parsed<std::int64_t> parse_amount(std::string_view text, std::span<const Unit> units) {
  const Number number = scan_number(text);
  if (!number.well_formed) {
    return refuse<std::int64_t>(UnitError::malformed);
  }
  if (number.rest.empty()) {
    return refuse<std::int64_t>(UnitError::missing_unit);
  }
  std::string_view name = number.rest;
  if (name.front() == ' ') {
    name.remove_prefix(1);
    if (name.empty()) {
      return refuse<std::int64_t>(UnitError::malformed);
    }
  }
  const Parsed<Unit> unit = find_unit(name, units);
  return unit ? scaled(number, unit.value->scale) : refuse<std::int64_t>(unit.error);
}

/// value / scale as an exact decimal, or nullopt when it would take more digits than can be read.
std::optional<std::string> exact_decimal(std::int64_t value, std::int64_t scale) {
  PARTSIM_ASSERT(value >= 0, "amounts with a unit are never negative");
  std::string text = std::to_string(value / scale);
  std::size_t significant = text == "0" ? 0 : text.size();
  std::int64_t remainder = value % scale;
  if (remainder != 0) {
    text += '.';
  }
  while (remainder != 0) {
    const Wide tenfold = Wide{static_cast<std::uint64_t>(remainder)} * 10;
    const auto divisor = static_cast<std::uint64_t>(scale);
    const char digit = static_cast<char>('0' + static_cast<int>(tenfold / divisor));
    remainder = static_cast<std::int64_t>(tenfold % divisor);
    text += digit;
    significant += (significant > 0 || digit != '0') ? 1U : 0U;
    if (significant > kDigitLimit || text.size() > 2 * kDigitLimit) {
      return std::nullopt;
    }
  }
  return text;
}

/// The shortest of the exact texts; of equally short ones, one without a point.
std::string format_amount(std::int64_t value, std::span<const Unit> units, std::string_view gap) {
  std::string best;
  for (const Unit& unit : units) {
    std::optional<std::string> text = exact_decimal(value, unit.scale);
    if (!text) {
      continue;
    }
    *text += gap;
    *text += unit.name;
    const bool simpler = text->size() == best.size() && best.find('.') != std::string::npos &&
                         text->find('.') == std::string::npos;
    if (best.empty() || text->size() < best.size() || simpler) {
      best = *text;
    }
  }
  return best;
}

std::optional<int> fixed_digits(std::string_view text) {
  int value = 0;
  for (const char c : text) {
    if (!is_digit(c)) {
      return std::nullopt;
    }
    value = value * 10 + (c - '0');
  }
  return value;
}

}  // namespace

Parsed<Nanoseconds> parse_duration(std::string_view text) {
  return parse_amount(text, kDurationUnits);
}

Parsed<Bytes> parse_size(std::string_view text) {
  return parse_amount(text, kSizeUnits);
}

Parsed<MilliRu> parse_throughput(std::string_view text) {
  return parse_amount(text, kThroughputUnits);
}

Parsed<MilliRu> parse_ru(std::string_view text) {
  return parse_amount(text, kRuUnits);
}

Parsed<std::int64_t> parse_percent(std::string_view text) {
  const Parsed<std::int64_t> ppm = parse_amount(text, kPercentUnits);
  if (ppm && *ppm.value > kMillion) {
    return refuse<std::int64_t>(UnitError::out_of_range);
  }
  return ppm;
}

Parsed<Rate> parse_rate(std::string_view text) {
  const Number number = scan_number(text);
  if (!number.well_formed) {
    return refuse<Rate>(UnitError::malformed);
  }
  std::string_view rest = number.rest;
  if (!rest.empty() && rest.front() == ' ') {
    rest.remove_prefix(1);
    if (rest.empty()) {
      return refuse<Rate>(UnitError::malformed);
    }
  }
  if (rest.empty() || rest == "/") {
    return refuse<Rate>(UnitError::missing_unit);
  }
  if (rest.front() != '/') {
    return refuse<Rate>(looks_like_unit(rest) ? UnitError::unknown_unit : UnitError::malformed);
  }
  rest.remove_prefix(1);
  Parsed<Nanoseconds> period = parse_duration(rest);
  if (!is_digit(rest.front())) {  // "/s" is short for "/1s"
    const Parsed<Unit> unit = find_unit(rest, kDurationUnits);
    period = unit ? accept(unit.value->scale) : refuse<Nanoseconds>(unit.error);
  }
  if (!period) {
    return refuse<Rate>(period.error);
  }
  const Parsed<std::int64_t> count = scaled(number, kMillion);
  if (!count) {
    return refuse<Rate>(count.error);
  }
  const Rate rate{.count_micro = *count.value, .per_ns = *period.value};
  // A gap below one nanosecond would let the clock stand still; so would a period of zero.
  const Wide offered = Wide{static_cast<std::uint64_t>(rate.count_micro)} * kSecond;
  const Wide allowed = Wide{static_cast<std::uint64_t>(rate.per_ns)} *
                       static_cast<std::uint64_t>(kRatePerSecondLimit) * kMillion;
  if (rate.per_ns == 0 || offered > allowed) {
    return refuse<Rate>(UnitError::out_of_range);
  }
  return accept(rate);
}

Parsed<ServiceDuration> parse_service_duration(std::string_view text) {
  constexpr std::string_view kPerRu = "/RU";
  const bool per_ru =
      text.size() > kPerRu.size() && text.substr(text.size() - kPerRu.size()) == kPerRu;
  if (per_ru) {
    text.remove_suffix(kPerRu.size());
  }
  const Parsed<Nanoseconds> mean = parse_duration(text);
  if (!mean) {
    return refuse<ServiceDuration>(mean.error);
  }
  return accept(ServiceDuration{.mean_ns = *mean.value, .per_ru = per_ru});
}

Parsed<std::int64_t> parse_decimal_micro(std::string_view text) {
  constexpr std::size_t kPlaces = 6;
  const Number number = scan_number(text);
  if (!number.well_formed || !number.rest.empty()) {
    return refuse<std::int64_t>(UnitError::malformed);
  }
  if (number.places > kPlaces) {
    return refuse<std::int64_t>(UnitError::too_fine);
  }
  return scaled(number, kMillion);
}

Parsed<std::uint64_t> parse_integer(std::string_view text) {
  const bool digits = !text.empty() && std::all_of(text.begin(), text.end(), is_digit);
  if (!digits || (text.size() > 1 && text.front() == '0')) {
    return refuse<std::uint64_t>(UnitError::malformed);
  }
  std::uint64_t value = 0;
  for (const char c : text) {
    const auto digit = static_cast<std::uint64_t>(c - '0');
    if (value > (UINT64_MAX - digit) / 10) {
      return refuse<std::uint64_t>(UnitError::out_of_range);
    }
    value = value * 10 + digit;
  }
  return accept(value);
}

Parsed<std::int64_t> parse_utc(std::string_view text) {
  constexpr std::string_view kShape = "dddd-dd-ddTdd:dd:ddZ";
  constexpr int kLastYear = 2261;  // the last whole year that nanoseconds since 1970 can reach
  bool shaped = text.size() == kShape.size();
  for (std::size_t i = 0; shaped && i < kShape.size(); ++i) {
    shaped = kShape[i] == 'd' ? is_digit(text[i]) : text[i] == kShape[i];
  }
  if (!shaped) {
    return refuse<std::int64_t>(UnitError::malformed);
  }
  const auto part = [&](std::size_t from, std::size_t length) {
    return fixed_digits(text.substr(from, length)).value_or(-1);
  };
  const CivilTime time{.year = part(0, 4),
                       .month = part(5, 2),
                       .day = part(8, 2),
                       .hour = part(11, 2),
                       .minute = part(14, 2),
                       .second = part(17, 2)};
  const std::optional<std::int64_t> seconds = unix_seconds(time);
  if (!seconds || time.year > kLastYear) {
    return refuse<std::int64_t>(UnitError::out_of_range);
  }
  return accept(*seconds);
}

std::string format_duration(Nanoseconds value) {
  return format_amount(value, kDurationUnits, "");
}

std::string format_size(Bytes value) {
  return format_amount(value, kSizeUnits, " ");
}

std::string format_throughput(MilliRu value) {
  return format_amount(value, kThroughputUnits, " ");
}

std::string format_ru(MilliRu value) {
  return format_amount(value, kRuUnits, " ");
}

std::string format_percent(std::int64_t ppm) {
  return format_amount(ppm, kPercentUnits, "");
}

std::string format_rate(const Rate& value) {
  const std::string period = format_duration(value.per_ns);
  const bool one =
      period.size() > 1 && period[0] == '1' && !is_digit(period[1]) && period[1] != '.';
  return format_decimal_micro(value.count_micro) + '/' + (one ? period.substr(1) : period);
}

std::string format_service_duration(const ServiceDuration& value) {
  return format_duration(value.mean_ns) + (value.per_ru ? "/RU" : "");
}

std::string format_decimal_micro(std::int64_t value) {
  return exact_decimal(value, kMillion).value_or("");
}

std::string format_utc(std::int64_t seconds) {
  static const std::optional<TimeFormat> kFormat = TimeFormat::parse("%FT%TZ");
  std::string text;
  kFormat->append(text, seconds);
  return text;
}

}  // namespace partsim
