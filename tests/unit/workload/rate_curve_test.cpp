// Rates that change, against their integrals. Counts of evenly spaced operations are the integral
// within one; Poisson counts are held by chi-square and Kolmogorov at one in a million.
#include <algorithm>
#include <cmath>
#include <vector>

#include "partsim/workload/arrival_times.hpp"

#include "support/catch.hpp"
#include "support/scenario_builder.hpp"
#include "unit/core/statistics.hpp"

using namespace partsim;

namespace {

constexpr std::int64_t kMidnight = 1'704'067'200;

ClientSpec client_of(decltype(ClientSpec::arrivals) arrivals) {
  ClientSpec client;
  client.name = "app";
  client.arrivals = std::move(arrivals);
  return client;
}

/// Every time before `until`, asked for in steps.
std::vector<Nanoseconds> times_before(decltype(ClientSpec::arrivals) arrivals, Nanoseconds until,
                                      Nanoseconds step = kHour,
                                      std::int64_t start_unix_s = kMidnight) {
  const ClientSpec client = client_of(std::move(arrivals));
  ArrivalTimes times(client, 42, start_unix_s);
  std::vector<Nanoseconds> all;
  for (Nanoseconds horizon = 0; horizon < until;) {
    horizon = std::min(until, horizon + step);
    for (Nanoseconds t = times.peek(horizon); t < horizon; t = times.peek(horizon)) {
      all.push_back(t);
      times.pop();
    }
  }
  return all;
}

OpenLoop evenly(double per_second) {
  return {testing::per_second(per_second), OpenLoop::Spacing::evenly};
}
OpenLoop poisson(double per_second) {
  return {testing::per_second(per_second), OpenLoop::Spacing::poisson};
}

double count_in(const std::vector<Nanoseconds>& times, Nanoseconds begin, Nanoseconds end) {
  const auto at = [&](Nanoseconds t) { return std::lower_bound(times.begin(), times.end(), t); };
  return static_cast<double>(at(end) - at(begin));
}

/// 1,000/s until 5 s, then in ten seconds to 3,000/s.
OpenLoop ramp(OpenLoop loop) {
  loop.changes = {{5 * kSecond, testing::per_second(3'000), 10 * kSecond}};
  return loop;
}

}  // namespace

TEST_CASE("Evenly spaced operations on a ramp are its integral, in every second", "[workload]") {
  const auto times = times_before(ramp(evenly(1'000)), 20 * kSecond);
  CHECK(std::abs(count_in(times, 5 * kSecond, 15 * kSecond) - 20'000) <= 1);
  for (int second = 0; second < 20; ++second) {
    const double into = std::clamp(second + 0.5 - 5, 0.0, 10.0);
    const double expected = second < 5 ? 1'000 : second < 15 ? 1'000 + 200 * into : 3'000;
    CAPTURE(second);
    CHECK(std::abs(count_in(times, second * kSecond, (second + 1) * kSecond) - expected) <= 1);
  }
}

TEST_CASE("Poisson arrivals on a ramp have its mean in every second and its shape inside",
          "[workload]") {
  const auto times = times_before(ramp(poisson(1'000)), 15 * kSecond);
  std::vector<double> seen;
  std::vector<double> expected;
  for (int second = 0; second < 15; ++second) {
    seen.push_back(count_in(times, second * kSecond, (second + 1) * kSecond));
    expected.push_back(second < 5 ? 1'000 : 1'000 + 200 * (second - 4.5));
  }
  CHECK(statistics::chi_square_ratio(seen, expected) < 1);
  std::vector<double> on_ramp;
  for (const Nanoseconds t : times) {
    if (t >= 5 * kSecond) {
      on_ramp.push_back(static_cast<double>(t - 5 * kSecond) / 1e9);
    }
  }
  // the integral of 1000 + 200 s, of which 20,000 are reached at 10 s
  CHECK(statistics::kolmogorov_ratio(
            on_ramp, [](double s) { return (1'000 * s + 100 * s * s) / 20'000; }) < 1);
}

TEST_CASE("A ramp down to nothing ends there", "[workload]") {
  OpenLoop loop = evenly(1'000);
  loop.changes = {{0, testing::per_second(0), 10 * kSecond}};
  const auto times = times_before(loop, kHour);
  CHECK(std::abs(static_cast<double>(times.size()) - 5'000) <= 1);
  CHECK(times.back() <= 10 * kSecond);
}

TEST_CASE("A ramp up from nothing sends its first operation at its begin, not before time zero",
          "[workload]") {
  OpenLoop loop = evenly(0);
  loop.changes = {{0, testing::per_second(1'000), 10 * kSecond}};
  const auto times = times_before(loop, 10 * kSecond);
  CHECK(times.front() == 0);
  CHECK(std::is_sorted(times.begin(), times.end()));
  CHECK(std::abs(static_cast<double>(times.size()) - 5'000) <= 1);
}

TEST_CASE("A ramp that hardly rises does not send everything at one instant", "[workload]") {
  // The textbook root of the quadratic cancels to zero here.
  for (OpenLoop loop : {evenly(1'000), poisson(1'000)}) {
    loop.changes = {{0, {1'000'001'000, kSecond}, 3'650 * kDay}};
    const auto times = times_before(loop, 10 * kSecond);
    const double spread = loop.spacing == OpenLoop::Spacing::evenly
                              ? 1
                              : statistics::kNormalTwoSided * std::sqrt(10'000.0);
    CHECK(std::abs(static_cast<double>(times.size()) - 10'000) <= spread);
  }
}

TEST_CASE("A curve that never leaves the rate sends when the plain rate does", "[workload]") {
  const auto with_cuts = [](OpenLoop loop) {
    loop.changes = {{5 * kSecond, loop.rate, 0}, {6 * kSecond, loop.rate, 3 * kSecond}};
    loop.spikes = {{kSecond, kSecond, kMillion}};
    loop.on_off = OnOff{kSecond, 0};
    return loop;
  };
  const auto plain = times_before(poisson(7'000), 12 * kSecond);
  CHECK(plain.size() > 80'000);
  CHECK((times_before(with_cuts(poisson(7'000)), 12 * kSecond) == plain));

  // Whole nanoseconds: the plain rule divides integers, the curve gathers mass in doubles.
  const auto even = times_before(evenly(7'000), 12 * kSecond);
  const auto even_cut = times_before(with_cuts(evenly(7'000)), 12 * kSecond);
  REQUIRE(even_cut.size() == even.size());
  Nanoseconds worst = 0;
  for (std::size_t i = 0; i < even.size(); ++i) {
    worst = std::max(worst, std::abs(even[i] - even_cut[i]));
  }
  CHECK(worst <= 1);
}

TEST_CASE("A spike multiplies the rate while it lasts", "[workload]") {
  OpenLoop loop = evenly(100);
  loop.spikes = {{40 * kSecond, 2 * kSecond, 10 * kMillion}, {50 * kSecond, kSecond, 0}};
  const auto times = times_before(loop, 60 * kSecond);
  for (int second = 0; second < 60; ++second) {
    const double expected = second == 40 || second == 41 ? 1'000 : second == 50 ? 0 : 100;
    CAPTURE(second);
    CHECK(std::abs(count_in(times, second * kSecond, (second + 1) * kSecond) - expected) <= 1);
  }
}

TEST_CASE("Bursts are silent while off and keep the rate while on", "[workload]") {
  for (OpenLoop loop : {evenly(500), poisson(500)}) {
    loop.on_off = OnOff{kSecond, 9 * kSecond};
    const auto times = times_before(loop, 1'000 * kSecond);
    std::size_t while_off = 0;
    for (const Nanoseconds t : times) {
      while_off += t % (10 * kSecond) > kSecond ? 1 : 0;
    }
    CHECK(while_off == 0);
    const bool even = loop.spacing == OpenLoop::Spacing::evenly;
    const double spread = even ? 1 : statistics::kNormalTwoSided * std::sqrt(50'000.0);
    CHECK(std::abs(static_cast<double>(times.size()) - 50'000) <= spread);
    CHECK(times.back() > 990 * kSecond);
  }
}

TEST_CASE("A month of one-second bursts sends what a month of their mean does", "[workload]") {
  OpenLoop loop = evenly(1);
  loop.on_off = OnOff{kSecond, 59 * kSecond};
  const auto times = times_before(loop, 30 * kDay, kDay);
  CHECK(std::abs(static_cast<double>(times.size()) - 30 * 24 * 60) <= 1);
}

TEST_CASE("A silent client with bursts is asked once, not once a burst", "[workload]") {
  OpenLoop loop = poisson(0);
  loop.on_off = OnOff{1, 1};
  CHECK(times_before(loop, 36'500 * kDay, 365 * kDay).empty());
}

TEST_CASE("A daily curve goes in straight lines from hour to hour, minute by minute",
          "[workload]") {
  OpenLoop loop = evenly(10);
  loop.hour_ppm.emplace();
  loop.hour_ppm->fill(0);
  loop.hour_ppm->at(9) = 2 * kMillion;
  loop.hour_ppm->at(10) = kMillion;
  const auto times = times_before(loop, kDay);
  // Minute m of an hour that goes from a to b has a + (b - a) m / 60; sixty of them 60 a + 29.5 (b
  // - a).
  const auto hour = [&](int h) { return count_in(times, h * kHour, (h + 1) * kHour); };
  CHECK(std::abs(hour(8) - 600 * 29.5 * 2) <= 1);
  CHECK(std::abs(hour(9) - 600 * (120 - 29.5)) <= 1);
  CHECK(std::abs(hour(10) - 600 * (60 - 29.5)) <= 1);
  CHECK(static_cast<double>(times.size()) == hour(8) + hour(9) + hour(10));
  const Nanoseconds minute = 9 * kHour + 30 * kMinute;  // (2 * 30 + 1 * 30) / 60
  CHECK(std::abs(count_in(times, minute, minute + kMinute) - 900) <= 1);
}

TEST_CASE("A run that begins within a minute of the day changes with the minutes of UTC",
          "[workload]") {
  OpenLoop loop = evenly(10);
  loop.hour_ppm.emplace();
  loop.hour_ppm->fill(0);
  loop.hour_ppm->at(12) = 60 * kMillion;          // at 12:m a factor of 60 - m
  const std::int64_t start = kMidnight + 43'220;  // 12:00:20
  const auto times = times_before(loop, 3 * kMinute, kSecond, start);
  CHECK(std::abs(count_in(times, 0, 40 * kSecond) - 40 * 10 * 60) <= 1);
  CHECK(std::abs(count_in(times, 40 * kSecond, 100 * kSecond) - 60 * 10 * 59) <= 1);
}

TEST_CASE("Changes, spikes, bursts and hours multiply", "[workload]") {
  OpenLoop loop = evenly(100);
  loop.changes = {{10 * kSecond, testing::per_second(300), 0}};
  loop.spikes = {{20 * kSecond, 20 * kSecond, 2 * kMillion}};
  loop.on_off = OnOff{5 * kSecond, 5 * kSecond};
  loop.hour_ppm.emplace();
  loop.hour_ppm->fill(kMillion / 2);
  const auto times = times_before(loop, 60 * kSecond);
  const std::vector<double> expected{250, 0, 750, 0, 1'500, 0, 1'500, 0, 750, 0, 750, 0};
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const auto begin = static_cast<Nanoseconds>(i) * 5 * kSecond;
    CAPTURE(i);
    CHECK(std::abs(count_in(times, begin, begin + 5 * kSecond) - expected[i]) <= 1);
  }
}

TEST_CASE("When operations come does not depend on how often somebody asks", "[workload]") {
  OpenLoop loop = ramp(poisson(1'000));
  loop.on_off = OnOff{300 * kMillisecond, 200 * kMillisecond};
  const auto whole = times_before(loop, 20 * kSecond);
  CHECK((times_before(loop, 20 * kSecond, 777'777) == whole));
}

TEST_CASE("Operations at once with a pace come one after the other", "[workload]") {
  const auto times = times_before(AtOnce{1'000, 2 * kSecond, testing::per_second(7)}, kHour);
  REQUIRE(times.size() == 1'000);
  for (const std::size_t k : {0U, 1U, 2U, 7U, 999U}) {
    CHECK(times[k] == 2 * kSecond + static_cast<Nanoseconds>(k) * kSecond / 7);
  }
}

TEST_CASE("A client that waits for answers has no times of its own", "[workload]") {
  CHECK(times_before(ClosedLoop{}, kHour).empty());
  CHECK(times_before(BulkLoad{100}, kHour).empty());
}
