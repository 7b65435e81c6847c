// Values of fields and the keys they make.
#include <cmath>
#include <numeric>
#include <vector>

#include "partsim/workload/router.hpp"
#include "partsim/workload/storage_book.hpp"

#include "support/catch.hpp"
#include "support/scenario_builder.hpp"
#include "unit/core/statistics.hpp"

using namespace partsim;

namespace {

constexpr std::uint64_t kSeed = 42;

Layout layout_of(std::uint32_t partitions, HashVersion hash = HashVersion::v2) {
  Layout layout;
  layout.hash = hash;
  layout.ranges = initial_ranges(hash, partitions);
  layout.ids.resize(partitions);
  std::iota(layout.ids.begin(), layout.ids.end(), 0U);
  return layout;
}

ContainerSpec container_of(std::vector<FieldSpec> fields, const std::vector<std::string>& levels) {
  ContainerSpec container;
  container.fields = std::move(fields);
  for (const std::string& level : levels) {
    container.partition_key.push_back(testing::key(level));
  }
  return container;
}

FieldSpec device_of(std::uint64_t count, const std::string& parent) {
  ChooseField field;
  field.count = count;
  field.of = parent;
  return {"device", field};
}

ClientSpec client_of(std::vector<OperationSpec> operations) {
  ClientSpec client;
  client.name = "app";
  client.operations = std::move(operations);
  return client;
}

OperationSpec operation_of(OperationKind kind) {
  OperationSpec operation;
  operation.kind = kind;
  return operation;
}

/// The text of an operation's key.
std::string key_text(KeySpace& keys, const KeyStreams& streams, std::uint64_t operation) {
  KeyChoice choice;
  keys.choose_at(streams, operation, 0, choice);
  return keys.text(choice);
}

HashPoint key_point(KeySpace& keys, std::uint64_t index) {
  KeyChoice choice;
  choice.index = {index};
  return keys.point(choice);
}

}  // namespace

TEST_CASE("Weighted values come as often as their weights say, and without weight never",
          "[workload]") {
  const Choice choice(4, WeightedChoice{{5, 3, 0, 2}});
  const RngStream stream(kSeed, "app", "field/k");
  std::vector<double> seen(4, 0);
  constexpr int kDraws = 100'000;
  for (std::uint64_t i = 0; i < kDraws; ++i) {
    ++seen.at(choice.sample(stream.draw(i)));
  }
  CHECK(seen[2] == 0);
  CHECK(statistics::chi_square_ratio({seen[0], seen[1], seen[3]},
                                     {0.5 * kDraws, 0.3 * kDraws, 0.2 * kDraws}) < 1);
  CHECK((choice.probabilities() == std::vector<double>{0.5, 0.3, 0.0, 0.2}));
}

