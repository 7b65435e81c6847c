// The naive model against results known from outside, so that it can stand as a witness.
#include "support/naive_model.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>

#include "support/catch.hpp"
#include "support/scenario_builder.hpp"
#include "support/source_dir.hpp"

using namespace partsim;

namespace {

/// One partition, one client, every operation at the same charge.
Scenario single_partition(MilliRu ru_per_s, const ClientSpec& client, Nanoseconds duration_ns) {
  Scenario scenario;
  scenario.seed = 7;
  scenario.duration_ns = duration_ns;
  scenario.containers = {testing::container(ru_per_s)};
  scenario.clients = {client};
  return scenario;
}

double mean_latency_ms(const ClientResult& client) {
  return static_cast<double>(client.latency_ns.sum()) /
         static_cast<double>(client.operations.succeeded) / 1e6;
}

/// A queue in front of one server at half load; 40,000 arrivals hold the mean to about 4 %.
Scenario single_server(ServiceTimeSpec::Law law) {
  Scenario scenario =
      single_partition(1'000'000, testing::poisson("p", 500, testing::create(1)), 80 * kSecond);
  scenario.containers[0].workers = WorkersSpec{1, {}};
  scenario.containers[0].service = ServiceTimeSpec{law, {kMillisecond, false}};
  return scenario;
}

/// Every file of the naive model, whatever it is split into.
std::vector<std::string> naive_files() {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(in_repository("tests/support"))) {
    const std::string name = entry.path().filename().string();
    if (name.rfind("naive_", 0) == 0) {
      names.push_back(name);
    }
  }
  return names;
}

/// The lines of a file of the naive model.
std::vector<std::string> source_lines(const std::string& name) {
  std::ifstream file(in_repository("tests/support/" + name));
  REQUIRE(file.is_open());
  std::vector<std::string> lines;
  for (std::string line; std::getline(file, line);) {
    lines.push_back(line);
  }
  return lines;
}

}  // namespace

TEST_CASE("The naive model stays small: every file under 400 lines, all of them under 2,300",
          "[property]") {
  std::size_t total = 0;
  for (const std::string& name : naive_files()) {
    const std::size_t lines = source_lines(name).size();
    CAPTURE(name, lines);
    CHECK(lines > 0);
    CHECK(lines < 400);
    total += lines;
  }
  CAPTURE(total);
  CHECK(total > 400);  // else the files were not found
  CHECK(total < 2'300);
}

TEST_CASE("The naive model is built on core and plain values, not on the engine's parts",
          "[property]") {
  const std::vector<std::string> allowed = {
      "#include \"support/naive_model.hpp\"", "#include \"support/naive_parts.hpp\"",
      "#include \"partsim/engine/engine.hpp\"", "#include \"partsim/core/distribution.hpp\"",
      "#include \"partsim/core/rng.hpp\""};
  for (const std::string& name : naive_files()) {
    for (const std::string& line : source_lines(name)) {
      if (line.rfind("#include \"", 0) == 0) {
        CAPTURE(name, line);
        CHECK(std::find(allowed.begin(), allowed.end(), line) != allowed.end());
      }
    }
  }
}

TEST_CASE("Ten thousand records sent at once need 30,000 sends in five seconds", "[property]") {
  Scenario scenario =
      single_partition(20'000, testing::at_once("p", 10'000, testing::create(10)), 6 * kSecond);
  scenario.parameters.throttle_response_ns = 0;
  const NaiveResult result = naive_run(scenario);
  CHECK(result.attempts.size() == 30'000);
  CHECK(result.clients[0].throttled == 20'000);
  CHECK(result.clients[0].operations.succeeded == 10'000);
  std::map<Nanoseconds, int> sends;
  for (const AttemptRecord& record : result.attempts) {
    ++sends[record.time_ns];
  }
  const std::map<Nanoseconds, int> expected = {{0, 10'000},
                                               {kSecond, 8'000},
                                               {2 * kSecond, 6'000},
                                               {3 * kSecond, 4'000},
                                               {4 * kSecond, 2'000}};
  CHECK(sends == expected);
}

TEST_CASE("Ten thousand records sent evenly over five seconds are never rejected", "[property]") {
  const NaiveResult result = naive_run(
      single_partition(20'000, testing::evenly("p", 2'000, testing::create(10)), 5 * kSecond));
  CHECK(result.attempts.size() == 10'000);
  CHECK(result.clients[0].throttled == 0);
}

TEST_CASE("A strict window rejects the excess of each second and nothing else", "[property]") {
  ClientSpec client = testing::poisson("p", 100, testing::create(5));
  client.retry.max_retries = 0;
  Scenario scenario = single_partition(400, client, 400 * kSecond);
  scenario.parameters.throttle_model = ThrottleModel::window_strict;
  const NaiveResult result = naive_run(scenario);
  std::map<Nanoseconds, std::uint64_t> arrivals;
  for (const AttemptRecord& record : result.attempts) {
    ++arrivals[record.time_ns / kSecond];
  }
  std::uint64_t excess = 0;
  for (const auto& [second, count] : arrivals) {
    excess += count - std::min<std::uint64_t>(count, 80);
  }
  CHECK(result.clients[0].throttled == excess);
  // Published: 0.20067 at load 1.25; the share of 400 seconds spreads by 0.005.
  const double share =
      static_cast<double>(excess) / static_cast<double>(result.clients[0].attempts);
  CHECK(share == Approx(0.20067).margin(0.015));
}

TEST_CASE("The mean time in a single-server queue is that of theory", "[property]") {
  // M/M/1: 1 / (1 - 0.5) = 2 ms. M/D/1: 1 + 0.5 / (2 (1 - 0.5)) = 1.5 ms.
  const NaiveResult random = naive_run(single_server(ServiceTimeSpec::Law::exponential));
  CHECK(mean_latency_ms(random.clients[0]) == Approx(2.0).epsilon(0.06));
  const NaiveResult fixed = naive_run(single_server(ServiceTimeSpec::Law::fixed));
  CHECK(mean_latency_ms(fixed.clients[0]) == Approx(1.5).epsilon(0.04));
}
