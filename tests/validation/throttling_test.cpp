// V7, V8 and V9: the one-second window, pacing, and what retries do.
#include <cmath>
#include <vector>

#include "partsim/engine/engine.hpp"
#include "partsim/workload/retry.hpp"

#include "support/catch.hpp"
#include "support/scenario_builder.hpp"

using namespace partsim;
using namespace partsim::testing;

namespace {

/// E[(N - K)+] / E[N] for Poisson N: the share over a budget of K requests a second.
double share_over_budget(double mean, int budget) {
  double probability = std::exp(-mean);
  double admitted = 0;
  double below = 0;
  for (int n = 0; n <= budget; ++n) {
    admitted += n * probability;
    below += probability;
    probability *= mean / (n + 1);
  }
  admitted += budget * (1 - below);
  return (mean - admitted) / mean;
}

double throttled_share(ThrottleModel model, int budget_ru, double load, Nanoseconds seconds) {
  ContainerSpec spec = container(budget_ru);
  ClientSpec client = poisson("app", load * budget_ru / 5.0, create(5));
  client.retry = no_retry();
  Scenario s = scenario(seconds * kSecond, spec, client);
  s.parameters.throttle_model = model;
  return run(s).throttled_share();
}

/// Overload r with nine retries; `jitter` spreads them.
ClientResult overload(double r, Nanoseconds jitter, Nanoseconds counted_s) {
  constexpr int kCapacity = 2'000;  // requests a second
  ContainerSpec spec = container(10'000);
  ClientSpec client = poisson("app", r * kCapacity, create(5));
  client.retry.max_wait_ns = 100'000 * kSecond;
  client.retry.jitter_ns = jitter;
  Scenario s = scenario((200 + counted_s) * kSecond, spec, client);
  s.warm_up_ns = 200 * kSecond;
  s.parameters.throttle_model = ThrottleModel::window_strict;
  s.parameters.throttle_response_ns = 0;
  s.parameters.retry_after_step_ns = 1;
  return run(s).total();
}

}  // namespace

TEST_CASE("V7: the closed form gives the published shares", "[validation]") {
  CHECK(share_over_budget(180, 200) == Approx(0.00241).epsilon(0.005));
  CHECK(share_over_budget(200, 200) == Approx(0.02820).epsilon(0.001));
  CHECK(share_over_budget(250, 200) == Approx(0.20001).epsilon(0.001));
  CHECK(share_over_budget(72, 80) == Approx(0.01145).epsilon(0.001));
  CHECK(share_over_budget(100, 80) == Approx(0.20067).epsilon(0.001));
}

TEST_CASE("V7: Poisson arrivals against a one-second budget throttle as the Poisson tail says",
          "[validation]") {
  struct Row {
    int budget_ru;
    double load;
    double expected;
    double tolerance;
  };
  for (const Row row :
       {Row{1'000, 0.9, 0.00241, 0.15}, Row{1'000, 0.95, 0.01011, 0.08},
        Row{1'000, 1.0, 0.02820, 0.04}, Row{1'000, 1.1, 0.09351, 0.02},
        Row{1'000, 1.25, 0.20001, 0.01}, Row{400, 0.9, 0.01145, 0.08},
        Row{400, 0.95, 0.02449, 0.05}, Row{400, 1.0, 0.04456, 0.04}, Row{400, 1.1, 0.10209, 0.02},
        Row{400, 1.25, 0.20067, 0.01}, Row{10'000, 1.0, 0.00892, 0.06}}) {
    INFO(row.budget_ru << " RU/s at load " << row.load);
    const double share =
        throttled_share(ThrottleModel::window_debt, row.budget_ru, row.load, 10'000);
    CHECK(share == Approx(row.expected).epsilon(row.tolerance));
  }
}

TEST_CASE("V7: a budget of 10,000 RU/s hardly throttles at load 0.95", "[validation]") {
  CHECK(throttled_share(ThrottleModel::window_debt, 10'000, 0.95, 5'000) < 0.0002);
}

TEST_CASE("V7: a token bucket throttles less than a window and does not match it", "[validation]") {
  const double bucket = throttled_share(ThrottleModel::token_bucket, 1'000, 1.0, 10'000);
  CHECK(bucket < 0.02820 * 0.5);
  CHECK(bucket > 0);
}

TEST_CASE("V8: 10,000 records sent at once and resent each second are 30,000 sends",
          "[validation]") {
  ContainerSpec spec = container(20'000);
  const RunResult result = run(scenario(10 * kSecond, spec, at_once("load", 10'000, create(10))));
  const ClientResult total = result.total();
  CHECK(total.attempts == 30'000);
  CHECK(total.throttled == 20'000);
  CHECK(total.operations.succeeded == 10'000);
  CHECK(total.latency_ns.max() < static_cast<std::uint64_t>(5 * kSecond));
  const std::vector<std::int64_t> expected{10'000, 8'000, 6'000, 4'000, 2'000};
  for (Eigen::Index second = 0; second < 5; ++second) {
    CHECK(result.series.attempts(second, 0) == expected[static_cast<std::size_t>(second)]);
  }
}

TEST_CASE("V8: the same records sent evenly over five seconds are never refused", "[validation]") {
  ClientSpec client = evenly("load", 2'000, create(10));
  const RunResult result = run(scenario(5 * kSecond, container(20'000), client));
  CHECK(result.total().attempts == 10'000);
  CHECK(result.total().throttled == 0);
}

TEST_CASE("V9: independent failures x with n retries fail x^(n+1) of the time", "[validation]") {
  // A service that refuses with probability x whatever the load, seen by the product's own policy.
  const auto simulate = [](double x, std::uint32_t retries) {
    RetrySpec spec;
    spec.max_retries = retries;
    const RetryPolicy policy(spec, 7, "app");
    const RngStream coin(7, "app", "coin");
    constexpr std::uint64_t kOperations = 1'000'000;
    double failed = 0;
    double attempts = 0;
    for (std::uint64_t op = 0; op < kOperations; ++op) {
      for (std::uint32_t attempt = 0;; ++attempt) {
        ++attempts;
        if (unit_interval(coin.draw(op, attempt)) >= x) {
          break;
        }
        if (policy.wait_ns({op, attempt, 0, 0, false, kMillisecond, 0}) < 0) {
          ++failed;
          break;
        }
      }
    }
    return std::pair{failed / kOperations, attempts / kOperations};
  };
  const auto [half_failed, half_load] = simulate(0.5, 3);
  CHECK(half_failed == Approx(0.0625).epsilon(0.011));
  CHECK(half_load == Approx(1.875).epsilon(0.003));
  const auto [third_failed, third_load] = simulate(0.3, 3);
  CHECK(third_failed == Approx(0.0081).epsilon(0.03));
  CHECK(third_load == Approx(1.417).epsilon(0.003));
}

TEST_CASE(
    "V9: nine decorrelated retries under overload r: failures 1 - 1/r, attempts by mean field",
    "[validation]") {
  struct Row {
    double r;
    double attempts;
  };
  for (const Row row : {Row{1.1, 4.26}, Row{1.25, 5.38}, Row{1.5, 6.41}, Row{2.0, 7.47}}) {
    INFO("overload " << row.r);
    const ClientResult total =
        overload(row.r, 5 * kSecond, 1'200);  // long against the 50 s that a failure takes
    const auto offered = static_cast<double>(total.operations.offered);
    const double ended = static_cast<double>(total.operations.succeeded + total.operations.failed);
    CHECK(static_cast<double>(total.operations.failed) / ended ==
          Approx(1 - 1 / row.r).epsilon(0.04));
    CHECK(static_cast<double>(total.attempts) / offered == Approx(row.attempts).epsilon(0.02));
  }
}

TEST_CASE("V9: retries that all fire at the second boundary make more attempts, same failures",
          "[validation]") {
  struct Row {
    double r;
    double attempts;
  };
  for (const Row row : {Row{1.1, 4.82}, Row{1.25, 5.85}, Row{1.5, 6.80}, Row{2.0, 7.74}}) {
    INFO("overload " << row.r);
    const ClientResult total = overload(row.r, 10 * kMillisecond, 600);
    const auto offered = static_cast<double>(total.operations.offered);
    const double ended = static_cast<double>(total.operations.succeeded + total.operations.failed);
    CHECK(static_cast<double>(total.operations.failed) / ended ==
          Approx(1 - 1 / row.r).epsilon(0.03));
    CHECK(static_cast<double>(total.attempts) / offered == Approx(row.attempts).epsilon(0.02));
  }
}
