// Rules of `expect:`: metric, comparison, value in the metric's unit.
#include "partsim/metrics/metric_table.hpp"

#include "scenario_text.hpp"
#include "support/catch.hpp"

namespace partsim::testing {
namespace {

/// Two variants, `date` and `vin-suffix`; client `app` in both, `extra` only in the second.
std::string with_rule(const std::string& rule) {
  return and_then(
             "variants:\n"
             "  date: {}\n"
             "  vin-suffix: {clients: {extra: {rate: 1/s, operations: [{create: 100%}]}}}\n"
             "expect:\n") +
         "  - " + rule + "\n";
}

Expectation only_rule(const std::string& rule) {
  const StudyFile study = check_accepted(rule, with_rule(rule));
  REQUIRE(study.expectations.size() == 1);
  return study.expectations.front();
}

void check_rule(const std::string& rule, const std::vector<std::string>& words) {
  check_refused({rule, with_rule(rule), "18:5", words});
}

TEST_CASE("A rule without a variant is about all of them", "[loader]") {
  const Expectation rule = only_rule("throttled_share < 1%");
  CHECK(rule.rule == "throttled_share < 1%");
  CHECK(rule.variant.empty());
  CHECK(rule.metric == "throttled_share");
  CHECK(rule.comparison == Comparison::less);
  CHECK(rule.value == 0.01);
}

TEST_CASE("A rule may name a variant, a client or both", "[loader]") {
  CHECK(only_rule("date.attempts > 5").variant == "date");
  CHECK(only_rule("clients.app.attempts > 5").metric == "clients.app.attempts");
  const Expectation both = only_rule("vin-suffix.clients.extra.ru_per_operation < 1.1");
  CHECK(both.variant == "vin-suffix");
  CHECK(both.metric == "clients.extra.ru_per_operation");
  CHECK(both.value == 1.1);
}

TEST_CASE("A rule compares in six ways, with or without spaces", "[loader]") {
  const std::vector<std::pair<std::string, Comparison>> signs = {
      {"<", Comparison::less},    {"<=", Comparison::less_equal},
      {">", Comparison::greater}, {">=", Comparison::greater_equal},
      {"==", Comparison::equal},  {"!=", Comparison::not_equal}};
  for (const auto& [sign, comparison] : signs) {
    CHECK(only_rule("attempts " + sign + " 5").comparison == comparison);
    CHECK(only_rule("attempts" + sign + "5").comparison == comparison);
    CHECK(only_rule("attempts" + sign + "5").value == 5);
  }
}

TEST_CASE("A value may be written in a unit of its metric", "[loader]") {
  CHECK(only_rule("latency_ms.p99 < 20ms").value == 20);
  CHECK(only_rule("latency_ms.p99 < 1.5s").value == 1'500);
  CHECK(only_rule("latency_ms.p99 < 20").value == 20);
  CHECK(only_rule("throttled_share < 0.05").value == 0.05);
  CHECK(only_rule("ru.normalized_peak < 150%").value == 1.5);
  CHECK(only_rule("ru.consumed < 5 RU").value == 5);
  CHECK(only_rule("ru.provisioned_per_s >= 400 RU/s").value == 400);
  CHECK(only_rule("imbalance < 1.25").value == 1.25);
  CHECK(only_rule("cost.per_month < 23.36").value == 23.36);
}

TEST_CASE("A value in a unit of something else is refused with the right form", "[loader]") {
  check_rule("throttled_share < 5ms", {"bad value of 'throttled_share'", "5% or 0.05"});
  check_rule("latency_ms.p99 < 5%", {"20ms", "a number of ms", "got '5%'"});
  check_rule("ru.consumed < 5s", {"5 RU"});
  check_rule("ru.provisioned_per_s < 5 RU", {"400 RU/s"});
  check_rule("attempts < 5%", {"a plain number"});
  check_rule("attempts < -5", {"a plain number"});
  check_rule("attempts < 1e3", {"a plain number"});
  check_rule("attempts < .nan", {"a plain number"});
  check_rule("cost.per_month < 5 USD", {"a plain number"});
}

TEST_CASE("A rule that cannot be read is shown the form", "[loader]") {
  // H77
  for (const std::string rule :
       {"\"attempts < \"", "attempts", "\"< 5\"", "attempts = 5", "attempts ! 5", "\"\""}) {
    check_rule(rule, {"cannot read the rule", "expected METRIC, one of < <= > >= == !="});
  }
  check_rule("5 < attempts < 7", {"unknown metric '5'"});
}

TEST_CASE("An unknown metric is refused with the one that was meant", "[loader]") {
  check_rule("throtled_share < 1",
             {"unknown metric 'throtled_share'", "did you mean 'throttled_share'?"});
  check_rule("date.latency_ms.p98 < 1",
             {"unknown metric 'latency_ms.p98'", "did you mean 'latency_ms.p9"});
  check_rule("clients.app.atempts < 1", {"did you mean 'clients.app.attempts'?"});
  // H79
  check_rule("nosuchthing < 1", {"unknown metric 'nosuchthing'", "partsim list"});
}

TEST_CASE("An unknown variant is refused with the one that was meant", "[loader]") {
  check_rule("dat.attempts < 1",
             {"unknown variant 'dat'", "date, vin-suffix", "did you mean 'date'?"});
  check_rule("zzzzz.attempts < 1", {"unknown variant 'zzzzz'", "date, vin-suffix"});
  check_rule("base.attempts < 1", {"unknown variant 'base'"});
}

TEST_CASE("An unknown client is refused with the one that was meant", "[loader]") {
  check_rule("clients.ap.attempts < 1", {"unknown client 'ap'", "did you mean 'app'?"});
  check_rule("date.clients.extra.attempts < 1", {"unknown client 'extra'", "expected one of app"});
  // Not every variant has it, so a rule about all of them cannot ask for it.
  check_rule("clients.extra.attempts < 1", {"unknown client 'extra'", "expected one of app"});
}

TEST_CASE("Without variants the scenario itself is base", "[loader]") {
  const StudyFile study = check_accepted("base", and_then("expect: [base.attempts > 1]\n"));
  CHECK(study.expectations.front().variant == "base");
}

TEST_CASE("A variant named like the beginning of a metric hides nothing", "[loader]") {
  const StudyFile study = check_accepted(
      "ru", and_then("variants: {ru: {}, ru.per_operation: {}}\n"
                     "expect: [ru.consumed > 1, ru.attempts > 1, ru.per_operation.attempts > 1, "
                     "ru.per_operation > 1, ru.ru.consumed > 1]\n"));
  std::string read;
  for (const Expectation& rule : study.expectations) {
    read += "[" + rule.variant + "]" + rule.metric + " ";
  }
  CHECK(
      read ==
      "[]ru.consumed [ru]attempts [ru.per_operation]attempts []ru.per_operation [ru]ru.consumed ");
}

TEST_CASE("Every metric of the table can stand in a rule", "[loader]") {
  REQUIRE(metric_table().size() > 40);
  for (const Metric& metric : metric_table()) {
    std::string path = metric.path;
    if (const std::size_t star = path.find('*'); star != std::string::npos) {
      path.replace(star, 1, "app");
    }
    CHECK(only_rule(path + " >= 0").metric == path);
    CHECK(only_rule("date." + path + " >= 0").variant == "date");
  }
}

TEST_CASE("Rules of a command line are separated by commas and name the first mistake",
          "[loader]") {
  StudyFile study;
  study.variants.push_back({"date", {}});
  ClientSpec client;
  client.name = "app";
  study.variants.front().scenario.clients.push_back(client);
  const RuleList rules = parse_rules("throttled_share < 1%, date.latency_ms.p99 < 20ms", study);
  CHECK(rules.error.empty());
  REQUIRE(rules.rules.size() == 2);
  CHECK(rules.rules[0].value == 0.01);
  CHECK(rules.rules[1].variant == "date");
  CHECK(parse_rules("clients.app.attempts > 0", study).rules.size() == 1);
  for (const auto* text : {"", "attempts > 0,", ",", "attempts"}) {
    CHECK_FALSE(parse_rules(text, study).error.empty());
  }
  CHECK(parse_rules("latency_ms.p9 < 5ms", study).hint == "did you mean 'latency_ms.p99'?");
}

}  // namespace
}  // namespace partsim::testing
