// The life of a partition: what splits, walls, swaps and budgets do to load that runs through them.
#include <algorithm>
#include <map>
#include <numeric>
#include <set>

#include "partsim/engine/engine.hpp"
#include "partsim/scenario/check.hpp"

#include "support/catch.hpp"
#include "support/scenario_builder.hpp"

using namespace partsim;
using namespace partsim::testing;

namespace {

Scenario splitting(double rate, Nanoseconds duration = 8 * kSecond) {
  ContainerSpec spec = container(10'000, 1);
  Scenario s = scenario(duration, spec, evenly("app", rate, create(5)));
  s.parameters.split_duration_ns = 2 * kSecond;
  s.timeline.push_back({kSecond, 0, SetThroughput{20'000 * kMilliPerRu}});
  return s;
}

std::uint64_t outcomes(const std::vector<AttemptRecord>& attempts, AttemptOutcome outcome) {
  return static_cast<std::uint64_t>(
      std::count_if(attempts.begin(), attempts.end(),
                    [outcome](const AttemptRecord& a) { return a.outcome == outcome; }));
}

}  // namespace

TEST_CASE("A parent serves until its split ends, its children from then on", "[engine]") {
  std::vector<AttemptRecord> attempts;
  RunOptions options;
  options.attempts = &attempts;
  const RunResult result = run(splitting(100), options);
  REQUIRE(result.partitions.size() == 3);
  CHECK(result.partitions[0].retired_ns == 3 * kSecond);
  CHECK(result.partitions[1].born_ns == 3 * kSecond);
  CHECK(result.partitions[1].parent == 0U);
  for (const AttemptRecord& attempt : attempts) {
    CHECK((attempt.partition == 0) == (attempt.time_ns < 3 * kSecond));
  }
  CHECK(result.total().operations.succeeded + result.total().operations.in_flight == 800);
}

TEST_CASE("No stored byte is lost or doubled by a split or a merge", "[engine]") {
  Scenario s = splitting(100);
  s.parameters.merge_enabled = true;
  s.parameters.merge_duration_ns = kSecond;
  s.timeline.push_back({4 * kSecond, 0, SetThroughput{2'000 * kMilliPerRu}});
  s.timeline.push_back({5 * kSecond, 0, MergePartitions{}});
  const RunResult result = run(s);
  Bytes alive = 0;
  for (const PartitionResult& partition : result.partitions) {
    alive += partition.alive() ? partition.storage_bytes : 0;
  }
  REQUIRE(result.layout_events.back().kind == LayoutEventKind::merge);
  CHECK(alive == 800 * (kKilobyte * 1'150'000 / kMillion));
  CHECK(result.layout_events.back().after[0].width_q32 == std::int64_t{1} << 32);
}

TEST_CASE("Requests that wait for a retry move to the child that owns their key", "[engine]") {
  // 3,000 requests of 5 RU at once on 10,000 RU/s: a third waits when the partition splits
  ContainerSpec spec = container(10'000, 1);
  Scenario s = scenario(8 * kSecond, spec, at_once("app", 6'000, create(5)));
  s.parameters.split_duration_ns = kSecond;
  s.timeline.push_back({0, 0, SetThroughput{20'000 * kMilliPerRu}});
  std::vector<AttemptRecord> attempts;
  RunOptions options;
  options.attempts = &attempts;
  const RunResult result = run(s, options);
  CHECK(result.total().operations.succeeded == 6'000);
  std::map<std::uint32_t, int> retried;
  for (const AttemptRecord& attempt : attempts) {
    retried[attempt.partition] += attempt.attempt > 0 ? 1 : 0;
  }
  CHECK(retried[1] > 0);
  CHECK(retried[2] > 0);
}

TEST_CASE("During the swap a partition answers 410 and the SDK tries again at once, then later",
          "[engine]") {
  Scenario s = splitting(100);
  s.parameters.split_swap_unavailable_ns = 500 * kMillisecond;
  std::vector<AttemptRecord> attempts;
  RunOptions options;
  options.attempts = &attempts;
  const RunResult result = run(s, options);
  CHECK(result.total().gone == outcomes(attempts, AttemptOutcome::gone));
  CHECK(result.total().gone >= 100);  // 50 first sends, each again 1.5 ms later
  CHECK(result.total().operations.failed == 0);
  for (const AttemptRecord& attempt : attempts) {
    if (attempt.outcome == AttemptOutcome::gone) {
      CHECK(attempt.time_ns >= 2'500 * kMillisecond);
      CHECK(attempt.time_ns < 3 * kSecond);
      const Nanoseconds wait = attempt.attempt == 0 ? 0 : kSecond;
      CHECK(attempt.next_ns - attempt.time_ns == wait + s.parameters.throttle_response_ns);
    }
  }
}

TEST_CASE("A full logical partition refuses writes and still answers reads", "[engine]") {
  ContainerSpec spec = container(10'000, 1);
  spec.fields = {choose("k", 1)};
  Scenario s = scenario(4 * kSecond, spec, evenly("writer", 100, create(5)));
  OperationSpec read;
  read.kind = OperationKind::read;
  read.given = {"k"};
  s.clients.insert(s.clients.begin(), evenly("reader", 100, read));
  s.parameters.logical_partition_max_storage_bytes = Bytes{200} * 1'177;  // 1 KB and 15 % index
  REQUIRE(check(s).empty());
  const RunResult result = run(s);
  const ClientResult& reader = result.clients[0];
  const ClientResult& writer = result.clients[1];
  CHECK(writer.operations.succeeded == 200);
  CHECK(writer.forbidden == 200);
  CHECK(writer.operations.failed == 200);
  CHECK(reader.forbidden == 0);
  CHECK(reader.operations.failed == 0);
  REQUIRE(result.large_keys.size() == 1);
  CHECK(result.large_keys[0].full);
  CHECK(result.large_keys[0].bytes == Bytes{200} * 1'177);
}

TEST_CASE("A partition over its storage limit splits where its data halve", "[engine]") {
  ContainerSpec spec = container(10'000, 1);
  spec.fields = {choose("k", 1'000, ZipfChoice{900'000})};
  spec.initial_storage_bytes = 100 * kGigabyte;
  Scenario s = scenario(30 * kSecond, spec, evenly("app", 10, create(5)));
  s.parameters.split_duration_ns = 2 * kSecond;
  s.parameters.split_storage_threshold_bytes = 60 * kGigabyte;
  const RunResult result = run(s);
  REQUIRE(!result.layout_events.empty());
  const LayoutEvent& split = result.layout_events.front();
  CHECK(split.cause == LayoutCause::storage);
  CHECK(split.at_ns == 2 * kSecond);
  const Bytes lower = split.after[0].storage_bytes;
  const Bytes upper = split.after[1].storage_bytes;
  CHECK(lower + upper == split.before[0].storage_bytes);
  CHECK(std::abs(lower - upper) < 3 * kGigabyte);
}

TEST_CASE("If one key fills a partition no split can help, and the run says so", "[engine]") {
  ContainerSpec spec = container(10'000, 1);
  spec.fields = {choose("k", 1)};
  spec.initial_storage_bytes = 15 * kGigabyte;
  Scenario s = scenario(5 * kSecond, spec, evenly("app", 10, create(5)));
  s.parameters.split_storage_threshold_bytes = 10 * kGigabyte;
  const RunResult result = run(s);
  CHECK(result.partitions.size() == 1);
  REQUIRE(result.layout_events.size() == 1);
  CHECK(result.layout_events[0].kind == LayoutEventKind::refused);
  CHECK(result.layout_events[0].cause == LayoutCause::storage);
  CHECK(std::count_if(result.partitions.begin(), result.partitions.end(),
                      [](const PartitionResult& p) { return p.single_key_full; }) == 1);
}

TEST_CASE("G9: saved RU let a small partition run at 3,000 RU/s for ten seconds", "[engine]") {
  ContainerSpec spec = container(400, 1);
  Scenario s = scenario(360 * kSecond, spec, at_once("app", 10, create(1)));
  s.clients = {at_once("app", 100'000, create(1))};
  std::get<AtOnce>(s.clients[0].arrivals) = {20'000, 300 * kSecond};
  s.clients[0].retry.max_retries = 255;
  s.clients[0].retry.max_wait_ns = kHour;
  s.parameters.burst_enabled = true;
  const RunResult result = run(s);
  CHECK(result.series.consumed_mru(300, 0) == 3'000'000);
  CHECK(result.series.consumed_mru(305, 0) == 3'000'000);
  CHECK(result.total().operations.succeeded == 20'000);
  CHECK(result.partitions[0].burst_mru > 0);
  s.parameters.burst_enabled = false;
  CHECK(run(s).series.consumed_mru(300, 0) == 400'000);
}

TEST_CASE("Writes are charged in every region, reads where they are served", "[engine]") {
  ContainerSpec spec = container(10'000, 1);
  OperationSpec read = create(1);
  read.kind = OperationKind::read;
  read.given = {"k"};
  Scenario s = scenario(2 * kSecond, spec, evenly("reader", 100, read));
  s.clients.push_back(evenly("writer", 100, create(5)));
  s.regions = {"east", "west"};
  s.clients[0].region = 1;
  const RunResult result = run(s);
  CHECK(result.clients[0].consumed_mru == MilliRu{200} * 1'000);
  CHECK(result.clients[1].consumed_mru == MilliRu{2} * 200 * 5'000);
}

TEST_CASE("Expired items are deleted with left-over RU only", "[engine]") {
  const auto left_after = [](double rate, MilliRu ru_per_s) {
    ContainerSpec spec = container(ru_per_s, 1);
    spec.fields = {choose("k", 10)};
    spec.ttl_ns = 10 * kSecond;
    spec.indexed_terms = 0;  // a delete then costs 4.95 RU
    Scenario s = scenario(40 * kSecond, spec, evenly("app", rate, create(5)));
    return run(s);
  };
  // 100 items/s live for 10 to 11 s; deleting them needs 495 RU/s of the 500 that are left
  const RunResult idle = left_after(100, 1'000);
  CHECK(idle.total().throttled == 0);
  CHECK(idle.partitions[0].storage_bytes <= Bytes{1'100} * 1'177);
  CHECK(idle.partitions[0].storage_bytes >= Bytes{1'000} * 1'177);
  CHECK(idle.partitions[0].ttl_mru == MilliRu{2'900} * 4'950);
  // nothing is left over: nothing is deleted, and nobody is throttled for it
  const RunResult busy = left_after(100, 500);
  CHECK(busy.total().throttled == 0);
  CHECK(busy.partitions[0].ttl_mru == 0);
  CHECK(busy.partitions[0].storage_bytes == Bytes{4'000} * 1'177);
}

TEST_CASE("A database's containers share its partitions and its budget", "[engine]") {
  Scenario s = scenario(4 * kSecond, container(0, 1), evenly("a", 1'000, create(5)));
  s.containers[0].name = "a";
  s.containers[0].shares_database = true;
  s.containers.push_back(s.containers[0]);
  s.containers[1].name = "b";
  s.database = DatabaseSpec{};
  s.database->throughput.mru_per_s = 5'000 * kMilliPerRu;
  s.clients.push_back(evenly("b", 1'000, create(5)));
  s.clients[1].container = 1;
  for (ClientSpec& client : s.clients) {
    client.retry = no_retry();
  }
  const RunResult result = run(s);
  CHECK(result.partitions.size() == 1);
  CHECK(result.total().consumed_mru == kMilliPerRu * 4 * 5'000);
  CHECK(result.clients[0].throttled > 0);
  CHECK(result.clients[1].throttled > 0);
}

TEST_CASE("V15: adaptive capacity serves a hot partition from what the others do not use",
          "[engine]") {
  const auto admitted = [](bool adaptive) {
    ContainerSpec spec = container(0, 4);
    spec.throughput.mru_per_s = 0;
    spec.throughput.units = CapacityUnits{kMilliPerRu, 400 * kMilliPerRu};
    spec.fields = {{"k", ValuesField{{}, UniformChoice{}}}};
    // values "0".."999" until every partition of four is hit as often as wanted: 1, 1, 1 and 3
    auto& values = std::get<ValuesField>(spec.fields[0].kind).values;
    const auto ranges = initial_ranges(HashVersion::v2, 4);
    std::array<int, 4> wanted{1, 1, 1, 3};
    for (int i = 0; values.size() < 6; ++i) {
      const KeyComponent value = std::to_string(i);
      const std::size_t owner = owner_of(ranges, hash_point(HashVersion::v2, std::span(&value, 1)));
      if (wanted[owner] > 0) {
        --wanted[owner];
        values.push_back(value);
      }
    }
    Scenario s = scenario(60 * kSecond, spec, evenly("app", 300, create(1)));
    s.clients[0].retry = no_retry();
    s.provider = Provider::dynamodb;
    s.parameters = profile_parameters(Provider::dynamodb);
    s.parameters.burst_enabled = false;
    s.parameters.adaptive_capacity = adaptive;
    s.warm_up_ns = 5 * kSecond;
    const RunResult result = run(s);
    return static_cast<double>(result.total().consumed_mru) / 1000 / 55;
  };
  CHECK(admitted(false) == Approx(250).epsilon(0.03));
  CHECK(admitted(true) == Approx(300).epsilon(0.03));
}

TEST_CASE("A change at a window boundary is the same however the run is stepped", "[engine]") {
  // a client that is all but idle makes steps longer and shorter, and must change nothing else
  Scenario s = splitting(1'900);
  const RunResult alone = run(s);
  s.clients.push_back(evenly("zz", 0.1, create(1)));
  const RunResult together = run(s);
  CHECK(alone.clients[0].attempts == together.clients[0].attempts);
  CHECK(alone.layout_events.size() == together.layout_events.size());
}
