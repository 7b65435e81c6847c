// What `partsim check` says, by hand-made verdicts.
#include <algorithm>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "partsim/report/check_report.hpp"

#include "hostile_texts.hpp"
#include "markdown.hpp"
#include "support/catch.hpp"

namespace partsim {
namespace {

ExpectationResult verdict(std::string rule, std::string variant, double value, bool passed) {
  return {std::move(rule), std::move(variant), value, passed};
}

std::vector<CheckedScenario> sample() {
  ExpectationResult broken = verdict("throttled_share < 1%", "date", 0.032, false);
  broken.limit = 0.01;
  broken.margin = -2.2;
  broken.first_broken_s = 12;
  broken.partition = 8;
  broken.line = 41;
  ExpectationResult idle = verdict("attempts >= 0", "date", 5, true);
  idle.can_fail = false;
  CheckedScenario failed{"hot-key",
                         "s/hot-key.yaml",
                         CheckStatus::failed,
                         2,
                         {broken, verdict("throttled_share < 1%", "vin", 0, true), idle},
                         {}};
  CheckedScenario passed{
      "calm", "s/calm.yaml", CheckStatus::passed, 1, {verdict("attempts > 0", "base", 5, true)},
      {}};
  CheckedScenario silent{"tour", "s/tour.yaml", CheckStatus::no_rules, 1, {}, {}};
  CheckedScenario invalid{"bad", "s/bad.yaml", CheckStatus::invalid,
                          0,     {},           {{3, 5, "unknown key 'burts'"}}};
  return {passed, failed, silent, invalid};
}

TextStyle plain() {
  return {.width = 80, .color = false, .unicode = true};
}

TEST_CASE("A scenario is one line: how it ended, its name, the rules it met", "[report]") {
  const auto scenarios = sample();
  CHECK(check_line(scenarios[0], 8, plain()) == "ok        calm      1 rule\n");
  CHECK(check_line(scenarios[1], 8, plain()) == "FAILED    hot-key   2 of 3 rules\n");
  CHECK(check_line(scenarios[2], 8, plain()) == "no rules  tour\n");
  CHECK(check_line(scenarios[3], 8, plain()) == "INVALID   bad\n");
}

TEST_CASE("A failure shows rule, value, limit, margin, moment, partition and place", "[report]") {
  const std::string text = check_summary(sample(), plain());
  CHECK_THAT(text, has_text("FAILED hot-key\n"
                            "  throttled_share < 1% [date]\n"
                            "    3.2%, limit 1%: missed by 220% of it\n"
                            "    first broken at 12 s, on partition 8\n"
                            "    s/hot-key.yaml:41\n"));
  CHECK_THAT(text, has_text("INVALID bad\n  unknown key 'burts'\n    s/bad.yaml:3\n"));
  CHECK_THAT(text, has_text("These rules can never fail:\n  attempts >= 0\n"));
  CHECK_THAT(text, has_text("4 scenarios: 1 passed, 1 failed, 1 invalid, 1 without rules; "
                            "3 of 4 rules met\n"));
}

TEST_CASE("JSON has every verdict in full", "[report]") {
  const auto json = nlohmann::json::parse(check_json(sample()));
  CHECK(json["summary"]["failed"] == 1);
  CHECK(json["summary"]["rules_met"] == 3);
  CHECK(json["scenarios"][1]["status"] == "failed");
  CHECK(json["scenarios"][1]["expectations"][0]["margin"] == -2.2);
  CHECK(json["scenarios"][1]["expectations"][0]["partition"] == 8);
  CHECK(json["scenarios"][1]["expectations"][2]["vacuous"] == true);
  CHECK(json["scenarios"][3]["problems"][0]["line"] == 3);
}

TEST_CASE("JUnit counts what it holds", "[report]") {
  const std::string xml = check_junit(sample());
  CHECK_THAT(xml, has_text("<testsuites name=\"partsim check\" tests=\"6\" failures=\"1\" "
                           "errors=\"1\" skipped=\"1\">"));
  CHECK_THAT(xml, has_text("name=\"throttled_share &lt; 1% [date]\" file=\"s/hot-key.yaml\" "
                           "line=\"41\">"));
  CHECK_THAT(xml, has_text("message=\"3.2%, limit 1%: missed by 220% of it\""));
}

TEST_CASE("A limit of zero, a missing client and a rate are told in words that fit", "[report]") {
  ExpectationResult zero = verdict("failed_share == 0", "base", 0.25, false);
  zero.margin = -0.25;
  ExpectationResult missing = verdict("clients.a.attempts > 5", "base", 0, false);
  missing.measured = false;
  ExpectationResult rate = verdict("throttled < 10/s for 2s", "base", 35, false);
  rate.limit = 10;
  rate.margin = -2.5;
  rate.over_time = true;
  ExpectationResult other = verdict("a.attempts < b.attempts / 10", "a", 12, false);
  other.limit = 12;
  const std::string text = check_summary(
      {{"x", "x.yaml", CheckStatus::failed, 1, {zero, missing, rate, other}, {}}}, plain());
  CHECK_THAT(text, has_text("25%, limit 0%: missed by 25%\n"));
  CHECK_THAT(text, has_text("not in this run: the client or partition is not there\n"));
  CHECK_THAT(text, has_text("35/s, limit 10/s: missed by 250% of it\n"));
  CHECK_THAT(text, has_text("12, limit 12: just at it\n"));
}

TEST_CASE("No name or rule breaks out of a line, a command or a table", "[report]") {
  for (const std::string_view hostile : samples::kHostileTexts) {
    const std::string text(hostile);
    INFO(text);
    ExpectationResult broken = verdict(text, text, 1, false);
    const std::vector<CheckedScenario> scenarios = {
        {text, text, CheckStatus::failed, 2, {broken}, {}},
        {text, text, CheckStatus::invalid, 0, {}, {{1, 1, text}}}};
    const std::string annotations = check_annotations(scenarios);
    // two failures are two lines, each one command with four parts
    CHECK(std::count(annotations.begin(), annotations.end(), '\n') == 2);
    CHECK(annotations.starts_with("::error file="));
    CHECK(annotations.find_first_of("\r\x1B") == std::string::npos);
    // what stands as code is text already; around it nothing may act
    std::string markdown = check_markdown(scenarios);
    const std::string code = markdown_code(text);
    for (std::size_t at = markdown.find(code); at != std::string::npos; at = markdown.find(code)) {
      markdown.erase(at, code.size());
    }
    CHECK(code.find('\n') == std::string::npos);
    CHECK(markdown.find("<b>") == std::string::npos);
    CHECK(markdown.find("<script") == std::string::npos);
    CHECK(markdown.find_first_of("\r\x1B\x07") == std::string::npos);
    const std::string xml = check_junit(scenarios);
    CHECK(xml.find("]]>") == std::string::npos);
    CHECK(xml.find_first_of("\r\t\x1B\x07") == std::string::npos);
  }
}

TEST_CASE("Properties of a workflow command end where they should", "[report]") {
  CheckedScenario scenario{"a,b:c%", "d,e.yaml", CheckStatus::invalid, 0, {}, {{7, 1, "50% off"}}};
  CHECK(check_annotations({scenario}) ==
        "::error file=d%2Ce.yaml,line=7,title=a%2Cb%3Ac%25%3A cannot be run::50%25 off\n");
}

}  // namespace
}  // namespace partsim
