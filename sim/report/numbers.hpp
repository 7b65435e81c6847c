/// Numbers as people read them, and as files store them. No locale, no stream.
#pragma once

#include <cstdint>
#include <string>

namespace partsim {

// For people: about three significant digits, unit behind a space.

[[nodiscard]] std::string grouped(std::uint64_t value);   // 60,000
[[nodiscard]] std::string in_percent(double share);       // 3.2 %; never 0 % or 100 % by rounding
[[nodiscard]] std::string in_keys(std::int64_t q32);      // 50 %: parts of 2^32 of the key space
[[nodiscard]] std::string in_ms(double ms);               // 5.1 ms, 1.2 s; never 0 ms by rounding
[[nodiscard]] std::string in_seconds(std::int64_t ns);    // 60 s, 12.5 s
[[nodiscard]] std::string in_ru(double ru);               // 5.8, 30.2, 1,250
[[nodiscard]] std::string in_visits(double visits);       // 1, 2.5, 10
[[nodiscard]] std::string in_usd(std::int64_t micro);     // $3,504
[[nodiscard]] std::string in_times(double ratio);         // 1.28
[[nodiscard]] std::string in_short(std::uint64_t value);  // 412k
[[nodiscard]] std::string in_bytes(std::int64_t bytes);   // 51 GB, 1.5 GB; powers of 1024
[[nodiscard]] std::string in_clock(std::int64_t ns);      // 300 s, 20 min, 5 h 30 min

// For cells of tables, where the header has the unit.

/// Three significant digits; whole numbers keep all of theirs: 0.512, 5.12, 51.2, 512, 5,120.
[[nodiscard]] std::string three_digits(double value);
/// A share in percent: 85.2; never 0 or 100 by rounding.
[[nodiscard]] std::string percent_cell(double share);
[[nodiscard]] std::string count_cell(std::uint64_t value);   // 9,922, 40.0k, 3.49M
[[nodiscard]] std::string dollars_cell(std::int64_t micro);  // 3,504, 58.40

// For files: at most six places, no exponent, trailing zeros dropped.

/// Rounded to six places; the same double on every machine. Not finite: 0.
[[nodiscard]] double rounded(double value);
/// The text of `rounded`.
[[nodiscard]] std::string decimal(double value);
/// `value` / `scale` exactly, for scales of 1 to 10^6: milli-RU (1000), micro-dollars (10^6).
[[nodiscard]] std::string scaled_decimal(std::int64_t value, std::int64_t scale);

}  // namespace partsim
