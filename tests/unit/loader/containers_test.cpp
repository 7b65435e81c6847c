// Several containers, a database that they share, regions, and the names that lead to them.
#include "scenario_text.hpp"
#include "support/catch.hpp"

namespace partsim::testing {
namespace {

/// Lines 1 to 3, then `rest` from line 4 on.
std::string scenario_with(const std::string& rest) {
  return "partsim: 1\nname: several\nduration: 10s\n" + rest;
}

std::string client(const std::string& more) {
  return "clients:\n  app: {rate: 1/s, operations: [{create: 100%}]" + more + "}\n";
}

const std::string kKey = "partition_key: \"{k}\", items: {fields: {k: {choose: 9}}}";
const std::string kTwo = "containers:\n  zebra: {throughput: 500 RU/s, " + kKey +
                         "}\n  ant: {throughput: 600 RU/s, " + kKey + "}\n";
const std::string kShared = "containers:\n  zebra: {" + kKey + "}\n  ant: {" + kKey + "}\n";

const Scenario only(const StudyFile& study) {
  return study.variants.front().scenario;
}

TEST_CASE("Containers have names, and clients say which they use", "[loader]") {
  const Scenario s =
      only(check_accepted("two", scenario_with(kTwo + client(", container: zebra"))));
  REQUIRE(s.containers.size() == 2);
  CHECK(s.containers[0].name == "ant");
  CHECK(s.containers[0].throughput.mru_per_s == 600'000);
  CHECK(s.containers[1].name == "zebra");
  CHECK_FALSE(s.containers[1].shares_database);
  CHECK_FALSE(s.database.has_value());
  CHECK(s.clients.front().container == 1);
}

TEST_CASE("A client of several containers must choose one that exists", "[loader]") {
  check_refused({"none",
                 scenario_with(kTwo + client("")),
                 "8:3",
                 {"missing key 'container'", "expected one of ant, zebra"}});
  check_refused({"unknown",
                 scenario_with(kTwo + client(", container: zebar")),
                 "8:61",
                 {"unknown container 'zebar'", "did you mean 'zebra'?"}});
  const std::string one = "containers:\n  ant: {throughput: 600 RU/s, " + kKey + "}\n";
  CHECK(
      only(check_accepted("only one", scenario_with(one + client("")))).clients.front().container ==
      0);
  check_accepted("the unnamed one", std::string(kSmallest) + "    container: main\n");
  check_refused({"the unnamed one has no other name",
                 std::string(kSmallest) + "    container: ant\n",
                 "14:16",
                 {"unknown container 'ant', expected one of main"}});
}

TEST_CASE("A file has one container or several", "[loader]") {
  check_refused(
      {"neither", scenario_with(client("")), "1:1", {"missing key", "container, containers"}});
  check_refused({"both",
                 std::string(kSmallest) + kTwo,
                 "14:1",
                 {"'containers' does not go with 'container'"}});
  check_refused({"none", scenario_with("containers: {}\n" + client("")), "4:1", {"0 members"}});
  check_refused({"a reserved name",
                 scenario_with("containers:\n  Database: {throughput: 500 RU/s, " + kKey + "}\n" +
                               client("")),
                 "5:3",
                 {"reserved name"}});
}

TEST_CASE("Mistakes of a named container are found where it stands", "[loader]") {
  const auto with_key = [](const std::string& text) {
    return scenario_with("containers:\n  ant: {throughput: 450 RU/s, " + text + "}\n" + client(""));
  };
  check_refused({"throughput", with_key(kKey), "5:21", {"multiple of 100 RU/s"}});
  const std::string main =
      scenario_with("containers:\n  main: {throughput: 450 RU/s, " + kKey + "}\n" + client(""));
  check_refused({"one that is called main", main, "5:22", {"multiple of 100 RU/s"}});
  check_refused({"unknown key",
                 scenario_with("containers:\n  ant: {throughput: 500 RU/s, hsh: v1, " + kKey +
                               "}\n" + client("")),
                 "5:31",
                 {"unknown key 'hsh' in 'container'"}});
}

TEST_CASE("Containers without throughput share that of the database", "[loader]") {
  const Scenario s = only(
      check_accepted("shared", scenario_with("database: {autoscale: 20000 RU/s, partitions: 3}\n" +
                                             kShared + client(", container: ant"))));
  REQUIRE(s.database.has_value());
  CHECK(s.database->throughput.mode == CapacityMode::autoscale);
  CHECK(s.database->throughput.mru_per_s == 20'000'000);
  CHECK(s.database->throughput.partitions == 3);
  CHECK(s.containers[0].shares_database);
  CHECK(s.containers[1].shares_database);
}

TEST_CASE("A database is there to be shared, and shared only if it is there", "[loader]") {
  const std::string text = kShared + client(", container: ant");
  check_refused_among_others({"missing",
                              scenario_with(text),
                              "5:10",
                              {"no throughput, and no database to share", "'database' section"}});
  check_refused(
      {"nobody",
       scenario_with("database: {throughput: 400 RU/s}\n" + kTwo + client(", container: ant")),
       "4:11",
       {"nobody shares the database"}});
  check_refused({"with one container",
                 std::string(kSmallest) + "database: {throughput: 400 RU/s}\n",
                 "14:1",
                 {"'database' does not go with 'container'"}});
  check_refused({"partitions of one who shares",
                 scenario_with("database: {throughput: 400 RU/s}\ncontainers:\n  ant: {partitions: "
                               "2, " +
                               kKey + "}\n" + client("")),
                 "6:9",
                 {"'partitions' needs one of throughput, autoscale"}});
  check_refused({"too little",
                 scenario_with("database: {throughput: 300 RU/s}\n" + text),
                 "4:24",
                 {"at least 400 RU/s"}});
}

TEST_CASE("Who shares a database hashes alike", "[loader]") {
  const auto text = [](const std::string& more) {
    return scenario_with("database: {throughput: 400 RU/s}\ncontainers:\n  ant: {" + kKey +
                         "}\n  bee: {items: {fields: {k: {choose: 9}}}, " + more + "}\n" +
                         client(", container: ant"));
  };
  check_accepted("alike", text("partition_key: \"{k}\""));
  check_refused(
      {"v1", text("partition_key: \"{k}\", hash: v1"), "7:59", {"need the same hash", "'ant'"}});
  check_refused({"levels", text("partition_key: [\"{k}\", x]"), "7:59", {"need the same hash"}});
}

TEST_CASE("A read knows the fields of its own container", "[loader]") {
  const Scenario s = only(check_accepted(
      "fields",
      scenario_with("containers:\n  ant: {throughput: 400 RU/s, " + kKey +
                    "}\n  bee: {throughput: 400 RU/s, partition_key: \"{j}\", items: {fields: {i: "
                    "{unique: true}, j: {choose: 3}}}}\nclients:\n  app: {container: bee, rate: "
                    "1/s, operations: [{read: 100%}]}\n")));
  CHECK(s.clients.front().operations.front().given == std::vector<std::string>{"i", "j"});
}

TEST_CASE("Regions have names, and the first is the default of a client", "[loader]") {
  const Scenario s = only(check_accepted(
      "regions", std::string(kSmallest) +
                     "    region: east\nregions: [west, east]\nmulti_region_writes: true\n"));
  CHECK(s.regions == std::vector<std::string>{"west", "east"});
  CHECK(s.multi_region_writes);
  CHECK(s.clients.front().region == 1);
  const Scenario plain = only(check_accepted("default", kSmallest));
  CHECK(plain.regions == std::vector<std::string>{"main"});
  CHECK_FALSE(plain.multi_region_writes);
  CHECK(plain.clients.front().region == 0);
}

TEST_CASE("Regions are one to eight different names", "[loader]") {
  const auto regions = [](const std::string& list) {
    return "regions: " + list + "\n" + std::string(kSmallest);
  };
  check_accepted("eight", regions("[a, b, c, d, e, f, g, h]"));
  check_refused(
      {"nine", regions("[a, b, c, d, e, f, g, h, i]"), "1:10", {"9 items, expected 1 to 8"}});
  check_refused({"none", regions("[]"), "1:10", {"0 items"}});
  check_refused({"twice", regions("[a, b, a]"), "1:17", {"is there twice, got 'a'"}});
  check_refused({"not a name", regions("[\"a b\"]"), "1:11", {"a name may hold"}});
  check_refused({"a client elsewhere",
                 std::string(kSmallest) + "    region: wset\nregions: [west, east]\n",
                 "14:13",
                 {"unknown region 'wset', expected one of west, east", "did you mean 'west'?"}});
}

TEST_CASE("A variant has other containers", "[loader]") {
  const StudyFile study =
      check_accepted("others", std::string(kSmallest) +
                                   "    container: main\nvariants:\n  same: {}\n  named: "
                                   "{containers: {main: {throughput: 500 RU/s, " +
                                   kKey + "}, other: {throughput: 600 RU/s, " + kKey + "}}}\n");
  CHECK(study.variants[0].scenario.containers.size() == 1);
  CHECK(study.variants[1].scenario.containers.size() == 2);
  const StudyFile back = check_accepted(
      "back",
      scenario_with("database: {throughput: 400 RU/s}\ncontainers:\n  main: {" + kKey + "}\n" +
                    client("") + "variants:\n  one: {container: {throughput: 700 RU/s, " + kKey +
                    "}}\n"));
  const Scenario& one = back.variants.front().scenario;
  CHECK_FALSE(one.database.has_value());
  CHECK(one.containers.front().throughput.mru_per_s == 700'000);
}

}  // namespace
}  // namespace partsim::testing
