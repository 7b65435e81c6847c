// Relations between two runs: what a change of the scenario must do to the result, and what it must
// not. Each over random scenarios, by seed.
#include <algorithm>
#include <functional>

#include "run_log.hpp"
#include "support/catch.hpp"
#include "support/random_scenario.hpp"

using namespace partsim;

namespace {

constexpr std::uint64_t kScenarios = 60;

void for_each_scenario(const std::function<void(Scenario)>& relation) {
  for (std::uint64_t seed = 10'001; seed <= 10'000 + kScenarios; ++seed) {
    const Scenario scenario = random_scenario(seed);
    INFO("seed " << seed << '\n' << describe(scenario));
    relation(scenario);
  }
}

void fix_charges(Scenario& scenario, MilliRu charge_mru) {
  for (ClientSpec& client : scenario.clients) {
    for (OperationSpec& operation : client.operations) {
      operation.charge_mru = charge_mru;
    }
  }
}

void switch_retries_off(Scenario& scenario) {
  for (ClientSpec& client : scenario.clients) {
    client.retry.max_retries = 0;
  }
}

void lift_queue_limits(Scenario& scenario) {
  for (ContainerSpec& container : scenario.containers) {
    if (container.workers) {
      container.workers->queue_limit.reset();
    }
  }
}

/// The partitions of a container, by its own count or by the creation rule.
std::uint32_t partitions_of(const Scenario& scenario, const ContainerSpec& container) {
  const MilliRu each = scenario.parameters.initial_partition_mru_manual;
  return container.throughput.partitions.value_or(
      static_cast<std::uint32_t>((container.throughput.mru_per_s + each - 1) / each));
}

/// Sets the share of every partition, whatever the throughput was.
void set_share(Scenario& scenario, MilliRu share_mru_per_s) {
  for (ContainerSpec& container : scenario.containers) {
    container.throughput.partitions = partitions_of(scenario, container);
    container.throughput.mru_per_s = share_mru_per_s * *container.throughput.partitions;
  }
}

std::uint64_t throttled(const Scenario& scenario) {
  return run(scenario).total().throttled;
}

void add_idle_client(Scenario& scenario, const std::string& name) {
  ClientSpec idle = scenario.clients.front();
  idle.name = name;
  idle.arrivals = OpenLoop{{0, kSecond}, OpenLoop::Spacing::poisson};
  scenario.clients.push_back(idle);
  std::sort(scenario.clients.begin(), scenario.clients.end(),
            [](const ClientSpec& a, const ClientSpec& b) { return a.name < b.name; });
}

void check_same(const ClientResult& a, const ClientResult& b) {
  CHECK(a.name == b.name);
  CHECK(a.operations.offered == b.operations.offered);
  CHECK(a.operations.succeeded == b.operations.succeeded);
  CHECK(a.operations.failed == b.operations.failed);
  CHECK(a.attempts == b.attempts);
  CHECK(a.consumed_mru == b.consumed_mru);
  CHECK(a.latency_ns == b.latency_ns);
}

}  // namespace

