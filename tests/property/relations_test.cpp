// Further relations between runs (those of one change each are in metamorphic_test.cpp): scaled
// times, split clients, more load, pooled partitions, hotter keys, longer intervals.
#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <vector>

#include "run_log.hpp"
#include "support/catch.hpp"
#include "support/random_scenario.hpp"
#include "support/scenario_builder.hpp"

using namespace partsim;

namespace {

constexpr std::uint64_t kScenarios = 20;
constexpr std::uint64_t kReplications = 30;
/// Of Student's law with 58 degrees of freedom: all but one in ten thousand lies within.
constexpr double kQuantile = 4.2;

void for_each_scenario(const std::function<void(Scenario)>& relation) {
  for (std::uint64_t seed = 20'001; seed <= 20'000 + kScenarios; ++seed) {
    const Scenario scenario = random_scenario(seed);
    INFO("seed " << seed << '\n' << describe(scenario));
    relation(scenario);
  }
}

struct Sample {
  double mean = 0;
  double variance_of_mean = 0;
};

Sample sample_of(const std::vector<double>& values) {
  const auto n = static_cast<double>(values.size());
  const double mean = std::accumulate(values.begin(), values.end(), 0.0) / n;
  double squares = 0;
  for (const double value : values) {
    squares += (value - mean) * (value - mean);
  }
  return {mean, squares / (n - 1) / n};
}

/// What `value` is of every replication of a scenario.
Sample replicate(Scenario scenario, const std::function<double(const RunResult&)>& value) {
  std::vector<double> values;
  const std::uint64_t seed = scenario.seed;
  for (std::uint64_t i = 0; i < kReplications; ++i) {
    scenario.seed = seed + i;
    values.push_back(value(run(scenario)));
  }
  return sample_of(values);
}

double margin(const Sample& a, const Sample& b) {
  return kQuantile * std::sqrt(a.variance_of_mean + b.variance_of_mean) + 1e-9;
}

/// Nothing rounds in it when all times double: fixed gaps and service times, no random waits.
Scenario without_rounding(Scenario scenario) {
  constexpr MilliRu kStep = 20;  // halves, and every window has a whole part of it
  if (scenario.parameters.throttle_model == ThrottleModel::token_bucket) {
    scenario.parameters.throttle_model = ThrottleModel::window_debt;  // a level rounds its waits
  }
  for (ContainerSpec& container : scenario.containers) {
    const std::uint32_t partitions = container.throughput.partitions.value_or(3);
    container.throughput.partitions = partitions;
    container.throughput.mru_per_s =
        (container.throughput.mru_per_s / partitions / kStep + 1) * kStep * partitions;
    ServiceTimeSpec service = container.service.value_or(ServiceTimeSpec{});
    service.law = ServiceTimeSpec::Law::fixed;
    service.mean.mean_ns = (service.mean.mean_ns / 1'000 + 1) * 1'000;
    container.service = service;
    for (FieldSpec& field : container.fields) {
      if (std::holds_alternative<TimeField>(field.kind)) {
        field.kind = testing::choose("", 3).kind;  // the calendar does not stretch
      }
    }
  }
  for (ClientSpec& client : scenario.clients) {
    client.retry.jitter_ns = 0;
    client.retry.jitter_ppm = 0;
    if (auto* loop = std::get_if<OpenLoop>(&client.arrivals); loop && loop->rate.count_micro > 0) {
      const Nanoseconds gap = loop->rate.per_ns * kMillion / loop->rate.count_micro;
      *loop = OpenLoop{{kMillion, std::max<Nanoseconds>(gap, 1)}, OpenLoop::Spacing::evenly};
    }
  }
  return scenario;
}

Scenario twice_as_slow(Scenario scenario) {
  scenario.duration_ns *= 2;
  scenario.warm_up_ns *= 2;
  ProviderParameters& parameters = scenario.parameters;
  for (Nanoseconds* time : {&parameters.throttle_window_ns, &parameters.retry_after_min_ns,
                            &parameters.retry_after_step_ns, &parameters.throttle_response_ns,
                            &parameters.query_latency_ns_per_ru}) {
    *time *= 2;
  }
  for (ContainerSpec& container : scenario.containers) {
    container.throughput.mru_per_s /= 2;
    container.service->mean.mean_ns *= 2;
  }
  for (ClientSpec& client : scenario.clients) {
    client.retry.max_wait_ns *= 2;
    if (auto* loop = std::get_if<OpenLoop>(&client.arrivals)) {
      loop->rate.per_ns *= 2;
    } else {
      std::get<AtOnce>(client.arrivals).at_ns *= 2;
    }
  }
  return scenario;
}

/// The client `index` becomes two of half its rate.
Scenario split_client(Scenario scenario, std::size_t index) {
  auto& loop = std::get<OpenLoop>(scenario.clients[index].arrivals);
  loop.rate.per_ns *= 2;
  ClientSpec twin = scenario.clients[index];
  twin.name = "twin";
  scenario.clients.push_back(twin);
  std::sort(scenario.clients.begin(), scenario.clients.end(),
            [](const ClientSpec& a, const ClientSpec& b) { return a.name < b.name; });
  return scenario;
}

Scenario with_twice_the_load(Scenario scenario) {
  for (ClientSpec& client : scenario.clients) {
    if (auto* loop = std::get_if<OpenLoop>(&client.arrivals)) {
      loop->rate.count_micro *= 2;
    } else {
      std::get<AtOnce>(client.arrivals).count *= 2;
    }
  }
  return scenario;
}

/// The hottest partition's part of the demand.
double hottest_share(const RunResult& result) {
  MilliRu most = 0;
  MilliRu sum = 0;
  for (const PartitionResult& partition : result.partitions) {
    most = std::max(most, partition.demand_mru);
    sum += partition.demand_mru;
  }
  return static_cast<double>(most) / static_cast<double>(sum);
}

}  // namespace

TEST_CASE("All times, windows and gaps twice as long: the same attempts at twice the times",
          "[property]") {  // M2
  for_each_scenario([](const Scenario& random) {
    const Scenario scenario = without_rounding(random);
    const RunLog fast = run_logged(scenario);
    RunLog slow = run_logged(twice_as_slow(scenario));
    for (AttemptRecord& record : slow.attempts) {
      CHECK(record.time_ns % 2 == 0);
      record.time_ns /= 2;
      record.next_ns = record.next_ns == kNever ? kNever : record.next_ns / 2;
    }
    CHECK(first_difference(fast.attempts, slow.attempts).empty());
    CHECK(slow.result.total().latency_ns.sum() == 2 * fast.result.total().latency_ns.sum());
  });
}

TEST_CASE("Two Poisson clients of half the rate are like one", "[property]") {  // M5
  std::uint64_t compared = 0;
  for (std::uint64_t seed = 30'001; compared < kScenarios; ++seed) {
    const Scenario scenario = random_scenario(seed);
    const auto client =
        std::find_if(scenario.clients.begin(), scenario.clients.end(), [](const ClientSpec& each) {
          const auto* loop = std::get_if<OpenLoop>(&each.arrivals);
          return loop != nullptr && loop->spacing == OpenLoop::Spacing::poisson &&
                 loop->rate.count_micro > 0;
        });
    if (client == scenario.clients.end()) {
      continue;
    }
    const Scenario two =
        split_client(scenario, static_cast<std::size_t>(client - scenario.clients.begin()));
    INFO("seed " << seed << '\n' << describe(scenario));
    const std::vector<std::function<double(const RunResult&)>> rates = {
        [](const RunResult& r) { return static_cast<double>(r.total().operations.offered); },
        [](const RunResult& r) { return static_cast<double>(r.total().operations.succeeded); },
        [](const RunResult& r) { return static_cast<double>(r.total().throttled); },
        [](const RunResult& r) { return static_cast<double>(r.total().consumed_mru); }};
    for (const auto& rate : rates) {
      const Sample one_client = replicate(scenario, rate);
      const Sample two_clients = replicate(two, rate);
      CHECK(std::abs(one_client.mean - two_clients.mean) <= margin(one_client, two_clients));
    }
    ++compared;
  }
}

TEST_CASE("More load never lowers the throttled share", "[property]") {  // M7
  for_each_scenario([](const Scenario& scenario) {
    const auto share = [](const RunResult& result) { return result.throttled_share(); };
    const Sample before = replicate(scenario, share);
    const Sample after = replicate(with_twice_the_load(scenario), share);
    CHECK(after.mean >= before.mean - margin(before, after));
  });
}

TEST_CASE("One partition with all RU throttles no more than many with their part",
          "[property]") {  // M10
  Dice dice(40'001);
  for (std::uint64_t i = 0; i < kScenarios; ++i) {
    Scenario scenario = random_scenario(40'001 + i);
    const Nanoseconds window = scenario.parameters.throttle_window_ns;
    const MilliRu charge = 2 * dice.between(1, 5'000);
    const MilliRu share = dice.between(1, 20) * charge * kSecond / window;
    const auto partitions = static_cast<std::uint32_t>(dice.between(2, 12));
    scenario.parameters.throttled_charge_counts = false;
    scenario.containers.resize(1);
    ContainerSpec& spec = scenario.containers.front();
    spec.workers.reset();
    spec.fields = {{"k", UniqueField{}}};
    spec.partition_key = {testing::key("{k}")};
    spec.throughput.mru_per_s = share * partitions;
    for (ClientSpec& client : scenario.clients) {
      client.container = 0;
      client.retry.max_retries = 0;
      client.operations = {OperationSpec{}};
      client.operations.front().charge_mru = charge;
    }
    INFO(describe(scenario));
    spec.throughput.partitions = 1;
    const std::uint64_t pooled = run(scenario).total().throttled;
    spec.throughput.partitions = partitions;
    CHECK(pooled <= run(scenario).total().throttled);
  }
}

TEST_CASE("Hotter keys: the hottest partition's part of the load is not lower", "[property]") {
  // M11. Over the placements of the keys, not for each: where the second and the third key share a
  // partition and the first has another, more weight for the first can cool the hottest.
  Dice dice(50'001);
  for (std::uint64_t i = 0; i < kScenarios; ++i) {
    const auto keys = static_cast<std::uint64_t>(dice.between(5, 500));
    const auto partitions = static_cast<std::uint32_t>(dice.between(2, 12));
    const std::int64_t cool = dice.between(0, 1'200'000);
    const std::int64_t hot = cool + dice.between(200'000, 1'000'000);
    const auto mean_share = [&](std::int64_t exponent_micro) {
      std::vector<double> shares;
      for (std::uint64_t placement = 0; placement < kReplications; ++placement) {
        ContainerSpec spec = testing::container(100'000, partitions);
        ChooseField field;
        field.count = keys;
        field.law = ZipfChoice{exponent_micro};
        field.is_text = true;
        field.prefix = std::to_string(placement) + "-";
        spec.fields = {{"k", field}};
        shares.push_back(hottest_share(run(
            testing::scenario(kSecond, spec, testing::evenly("app", 2'000, testing::create(1))))));
      }
      return sample_of(shares).mean;
    };
    INFO(keys << " keys, " << partitions << " partitions, exponents " << cool << ", " << hot);
    CHECK(mean_share(hot) >= mean_share(cool));
  }
}

TEST_CASE("Series with intervals of two seconds are those of one second, added in pairs",
          "[property]") {
  // M13. A run's windows are what it is reported in: seconds up to 4,096 of them, then intervals
  // twice as long. (The throttle window is part of the model: another one is another service.)
  constexpr std::int64_t kSeconds = LoadSeries::kMaxIntervals - 2;
  for_each_scenario([](Scenario scenario) {
    for (ClientSpec& client : scenario.clients) {
      if (auto* loop = std::get_if<OpenLoop>(&client.arrivals)) {
        loop->rate.per_ns *= 500;
      }
    }
    scenario.duration_ns = kSeconds * kSecond;
    const LoadSeries seconds = run(scenario).series;
    scenario.duration_ns *= 2;
    const LoadSeries pairs = run(scenario).series;
    REQUIRE(seconds.interval_s == 1);
    REQUIRE(pairs.interval_s == 2);
    for (const auto& table : {&LoadSeries::attempts, &LoadSeries::throttled,
                              &LoadSeries::consumed_mru, &LoadSeries::share_mru}) {
      for (Eigen::Index row = 0; row < kSeconds / 2; ++row) {
        const bool same = ((seconds.*table).row(2 * row) + (seconds.*table).row(2 * row + 1) ==
                           (pairs.*table).row(row))
                              .all();
        if (!same) {
          FAIL_CHECK("interval " << row);
        }
      }
    }
    CHECK(seconds.attempts.sum() > 0);
  });
}
