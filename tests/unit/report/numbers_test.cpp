#include "numbers.hpp"

#include <cmath>
#include <cstdint>
#include <limits>

#include "expectation_text.hpp"
#include "support/catch.hpp"

namespace partsim {
namespace {

TEST_CASE("A share above zero never reads 0 %, one below 1 never 100 %", "[report]") {
  CHECK(in_percent(0) == "0 %");
  CHECK(in_percent(1e-9) == "<0.1 %");
  CHECK(in_percent(0.000499) == "<0.1 %");
  CHECK(in_percent(0.0005) == "0.1 %");
  CHECK(in_percent(0.032) == "3.2 %");
  CHECK(in_percent(0.0994) == "9.9 %");
  CHECK(in_percent(0.0996) == "10 %");
  CHECK(in_percent(0.98287832) == "98 %");
  CHECK(in_percent(0.996) == "99.6 %");
  CHECK(in_percent(0.999999) == "99.9 %");
  CHECK(in_percent(1) == "100 %");
  CHECK(in_percent(3) == "300 %");
  CHECK(in_percent(12.5) == "1,250 %");
}

TEST_CASE("A duration above zero never reads 0 ms", "[report]") {
  CHECK(in_ms(0) == "0 ms");
  CHECK(in_ms(0.000001) == "<0.01 ms");
  CHECK(in_ms(0.0049) == "<0.01 ms");
  CHECK(in_ms(0.0051) == "0.01 ms");
  CHECK(in_ms(0.5) == "0.50 ms");
  CHECK(in_ms(5.14) == "5.1 ms");
  CHECK(in_ms(996.1) == "996 ms");
  CHECK(in_ms(999.6) == "1.0 s");
  CHECK(in_ms(30'000) == "30 s");
  CHECK(in_seconds(60'000'000'000) == "60 s");
  CHECK(in_seconds(12'500'000'000) == "12.5 s");
}

TEST_CASE("Amounts are short, grouped, and zero is plain", "[report]") {
  CHECK(grouped(0) == "0");
  CHECK(grouped(999) == "999");
  CHECK(grouped(60'000) == "60,000");
  CHECK(grouped(UINT64_MAX) == "18,446,744,073,709,551,615");
  CHECK(in_ru(0) == "0");
  CHECK(in_ru(0.01) == "<0.1");
  CHECK(in_ru(5.76) == "5.8");
  CHECK(in_ru(1249.6) == "1,250");
  CHECK(in_visits(1) == "1");
  CHECK(in_visits(2.5) == "2.5");
  CHECK(in_visits(10) == "10");
  CHECK(in_usd(3'504'000'000) == "$3,504");
  CHECK(in_usd(58'400'000) == "$58.40");
  CHECK(in_times(1) == "1.00");
  CHECK(in_times(10) == "10.0");
  CHECK(in_times(1000) == "1,000");
  CHECK(in_short(9'999) == "9,999");
  CHECK(in_short(383'327) == "383k");
  CHECK(in_short(3'485'421) == "3.5M");
}

TEST_CASE("Cells of tables have three significant digits, whole numbers all of theirs",
          "[report]") {
  CHECK(three_digits(0) == "0");
  CHECK(three_digits(0.00001) == "<0.001");
  CHECK(three_digits(0.0512) == "0.051");
  CHECK(three_digits(0.5123) == "0.512");
  CHECK(three_digits(0.9996) == "1.00");
  CHECK(three_digits(5.1234) == "5.12");
  CHECK(three_digits(9.996) == "10.0");
  CHECK(three_digits(51.234) == "51.2");
  CHECK(three_digits(99.96) == "100");
  CHECK(three_digits(512.34) == "512");
  CHECK(three_digits(5'123.4) == "5,123");
  CHECK(three_digits(std::numeric_limits<double>::quiet_NaN()) == "0");
  CHECK(percent_cell(0.8516) == "85.2");
  CHECK(percent_cell(1) == "100");
  CHECK(percent_cell(0.999999) == "99.9");  // never all by rounding
  CHECK(percent_cell(1.404) == "140");
  CHECK(count_cell(9'922) == "9,922");
  CHECK(count_cell(40'000) == "40.0k");
  CHECK(count_cell(3'485'421) == "3.49M");
  CHECK(dollars_cell(3'504'000'000) == "3,504");
  CHECK(dollars_cell(58'400'000) == "58.40");
}

TEST_CASE("Sizes are powers of 1024, times as long as they need to be", "[report]") {
  CHECK(in_bytes(0) == "0 B");
  CHECK(in_bytes(999) == "999 B");
  CHECK(in_bytes(1024) == "1 KB");
  CHECK(in_bytes(20LL << 30) == "20 GB");
  CHECK(in_bytes((20LL << 30) + (1LL << 29)) == "20 GB");
  CHECK(in_bytes((5LL << 30) + (1LL << 29)) == "5.5 GB");
  CHECK(in_bytes(1000LL << 30) == "1 TB");  // never a fourth digit
  CHECK(in_clock(0) == "0 s");
  CHECK(in_clock(999'500'000'000) == "999.5 s");
  CHECK(in_clock(1'000'000'000'000) == "16 min 40 s");
  CHECK(in_clock(7'140'000'000'000) == "119 min");
  CHECK(in_clock(18'000'000'000'000) == "5 h");
  CHECK(in_clock(19'800'000'000'000) == "5 h 30 min");
}

TEST_CASE("Parts of the key space that miss the whole by rounding are the whole", "[report]") {
  constexpr std::int64_t kWhole = std::int64_t{1} << 32;
  CHECK(in_keys(kWhole) == "100 %");
  CHECK(in_keys(kWhole - 4) == "100 %");
  CHECK(in_keys(kWhole / 2) == "50 %");
  CHECK(in_keys(kWhole / 1000 * 999) == "99.9 %");
  CHECK(in_keys(0) == "0 %");
}

TEST_CASE("Decimals for files have no exponent, no more than six places and no idle zeros",
          "[report]") {
  CHECK(decimal(0) == "0");
  CHECK(decimal(-0.0) == "0");
  CHECK(decimal(0.000001) == "0.000001");
  CHECK(decimal(0.0000004) == "0");
  CHECK(decimal(1.0 / 3) == "0.333333");
  CHECK(decimal(2.0 / 3) == "0.666667");
  CHECK(decimal(1.5) == "1.5");
  CHECK(decimal(-1.25) == "-1.25");
  CHECK(decimal(1e9) == "1000000000");
  CHECK(decimal(std::nan("")) == "0");
  CHECK(decimal(std::numeric_limits<double>::infinity()) == "0");
}

TEST_CASE("Milli-units become decimals digit by digit, at any size", "[report]") {
  CHECK(scaled_decimal(0, 1000) == "0");
  CHECK(scaled_decimal(5, 1000) == "0.005");
  CHECK(scaled_decimal(330'000'750, 1000) == "330000.75");
  CHECK(scaled_decimal(-1, 1'000'000) == "-0.000001");
  CHECK(scaled_decimal(INT64_MAX, 1000) == "9223372036854775.807");
  CHECK(scaled_decimal(INT64_MIN, 1000) == "-9223372036854775.808");
}

std::string measured(const char* rule, double value) {
  return measured_value({rule, "v", value, false});
}

TEST_CASE("An expectation's value has the unit of its metric and three digits", "[report]") {
  CHECK(measured("v.throttled_share > 50%", 0.98287832) == "98.3%");
  CHECK(measured("throttled_share < 1%", 0) == "0%");
  CHECK(measured("latency_ms.p99 < 10ms", 9'512.3456) == "9512 ms");
  CHECK(measured("v.clients.lookup.ru_per_operation > 20", 25.7301) == "25.7 RU");
  CHECK(measured("ru.provisioned_per_s >= 400 RU/s", 60'000) == "60000 RU/s");
  CHECK(measured("cost.per_month < $100", 58.4) == "$58.4");
  CHECK(measured("attempts < 1000", 12'345) == "12345");
  CHECK(measured("imbalance < 1.1", 1.25) == "1.25");
  CHECK(measured("no rule at all", 2) == "2");
}

TEST_CASE("A value that missed its limit by a hair does not look like the limit", "[report]") {
  CHECK(measured("throttled_share < 1%", 0.01000001) == "1.000001%");
  CHECK(measured("imbalance < 1.1", 1.100049) == "1.100049");
  CHECK(measured("imbalance < 1.001", 1.00149) == "1.00149");
  CHECK(measured("latency_ms.p99 < 0.25s", 250.0004) == "250.0004 ms");
  CHECK(measured("latency_ms.p99 < 10ms", 9.9996) == "9.9996 ms");
}

}  // namespace
}  // namespace partsim
