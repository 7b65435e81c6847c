#include "partsim/core/units.hpp"

#include <cstdint>
#include <string>
#include <vector>

#include "partsim/core/rng.hpp"

#include "support/catch.hpp"

namespace partsim {
namespace {

struct Refusal {
  std::string text;
  UnitError error;
};

template <class Parser>
void check_refused(Parser parser, const std::vector<Refusal>& refusals) {
  for (const Refusal& refusal : refusals) {
    INFO("text '" << refusal.text << "'");
    const auto parsed = parser(refusal.text);
    REQUIRE_FALSE(parsed);
    CHECK(static_cast<int>(parsed.error) == static_cast<int>(refusal.error));
  }
}

/// Numbers of all magnitudes, many of them round.
std::int64_t amount(std::uint64_t i, std::string_view purpose) {
  const RngStream stream(29, "units-test", purpose);
  auto value = static_cast<std::int64_t>(stream.draw(i) >> (1 + stream.draw(i, 1) % 63));
  for (std::uint64_t zeros = stream.draw(i, 2) % 10; zeros > 0 && value < INT64_MAX / 10; --zeros) {
    value *= 10;
  }
  return value;
}

constexpr std::uint64_t kTrials = 20'000;

}  // namespace

TEST_CASE("Durations are read exactly in every unit", "[core]") {
  CHECK(parse_duration("250ms").value == 250 * kMillisecond);
  CHECK(parse_duration("10s").value == 10 * kSecond);
  CHECK(parse_duration("10 s").value == 10 * kSecond);
  CHECK(parse_duration("5m").value == 5 * kMinute);
  CHECK(parse_duration("5min").value == 5 * kMinute);
  CHECK(parse_duration("1.5h").value == 90 * kMinute);
  CHECK(parse_duration("7d").value == 7 * kDay);
  CHECK(parse_duration("3us").value == 3 * kMicrosecond);
  CHECK(parse_duration("0.001us").value == 1);
  CHECK(parse_duration("12ns").value == 12);
  CHECK(parse_duration("12.000ns").value == 12);
  CHECK(parse_duration("0s").value == 0);
  CHECK(parse_duration("0.0s").value == 0);
  CHECK(parse_duration("9223372036854775807ns").value == INT64_MAX);
  CHECK(parse_duration("9223372036.854775807s").value == INT64_MAX);
}

TEST_CASE("What is no duration is refused with the reason", "[core]") {
  check_refused(parse_duration, {{"", UnitError::malformed},
                                 {"10", UnitError::missing_unit},
                                 {"1.5", UnitError::missing_unit},
                                 {"10S", UnitError::unknown_unit},
                                 {"5M", UnitError::unknown_unit},
                                 {"10ss", UnitError::unknown_unit},
                                 {"300y", UnitError::unknown_unit},
                                 {"10 RU", UnitError::unknown_unit},
                                 {"10%", UnitError::unknown_unit},
                                 {"10\xc2\xb5\xc5\xbf", UnitError::unknown_unit},
                                 {"1.5ns", UnitError::too_fine},
                                 {"0.0000000001s", UnitError::too_fine},
                                 {"10 ms ", UnitError::malformed},
                                 {" 10ms", UnitError::malformed},
                                 {"10  ms", UnitError::malformed},
                                 {"10 ", UnitError::malformed},
                                 {"10\tms", UnitError::malformed},
                                 {".s", UnitError::malformed},
                                 {"s", UnitError::malformed},
                                 {".5s", UnitError::malformed},
                                 {"5.s", UnitError::malformed},
                                 {"1.2.3s", UnitError::malformed},
                                 {"1h -5m", UnitError::malformed},
                                 {"1h5m", UnitError::malformed},
                                 {"-5s", UnitError::malformed},
                                 {"+5s", UnitError::malformed},
                                 {"00:10", UnitError::malformed},
                                 {"010s", UnitError::malformed},
                                 {"00s", UnitError::malformed},
                                 {"1e3s", UnitError::malformed},
                                 {"0x1Fs", UnitError::malformed},
                                 {"1,000s", UnitError::malformed},
                                 {"1_000s", UnitError::malformed},
                                 {"\xd9\xa3s", UnitError::malformed},
                                 {std::string("5s\0", 3), UnitError::malformed},
                                 {"9223372036854775808ns", UnitError::out_of_range},
                                 {"9223372036.854775808s", UnitError::out_of_range},
                                 {"106752d", UnitError::out_of_range},
                                 {"99999999999999999999s", UnitError::out_of_range},
                                 {"1.0000000000000000000s", UnitError::too_fine}});
  CHECK(parse_duration("106751d"));
  CHECK(parse_duration("1.000000000000000000s").value == kSecond);
}

TEST_CASE("Sizes are powers of 1024", "[core]") {
  CHECK(parse_size("1 B").value == 1);
  CHECK(parse_size("1 KB").value == 1024);
  CHECK(parse_size("1.5KB").value == 1536);
  CHECK(parse_size("2 MB").value == 2 * 1024 * 1024);
  CHECK(parse_size("50 GB").value == std::int64_t{50} << 30);
  CHECK(parse_size("8388607 TB").value == std::int64_t{8388607} << 40);
  check_refused(parse_size, {{"1024", UnitError::missing_unit},
                             {"1 kB", UnitError::unknown_unit},
                             {"1 KiB", UnitError::unknown_unit},
                             {"1 K", UnitError::unknown_unit},
                             {"0.5 B", UnitError::too_fine},
                             {"0.1 KB", UnitError::too_fine},
                             {"-1 B", UnitError::malformed},
                             {"8388608 TB", UnitError::out_of_range}});
}

TEST_CASE("Throughput and charges are read in milli-RU", "[core]") {
  CHECK(parse_throughput("400 RU/s").value == 400'000);
  CHECK(parse_throughput("60000RU/s").value == 60'000'000);
  CHECK(parse_throughput("400.005 RU/s").value == 400'005);
  check_refused(parse_throughput, {{"400", UnitError::missing_unit},
                                   {"400 RU", UnitError::unknown_unit},
                                   {"400 ru/s", UnitError::unknown_unit},
                                   {"400 RU/S", UnitError::unknown_unit},
                                   {"400 RU / s", UnitError::malformed},
                                   {"400.0005 RU/s", UnitError::too_fine},
                                   {"9223372036854776 RU/s", UnitError::out_of_range}});
  CHECK(parse_ru("5 RU").value == 5'000);
  CHECK(parse_ru("5.8RU").value == 5'800);
  check_refused(parse_ru, {{"5", UnitError::missing_unit},
                           {"5 RU/s", UnitError::unknown_unit},
                           {"5.0001 RU", UnitError::too_fine}});
}

TEST_CASE("Percentages end at one hundred and at one part per million", "[core]") {
  CHECK(parse_percent("90%").value == 900'000);
  CHECK(parse_percent("90 %").value == 900'000);
  CHECK(parse_percent("0.0001%").value == 1);
  CHECK(parse_percent("0%").value == 0);
  CHECK(parse_percent("100%").value == 1'000'000);
  check_refused(parse_percent, {{"100.0001%", UnitError::out_of_range},
                                {"101%", UnitError::out_of_range},
                                {"0.00001%", UnitError::too_fine},
                                {"90", UnitError::missing_unit},
                                {"0.9", UnitError::missing_unit},
                                {"90%%", UnitError::unknown_unit},
                                {"-1%", UnitError::malformed}});
}

TEST_CASE("Rates are kept as written, so that thirds stay exact", "[core]") {
  CHECK(parse_rate("7000/s").value == Rate{.count_micro = 7'000'000'000, .per_ns = kSecond});
  CHECK(parse_rate("100/min").value == Rate{.count_micro = 100'000'000, .per_ns = kMinute});
  CHECK(parse_rate("8000/3s").value == Rate{.count_micro = 8'000'000'000, .per_ns = 3 * kSecond});
  CHECK(parse_rate("2666.5/s").value == Rate{.count_micro = 2'666'500'000, .per_ns = kSecond});
  CHECK(parse_rate("5/0.5 s").value == Rate{.count_micro = 5'000'000, .per_ns = kSecond / 2});
  CHECK(parse_rate("0/s").value == Rate{.count_micro = 0, .per_ns = kSecond});
  CHECK(parse_rate("1/ns").value == Rate{.count_micro = 1'000'000, .per_ns = 1});
  CHECK(parse_rate("1000000000/s"));
  check_refused(parse_rate, {{"7000", UnitError::missing_unit},
                             {"7000/", UnitError::missing_unit},
                             {"7000/3", UnitError::missing_unit},
                             {"7000s", UnitError::unknown_unit},
                             {"7000 RU/s", UnitError::unknown_unit},
                             {"7000/S", UnitError::unknown_unit},
                             {"7000/s/s", UnitError::unknown_unit},
                             {"7000//s", UnitError::unknown_unit},
                             {"7000/ s", UnitError::malformed},
                             {"7000/s ", UnitError::malformed},
                             {"7000/-1s", UnitError::malformed},
                             {"/s", UnitError::malformed},
                             {"-1/s", UnitError::malformed},
                             {"1e18/s", UnitError::malformed},
                             {"0.0000001/s", UnitError::too_fine},
                             {"10/0s", UnitError::out_of_range},
                             {"0/0s", UnitError::out_of_range},
                             {"1000000001/s", UnitError::out_of_range},
                             {"1000000000.000001/s", UnitError::out_of_range},
                             {"1.000001/ns", UnitError::out_of_range},
                             {"99999999999999999999/s", UnitError::out_of_range}});
}

TEST_CASE("Service times are for a request or for each RU of it", "[core]") {
  CHECK(parse_service_duration("1ms").value == ServiceDuration{kMillisecond, false});
  CHECK(parse_service_duration("0.2ms/RU").value == ServiceDuration{200 * kMicrosecond, true});
  check_refused(parse_service_duration, {{"1", UnitError::missing_unit},
                                         {"1/RU", UnitError::missing_unit},
                                         {"/RU", UnitError::malformed},
                                         {"1ms/ru", UnitError::unknown_unit},
                                         {"1ms/RU/RU", UnitError::unknown_unit},
                                         {"1ms /RU", UnitError::malformed},
                                         {"1ms/RU ", UnitError::malformed}});
}

TEST_CASE("Plain decimals have at most six places, no sign and no exponent", "[core]") {
  CHECK(parse_decimal_micro("0.99").value == 990'000);
  CHECK(parse_decimal_micro("1").value == 1'000'000);
  CHECK(parse_decimal_micro("0").value == 0);
  CHECK(parse_decimal_micro("0.000001").value == 1);
  CHECK(parse_decimal_micro("9223372036854.775807").value == INT64_MAX);
  check_refused(parse_decimal_micro, {{"0.0000001", UnitError::too_fine},
                                      {"0.9900000", UnitError::too_fine},
                                      {"9223372036854.775808", UnitError::out_of_range},
                                      {"99999999999999999999", UnitError::out_of_range},
                                      {"-0.0", UnitError::malformed},
                                      {"1e3", UnitError::malformed},
                                      {".5", UnitError::malformed},
                                      {".", UnitError::malformed},
                                      {"5.", UnitError::malformed},
                                      {"1f", UnitError::malformed},
                                      {".inf", UnitError::malformed},
                                      {"nan", UnitError::malformed},
                                      {"08", UnitError::malformed},
                                      {"1 ", UnitError::malformed},
                                      {"0.5 ", UnitError::malformed},
                                      {"50%", UnitError::malformed},
                                      {"", UnitError::malformed}});
}

TEST_CASE("Integers are unsigned decimals without leading zero, up to 2^64-1", "[core]") {
  CHECK(parse_integer("0").value == 0U);
  CHECK(parse_integer("2018").value == 2018U);
  CHECK(parse_integer("18446744073709551615").value == UINT64_MAX);
  check_refused(parse_integer, {{"18446744073709551616", UnitError::out_of_range},
                                {"184467440737095516150", UnitError::out_of_range},
                                {"010", UnitError::malformed},
                                {"08", UnitError::malformed},
                                {"00", UnitError::malformed},
                                {"0x1F", UnitError::malformed},
                                {"0b101", UnitError::malformed},
                                {"1,000", UnitError::malformed},
                                {"-1", UnitError::malformed},
                                {"+1", UnitError::malformed},
                                {"1e3", UnitError::malformed},
                                {"1.5", UnitError::malformed},
                                {"1.0", UnitError::malformed},
                                {"inf", UnitError::malformed},
                                {"12 ", UnitError::malformed},
                                {" 12", UnitError::malformed},
                                {"12abc", UnitError::malformed},
                                {"1 2", UnitError::malformed},
                                {"10k", UnitError::malformed},
                                {"60:30", UnitError::malformed},
                                {"\xd9\xa3", UnitError::malformed},
                                {"~", UnitError::malformed},
                                {"", UnitError::malformed}});
}

TEST_CASE("Instants are UTC, in one form, from 1970 to 2261", "[core]") {
  CHECK(parse_utc("1970-01-01T00:00:00Z").value == 0);
  CHECK(parse_utc("2018-08-09T08:00:00Z").value == 1'533'801'600);
  CHECK(parse_utc("2261-12-31T23:59:59Z").value == 9'214'646'399);
  check_refused(parse_utc, {{"2262-01-01T00:00:00Z", UnitError::out_of_range},
                            {"1969-12-31T23:59:59Z", UnitError::out_of_range},
                            {"2018-02-29T00:00:00Z", UnitError::out_of_range},
                            {"2018-13-01T00:00:00Z", UnitError::out_of_range},
                            {"2018-01-01T24:00:00Z", UnitError::out_of_range},
                            {"2018-01-01T00:00:60Z", UnitError::out_of_range},
                            {"2018-08-09", UnitError::malformed},
                            {"2018-08-09 08:00:00Z", UnitError::malformed},
                            {"2018-08-09T08:00:00", UnitError::malformed},
                            {"2018-08-09T08:00:00z", UnitError::malformed},
                            {"2018-08-09T08:00:00+00:00", UnitError::malformed},
                            {"2018-8-9T08:00:00Z00", UnitError::malformed},
                            {"2018-08-09T08:00:00Z ", UnitError::malformed},
                            {"-018-08-09T08:00:00Z", UnitError::malformed}});
}

TEST_CASE("Amounts are printed in the shortest exact form", "[core]") {
  CHECK(format_duration(0) == "0s");
  CHECK(format_duration(5 * kMillisecond) == "5ms");
  CHECK(format_duration(250 * kMillisecond) == "250ms");
  CHECK(format_duration(90 * kSecond) == "90s");
  CHECK(format_duration(10 * kMinute) == "10m");
  CHECK(format_duration(kHour) == "1h");
  CHECK(format_duration(7 * kDay) == "7d");
  CHECK(format_duration(1'500) == "1.5us");
  CHECK(format_duration(1) == "1ns");
  CHECK(format_size(0) == "0 B");
  CHECK(format_size(1024) == "1 KB");
  CHECK(format_size(1000) == "1000 B");
  CHECK(format_size(std::int64_t{50} << 30) == "50 GB");
  CHECK(format_throughput(60'000'000) == "60000 RU/s");
  CHECK(format_ru(5'800) == "5.8 RU");
  CHECK(format_percent(900'000) == "90%");
  CHECK(format_percent(1) == "0.0001%");
  CHECK(format_rate({.count_micro = 7'000'000'000, .per_ns = kSecond}) == "7000/s");
  CHECK(format_rate({.count_micro = 8'000'000'000, .per_ns = 3 * kSecond}) == "8000/3s");
  CHECK(format_rate({.count_micro = 1, .per_ns = 12 * kHour}) == "0.000001/12h");
  CHECK(format_rate({.count_micro = 1'000'000, .per_ns = 1'500}) == "1/1.5us");
  CHECK(format_service_duration({200 * kMicrosecond, true}) == "200us/RU");
  CHECK(format_decimal_micro(990'000) == "0.99");
  CHECK(format_decimal_micro(2'000'000) == "2");
  CHECK(format_utc(1'533'801'600) == "2018-08-09T08:00:00Z");
}

TEST_CASE("Every amount comes back from its text unchanged", "[core]") {
  for (std::uint64_t i = 0; i < kTrials; ++i) {
    const std::int64_t value = i == 0 ? INT64_MAX : amount(i, "amounts");
    INFO("value " << value);
    REQUIRE(parse_duration(format_duration(value)).value == value);
    REQUIRE(parse_size(format_size(value)).value == value);
    REQUIRE(parse_throughput(format_throughput(value)).value == value);
    REQUIRE(parse_ru(format_ru(value)).value == value);
    REQUIRE(parse_decimal_micro(format_decimal_micro(value)).value == value);
    REQUIRE(parse_percent(format_percent(value % 1'000'001)).value == value % 1'000'001);
    REQUIRE(parse_utc(format_utc(value % 9'214'646'400)).value == value % 9'214'646'400);
    const ServiceDuration service{value, i % 2 == 0};
    REQUIRE(parse_service_duration(format_service_duration(service)).value == service);
  }
}

TEST_CASE("Every rate up to one event a nanosecond comes back from its text unchanged", "[core]") {
  int accepted = 0;
  for (std::uint64_t i = 0; i < kTrials; ++i) {
    const Rate rate{.count_micro = amount(i, "count"), .per_ns = amount(i, "period") + 1};
    INFO(rate.count_micro << " millionths in " << rate.per_ns << " ns");
    const bool slow_enough = rate.count_micro / 1'000'000 < rate.per_ns;
    const Parsed<Rate> parsed = parse_rate(format_rate(rate));
    if (slow_enough) {
      REQUIRE(parsed.value == rate);
      ++accepted;
    }
  }
  CHECK(accepted > 1'000);
}

TEST_CASE("Random bytes never pass for an amount unless they are printed the same way", "[core]") {
  // Characters of the grammar, so that a good share of the texts is nearly right.
  constexpr std::string_view kAlphabet = "0123456789.. mshdunKMGTBRU/%-e";
  const RngStream stream(31, "units-test", "texts");
  int accepted = 0;
  for (std::uint64_t i = 0; i < 200'000; ++i) {
    std::string text;
    for (std::uint64_t k = 0; k < 1 + stream.draw(i, 15) % 6; ++k) {
      text += kAlphabet[bounded(stream.draw(i, k), kAlphabet.size())];
    }
    INFO("text '" << text << "'");
    if (const Parsed<Nanoseconds> parsed = parse_duration(text)) {
      ++accepted;
      REQUIRE(format_duration(*parsed.value).size() <= text.size());
      REQUIRE(parse_duration(format_duration(*parsed.value)).value == parsed.value);
    }
    if (const Parsed<Rate> parsed = parse_rate(text)) {
      REQUIRE(parse_rate(format_rate(*parsed.value)).value == parsed.value);
    }
    if (const Parsed<Bytes> parsed = parse_size(text)) {
      REQUIRE(parse_size(format_size(*parsed.value)).value == parsed.value);
    }
  }
  CHECK(accepted > 100);
}

}  // namespace partsim
