// Files that a scenario names: lists of values, and rates by time.
#include <map>

#include "scenario_text.hpp"
#include "support/catch.hpp"

namespace partsim::testing {
namespace {

using Folder = std::map<std::string, std::string>;

LoadOptions beside(const Folder& folder) {
  LoadOptions options;
  options.read_file = [folder](const std::string& name) {
    const auto found = folder.find(name);
    return found == folder.end() ? FileText{"dir/" + name, "", "no file " + name}
                                 : FileText{"dir/" + name, found->second, ""};
  };
  return options;
}

const Slot kField{"      k: {choose: 10}", "      k: {$}"};
const Slot kRate{"    rate: 10/s", "    rate: 10/s\n    rate_file: $"};

std::vector<KeyComponent> values_of(const std::string& text) {
  const LoadOptions options = beside({{"vins.txt", text}});
  const std::string source = filled(kField, "values_file: vins.txt");
  const Scenario scenario = check_scenario(text, source, options);
  check_round_trip(source, options);
  return std::get<ValuesField>(scenario.containers.front().fields.front().kind).values;
}

std::vector<RateChange> rates_of(const std::string& text) {
  const LoadOptions options = beside({{"rates.csv", text}});
  const Scenario scenario = check_scenario(text, filled(kRate, "rates.csv"), options);
  check_round_trip(filled(kRate, "rates.csv"), options);
  return std::get<OpenLoop>(scenario.clients.front().arrivals).changes;
}

/// `dir/vins.txt:3:1: error: ...`, the only finding.
std::string complaint(const Slot& slot, const std::string& value, const Folder& folder) {
  const LoadResult result = load_study(filled(slot, value), "bad.yaml", beside(folder));
  REQUIRE(result.diagnostics.size() == 1);
  CHECK_FALSE(result.study.has_value());
  return format_diagnostic(result.diagnostics.front(), "");
}

TEST_CASE("Each line of a file is a value, and text", "[loader]") {
  const std::vector<KeyComponent> expected{std::string("VIN1"), std::string("007"),
                                           std::string("a, b")};
  CHECK(values_of("VIN1\n007\na, b\n") == expected);
  CHECK(values_of("VIN1\n007\na, b") == expected);
  CHECK(values_of("VIN1\r\n007\r\na, b\r\n") == expected);
  CHECK(values_of("\xEF\xBB\xBFVIN1\n\n007\n\r\na, b\n\n") == expected);
}

TEST_CASE("Values from a file can have weights", "[loader]") {
  const LoadOptions options = beside({{"v.txt", "a\nb\n"}});
  check_scenario("two", filled(kField, "values_file: v.txt, weights: [1, 2]"), options);
  const LoadResult result =
      load_study(filled(kField, "values_file: v.txt, weights: [1]"), "bad.yaml", options);
  REQUIRE(result.diagnostics.size() == 1);
  CHECK_THAT(result.diagnostics.front().message, has_text("each of 2 values, got 1"));
}

TEST_CASE("A mistake inside a file of values is told with its place there", "[loader]") {
  const auto wrong = [](const std::string& text) {
    return complaint(kField, "values_file: v.txt", {{"v.txt", text}});
  };
  CHECK_THAT(wrong("a\nb\x07"
                   "c\n"),
             has_text("dir/v.txt:2:2: error: control character"));
  CHECK_THAT(wrong("a\n\xFF\n"), has_text("dir/v.txt:2:1: error: "));
  CHECK_THAT(wrong(""), has_text("dir/v.txt:1:1: error: no values"));
  CHECK_THAT(wrong("\n\n"), has_text("dir/v.txt:1:1: error: no values"));
}

TEST_CASE("A file has at most a million values", "[loader]") {
  std::string text;
  for (int i = 0; i < 1'000'000; ++i) {
    text += "a\n";
  }
  CHECK_FALSE(load_study(filled(kField, "values_file: v.txt"), "a.yaml", beside({{"v.txt", text}}))
                  .diagnostics.size() > 0);
  text += "b\n";
  const LoadResult result =
      load_study(filled(kField, "values_file: v.txt"), "a.yaml", beside({{"v.txt", text}}));
  REQUIRE(result.diagnostics.size() == 1);
  CHECK(result.diagnostics.front().over_limit);
  CHECK(result.diagnostics.front().line == 1'000'001);
}

TEST_CASE("A file that cannot be read is told where it is named", "[loader]") {
  CHECK_THAT(complaint(kField, "values_file: v.txt", {}),
             has_text("bad.yaml:9:24: error: no file v.txt"));
  CHECK_THAT(complaint(kRate, "r.csv", {}), has_text("bad.yaml:13:16: error: no file r.csv"));
  // without a reader nothing can be read
  check_refused({"no reader", filled(kRate, "r.csv"), "13:16", {"cannot be read here"}});
}

TEST_CASE("A file of rates becomes steps", "[loader]") {
  const std::vector<RateChange> rates = rates_of("seconds,rate\n0,100\n12.5,0.25\r\n\n13,900\n");
  REQUIRE(rates.size() == 3);
  CHECK(rates[0].at_ns == 0);
  CHECK(rates[0].rate == Rate{100 * kMillion, kSecond});
  CHECK(rates[1].at_ns == 12'500 * kMillisecond);
  CHECK(rates[1].rate == Rate{250'000, kSecond});
  CHECK(rates[1].over_ns == 0);
  CHECK(rates[2].at_ns == 13 * kSecond);
  CHECK(rates_of("\xEF\xBB\xBFseconds,rate\n").empty());
}

TEST_CASE("A mistake inside a file of rates is told at its cell", "[loader]") {
  const auto wrong = [](const std::string& text) {
    return complaint(kRate, "r.csv", {{"r.csv", text}});
  };
  CHECK_THAT(wrong(""), has_text("dir/r.csv:1:1: error: the file is empty"));
  CHECK_THAT(wrong("time,rate\n"),
             has_text("dir/r.csv:1:1: error: expected the header seconds,rate"));
  CHECK_THAT(wrong("seconds,rate\n1\n"), has_text("dir/r.csv:2:1: error: expected two columns"));
  CHECK_THAT(wrong("seconds,rate\n1,2,3\n"),
             has_text("dir/r.csv:2:1: error: expected two columns"));
  CHECK_THAT(wrong("seconds,rate\n1,2\n-2,5\n"), has_text("dir/r.csv:3:1: error: not a time"));
  CHECK_THAT(wrong("seconds,rate\n10,fast\n"), has_text("dir/r.csv:2:4: error: not a rate"));
  CHECK_THAT(wrong("seconds,rate\n10,1000000001\n"), has_text("dir/r.csv:2:4: error: not a rate"));
  CHECK_THAT(wrong("seconds,rate\n5,1\n5,2\n"),
             has_text("dir/r.csv:3:1: error: rows must be in order"));
}

TEST_CASE("A rate has its changes from one source", "[loader]") {
  const LoadOptions options = beside({{"r.csv", "seconds,rate\n1,5\n"}});
  CHECK(findings(filled(kRate, "r.csv\n    changes: []"), options) ==
        std::vector<std::string>{"14:5 'changes' does not go with 'rate_file'"});
  const auto both =
      findings(filled(kRate, "r.csv") + "timeline: [{at: 1s, client: app, rate: 5/s}]\n", options);
  REQUIRE(both.size() == 1);
  CHECK_THAT(both.front(), has_text("'app' has a 'rate_file'"));
  const std::string text =
      filled(kRate, "r.csv") + "variants: {v: {clients: {app: {changes: []}}}}\n";
  const StudyFile study = check_accepted("variant", text, options);
  CHECK(
      std::get<OpenLoop>(study.variants.front().scenario.clients.front().arrivals).changes.empty());
  check_round_trip(text, options);
}

TEST_CASE("Each file is read once for all variants", "[loader]") {
  std::size_t reads = 0;
  LoadOptions options;
  options.read_file = [&reads](const std::string& name) {
    ++reads;
    return FileText{name, "a\nb\n", ""};
  };
  check_accepted("variants",
                 filled(kField, "values_file: v.txt") +
                     "variants: {a: {seed: 2}, b: {seed: 3}, c: {seed: 4}}\n",
                 options);
  CHECK(reads == 1);
}

}  // namespace
}  // namespace partsim::testing