TEST_CASE("Budgets and charges times seven: the same attempts at seven times the RU",
          "[property]") {  // M1
  constexpr MilliRu kFactor = 7;
  for_each_scenario([](Scenario scenario) {
    // Shares that every window length divides, and times that do not depend on RU.
    const ContainerSpec& first = scenario.containers.front();
    set_share(scenario, first.throughput.mru_per_s / partitions_of(scenario, first) / 10 * 10 + 10);
    scenario.parameters.query_latency_ns_per_ru = 0;
    for (ContainerSpec& container : scenario.containers) {
      if (container.service) {
        container.service->mean.per_ru = false;
      }
    }
    fix_charges(scenario, 10'001);
    Scenario scaled = scenario;
    fix_charges(scaled, 10'001 * kFactor);
    scaled.parameters.throttled_request_charge_mru *= kFactor;
    for (ContainerSpec& container : scaled.containers) {
      container.throughput.mru_per_s *= kFactor;
    }
    const RunLog small = run_logged(scenario);
    RunLog large = run_logged(scaled);
    CHECK(large.result.total().consumed_mru == small.result.total().consumed_mru * kFactor);
    for (AttemptRecord& record : large.attempts) {
      record.charge_mru /= kFactor;
    }
    CHECK(first_difference(small.attempts, large.attempts).empty());
  });
}

TEST_CASE("The order of containers only renumbers the partitions", "[property]") {  // M3
  std::uint64_t compared = 0;
  for (std::uint64_t seed = 1; compared < 20; ++seed) {
    const Scenario scenario = random_scenario(seed);
    if (scenario.containers.size() != 2) {
      continue;
    }
    Scenario swapped = scenario;
    std::swap(swapped.containers[0], swapped.containers[1]);
    for (ClientSpec& client : swapped.clients) {
      client.container = 1 - client.container;
    }
    const RunLog log = run_logged(scenario);
    RunLog other = run_logged(swapped);
    const std::uint32_t first = partitions_of(scenario, scenario.containers[0]);
    const std::uint32_t second = partitions_of(scenario, scenario.containers[1]);
    for (AttemptRecord& record : other.attempts) {
      record.partition =
          record.partition < second ? record.partition + first : record.partition - second;
    }
    std::sort(other.attempts.begin(), other.attempts.end());
    INFO("seed " << seed);
    CHECK(first_difference(log.attempts, other.attempts).empty());
    ++compared;
  }
}

TEST_CASE("A client that sends nothing changes nothing for the others", "[property]") {  // M4
  for (const std::string name : {"0-first", "zz-last"}) {
    for_each_scenario([&](Scenario scenario) {
      const RunLog alone = run_logged(scenario);
      add_idle_client(scenario, name);
      RunLog with_idle = run_logged(scenario);
      const std::size_t before = name < "a" ? 1 : 0;
      for (AttemptRecord& record : with_idle.attempts) {
        record.client -= static_cast<std::uint32_t>(before);
      }
      CHECK(first_difference(alone.attempts, with_idle.attempts).empty());
      CHECK(alone.result.digest == with_idle.result.digest);
      for (std::size_t i = 0; i < alone.result.clients.size(); ++i) {
        check_same(alone.result.clients[i], with_idle.result.clients.at(i + before));
      }
      const std::size_t idle = name < "a" ? 0 : alone.result.clients.size();
      CHECK(with_idle.result.clients.at(idle).operations.offered == 0);
      CHECK(with_idle.result.clients.at(idle).attempts == 0);
    });
  }
}

TEST_CASE("With equal charges and no retries, more RU never throttles more", "[property]") {  // M6
  for_each_scenario([](Scenario scenario) {
    fix_charges(scenario, 10'000);
    switch_retries_off(scenario);
    lift_queue_limits(scenario);
    scenario.parameters.throttled_charge_counts = false;
    scenario.warm_up_ns = 0;
    for (const MilliRu start : {3'000, 40'000, 333'333}) {
      set_share(scenario, start);
      std::uint64_t before = throttled(scenario);
      for (const MilliRu more : {1, 999, 9'000, 10'000, 100'000}) {
        for (ContainerSpec& container : scenario.containers) {
          container.throughput.mru_per_s += more;
        }
        const std::uint64_t after = throttled(scenario);
        CHECK(after <= before);
        before = after;
      }
    }
  });
}

TEST_CASE("With a huge budget nothing is throttled and only service takes time",
          "[property]") {  // M8
  for_each_scenario([](Scenario scenario) {
    fix_charges(scenario, 5'000);
    set_share(scenario, 1'000'000'000);
    for (ContainerSpec& container : scenario.containers) {
      container.workers.reset();
    }
    scenario.warm_up_ns = 0;
    const ClientResult total = run(scenario).total();
    CHECK(total.throttled == 0);
    CHECK(total.operations.failed == 0);
    CHECK(total.attempts == total.requests);
    CHECK(total.latency_ns.sum() == total.parts.service_ns);
  });
}

TEST_CASE("With a budget below one mRU a window everything is throttled", "[property]") {  // M9
  for_each_scenario([](Scenario scenario) {
    scenario.parameters.throttle_window_ns = 500 * kMillisecond;
    set_share(scenario, 1);
    const RunResult result = run(scenario);
    CHECK(result.total().attempts == result.total().throttled);
    CHECK(result.total().operations.succeeded == 0);
    CHECK(result.total().consumed_mru == 0);
    for (const PartitionResult& partition : result.partitions) {
      CHECK(partition.storage_bytes == 0);
    }
  });
}

TEST_CASE("Without any rate there are no events", "[property]") {  // M9
  for_each_scenario([](Scenario scenario) {
    for (ClientSpec& client : scenario.clients) {
      const auto spacing =
          client.name == "a" ? OpenLoop::Spacing::evenly : OpenLoop::Spacing::poisson;
      client.arrivals = OpenLoop{{0, kSecond}, spacing};
    }
    const RunLog log = run_logged(scenario);
    CHECK(log.attempts.empty());
    CHECK(log.result.events == 0);
    CHECK(log.result.total().operations.offered == 0);
  });
}

TEST_CASE("A run of T is the first half of a run of 2T", "[property]") {  // M12
  for_each_scenario([](Scenario scenario) {
    const RunLog half = run_logged(scenario);
    const Nanoseconds end = scenario.duration_ns;
    scenario.duration_ns *= 2;
    RunLog whole = run_logged(scenario);
    whole.attempts.erase(
        std::remove_if(whole.attempts.begin(), whole.attempts.end(),
                       [&](const AttemptRecord& record) { return record.time_ns >= end; }),
        whole.attempts.end());
    CHECK(first_difference(half.attempts, whole.attempts).empty());
  });
}

TEST_CASE("Without retries there is one attempt a request", "[property]") {  // M16
  for_each_scenario([](Scenario scenario) {
    switch_retries_off(scenario);
    scenario.warm_up_ns = 0;
    const RunLog log = run_logged(scenario);
    for (const ClientResult& client : log.result.clients) {
      CHECK(client.attempts == client.requests);
    }
    CHECK(std::all_of(log.attempts.begin(), log.attempts.end(),
                      [](const AttemptRecord& record) { return record.attempt == 0; }));
  });
}

TEST_CASE("A warm-up changes what is counted, not what happens", "[property]") {  // M17
  for_each_scenario([](Scenario scenario) {
    scenario.warm_up_ns = 0;
    const RunLog all = run_logged(scenario);
    scenario.warm_up_ns = 1'234'567'891;
    const RunLog counted = run_logged(scenario);
    CHECK(all.result.digest == counted.result.digest);
    CHECK(all.result.events == counted.result.events);
    CHECK(first_difference(all.attempts, counted.attempts).empty());
    CHECK((all.result.series.attempts == counted.result.series.attempts).all());
    CHECK(counted.result.total().attempts ==
          static_cast<std::uint64_t>(std::count_if(
              all.attempts.begin(), all.attempts.end(),
              [&](const AttemptRecord& record) { return record.time_ns >= scenario.warm_up_ns; })));
  });
}
