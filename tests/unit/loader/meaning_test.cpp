// Meaning and range: values that are well written and still impossible.
#include "scenario_text.hpp"
#include "support/catch.hpp"

namespace partsim::testing {
namespace {

const Slot kPartitions{"  partition_key: \"{k}\"", "  partition_key: \"{k}\"\n  partitions: $"};
const Slot kThroughput{"  throughput: 400 RU/s", "  throughput: $"};
const Slot kOperations{"    operations: [{create: 100%}]", "    operations: $"};
const Slot kField{"      k: {choose: 10}", "      k: $"};

Slot parameter(const std::string& name) {
  return {"clients:", "parameters:\n  " + name + ": $\nclients:"};
}

TEST_CASE("A container has 1 to 10000 partitions, none above its most RU/s", "[loader]") {
  check_refused({"H01", filled(kPartitions, "0"), "7:15", {"between 1 and 10000"}});
  check_refused({"H03", filled(kPartitions, "1.5"), "7:15", {"not an integer"}});
  check_accepted("least", filled(kPartitions, "1"));
  check_accepted("most", filled(kPartitions, "10000"));
  check_refused({"one more", filled(kPartitions, "10001"), "7:15", {"between 1 and 10000"}});
  check_accepted("10000 RU/s in one",
                 with("  throughput: 400 RU/s", "  throughput: 10000 RU/s\n  partitions: 1"));
  check_refused({"10100 RU/s in one",
                 with("  throughput: 400 RU/s", "  throughput: 10100 RU/s\n  partitions: 1"),
                 "6:15",
                 {"too much for a partition", "at most 10000 RU/s each", "at least 2 partitions"}});
}

TEST_CASE("Throughput is at least the minimum and a multiple of the step", "[loader]") {
  check_refused({"H05", filled(kThroughput, "0 RU/s"), "5:15", {"out of range"}});
  check_refused({"H07", filled(kThroughput, ".nan"), "5:15", {"is not a throughput"}});
  check_refused({"below", filled(kThroughput, "300 RU/s"), "5:15", {"at least 400 RU/s"}});
  check_refused({"between", filled(kThroughput, "450 RU/s"), "5:15", {"multiple of 100 RU/s"}});
  check_accepted("next", filled(kThroughput, "500 RU/s"));
  // 6000 RU/s for each partition of a new container: 10000 partitions end at 60 million.
  check_accepted("most by the rule", filled(kThroughput, "60000000 RU/s"));
  check_refused({"more",
                 filled(kThroughput, "60000100 RU/s"),
                 "5:15",
                 {"partitions are out of range", "got 10001"}});
}

TEST_CASE("A charge is above zero and fits its counter", "[loader]") {
  const Slot charge{"    operations: [{create: 100%}]",
                    "    operations: [{create: 100%, charge: $}]"};
  check_refused({"H11", filled(charge, "-1 RU"), "13:41", {"is not a charge"}});
  check_refused({"zero", filled(charge, "0 RU"), "13:41", {"out of range"}});
  check_accepted("least", filled(charge, "0.001 RU"));
  check_accepted("most", filled(charge, "4000000 RU"));
  check_refused({"more", filled(charge, "4000000.001 RU"), "13:41", {"out of range"}});
}

TEST_CASE("What a request may cost is bounded, whatever makes it dear", "[loader]") {
  const auto with_match_at = [](const std::string& ru) {
    std::string text =
        filled(kOperations, "[{query: 100%, given: [], matches: 1000000, returned: 0}]");
    return text + "parameters: {query_ru_per_match: " + ru + "}\n";
  };
  // One partition may hold every match: 2.5 RU and a million times the RU of a match.
  check_accepted("3999002.5 RU", with_match_at("3.999"));
  check_refused(
      {"4000002.5 RU", with_match_at("4"), "13:18", {"a request may cost more than 4000000 RU"}});
}

TEST_CASE("More work than a run can do is over a limit", "[loader]") {
  check_refused({"H13",
                 with("    rate: 10/s", "    at_once: 1000000000000000000"),
                 "12:14",
                 {"too much work", "10000000000 requests", "1000000000000000000"},
                 true});
  check_refused({"by rate",
                 with("    rate: 10/s", "    rate: 1000000001/1s"),
                 "12:11",
                 {"at most 1000000000/s"}});
  // 10 s at 1e9/s is 1e10 requests, the most; a nanosecond more is too much.
  check_accepted("at the limit", with("    rate: 10/s", "    rate: 1000000000/s"));
  check_refused({"past it",
                 "partsim: 1\nname: a\nduration: 10.1s\ncontainer:\n  throughput: 400 RU/s\n"
                 "  partition_key: x\nclients:\n  a:\n    rate: 1000000000/s\n"
                 "    operations: [{create: 100%}]\n",
                 "9:11",
                 {"too much work"},
                 true});
}

TEST_CASE("The run lasts, and longer than its warm-up", "[loader]") {
  check_refused({"H17", with("duration: 10s", "duration: 0s"), "3:11", {"out of range"}});
  check_refused({"H21",
                 with("duration: 10s", "warm_up: 10s\nduration: 10s"),
                 "4:11",
                 {"warm-up must end before the run"}});
  check_accepted("just", with("duration: 10s", "warm_up: 9.999999999s\nduration: 10s"));
  check_refused({"at its end",
                 with("    rate: 10/s", "    at_once: 5\n    at: 10s"),
                 "13:9",
                 {"not inside the run", "below 10s"}});
}

TEST_CASE("The accounting window fits a second and the run", "[loader]") {
  const Slot window = parameter("throttle_window_ms");
  check_refused({"H23", filled(window, "0"), "11:23", {"out of range"}});
  check_refused({"H25", filled(window, "3600000"), "11:23", {"longer than the run"}});
  check_refused({"crooked", filled(window, "300"), "11:23", {"must divide a second"}});
  check_refused({"crooked seconds", filled(window, "1500"), "11:23", {"whole seconds"}});
  for (const std::string good : {"1", "100", "250", "500", "1000", "2000", "10000"}) {
    check_accepted(good, filled(window, good));
  }
}

TEST_CASE("The shares of a client sum to 100%", "[loader]") {
  check_refused({"H27",
                 filled(kOperations, "[{create: 50%}, {read: 70%}]"),
                 "13:17",
                 {"shares must sum to 100%", "got 120%"}});
  check_refused({"less", filled(kOperations, "[{create: 50%}]"), "13:17", {"got 50%"}});
  check_refused({"H29", filled(kOperations, "[{create: .nan}]"), "13:27", {"a percentage"}});
  check_refused({"one alone", filled(kOperations, "[{create: 101%}]"), "13:27", {"out of range"}});
  check_refused({"zero", filled(kOperations, "[{create: 0%}]"), "13:27", {"out of range"}});
}

TEST_CASE("Fields have values to choose from and laws that make sense", "[loader]") {
  check_refused(
      {"H37", filled(kField, "{choose: 10, zipf: 1000000}"), "9:29", {"between 0 and 10"}});
  check_refused({"H39", filled(kField, "{choose: 0}"), "9:19", {"between 1 and 1000000000"}});
  check_refused({"no values", filled(kField, "{values: []}"), "9:19", {"0 items"}});
  check_refused({"hot", filled(kField, "{choose: 9, hot: {share: 0%, of: 9%}}"), "", {"'share'"}});
  check_accepted("steepest", filled(kField, "{choose: 10, zipf: 10}"));
  check_accepted("flattest", filled(kField, "{choose: 10, zipf: 0}"));
}

TEST_CASE("An item has a size the container takes", "[loader]") {
  const Slot size{"  items:", "  items:\n    size: $"};
  check_refused({"H41", filled(size, "0 B"), "8:11", {"out of range"}});
  check_refused({"H43", filled(size, "-1 B"), "8:11", {"is not a size"}});
  check_accepted("2 MB", filled(size, "2 MB"));
  check_refused({"more", filled(size, "2097153 B"), "8:11", {"1 B to 2 MB"}});
}

TEST_CASE("Retries end, and waits are not zero", "[loader]") {
  const Slot retries{"    rate: 10/s", "    rate: 10/s\n    retry: {max_retries: $}"};
  check_refused({"H45", filled(retries, "1000000000"), "13:26", {"between 0 and 255"}});
  check_accepted("most", filled(retries, "255"));
  check_refused({"H45 without a wait",
                 filled(parameter("retry_after_min_ms"), "0"),
                 "11:23",
                 {"retries without a wait would never end"}});
  const Slot jitter{"    rate: 10/s", "    rate: 10/s\n    retry: {jitter: $}"};
  check_refused({"H47", filled(jitter, "200%"), "13:21", {"out of range"}});
  check_accepted("all of it", filled(jitter, "100%"));
}

TEST_CASE("Latencies are ordered and can be counted", "[loader]") {
  check_refused({"below the median",
                 filled(parameter("read_latency_p99_ms"), "1"),
                 "11:24",
                 {"below the median", "at least 2ms", "got 1ms"}});
  check_refused({"an hour over 5 ms",
                 filled(parameter("write_latency_p99_ms"), "3600000"),
                 "11:25",
                 {"too far above the median"}});
}

TEST_CASE("A name that nothing has is refused with those that exist", "[loader]") {
  check_refused({"H53 in a key",
                 with("  partition_key: \"{k}\"", "  partition_key: \"{nobody}\""),
                 "6:18",
                 {"unknown field 'nobody'", "known fields: k"}});
  check_refused({"a level",
                 with("  partition_key: \"{k}\"", R"(  partition_key: ["{k}", "{nobody}"])"),
                 "6:26",
                 {"unknown field 'nobody'"}});
  check_refused({"H53 in given",
                 filled(kOperations, "[{read: 100%, given: [k, nobody]}]"),
                 "13:42",
                 {"unknown field 'nobody' in 'given'", "known fields: k"}});
  check_refused(
      {"twice", filled(kOperations, "[{read: 100%, given: [k, k]}]"), "13:42", {"is there twice"}});
  check_refused({"more than match",
                 filled(kOperations, "[{query: 100%, given: [k], matches: 2, returned: 3}]"),
                 "13:66",
                 {"more items returned than match", "at most 2"}});
}

TEST_CASE("A key template is checked to the character", "[loader]") {
  const Slot key{"  partition_key: \"{k}\"", "  partition_key: $"};
  check_refused({"open", filled(key, "\"{k\""), "6:18", {"not a key template", "character"}});
  check_refused({"backwards", filled(key, "\"{random 5..1}\""), "6:18", {"not a key template"}});
  check_refused({"empty", filled(key, "\"\""), "6:18", {"empty"}});
  check_refused({"v1 has one level",
                 with("  partition_key: \"{k}\"", "  partition_key: [\"{k}\", x]\n  hash: v1"),
                 "7:9",
                 {"hash v1 has no hierarchical keys"}});
  const StudyFile study = check_accepted("levels", filled(key, R"(["{k}", "a{hash k 1..4}"])"));
  CHECK(study.variants.front().scenario.containers.front().hash == HashVersion::multihash);
}

}  // namespace
}  // namespace partsim::testing
