// The naive model against workloads computed by hand, so that it can stand as a witness of
// docs/WORKLOAD.md.
#include <cmath>
#include <cstdlib>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "support/catch.hpp"
#include "support/naive_model.hpp"
#include "support/scenario_builder.hpp"

using namespace partsim;

namespace {

constexpr MilliRu kPlenty = 1'000'000;  // RU/s

ServiceTimeSpec fixed_service(Nanoseconds time) {
  return {ServiceTimeSpec::Law::fixed, {time, false}};
}

/// One partition, every request served in that time.
Scenario served_in(Nanoseconds service, ClientSpec client, Nanoseconds duration,
                   MilliRu ru_per_s = kPlenty) {
  Scenario scenario = testing::scenario(duration, testing::container(ru_per_s), std::move(client));
  scenario.containers[0].service = fixed_service(service);
  scenario.parameters.throttle_response_ns = 0;
  return scenario;
}

ClientSpec users(std::uint32_t count, ClosedLoop::Think law, Nanoseconds think) {
  ClientSpec client = testing::at_once("users", 1, testing::create(1));
  ClosedLoop loop;
  loop.users = count;
  loop.think = law;
  loop.think_ns = think;
  client.arrivals = loop;
  return client;
}

ClientSpec bulk(std::uint64_t count, std::uint32_t batch, std::uint32_t most) {
  ClientSpec client = testing::at_once("bulk", 1, testing::create(1));
  client.arrivals = BulkLoad{count, 0, batch, most};
  return client;
}

ClientSpec evenly_with(const OpenLoop& changes) {
  ClientSpec client = testing::evenly("even", 1, testing::create(1));
  client.arrivals = changes;
  return client;
}

std::vector<Nanoseconds> times(const NaiveResult& result) {
  std::vector<Nanoseconds> found;
  for (const AttemptRecord& record : result.attempts) {
    found.push_back(record.time_ns);
  }
  return found;
}

std::map<Nanoseconds, int> sends(const NaiveResult& result) {
  std::map<Nanoseconds, int> found;
  for (const AttemptRecord& record : result.attempts) {
    ++found[record.time_ns];
  }
  return found;
}

/// Charges of one operation of that kind, an item of 1 KB with four indexed terms.
MilliRu charge_of(OperationSpec operation) {
  operation.given = {"k"};
  const NaiveResult result =
      naive_run(served_in(kMillisecond, testing::at_once("p", 1, std::move(operation)), kSecond));
  REQUIRE(result.attempts.size() == 1);
  return result.attempts[0].charge_mru;
}

void check_near(const std::vector<Nanoseconds>& found, const std::vector<double>& expected_s) {
  REQUIRE(found.size() == expected_s.size());
  for (std::size_t i = 0; i < found.size(); ++i) {
    CAPTURE(i, found[i]);
    // a nanosecond of rounding down, and one of floating point
    CHECK(std::abs(double(found[i]) - expected_s[i] * 1e9) <= 2.0);
  }
}

/// Four partitions whose only level is that template.
Scenario keyed_by(const std::string& key, FieldSpec field, std::uint64_t operations) {
  Scenario scenario =
      served_in(kMillisecond, testing::at_once("p", operations, testing::create(1)), kSecond);
  scenario.containers[0].throughput.partitions = 4;
  scenario.containers[0].fields = {testing::choose("k", 5), std::move(field)};
  scenario.containers[0].partition_key = {testing::key(key)};
  return scenario;
}

std::size_t owner_among_four(const KeyComponent& key) {
  const std::vector<KeyComponent> components = {key};
  return owner_of(initial_ranges(HashVersion::v2, 4), hash_point(HashVersion::v2, components));
}

}  // namespace

TEST_CASE("A user sends operation k at k times service and think time", "[property]") {
  const NaiveResult result = naive_run(
      served_in(10 * kMillisecond, users(1, ClosedLoop::Think::fixed, 90 * kMillisecond), kSecond));
  REQUIRE(result.attempts.size() == 10);
  for (std::size_t k = 0; k < 10; ++k) {
    CHECK(result.attempts[k].operation == k);
    CHECK(result.attempts[k].time_ns == std::int64_t(k) * 100 * kMillisecond);
  }
}

