// What a DynamoDB table does by itself: it splits partitions that stay hot, and an on-demand table
// grows with its peaks (docs/MODEL.md section 15). Every time and amount here is worked out by
// hand.
#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <span>
#include <string>
#include <vector>

#include "partsim/engine/engine.hpp"
#include "partsim/scenario/check.hpp"

#include "support/catch.hpp"
#include "support/scenario_builder.hpp"

using namespace partsim;
using namespace partsim::testing;

namespace {

constexpr std::int64_t kWhole = std::int64_t{1} << 32U;

OperationSpec write() {
  return {};  // items of 1 KB: one write unit
}

OperationSpec read() {
  OperationSpec operation;
  operation.kind = OperationKind::read;
  operation.given = {"k"};
  return operation;  // eventually consistent: half a read unit
}

/// A table whose partitions must be hot for ten seconds, and then take five to split.
Scenario table(Nanoseconds duration, std::uint32_t partitions, CapacityUnits units) {
  ContainerSpec spec = container(0, partitions);
  spec.throughput.units = units;
  spec.throughput.mru_per_s = units.read_per_s + units.write_per_s;
  Scenario s = scenario(duration, spec, evenly("app", 1, write()));
  s.clients.clear();
  s.provider = Provider::dynamodb;
  s.parameters = profile_parameters(Provider::dynamodb);
  s.parameters.split_for_heat_after_ns = 10 * kSecond;
  s.parameters.split_duration_ns = 5 * kSecond;
  return s;
}

/// One partition with all the writes and reads that one may have.
Scenario one_partition(Nanoseconds duration) {
  return table(duration, 1, {3'000 * kMilliPerRu, 1'000 * kMilliPerRu});
}

Scenario on_demand(Nanoseconds duration) {
  Scenario s = table(duration, 1, {});
  s.containers[0].throughput = {};
  s.containers[0].throughput.mode = CapacityMode::serverless;
  s.parameters.split_for_heat_after_ns = 600 * kSecond;
  s.parameters.on_demand_window_ns = 10 * kSecond;
  return s;
}

/// Sends for the whole run; a refused request is not sent again.
void load(Scenario& s, const std::string& name, double rate, const OperationSpec& operation) {
  s.clients.push_back(evenly(name, rate, operation));
  s.clients.back().retry = no_retry();
}

/// So many writes at once in the middle of that second.
void pulse(Scenario& s, std::int64_t second, std::uint64_t writes) {
  std::string name = "s00";
  name[1] = static_cast<char>('0' + second / 10);
  name[2] = static_cast<char>('0' + second % 10);
  s.clients.push_back(at_once(name, writes, write()));
  s.clients.back().arrivals = AtOnce{writes, second * kSecond + kSecond / 2};
  s.clients.back().retry = no_retry();
}

/// Text keys, so many in each of these ranges.
FieldSpec keys_in(const std::vector<HashRange>& ranges, std::size_t each) {
  ValuesField field{{}, UniformChoice{}};
  for (const HashRange& range : ranges) {
    for (std::size_t found = 0, i = 0; found < each; ++i) {
      const KeyComponent key = std::to_string(i);
      if (range.contains(hash_point(HashVersion::v2, std::span(&key, 1)))) {
        field.values.push_back(key);
        ++found;
      }
    }
  }
  return {"k", field};
}

RunResult run_checked(const Scenario& s) {
  REQUIRE(check(s).empty());
  return run(s);
}

/// Units that all partitions together have served in a second, in thousandths.
MilliRu served(const RunResult& result, std::int64_t second) {
  return result.series.consumed_mru.row(second).sum();
}

std::vector<LayoutEvent> events_of(const RunResult& result, LayoutEventKind kind) {
  std::vector<LayoutEvent> events;
  std::copy_if(result.layout_events.begin(), result.layout_events.end(), std::back_inserter(events),
               [kind](const LayoutEvent& event) { return event.kind == kind; });
  return events;
}

void check_heat_split(const LayoutEvent& event, Nanoseconds begun) {
  CHECK(event.kind == LayoutEventKind::split);
  CHECK(event.cause == LayoutCause::heat);
  CHECK(event.asked_ns == begun);
  CHECK(event.at_ns == begun + 5 * kSecond);
  REQUIRE(event.before.size() == 1);
  REQUIRE(event.after.size() == 2);
  // halves, but for what is lost where a width is cut to whole parts of 2^32
  CHECK(event.after[0].width_q32 + event.after[1].width_q32 == event.before[0].width_q32);
  CHECK(std::abs(event.after[0].width_q32 - event.after[1].width_q32) <= 2);
  CHECK(event.total_after_mru == event.total_before_mru);
}

}  // namespace

