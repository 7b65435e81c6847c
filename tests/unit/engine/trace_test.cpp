// Replayed traces: docs/WORKLOAD.md section 7.
#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "partsim/engine/engine.hpp"
#include "partsim/keys/epk.hpp"
#include "partsim/scenario/charges.hpp"
#include "partsim/workload/key_space.hpp"

#include "support/catch.hpp"
#include "support/scenario_builder.hpp"

using namespace partsim;
using namespace partsim::testing;

namespace {

/// A row that owns its texts.
struct OwnedRow {
  Nanoseconds time_ns = 0;
  std::vector<KeyComponent> key;
  std::vector<std::string> columns;
  std::optional<OperationKind> kind;
  std::optional<MilliRu> charge_mru;
  std::optional<Bytes> size_bytes;
};

/// Rows from memory. Every row overwrites the one before, so nobody can rely on it for longer.
class ListedRows final : public TraceRows {
 public:
  explicit ListedRows(const std::vector<OwnedRow>& rows) : rows_(&rows) {}
  const TraceRow* next() override {
    if (next_ == rows_->size()) {
      return nullptr;
    }
    current_ = (*rows_)[next_++];
    texts_.assign(current_.columns.begin(), current_.columns.end());
    row_ = {current_.time_ns,    current_.kind, current_.charge_mru,
            current_.size_bytes, current_.key,  texts_};
    return &row_;
  }

