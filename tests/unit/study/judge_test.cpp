// Verdicts on rules over hand-made results: series of ten seconds, every number by pencil.
#include <cmath>
#include <string>
#include <vector>

#include "partsim/metrics/metric_series.hpp"
#include "partsim/study/study.hpp"

#include "support/catch.hpp"

namespace partsim {
namespace {

/// One partition a row of `throttled`: that many of 100 attempts in each second are refused.
RunResult run_of(const std::vector<std::vector<std::int64_t>>& throttled) {
  const auto partitions = static_cast<Eigen::Index>(throttled.size());
  const auto seconds = static_cast<Eigen::Index>(throttled.front().size());
  RunResult run;
  run.simulated_ns = seconds * kSecond;
  run.series.attempts = LoadMatrix::Constant(seconds, partitions, 100);
  run.series.throttled = LoadMatrix::Zero(seconds, partitions);
  run.series.consumed_mru = LoadMatrix::Constant(seconds, partitions, 500'000);
  run.series.share_mru = LoadMatrix::Constant(seconds, partitions, 1'000'000);
  ClientResult client;
  client.name = "app";
  for (Eigen::Index p = 0; p < partitions; ++p) {
    PartitionResult partition;
    partition.id = static_cast<std::uint32_t>(p);
    partition.share_mru_per_s = 1'000'000;
    for (Eigen::Index second = 0; second < seconds; ++second) {
      const std::int64_t refused =
          throttled[static_cast<std::size_t>(p)][static_cast<std::size_t>(second)];
      run.series.throttled(second, p) = refused;
      partition.throttled += static_cast<std::uint64_t>(refused);
      partition.attempts += 100;
    }
    partition.demand_mru = 1'000 * static_cast<MilliRu>(partition.attempts);
    client.attempts += partition.attempts;
    client.throttled += partition.throttled;
    run.partitions.push_back(partition);
  }
  run.clients.push_back(client);
  return run;
}

/// Second 0 to 9 of one partition that burns from 3 to 5 and at 8.
RunResult burning() {
  return run_of({{0, 0, 0, 40, 20, 60, 0, 0, 50, 0}});
}

Expectation rule(const std::string& metric, Comparison comparison, double value) {
  Expectation expectation{"the rule", "", metric, comparison, value};
  return expectation;
}

Expectation lasting(Expectation expectation, std::int64_t seconds) {
  expectation.lasting_ns = seconds * kSecond;
  return expectation;
}

ExpectationResult judged(const Expectation& expectation, const RunResult& run) {
  const auto verdicts = judge({expectation}, {{"base", run}});
  REQUIRE(verdicts.size() == 1);
  return verdicts.front();
}

constexpr Comparison kLess = Comparison::less;

TEST_CASE("A margin is the part of the limit that is left, below zero what is missing", "[study]") {
  const RunResult run = burning();  // 170 of 1,000 attempts
  CHECK(judged(rule("throttled_share", kLess, 0.34), run).margin == Approx(0.5));
  CHECK(judged(rule("throttled_share", kLess, 0.10), run).margin == Approx(-0.7));
  CHECK(judged(rule("throttled", Comparison::greater, 100), run).margin == Approx(0.7));
  CHECK(judged(rule("throttled", Comparison::greater_equal, 340), run).margin == Approx(-0.5));
  CHECK(judged(rule("throttled", Comparison::less_equal, 170), run).margin == 0);
  // without a limit to be a part of it is the distance itself
  CHECK(judged(rule("throttled", Comparison::less_equal, 0), run).margin == -170);
  CHECK(judged(rule("throttled", Comparison::not_equal, 0), run).margin == 170);
  CHECK(judged(rule("throttled_share", kLess, 0.34), run).limit == 0.34);
}

TEST_CASE("A tolerance is a part of the limit or an amount, and ends where it says", "[study]") {
  Expectation equal = rule("throttled", Comparison::equal, 180);
  CHECK_FALSE(judged(equal, burning()).passed);
  equal.tolerance = 10;
  CHECK(judged(equal, burning()).passed);
  CHECK(judged(equal, burning()).margin == 0);
  equal.tolerance = 9;
  CHECK_FALSE(judged(equal, burning()).passed);
  CHECK(judged(equal, burning()).margin == Approx(-1.0 / 180));
  equal.tolerance = 0.06;
  equal.tolerance_is_relative = true;  // 10.8
  CHECK(judged(equal, burning()).passed);
}

TEST_CASE("A breach must last to count", "[study]") {
  const Expectation calm = rule("throttled_share", kLess, 0.10);
  CHECK_FALSE(judged(lasting(calm, 3), burning()).passed);
  CHECK(judged(lasting(calm, 4), burning()).passed);
  CHECK_FALSE(judged(lasting(calm, 1), burning()).passed);
  // at 20 % in the middle of three seconds: the rule asks for less
  CHECK(judged(lasting(rule("throttled_share", kLess, 0.21), 3), burning()).passed);
  CHECK_FALSE(judged(lasting(rule("throttled_share", kLess, 0.20), 3), burning()).passed);
}

TEST_CASE("The value of a rule over time is what was held for so long, and when it began",
          "[study]") {
  const ExpectationResult three =
      judged(lasting(rule("throttled_share", kLess, 0.1), 3), burning());
  CHECK(three.value == 0.2);
  CHECK(three.margin == Approx(-1.0));
  CHECK(three.first_broken_s == 3.0);
  CHECK(three.over_time);
  const ExpectationResult one = judged(lasting(rule("throttled_share", kLess, 0.45), 1), burning());
  CHECK(one.value == 0.6);
  CHECK(one.first_broken_s == 5.0);
  const ExpectationResult met = judged(lasting(rule("throttled_share", kLess, 0.1), 4), burning());
  CHECK(met.value == 0.0);
  CHECK_FALSE(met.first_broken_s.has_value());
}

TEST_CASE("Counts and RU over time are rates, also in the last part of a second", "[study]") {
  RunResult run = burning();
  CHECK(judged(lasting(rule("throttled", kLess, 60), 1), run).value == 60);
  CHECK(judged(lasting(rule("ru.consumed", kLess, 501), 2), run).value == 500);
  CHECK(judged(lasting(rule("ru.utilization", kLess, 0.6), 2), run).value == 0.5);
  run.simulated_ns -= kSecond / 2;
  CHECK(judged(lasting(rule("attempts", kLess, 150), 1), run).value == 100);
  run.simulated_ns = 9'500 * kMillisecond;  // 100 attempts in half a second
  const auto series = metric_series(run, "attempts");
  REQUIRE(series.has_value());
  CHECK(series->values.back() == 200);
}

TEST_CASE("Rows of the warm-up are not judged, nor one that it ends in", "[study]") {
  RunResult run = burning();
  run.warm_up_ns = 5'500 * kMillisecond;
  const ExpectationResult verdict = judged(lasting(rule("throttled_share", kLess, 0.1), 1), run);
  CHECK(verdict.first_broken_s == 8.0);
  CHECK(metric_series(run, "throttled_share")->values.size() == 4);
}

TEST_CASE("A second without attempts neither makes nor mends a breach", "[study]") {
  RunResult run = burning();
  run.series.attempts(4, 0) = 0;
  run.series.throttled(4, 0) = 0;
  const Expectation calm = rule("throttled_share", kLess, 0.3);
  CHECK_FALSE(judged(lasting(calm, 3), run).passed);  // seconds 3 to 5
  CHECK(judged(lasting(calm, 4), run).passed);
}

TEST_CASE("Latency over time is judged by interval, where operations succeeded", "[study]") {
  RunResult run = burning();
  run.latency_series.rows.resize(10);
  for (const std::size_t row : {2U, 3U, 6U}) {
    run.latency_series.rows[row] = {10, 5'000'000, 20'000'000, 50'000'000, 90'000'000};
  }
  run.latency_series.rows[7] = {10, 1'000'000, 1'000'000, 1'000'000, 1'000'000};
  CHECK(judged(lasting(rule("latency_ms.p99", kLess, 40), 5), run).first_broken_s == 2.0);
  CHECK(judged(lasting(rule("latency_ms.p99", kLess, 40), 6), run).passed);
  CHECK(judged(lasting(rule("latency_ms.p95", kLess, 20), 1), run).value == 20);
  CHECK(judged(lasting(rule("latency_ms.p50", kLess, 6), 1), run).passed);
  CHECK(judged(lasting(rule("latency_ms.max", kLess, 90), 1), run).value == 90);
}

TEST_CASE("All partitions are as good as the worst, any as good as the best", "[study]") {
  const RunResult run = run_of({{0, 0, 0, 0}, {50, 50, 0, 0}, {10, 10, 10, 10}});
  const ExpectationResult all = judged(rule("partitions.all.throttled_share", kLess, 0.2), run);
  CHECK_FALSE(all.passed);
  CHECK(all.value == 0.25);
  CHECK(all.partition == 1U);
  CHECK(all.first_broken_s == 0.0);
  CHECK(judged(rule("partitions.all.throttled_share", kLess, 0.26), run).passed);
  const ExpectationResult any = judged(rule("partitions.any.throttled_share", kLess, 0.05), run);
  CHECK(any.passed);
  CHECK(any.partition == 0U);
  const ExpectationResult none =
      judged(rule("partitions.any.throttled_share", Comparison::greater, 0.3), run);
  CHECK_FALSE(none.passed);
  CHECK(none.partition == 1U);
  CHECK(none.value == 0.25);
  CHECK_FALSE(judged(rule("partitions.all.throttled_share", Comparison::greater, 0), run).passed);
  CHECK(judged(rule("partitions.2.throttled", Comparison::equal, 40), run).partition == 2U);
}

TEST_CASE("Over time each partition is judged on its own", "[study]") {
  // half of the partitions at a time: none for four seconds, the whole run all the while
  const RunResult run = run_of({{50, 50, 0, 0}, {0, 0, 50, 50}});
  const Expectation calm = rule("throttled_share", kLess, 0.1);
  CHECK_FALSE(judged(lasting(calm, 4), run).passed);
  Expectation each = calm;
  each.metric = "partitions.all.throttled_share";
  CHECK(judged(lasting(each, 4), run).passed);
  CHECK(judged(lasting(each, 2), run).first_broken_s == 0.0);
  each.metric = "partitions.1.throttled_share";
  CHECK(judged(lasting(each, 2), run).first_broken_s == 2.0);
}

TEST_CASE("A partition that retired before the counted window is not asked", "[study]") {
  RunResult run = run_of({{90, 90, 0, 0}, {0, 0, 0, 0}});
  run.warm_up_ns = 2 * kSecond;
  run.partitions[0].retired_ns = 2 * kSecond;
  CHECK(judged(rule("partitions.all.throttled_share", kLess, 0.1), run).passed);
  run.partitions[0].retired_ns = 3 * kSecond;
  CHECK_FALSE(judged(rule("partitions.all.throttled_share", kLess, 0.1), run).passed);
}

TEST_CASE("A failed rule says when it first broke and which partition is behind it", "[study]") {
  const RunResult run = run_of({{0, 0, 0, 0}, {0, 30, 30, 0}, {0, 0, 0, 20}});
  const ExpectationResult share = judged(rule("throttled_share", kLess, 0.05), run);
  CHECK(share.first_broken_s == 1.0);
  CHECK(share.partition == 1U);
  // the sum passes 45 in the second second of throttling
  const ExpectationResult count = judged(rule("throttled", kLess, 45), run);
  CHECK(count.first_broken_s == 2.0);
  CHECK(count.partition == 1U);
  const ExpectationResult too_few = judged(rule("throttled", Comparison::greater, 500), run);
  CHECK_FALSE(too_few.first_broken_s.has_value());
  CHECK_FALSE(judged(rule("throttled_share", kLess, 0.5), run).first_broken_s.has_value());
}

TEST_CASE("A rule may have another variant as its limit", "[study]") {
  const std::vector<VariantResult> runs = {
      {"date", run_of({{50, 50}})}, {"vin", run_of({{4, 4}})}, {"user", run_of({{6, 6}})}};
  Expectation versus = rule("throttled_share", kLess, 0);
  versus.against = MetricReference{"date", "throttled_share", 1, 10};
  versus.variant = "vin";
  auto verdicts = judge({versus}, runs);
  REQUIRE(verdicts.size() == 1);
  CHECK(verdicts[0].passed);
  CHECK(verdicts[0].limit == 0.05);
  CHECK(verdicts[0].margin == Approx(0.2));
  versus.variant.clear();  // all but the one they are compared with
  verdicts = judge({versus}, runs);
  REQUIRE(verdicts.size() == 2);
  CHECK(verdicts[0].variant == "vin");
  CHECK(verdicts[1].variant == "user");
  CHECK_FALSE(verdicts[1].passed);
  versus.against->variant = "absent";
  CHECK(judge({versus}, runs).empty());
  versus.against = MetricReference{"", "partitions.0.throttled_share"};
  versus.comparison = Comparison::equal;
  verdicts = judge({versus}, runs);  // each against itself
  REQUIRE(verdicts.size() == 3);
  CHECK(verdicts[2].passed);
  versus.against->metric = "partitions.9.throttled_share";
  CHECK_FALSE(judge({versus}, runs)[0].measured);
  CHECK_FALSE(judge({versus}, runs)[0].passed);
}

TEST_CASE("A rule that no run could break is told from one that this run kept", "[study]") {
  struct Case {
    const char* metric;
    Comparison comparison;
    double value;
    bool can_fail;
  };
  const std::vector<Case> cases = {
      {"attempts", Comparison::greater_equal, 0, false},
      {"attempts", Comparison::greater, 0, true},
      {"attempts", Comparison::less_equal, 1e12, true},
      {"throttled_share", Comparison::less_equal, 1, false},
      {"throttled_share", Comparison::less, 1, true},
      {"throttled_share", Comparison::less, 1.5, false},
      {"throttled_share", Comparison::not_equal, 2, false},
      {"throttled_share", Comparison::not_equal, 1, true},
      {"ru.utilization", Comparison::less_equal, 1, true},
      {"imbalance", Comparison::greater_equal, 1, false},
      {"imbalance", Comparison::greater, 1, true},
      {"partitions.all.throttled_share", Comparison::less_equal, 1, false}};
  for (const Case& each : cases) {
    INFO(each.metric << " " << each.value);
    CHECK(judged(rule(each.metric, each.comparison, each.value), burning()).can_fail ==
          each.can_fail);
  }
  Expectation wide = rule("throttled_share", Comparison::equal, 0.5);
  wide.tolerance = 0.5;
  CHECK_FALSE(judged(wide, burning()).can_fail);
  wide.tolerance = 0.4;
  CHECK(judged(wide, burning()).can_fail);
  // ten seconds are counted: nothing lasts eleven
  CHECK_FALSE(judged(lasting(rule("throttled_share", kLess, 0.1), 11), burning()).can_fail);
  CHECK(judged(lasting(rule("throttled_share", kLess, 0.1), 10), burning()).can_fail);
  Expectation itself = rule("throttled", Comparison::less_equal, 0);
  itself.against = MetricReference{"", "throttled", 2, 1};
  CHECK_FALSE(judged(itself, burning()).can_fail);
  itself.against->times = 0.5;
  CHECK(judged(itself, burning()).can_fail);
}

TEST_CASE("A rule over a partition that a run never had does not pass", "[study]") {
  const ExpectationResult verdict = judged(rule("partitions.7.attempts", kLess, 1e9), burning());
  CHECK_FALSE(verdict.measured);
  CHECK_FALSE(verdict.passed);
}

}  // namespace
}  // namespace partsim
