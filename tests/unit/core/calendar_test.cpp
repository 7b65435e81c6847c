#include "partsim/core/calendar.hpp"

#include <cstdint>
#include <string>

#include "partsim/core/rng.hpp"

#include "support/catch.hpp"

namespace partsim {
namespace {

std::string text(std::string_view pattern, std::int64_t seconds) {
  std::string out;
  TimeFormat::parse(pattern).value().append(out, seconds);
  return out;
}

constexpr std::int64_t kVendorDay = 1'533'801'600;  // 2018-08-09T08:00:00Z

}  // namespace

TEST_CASE("Known instants have their calendar text", "[core]") {
  CHECK(text("%F %T", 0) == "1970-01-01 00:00:00");
  CHECK(text("%FT%TZ", kVendorDay) == "2018-08-09T08:00:00Z");
  CHECK(text("%F %T", 1'000'000'000) == "2001-09-09 01:46:40");
  CHECK(text("%F", 951'782'400) == "2000-02-29");    // 2000 is a leap year
  CHECK(text("%F", 4'107'542'400) == "2100-03-01");  // 2100 is not: the day after 28 February
  CHECK(text("%F", 4'107'542'399) == "2100-02-28");
  CHECK(text("%F %T", kLastUnixSecond) == "9999-12-31 23:59:59");
}

TEST_CASE("Each token prints its part, padded", "[core]") {
  const std::int64_t early = 981'173'106;  // 2001-02-03T04:05:06Z
  CHECK(text("%Y|%m|%d|%H|%M|%S|%y|%j", early) == "2001|02|03|04|05|06|01|034");
  CHECK(text("%s", early) == "981173106");
  CHECK(text("100%% on %F", early) == "100% on 2001-02-03");
  CHECK(text("%j", 978'220'800) == "366");    // 2000-12-31
  CHECK(text("%j", 1'009'756'800) == "365");  // 2001-12-31
  CHECK(text("plain", early) == "plain");
}

TEST_CASE("Calendar and seconds convert to each other for every day", "[core]") {
  CivilTime before = civil_time(0);
  for (std::int64_t day = 1; day < 150'000; ++day) {  // 410 years: a full cycle of leap years
    const CivilTime here = civil_time(day * 86'400);
    const bool next_day = here.day == before.day + 1 && here.month == before.month;
    const bool next_month =
        here.day == 1 && (here.month == before.month + 1 ||
                          (here.month == 1 && before.month == 12 && here.year == before.year + 1));
    REQUIRE((next_day || next_month));
    REQUIRE(unix_seconds(here) == day * 86'400);
    before = here;
  }
  const RngStream stream(19, "calendar-test", "instants");
  for (std::uint64_t i = 0; i < 20'000; ++i) {
    const auto instant = static_cast<std::int64_t>(bounded(stream.draw(i), kLastUnixSecond + 1));
    REQUIRE(unix_seconds(civil_time(instant)) == instant);
  }
}

TEST_CASE("Instants that do not exist are refused", "[core]") {
  CHECK(unix_seconds({.year = 2000, .month = 2, .day = 29}));
  CHECK_FALSE(unix_seconds({.year = 2001, .month = 2, .day = 29}));
  CHECK_FALSE(unix_seconds({.year = 2100, .month = 2, .day = 29}));
  CHECK(unix_seconds({.year = 2000, .month = 4, .day = 30}));
  CHECK_FALSE(unix_seconds({.year = 2000, .month = 4, .day = 31}));
  CHECK_FALSE(unix_seconds({.year = 2000, .month = 0, .day = 1}));
  CHECK_FALSE(unix_seconds({.year = 2000, .month = 13, .day = 1}));
  CHECK_FALSE(unix_seconds({.year = 2000, .month = 1, .day = 0}));
  CHECK_FALSE(unix_seconds({.year = 1969, .month = 12, .day = 31}));
  CHECK_FALSE(unix_seconds({.year = 10'000, .month = 1, .day = 1}));
  CHECK_FALSE(unix_seconds({.hour = 24}));
  CHECK_FALSE(unix_seconds({.minute = 60}));
  CHECK_FALSE(unix_seconds({.second = 60}));
}

TEST_CASE("The finest token decides how long a text holds", "[core]") {
  CHECK(TimeFormat::parse("%Y")->period_s() == 86'400);
  CHECK(TimeFormat::parse("%F")->period_s() == 86'400);
  CHECK(TimeFormat::parse("%j-%y")->period_s() == 86'400);
  CHECK(TimeFormat::parse("%FT%H")->period_s() == 3'600);
  CHECK(TimeFormat::parse("%M past %H")->period_s() == 60);
  CHECK(TimeFormat::parse("%H:%M:%S")->period_s() == 1);
  CHECK(TimeFormat::parse("%T")->period_s() == 1);
  CHECK(TimeFormat::parse("%s")->period_s() == 1);
  CHECK(TimeFormat::parse("all 100%%")->period_s() == 0);
}

TEST_CASE("A text changes only at multiples of its period", "[core]") {
  for (const char* pattern : {"%Y", "%F", "%m/%d", "%FT%H", "%H:%M", "%T", "%s"}) {
    INFO(pattern);
    const std::int64_t period = TimeFormat::parse(pattern)->period_s();
    const RngStream stream(23, "calendar-test", pattern);
    for (std::uint64_t i = 0; i < 300; ++i) {
      const auto instant = static_cast<std::int64_t>(bounded(stream.draw(i), 4'000'000'000));
      const std::int64_t start = instant / period * period;
      REQUIRE(text(pattern, start) == text(pattern, instant));
      REQUIRE(text(pattern, start) == text(pattern, start + period - 1));
    }
  }
}

TEST_CASE("Unknown or cut-off tokens, empty and overlong patterns are refused", "[core]") {
  for (const char* pattern : {"", "%", "%F%", "%Q", "%z", "% Y", "%e", "a%%%"}) {
    INFO(pattern);
    CHECK_FALSE(TimeFormat::parse(pattern));
  }
  CHECK(TimeFormat::parse(std::string(64, 'x')));
  CHECK_FALSE(TimeFormat::parse(std::string(65, 'x')));
  CHECK(TimeFormat::parse("%%%Y")->pattern() == "%%%Y");
}

}  // namespace partsim
