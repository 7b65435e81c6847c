// From an operation's number to the requests it sends.
#include "partsim/workload/client_source.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <vector>

#include "support/catch.hpp"
#include "support/scenario_builder.hpp"

using namespace partsim;

namespace {

constexpr std::uint64_t kSeed = 42;
constexpr std::int64_t kMidnight = 1'704'067'200;

/// One client before one container.
struct World {
  World(ContainerSpec spec, std::vector<OperationSpec> operations, std::uint32_t partitions = 8)
      : container(std::move(spec)),
        layout{HashVersion::v2, initial_ranges(HashVersion::v2, partitions),
               std::vector<std::uint32_t>(partitions)},
        router(container, layout, kMidnight),
        demand(partitions, 0) {
    std::iota(layout.ids.begin(), layout.ids.end(), 0U);
    client.name = "app";
    client.arrivals = OpenLoop{testing::per_second(1'000), OpenLoop::Spacing::evenly};
    client.operations = std::move(operations);
    for (const OperationSpec& operation : client.operations) {
      plans.emplace_back(operation, container, router, ProviderParameters{});
    }
  }
  [[nodiscard]] ClientSource source() {
    return ClientSource({&client, 3, kSeed, 0, &router, 0, plans.data()});
  }
  [[nodiscard]] std::vector<Arrival> sent(std::uint64_t operation, Nanoseconds time) {
    ClientSource one = source();
    std::vector<Arrival> out;
    one.emit(operation, time, out, fan_outs, demand);
    return out;
  }
  [[nodiscard]] std::uint32_t owner_of_text(const std::string& text) const {
    const KeyComponent key = text;
    return layout.owner(hash_point(HashVersion::v2, std::span(&key, 1)));
  }
  [[nodiscard]] std::uint32_t owner_of_number(std::uint64_t number) const {
    const KeyComponent key = static_cast<double>(number);
    return layout.owner(hash_point(HashVersion::v2, std::span(&key, 1)));
  }

  ContainerSpec container;
  Layout layout;
  Router router;
  ClientSpec client;
  std::vector<OperationPlan> plans;
  FanOutTable fan_outs;
  std::vector<MilliRu> demand;
};

OperationSpec operation_of(OperationKind kind, std::int64_t share_ppm = kMillion) {
  OperationSpec operation;
  operation.kind = kind;
  operation.share_ppm = share_ppm;
  operation.given = {"k"};
  return operation;
}

std::vector<OperationSpec> one_of_each() {
  std::vector<OperationSpec> operations;
  for (const OperationKind kind :
       {OperationKind::create, OperationKind::read, OperationKind::query, OperationKind::upsert,
        OperationKind::replace, OperationKind::patch, OperationKind::remove,
        OperationKind::read_feed, OperationKind::batch, OperationKind::script}) {
    operations.push_back(operation_of(kind, 100'000));
    operations.back().existing_ppm = 500'000;
  }
  operations[2].keys = 4;
  operations[6].given.clear();
  operations[8].given.clear();
  return operations;
}

bool same(const Arrival& a, const Arrival& b) {
  return a.time_ns == b.time_ns && a.id == b.id && a.charge_mru == b.charge_mru &&
         (a.join == kNoJoin) == (b.join == kNoJoin) && a.partition == b.partition &&
         a.plan == b.plan && a.request == b.request;
}

}  // namespace

TEST_CASE("An operation sends the same requests by itself as in its turn", "[workload]") {
  ContainerSpec container = testing::container(400);
  container.item_size_law = SizeLaw{SizeLaw::Law::log_normal, 1'000, 9'000};
  World world(container, one_of_each());
  ClientSource in_turn = world.source();
  std::vector<Arrival> expected;
  in_turn.emit_before(2 * kSecond, expected, world.fan_outs, world.demand);
  REQUIRE(in_turn.offered() == 2'000);
  REQUIRE(in_turn.requests() == expected.size());

  ClientSource alone = world.source();
  std::vector<Arrival> seen;
  for (std::uint64_t operation = 2'000; operation-- > 0;) {
    alone.emit(operation, static_cast<Nanoseconds>(operation) * kMillisecond, seen, world.fan_outs,
               world.demand);
  }
  std::stable_sort(seen.begin(), seen.end());
  CHECK(std::equal(seen.begin(), seen.end(), expected.begin(), expected.end(), same));
  CHECK(alone.offered() == in_turn.offered());
}

TEST_CASE("Every operation of the mix carries its own charge", "[workload]") {
  World world(testing::container(400), one_of_each());
  ClientSource source = world.source();
  std::vector<Arrival> all;
  source.emit_before(2 * kSecond, all, world.fan_outs, world.demand);
  std::map<std::uint16_t, std::uint32_t> points;
  for (const Arrival& arrival : all) {
    const OperationPlan& plan = world.plans[arrival.plan];
    CHECK((arrival.join == kNoJoin) == plan.is_point());
    if (plan.is_plain()) {
      REQUIRE(arrival.charge_mru == plan.point_charge());
      points[arrival.plan] = arrival.charge_mru;
    }
  }
  CHECK(points.size() == 6);  // create, read, replace, patch, batch, script
  CHECK(std::accumulate(world.demand.begin(), world.demand.end(), MilliRu{0}) ==
        std::accumulate(all.begin(), all.end(), MilliRu{0},
                        [](MilliRu sum, const Arrival& a) { return sum + a.charge_mru; }));
}

TEST_CASE("A query by a set of keys visits exactly the owners of its keys", "[workload]") {
  OperationSpec query = operation_of(OperationKind::query);
  query.keys = 6;
  query.matches = 60;
  query.returned = 60;
  World world(testing::container(400), {query}, 40);
  const RngStream field(kSeed, "app", "field/k");
  for (std::uint64_t op = 0; op < 500; ++op) {
    std::map<std::uint32_t, std::uint64_t> keys_of;  // by partition id, which is range order here
    for (std::uint64_t j = 0; j < 6; ++j) {
      ++keys_of[world.owner_of_number(bounded(field.draw(op + (j << 40)), 1'000))];
    }
    const auto sent = world.sent(op, kSecond);
    REQUIRE(sent.size() == keys_of.size());
    std::size_t i = 0;
    for (const auto& [partition, keys] : keys_of) {
      REQUIRE(sent[i].partition == partition);
      // ten items of 1 KB for each key
      REQUIRE(sent[i].charge_mru == 2'500 + keys * 10 * (30 + 700));
      ++i;
    }
  }
}

TEST_CASE("A refused batch goes to the owner of the key that was drawn, once", "[workload]") {
  OperationSpec batch = operation_of(OperationKind::batch);
  batch.given.clear();
  World world(testing::container(400), {batch});
  const RngStream field(kSeed, "app", "field/k");
  for (std::uint64_t op = 0; op < 200; ++op) {
    const auto sent = world.sent(op, 0);
    REQUIRE(sent.size() == 1);
    REQUIRE(sent[0].partition == world.owner_of_number(bounded(field.draw(op), 1'000)));
  }
}

TEST_CASE("A delete that must search asks every candidate and pays at the item's home",
          "[workload]") {
  ContainerSpec container = testing::container(400);
  container.partition_key = {testing::key("{k}-{random 1..4}")};
  World world(container, {operation_of(OperationKind::remove)}, 40);
  const RngStream field(kSeed, "app", "field/k");
  const RngStream suffix(kSeed, "app", "random/0/2");
  for (std::uint64_t op = 0; op < 200; ++op) {
    const std::string k = std::to_string(bounded(field.draw(op), 1'000)) + "-";
    std::map<std::uint32_t, int> owners;
    for (int s = 1; s <= 4; ++s) {
      ++owners[world.owner_of_text(k + std::to_string(s))];
    }
    const std::uint32_t home =
        world.owner_of_text(k + std::to_string(1 + bounded(suffix.draw(op), 4)));
    const auto sent = world.sent(op, 0);
    REQUIRE(sent.size() == owners.size());
    for (const Arrival& arrival : sent) {
      REQUIRE(owners.contains(arrival.partition));
      // four terms indexed: 4.95 + 0.8 for the delete
      REQUIRE(arrival.charge_mru == (arrival.partition == home ? 2'500 + 730 + 5'750 : 2'500U));
    }
    const KeyStreams streams = world.router.keys().streams_for(kSeed, world.client);
    REQUIRE(world.router.home(streams, op, 0) == home);
  }
}

TEST_CASE("An item made within the last hour has the clock of its making in the key",
          "[workload]") {
  ContainerSpec container = testing::container(400);
  container.fields = {{"minute", TimeField{*TimeFormat::parse("%H:%M")}}};
  container.partition_key = {testing::key("{minute}")};
  OperationSpec read = operation_of(OperationKind::read);
  read.given = {"minute"};
  read.within_ns = kHour;
  World world(container, {read}, 400);
  const RngStream age(kSeed, "app", "age");
  const auto expected = [&](std::uint64_t op, Nanoseconds time) {
    const auto back = static_cast<Nanoseconds>(bounded(age.draw(op), kHour));
    const Nanoseconds minute = std::max<Nanoseconds>(0, time - back) / kMinute;
    const auto two = [](Nanoseconds n) { return (n < 10 ? "0" : "") + std::to_string(n); };
    return world.owner_of_text(two(minute / 60) + ":" + two(minute % 60));
  };
  const KeyStreams streams = world.router.keys().streams_for(kSeed, world.client);
  for (std::uint64_t op = 0; op < 500; ++op) {
    for (const Nanoseconds time : {10 * kHour, 20 * kMinute}) {  // the second may reach the start
      const auto sent = world.sent(op, time);
      REQUIRE(sent.size() == 1);
      REQUIRE(sent[0].partition == expected(op, time));
      REQUIRE(world.router.home(streams, op, time) == sent[0].partition);
    }
  }
}

TEST_CASE("A client that waits for answers sends nothing by itself", "[workload]") {
  World world(testing::container(400), {operation_of(OperationKind::create)});
  world.client.arrivals = ClosedLoop{};
  ClientSource source = world.source();
  std::vector<Arrival> out;
  source.emit_before(kHour, out, world.fan_outs, world.demand);
  CHECK(out.empty());
  CHECK(world.sent(7, kSecond).size() == 1);
}