 private:
  const std::vector<OwnedRow>* rows_;
  std::size_t next_ = 0;
  OwnedRow current_;
  std::vector<std::string_view> texts_;
  TraceRow row_;
};

RunOptions replaying(const std::vector<OwnedRow>& rows) {
  RunOptions options;
  options.open_trace = [&rows](const TraceReplay&, const TraceColumns&) {
    return std::make_unique<ListedRows>(rows);
  };
  return options;
}

ClientSpec trace_client(std::string name, OperationSpec operation = {}) {
  ClientSpec client;
  client.name = std::move(name);
  client.arrivals = TraceReplay{"rows.csv", "", kMillion, 0};
  client.operations = {std::move(operation)};
  return client;
}

/// The first attempts of a run as the rows of a trace, with the keys that its client drew.
std::vector<OwnedRow> recording_of(const Scenario& scenario, std::vector<AttemptRecord> attempts) {
  const ContainerSpec& container = scenario.containers.front();
  KeySpace keys(container, scenario.start_unix_s);
  const KeyStreams streams = keys.streams_for(scenario.seed, scenario.clients.front());
  std::erase_if(attempts, [](const AttemptRecord& each) { return each.attempt != 0; });
  std::sort(attempts.begin(), attempts.end());
  std::vector<OwnedRow> rows;
  for (const AttemptRecord& attempt : attempts) {
    KeyChoice choice;
    keys.choose_at(streams, attempt.operation, attempt.time_ns, choice);
    OwnedRow row;
    row.time_ns = attempt.time_ns;
    row.key = {keys.text(choice)};
    row.charge_mru = attempt.charge_mru;
    rows.push_back(std::move(row));
  }
  return rows;
}

/// Hot, throttled and retried: half of the demand fits, and one key has a tenth of it.
Scenario hot_scenario() {
  ContainerSpec spec = container(400, 4);
  ChooseField field;
  field.count = 200;
  field.law = ZipfChoice{900'000};
  field.is_text = true;
  field.prefix = "vin-";
  spec.fields = {{"k", field}};
  return scenario(20 * kSecond, spec, poisson("app", 160, create(5)));
}

Scenario replay_of(Scenario scenario, Nanoseconds at_ns) {
  scenario.containers.front().partition_key.clear();
  scenario.containers.front().fields.clear();
  scenario.clients.front().arrivals = TraceReplay{"rows.csv", "", kMillion, at_ns};
  return scenario;
}

std::uint32_t owner_of_text(const std::string& text, std::uint32_t partitions) {
  const std::vector<HashRange> ranges = initial_ranges(HashVersion::v2, partitions);
  const std::vector<KeyComponent> key{text};
  return static_cast<std::uint32_t>(owner_of(ranges, hash_point(HashVersion::v2, key)));
}

}  // namespace

TEST_CASE("replaying the first attempts of a run gives the same run, attempt by attempt",
          "[engine][trace]") {
  Scenario original = hot_scenario();
  SECTION("on one layout") {}
  SECTION("while partitions split, so that waiting retries move to the owners of their keys") {
    original.timeline = {{4 * kSecond, 0, SetThroughput{80'000 * kMilliPerRu}}};
    original.parameters.split_duration_ns = 3 * kSecond;
    original.clients.front().retry.max_wait_ns = 60 * kSecond;
    original.clients.front().retry.max_retries = 200;
  }
  SECTION("with a limit on what is under way, so that rows wait unsent") {
    original.clients.front().concurrency = 20;
  }
  std::vector<AttemptRecord> attempts;
  RunOptions logging;
  logging.attempts = &attempts;
  const RunResult recorded = run(original, logging);
  const bool waits = original.clients.front().concurrency.has_value();
  std::vector<OwnedRow> rows = recording_of(original, attempts);
  REQUIRE(recorded.total().throttled > 100);

  std::vector<AttemptRecord> replayed_attempts;
  RunOptions options = replaying(rows);
  options.attempts = &replayed_attempts;
  Scenario replay = replay_of(original, rows.front().time_ns);
  if (waits) {
    // the recording has the times at which operations were sent, with the limit already applied
    replay.clients.front().concurrency = 1'000;
  }
  const RunResult result = run(replay, options);
  CHECK(result.total().operations.offered == recorded.total().operations.offered);
  CHECK(result.total().operations.succeeded == recorded.total().operations.succeeded);
  CHECK(result.total().throttled == recorded.total().throttled);
  CHECK(result.digest == recorded.digest);
  std::sort(attempts.begin(), attempts.end());
  std::sort(replayed_attempts.begin(), replayed_attempts.end());
  CHECK(replayed_attempts == attempts);
  REQUIRE(result.clients.front().trace);
  CHECK(result.clients.front().trace->read == rows.size());
  CHECK(result.clients.front().trace->complete);
  REQUIRE_FALSE(result.hot_keys.empty());
  CHECK(result.hot_keys.front().key == recorded.hot_keys.front().key);
  CHECK(result.hot_keys.front().key == "vin-0");
  CHECK(result.hot_keys.front().demand_mru == recorded.hot_keys.front().demand_mru);
}

TEST_CASE("keys of rows go to their owners by the real hash, whatever the number of partitions",
          "[engine][trace]") {
  std::vector<OwnedRow> rows;
  for (int i = 0; i < 500; ++i) {
    OwnedRow row;
    row.time_ns = i * kMillisecond;
    row.key = {std::string("key ") + std::to_string(i % 50)};
    row.charge_mru = 1'000;
    rows.push_back(row);
  }
  const auto partitions = GENERATE(range<std::uint32_t>(1, 12));
  ContainerSpec spec = container(100'000, partitions);
  spec.partition_key.clear();
  spec.fields.clear();
  const RunResult result = run(scenario(kSecond, spec, trace_client("app")), replaying(rows));
  std::vector<MilliRu> expected(partitions, 0);
  for (const OwnedRow& row : rows) {
    expected[owner_of_text(std::get<std::string>(row.key.front()), partitions)] += 1'000;
  }
  for (std::uint32_t i = 0; i < partitions; ++i) {
    CHECK(result.partitions[i].consumed_mru == expected[i]);
  }
}

TEST_CASE("another key can be built from the columns of a trace", "[engine][trace]") {
  std::vector<OwnedRow> rows;
  for (int i = 0; i < 300; ++i) {
    OwnedRow row;
    row.time_ns = i * kMillisecond;
    row.columns = {"car" + std::to_string(i % 7)};
    row.charge_mru = 2'000;
    rows.push_back(row);
  }
  ContainerSpec spec = container(100'000, 8);
  spec.fields = {{"vehicle", ColumnField{"VehicleId"}}};
  RunOptions options;
  TraceColumns asked;
  options.open_trace = [&](const TraceReplay&, const TraceColumns& wanted) {
    asked = wanted;
    return std::make_unique<ListedRows>(rows);
  };

  SECTION("of one field and a literal") {
    spec.partition_key = {key("fleet-{vehicle}")};
    const RunResult result = run(scenario(kSecond, spec, trace_client("app")), options);
    std::vector<MilliRu> expected(8, 0);
    for (const OwnedRow& row : rows) {
      expected[owner_of_text("fleet-" + row.columns.front(), 8)] += 2'000;
    }
    for (std::uint32_t i = 0; i < 8; ++i) {
      CHECK(result.partitions[i].consumed_mru == expected[i]);
    }
    CHECK(asked.names == std::vector<std::string>{"VehicleId"});
    CHECK(asked.key_levels == 0);
    CHECK(result.hot_keys.size() == 7);
    CHECK(result.hot_keys.front().key.starts_with("fleet-car"));
  }
  SECTION("with a random suffix, for which recorded reads must ask every candidate's owner") {
    spec.partition_key = {key("{vehicle}.{random 1..400}")};
    for (OwnedRow& row : rows) {
      row.kind = OperationKind::read;
    }
    const RunResult result = run(scenario(kSecond, spec, trace_client("app")), options);
    CHECK(result.total().operations.offered == 300);
    CHECK(result.total().requests == 2400);  // 400 candidates lie on all 8 partitions
    // where the item is costs what was recorded, elsewhere what finding nothing costs
    const MilliRu nothing = Charges(spec, Scenario{}.parameters).query(0, 0, spec.item_size_bytes);
    CHECK(result.total().consumed_mru == 300 * (2'000 + 7 * nothing));
  }
}

TEST_CASE("a row's kind, charge and size are its own where it has them", "[engine][trace]") {
  OwnedRow plain;
  plain.key = {std::string("a")};
  OwnedRow read = plain;
  read.kind = OperationKind::read;
  OwnedRow charged = plain;
  charged.charge_mru = 12'340;
  OwnedRow sized = plain;
  sized.size_bytes = 10 * kKilobyte;
  OwnedRow query = plain;
  query.kind = OperationKind::query;
  query.charge_mru = 7'000;
  const std::vector<OwnedRow> rows{plain, read, charged, sized, query};
  ContainerSpec spec = container(100'000, 3);
  spec.partition_key.clear();
  spec.fields.clear();
  const Scenario scenario = testing::scenario(kSecond, spec, trace_client("app"));
  const RunResult result = run(scenario, replaying(rows));
  const Charges charges(spec, scenario.parameters);
  const MilliRu expected = charges.create(spec.item_size_bytes) +
                           charges.point_read(spec.item_size_bytes) + 12'340 +
                           charges.create(10 * kKilobyte) + 7'000;
  CHECK(result.total().consumed_mru == expected);
  CHECK(result.total().requests == 5);
  // three creates, one of them ten times as large, each with its share of the index
  const std::int64_t index_ppm = scenario.parameters.index_storage_overhead_ppm;
  const auto with_index = [&](Bytes size) { return size * (kMillion + index_ppm) / kMillion; };
  Bytes stored = 0;
  for (const PartitionResult& partition : result.partitions) {
    stored += partition.storage_bytes;
  }
  CHECK(stored == 2 * with_index(spec.item_size_bytes) + with_index(10 * kKilobyte));
}

TEST_CASE("a trace begins at its instant and may run faster than it was recorded",
          "[engine][trace]") {
  std::vector<OwnedRow> rows(3);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    rows[i].time_ns = 1'700'000'000 * kSecond + static_cast<Nanoseconds>(i) * 3 * kSecond;
    rows[i].key = {5.0};
  }
  ContainerSpec spec = container(1'000);
  spec.partition_key.clear();
  spec.fields.clear();
  Scenario scenario = testing::scenario(10 * kSecond, spec, trace_client("app", create(1)));
  scenario.clients.front().arrivals = TraceReplay{"rows.csv", "", 1'500'000, 4 * kSecond};
  std::vector<AttemptRecord> attempts;
  RunOptions options = replaying(rows);
  options.attempts = &attempts;
  const RunResult result = run(scenario, options);
  REQUIRE(attempts.size() == 3);
  std::sort(attempts.begin(), attempts.end());
  CHECK(attempts[0].time_ns == 4 * kSecond);
  CHECK(attempts[1].time_ns == 6 * kSecond);
  CHECK(attempts[2].time_ns == 8 * kSecond);
  CHECK(result.hot_keys.front().key == "5");

  scenario.duration_ns = 8 * kSecond;  // the last row falls on the end, which is not part of it
  const RunResult shorter = run(scenario, replaying(rows));
  CHECK(shorter.clients.front().trace->read == 2);
  CHECK_FALSE(shorter.clients.front().trace->complete);
}

TEST_CASE("a long trace of many keys with retries keeps only the rows that may be asked for",
          "[engine][trace]") {
  // Several sweeps, with rows in flight across each; the wall of a key must be found again by rows
  // that were read long before.
  std::vector<OwnedRow> rows;
  for (int i = 0; i < 60'000; ++i) {
    OwnedRow row;
    row.time_ns = i * (kMillisecond / 2);
    const bool hot = i % 10 == 0;
    row.key = {hot ? std::string("hot") : "k" + std::to_string(i)};
    row.kind = i % 30 == 29 ? OperationKind::remove : OperationKind::create;
    row.charge_mru = 5'000;
    row.size_bytes = 1'000;
    rows.push_back(row);
  }
  ContainerSpec spec = container(9'000, 3);
  spec.partition_key.clear();
  spec.fields.clear();
  Scenario scenario = testing::scenario(40 * kSecond, spec, trace_client("app"));
  scenario.parameters.index_storage_overhead_ppm = 0;
  scenario.parameters.logical_partition_max_storage_bytes = 1'000'000;
  scenario.timeline = {{10 * kSecond, 0, SetThroughput{40'000 * kMilliPerRu}}};
  scenario.parameters.split_duration_ns = 2 * kSecond;
  const RunResult result = run(scenario, replaying(rows));
  CHECK(result.total().throttled > 1'000);
  CHECK(result.clients.front().trace->read == 60'000);
  REQUIRE_FALSE(result.large_keys.empty());
  CHECK(result.large_keys.front().key == "hot");
  CHECK(result.large_keys.front().bytes == 1'000'000);
  CHECK(result.total().forbidden > 0);
  CHECK(result.hot_keys.front().key == "hot");
}
