// Splits, scaling, redistribution and merges: V10, V11, V12, V15 and the worked examples of the
// vendor's pages (G1 to G7, G12, G13).
#include <algorithm>
#include <vector>

#include "partsim/engine/engine.hpp"
#include "partsim/scenario/check.hpp"
#include "partsim/scenario/pools.hpp"

#include "support/catch.hpp"
#include "support/scenario_builder.hpp"

using namespace partsim;
using namespace partsim::testing;

namespace {

constexpr std::uint64_t kKeys = 100'000;

/// Uniform keys on a container that splits in two seconds.
Scenario growing(MilliRu ru_per_s, std::uint32_t partitions, Nanoseconds duration = 10 * kSecond) {
  ContainerSpec spec = container(ru_per_s, partitions);
  spec.fields = {choose("k", kKeys)};
  Scenario s = scenario(duration, spec, evenly("app", 10, create(1)));
  s.parameters.split_duration_ns = 2 * kSecond;
  return s;
}

void scale(Scenario& s, Nanoseconds at, MilliRu ru_per_s) {
  s.timeline.push_back({at, 0, SetThroughput{ru_per_s * kMilliPerRu}});
}

void redistribute(Scenario& s, Nanoseconds at, std::vector<Redistribute::Target> targets) {
  for (Redistribute::Target& target : targets) {
    target.mru_per_s *= kMilliPerRu;
  }
  s.timeline.push_back({at, 0, Redistribute{std::move(targets)}});
}

RunResult checked_run(const Scenario& s) {
  for (const Problem& problem : check(s)) {
    FAIL(problem.path << ": " << problem.message);
  }
  return run(s);
}

/// RU/s of the partitions alive at the end, in range order.
std::vector<MilliRu> shares(const RunResult& result) {
  std::vector<const PartitionResult*> alive;
  for (const PartitionResult& partition : result.partitions) {
    if (partition.alive()) {
      alive.push_back(&partition);
    }
  }
  std::sort(alive.begin(), alive.end(), [](const PartitionResult* a, const PartitionResult* b) {
    return a->min_epk < b->min_epk;
  });
  std::vector<MilliRu> list;
  list.reserve(alive.size());
  for (const PartitionResult* partition : alive) {
    list.push_back(partition->share_mru_per_s / kMilliPerRu);
  }
  return list;
}

/// Percent of the key space of the partitions alive at the end, by id.
std::vector<int> key_space(const RunResult& result) {
  std::vector<int> list;
  for (const PartitionResult& partition : result.partitions) {
    if (partition.alive()) {
      list.push_back(static_cast<int>((partition.width_q32 * 1000 >> 32) + 5) / 10);
    }
  }
  return list;
}

std::vector<std::uint32_t> alive_ids(const RunResult& result) {
  std::vector<std::uint32_t> ids;
  for (const PartitionResult& partition : result.partitions) {
    if (partition.alive()) {
      ids.push_back(partition.id);
    }
  }
  return ids;
}

using Shares = std::vector<MilliRu>;

}  // namespace

