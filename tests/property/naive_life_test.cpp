// The naive model's layouts, storage and capacity rules against cases computed by hand from
// docs/MODEL.md.
#include <algorithm>
#include <map>

#include "support/catch.hpp"
#include "support/naive_model.hpp"
#include "support/scenario_builder.hpp"

using namespace partsim;

namespace {

constexpr auto kGone = static_cast<AttemptOutcome>(3);
constexpr auto kForbidden = static_cast<AttemptOutcome>(4);

/// Even writes of 1 RU at a low rate; provisioned in one pool. Splits take four seconds.
Scenario quiet(MilliRu ru_per_s, std::uint32_t partitions, Nanoseconds duration_ns) {
  Scenario scenario = testing::scenario(duration_ns, testing::container(ru_per_s, partitions),
                                        testing::evenly("p", 10, testing::create(1)));
  scenario.parameters.split_duration_ns = 4 * kSecond;
  scenario.parameters.merge_enabled = true;
  scenario.parameters.merge_duration_ns = 2 * kSecond;
  return scenario;
}

/// So many creates of 10 RU at one instant at one partition of 100 RU/s; nobody tries again.
Scenario crowd(std::uint64_t operations, Nanoseconds at_ns) {
  ClientSpec client = testing::at_once("p", operations, testing::create(10));
  std::get<AtOnce>(client.arrivals).at_ns = at_ns;
  client.retry = testing::no_retry();
  return testing::scenario(10 * kSecond, testing::container(100), client);
}

void set_throughput(Scenario& scenario, Nanoseconds at_ns, MilliRu ru_per_s) {
  scenario.timeline.push_back({at_ns, 0, SetThroughput{ru_per_s * kMilliPerRu}});
}

std::uint64_t outcomes(const NaiveResult& result, AttemptOutcome outcome) {
  return static_cast<std::uint64_t>(
      std::count_if(result.attempts.begin(), result.attempts.end(),
                    [&](const AttemptRecord& record) { return record.outcome == outcome; }));
}

std::uint64_t admitted(const Scenario& scenario) {
  return outcomes(naive_run(scenario), AttemptOutcome::admitted);
}

/// Shares in RU/s of the partitions alive at the end, by id.
std::map<std::uint32_t, MilliRu> shares(const NaiveResult& result) {
  std::map<std::uint32_t, MilliRu> found;
  for (const PartitionResult& partition : result.partitions) {
    if (partition.alive()) {
      found[partition.id] = partition.share_mru_per_s / kMilliPerRu;
    }
  }
  return found;
}

using Shares = std::map<std::uint32_t, MilliRu>;

}  // namespace

