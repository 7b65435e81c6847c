#include "partsim/engine/engine.hpp"

#include <algorithm>
#include <map>

#include "support/catch.hpp"
#include "support/scenario_builder.hpp"

using namespace partsim;
using namespace partsim::testing;

TEST_CASE("A budget nobody exhausts throttles nobody", "[engine]") {
  const RunResult result =
      run(scenario(10 * kSecond, container(10'000), poisson("app", 500, create(5))));
  CHECK(result.total().throttled == 0);
  CHECK(result.total().attempts == result.total().operations.offered);
  CHECK(result.total().parts.retry_wait_ns == 0);
  CHECK(result.total().parts.queue_ns == 0);
}

TEST_CASE("A date key puts the whole day on one partition", "[engine]") {
  ContainerSpec spec = container(60'000, 10);
  spec.fields = {{"date", TimeField{*TimeFormat::parse("%Y-%m-%d")}}};
  spec.partition_key = {key("{date}")};
  Scenario s = scenario(2 * kSecond, spec, poisson("app", 1'000, create(5)));
  s.start_unix_s = 1'533'801'600;  // 2018-08-09T08:00:00Z
  const RunResult result = run(s);
  for (const PartitionResult& partition : result.partitions) {
    CHECK((partition.attempts > 0) == (partition.id == 8));  // the published hash of 2018-08-09
  }
  REQUIRE(result.hot_keys.size() == 1);
  CHECK(result.hot_keys.front().key == "2018-08-09");
  CHECK(result.hot_keys.front().partition == 8);
  CHECK(result.hot_keys.front().demand_mru == result.total_demand_mru);
  CHECK(result.imbalance() == Approx(10.0));
}

TEST_CASE("At midnight a date key moves to another partition", "[engine]") {
  ContainerSpec spec = container(60'000, 10);
  spec.fields = {{"date", TimeField{*TimeFormat::parse("%Y-%m-%d")}}};
  spec.partition_key = {key("{date}")};
  Scenario s = scenario(4 * kSecond, spec, evenly("app", 100, create(5)));
  s.start_unix_s = 1'533'945'598;  // two seconds before 2018-08-11
  const RunResult result = run(s);
  REQUIRE(result.hot_keys.size() == 2);
  CHECK(result.hot_keys[0].demand_mru == result.hot_keys[1].demand_mru);
  CHECK(result.series.attempts.topRows(2).col(8).sum() == 200);     // 2018-08-10
  CHECK(result.series.attempts.bottomRows(2).col(5).sum() == 200);  // 2018-08-11
}

TEST_CASE("A read that does not know a random suffix asks every partition owning a candidate",
          "[engine]") {
  ContainerSpec spec = container(60'000, 10);
  spec.partition_key = {key("{k}.{random 1..400}")};
  OperationSpec read;
  read.kind = OperationKind::read;
  read.given = {"k"};
  const RunResult result = run(scenario(kSecond, spec, evenly("app", 50, read)));
  const ClientResult client = result.total();
  CHECK(client.requests == 10 * client.operations.offered);
  // ten visits of 2.5 RU, one match, one item of 1 KB
  CHECK(client.succeeded_mru ==
        static_cast<MilliRu>(client.operations.succeeded) * (10 * 2'500 + 30 + 700));
}

TEST_CASE("A read that knows the hashed field is a point read of 1 RU", "[engine]") {
  ContainerSpec spec = container(60'000, 10);
  spec.partition_key = {key("day.{hash k 1..400}")};
  OperationSpec read;
  read.kind = OperationKind::read;
  read.given = {"k"};
  const RunResult result = run(scenario(kSecond, spec, evenly("app", 50, read)));
  CHECK(result.total().requests == result.total().operations.offered);
  CHECK(result.total().consumed_mru == 50 * 1'000);
}

TEST_CASE("The first level of a hierarchical key keeps a tenant on one partition", "[engine]") {
  ContainerSpec spec = container(60'000, 10);
  spec.fields = {choose("tenant", 1), choose("user", 1'000)};
  spec.partition_key = {key("{tenant}"), key("{user}")};
  OperationSpec query;
  query.kind = OperationKind::query;
  query.given = {"tenant"};
  Scenario s = scenario(kSecond, spec, evenly("app", 100, query));
  s.clients.push_back(evenly("writer", 100, create(5)));
  const RunResult result = run(s);
  CHECK(std::count_if(result.partitions.begin(), result.partitions.end(),
                      [](const PartitionResult& p) { return p.attempts > 0; }) == 1);
}

TEST_CASE("Retries follow the announced wait and stop at nine", "[engine]") {
  std::vector<AttemptRecord> log;
  RunOptions options;
  options.attempts = &log;
  // one admitted request overdraws for an hour
  ClientSpec client = at_once("app", 2, create(400'000));
  const RunResult result = run(scenario(60 * kSecond, container(400), client), options);
  CHECK(result.total().operations.succeeded == 1);
  CHECK(result.total().operations.failed == 1);
  REQUIRE(log.size() == 2);  // the second would have to wait longer than 30 s: no retry at all
}

TEST_CASE("Clients throttled in one second wake together in the next", "[engine]") {
  std::vector<AttemptRecord> log;
  RunOptions options;
  options.attempts = &log;
  const Scenario s = scenario(3 * kSecond, container(1'000), at_once("app", 1'000, create(5)));
  (void)run(s, options);
  std::map<Nanoseconds, int> sends;
  for (const AttemptRecord& attempt : log) {
    ++sends[attempt.time_ns];
  }
  CHECK(sends[0] == 1'000);
  CHECK(sends[kSecond + s.parameters.throttle_response_ns] == 800);
}

TEST_CASE("A stopped run is valid, marked and shorter", "[engine]") {
  std::atomic<bool> stop{true};
  RunOptions options;
  options.stop = &stop;
  const RunResult result =
      run(scenario(1'000 * kSecond, container(10'000), poisson("app", 1'000, create(5))), options);
  CHECK(result.partial);
  CHECK(result.simulated_ns < 1'000 * kSecond);
  CHECK(result.total().operations.offered > 0);
}

TEST_CASE("Adding a client does not change what another one does", "[engine]") {
  const auto sends_of = [](const Scenario& s, std::uint32_t client) {
    std::vector<AttemptRecord> log;
    RunOptions options;
    options.attempts = &log;
    (void)run(s, options);
    std::vector<std::pair<Nanoseconds, std::uint32_t>> sends;
    for (const AttemptRecord& attempt : log) {
      if (attempt.client == client && attempt.attempt == 0) {
        sends.emplace_back(attempt.time_ns, attempt.partition);
      }
    }
    std::sort(sends.begin(), sends.end());
    return sends;
  };
  Scenario alone = scenario(2 * kSecond, container(5'000, 4), poisson("m", 300, create(5)));
  Scenario together = alone;
  together.clients.insert(together.clients.begin(), poisson("a", 700, create(5)));
  CHECK(sends_of(alone, 0) == sends_of(together, 1));
}

TEST_CASE("The monthly price is the throughput for 730 hours and the stored items", "[engine]") {
  const RunResult result = run(scenario(kSecond, container(10'000), evenly("app", 1, create(5))));
  CHECK(result.cost.per_hour_micro == 800'000);       // 100 * $0.008
  CHECK(result.cost.per_month_micro == 584'000'000);  // one item of 1 KB rounds to nothing
}
