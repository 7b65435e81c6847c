// V8 and V9 through the language and the clients that people have: the retry presets, a fixed wait,
// decorrelated delays; and what others measured on the real service: S1 and S2.
#include <algorithm>
#include <string>
#include <vector>

#include "partsim/engine/engine.hpp"
#include "partsim/loader/loader.hpp"

#include "support/catch.hpp"

using namespace partsim;

namespace {

Scenario scenario_of(const std::string& text) {
  const LoadResult loaded = load_study(text, "test.yaml");
  for (const Diagnostic& diagnostic : loaded.diagnostics) {
    FAIL(format_diagnostic(diagnostic, text));
  }
  return loaded.study.value().variants.front().scenario;
}

/// The head of every scenario here, without its clients.
std::string head(const std::string& duration, const std::string& throughput, int partitions,
                 const std::string& key = "id: {unique: true}") {
  return "partsim: 1\nname: case\nduration: " + duration +
         "\ncontainer:\n  throughput: " + throughput +
         "\n  partitions: " + std::to_string(partitions) + "\n  partition_key: \"{" +
         key.substr(0, key.find(':')) + "}\"\n  items: {fields: {" + key + "}}\n";
}

/// V8: 10,000 records of 10 RU at 20,000 RU/s, all at once.
RunResult one_shot(const std::string& retry) {
  return run(scenario_of(head("40s", "20000 RU/s", 1) +
                         "parameters: {partition_max_ru_per_s: 20000}\n"
                         "clients: {load: {at_once: 10000, retry: " +
                         retry + ", operations: [{create: 100%, charge: 10 RU}]}}\n"));
}

std::vector<std::int64_t> sends_by_second(const RunResult& result) {
  std::vector<std::int64_t> sends;
  for (Eigen::Index row = 0; row < result.series.attempts.rows(); ++row) {
    sends.push_back(result.series.attempts.row(row).sum());
  }
  while (!sends.empty() && sends.back() == 0) {
    sends.pop_back();
  }
  return sends;
}

struct Overload {
  int requests_per_s = 0;  // the service can serve
  std::string spacing;
  std::string retry;
  std::string duration;
  std::string warm_up;
};

/// V9: r times what the service can serve, against a strict budget of a second.
ClientResult run_overload(double r, const Overload& overload) {
  const auto rate = static_cast<std::int64_t>(r * overload.requests_per_s + 0.5);
  return run(scenario_of(
                 head(overload.duration, std::to_string(5 * overload.requests_per_s) + " RU/s", 1) +
                 "warm_up: " + overload.warm_up +
                 "\nparameters: {throttle_model: window_strict, throttle_response_ms: 0}\n"
                 "clients: {app: {rate: " +
                 std::to_string(rate) + "/s, spacing: " + overload.spacing +
                 ", retry: " + overload.retry + ", operations: [{create: 100%, charge: 5 RU}]}}\n"))
      .total();
}

void check_overload(double r, double attempts, const ClientResult& total) {
  INFO("overload " << r);
  const auto ended = static_cast<double>(total.operations.succeeded + total.operations.failed);
  CHECK(static_cast<double>(total.operations.failed) / ended == Approx(1 - 1 / r).epsilon(0.04));
  CHECK(static_cast<double>(total.attempts) / static_cast<double>(total.operations.offered) ==
        Approx(attempts).epsilon(0.02));
}

/// Seconds until the last of so many operations had its answer, and the 429s until then.
struct Load {
  double seconds = 0;
  std::uint64_t throttled = 0;
};
Load load_of(const std::string& text, std::uint64_t documents) {
  std::vector<AttemptRecord> attempts;
  RunOptions options;
  options.attempts = &attempts;
  const RunResult result = run(scenario_of(text), options);
  REQUIRE(result.total().operations.succeeded == documents);
  Nanoseconds last = 0;
  for (const AttemptRecord& record : attempts) {
    last = record.outcome == AttemptOutcome::admitted ? std::max(last, record.next_ns) : last;
  }
  return {static_cast<double>(last) / static_cast<double>(kSecond), result.total().throttled};
}

}  // namespace

