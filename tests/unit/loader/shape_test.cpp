// Keys and shape: duplicate, unknown, missing and misplaced ones, and values of the wrong type.
#include "scenario_text.hpp"
#include "support/catch.hpp"

namespace partsim::testing {
namespace {

TEST_CASE("A key given twice is refused with both places", "[loader]") {
  check_refused({"D01",
                 with("duration: 10s", "duration: 10s\nduration: 20s"),
                 "4:1",
                 {"duplicate key 'duration'", "first at 3:1"}});
  check_refused({"D03",
                 with("duration: 10s", "duration: 10s\n\"duration\": 20s"),
                 "4:1",
                 {"duplicate key 'duration'", "first at 3:1"}});
  check_refused({"inside",
                 with("      k: {choose: 10}", "      k: {choose: 10, choose: 11}"),
                 "9:23",
                 {"duplicate key 'choose'", "first at 9:11"}});
  check_refused({"in a variant",
                 and_then("variants: {a: {}, a: {}}\n"),
                 "14:19",
                 {"duplicate key 'a'", "first at 14:12"}});
}

TEST_CASE("A misspelt key is reported once, where it stands, with the key that was meant",
          "[loader]") {
  check_refused({"D05",
                 with("duration: 10s", "duratoin: 10s"),
                 "3:1",
                 {"unknown key 'duratoin'", "did you mean 'duration'?"}});
  check_refused({"D07",
                 with("duration: 10s", "Duration: 10s"),
                 "3:1",
                 {"unknown key 'Duration'", "case-sensitive", "did you mean 'duration'?"}});
  check_refused({"required and nested",
                 with("  throughput: 400 RU/s", "  troughput: 400 RU/s"),
                 "5:3",
                 {"unknown key 'troughput' in 'container'", "did you mean 'throughput'?"}});
  check_refused({"the one that decides",
                 with("    rate: 10/s", "    ratte: 10/s"),
                 "12:5",
                 {"unknown key 'ratte' in 'client'", "did you mean 'rate'?"}});
  check_refused(
      {"inside an operation",
       with("    operations: [{create: 100%}]", "    operations: [{query: 100%, givn: [k]}]"),
       "13:32",
       {"unknown key 'givn' in 'operation'", "did you mean 'given'?"}});
  check_refused({"a parameter",
                 and_then("parameters: {throttle_windows_ms: 1000}\n"),
                 "14:14",
                 {"unknown key 'throttle_windows_ms'", "did you mean 'throttle_window_ms'?"}});
}

TEST_CASE("A key unlike any other is reported with the known ones", "[loader]") {
  check_refused({"far off", and_then("zzz: 1\n"), "14:1", {"unknown key 'zzz'", "known keys:"}});
  check_refused({"D09", and_then("container.partitions: 1\n"), "14:1", {"unknown key"}});
  check_refused({"in a worker",
                 with("  items:", "  workers: {count: 1, qqqqqqqqqqqq: 2}\n  items:"),
                 "7:23",
                 {"unknown key 'qqqqqqqqqqqq' in 'workers'", "count, queue_limit"}});
}

TEST_CASE("A missing key is reported at the section that lacks it", "[loader]") {
  check_refused({"at the top",
                 with("duration: 10s", "seed: 1"),
                 "1:1",
                 {"missing key 'duration'", "expected a duration"}});
  check_refused({"in the container",
                 with("  throughput: 400 RU/s", "  partitions: 1"),
                 "4:1",
                 {"nothing selected in 'container'", "throughput, autoscale, serverless"}});
  check_refused({"of a client",
                 with("    operations: [{create: 100%}]", "    retry: none"),
                 "11:3",
                 {"missing key 'operations' in 'client'"}});
  check_refused({"the one that decides",
                 with("    rate: 10/s", "    retry: none"),
                 "11:3",
                 {"nothing selected", "rate, at_once"}});
  check_refused({"of a query",
                 with("    operations: [{create: 100%}]", "    operations: [{query: 100%}]"),
                 "13:18",
                 {"missing key 'given' beside 'query'"}});
}

TEST_CASE("An empty section is reported behind its colon", "[loader]") {
  check_refused({"D15", and_then("parameters:\n"), "14:12", {"section 'parameters' is empty"}});
  check_refused({"with a comment", and_then("parameters:   # none\n"), "14:12", {"is empty"}});
  check_refused(
      {"nested", with("      k: {choose: 10}", "      k:"), "9:9", {"section 'k' is empty"}});
  check_refused({"by a word", and_then("parameters: null\n"), "14:13", {"'parameters' is null"}});
  check_refused({"by a tilde", and_then("parameters: ~\n"), "14:13", {"'parameters' is null"}});
}

TEST_CASE("A value of the wrong type is reported with what was expected", "[loader]") {
  check_refused({"D17",
                 and_then("parameters: []\n"),
                 "14:13",
                 {"'parameters' has the wrong type", "expected a mapping", "got a list"}});
  check_refused({"D19",
                 and_then("parameters: text\n"),
                 "14:13",
                 {"'parameters' has the wrong type", "expected a mapping", "got 'text'"}});
  check_refused({"D21",
                 and_then("expect: 5\n"),
                 "14:9",
                 {"'expect' has the wrong type", "expected a list", "got '5'"}});
  check_refused({"a mapping for text", and_then("title: {a: 1}\n"), "14:8", {"got a mapping"}});
  check_refused({"a list for a word", and_then("provider: [cosmos]\n"), "14:11", {"got a list"}});
}

TEST_CASE("An item of a list has a value and the type of its list", "[loader]") {
  check_refused({"D23",
                 and_then("expect:\n  -\n  - attempts > 1\n"),
                 "15:4",
                 {"item 1 of 'expect' is empty"}});
  check_refused({"the last",
                 and_then("expect:\n  - attempts > 1\n  -   # nothing\n"),
                 "16:4",
                 {"item 2 of 'expect' is empty"}});
  check_refused({"D25",
                 and_then("expect: [attempts > 1, {b: 1}]\n"),
                 "14:24",
                 {"item 2 of 'expect' has the wrong type", "got a mapping"}});
  check_refused({"an operation by its word",
                 with("    operations: [{create: 100%}]", "    operations: [create]"),
                 "13:18",
                 {"item 1 of 'operations' has the wrong type", "expected a mapping"}});
}

TEST_CASE("Lists and mappings of names have a least and a most", "[loader]") {
  check_refused({"no operation",
                 with("    operations: [{create: 100%}]", "    operations: []"),
                 "13:17",
                 {"'operations' has 0 items", "expected 1 to 64"}});
  check_refused({"no client",
                 "partsim: 1\nname: a\nduration: 1s\ncontainer: {throughput: 400 RU/s, "
                 "partition_key: k}\nclients: {}\n",
                 "5:1",
                 {"'clients' has 0 members", "expected 1 to 1024"}});
  check_refused({"four levels",
                 with("  partition_key: \"{k}\"", "  partition_key: [a, b, c, d]"),
                 "6:18",
                 {"'partition_key' has 4 items", "expected 1 to 3"}});
}

TEST_CASE("Keys that exclude each other are reported at the second", "[loader]") {
  check_refused(
      {"zipf and hot",
       with("      k: {choose: 10}", "      k: {choose: 10, zipf: 1, hot: {share: 80%, of: 20%}}"),
       "9:32",
       {"'hot' does not go with 'zipf'"}});
  check_refused({"two fields in one",
                 with("      k: {choose: 10}", "      k: {choose: 10, unique: true}"),
                 "9:23",
                 {"'unique' does not go with 'choose'"}});
  check_refused({"a rate at once",
                 with("    rate: 10/s", "    rate: 10/s\n    at_once: 5"),
                 "13:5",
                 {"'at_once' does not go with 'rate'"}});
  check_refused(
      {"knowledge of a create",
       with("    operations: [{create: 100%}]", "    operations: [{create: 100%, given: [k]}]"),
       "13:33",
       {"'given' does not go with 'create'"}});
}

}  // namespace
}  // namespace partsim::testing