TEST_CASE("Users begin one after another, number their operations in turns and stop at the total",
          "[property]") {
  ClientSpec client = users(4, ClosedLoop::Think::fixed, 0);
  auto& loop = std::get<ClosedLoop>(client.arrivals);
  loop.start_over_ns = 20 * kMillisecond;
  loop.total = 7;
  const NaiveResult result = naive_run(served_in(10 * kMillisecond, client, kSecond));
  std::map<std::uint64_t, Nanoseconds> sent;
  for (const AttemptRecord& record : result.attempts) {
    sent[record.operation] = record.time_ns / kMillisecond;
  }
  const std::map<std::uint64_t, Nanoseconds> expected = {{0, 0},  {1, 5},  {2, 10}, {3, 15},
                                                         {4, 10}, {5, 15}, {6, 20}};
  CHECK(sent == expected);
}

TEST_CASE("Users of one server get the throughput of the machine repairman", "[property]") {
  Scenario scenario = served_in(
      kMillisecond, users(12, ClosedLoop::Think::exponential, 10 * kMillisecond), 100 * kSecond);
  scenario.containers[0].workers = WorkersSpec{1, {}};
  scenario.containers[0].service->law = ServiceTimeSpec::Law::exponential;
  const NaiveResult result = naive_run(scenario);
  // M/M/1//N: p0 = 1 / sum over k of N! / (N - k)! (S / Z)^k, throughput (1 - p0) / S.
  double term = 1;
  double sum = 1;
  for (int k = 0; k < 12; ++k) {
    term *= (12 - k) * 0.1;
    sum += term;
  }
  const double per_s = (1 - 1 / sum) * 1'000;
  CHECK(double(result.clients[0].operations.succeeded) / 100 == Approx(per_s).epsilon(0.01));
}

TEST_CASE("A concurrency of one sends each operation at the answer to the last", "[property]") {
  ClientSpec client = testing::at_once("p", 5, testing::create(1));
  client.concurrency = 1;
  const NaiveResult result = naive_run(served_in(10 * kMillisecond, client, 45 * kMillisecond));
  const std::vector<Nanoseconds> expected = {0, 10'000'000, 20'000'000, 30'000'000, 40'000'000};
  CHECK(times(result) == expected);
  // Timed from the send, so that waiting inside the client is no latency.
  CHECK(result.clients[0].operations.succeeded == 4);
  CHECK(result.clients[0].latency_ns.sum() == 40'000'000U);
}

TEST_CASE("Five hundred tokens at five each make exactly a hundred retries", "[property]") {
  ClientSpec client = testing::at_once("p", 200, testing::create(1));
  client.retry.max_retries = 9;
  client.retry.fixed_wait_ns = 10 * kMillisecond;
  client.retry.quota_tokens = 500;
  const NaiveResult result = naive_run(served_in(kMillisecond, client, 10 * kSecond, 0));
  CHECK(result.attempts.size() == 200 + 100);
  CHECK(result.clients[0].operations.failed == 200);
}

