// Counters of a service as the rate of a client: what they become, and what is wrong with a file.
#include <map>

#include "partsim/engine/engine.hpp"
#include "partsim/metrics/derived.hpp"

#include "scenario_text.hpp"
#include "support/catch.hpp"

namespace partsim::testing {
namespace {

LoadOptions beside(const std::string& csv) {
  LoadOptions options;
  options.read_file = [csv](const std::string& name) {
    return name == "metrics.csv" ? FileText{"dir/metrics.csv", csv, ""}
                                 : FileText{name, "", "no file " + name};
  };
  return options;
}

const Slot kCounters{"    rate: 10/s", "    rate_counters: metrics.csv$"};

std::string counted(const std::string& more = "") {
  return filled(kCounters, more);
}

OpenLoop loop_of(const std::string& csv, const std::string& more = "") {
  const std::string text = counted(more);
  const Scenario scenario = check_scenario(csv, text, beside(csv));
  check_round_trip(text, beside(csv));
  return std::get<OpenLoop>(scenario.clients.front().arrivals);
}

double per_second(const Rate& rate) {
  return static_cast<double>(rate.count_micro) * 1e3 / static_cast<double>(rate.per_ns);
}

/// The only finding, as it is printed.
std::string complaint(const std::string& csv) {
  const LoadResult result = load_study(counted(), "bad.yaml", beside(csv));
  REQUIRE(result.diagnostics.size() == 1);
  const std::string text = format_diagnostic(result.diagnostics.front(), "");
  return text.substr(0, text.find('\n'));
}

/// A scenario of two minutes on so many partitions.
std::string two_minutes(int partitions, const std::string& more = "") {
  return "partsim: 1\nname: counted\nduration: 2min\ncontainer:\n  throughput: 2000 RU/s\n"
         "  partitions: " +
         std::to_string(partitions) +
         "\n  partition_key: \"{k}\"\n  items: {fields: {k: {choose: 200}}}\n"
         "clients:\n  app: {rate_counters: metrics.csv, operations: [{create: 100%, "
         "charge: 5 RU}]" +
         more + "}\n";
}

constexpr const char* kTwoPartitions =
    "TimeGenerated,PhysicalPartitionId,TotalRequestUnits\n"
    "2024-01-31T16:05:00Z,0,45000\n"
    "2024-01-31T16:05:00Z,7,15000\n"
    "2024-01-31T16:06:00Z,0,30000\n"
    "2024-01-31T16:06:00Z,7,10000\n";

}  // namespace

TEST_CASE("Request units a minute become operations at the charge of the client's own",
          "[loader]") {
  // a create of 1 KB with four index terms costs 5.75 RU
  const OpenLoop loop = loop_of("time,TotalRequestUnits\n0,3450\n60,1725\n180,345\n");
  CHECK(per_second(loop.rate) == Approx(10));
  REQUIRE(loop.changes.size() == 4);
  CHECK(loop.changes[0].at_ns == 60 * kSecond);
  CHECK(per_second(loop.changes[0].rate) == Approx(5));
  CHECK(loop.changes[1].at_ns == 120 * kSecond);  // a minute that was not counted
  CHECK(loop.changes[1].rate.count_micro == 0);
  CHECK(per_second(loop.changes[2].rate) == Approx(1));
  CHECK(loop.changes[3].at_ns == 240 * kSecond);
  CHECK(loop.changes[3].rate.count_micro == 0);
  CHECK_FALSE(loop.on_off.has_value());
}

TEST_CASE("Exports of the portal are read, in any order, rows of one time added up", "[loader]") {
  const OpenLoop loop = loop_of(
      "\xEF\xBB\xBF\"TimeGenerated [UTC]\",\"Total Request Units (Sum)\",Status\r\n"
      "\"1/31/2024, 4:06:00.000 PM\",1725,200\r\n"
      "\"1/31/2024, 4:05:00.000 PM\",3000,200\r\n"
      "\"1/31/2024, 4:05:00.000 PM\",450,429\r\n"
      "\"1/31/2024, 4:07:00.000 PM\",,200\r\n");
  CHECK(per_second(loop.rate) == Approx(10));
  CHECK(loop.changes.size() == 2);
}

TEST_CASE("A mix of operations costs the mean of their charges", "[loader]") {
  const std::string csv = "time,ru\n0,600\n";
  const std::string text =
      "partsim: 1\nname: mix\nduration: 1min\n"
      "container: {throughput: 400 RU/s, partition_key: \"{k}\", items: {fields: {k: "
      "{choose: 10}}}}\n"
      "clients:\n  app:\n    rate_counters: metrics.csv\n"
      "    operations: [{create: 25%, charge: 8 RU}, {read: 75%, charge: 4 RU}]\n";
  const Scenario scenario = check_scenario("mix", text, beside(csv));
  CHECK(per_second(std::get<OpenLoop>(scenario.clients.front().arrivals).rate) == Approx(2));
}

TEST_CASE("Burstiness keeps what a minute has and sends it in a part of every ten seconds",
          "[loader]") {
  const OpenLoop loop = loop_of("time,ru\n0,3450\n", "\n    burstiness: 4\n    spacing: evenly");
  CHECK(per_second(loop.rate) == Approx(40));
  REQUIRE(loop.on_off.has_value());
  CHECK(loop.on_off->on_ns == 2'500 * kMillisecond);
  CHECK(loop.on_off->off_ns == 7'500 * kMillisecond);
  for (const std::string burstiness : {"1", "2", "3", "60"}) {
    const Scenario scenario =
        check_scenario(burstiness, two_minutes(1, ", spacing: evenly, burstiness: " + burstiness),
                       beside("time,ru\n0,30000\n60,15000\n"));
    const RunResult result = run(scenario);
    CHECK(std::abs(static_cast<double>(result.total().operations.offered) - 9'000) <= 1);
  }
}

TEST_CASE("Normalized consumption is a percentage of the throughput in the busiest second",
          "[loader]") {
  const std::string csv = "TimeGenerated,NormalizedRUConsumption\n2024-01-31T16:05:00Z,57.5\n";
  CHECK(per_second(loop_of(csv).rate) == Approx(40));  // 57.5 % of 400 RU/s, at 5.75 RU
  CHECK(per_second(loop_of(csv, "\n    full_throughput: 800 RU/s").rate) == Approx(80));
  // the busiest second is one in which something is sent
  CHECK(per_second(loop_of(csv, "\n    burstiness: 4").rate) == Approx(40));
  const std::string of_two =
      "time,PartitionKeyRangeId,normalized\n0,0,57.5%\n0,1,0\n60,0,100\n60,1,15\n";
  CHECK(per_second(loop_of(of_two).rate) == Approx(20));
}

TEST_CASE("Counters of as many partitions as the container has put their load there", "[loader]") {
  const LoadOptions options = beside(kTwoPartitions);
  const RunResult result = run(check_scenario("two", two_minutes(2), options));
  REQUIRE(result.partitions.size() == 2);
  const auto demand = [&](std::size_t p) {
    return static_cast<double>(result.partitions[p].demand_mru);
  };
  CHECK(demand(0) + demand(1) == Approx(100'000'000).epsilon(0.02));
  CHECK(demand(0) / (demand(0) + demand(1)) == Approx(0.75).epsilon(0.01));
  CHECK_THAT(check_round_trip(two_minutes(2), options),
             has_text("rate_counters: metrics.csv  # 5 RU an operation; 2 partitions by weights of "
                      "'k'"));
}

TEST_CASE("Counters of another number of partitions are added up, and the resolved view says so",
          "[loader]") {
  const LoadOptions options = beside(kTwoPartitions);
  const Scenario scenario = check_scenario("three", two_minutes(3), options);
  CHECK(per_second(std::get<OpenLoop>(scenario.clients.front().arrivals).rate) == Approx(200));
  const auto& field = std::get<ChooseField>(scenario.containers.front().fields.front().kind);
  CHECK(std::holds_alternative<UniformChoice>(field.law));
  const std::string view = check_round_trip(two_minutes(3), options);
  CHECK_THAT(view, has_text("# 5 RU an operation; 2 partitions added up: the container has 3"));
  LoadResult result;
  CHECK_THAT(explain_study(two_minutes(3), "a.yaml", options, result),
             has_text("burstiness: 1  # default"));
}

TEST_CASE("A partition with load but without a key is told", "[loader]") {
  std::string text = two_minutes(2);
  text.replace(text.find("choose: 200"), 11, "choose: 1");
  CHECK_THAT(check_round_trip(text, beside(kTwoPartitions)), has_text("owns no value of 'k'"));
}

TEST_CASE("What is wrong with counters is told with its place in the file", "[loader]") {
  const std::string good = "time,ru\n0,1\n";
  CHECK(complaint("") ==
        "dir/metrics.csv:1:1: error: the file is empty, expected a line such as "
        "TimeGenerated,PhysicalPartitionId,TotalRequestUnits");
  CHECK_THAT(complaint("time,ru\n"), has_text("dir/metrics.csv:1:1: error: no rows"));
  CHECK_THAT(complaint("zeit,ru\n0,1\n"), has_text("metrics.csv:1:1: error: no column 'TimeGe"));
  CHECK_THAT(complaint("time,rux\n0,1\n"), has_text("no column 'TotalRequestUnits' or"));
  CHECK_THAT(complaint("time,ru,normalized\n0,1,1\n"), has_text("expected one of them"));
  CHECK_THAT(complaint("time,ru,Total\n0,1,1\n"),
             has_text("metrics.csv:1:9: error: a second column that means the same as 'ru'"));
  CHECK_THAT(complaint(good + "soon,2\n"),
             has_text("metrics.csv:3:1: error: the time is 'soon', expected an instant such as"));
  CHECK_THAT(complaint(good + "60,-2\n"),
             has_text("metrics.csv:3:4: error: the amount is '-2', expected RU from 0 to"));
  CHECK_THAT(complaint("time,normalized\n0,101\n"),
             has_text("metrics.csv:2:3: error: the consumption is '101', expected percent"));
  CHECK_THAT(complaint(good + "60\n"), has_text("metrics.csv:3:1: error: 1 fields, expected 2"));
  CHECK_THAT(complaint(good + "\"60,1\n"), has_text("metrics.csv:3:1: error: a quoted field"));
  CHECK_THAT(complaint("time,partition,ru\n0,,1\n"), has_text("2:3: error: no partition"));
}

TEST_CASE("Counters say all of a rate", "[loader]") {
  const LoadOptions options = beside("time,ru\n0,1\n");
  const auto wrong = [&](const std::string& more) { return findings(counted(more), options); };
  CHECK(wrong("\n    rate: 5/s").size() == 1);
  CHECK(wrong("\n    changes: []").size() == 1);
  CHECK(wrong("\n    burstiness: 0.5").size() == 1);
  CHECK(findings(with("    rate: 10/s", "    rate: 10/s\n    burstiness: 2")).size() == 1);
}

}  // namespace partsim::testing
