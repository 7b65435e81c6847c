// What a timeline asks of the service: how it is written, and what could never be granted.
#include "scenario_text.hpp"
#include "support/catch.hpp"

namespace partsim::testing {
namespace {

/// The entries begin on line 15.
std::string timeline(const std::string& entries, const std::string& throughput = "10000 RU/s") {
  return with("  throughput: 400 RU/s", "  throughput: " + throughput) + "timeline:\n" + entries;
}

std::vector<TimelineEntry> entries_of(const std::string& text) {
  return check_accepted("timeline", text).variants.front().scenario.timeline;
}

TEST_CASE("A timeline sets throughput, merges and redistributes", "[loader]") {
  const auto entries =
      entries_of(timeline("  - {at: 5s, redistribute: {1: 5000 RU/s, 0: 15000 RU/s}}\n"
                          "  - {at: 1s, throughput: 30000 RU/s}\n"
                          "  - {at: 7s, merge: true}\n"
                          "  - {at: 5s, redistribute: equal}\n") +
                 "parameters: {merge_enabled: true}\n");
  REQUIRE(entries.size() == 4);
  // By time; those of one instant in the order of the file.
  CHECK(entries[0].at_ns == kSecond);
  CHECK(std::get<SetThroughput>(entries[0].action).mru_per_s == 30'000'000);
  const auto& custom = std::get<Redistribute>(entries[1].action).targets;
  REQUIRE(custom.size() == 2);
  CHECK(custom[0].partition == 0);
  CHECK(custom[0].mru_per_s == 15'000'000);
  CHECK(custom[1].partition == 1);
  CHECK(custom[1].mru_per_s == 5'000'000);
  CHECK(std::get<Redistribute>(entries[2].action).targets.empty());
  CHECK(std::holds_alternative<MergePartitions>(entries[3].action));
}

TEST_CASE("A timeline sets a DynamoDB table's units of reads and of writes", "[loader]") {
  const auto table = [](const std::string& entry) {
    return with("  throughput: 400 RU/s", "  capacity_units: {read: 5000, write: 2000}") +
           "timeline:\n  - " + entry + "\nprovider: dynamodb\n";
  };
  const auto entries = entries_of(table("{at: 1s, capacity_units: {read: 8000, write: 2000}}"));
  REQUIRE(entries.size() == 1);
  const auto& set = std::get<SetThroughput>(entries[0].action);
  REQUIRE(set.units.has_value());
  CHECK(set.units->read_per_s == 8'000'000);
  CHECK(set.units->write_per_s == 2'000'000);
  CHECK(set.mru_per_s == 10'000'000);
  const auto in_ru = entries_of(table("{at: 1s, throughput: 8000 RU/s}"));
  CHECK_FALSE(std::get<SetThroughput>(in_ru.at(0).action).units.has_value());

  check_refused({"cosmos",
                 timeline("  - {at: 1s, capacity_units: {read: 5, write: 5}}\n"),
                 "15:30",
                 {"sold by dynamodb only, expected throughput or autoscale"}});
  check_refused({"one is missing",
                 table("{at: 1s, capacity_units: {read: 5}}"),
                 "15:14",
                 {"missing key 'write' in 'capacity_units'"}});
  check_refused({"both",
                 table("{at: 1s, throughput: 400 RU/s, capacity_units: {read: 5, write: 5}}"),
                 "15:36",
                 {"'capacity_units' does not go with 'throughput'"}});
  check_refused({"too many",
                 table("{at: 1s, capacity_units: {read: 100000000, write: 1}}"),
                 "15:30",
                 {"partitions are out of range"}});
}

TEST_CASE("An entry has a time and one thing to do", "[loader]") {
  check_refused(
      {"no time", timeline("  - {throughput: 400 RU/s}\n"), "15:5", {"missing key 'at'"}});
  check_refused(
      {"nothing", timeline("  - {at: 1s}\n"), "15:5", {"nothing selected in 'timeline'"}});
  check_refused({"two",
                 timeline("  - {at: 1s, throughput: 400 RU/s, merge: true}\n"),
                 "15:36",
                 {"'merge' does not go with 'throughput'"}});
  check_refused({"at the end",
                 timeline("  - {at: 10s, throughput: 400 RU/s}\n"),
                 "15:10",
                 {"not inside the run, expected below 10s, got 10s"}});
  check_refused(
      {"no merging", timeline("  - {at: 1s, merge: false}\n"), "15:21", {"expected true"}});
}

TEST_CASE("Merging must be switched on", "[loader]") {
  check_refused({"off",
                 timeline("  - {at: 1s, merge: true}\n"),
                 "15:21",
                 {"merging is off", "merge_enabled: true"}});
}

TEST_CASE("Targets obey the minimum and the steps of the way they are bought", "[loader]") {
  check_refused(
      {"low", timeline("  - {at: 1s, throughput: 300 RU/s}\n"), "15:26", {"at least 400 RU/s"}});
  check_refused(
      {"between", timeline("  - {at: 1s, throughput: 450 RU/s}\n"), "15:26", {"multiple of 100"}});
  check_refused({"wrong way",
                 timeline("  - {at: 1s, autoscale: 4000 RU/s}\n"),
                 "15:14",
                 {"'autoscale' does not fit", "expected 'throughput'"}});
  const std::string scaling =
      with("  throughput: 400 RU/s", "  autoscale: 20000 RU/s") + "timeline:\n";
  check_accepted("autoscale", scaling + "  - {at: 1s, autoscale: 2000 RU/s}\n");
  // a tenth of the highest there ever was
  check_refused(
      {"high water",
       scaling + "  - {at: 1s, autoscale: 30000 RU/s}\n  - {at: 2s, autoscale: 2000 RU/s}\n",
       "16:25",
       {"at least 3000 RU/s", "it once had 30000 RU/s"}});
  check_refused({"wrong way too",
                 scaling + "  - {at: 1s, throughput: 2000 RU/s}\n",
                 "15:14",
                 {"expected 'autoscale'"}});
  check_refused({"serverless",
                 with("  throughput: 400 RU/s", "  serverless: true") +
                     "timeline: [{at: 1s, throughput: 500 RU/s}]\n",
                 "14:12",
                 {"no throughput to set"}});
}

TEST_CASE("What was bought once keeps a hundredth of it for good", "[loader]") {
  const auto fall = [](const std::string& ru) {
    return timeline("  - {at: 1s, throughput: 100000 RU/s}\n  - {at: 2s, throughput: " + ru +
                    "}\n");
  };
  check_accepted("1000", fall("1000 RU/s"));
  check_refused({"900", fall("900 RU/s"), "16:26", {"at least 1000 RU/s", "100000 RU/s"}});
}

TEST_CASE("No timeline grows to more than 10000 partitions", "[loader]") {
  check_accepted("10000", timeline("  - {at: 1s, throughput: 100000000 RU/s}\n"));
  check_refused({"one more",
                 timeline("  - {at: 1s, throughput: 100000100 RU/s}\n"),
                 "15:26",
                 {"partitions are out of range", "got 10001"}});
}

TEST_CASE("A partition is redistributed at most twice what it can hold", "[loader]") {
  check_accepted("20000", timeline("  - {at: 1s, redistribute: {0: 20000 RU/s}}\n"));
  check_refused({"more",
                 timeline("  - {at: 1s, redistribute: {0: 20100 RU/s}}\n"),
                 "15:32",
                 {"at most 20000 RU/s, got 20100 RU/s", "above 10000 RU/s it splits"}});
  check_refused({"nobody", timeline("  - {at: 1s, redistribute: {}}\n"), "15:28", {"0 members"}});
  check_refused({"a name",
                 timeline("  - {at: 1s, redistribute: {first: 400 RU/s}}\n"),
                 "15:29",
                 {"goes by its id"}});
  check_refused({"a word",
                 timeline("  - {at: 1s, redistribute: even}\n"),
                 "15:28",
                 {"expected equal, or a mapping"}});
  check_refused(
      {"no unit", timeline("  - {at: 1s, redistribute: {0: 400}}\n"), "15:32", {"has no unit"}});
  check_refused({"dynamodb",
                 timeline("  - {at: 1s, redistribute: equal}\n") + "provider: dynamodb\n",
                 "15:28",
                 {"no throughput to redistribute"}});
}

TEST_CASE("Mistakes are found where they were written, not where they are sorted", "[loader]") {
  check_refused(
      {"the later one",
       timeline("  - {at: 9s, throughput: 450 RU/s}\n  - {at: 1s, throughput: 500 RU/s}\n"),
       "15:26",
       {"multiple of 100 RU/s"}});
}

const std::string kFields = "partition_key: \"{k}\", items: {fields: {k: {choose: 9}}}";

std::string two_pools(const std::string& entry) {
  return "partsim: 1\nname: a\nduration: 10s\ncontainers:\n  ant: {throughput: 500 RU/s, " +
         kFields + "}\n  bee: {autoscale: 5000 RU/s, " + kFields +
         "}\nclients:\n  app: {container: ant, rate: 1/s, operations: [{create: "
         "100%}]}\ntimeline:\n  - " +
         entry + "\n";
}

TEST_CASE("Where several have throughput an entry says whose", "[loader]") {
  const auto entries = entries_of(two_pools("{at: 1s, container: bee, autoscale: 9000 RU/s}"));
  CHECK(entries.front().container == 1);
  check_refused({"nobody",
                 two_pools("{at: 1s, throughput: 900 RU/s}"),
                 "10:5",
                 {"missing key 'container' in 'timeline'", "ant, bee"}});
  check_refused({"unknown",
                 two_pools("{at: 1s, container: be, throughput: 900 RU/s}"),
                 "10:25",
                 {"unknown container 'be'", "did you mean 'bee'?"}});
  check_refused({"the other way",
                 two_pools("{at: 1s, container: bee, throughput: 900 RU/s}"),
                 "10:30",
                 {"expected 'autoscale'"}});
}

TEST_CASE("Who shares a database stands for all of it", "[loader]") {
  const std::string text =
      "partsim: 1\nname: a\nduration: 10s\ndatabase: {throughput: 500 RU/s}\ncontainers:\n  ant: "
      "{" +
      kFields + "}\n  bee: {" + kFields +
      "}\nclients:\n  app: {container: ant, rate: 1/s, operations: [{create: 100%}]}\n";
  CHECK(entries_of(text + "timeline: [{at: 1s, throughput: 900 RU/s}]\n").front().container == 0);
  CHECK(entries_of(text + "timeline: [{at: 1s, container: bee, throughput: 900 RU/s}]\n")
            .front()
            .container == 1);
}

TEST_CASE("A variant replaces the timeline, and can do without", "[loader]") {
  const StudyFile study = check_accepted(
      "variants",
      timeline("  - {at: 1s, throughput: 30000 RU/s}\n  - {at: 2s, throughput: 9000 RU/s}\n") +
          "variants:\n  none: {timeline: []}\n  other: {timeline: [{at: 3s, throughput: "
          "20000 RU/s}]}\n  same: {}\n");
  CHECK(study.variants[0].scenario.timeline.empty());
  CHECK(study.variants[1].scenario.timeline.size() == 1);
  CHECK(study.variants[2].scenario.timeline.size() == 2);
}

TEST_CASE("The resolved view of every new part reads back", "[loader]") {
  const auto reads_back = [](const std::string& text) {
    LoadResult result;
    const std::string first = explain_study(text, "a.yaml", {}, result);
    for (const Diagnostic& diagnostic : result.diagnostics) {
      FAIL_CHECK(brief(diagnostic));
    }
    INFO(first);
    const std::string again = explain_study(first, "b.yaml", {}, result);
    const auto plain = [](std::string view) {
      static const std::string kMark = "  # default";
      for (std::size_t at = view.find(kMark); at != std::string::npos; at = view.find(kMark)) {
        view.erase(at, kMark.size());
      }
      return view;
    };
    CHECK(result.diagnostics.empty());
    CHECK(plain(again) == plain(first));
  };
  reads_back(
      timeline("  - {at: 5s, redistribute: {1: 5000 RU/s, 0: 15000 RU/s}}\n"
               "  - {at: 1s, throughput: 30000 RU/s}\n  - {at: 5s, redistribute: equal}\n"));
  reads_back(
      two_pools("{at: 1s, container: bee, autoscale: 9000 RU/s}") +
      "regions: [west, east]\nburst: true\nvariants:\n  v: {burst: false, timeline: []}\n"
      "  w: {container: {serverless: true, partition_key: x}, clients: {app: {container: main}},"
      " timeline: [], regions: [one]}\n");
  reads_back("provider: dynamodb\n" +
             with("  throughput: 400 RU/s",
                  "  capacity_units: {read: 5, write: 6}\n  throughput_buckets: {2: 5%}\n"
                  "  storage: 1 GB\n  ttl: 5s") +
             "    bucket: 2\n    priority: low\nvariants: {c: {provider: cosmos, container: "
             "{throughput: 400 RU/s}}, d: {}}\n");
}

}  // namespace
}  // namespace partsim::testing
