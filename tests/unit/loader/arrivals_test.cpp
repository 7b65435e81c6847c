// When clients send: rates that change, operations at a pace, users, bulk loads and traces.
#include <algorithm>

#include "scenario_text.hpp"
#include "support/catch.hpp"

namespace partsim::testing {
namespace {

/// The smallest scenario, its only client with other keys than `rate: 10/s`.
const Slot kArrivals{"    rate: 10/s", "    $"};

template <class Arrivals>
Arrivals arrivals_of(const std::string& keys) {
  const Scenario scenario = check_scenario(keys, filled(kArrivals, keys));
  check_round_trip(filled(kArrivals, keys));
  const auto* arrivals = std::get_if<Arrivals>(&scenario.clients.front().arrivals);
  REQUIRE(arrivals != nullptr);
  return *arrivals;
}

void check_wrong(const std::string& keys, const std::string& place,
                 const std::vector<std::string>& words) {
  check_refused({keys, filled(kArrivals, keys), place, words});
}

TEST_CASE("A rate changes by steps and in straight lines", "[loader]") {
  const auto loop = arrivals_of<OpenLoop>(
      "rate: 100/s\n    changes: [{at: 1s, rate: 1000/s}, {at: 2s, rate: 8000/3s, over: 3s}]");
  CHECK(loop.rate == Rate{100 * kMillion, kSecond});
  REQUIRE(loop.changes.size() == 2);
  CHECK(loop.changes[0].at_ns == kSecond);
  CHECK(loop.changes[0].rate == Rate{1000 * kMillion, kSecond});
  CHECK(loop.changes[0].over_ns == 0);
  CHECK(loop.changes[1].at_ns == 2 * kSecond);
  CHECK(loop.changes[1].rate == Rate{8000 * kMillion, 3 * kSecond});
  CHECK(loop.changes[1].over_ns == 3 * kSecond);
}

TEST_CASE("A change begins when the one before has arrived", "[loader]") {
  arrivals_of<OpenLoop>(
      "rate: 1/s\n    changes: [{at: 1s, rate: 2/s, over: 2s}, {at: 3s, rate: 1/s}]");
  check_wrong("rate: 1/s\n    changes: [{at: 1s, rate: 2/s, over: 2s}, {at: 2.9s, rate: 1/s}]",
              "13:51", {"has not arrived yet", "at least 3s", "got 2.9s"});
  check_wrong("rate: 1/s\n    changes: [{at: 2s, rate: 2/s}, {at: 1s, rate: 1/s}]", "13:41",
              {"in order of time", "above 2s", "got 1s"});
  check_wrong("rate: 1/s\n    changes: [{at: 2s, rate: 2/s}, {at: 2s, rate: 1/s}]", "13:41",
              {"in order of time"});
}

TEST_CASE("A change says when and to what", "[loader]") {
  check_wrong("rate: 1/s\n    changes: [{at: 1s}]", "13:15",
              {"missing key 'rate' in 'change'", "7000/s"});
  check_wrong("rate: 1/s\n    changes: [{at: 1s, rate: 5}]", "13:30", {"has no unit"});
  check_wrong("rate: 1/s\n    changes: [{at: 1s, rate: 5/s, ovr: 1s}]", "13:35",
              {"unknown key 'ovr' in 'change'", "did you mean 'over'?"});
  check_wrong("rate: 1/s\n    changes: {at: 1s, rate: 5/s}", "13:14", {"expected a list"});
  check_wrong("at_once: 5\n    changes: [{at: 1s, rate: 5/s}]", "13:5",
              {"'changes' does not go with 'at_once'"});
}

TEST_CASE("Spikes multiply the rate for a time, apart from each other", "[loader]") {
  const auto loop = arrivals_of<OpenLoop>(
      "rate: 1/s\n    spikes: [{at: 1s, for: 2s, times: 10}, {at: 3s, for: 1ms, times: 0.5}]");
  REQUIRE(loop.spikes.size() == 2);
  CHECK(loop.spikes[0].at_ns == kSecond);
  CHECK(loop.spikes[0].for_ns == 2 * kSecond);
  CHECK(loop.spikes[0].times_micro == 10 * kMillion);
  CHECK(loop.spikes[1].times_micro == 500'000);
  check_wrong("rate: 1/s\n    spikes: [{at: 1s, for: 2s, times: 2}, {at: 2s, for: 1s, times: 2}]",
              "13:48", {"apart", "at least 3s"});
  check_wrong("rate: 1/s\n    spikes: [{at: 1s, for: 0s, times: 2}]", "13:28", {"out of range"});
  check_wrong("rate: 1/s\n    spikes: [{at: 1s, for: 1s, times: 0}]", "13:39", {"out of range"});
  arrivals_of<OpenLoop>("rate: 0/s\n    spikes: [{at: 1s, for: 1s, times: 1000000}]");
  check_wrong("rate: 1/s\n    spikes: [{at: 1s, for: 1s, times: 1000000.1}]", "13:39",
              {"out of range"});
}

TEST_CASE("Bursts come and go", "[loader]") {
  const auto loop = arrivals_of<OpenLoop>("rate: 1/s\n    bursts: {on: 1s, off: 9s}");
  REQUIRE(loop.on_off.has_value());
  CHECK(loop.on_off.value_or(OnOff{}).on_ns == kSecond);
  CHECK(loop.on_off.value_or(OnOff{}).off_ns == 9 * kSecond);
  check_wrong("rate: 1/s\n    bursts: {on: 0s, off: 9s}", "13:18", {"out of range"});
  check_wrong("rate: 1/s\n    bursts: {on: 1s}", "13:5", {"missing key 'off'"});
  // ten seconds hold 10^8 periods of 100 ns, and no more
  arrivals_of<OpenLoop>("rate: 1/s\n    bursts: {on: 50ns, off: 50ns}");
  check_wrong("rate: 1/s\n    bursts: {on: 50ns, off: 49ns}", "13:13", {"too many bursts"});
}

TEST_CASE("A day has 24 shares of the rate, or the name of a curve", "[loader]") {
  std::string hours = "100%, 0%";
  for (int hour = 2; hour < 24; ++hour) {
    hours += ", " + std::to_string(hour) + ".5%";
  }
  const auto loop = arrivals_of<OpenLoop>("rate: 1/s\n    daily: [" + hours + "]");
  REQUIRE(loop.hour_ppm.has_value());
  const auto curve = loop.hour_ppm.value_or(std::array<std::int64_t, 24>{});
  CHECK(curve[0] == kMillion);
  CHECK(curve[1] == 0);
  CHECK(curve[23] == 235'000);
  check_wrong("rate: 1/s\n    daily: [" + hours + ", 5%]", "13:12", {"25 items", "24"});
  check_wrong("rate: 1/s\n    daily: [" + hours.replace(0, 4, "101%") + "]", "13:13",
              {"is out of range"});
  check_wrong("rate: 1/s\n    daily: ofice", "13:12",
              {"one of office, evening, or a list of 24", "did you mean 'office'?"});
}

TEST_CASE("The built-in curves have the numbers of the reference", "[loader]") {
  const auto peak_and_trough = [](const std::string& word) {
    const auto loop = arrivals_of<OpenLoop>("rate: 1/s\n    daily: " + word);
    return loop.hour_ppm.value_or(std::array<std::int64_t, 24>{});
  };
  const auto office = peak_and_trough("office");
  CHECK(office[3] == 50'000);
  CHECK(office[9] == kMillion);
  CHECK(office[12] == 700'000);
  CHECK(office[23] == 50'000);
  const auto evening = peak_and_trough("evening");
  CHECK(evening[4] == 60'000);
  CHECK(evening[20] == kMillion);
  CHECK(std::count(evening.begin(), evening.end(), kMillion) == 1);
}

TEST_CASE("Operations at once may have a pace", "[loader]") {
  const auto once = arrivals_of<AtOnce>("at_once: 500\n    at: 2s\n    pace: 2000/s");
  CHECK(once.count == 500);
  CHECK(once.at_ns == 2 * kSecond);
  CHECK(once.pace.value_or(Rate{}) == Rate{2000 * kMillion, kSecond});
  CHECK_FALSE(arrivals_of<AtOnce>("at_once: 500").pace.has_value());
  check_wrong("at_once: 500\n    pace: 0/s", "13:11", {"the pace is out of range"});
  check_wrong("at_once: 1000000000\n    pace: 1/d", "13:11", {"longer than 3653d"});
  check_wrong("rate: 1/s\n    pace: 1/s", "13:5", {"'pace' does not go with 'rate'"});
}

TEST_CASE("Users wait for answers and think", "[loader]") {
  const auto plain = arrivals_of<ClosedLoop>("users: 100");
  CHECK(plain.users == 100);
  CHECK(plain.think == ClosedLoop::Think::fixed);
  CHECK(plain.think_ns == 0);
  CHECK(plain.start_over_ns == 0);
  CHECK_FALSE(plain.total.has_value());
  const auto full =
      arrivals_of<ClosedLoop>("users: 9\n    think: 500ms\n    start_over: 3s\n    total: 10000");
  CHECK(full.think_ns == 500 * kMillisecond);
  CHECK(full.start_over_ns == 3 * kSecond);
  CHECK(full.total == 10'000U);
  const auto drawn = arrivals_of<ClosedLoop>("users: 9\n    think: {exponential: 2s}");
  CHECK(drawn.think == ClosedLoop::Think::exponential);
  CHECK(drawn.think_ns == 2 * kSecond);
  CHECK(arrivals_of<ClosedLoop>("users: 9\n    think: {fixed: 2s}").think_ns == 2 * kSecond);
}

TEST_CASE("What users cannot do is told", "[loader]") {
  check_wrong("users: 0", "12:12", {"between 1 and 1000000"});
  check_wrong("users: 5\n    think: 5", "13:12", {"has no unit"});
  check_wrong("users: 5\n    think: [5s]", "13:12", {"a duration", "or a mapping", "a list"});
  check_wrong("users: 5\n    think: {}", "13:5", {"exactly one of fixed, exponential"});
  check_wrong("users: 5\n    think: {exponential: 31d}", "13:26", {"out of range"});
  check_wrong("users: 5\n    spacing: evenly", "13:5", {"'spacing' does not go with 'users'"});
  check_wrong("users: 5\n    rate: 5/s", "13:5",
              {"'rate' does not go with 'users'", "rate, at_once, users, bulk, trace"});
  check_wrong("users: 1000000\n    start_over: 2h", "13:17", {"spread too far"});
}

TEST_CASE("A bulk load has a batch and degrees of concurrency", "[loader]") {
  const auto plain = arrivals_of<BulkLoad>("bulk: 100000");
  CHECK(plain.count == 100'000);
  CHECK(plain.at_ns == 0);
  CHECK(plain.batch == 100);
  CHECK(plain.most_degrees == 50);
  const auto full = arrivals_of<BulkLoad>("bulk: 7\n    at: 1s\n    batch: 20\n    degrees: 3");
  CHECK(full.at_ns == kSecond);
  CHECK(full.batch == 20);
  CHECK(full.most_degrees == 3);
  check_wrong("bulk: 7\n    at: 10s", "13:9", {"not inside the run", "below 10s"});
  check_wrong("bulk: 7\n    concurrency: 5", "13:5", {"'concurrency' does not go with 'bulk'"});
}

TEST_CASE("A bulk load needs the whole key of what it sends", "[loader]") {
  const auto bulk = [](const std::string& operation) {
    return with("    rate: 10/s\n    operations: [{create: 100%}]",
                "    bulk: 5\n    operations: [" + operation + "]");
  };
  check_accepted("upsert", bulk("{upsert: 100%}"));
  check_accepted("delete", bulk("{delete: 100%}"));
  check_refused({"query", bulk("{query: 100%, given: []}"), "13:18", {"the whole key"}});
}

TEST_CASE("A trace is a file, or a file and how to replay it", "[loader]") {
  const auto plain = arrivals_of<TraceReplay>("trace: requests.csv");
  CHECK(plain.file == "requests.csv");
  CHECK(plain.requests_file.empty());
  CHECK(plain.speed_micro == kMillion);
  CHECK(plain.at_ns == 0);
  const auto full = arrivals_of<TraceReplay>(
      "trace: {file: a b.csv, requests: dataplane.csv, speed: 2.5, at: 3s}");
  CHECK(full.file == "a b.csv");
  CHECK(full.requests_file == "dataplane.csv");
  CHECK(full.speed_micro == 2'500'000);
  CHECK(full.at_ns == 3 * kSecond);
  check_wrong("trace: {speed: 2}", "12:5", {"missing key 'file' in 'trace'"});
  check_wrong("trace: {file: a.csv, speed: 0}", "12:33", {"out of range"});
  check_wrong("trace: {file: a.csv, at: 10s}", "12:30", {"not inside the run"});
  check_wrong("trace: \"\"", "12:12", {"is blank, expected the name of a file"});
}

TEST_CASE("Only a trace can do without a partition key", "[loader]") {
  const std::string key = "  partition_key: \"{k}\"\n";
  const auto without_key = [&key](std::string text) {
    return text.erase(text.find(key), key.size());
  };
  const Scenario scenario =
      check_scenario("trace", without_key(filled(kArrivals, "trace: requests.csv")));
  CHECK(scenario.containers.front().partition_key.empty());
  check_round_trip(without_key(filled(kArrivals, "trace: requests.csv")));
  check_refused({"rate",
                 without_key(std::string(kSmallest)),
                 "4:1",
                 {"missing key 'partition_key' in 'container'", "{field}"}});
  check_refused({"two clients",
                 without_key(filled(kArrivals, "trace: requests.csv")) +
                     "  other: {rate: 1/s, operations: [{create: 100%}]}\n",
                 "4:1",
                 {"0 levels"}});
}

TEST_CASE("A trace has one operation for the rows that name none", "[loader]") {
  check_refused({"two",
                 with("    rate: 10/s\n    operations: [{create: 100%}]",
                      "    trace: a.csv\n    operations: [{create: 50%}, {read: 50%}]"),
                 "13:17",
                 {"expected one operation", "got 2"}});
}

TEST_CASE("Every client may have a timeout, and a limit of what is under way", "[loader]") {
  const auto client = [](const std::string& keys) {
    return check_scenario(keys, filled(kArrivals, keys)).clients.front();
  };
  const ClientSpec plain = client("rate: 1/s");
  CHECK_FALSE(plain.concurrency.has_value());
  CHECK_FALSE(plain.timeout_ns.has_value());
  for (const std::string way : {"rate: 1/s", "at_once: 5", "users: 3", "trace: a.csv"}) {
    const ClientSpec limited = client(way + "\n    concurrency: 50\n    timeout: 6s");
    CHECK(limited.concurrency == 50U);
    CHECK(limited.timeout_ns == 6 * kSecond);
    check_round_trip(filled(kArrivals, way + "\n    concurrency: 50\n    timeout: 6s"));
  }
  CHECK(client("bulk: 5\n    timeout: 1ns").timeout_ns == 1);
  check_wrong("rate: 1/s\n    timeout: 0s", "13:14", {"out of range"});
  check_wrong("rate: 1/s\n    concurrency: 0", "13:18", {"between 1 and 1000000"});
  check_wrong("rate: 1/s\n    concurrency: 1000001", "13:18", {"between 1 and 1000000"});
}

TEST_CASE("An entry of the timeline can change the rate of a client", "[loader]") {
  const std::string text =
      filled(kArrivals, "rate: 10/s\n    changes: [{at: 1s, rate: 20/s}, {at: 9s, rate: 1/s}]") +
      "timeline:\n  - {at: 5s, client: app, rate: 90/s, over: 2s}\n"
      "  - {at: 4s, throughput: 500 RU/s}\n  - {at: 3s, client: app, rate: 30/s}\n";
  const Scenario scenario = check_scenario("timeline", text);
  CHECK(scenario.timeline.size() == 1);
  const auto& changes = std::get<OpenLoop>(scenario.clients.front().arrivals).changes;
  REQUIRE(changes.size() == 4);
  CHECK(changes[1].at_ns == 3 * kSecond);
  CHECK(changes[1].over_ns == 0);
  CHECK(changes[2].at_ns == 5 * kSecond);
  CHECK(changes[2].rate == Rate{90 * kMillion, kSecond});
  CHECK(changes[2].over_ns == 2 * kSecond);
  CHECK(changes[3].at_ns == 9 * kSecond);
  check_round_trip(text);
}

TEST_CASE("A change of the timeline is judged like any other, where it stands", "[loader]") {
  const auto timeline = [](const std::string& entry) {
    return std::string(kSmallest) + "timeline:\n  - " + entry + "\n";
  };
  check_refused({"unknown",
                 timeline("{at: 1s, client: ap, rate: 5/s}"),
                 "15:22",
                 {"unknown client 'ap'", "did you mean 'app'?"}});
  check_refused({"late",
                 timeline("{at: 10s, client: app, rate: 5/s}"),
                 "15:10",
                 {"not inside the run", "below 10s"}});
  check_refused({"no rate",
                 timeline("{at: 1s, client: app}"),
                 "15:5",
                 {"missing key 'rate' beside 'client'"}});
  check_refused({"container",
                 timeline("{at: 1s, client: app, rate: 5/s, container: main}"),
                 "15:38",
                 {"'container' does not go with 'client'"}});
  check_refused({"nobody's rate",
                 timeline("{at: 1s, throughput: 500 RU/s, rate: 5/s}"),
                 "15:36",
                 {"'rate' does not go with 'throughput'"}});
  check_refused({"two at a time",
                 timeline("{at: 1s, client: app, rate: 5/s, over: 3s}\n  - {at: 2s, client: app, "
                          "rate: 1/s}"),
                 "16:10",
                 {"has not arrived yet", "at least 4s"}});
  check_refused({"no rate to change",
                 filled(kArrivals, "users: 5") + "timeline: [{at: 1s, client: app, rate: 5/s}]\n",
                 "14:29",
                 {"has no rate to change"}});
}

TEST_CASE("A variant without the changes of a timeline has none when it is read back", "[loader]") {
  const std::string text = std::string(kSmallest) +
                           "timeline: [{at: 1s, client: app, rate: 5/s}]\n"
                           "variants:\n  calm: {timeline: []}\n  same: {}\n"
                           "  users: {timeline: [], clients: {app: {users: 5}}}\n";
  const std::string view = check_round_trip(text);
  for (const StudyFile& study : {check_accepted("first", text), check_accepted("again", view)}) {
    REQUIRE(study.variants.size() == 3);
    const auto changes = [&study](std::size_t i) {
      return std::get<OpenLoop>(study.variants[i].scenario.clients.front().arrivals).changes.size();
    };
    CHECK(changes(0) == 0);
    CHECK(changes(1) == 1);
    CHECK(std::holds_alternative<ClosedLoop>(study.variants[2].scenario.clients.front().arrivals));
  }
}

TEST_CASE("One way to send takes the place of another in a variant", "[loader]") {
  const std::string text =
      filled(kArrivals, "rate: 1/s\n    daily: office\n    spikes: [{at: 1s, for: 1s, times: 2}]") +
      "variants:\n  once: {clients: {app: {at_once: 5, pace: 1/s}}}\n"
      "  bulk: {clients: {app: {bulk: 5}}}\n  users: {clients: {app: {users: 5, think: 1s}}}\n"
      "  trace: {clients: {app: {trace: a.csv}}}\n";
  const StudyFile study = check_accepted("variants", text);
  for (std::size_t i = 0; i < 4; ++i) {
    static constexpr std::array<std::size_t, 4> kIndex{1, 3, 2, 4};
    CHECK(study.variants[i].scenario.clients.front().arrivals.index() == kIndex.at(i));
  }
  check_round_trip(text);
}

TEST_CASE("Settings reach into the new parts", "[loader]") {
  LoadOptions options;
  options.overrides = {{"clients.app.changes.0.rate", "7/s"},
                       {"clients.app.bursts", "{on: 1s, off: 1s}"}};
  const Scenario scenario = check_scenario(
      "set", filled(kArrivals, "rate: 1/s\n    changes: [{at: 1s, rate: 2/s}]"), options);
  const auto& loop = std::get<OpenLoop>(scenario.clients.front().arrivals);
  CHECK(loop.changes.front().rate == Rate{7 * kMillion, kSecond});
  CHECK(loop.on_off.has_value());
  options.overrides = {{"clients.app.users", "5"}, {"clients.app.think.exponential", "1s"}};
  const Scenario closed = check_scenario("users", kSmallest, options);
  CHECK(std::get<ClosedLoop>(closed.clients.front().arrivals).think ==
        ClosedLoop::Think::exponential);
}

}  // namespace
}  // namespace partsim::testing