// ---- split for heat ----------------------------------------------------------------------------

TEST_CASE(
    "A partition asked for 900 of its 1,000 writes in each of ten seconds splits in the middle",
    "[engine]") {
  Scenario s = one_partition(30 * kSecond);
  load(s, "app", 900, write());
  const RunResult result = run_checked(s);
  REQUIRE(result.layout_events.size() == 1);  // the children are asked for 450 each
  check_heat_split(result.layout_events[0], 10 * kSecond);
  CHECK(result.layout_events[0].before[0].width_q32 == kWhole);
  CHECK(result.layout_events[0].after[0].share_mru_per_s == 2'000 * kMilliPerRu);
  CHECK(result.layout_events[0].after[1].share_mru_per_s == 2'000 * kMilliPerRu);
  REQUIRE(result.partitions.size() == 3);
  CHECK(result.partitions[0].retired_ns == 15 * kSecond);
  CHECK(result.partitions[1].max_epk == "1FFFFFFFFFFFFFFFFFFFFFFFFFFFFFFF");  // of 3FF...F
  CHECK(result.total().throttled == 0);
}

TEST_CASE("A partition that is never hot never splits", "[engine]") {
  Scenario s = one_partition(60 * kSecond);
  load(s, "app", 899, write());
  load(s, "reader", 5'398, read());  // 2,699 of 3,000 units: one below hot as well
  const RunResult result = run_checked(s);
  CHECK(result.layout_events.empty());
  CHECK(result.partitions.size() == 1);
}

TEST_CASE("Reads alone make a partition hot", "[engine]") {
  Scenario s = one_partition(16 * kSecond);
  load(s, "reader", 5'400, read());
  const RunResult result = run_checked(s);
  REQUIRE(result.layout_events.size() == 1);
  check_heat_split(result.layout_events[0], 10 * kSecond);
}

TEST_CASE("One second below the threshold, and the ten seconds begin anew", "[engine]") {
  Scenario s = one_partition(31 * kSecond);
  for (std::int64_t second = 0; second < 30; ++second) {
    pulse(s, second, second == 8 ? 899 : 900);
  }
  const RunResult result = run_checked(s);
  REQUIRE(result.layout_events.size() == 1);
  check_heat_split(result.layout_events[0], 19 * kSecond);
}

TEST_CASE("Nine hot seconds are not enough, however often they come", "[engine]") {
  Scenario s = one_partition(60 * kSecond);
  for (std::int64_t second = 0; second < 60; ++second) {
    if (second % 10 != 9) {
      pulse(s, second, 5'000);
    }
  }
  CHECK(run_checked(s).layout_events.empty());
}

TEST_CASE("Without split for heat a hot partition stays as it is", "[engine]") {
  Scenario s = one_partition(60 * kSecond);
  s.parameters.split_for_heat = false;
  load(s, "app", 1'600, write());
  const RunResult result = run_checked(s);
  CHECK(result.layout_events.empty());
  for (std::int64_t second = 0; second < 60; ++second) {
    CHECK(served(result, second) == 1'000 * kMilliPerRu);
  }
}

TEST_CASE("After the split the halves of a hot partition serve what it had to refuse", "[engine]") {
  Scenario s = table(30 * kSecond, 2, {2 * kMilliPerRu, 2'000 * kMilliPerRu});
  // all load on the first of two partitions, evenly on both of its halves
  const auto quarters = initial_ranges(HashVersion::v2, 4);
  s.containers[0].fields = {keys_in({quarters[0], quarters[1]}, 8)};
  load(s, "app", 1'600, write());
  const RunResult result = run_checked(s);
  REQUIRE(result.layout_events.size() == 1);
  check_heat_split(result.layout_events[0], 10 * kSecond);
  CHECK(result.layout_events[0].before[0].partition == 0);
  for (std::int64_t second = 0; second < 30; ++second) {
    // In second 15 nobody knows yet what the children need: each has a third of 2,000, in
    // thousandths 666,666, and the last unit that finds anything left is served.
    const MilliRu units = second < 15 ? 1'000 : second == 15 ? 2 * 667 : 1'600;
    INFO("second " << second);
    CHECK(served(result, second) == units * kMilliPerRu);
  }
}

TEST_CASE("A hot key is never cut: its partition splits again and again and serves 1,000 writes",
          "[engine]") {
  Scenario s = table(46 * kSecond, 2, {2 * kMilliPerRu, 2'000 * kMilliPerRu});
  s.containers[0].fields = {choose("k", 1)};
  load(s, "app", 1'600, write());
  const RunResult result = run_checked(s);
  // hot from its first second on, a child is cut ten seconds after its birth
  REQUIRE(result.layout_events.size() == 3);
  for (std::size_t i = 0; i < 3; ++i) {
    const LayoutEvent& event = result.layout_events[i];
    check_heat_split(event, (10 + 15 * static_cast<std::int64_t>(i)) * kSecond);
    const std::uint32_t parent = event.before[0].partition;
    CHECK(result.partitions[parent].demand_mru > 0);
    if (i > 0) {
      CHECK(result.partitions[parent].parent == result.layout_events[i - 1].before[0].partition);
    }
  }
  // A child is born with an even part of the 2,000, as its needs are not known: of 3, 4, 5.
  for (std::int64_t second = 0; second < 46; ++second) {
    const MilliRu units = second == 15 ? 667 : second == 30 ? 500 : second == 45 ? 400 : 1'000;
    INFO("second " << second);
    CHECK(served(result, second) == units * kMilliPerRu);
  }
  const auto busy = std::count_if(result.partitions.begin(), result.partitions.end(),
                                  [](const PartitionResult& p) { return p.attempts > 0; });
  CHECK(busy == 4);  // one in each generation
}

TEST_CASE("A single hot second is enough to split if one second is all that is asked for",
          "[engine]") {
  Scenario s = one_partition(7 * kSecond);
  s.parameters.split_for_heat_after_ns = kSecond;
  load(s, "app", 900, write());
  const RunResult result = run_checked(s);
  REQUIRE(result.layout_events.size() == 1);
  check_heat_split(result.layout_events[0], kSecond);
}

TEST_CASE("Windows longer than a second do not delay a split for heat", "[engine]") {
  Scenario s = one_partition(18 * kSecond);
  s.parameters.throttle_window_ns = 2 * kSecond;
  load(s, "app", 900, write());
  const RunResult result = run_checked(s);
  REQUIRE(result.layout_events.size() == 1);
  CHECK(result.layout_events[0].asked_ns == 10 * kSecond);
  CHECK(result.layout_events[0].at_ns == 16 * kSecond);  // the first window after 15 s
}

// ---- on demand ---------------------------------------------------------------------------------

TEST_CASE(
    "A new on-demand table serves 4,000 writes and 12,000 reads a second and refuses the rest",
    "[engine]") {
  Scenario s = on_demand(5 * kSecond);
  load(s, "reader", 30'000, read());  // 15,000 units
  load(s, "writer", 6'000, write());
  const RunResult result = run_checked(s);
  CHECK(result.partitions.size() == 8);  // 12,000 / 3,000 + 4,000 / 1,000
  CHECK(result.clients[0].consumed_mru == MilliRu{5} * 12'000 * kMilliPerRu);
  CHECK(result.clients[0].throttled == std::uint64_t{5} * (30'000 - 24'000));
  CHECK(result.clients[1].consumed_mru == MilliRu{5} * 4'000 * kMilliPerRu);
  CHECK(result.clients[1].throttled == std::uint64_t{5} * 2'000);
}

TEST_CASE("At the end of its window an on-demand table grows to twice the highest demand",
          "[engine]") {
  Scenario s = on_demand(20 * kSecond);
  load(s, "writer", 6'000, write());
  const RunResult result = run_checked(s);
  // 12,000 writes and 12,000 reads need 16 partitions: every one of 8 splits, from 10 s to 15 s
  CHECK(events_of(result, LayoutEventKind::split).size() == 8);
  const auto scales = events_of(result, LayoutEventKind::scale);
  REQUIRE(scales.size() == 1);
  CHECK(scales[0].asked_ns == 10 * kSecond);
  CHECK(scales[0].at_ns == 15 * kSecond);
  CHECK(scales[0].total_before_mru == (12'000 + 4'000) * kMilliPerRu);
  CHECK(scales[0].total_after_mru == (12'000 + 12'000) * kMilliPerRu);
  for (const LayoutEvent::Slice& slice : scales[0].after) {
    CHECK(slice.share_mru_per_s == (750 + 750) * kMilliPerRu);
  }
  for (std::int64_t second = 0; second < 20; ++second) {
    INFO("second " << second);
    CHECK(served(result, second) == (second < 15 ? 4'000 : 6'000) * kMilliPerRu);
  }
  // $0.625 for a million writes; nothing for those refused, nor for what the table could have done
  CHECK(result.cost.throughput_micro == (15 * 4'000 + 5 * 6'000) * 625 / 1'000);
}

TEST_CASE("What counts is the highest second of the window that ends, and only what it exceeds",
          "[engine]") {
  Scenario s = on_demand(45 * kSecond);
  s.containers[0].throughput.partitions = 16;  // so that nothing must split first
  pulse(s, 3, 2'000);                          // 4,000 are there already
  pulse(s, 12, 2'900);                         // not the highest
  pulse(s, 19, 3'000);                         // in the last second of its window
  pulse(s, 21, 2'999);
  pulse(s, 30, 3'001);  // in the first
  const RunResult result = run_checked(s);
  REQUIRE(result.layout_events.size() == 2);
  const LayoutEvent& first = result.layout_events[0];
  const LayoutEvent& second = result.layout_events[1];
  CHECK(first.kind == LayoutEventKind::scale);
  CHECK(first.at_ns == 20 * kSecond);
  CHECK(first.total_after_mru == (12'000 + 6'000) * kMilliPerRu);
  CHECK(second.kind == LayoutEventKind::scale);
  CHECK(second.at_ns == 40 * kSecond);
  CHECK(second.total_after_mru == (12'000 + 6'002) * kMilliPerRu);
}

TEST_CASE("Reads of an on-demand table grow apart from its writes", "[engine]") {
  Scenario s = on_demand(12 * kSecond);
  s.containers[0].throughput.partitions = 16;
  load(s, "reader", 14'000, read());  // 7,000 units
  const RunResult result = run_checked(s);
  REQUIRE(result.layout_events.size() == 1);
  CHECK(result.layout_events[0].at_ns == 10 * kSecond);
  CHECK(result.layout_events[0].total_after_mru == (14'000 + 4'000) * kMilliPerRu);
  for (const PartitionResult& partition : result.partitions) {
    CHECK(partition.write_share_mru_per_s == 250 * kMilliPerRu);
    CHECK(partition.share_mru_per_s == (875 + 250) * kMilliPerRu);
  }
}

TEST_CASE("A peak just before partitions split counts like any other", "[engine]") {
  Scenario s = on_demand(22 * kSecond);
  pulse(s, 7, 5'100);   // 10,200 writes: the table splits from 10 s to 15 s
  pulse(s, 14, 5'200);  // the partitions that see this are gone a moment later
  const RunResult result = run_checked(s);
  const auto scales = events_of(result, LayoutEventKind::scale);
  REQUIRE(scales.size() == 2);
  CHECK(scales[0].at_ns == 15 * kSecond);
  CHECK(scales[0].total_after_mru == (12'000 + 10'200) * kMilliPerRu);
  CHECK(scales[1].at_ns == 20 * kSecond);
  CHECK(scales[1].total_after_mru == (12'000 + 10'400) * kMilliPerRu);
}

TEST_CASE("An on-demand table costs what was consumed, and nothing while it is idle", "[engine]") {
  Scenario s = on_demand(3 * kHour);
  pulse(s, 1, 0);
  const RunResult idle = run_checked(s);
  CHECK(idle.cost.hours == 3);
  CHECK(idle.cost.throughput_micro == 0);
  CHECK(idle.cost.storage_micro == 0);
  s.clients = {at_once("reader", 16'000, read()), at_once("writer", 40'000, write())};
  s.clients[0].retry = no_retry();
  s.clients[1].retry = no_retry();
  const RunResult busy = run_checked(s);
  // 8,000 read units at $0.125 and 4,000 write units (the rest is refused) at $0.625 a million
  CHECK(busy.cost.throughput_micro == 1'000 + 2'500);
  CHECK(busy.clients[1].throttled == 36'000);
}