TEST_CASE("V8: every preset that follows retry-after resends each second: 30,000 sends in 5 s",
          "[validation]") {
  for (const std::string preset : {"dotnet", "java", "python", "javascript", "rust", "{wait: 1s}",
                                   "{preset: aws, wait: 1s, backoff_base: 0s, quota: 0, "
                                   "max_retries: 9}"}) {
    INFO(preset);
    const RunResult result = one_shot(preset);
    const ClientResult total = result.total();
    CHECK(total.attempts == 30'000);
    CHECK(total.throttled == 20'000);
    CHECK(total.operations.succeeded == 10'000);
    CHECK(total.latency_ns.max() < static_cast<std::uint64_t>(5 * kSecond));
    CHECK(sends_by_second(result) == std::vector<std::int64_t>{10'000, 8'000, 6'000, 4'000, 2'000});
  }
}

TEST_CASE("V8: without retries the first second's budget is all that gets through",
          "[validation]") {
  const ClientResult total = one_shot("none").total();
  CHECK(total.attempts == 10'000);
  CHECK(total.operations.succeeded == 2'000);
  CHECK(total.operations.failed == 8'000);
}

TEST_CASE("V8: a doubling back-off sends in the seconds that its waits add up to", "[validation]") {
  // aws_legacy waits 50, 100, 200 ... ms, so the herd sends at 0, 0.05, 0.15, 0.35, 0.75, 1.55,
  // 3.15, 6.35 and 12.75 s; in each second with budget 2,000 of them get through.
  const RunResult result = one_shot("aws_legacy");
  CHECK(sends_by_second(result) == std::vector<std::int64_t>{10'000 + 4 * 8'000, 8'000, 0, 6'000, 0,
                                                             0, 4'000, 0, 0, 0, 0, 0, 2'000});
  CHECK(result.total().operations.succeeded == 10'000);
  CHECK(result.total().throttled == 52'000);
}

TEST_CASE("V9: a preset's nine retries with decorrelated delays meet the mean field",
          "[validation]") {
  // Each wait is 2 to 4 s: no two sends of a request meet the same second.
  const std::string retry =
      "{preset: aws, max_retries: 9, backoff_base: 4s, backoff_max: 4s, backoff_jitter: equal, "
      "quota: 0}";
  struct Row {
    double r;
    double attempts;
  };
  for (const Row row : {Row{1.1, 4.26}, Row{1.25, 5.38}, Row{1.5, 6.41}, Row{2.0, 7.47}}) {
    check_overload(row.r, row.attempts,
                   run_overload(row.r, {200, "evenly", retry, "2200s", "200s"}));
  }
}

TEST_CASE("V9: the dotnet preset retries at the second boundary: more attempts, same failures",
          "[validation]") {
  // With a jitter that shuffles the herd; without any, the oldest would always come first.
  struct Row {
    double r;
    double attempts;
  };
  for (const Row row : {Row{1.1, 4.82}, Row{1.25, 5.85}, Row{1.5, 6.80}, Row{2.0, 7.74}}) {
    check_overload(
        row.r, row.attempts,
        run_overload(row.r, {2'000, "poisson", "{preset: dotnet, jitter: 10ms}", "400s", "50s"}));
  }
}

TEST_CASE("S1: a bulk load takes the seconds that were measured, within a quarter",
          "[validation]") {
  struct Row {
    int ru_per_s;
    int partitions;
    std::uint64_t documents;
    double seconds;  // measured
  };
  for (const Row row : {Row{3'000, 1, 10'000, 14}, Row{30'000, 5, 100'000, 17},
                        Row{50'000, 9, 200'000, 21}, Row{100'000, 17, 1'000'000, 60}}) {
    INFO(row.ru_per_s << " RU/s, " << row.documents << " documents");
    const Load load = load_of(head("150s", std::to_string(row.ru_per_s) + " RU/s", row.partitions) +
                                  "clients: {load: {bulk: " + std::to_string(row.documents) +
                                  ", retry: {max_retries: 255, max_wait: 150s}, "
                                  "operations: [{create: 100%, charge: 5.25 RU}]}}\n",
                              row.documents);
    CHECK(load.seconds == Approx(row.seconds).epsilon(0.25));
    CHECK(load.throttled > 1'000);
    CHECK(load.throttled < 100'000);
  }
}

TEST_CASE("S2: minute, second and device as key rank as measured, in about the same ratios",
          "[validation]") {
  // The lab does not say how many partitions and tasks it had. Three partitions follow from its
  // ratio 3.1 of a key that uses one of them to a key that uses all; the key by seconds gains with
  // each task that waits for the last second's partition while the others use the next.
  const auto seconds = [](const std::string& field, int tasks) {
    return load_of(head("120s", "5000 RU/s", 3, field) +
                       "clients: {load: {users: " + std::to_string(tasks) +
                       ", total: 10000, retry: {max_retries: 255, max_wait: 120s}, "
                       "operations: [{create: 100%, charge: 7.24 RU}]}}\n",
                   10'000)
        .seconds;
  };
  for (const int tasks : {50, 100, 200}) {
    INFO(tasks << " tasks");
    const double minute = seconds("minute: {time: \"%H:%M\"}", tasks);
    const double second = seconds("second: {time: \"%H:%M:%S\"}", tasks);
    const double device = seconds("device: {choose: 1000}", tasks);
    CHECK(minute > second);
    CHECK(second > device);
    CHECK(minute / device == Approx(3.1).epsilon(0.1));
    if (tasks == 200) {
      CHECK(second / device == Approx(1.9).epsilon(0.1));
    }
  }
}
