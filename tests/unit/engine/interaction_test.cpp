// Clients that wait for answers: closed loops, limits on what is under way, quotas, bulk loads,
// timeouts. docs/WORKLOAD.md sections 2 and 3.
#include <algorithm>
#include <map>
#include <vector>

#include "partsim/engine/engine.hpp"

#include "support/catch.hpp"
#include "support/scenario_builder.hpp"

using namespace partsim;
using namespace partsim::testing;

namespace {

ContainerSpec with_service(ContainerSpec spec, Nanoseconds mean,
                           ServiceTimeSpec::Law law = ServiceTimeSpec::Law::fixed) {
  spec.service = ServiceTimeSpec{law, {mean, false}};
  return spec;
}

ClientSpec users(std::uint32_t count, Nanoseconds think, OperationSpec operation) {
  ClientSpec client = poisson("app", 1, std::move(operation));
  ClosedLoop loop;
  loop.users = count;
  loop.think_ns = think;
  client.arrivals = loop;
  return client;
}

std::vector<AttemptRecord> attempts_of(const Scenario& scenario, RunResult* result = nullptr) {
  std::vector<AttemptRecord> attempts;
  RunOptions options;
  options.attempts = &attempts;
  RunResult ran = run(scenario, options);
  if (result != nullptr) {
    *result = std::move(ran);
  }
  std::sort(attempts.begin(), attempts.end());
  return attempts;
}

}  // namespace

