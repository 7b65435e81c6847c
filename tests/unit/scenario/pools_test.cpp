// Who buys which partitions: creation, growth, minimums, sharing, and what no timeline can ask.
#include <cmath>

#include "problems.hpp"
#include "support/catch.hpp"

namespace partsim::testing {
namespace {

ContainerSpec named(const std::string& name, MilliRu ru_per_s) {
  ContainerSpec spec = container(ru_per_s);
  spec.name = name;
  spec.throughput.partitions.reset();
  return spec;
}

/// Problems of one container, bought as it says, by the creation rule.
template <class Change>
std::string problems_of_buying(ThroughputSpec throughput, Change change) {
  return problems_after([&](Scenario& s) {
    s.containers.front().throughput = throughput;
    change(s);
  });
}

std::string problems_of_buying(ThroughputSpec throughput) {
  return problems_of_buying(throughput, [](Scenario&) {});
}

ThroughputSpec scaling(MilliRu ru_per_s, std::optional<std::uint32_t> partitions = {}) {
  return {CapacityMode::autoscale, ru_per_s * kMilliPerRu, {}, partitions};
}

/// Requests of a query that asks every partition: as many as there are, ten times.
std::int64_t partitions_of(Scenario s) {
  OperationSpec query;
  query.kind = OperationKind::query;
  s.clients = {evenly("app", 1, query)};
  return std::llround(estimated_requests(s) / 10);
}

Scenario buying(ThroughputSpec throughput) {
  Scenario s = sound();
  s.containers.front().throughput = throughput;
  return s;
}

TEST_CASE("The creation rule counts partitions as the documents do", "[scenario]") {
  const auto manual = [](MilliRu ru) {
    return buying({CapacityMode::manual, ru * kMilliPerRu, {}, {}});
  };
  CHECK(partitions_of(manual(400)) == 1);
  CHECK(partitions_of(manual(6'000)) == 1);
  CHECK(partitions_of(manual(10'000)) == 2);
  CHECK(partitions_of(manual(30'000)) == 5);
  CHECK(partitions_of(manual(150'000)) == 25);
  CHECK(partitions_of(buying(scaling(20'000))) == 2);
  CHECK(partitions_of(buying(scaling(20'000, 4))) == 4);
  CHECK(partitions_of(buying({CapacityMode::serverless, 0, {}, {}})) == 1);
  Scenario stored = manual(1'000);
  stored.containers.front().initial_storage_bytes = 120 * kGigabyte;
  CHECK(partitions_of(stored) == 3);  // 50 GB each
}

TEST_CASE("DynamoDB creates partitions for reads and writes together", "[scenario]") {
  const auto table = [](MilliRu reads, MilliRu writes) {
    Scenario s = buying({CapacityMode::manual,
                         (reads + writes) * kMilliPerRu,
                         CapacityUnits{reads * kMilliPerRu, writes * kMilliPerRu},
                         {}});
    s.provider = Provider::dynamodb;
    s.parameters = profile_parameters(Provider::dynamodb);
    return s;
  };
  CHECK(partitions_of(table(5'000, 2'000)) == 4);  // 5/3 + 2
  CHECK(partitions_of(table(3'000, 1'000)) == 2);
  CHECK(partitions_of(table(1'500, 500)) == 1);
  CHECK(partitions_of(table(1'501, 500)) == 2);
  CHECK(problems_of(table(5'000, 2'000)).empty());
  Scenario on_demand = table(1, 1);
  on_demand.containers.front().throughput = {CapacityMode::serverless, 0, {}, {}};
  CHECK(partitions_of(on_demand) == 8);  // 12000 / 3000 + 4000 / 1000
}

TEST_CASE("An on-demand table grows to a multiple of its demand, within bounds", "[scenario]") {
  const auto busy = [](std::uint64_t writes, Nanoseconds duration) {
    Scenario s = buying({CapacityMode::serverless, 0, {}, {}});
    s.provider = Provider::dynamodb;
    s.parameters = profile_parameters(Provider::dynamodb);
    s.duration_ns = duration;
    s.containers.front().item_size_bytes = kKilobyte;
    s.clients = {at_once("app", writes, {})};
    return problems_of(s);
  };
  // Twice the writes of the second, 1000 each, doubled from eight: 8192, then 16384 partitions.
  CHECK(busy(4'000'000, kHour).empty());
  CHECK_THAT(busy(4'100'000, kHour), has_text("(limit): the demand could split it"));
  CHECK(busy(4'100'000, 1'800 * kSecond).empty());  // ends before it may grow
}

TEST_CASE("A timeline's largest target decides how many partitions there can be", "[scenario]") {
  const auto grown = [](MilliRu ru) {
    Scenario s = buying({CapacityMode::manual, 20'000 * kMilliPerRu, {}, 2});
    s.timeline = {{kSecond, 0, SetThroughput{ru * kMilliPerRu}},
                  {2 * kSecond, 0, SetThroughput{10'000 * kMilliPerRu}}};
    return s;
  };
  CHECK(partitions_of(grown(20'000)) == 2);
  CHECK(partitions_of(grown(30'000)) == 3);
  CHECK(partitions_of(grown(20'100)) == 3);
  Scenario all = grown(30'000);
  all.parameters.growth_splits_all = true;
  CHECK(partitions_of(all) == 4);
  CHECK(problems_of(all).empty());
}

TEST_CASE("No share is above that of a partition, under autoscale neither", "[scenario]") {
  CHECK(problems_of_buying(scaling(20'000, 2)).empty());
  CHECK_THAT(problems_of_buying(scaling(21'000, 2)),
             has_text("container.partitions: too much for a partition"));
  // By growth to 10100 RU/s each the second target is too much for its partitions.
  CHECK_THAT(problems_of_buying(scaling(20'000, 2),
                                [](Scenario& s) {
                                  s.parameters.growth_partition_mru = 20'000'000;
                                  s.timeline = {{kSecond, 0, SetThroughput{21'000'000}}};
                                }),
             has_text("timeline.0.autoscale: too much for a partition"));
}

TEST_CASE("The minimum follows what is stored and what was bought", "[scenario]") {
  // The documents: 50000 RU/s once and 20 GB need 500 RU/s, 2000 GB need 2000.
  const auto lowered = [](MilliRu ru, Bytes gigabytes) {
    return problems_of_buying({CapacityMode::manual, 50'000'000, {}, 100}, [=](Scenario& s) {
      s.containers.front().initial_storage_bytes = gigabytes * kGigabyte;
      s.timeline = {{kSecond, 0, SetThroughput{ru * kMilliPerRu}}};
    });
  };
  CHECK(lowered(500, 20).empty());
  CHECK_THAT(lowered(400, 20), has_text("timeline.0.throughput: throughput is too low, expected at "
                                        "least 500 RU/s, got 400 RU/s"));
  CHECK(lowered(2'000, 2'000).empty());
  CHECK_THAT(lowered(1'900, 2'000), has_text("at least 2000 RU/s"));
}

Scenario sharing(std::size_t containers, ThroughputSpec throughput) {
  Scenario s = sound();
  s.containers.clear();
  for (std::size_t i = 0; i < containers; ++i) {
    s.containers.push_back(named("c" + std::to_string(100 + i), 0));
    s.containers.back().shares_database = true;
  }
  s.database = DatabaseSpec{throughput};
  return s;
}

TEST_CASE("A container that shares a database has neither workers nor throughput buckets",
          "[scenario]") {
  Scenario s = sharing(2, {CapacityMode::manual, 1'000 * kMilliPerRu, {}, {}});
  CHECK(problems_of(s).empty());
  s.containers[0].workers = WorkersSpec{};
  s.containers[1].bucket_ppm[0] = 500'000;
  CHECK_THAT(problems_of(s), has_text("c100.workers: a container that shares a database"));
  CHECK_THAT(problems_of(s), has_text("c101.throughput_buckets: a container that shares"));
}

TEST_CASE("Many containers in a database raise its minimum", "[scenario]") {
  const auto manual = [](std::size_t containers, MilliRu ru) {
    return problems_of(sharing(containers, {CapacityMode::manual, ru * kMilliPerRu, {}, {}}));
  };
  CHECK(manual(25, 400).empty());
  CHECK_THAT(manual(26, 400), has_text("database.throughput: throughput is too low, expected at "
                                       "least 500 RU/s"));
  CHECK(manual(30, 900).empty());
  // The documents' formula for 30 containers with autoscale: 1000 + 1000 * 5.
  CHECK(problems_of(sharing(30, scaling(6'000))).empty());
  CHECK_THAT(problems_of(sharing(30, scaling(5'000))), has_text("at least 6000 RU/s"));
}

TEST_CASE("Containers that share need a database, and it needs them", "[scenario]") {
  Scenario s = sharing(2, {CapacityMode::manual, 400'000, {}, {}});
  CHECK(problems_of(s).empty());
  s.database.reset();
  CHECK_THAT(problems_of(s), has_text("containers.c100: no throughput, and no database"));
  s = sound();
  s.database = DatabaseSpec{{CapacityMode::manual, 400'000, {}, {}}};
  CHECK_THAT(problems_of(s), has_text("database: nobody shares the database"));
  s = sharing(2, {CapacityMode::serverless, 0, {}, {}});
  CHECK_THAT(problems_of(s), has_text("database.serverless: a database cannot be serverless"));
  s = sharing(2, {CapacityMode::manual, 400'000, {}, {}});
  s.provider = Provider::dynamodb;
  CHECK_THAT(problems_of(s), has_text("database: dynamodb has no databases"));
  s = sharing(2, {CapacityMode::manual, 400'000, {}, {}});
  s.containers[1].hash = HashVersion::v1;
  CHECK_THAT(problems_of(s), has_text("containers.c101.partition_key: containers that share"));
}

TEST_CASE("Containers are sorted by name, differ, and are at most 256", "[scenario]") {
  Scenario s = sound();
  s.containers = {named("b", 400), named("a", 400)};
  CHECK_THAT(problems_of(s), has_text("containers.a: containers must be sorted by name"));
  s.containers = {named("a", 400), named("a", 400)};
  CHECK_FALSE(problems_of(s).empty());
  s.containers = {named("a", 400), named("b", 450)};
  CHECK_THAT(problems_of(s), has_text("containers.b.throughput: throughput is between two steps"));
  CHECK(problems_of(sharing(256, {CapacityMode::manual, 100'000'000, {}, {}})).empty());
  CHECK_THAT(problems_of(sharing(257, {CapacityMode::manual, 100'000'000, {}, {}})),
             has_text("containers: containers are out of range, expected 1 to 256, got 257"));
}

TEST_CASE("A timeline's units are judged like a container's", "[scenario]") {
  const auto set = [](MilliRu reads, MilliRu writes, Provider provider) {
    return problems_of_buying(
        {CapacityMode::manual, 7'000'000, CapacityUnits{5'000'000, 2'000'000}, {}},
        [=](Scenario& s) {
          s.provider = provider;
          s.parameters = profile_parameters(provider);
          s.timeline = {{kSecond, 0, SetThroughput{7'000'000, CapacityUnits{reads, writes}}}};
        });
  };
  CHECK(set(8'000'000, 2'000'000, Provider::dynamodb).empty());
  CHECK(set(1'000, 1'000, Provider::dynamodb).empty());
  for (const MilliRu none : {INT64_MIN, INT64_C(0), INT64_C(999)}) {
    CHECK_THAT(set(none, 1'000, Provider::dynamodb),
               has_text("timeline.0.capacity_units: capacity units are out of range"));
    CHECK_THAT(set(1'000, none, Provider::dynamodb),
               has_text("timeline.0.capacity_units: capacity units are out of range"));
  }
  CHECK_THAT(set(INT64_MAX, INT64_MAX, Provider::dynamodb),
             has_text("timeline.0.capacity_units: partitions are out of range"));
  CHECK_THAT(set(5'000, 5'000, Provider::cosmos),
             has_text("timeline.0.capacity_units: capacity units are sold by dynamodb only"));
}

TEST_CASE("A timeline is sorted, inside the run and of containers that exist", "[scenario]") {
  const auto at = [](std::vector<TimelineEntry> entries) {
    return problems_after([&](Scenario& s) { s.timeline = entries; });
  };
  const SetThroughput set{500'000};
  CHECK(at({{0, 0, set}, {10 * kSecond - 1, 0, set}}).empty());
  CHECK_THAT(at({{10 * kSecond, 0, set}}), has_text("timeline.0.at: the instant is not inside"));
  CHECK_THAT(at({{-1, 0, set}}), has_text("timeline.0.at: "));
  CHECK_THAT(at({{5, 0, set}, {4, 0, set}}),
             has_text("timeline.1.at: the timeline must be sorted"));
  CHECK_THAT(at({{5, 7, set}}), has_text("timeline.0.container: the container does not exist"));
  CHECK_THAT(at({{5, 0, MergePartitions{}}}), has_text("timeline.0.merge: merging is off"));
  CHECK_THAT(at({{5, 0, Redistribute{{{1, 400}, {0, 400}}}}}), has_text("sorted by id and differ"));
  CHECK_THAT(at({{5, 0, Redistribute{{{0, 0}}}}}), has_text("timeline.0.redistribute.0: "));
  CHECK_THAT(at({{5, 0, Redistribute{{{0, INT64_MAX}}}}}), has_text("timeline.0.redistribute.0: "));
}

TEST_CASE("Broken amounts of pools are problems, not crashes", "[scenario]") {
  for (const MilliRu amount : {INT64_MIN, INT64_C(-1), INT64_C(0), INT64_MAX}) {
    CHECK_FALSE(problems_of_buying({CapacityMode::manual, amount, {}, {}}).empty());
    CHECK_FALSE(problems_of_buying({CapacityMode::autoscale, amount, {}, 1}).empty());
    CHECK_FALSE(problems_after([amount](Scenario& s) {
                  s.timeline = {{kSecond, 0, SetThroughput{amount}}};
                }).empty());
  }
  CHECK_FALSE(
      problems_after([](Scenario& s) { s.parameters.split_storage_threshold_bytes = 0; }).empty());
  CHECK_FALSE(problems_after([](Scenario& s) {
                s.containers.front().initial_storage_bytes = INT64_MAX;
              }).empty());
  CHECK_FALSE(
      problems_after([](Scenario& s) { s.containers.front().initial_storage_bytes = -1; }).empty());
  CHECK_FALSE(problems_after([](Scenario& s) { s.containers.front().ttl_ns = 0; }).empty());
  CHECK_FALSE(problems_after([](Scenario& s) { s.containers.front().bucket_ppm[0] = -1; }).empty());
  CHECK_FALSE(problems_after([](Scenario& s) { s.clients.front().bucket = 9; }).empty());
  CHECK_FALSE(problems_after([](Scenario& s) { s.clients.front().region = 1; }).empty());
  CHECK_FALSE(problems_after([](Scenario& s) { s.regions.clear(); }).empty());
  CHECK_FALSE(problems_after([](Scenario& s) { s.regions = {"a", "a"}; }).empty());
}

TEST_CASE("Times of splits and merges are within ten years", "[scenario]") {
  const auto lasting = [](Nanoseconds duration) {
    return problems_after([duration](Scenario& s) { s.parameters.split_duration_ns = duration; });
  };
  CHECK(lasting(kMaxDuration).empty());
  CHECK_THAT(lasting(kMaxDuration + 1), has_text("parameters.split_duration_s: "));
  CHECK_THAT(lasting(-1), has_text("parameters.split_duration_s: "));
  CHECK_THAT(problems_after([](Scenario& s) { s.parameters.merge_duration_ns = INT64_MAX; }),
             has_text("parameters.merge_duration_s: "));
}

TEST_CASE("Retries and answers of a swap are counted in eight bits", "[scenario]") {
  const auto retrying = [](std::uint32_t retries) {
    return problems_after([retries](Scenario& s) {
      s.parameters.split_swap_unavailable_ns = kSecond;
      s.clients.front().retry.max_retries = retries;
    });
  };
  // At once, then 1 + 2 + 4 + 8 + 15 s: five waits within 30 s.
  CHECK(retrying(249).empty());
  CHECK_THAT(retrying(250), has_text("clients.app.retry: a request may be sent too often"));
}

TEST_CASE("Units that are bought apart need both, and adapt only then", "[scenario]") {
  CHECK_THAT(problems_after([](Scenario& s) { s.parameters.read_unit_bytes = 4'096; }),
             has_text("parameters.write_unit_kb: units are missing"));
  CHECK_THAT(problems_after([](Scenario& s) { s.parameters.adaptive_capacity = true; }),
             has_text("parameters.adaptive_capacity: only reads and writes bought apart adapt"));
  CHECK_THAT(problems_after([](Scenario& s) { s.parameters.split_for_heat = true; }),
             has_text("parameters.split_for_heat: "));
}

TEST_CASE("A burst of a long window can be counted", "[scenario]") {
  const auto bursting = [](Nanoseconds window) {
    return problems_after([window](Scenario& s) {
      s.parameters.burst_enabled = true;
      s.parameters.burst_max_mru_per_s = 4'000'000'000'000;
      s.parameters.throttle_window_ns = window;
      s.duration_ns = kMaxDuration;
      s.clients = {at_once("app", 1, create(1))};
    });
  };
  CHECK(bursting(1'000'000 * kSecond).empty());
  CHECK_THAT(bursting(1'000'001 * kSecond), has_text("parameters.burst_max_ru_per_s: "));
}

TEST_CASE("The data of a run split into at most 10000 partitions", "[scenario]") {
  const auto writing = [](std::uint64_t items) {
    return problems_after([items](Scenario& s) {
      s.parameters.split_storage_threshold_bytes = 1'024;
      s.parameters.index_storage_overhead_ppm = 0;
      s.containers.front() = container(10'000);
      s.clients = {at_once("app", items, create(1))};
    });
  };
  CHECK(writing(10'000).empty());
  CHECK_THAT(writing(10'001), has_text("clients.app.at_once (limit): the data could split"));
}

}  // namespace
}  // namespace partsim::testing