TEST_CASE("Every device belongs to one tenant, whether the key names the tenant or not",
          "[workload]") {
  const ClientSpec client = client_of({OperationSpec{}});
  const Choice tenants(7, ZipfChoice{900'000});
  const RngStream tenant_stream(kSeed, "app", "field/tenant");
  const RngStream device_stream(kSeed, "app", "field/device");
  const std::vector<FieldSpec> fields{device_of(10, "tenant"),
                                      testing::choose("tenant", 7, ZipfChoice{900'000})};
  for (const bool names_tenant : {false, true}) {
    const ContainerSpec container =
        container_of(fields, names_tenant ? std::vector<std::string>{"{tenant}", "{device}"}
                                          : std::vector<std::string>{"{device}"});
    KeySpace keys(container, 0);
    const KeyStreams streams = keys.streams_for(kSeed, client);
    for (std::uint64_t op = 0; op < 2'000; ++op) {
      const std::uint64_t tenant = tenants.sample(tenant_stream.draw(op));
      const std::uint64_t device = tenant * 10 + bounded(device_stream.draw(op), 10);
      const std::string expected =
          (names_tenant ? std::to_string(tenant) + " / " : "") + std::to_string(device);
      REQUIRE(key_text(keys, streams, op) == expected);
    }
  }
}

TEST_CASE("Keys of dependent fields are a table of tenants times devices", "[workload]") {
  const ContainerSpec container =
      container_of({device_of(10, "tenant"), testing::choose("tenant", 7)}, {"{device}"});
  const Layout layout = layout_of(4);
  const Router router(container, layout, 0);
  CHECK(router.combinations() == 70);
}

TEST_CASE("A sequence counts what is created, and others meet one of those so far", "[workload]") {
  SequenceField order{true, "order-", "", 8};
  const ContainerSpec container = container_of({{"order", order}}, {"{order}"});
  KeySpace keys(container, 0);
  const KeyStreams creates =
      keys.streams_for(kSeed, client_of({operation_of(OperationKind::create)}));
  CHECK(key_text(keys, creates, 0) == "order-00000000");
  CHECK(key_text(keys, creates, 42) == "order-00000042");
  CHECK(key_text(keys, creates, 123'456'789) == "order-123456789");

  const KeyStreams reads = keys.streams_for(kSeed, client_of({operation_of(OperationKind::read)}));
  std::vector<double> place;
  for (std::uint64_t op = 1'000; op < 21'000; ++op) {
    KeyChoice choice;
    keys.choose_at(reads, op, 0, choice);
    REQUIRE(choice.index[0] <= op);
    place.push_back(static_cast<double>(choice.index[0]) / static_cast<double>(op + 1));
  }
  CHECK(statistics::kolmogorov_ratio(place, [](double x) { return x; }) < 1);
}

TEST_CASE("An upsert that finds its item met an earlier number, one that does not has its own",
          "[workload]") {
  const ContainerSpec container = container_of({{"n", SequenceField{}}}, {"{n}"});
  KeySpace keys(container, 0);
  OperationSpec upsert = operation_of(OperationKind::upsert);
  upsert.existing_ppm = 600'000;
  const KeyStreams streams = keys.streams_for(kSeed, client_of({upsert}));
  const RngStream existing(kSeed, "app", "existing");
  int earlier = 0;
  for (std::uint64_t op = 100'000; op < 102'000; ++op) {
    KeyChoice choice;
    keys.choose_at(streams, op, 0, choice);
    const bool exists = bounded(existing.draw(op), kMillion) < 600'000;
    if (!exists) {
      REQUIRE(choice.index[0] == op);
    }
    earlier += choice.index[0] < op ? 1 : 0;
  }
  CHECK(std::abs(earlier - 1'200) < 4.9 * std::sqrt(2'000 * 0.24));
}

TEST_CASE("A sequence without text keeps its type as a number key", "[workload]") {
  const ContainerSpec container = container_of({{"n", SequenceField{}}}, {"{n}"});
  KeySpace keys(container, 0);
  const KeyComponent number = 17.0;
  CHECK((key_point(keys, 17) == hash_point(HashVersion::v2, std::span(&number, 1))));
}

TEST_CASE("A field that an item lacks is undefined alone and nothing inside other text",
          "[workload]") {
  const ValuesField tag{{Undefined{}, std::string("red"), Null{}}, UniformChoice{}};
  const ContainerSpec alone = container_of({{"tag", tag}}, {"{tag}"});
  KeySpace keys(alone, 0);
  const KeyComponent undefined = Undefined{};
  const KeyComponent empty = std::string();
  const HashPoint point = key_point(keys, 0);
  CHECK((point == hash_point(HashVersion::v2, std::span(&undefined, 1))));
  CHECK((point != hash_point(HashVersion::v2, std::span(&empty, 1))));
  CHECK(keys.text({{0}, 0}) == "undefined");
  CHECK(keys.text({{2}, 0}) == "null");

  const ContainerSpec inside = container_of({{"tag", tag}}, {"x-{tag}-y"});
  KeySpace texts(inside, 0);
  CHECK(texts.text({{0}, 0}) == "x--y");
  const KeyComponent text = std::string("x--y");
  CHECK((key_point(texts, 0) == hash_point(HashVersion::v2, std::span(&text, 1))));
}

TEST_CASE("A column's text comes from the row of the trace", "[workload]") {
  const ContainerSpec container = container_of({{"v", ColumnField{"VehicleId"}}}, {"car-{v}"});
  KeySpace keys(container, 0);
  const std::vector<std::string> rows{"a", "b", "c"};
  keys.read_columns({&rows, [](const void* trace, std::size_t /*field*/, std::uint64_t row) {
                       return std::string_view(
                           (*static_cast<const std::vector<std::string>*>(trace)).at(row));
                     }});
  const KeyStreams streams = keys.streams_for(kSeed, client_of({OperationSpec{}}));
  CHECK(key_text(keys, streams, 0) == "car-a");
  CHECK(key_text(keys, streams, 2) == "car-c");
}

TEST_CASE("What is stored at the start lies by weights and under parents", "[workload]") {
  const ContainerSpec container = container_of(
      {device_of(2, "tenant"), testing::choose("tenant", 2, WeightedChoice{{3, 1}})}, {"{device}"});
  const Layout layout = layout_of(4);
  Router router(container, layout, 0);
  const std::vector<KeyStreams> none;
  StorageBook book(router, none);
  CHECK(book.store_initially(1'000) == 0);
  const std::vector<Bytes> expected{375, 375, 125, 125};  // devices 0 and 1 are of tenant 0
  for (const StorageBook::Large& key : book.largest(10)) {
    CHECK(key.bytes == expected.at(static_cast<std::size_t>(std::stoi(key.key))));
  }
  CHECK(book.largest(10).size() == 4);
}

TEST_CASE("What is stored at the start under a sequence belongs to no key that is written again",
          "[workload]") {
  const ContainerSpec container = container_of({{"n", SequenceField{}}}, {"{n}"});
  const Layout layout = layout_of(4);
  Router router(container, layout, 0);
  const std::vector<KeyStreams> none;
  StorageBook book(router, none);
  CHECK(book.store_initially(1'000) == 1'000);
}