TEST_CASE("Throughput that fits the partitions is theirs from the next window on", "[property]") {
  Scenario scenario = quiet(1'000, 2, 5 * kSecond);
  set_throughput(scenario, 1'500 * kMillisecond, 20'000);
  const NaiveResult result = naive_run(scenario);
  REQUIRE(result.layout_events.size() == 1);
  CHECK(result.layout_events[0].kind == LayoutEventKind::scale);
  CHECK(result.layout_events[0].at_ns == 2 * kSecond);
  CHECK(shares(result) == Shares{{0, 10'000}, {1, 10'000}});
}

TEST_CASE("Three partitions of one take two rounds of splits", "[property]") {
  Scenario scenario = quiet(6'000, 1, 8 * kSecond);
  set_throughput(scenario, 500 * kMillisecond, 30'000);  // from 1 s; rounds end at 3 s and at 5 s
  set_throughput(scenario, 2 * kSecond, 400);            // 423
  set_throughput(scenario, 6 * kSecond, 299);            // below 30,000 / 100
  const NaiveResult result = naive_run(scenario);
  REQUIRE(result.layout_events.size() == 5);
  const auto kind = [&](std::size_t i) { return result.layout_events[i].kind; };
  const auto at = [&](std::size_t i) { return result.layout_events[i].at_ns; };
  CHECK((kind(0) == LayoutEventKind::refused && at(0) == 2 * kSecond));
  CHECK((kind(1) == LayoutEventKind::split && at(1) == 3 * kSecond));
  CHECK((kind(2) == LayoutEventKind::split && at(2) == 5 * kSecond));
  CHECK((kind(3) == LayoutEventKind::scale && at(3) == 5 * kSecond));
  CHECK((kind(4) == LayoutEventKind::refused && at(4) == 6 * kSecond));
  CHECK(result.layout_events[1].after[0].share_mru_per_s == 3'000'000);
  CHECK(result.layout_events[2].after[0].share_mru_per_s == 1'500'000);
  CHECK(shares(result) == Shares{{2, 10'000}, {3, 10'000}, {4, 10'000}});
  CHECK(result.partitions[3].parent == 1U);
  CHECK(result.partitions[1].retired_ns == 5 * kSecond);
  CHECK(result.partitions[1].max_epk == result.partitions[2].min_epk);
}

TEST_CASE("In the swap window every attempt is gone, and the retry finds the child", "[property]") {
  Scenario scenario = quiet(6'000, 1, 8 * kSecond);
  scenario.parameters.split_swap_unavailable_ns = 500 * kMillisecond;
  scenario.parameters.throttle_response_ns = kMillisecond;
  set_throughput(scenario, 0, 20'000);
  const NaiveResult result = naive_run(scenario);
  // Sends at 3.5, 3.6 ... 3.9 s: gone at once, 1 ms later again, then a second's wait.
  CHECK(result.clients[0].gone == 10);
  CHECK(result.clients[0].operations.failed == 0);
  CHECK(result.clients[0].operations.in_flight <= 1);
  for (const AttemptRecord& record : result.attempts) {
    const bool swaps = record.time_ns >= 3'500 * kMillisecond && record.time_ns < 4 * kSecond;
    CHECK((record.outcome == kGone) == swaps);
    if (record.attempt == 2) {
      CHECK(record.partition > 0);
      CHECK(record.time_ns % (100 * kMillisecond) == 2 * kMillisecond);
    }
  }
}

TEST_CASE("A target above the limit gets the limit, then splits for the rest", "[property]") {
  Scenario scenario = quiet(10'000, 2, 8 * kSecond);
  scenario.timeline.push_back({kSecond, 0, Redistribute{{{0, 15'000'000}}}});
  scenario.timeline.push_back({2 * kSecond, 0, Redistribute{{{1, 6'000'000}}}});  // 423
  const NaiveResult result = naive_run(scenario);
  REQUIRE(result.layout_events.size() == 3);
  CHECK(result.layout_events[0].after[0].share_mru_per_s == 10'000'000);
  CHECK(result.layout_events[0].total_after_mru == 15'000'000);
  CHECK(result.layout_events[1].kind == LayoutEventKind::refused);
  CHECK(result.layout_events[2].kind == LayoutEventKind::split);
  CHECK(result.layout_events[2].at_ns == 5 * kSecond);
  CHECK(result.layout_events[2].total_after_mru == 20'000'000);
  CHECK(shares(result) == Shares{{1, 5'000}, {2, 7'500}, {3, 7'500}});
}

TEST_CASE("A redistributed pool keeps its weights when its total changes", "[property]") {
  Scenario scenario = quiet(4'000, 2, 5 * kSecond);
  scenario.timeline.push_back({kSecond, 0, Redistribute{{{0, 1'000'000}}}});  // 1,000 and 2,000
  set_throughput(scenario, 2 * kSecond, 9'000);
  CHECK(shares(naive_run(scenario)) == Shares{{0, 3'000}, {1, 6'000}});
  set_throughput(scenario, 3 * kSecond, 18'000);  // twelve thousand are more than one may have
  CHECK(shares(naive_run(scenario)) == Shares{{0, 6'000}, {1, 10'000}});
  scenario.timeline.push_back({4 * kSecond, 0, Redistribute{}});
  CHECK(shares(naive_run(scenario)) == Shares{{0, 9'000}, {1, 9'000}});
}

TEST_CASE("Small neighbours merge two by two, from the lowest range on", "[property]") {
  Scenario scenario = quiet(5'000, 5, 8 * kSecond);
  scenario.timeline.push_back({kSecond, 0, MergePartitions{}});
  const NaiveResult result = naive_run(scenario);
  CHECK(shares(result) == Shares{{4, 1'000}, {5, 2'000}, {6, 2'000}});
  CHECK(result.partitions[6].born_ns == 3 * kSecond);
  CHECK(result.partitions[6].parent == 2U);
  set_throughput(scenario, 2 * kSecond, 10'000);
  const NaiveResult cancelled = naive_run(scenario);
  CHECK(cancelled.layout_events.size() == 2);
  CHECK(shares(cancelled) == Shares{{0, 2'000}, {1, 2'000}, {2, 2'000}, {3, 2'000}, {4, 2'000}});
}

TEST_CASE("A full logical partition takes no more writes", "[property]") {
  Scenario scenario = crowd(10, 0);
  scenario.containers[0].fields = {testing::choose("k", 1)};
  scenario.parameters.index_storage_overhead_ppm = 0;
  scenario.parameters.logical_partition_max_storage_bytes = 4 * kKilobyte;
  const NaiveResult result = naive_run(scenario);
  CHECK(outcomes(result, AttemptOutcome::admitted) == 4);
  CHECK(outcomes(result, kForbidden) == 6);
  CHECK(result.clients[0].operations.failed == 6);
  CHECK(result.clients[0].throttled == 0);
  CHECK(result.partitions[0].storage_bytes == 4 * kKilobyte);
  // Three quarters are there from the start.
  scenario.containers[0].initial_storage_bytes = 3 * kKilobyte;
  CHECK(admitted(scenario) == 1);
}

TEST_CASE("A partition over its storage limit is cut where its data halve", "[property]") {
  Scenario scenario = quiet(1'000, 1, 6 * kSecond);
  scenario.clients[0].arrivals = OpenLoop{{0, kSecond}, OpenLoop::Spacing::evenly};
  scenario.containers[0].fields = {testing::choose("k", 4)};
  scenario.containers[0].initial_storage_bytes = 4'000;
  scenario.parameters.split_storage_threshold_bytes = 3'999;
  scenario.parameters.split_cut_storage = SplitCut::data_median;
  const NaiveResult result = naive_run(scenario);
  REQUIRE(result.partitions.size() == 3);
  CHECK(result.partitions[1].storage_bytes == 2'000);
  CHECK(result.partitions[2].storage_bytes == 2'000);
  CHECK(result.partitions[2].born_ns == 4 * kSecond);
  CHECK(shares(result) == Shares{{1, 500}, {2, 500}});
  // One key cannot be cut.
  scenario.containers[0].fields = {testing::choose("k", 1)};
  const NaiveResult single = naive_run(scenario);
  REQUIRE(single.layout_events.size() == 1);
  CHECK(single.partitions.size() == 1);
  CHECK(single.partitions[0].single_key_full);
}

TEST_CASE("Autoscale raises its maximum until it may hold what is stored", "[property]") {
  Scenario scenario = quiet(1'000, 1, 2 * kSecond);
  scenario.containers[0].throughput.mode = CapacityMode::autoscale;
  scenario.containers[0].initial_storage_bytes = 250 * kGigabyte;
  scenario.parameters.split_storage_threshold_bytes = 1'000 * kGigabyte;
  CHECK(shares(naive_run(scenario)) == Shares{{0, 3'000}});  // 10 RU/s a GB, in whole thousands
}

TEST_CASE("What an idle partition saved may be spent at once, up to a limit a window",
          "[property]") {
  Scenario scenario = crowd(200, 3 * kSecond);
  CHECK(admitted(scenario) == 10);
  scenario.parameters.burst_enabled = true;
  scenario.parameters.burst_window_s = 300;
  CHECK(admitted(scenario) == 40);  // the share of four seconds
  scenario.parameters.burst_max_mru_per_s = 150'000;
  CHECK(admitted(scenario) == 15);
  scenario.parameters.burst_window_s = 2;
  scenario.parameters.burst_max_mru_per_s = 3'000'000;
  CHECK(admitted(scenario) == 30);  // two saved shares and that of the second itself
  scenario.parameters.throttle_model = ThrottleModel::window_strict;
  CHECK(admitted(scenario) == 30);
  scenario.parameters.burst_net_of_share = false;
  CHECK(admitted(scenario) == 20);
  scenario.parameters.burst_eligible_below_mru_per_s = 100'000;
  CHECK(admitted(scenario) == 10);
}

TEST_CASE("RU per minute lend what a second lacks, until the minute ends", "[property]") {
  Scenario scenario = crowd(200, 0);
  scenario.parameters.ru_per_minute_enabled = true;
  CHECK(admitted(scenario) == 110);  // 100 RU and ten times as many
  scenario.start_unix_s += 55;       // a minute begins at 5 s
  scenario.clients.push_back(scenario.clients[0]);
  scenario.clients[1].name = "q";
  std::get<AtOnce>(scenario.clients[1].arrivals).at_ns = 4 * kSecond;
  CHECK(admitted(scenario) == 120);
  std::get<AtOnce>(scenario.clients[1].arrivals).at_ns = 5 * kSecond;
  CHECK(admitted(scenario) == 220);
}

TEST_CASE("Units are counted by size, and reads do not spend what writes need", "[property]") {
  Scenario scenario = crowd(200, 0);
  scenario.containers[0].item_size_bytes = 5'000;
  scenario.containers[0].throughput.units = CapacityUnits{100'000, 50'000};
  scenario.parameters.read_unit_bytes = 4'096;
  scenario.parameters.write_unit_bytes = 1'024;
  scenario.clients[0].operations[0].charge_mru.reset();  // five units each
  scenario.clients.push_back(scenario.clients[0]);
  scenario.clients[1].name = "q";
  scenario.clients[1].operations[0].kind = OperationKind::read;
  scenario.clients[1].operations[0].given = {"k"};  // two halves of a unit each
  const NaiveResult result = naive_run(scenario);
  CHECK(result.clients[0].attempts - result.clients[0].throttled == 10);
  CHECK(result.clients[0].consumed_mru == 50'000);
  CHECK(result.clients[1].attempts - result.clients[1].throttled == 100);
  CHECK(result.clients[1].consumed_mru == 100'000);
}

TEST_CASE("Adaptive capacity gives a hot partition what the others leave", "[property]") {
  Scenario scenario = quiet(0, 2, 3 * kSecond);
  scenario.containers[0].fields = {testing::choose("k", 1)};
  scenario.containers[0].throughput.units = CapacityUnits{10'000, 200'000};
  scenario.parameters.read_unit_bytes = 4'096;
  scenario.parameters.write_unit_bytes = 1'024;
  scenario.parameters.adaptive_capacity = true;
  scenario.clients[0] = testing::evenly("p", 150, testing::create(1));
  scenario.clients[0].retry = testing::no_retry();
  const NaiveResult result = naive_run(scenario);
  CHECK(result.clients[0].throttled == 50);  // in the first second
  const std::uint32_t hot = result.attempts[0].partition;
  CHECK(result.partitions[hot].write_share_mru_per_s == 175'000);
  CHECK(result.partitions[1 - hot].write_share_mru_per_s == 25'000);
}

TEST_CASE("Low priority keeps to what is left for the rest of the window", "[property]") {
  Scenario scenario = crowd(2, 0);
  scenario.clients[0].priority = Priority::low;
  scenario.clients[0].retry.max_retries = 1;
  scenario.parameters.throttle_response_ns = 0;
  const NaiveResult result = naive_run(scenario);
  // 90 RU cover nine tenths of a second.
  REQUIRE(result.attempts.size() == 3);
  CHECK(result.attempts[1].next_ns == 100 * kMillisecond);
  CHECK(result.attempts[2].outcome == AttemptOutcome::admitted);
}

TEST_CASE("A throughput bucket takes its part of the share and no more", "[property]") {
  Scenario scenario = crowd(20, 0);
  scenario.containers[0].bucket_ppm[1] = 450'000;
  scenario.clients[0].bucket = 2;
  CHECK(admitted(scenario) == 5);  // the fifth finds 40 of 45 RU spent
}

TEST_CASE("A write is paid in every region and its far client waits longer", "[property]") {
  Scenario scenario = crowd(1, 0);
  scenario.regions = {"main", "far"};
  scenario.clients[0].region = 1;
  scenario.containers[0].service =
      ServiceTimeSpec{ServiceTimeSpec::Law::fixed, {kMillisecond, false}};
  NaiveResult result = naive_run(scenario);
  CHECK(result.clients[0].consumed_mru == 20'000);
  CHECK(result.attempts[0].next_ns == 51 * kMillisecond);
  scenario.multi_region_writes = true;
  result = naive_run(scenario);
  CHECK(result.attempts[0].next_ns == kMillisecond);
  // Reads of the far region find what the write took there.
  ClientSpec reader = scenario.clients[0];
  reader.name = "reader";
  reader.operations[0].kind = OperationKind::read;
  reader.operations[0].given = {"k"};
  std::get<AtOnce>(reader.arrivals) = {100, kMillisecond};
  scenario.clients.push_back(reader);
  CHECK(admitted(scenario) == 10);
}

TEST_CASE("Containers of a database share its partitions and its throughput", "[property]") {
  Scenario scenario = crowd(20, 0);
  scenario.containers.push_back(scenario.containers[0]);
  scenario.containers[1].name = "other";
  scenario.clients.push_back(scenario.clients[0]);
  scenario.clients[1].name = "q";
  scenario.clients[1].container = 1;
  CHECK(admitted(scenario) == 20);
  scenario.database.emplace().throughput = scenario.containers[0].throughput;
  scenario.containers[0].shares_database = scenario.containers[1].shares_database = true;
  CHECK(admitted(scenario) == 10);
  scenario.database->throughput.partitions.reset();
  scenario.database->throughput.mru_per_s = 25'000'000;
  CHECK(naive_run(scenario).partitions.size() == 3);  // 10,000 RU/s each at most
}

TEST_CASE("Exponential back-off waits within its bound and not as it was told", "[property]") {
  Scenario scenario = crowd(100, 0);
  RetrySpec& retry = scenario.clients[0].retry;
  retry.max_retries = 4;
  retry.backoff_base_ns = 100 * kMillisecond;
  retry.backoff_max_ns = 300 * kMillisecond;
  scenario.parameters.throttle_response_ns = 0;
  const NaiveResult result = naive_run(scenario);
  std::map<std::uint32_t, Nanoseconds> longest;
  for (const AttemptRecord& record : result.attempts) {
    if (record.outcome == AttemptOutcome::throttled && record.next_ns != kNever) {
      Nanoseconds& most = longest[record.attempt];
      most = std::max(most, record.next_ns - record.time_ns);
    }
  }
  REQUIRE(longest.size() == 4);
  CHECK((longest[0] > 90 * kMillisecond && longest[0] < 100 * kMillisecond));
  CHECK((longest[1] > 180 * kMillisecond && longest[1] < 200 * kMillisecond));
  CHECK((longest[2] > 270 * kMillisecond && longest[2] < 300 * kMillisecond));
  CHECK((longest[3] > 270 * kMillisecond && longest[3] < 300 * kMillisecond));
}