TEST_CASE("A retry that succeeds gives its tokens back, a first success one", "[property]") {
  // 1 RU in a strict window: of five operations at once one is admitted and four are refused; the
  // seven tokens pay for three retries at two each. Those come at 1 s: one succeeds and gives two
  // back, two are refused, and the three tokens then there pay for one of them.
  ClientSpec client = testing::at_once("p", 5, testing::create(1));
  client.retry.fixed_wait_ns = kSecond - 1;  // a refusal is known after a nanosecond
  client.retry.quota_tokens = 7;
  client.retry.quota_cost = 2;
  Scenario scenario = served_in(1, client, 1'500 * kMillisecond, 1);
  scenario.parameters.throttle_model = ThrottleModel::window_strict;
  const NaiveResult result = naive_run(scenario);
  const std::map<Nanoseconds, int> expected = {{0, 5}, {kSecond, 3}};
  CHECK(sends(result) == expected);
  CHECK(result.clients[0].operations.succeeded == 2);
  CHECK(result.clients[0].operations.failed == 2);
  CHECK(result.clients[0].operations.in_flight == 1);
}

TEST_CASE("A bulk load that nothing throttles grows by a degree each second, up to the most",
          "[property]") {
  const NaiveResult result =
      naive_run(served_in(100 * kMillisecond, bulk(1'000, 2, 3), 3'950 * kMillisecond));
  std::map<Nanoseconds, int> expected;
  for (Nanoseconds tenth = 0; tenth < 40; ++tenth) {
    expected[tenth * 100 * kMillisecond] = tenth < 10 ? 2 : tenth < 20 ? 4 : 6;
  }
  CHECK(sends(result) == expected);
}

TEST_CASE("A bulk load that is throttled shrinks at the next look and grows again", "[property]") {
  // 100 RU a second in strict windows. Second 0: ten batches of 10. Second 1: batches of 20 until
  // 1.4; the 20 of 1.5 are refused and wait 0.6 s. At 2 one degree less; 20 are still under way.
  // From 2.2 on batches of 10; at 3.0 a degree more, and 10 go at once beside the 10 under way.
  ClientSpec client = bulk(1'000, 10, 10);
  client.retry.fixed_wait_ns = 600 * kMillisecond;
  Scenario scenario = served_in(100 * kMillisecond, client, 3'050 * kMillisecond, 100);
  scenario.parameters.throttle_model = ThrottleModel::window_strict;
  std::map<Nanoseconds, int> expected;
  for (Nanoseconds tenth = 0; tenth <= 15; ++tenth) {
    expected[tenth * 100 * kMillisecond] = tenth < 10 ? 10 : 20;
  }
  expected[2'100 * kMillisecond + 1] = 20;  // the answer took its nanosecond
  for (Nanoseconds tenth = 22; tenth <= 30; ++tenth) {
    expected[tenth * 100 * kMillisecond + 1] = 10;
  }
  expected[3'000 * kMillisecond] = 10;
  CHECK(sends(naive_run(scenario)) == expected);
}

TEST_CASE("An answer at the very instant of the timeout counts, one a nanosecond later does not",
          "[property]") {
  ClientSpec client = testing::at_once("p", 1, testing::create(1));
  client.timeout_ns = 10 * kMillisecond;
  const NaiveResult in_time = naive_run(served_in(10 * kMillisecond, client, kSecond));
  CHECK(in_time.clients[0].operations.succeeded == 1);
  client.timeout_ns = 10 * kMillisecond - 1;
  const NaiveResult late = naive_run(served_in(10 * kMillisecond, client, kSecond));
  CHECK(late.clients[0].operations.failed == 1);
  CHECK(late.clients[0].timed_out == 1);
  CHECK(late.clients[0].consumed_mru == 1'000);  // served and paid all the same
}

TEST_CASE("A retry due at the instant of the timeout is not sent, one before it is", "[property]") {
  ClientSpec client = testing::at_once("p", 1, testing::create(1));
  client.retry.fixed_wait_ns = 5 * kMillisecond;
  client.retry.max_retries = 1;
  client.timeout_ns = 5 * kMillisecond;
  const NaiveResult not_sent = naive_run(served_in(1, client, kSecond, 0));
  CHECK(not_sent.attempts.size() == 1);
  CHECK(not_sent.attempts[0].next_ns == kNever);
  client.timeout_ns = 5 * kMillisecond + 1;
  CHECK(naive_run(served_in(1, client, kSecond, 0)).attempts.size() == 2);
}

TEST_CASE("A user whose operation times out thinks from that instant on", "[property]") {
  ClientSpec client = users(1, ClosedLoop::Think::fixed, 30 * kMillisecond);
  client.timeout_ns = 20 * kMillisecond;
  const NaiveResult result = naive_run(served_in(kSecond, client, 121 * kMillisecond));
  const std::vector<Nanoseconds> expected = {0, 50'000'000, 100'000'000};
  CHECK(times(result) == expected);
  CHECK(result.clients[0].operations.failed == 3);
}

TEST_CASE("Back-off without jitter doubles from retry to retry", "[property]") {
  ClientSpec client = testing::at_once("p", 1, testing::create(1));
  client.retry.max_retries = 4;
  client.retry.max_wait_ns = kNever;
  client.retry.backoff_base_ns = 50 * kMillisecond;
  client.retry.backoff_max_ns = 200 * kMillisecond;
  client.retry.backoff_jitter = RetrySpec::Jitter::none;
  const NaiveResult result = naive_run(served_in(1, client, 10 * kSecond, 0));
  const std::vector<Nanoseconds> expected = {0, 50'000'000, 150'000'000, 350'000'000, 550'000'000};
  CHECK(times(result) == expected);
}

TEST_CASE("The last wait may pass the limit for those who look only at what they waited",
          "[property]") {
  ClientSpec client = testing::at_once("p", 1, testing::create(1));
  client.retry.max_wait_ns = kSecond;
  client.retry.fixed_wait_ns = 400 * kMillisecond;
  CHECK(naive_run(served_in(1, client, 10 * kSecond, 0)).attempts.size() == 3);
  client.retry.may_overshoot = true;  // waited 0, 0.4, 0.8, and 1.2 s is too much
  CHECK(naive_run(served_in(1, client, 10 * kSecond, 0)).attempts.size() == 4);
}

TEST_CASE("A ramp from nothing sends operation k at the square root of k", "[property]") {
  OpenLoop loop{{0, kSecond}, OpenLoop::Spacing::evenly};
  loop.changes = {{0, testing::per_second(20), 10 * kSecond}};  // 2 t a second: t^2 by t
  const NaiveResult result = naive_run(served_in(1, evenly_with(loop), 5'050 * kMillisecond));
  std::vector<double> expected;
  for (int k = 0; k <= 25; ++k) {
    expected.push_back(std::sqrt(k));
  }
  check_near(times(result), expected);
}

TEST_CASE("A rate that jumps or pauses keeps the part of an operation that has gathered",
          "[property]") {
  OpenLoop jump{testing::per_second(10), OpenLoop::Spacing::evenly};
  jump.changes = {{250 * kMillisecond, testing::per_second(5), 0}};
  // half an operation is left at 0.25 s; at half the rate it takes 0.1 s
  check_near(times(naive_run(served_in(1, evenly_with(jump), 800 * kMillisecond))),
             {0, 0.1, 0.2, 0.35, 0.55, 0.75});
  OpenLoop pause{testing::per_second(10), OpenLoop::Spacing::evenly};
  pause.on_off = OnOff{250 * kMillisecond, 750 * kMillisecond};
  check_near(times(naive_run(served_in(1, evenly_with(pause), 1'200 * kMillisecond))),
             {0, 0.1, 0.2, 1.05, 1.15});
  OpenLoop spike{testing::per_second(10), OpenLoop::Spacing::evenly};
  spike.spikes = {{150 * kMillisecond, 100 * kMillisecond, 2 * kMillion}};
  // at 0.15 half of operation 2 is there; 20 a second until 0.25, then the half is there again
  check_near(times(naive_run(served_in(1, evenly_with(spike), 400 * kMillisecond))),
             {0, 0.1, 0.175, 0.225, 0.3});
}

TEST_CASE("A daily curve goes in straight lines from hour to hour, minute by minute",
          "[property]") {
  OpenLoop loop{testing::per_second(60), OpenLoop::Spacing::evenly};
  loop.hour_ppm.emplace();
  loop.hour_ppm->fill(0);
  loop.hour_ppm->at(1) = kMillion;
  Scenario scenario = served_in(1, evenly_with(loop), kHour);
  const NaiveResult result = naive_run(scenario);  // from 00:00; minute m has 60 * 60 * m / 60
  std::map<Nanoseconds, std::int64_t> by_minute;
  for (const AttemptRecord& record : result.attempts) {
    ++by_minute[record.time_ns / kMinute];
  }
  CHECK(by_minute.find(0) == by_minute.end());
  for (Nanoseconds minute = 1; minute < 60; ++minute) {
    CAPTURE(minute);
    CHECK(std::abs(by_minute[minute] - 60 * minute) <= 1);
  }
}

TEST_CASE("A batch at a pace is spread evenly from its beginning on", "[property]") {
  ClientSpec client = testing::at_once("p", 4, testing::create(1));
  client.arrivals = AtOnce{4, kSecond, testing::per_second(3)};
  const std::vector<Nanoseconds> expected = {1'000'000'000, 1'333'333'333, 1'666'666'666,
                                             2'000'000'000};
  CHECK(times(naive_run(served_in(1, client, 3 * kSecond))) == expected);
}

TEST_CASE("Every kind of write costs what its table says", "[property]") {
  // 1 KB: write 4.95 RU, four terms 0.8 RU.
  OperationSpec operation;
  CHECK(charge_of(operation) == 5'750);
  operation.kind = OperationKind::replace;  // 2 * 4.95 + 2 * 0.2 * 2
  CHECK(charge_of(operation) == 10'700);
  operation.kind = OperationKind::patch;
  operation.patched = 3;
  CHECK(charge_of(operation) == 11'900);
  operation.kind = OperationKind::remove;
  CHECK(charge_of(operation) == 5'750);
  operation.kind = OperationKind::upsert;
  CHECK(charge_of(operation) == 10'700);
  operation.existing_ppm = 0;
  CHECK(charge_of(operation) == 5'750);
  operation.items = 3;
  operation.kind = OperationKind::batch;
  CHECK(charge_of(operation) == 17'250);
  operation.kind = OperationKind::script;  // 1.5 + 17.25 * 0.95
  CHECK(charge_of(operation) == 17'887);
  operation.kind = OperationKind::read_feed;
  operation.returned = 3;
  CHECK(charge_of(operation) == 3'000);
}

TEST_CASE("A batch whose key is not known is refused for good and pays nothing", "[property]") {
  OperationSpec operation;
  operation.kind = OperationKind::batch;
  const NaiveResult result =
      naive_run(served_in(kMillisecond, testing::at_once("p", 1, operation), kSecond));
  REQUIRE(result.attempts.size() == 1);
  CHECK(result.attempts[0].outcome == AttemptOutcome::refused);
  CHECK(result.clients[0].operations.failed == 1);
  CHECK(result.clients[0].refused == 1);
  CHECK(result.clients[0].consumed_mru == 0);
}

TEST_CASE("A delete makes room in a logical partition that is full", "[property]") {
  OperationSpec remove;
  remove.kind = OperationKind::remove;
  remove.given = {"k"};
  Scenario scenario =
      served_in(1, testing::evenly("create", 5, testing::create(1)), 390 * kMillisecond);
  scenario.containers[0].fields = {testing::choose("k", 1)};
  scenario.parameters.index_storage_overhead_ppm = 0;
  scenario.parameters.logical_partition_max_storage_bytes = 1'024;
  const NaiveResult full = naive_run(scenario);  // at 0 and 0.2
  CHECK(full.clients[0].forbidden == 1);
  CHECK(full.partitions[0].storage_bytes == 1'024);
  ClientSpec deletes = testing::at_once("delete", 1, remove);
  std::get<AtOnce>(deletes.arrivals).at_ns = 100 * kMillisecond;
  scenario.clients.push_back(deletes);
  const NaiveResult freed = naive_run(scenario);
  CHECK(freed.clients[0].forbidden == 0);
  CHECK(freed.partitions[0].storage_bytes == 1'024);
}

TEST_CASE("Sizes drawn evenly between two rows of the table cost what is between them",
          "[property]") {
  Scenario scenario =
      served_in(1, testing::at_once("p", 10'000, OperationSpec{}), kSecond, kPlenty);
  scenario.containers[0].item_size_law = SizeLaw{SizeLaw::Law::uniform, 1'024, 2'048};
  const NaiveResult result = naive_run(scenario);
  double sum = 0;
  for (const AttemptRecord& record : result.attempts) {
    sum += double(record.charge_mru);
    CHECK(record.charge_mru >= 5'750);
    CHECK(record.charge_mru <= 7'090);
  }
  CHECK(sum / 10'000 == Approx(6'420).epsilon(0.005));
}

TEST_CASE("A sequence numbers created items, and the key of each is its number", "[property]") {
  const NaiveResult result = naive_run(keyed_by("{order}", {"order", SequenceField{}}, 50));
  REQUIRE(result.attempts.size() == 50);
  for (const AttemptRecord& record : result.attempts) {
    CHECK(record.partition == owner_among_four(double(record.operation)));
  }
}

TEST_CASE("A field with one value for each of its parent's has the parent's number", "[property]") {
  ChooseField child;
  child.of = "k";
  const NaiveResult by_child = naive_run(keyed_by("{part}", {"part", child}, 50));
  const NaiveResult by_parent = naive_run(keyed_by("{k}", {"part", child}, 50));
  CHECK(by_child.attempts == by_parent.attempts);
  child.count = 3;
  CHECK(naive_run(keyed_by("{part}", {"part", child}, 50)).attempts != by_parent.attempts);
}

TEST_CASE("A field that an item lacks is undefined as a key and nothing inside a text",
          "[property]") {
  const FieldSpec lacks = {"lacks", ValuesField{{Undefined{}}, WeightedChoice{{1}}}};
  for (const AttemptRecord& record : naive_run(keyed_by("{lacks}", lacks, 3)).attempts) {
    CHECK(record.partition == owner_among_four(Undefined{}));
  }
  for (const AttemptRecord& record : naive_run(keyed_by("x{lacks}", lacks, 3)).attempts) {
    CHECK(record.partition == owner_among_four(std::string("x")));
  }
}
