// Bounds of what clients send and items hold, for scenarios that nobody wrote as text.
#include "problems.hpp"
#include "support/catch.hpp"

namespace partsim::testing {
namespace {

/// Requests of the sound scenario with other arrivals; each operation is one request.
template <class Arrivals>
double requests_with(const Arrivals& arrivals) {
  Scenario changed = sound();
  changed.clients.front().arrivals = arrivals;
  return estimated_requests(changed);
}

OpenLoop per_second(std::int64_t count) {
  OpenLoop loop;
  loop.rate = {count * kMillion, kSecond};
  return loop;
}

TEST_CASE("Operations of a rate that changes are the area below it", "[scenario]") {
  OpenLoop loop = per_second(100);
  CHECK(requests_with(loop) == Approx(1'000));
  loop.changes = {{2 * kSecond, {400 * kMillion, kSecond}, 0}};
  CHECK(requests_with(loop) == Approx(200 + 3'200));
  // from 100/s to 400/s in four seconds: 250/s on average
  loop.changes.front().over_ns = 4 * kSecond;
  CHECK(requests_with(loop) == Approx(200 + 1'000 + 1'600));
  loop.changes.push_back({8 * kSecond, {0, kSecond}, 0});
  CHECK(requests_with(loop) == Approx(200 + 1'000 + 800));
  // what lies behind the end does not count
  loop.changes.push_back({20 * kSecond, {kMillion * kMillion, kSecond}, 0});
  CHECK(requests_with(loop) == Approx(2'000));
}

TEST_CASE("Spikes add, bursts and hours of the day take away", "[scenario]") {
  OpenLoop loop = per_second(100);
  loop.spikes = {{kSecond, 2 * kSecond, 10 * kMillion}};
  CHECK(requests_with(loop) == Approx(800 + 2'000));
  loop.spikes = {{9 * kSecond, 5 * kSecond, 3 * kMillion}};
  CHECK(requests_with(loop) == Approx(900 + 300));
  loop.spikes.clear();
  loop.on_off = OnOff{kSecond, 4 * kSecond};
  CHECK(requests_with(loop) == Approx(200));
  loop.on_off.reset();
  loop.hour_ppm.emplace();
  loop.hour_ppm->fill(100'000);
  loop.hour_ppm->back() = 250'000;
  CHECK(requests_with(loop) == Approx(250));
}

TEST_CASE("Every way to send has its number of operations", "[scenario]") {
  CHECK(requests_with(AtOnce{50, 0, {}}) == Approx(50));
  // from 4 s on 10/s reach 61 operations before the end at 10 s
  CHECK(requests_with(AtOnce{500, 4 * kSecond, Rate{10 * kMillion, kSecond}}) == Approx(61));
  ClosedLoop users;
  users.users = 20;
  users.think_ns = 100 * kMillisecond;
  CHECK(requests_with(users) == Approx(20 * 101));
  users.think_ns = 0;  // a millisecond at least
  CHECK(requests_with(users) == Approx(20 * 10'001));
  users.total = 77;
  CHECK(requests_with(users) == Approx(77));
  CHECK(requests_with(BulkLoad{1'234}) == Approx(1'234));
  CHECK(requests_with(TraceReplay{"a.csv", ""}) == Approx(0).margin(0));
}

TEST_CASE("Too much work is told at the key that asks for it", "[scenario]") {
  const auto problems = [](auto arrivals) {
    return problems_after([&arrivals](Scenario& s) { s.clients.front().arrivals = arrivals; });
  };
  CHECK_THAT(problems(BulkLoad{100'000'000'000}),
             has_text("clients.app.bulk (limit): too much work"));
  ClosedLoop users;
  users.users = 1'000'000;
  CHECK_THAT(problems(users), has_text("clients.app.users (limit): too much work"));
  OpenLoop loop = per_second(1'000'000);
  loop.spikes = {{0, kSecond, 1'000'000 * kMillion}};
  CHECK_THAT(problems(loop), has_text("clients.app.rate (limit): too much work"));
}

TEST_CASE("Arrivals that nobody could write are refused too", "[scenario]") {
  const auto problems = [](auto arrivals) {
    return problems_after([&arrivals](Scenario& s) { s.clients.front().arrivals = arrivals; });
  };
  OpenLoop loop = per_second(1);
  loop.changes = {{-1, loop.rate, 0}};
  CHECK_THAT(problems(loop), has_text("clients.app.changes.0.at: the time is out of range"));
  loop.changes = {{0, {1, 0}, 0}};
  CHECK_THAT(problems(loop), has_text("clients.app.changes.0.rate: the rate is out of range"));
  loop.changes.clear();
  loop.spikes = {{0, 0, kMillion}};
  CHECK_THAT(problems(loop), has_text("clients.app.spikes.0.at: the time is out of range"));
  loop.spikes = {{0, 1, 0}};
  CHECK_THAT(problems(loop), has_text("clients.app.spikes.0.times: the factor is out of range"));
  loop.spikes.clear();
  loop.on_off = OnOff{0, 5};
  CHECK_THAT(problems(loop), has_text("clients.app.bursts: the times are out of range"));
  loop.on_off.reset();
  loop.hour_ppm.emplace();
  loop.hour_ppm->front() = kMillion + 1;
  CHECK_THAT(problems(loop), has_text("clients.app.daily: shares are out of range"));
  ClosedLoop users;
  users.users = 0;
  CHECK_THAT(problems(users), has_text("clients.app.users: users are out of range"));
  users.users = 1;
  users.think_ns = -1;
  CHECK_THAT(problems(users), has_text("clients.app.think: the think time is out of range"));
  BulkLoad bulk{5};
  bulk.batch = 0;
  CHECK_THAT(problems(bulk), has_text("clients.app.batch: the batch is out of range"));
  bulk.batch = 1;
  bulk.most_degrees = 0;
  CHECK_THAT(problems(bulk), has_text("clients.app.degrees: degrees are out of range"));
  TraceReplay trace;
  CHECK_THAT(problems(trace), has_text("clients.app.trace: no file to replay"));
  trace.file = "a";
  trace.speed_micro = 0;
  CHECK_THAT(problems(trace), has_text("clients.app.trace.speed: the speed is out of range"));
}

TEST_CASE("Limits of a client are at least one", "[scenario]") {
  CHECK_THAT(problems_after([](Scenario& s) { s.clients.front().concurrency = 0; }),
             has_text("clients.app.concurrency: concurrency is out of range"));
  CHECK_THAT(problems_after([](Scenario& s) { s.clients.front().timeout_ns = 0; }),
             has_text("clients.app.timeout: the time is out of range"));
  CHECK_THAT(problems_after([](Scenario& s) {
               s.clients.front().arrivals = BulkLoad{5};
               s.clients.front().concurrency = 5;
             }),
             has_text("clients.app.concurrency: a bulk load has its own"));
}

TEST_CASE("Operations that nobody could write are refused too", "[scenario]") {
  const auto problems = [](auto change) {
    return problems_after([&change](Scenario& s) { change(s.clients.front().operations.front()); });
  };
  CHECK_THAT(problems([](OperationSpec& o) { o.items = 0; }), has_text("operations.0.items"));
  CHECK_THAT(problems([](OperationSpec& o) { o.keys = 0; }), has_text("operations.0.keys"));
  CHECK_THAT(problems([](OperationSpec& o) { o.keys = 2; }), has_text("operations.0.keys"));
  CHECK_THAT(problems([](OperationSpec& o) { o.existing_ppm = -1; }),
             has_text("operations.0.existing"));
  CHECK_THAT(problems([](OperationSpec& o) { o.within_ns = -1; }), has_text("operations.0.within"));
}

TEST_CASE("What a batch stores counts for all its items", "[scenario]") {
  // 10^4 batches of 100 items of 1 KB and 15% index are 1.1 GB, 1.1 times the threshold below.
  Scenario scenario = sound();
  scenario.parameters.split_storage_threshold_bytes = kGigabyte / 10'000;
  scenario.clients.front().arrivals = AtOnce{10'000, 0, {}};
  OperationSpec& operation = scenario.clients.front().operations.front();
  operation.charge_mru = 1;
  CHECK(problems_of(scenario).empty());
  operation.kind = OperationKind::batch;
  operation.items = 100;
  CHECK_THAT(problems_of(scenario), has_text("more than 10000 partitions"));
}

}  // namespace
}  // namespace partsim::testing