TEST_CASE("A user sends again a think time after the answer", "[engine]") {
  const Scenario s = scenario(kSecond, with_service(container(10'000), 30 * kMillisecond),
                              users(1, 70 * kMillisecond, create(1)));
  RunResult result;
  const std::vector<AttemptRecord> attempts = attempts_of(s, &result);
  REQUIRE(attempts.size() == 10);
  for (std::size_t i = 0; i < attempts.size(); ++i) {
    CHECK(attempts[i].time_ns == static_cast<Nanoseconds>(i) * 100 * kMillisecond);
    CHECK(attempts[i].operation == i);
  }
  CHECK(result.total().operations.offered == 10);
  CHECK(result.total().operations.succeeded == 10);
}

TEST_CASE("Users begin one after the other and stop after the total", "[engine]") {
  Scenario s = scenario(10 * kSecond, with_service(container(10'000), kMillisecond),
                        users(4, kSecond, create(1)));
  auto& loop = std::get<ClosedLoop>(s.clients[0].arrivals);
  loop.start_over_ns = 2 * kSecond;
  loop.total = 6;
  const std::vector<AttemptRecord> attempts = attempts_of(s);
  REQUIRE(attempts.size() == 6);
  const std::vector<Nanoseconds> times{0,
                                       500 * kMillisecond,
                                       kSecond,
                                       1001 * kMillisecond,
                                       1500 * kMillisecond,
                                       1501 * kMillisecond};
  for (std::size_t i = 0; i < times.size(); ++i) {
    CHECK(attempts[i].time_ns == times[i]);
  }
}

// The machine repairman M/M/1//N: throughput is mu (1 - P0), P0 = 1 / sum N!/(N-n)!
// (think/service)^-n.
TEST_CASE("Ten users of one exponential server get the throughput of theory", "[engine]") {
  ContainerSpec spec =
      with_service(container(1'000'000'000), 10 * kMillisecond, ServiceTimeSpec::Law::exponential);
  spec.workers = WorkersSpec{1, std::nullopt};
  ClientSpec client = users(10, 100 * kMillisecond, create(1));
  std::get<ClosedLoop>(client.arrivals).think = ClosedLoop::Think::exponential;
  const RunResult result = run(scenario(4'000 * kSecond, spec, client));
  double sum = 0;
  double term = 1;
  for (int n = 0; n <= 10; ++n) {
    sum += term;
    term *= (10.0 - n) * 10.0 / 100.0;
  }
  const double throughput = 100.0 * (1 - 1 / sum);
  const double seen = static_cast<double>(result.total().operations.succeeded) / 4'000;
  CHECK(seen == Approx(throughput).epsilon(0.01));
}

TEST_CASE("A limit on what is under way lets the next one go with the answer to another",
          "[engine]") {
  Scenario s = scenario(10 * kSecond, with_service(container(10'000), 100 * kMillisecond),
                        at_once("app", 5, create(1)));
  s.clients[0].concurrency = 2;
  const std::vector<AttemptRecord> attempts = attempts_of(s);
  REQUIRE(attempts.size() == 5);
  const std::vector<Nanoseconds> times{0, 0, 100 * kMillisecond, 100 * kMillisecond,
                                       200 * kMillisecond};
  for (std::size_t i = 0; i < times.size(); ++i) {
    CHECK(attempts[i].time_ns == times[i]);
    CHECK(attempts[i].operation == i);
  }
}

TEST_CASE("A retry quota of 500 tokens pays for 100 retries and not one more", "[engine]") {
  // one request a second is served; the other 1,000 are refused at the same instant
  Scenario s = scenario(20 * kSecond, container(100), at_once("app", 1'001, create(100)));
  s.clients[0].retry.quota_tokens = 500;
  s.clients[0].retry.max_retries = 1;
  RunResult result;
  const std::vector<AttemptRecord> attempts = attempts_of(s, &result);
  const auto retries = std::count_if(attempts.begin(), attempts.end(),
                                     [](const AttemptRecord& a) { return a.attempt > 0; });
  const auto waiting = std::count_if(attempts.begin(), attempts.end(), [](const AttemptRecord& a) {
    return a.attempt == 0 && a.outcome == AttemptOutcome::throttled && a.next_ns != kNever;
  });
  CHECK(waiting == 100);
  CHECK(retries == 100);
  CHECK(result.total().operations.succeeded == 2);  // at first, and one of the retries
  CHECK(result.total().operations.failed == 999);
}

TEST_CASE("Successful retries refill a quota, so that a short squeeze does not use it up",
          "[engine]") {
  // every second 100 of 200 requests are refused and succeed in the next: 100 x 5 tokens out and in
  Scenario s = scenario(10 * kSecond, container(100), at_once("app", 200, create(1)));
  s.clients[0].retry.quota_tokens = 500;
  RunResult result;
  CHECK(attempts_of(s, &result).size() == 300);
  CHECK(result.total().operations.succeeded == 200);
}

TEST_CASE("An operation without an answer at its timeout has failed then", "[engine]") {
  Scenario s = scenario(10 * kSecond, with_service(container(10), 300 * kMillisecond),
                        at_once("app", 3, create(10)));
  s.clients[0].timeout_ns = 1'200 * kMillisecond;
  RunResult result;
  const std::vector<AttemptRecord> attempts = attempts_of(s, &result);
  // served at once; served by its retry at 1 s, but answered at 1.3 s; refused again, not resent
  const ClientResult total = result.total();
  CHECK(total.operations.succeeded == 1);
  CHECK(total.operations.failed == 2);
  CHECK(total.timed_out == 2);
  CHECK(total.consumed_mru == 20 * kMilliPerRu);
  CHECK(attempts.size() == 5);
}

TEST_CASE("A user whose operation timed out goes on thinking at that instant", "[engine]") {
  Scenario s = scenario(kSecond, with_service(container(10'000), 300 * kMillisecond),
                        users(1, 50 * kMillisecond, create(1)));
  s.clients[0].timeout_ns = 100 * kMillisecond;
  const std::vector<AttemptRecord> attempts = attempts_of(s);
  REQUIRE(attempts.size() == 7);
  for (std::size_t i = 0; i < attempts.size(); ++i) {
    CHECK(attempts[i].time_ns == static_cast<Nanoseconds>(i) * 150 * kMillisecond);
  }
}

TEST_CASE("A bulk load keeps to its degree and raises it after a second without throttling",
          "[engine]") {
  // 10 at a time, 100 ms each: 100 in the first second, 200 in the second, 300 in the third
  Scenario s = scenario(4 * kSecond, with_service(container(1'000'000), 100 * kMillisecond),
                        at_once("app", 1, create(1)));
  s.clients[0].arrivals = BulkLoad{600, 0, 10, 50};
  const std::vector<AttemptRecord> attempts = attempts_of(s);
  std::map<Nanoseconds, int> per_second;
  for (const AttemptRecord& attempt : attempts) {
    ++per_second[attempt.time_ns / kSecond];
  }
  CHECK(per_second[0] == 100);
  CHECK(per_second[1] == 200);
  CHECK(per_second[2] == 300);
  CHECK(attempts.size() == 600);
}

TEST_CASE("A bulk load that is throttled halves its degree, by five at most", "[engine]") {
  Scenario s = scenario(30 * kSecond, with_service(container(100), 10 * kMillisecond),
                        at_once("app", 1, create(1)));
  s.clients[0].arrivals = BulkLoad{1'500, 0, 10, 50};
  s.clients[0].retry.max_retries = 255;
  s.clients[0].retry.max_wait_ns = 3'600 * kSecond;
  RunResult result;
  const std::vector<AttemptRecord> attempts = attempts_of(s, &result);
  CHECK(result.total().operations.succeeded == 1'500);
  // 100 RU/s and a degree that never leaves 1: no more than ten are ever throttled in a second
  std::map<Nanoseconds, int> throttled;
  for (const AttemptRecord& attempt : attempts) {
    throttled[attempt.time_ns / kSecond] += attempt.outcome == AttemptOutcome::throttled ? 1 : 0;
  }
  for (const auto& [second, count] : throttled) {
    CHECK(count <= 10);
  }
  CHECK(result.total().throttled > 100);
}

TEST_CASE("What a closed loop does is the same however the run is stepped", "[engine]") {
  Scenario s = scenario(20 * kSecond, container(500, 4), users(50, 10 * kMillisecond, create(5)));
  const RunResult alone = run(s);
  ClientSpec busy = poisson("zz", 20'000, create(1));
  ContainerSpec other = container(100'000);
  other.name = "other";
  s.containers.push_back(other);
  busy.container = 1;
  s.clients.push_back(busy);  // its load makes the steps of the run shorter
  const RunResult beside = run(s);
  CHECK(alone.clients[0].operations.succeeded == beside.clients[0].operations.succeeded);
  CHECK(alone.clients[0].throttled == beside.clients[0].throttled);
  CHECK(alone.clients[0].parts.retry_wait_ns == beside.clients[0].parts.retry_wait_ns);
}

// Facts G16: 1 TB of 1 KB items at 10 RU each takes 11.1 h at 250,000 RU/s.
TEST_CASE("G16: a terabyte loads in 11.1 hours at 250,000 RU/s, and no faster", "[engine]") {
  const auto throttled_at = [](double rate) {
    Scenario s = scenario(20 * kSecond, container(250'000), evenly("load", rate, create(10)));
    s.clients[0].retry = no_retry();
    return run(s).total().throttled;
  };
  constexpr double kItems = 1e9;
  constexpr double kRate = 25'000;
  CHECK(throttled_at(kRate) == 0);
  CHECK(throttled_at(kRate * 1.01) > 0);
  CHECK(kItems / kRate / 3'600 == Approx(11.1).epsilon(0.002));
}