TEST_CASE("G1: 18,000 RU/s on three partitions are 6,000 each", "[validation]") {
  CHECK(shares(checked_run(growing(18'000, 3))) == Shares{6'000, 6'000, 6'000});
}

TEST_CASE("V10, G2: two partitions going to 30,000 RU/s own 50/25/25 % at 10,000 RU/s each",
          "[validation]") {
  Scenario s = growing(20'000, 2);
  scale(s, kSecond, 30'000);
  const RunResult result = checked_run(s);
  CHECK(shares(result) == Shares{10'000, 10'000, 10'000});
  CHECK(key_space(result) == std::vector<int>{50, 25, 25});
  CHECK(alive_ids(result) == std::vector<std::uint32_t>{1, 2, 3});
  REQUIRE(result.layout_events.size() == 2);
  CHECK(result.layout_events[0].kind == LayoutEventKind::split);
  CHECK(result.layout_events[0].at_ns == 3 * kSecond);
  CHECK(result.layout_events[1].kind == LayoutEventKind::scale);
  CHECK(result.layout_events[1].asked_ns == kSecond);
}

TEST_CASE("V10: the largest even load without a 429 follows the largest key space",
          "[validation]") {
  struct Row {
    std::vector<MilliRu> bought;  // first 20,000, then these
    double free_of_429;           // RU/s
  };
  const std::vector<Row> rows{{{20'000}, 20'000},
                              {{21'000}, 14'000},
                              {{25'000}, 16'667},
                              {{30'000}, 20'000},
                              {{40'000, 30'000}, 30'000}};
  for (const Row& row : rows) {
    Scenario s = growing(20'000, 2);
    Nanoseconds at = 0;
    for (const MilliRu bought : row.bought) {
      scale(s, at, bought);
      at += 4 * kSecond;
    }
    const RunResult result = checked_run(s);
    double usable = 1e18;  // RU/s at which the first partition is exhausted
    for (const PartitionResult& partition : result.partitions) {
      if (partition.alive()) {
        const double width = static_cast<double>(partition.width_q32) / 4294967296.0;
        usable = std::min(usable, static_cast<double>(partition.share_mru_per_s) / 1000 / width);
      }
    }
    CHECK(usable == Approx(row.free_of_429).epsilon(1e-4));
  }
}

TEST_CASE("V10: load just under the limit of the uneven split passes, just over it does not",
          "[validation]") {
  const auto throttled = [](double load_ru) {
    ContainerSpec spec = container(20'000, 2);
    spec.fields = {{"k", UniqueField{}}};
    Scenario s = scenario(12 * kSecond, spec, evenly("app", load_ru / 10, create(10)));
    s.parameters.split_duration_ns = 2 * kSecond;
    s.warm_up_ns = 4 * kSecond;
    s.clients.front().retry = no_retry();
    s.timeline.push_back({0, 0, SetThroughput{30'000 * kMilliPerRu}});
    return checked_run(s).throttled_share();
  };
  CHECK(throttled(18'500) == 0);
  CHECK(throttled(22'000) > 0.02);
}

TEST_CASE("G4: one partition going to 30,000 RU/s splits in two rounds; 2, 3 and 4 survive",
          "[validation]") {
  Scenario s = growing(1'000, 1);
  scale(s, kSecond, 30'000);
  const RunResult result = checked_run(s);
  CHECK(alive_ids(result) == std::vector<std::uint32_t>{2, 3, 4});
  CHECK(shares(result) == Shares{10'000, 10'000, 10'000});
  REQUIRE(result.layout_events.size() == 3);
  CHECK(result.layout_events[0].at_ns == 2 * kSecond);  // a round each second
  CHECK(result.layout_events[1].at_ns == 3 * kSecond);
  CHECK(result.layout_events[0].after[0].share_mru_per_s == 500'000);  // old shares hold
}

TEST_CASE("G5: three partitions going from 30,000 to 45,000 RU/s become five of 9,000",
          "[validation]") {
  Scenario s = growing(30'000, 3);
  scale(s, kSecond, 45'000);
  CHECK(shares(checked_run(s)) == Shares(5, 9'000));
}

TEST_CASE("V10: five partitions reach 50,000 RU/s at once", "[validation]") {
  Scenario s = growing(30'000, 5);
  scale(s, kSecond, 50'000);
  const RunResult result = checked_run(s);
  CHECK(shares(result) == Shares(5, 10'000));
  REQUIRE(result.layout_events.size() == 1);
  CHECK(result.layout_events[0].at_ns == kSecond);
}

TEST_CASE("A second scale request during a split is refused with 423", "[validation]") {
  Scenario s = growing(20'000, 2);
  scale(s, kSecond, 30'000);
  scale(s, 2 * kSecond, 50'000);
  const RunResult result = checked_run(s);
  CHECK(shares(result) == Shares(3, 10'000));
  REQUIRE(result.layout_events.size() == 3);
  CHECK(result.layout_events[0].kind == LayoutEventKind::refused);
  CHECK(result.layout_events[0].reason.substr(0, 3) == "423");
}

TEST_CASE("V11: scaling down thins the shares and removes no partition", "[validation]") {
  Scenario s = growing(200'000, 20);
  scale(s, kSecond, 30'000);
  CHECK(shares(checked_run(s)) == Shares(20, 1'500));
}

TEST_CASE("V11: the DynamoDB paper's partitions double, and keep their number", "[validation]") {
  Scenario s = growing(0, 1);
  s.provider = Provider::dynamodb;
  s.parameters = profile_parameters(Provider::dynamodb);
  s.parameters.split_duration_ns = kSecond;
  s.containers.front().throughput.partitions.reset();
  const auto writes = [&](std::vector<MilliRu> totals) {
    s.containers.front().throughput.units = CapacityUnits{0, totals.front() * kMilliPerRu};
    s.timeline.clear();
    for (std::size_t i = 1; i < totals.size(); ++i) {
      const MilliRu total = totals[i] * kMilliPerRu;
      s.timeline.push_back({static_cast<Nanoseconds>(2 * i) * kSecond, 0,
                            SetThroughput{total, CapacityUnits{0, total}}});
    }
    return shares(run(s));
  };
  CHECK(writes({3'200}) == Shares(4, 800));
  CHECK(writes({3'200, 3'600}) == Shares(4, 900));
  CHECK(writes({3'200, 3'600, 6'000}) == Shares(8, 750));
  CHECK(writes({3'200, 3'600, 6'000, 5'000}) == Shares(8, 625));  // the paper prints 675
}

TEST_CASE("V11: 5,000 RCU and 2,000 WCU are four partitions of 1,250 and 500", "[validation]") {
  ProviderParameters p = profile_parameters(Provider::dynamodb);
  Scenario s = growing(0, 1);
  s.provider = Provider::dynamodb;
  s.parameters = p;
  s.containers.front().throughput.partitions.reset();
  s.containers.front().throughput.units = CapacityUnits{5'000'000, 2'000'000};
  const RunResult result = run(s);
  REQUIRE(result.partitions.size() == 4);
  for (const PartitionResult& partition : result.partitions) {
    CHECK(partition.write_share_mru_per_s == 500'000);
    CHECK(partition.share_mru_per_s - partition.write_share_mru_per_s == 1'250'000);
  }
  CHECK(needed_partitions(p, {8'000'000, 2'000'000}, 4) == 8);
}

/// Units of the partitions alive at the end: reads, writes.
std::vector<std::pair<MilliRu, MilliRu>> units(const RunResult& result) {
  std::vector<std::pair<MilliRu, MilliRu>> list;
  for (const PartitionResult& partition : result.partitions) {
    if (partition.alive()) {
      const MilliRu writes = partition.write_share_mru_per_s;
      list.emplace_back((partition.share_mru_per_s - writes) / kMilliPerRu, writes / kMilliPerRu);
    }
  }
  return list;
}

/// A table that splits in two seconds.
Scenario table(MilliRu ru_per_s) {
  Scenario s = growing(ru_per_s, 1);
  s.provider = Provider::dynamodb;
  s.parameters = profile_parameters(Provider::dynamodb);
  s.parameters.split_duration_ns = 2 * kSecond;
  s.containers.front().throughput.partitions.reset();
  return s;
}

TEST_CASE("V11: 5,000 RCU raised to 8,000 make eight partitions of 1,000 and 250", "[validation]") {
  Scenario s = table(7'000);
  s.containers.front().throughput.units = CapacityUnits{5'000'000, 2'000'000};
  s.timeline = {{kSecond, 0, SetThroughput{10'000'000, CapacityUnits{8'000'000, 2'000'000}}}};
  const RunResult result = checked_run(s);
  CHECK(units(result) == std::vector<std::pair<MilliRu, MilliRu>>(8, {1'000, 250}));
}

TEST_CASE("RU/s of a timeline buy a DynamoDB table what RU/s of its container do", "[validation]") {
  // a create of 1 KB with four indexed terms costs 4.95 + 4 * 0.2 RU, or one write unit
  const auto bought = [](MilliRu ru_per_s) { return units(checked_run(table(ru_per_s))); };
  const auto raised = [](MilliRu from, MilliRu to) {
    Scenario s = table(from);
    scale(s, kSecond, to);
    return units(checked_run(s));
  };
  using Units = std::vector<std::pair<MilliRu, MilliRu>>;
  CHECK(bought(575) == Units{{1, 100}});
  CHECK(raised(575, 1'150) == Units{{1, 200}});
  CHECK(raised(1'150, 575) == Units{{1, 100}});
  CHECK(raised(575, 575) == bought(575));
}

TEST_CASE("V12: after a storage split the children halve their parent's share, or all are even",
          "[validation]") {
  const auto after_split = [](ThroughputDistribution distribution) {
    Scenario s = growing(20'000, 2, 6 * kSecond);
    s.parameters.throughput_distribution = distribution;
    s.parameters.split_storage_threshold_bytes = 60 * kKilobyte;
    s.containers.front().initial_storage_bytes = 119 * kKilobyte;
    s.clients = {evenly("app", 1, create(1))};
    return checked_run(s);
  };
  const RunResult inherited = after_split(ThroughputDistribution::inherit_parent);
  const RunResult even = after_split(ThroughputDistribution::even);
  CHECK(shares(inherited).size() == 3);
  Shares sorted = shares(inherited);
  std::sort(sorted.begin(), sorted.end());
  CHECK(sorted == Shares{5'000, 5'000, 10'000});
  CHECK(shares(even) == Shares{6'666, 6'666, 6'666});  // 6,667 to the nearest RU
}

TEST_CASE("V15: custom shares keep their fractions, and what is above 10,000 RU/s is lost",
          "[validation]") {
  const auto at_total = [](MilliRu total) {
    Scenario s = growing(6'000, 3);
    redistribute(s, 0, {{0, 1'000}, {1, 4'000}, {2, 1'000}});
    scale(s, kSecond, total);
    return checked_run(s);
  };
  CHECK(shares(at_total(3'000)) == Shares{500, 2'000, 500});
  CHECK(shares(at_total(12'000)) == Shares{2'000, 8'000, 2'000});
  const RunResult lost = at_total(24'000);  // G7
  CHECK(shares(lost) == Shares{4'000, 10'000, 4'000});
  CHECK(lost.provisioned_mru_per_s == 24'000'000);  // paid, 18,000 of it usable
}

TEST_CASE("V15: a partition asked for 20,000 RU/s gets 10,000, then splits", "[validation]") {
  Scenario s = growing(6'000, 2);
  redistribute(s, kSecond, {{0, 5'000}, {1, 20'000}});
  const RunResult result = checked_run(s);
  CHECK(shares(result) == Shares{5'000, 10'000, 10'000});
  CHECK(result.provisioned_mru_per_s == 25'000'000);
  CHECK(result.layout_events.front().after[1].share_mru_per_s == 10'000'000);
}

TEST_CASE("G6: a partition of 5,000 RU/s set to 15,000 becomes two of 7,500", "[validation]") {
  Scenario s = growing(5'000, 1);
  redistribute(s, kSecond, {{0, 15'000}});
  CHECK(shares(checked_run(s)) == Shares{7'500, 7'500});
}

TEST_CASE("G12: a month key on 100,000 RU/s and ten partitions uses 10,000 RU/s", "[validation]") {
  ContainerSpec spec = container(100'000, 10);
  spec.fields = {{"month", TimeField{*TimeFormat::parse("%Y-%m")}}};
  spec.partition_key = {key("{month}")};
  Scenario s = scenario(10 * kSecond, spec, evenly("app", 5'000, create(10)));
  s.clients.front().retry = no_retry();
  const RunResult result = checked_run(s);
  CHECK(result.total().consumed_mru == kMilliPerRu * 10 * 10'000);
}

TEST_CASE("G13: one hot key on autoscale 20,000 RU/s and four partitions throttles above 5,000",
          "[validation]") {
  const auto throttled = [](double ru_per_s) {
    ContainerSpec spec = container(20'000, 4);
    spec.throughput.mode = CapacityMode::autoscale;
    spec.fields = {choose("k", 1)};
    Scenario s = scenario(10 * kSecond, spec, evenly("app", ru_per_s / 10, create(10)));
    s.clients.front().retry = no_retry();
    return checked_run(s).total().throttled;
  };
  CHECK(throttled(5'000) == 0);
  CHECK(throttled(5'100) > 0);
}

TEST_CASE("G20: 400 RU/s serve ten queries of 40 RU a second", "[validation]") {
  OperationSpec query = create(40);
  query.kind = OperationKind::query;
  query.given = {"k"};
  Scenario s = scenario(10 * kSecond, container(400, 1), evenly("app", 20, query));
  s.clients.front().retry = no_retry();
  const RunResult result = checked_run(s);
  CHECK(result.total().operations.offered == 200);
  CHECK(result.total().operations.failed == 100);
}
