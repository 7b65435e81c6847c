// The engine against the naive model on clients, operations and items of docs/WORKLOAD.md.
#include <algorithm>
#include <map>
#include <utility>

#include "run_log.hpp"
#include "support/catch.hpp"
#include "support/naive_model.hpp"
#include "support/random_workload_scenario.hpp"

using namespace partsim;

namespace {

/// The smallest scenario found, one step at a time, in which the difference is still there.
Scenario shrunk(Scenario scenario) {
  for (bool smaller = true; smaller;) {
    smaller = false;
    for (Scenario& candidate : simpler_workload_scenarios(scenario)) {
      if (!difference_from_model(candidate).empty()) {
        scenario = std::move(candidate);
        smaller = true;
        break;
      }
    }
  }
  return scenario;
}

std::string arrivals_of(const ClientSpec& client) {
  const auto* loop = std::get_if<OpenLoop>(&client.arrivals);
  const bool changes = loop != nullptr && (!loop->changes.empty() || !loop->spikes.empty() ||
                                           loop->on_off || loop->hour_ppm);
  return std::to_string(client.arrivals.index()) + (changes ? " changing" : "") +
         (client.concurrency ? " concurrency" : "") + (client.timeout_ns ? " timeout" : "") +
         (client.retry.quota_tokens > 0 ? " quota" : "");
}

}  // namespace

TEST_CASE("The engine and the naive model agree on 1,000 scenarios with clients of every kind",
          "[property]") {
  for (std::uint64_t seed = 1; seed <= 1'000; ++seed) {
    const Scenario scenario = random_workload_scenario(seed);
    const std::string difference = difference_from_model(scenario);
    if (!difference.empty()) {
      const Scenario small = shrunk(scenario);
      FAIL("seed " << seed << '\n'
                   << difference << describe_workload(scenario) << "shrunk to\n"
                   << describe_workload(small) << difference_from_model(small));
    }
  }
  SUCCEED();
}

TEST_CASE("Random workloads reach every client, operation and outcome", "[property]") {
  std::map<int, std::uint64_t> outcomes;
  std::map<int, std::uint64_t> kinds;
  std::map<std::string, std::uint64_t> clients;
  std::uint64_t attempts = 0;
  std::uint64_t largest = 0;
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    const Scenario scenario = random_workload_scenario(seed);
    const NaiveResult result = naive_run(scenario);
    for (const AttemptRecord& record : result.attempts) {
      ++outcomes[static_cast<int>(record.outcome)];
    }
    for (const ClientSpec& client : scenario.clients) {
      ++clients[arrivals_of(client)];
      for (const OperationSpec& operation : client.operations) {
        ++kinds[static_cast<int>(operation.kind)];
      }
    }
    attempts += result.attempts.size();
    largest = std::max<std::uint64_t>(largest, result.attempts.size());
  }
  CAPTURE(attempts, largest, outcomes, kinds, clients);
  // Far below what is seen; a generator that lost a whole class falls through.
  CHECK(attempts > 50'000);
  CHECK(largest < 30'000);
  CHECK(kinds.size() == 10);
  for (const int outcome : {0, 1, 2, 3, 4, 5}) {
    CHECK(outcomes[outcome] > 50);
  }
  for (const std::string kind : {"0 changing", "1", "2", "3", "0 changing timeout", "2 concurrency",
                                 "2 timeout", "2 quota", "3 timeout", "0 concurrency timeout"}) {
    CAPTURE(kind);
    CHECK(clients[kind] > 0);
  }
}
