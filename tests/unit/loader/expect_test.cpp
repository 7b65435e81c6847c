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

TEST_CASE("A rule may compare with another metric, times or over a number", "[loader]") {
  const Expectation tenth = only_rule("vin-suffix.throttled_share < date.throttled_share / 10");
  REQUIRE(tenth.against.has_value());
  CHECK(tenth.variant == "vin-suffix");
  CHECK(tenth.against->variant == "date");
  CHECK(tenth.against->metric == "throttled_share");
  CHECK(tenth.against->times == 1);
  CHECK(tenth.against->over == 10);
  const Expectation twice = only_rule("latency_ms.p99 <= latency_ms.p50*2.5");
  REQUIRE(twice.against.has_value());
  CHECK(twice.against->variant.empty());
  CHECK(twice.against->times == 2.5);
  CHECK(only_rule("clients.app.attempts < partitions.3.attempts").against->metric ==
        "partitions.3.attempts");
  // an amount with a slash is no division
  CHECK_FALSE(only_rule("ru.provisioned_per_s >= 400 RU/s").against.has_value());
}

TEST_CASE("A wrong limit is told by what it was meant to be", "[loader]") {
  check_rule("throttled_share < date.throtled_share / 10",
             {"unknown metric 'throtled_share'", "did you mean 'throttled_share'?"});
  check_rule("throttled_share < dat.throttled_share",
             {"unknown variant 'dat'", "did you mean 'date'?"});
  check_rule("throttled_share < low", {"bad value of 'throttled_share'", "got 'low'"});
  check_rule("throttled_share < latency_ms.p99",
             {"cannot compare 'throttled_share' with 'latency_ms.p99'", "another unit"});
  check_rule("throttled_share < date.throttled_share / 0",
             {"bad factor", "a number above 0", "got '/ 0'"});
  check_rule("throttled_share < date.throttled_share * ten", {"bad factor", "got '* ten'"});
  check_rule("partitions.any.attempts < partitions.all.attempts",
             {"'partitions.all.attempts' has many values"});
}

TEST_CASE("Only == takes a tolerance, as a part of the limit or as an amount", "[loader]") {
  const Expectation part = only_rule("ru.per_operation == 5.8 +- 1%");
  CHECK(part.value == 5.8);
  CHECK(part.tolerance == 0.01);
  CHECK(part.tolerance_is_relative);
  const Expectation amount = only_rule("latency_ms.p50 == 5ms +- 100us");
  CHECK(amount.tolerance == 0.1);
  CHECK_FALSE(amount.tolerance_is_relative);
  // of a share, a percentage is an amount of its own kind: 19 % to 21 %
  const Expectation points = only_rule("throttled_share == 20% +- 1%");
  CHECK(points.tolerance == 0.01);
  CHECK_FALSE(points.tolerance_is_relative);
  CHECK(only_rule("date.imbalance == vin-suffix.imbalance +- 5%").against->variant == "vin-suffix");
  check_rule("attempts < 5 +- 1%", {"only == takes a tolerance"});
  check_rule("attempts == 5 +- 1ms", {"bad tolerance", "got '1ms'"});
  check_rule("attempts == 5 +-", {"bad tolerance"});
}

TEST_CASE("A rule with 'for' forgives what lasts shorter, of metrics that have a series",
          "[loader]") {
  CHECK(only_rule("throttled_share < 5% for 10s").lasting_ns == 10 * kSecond);
  CHECK(only_rule("throttled_share < 5% for 10s").value == 0.05);
  CHECK(only_rule("date.latency_ms.p99 < 20ms for 1.5min").lasting_ns == 90 * kSecond);
  CHECK(only_rule("throttled < 10/s for 2s").value == 10);
  CHECK(only_rule("partitions.all.attempts < 10 for 2s").value == 10);
  CHECK(only_rule("ru.consumed < 400 RU/s for 2s").value == 400);
  CHECK(only_rule("partitions.any.ru_consumed < 400 for 2s").value == 400);
  CHECK(only_rule("partitions.hottest.utilization < 90% for 2s").value == 0.9);
  check_rule("imbalance < 2 for 10s", {"'imbalance' is not followed over time", "takes no 'for'"});
  check_rule("clients.app.latency_ms.p99 < 2s for 10s", {"not followed over time"});
  check_rule("latency_ms.p90 < 2s for 10s", {"not followed over time"});
  check_rule("throttled_share < 5% for 0s", {"a duration above 0 such as 10s, got '0s'"});
  check_rule("throttled_share < 5% for 10", {"a duration above 0 such as 10s, got '10'"});
  check_rule("\"throttled_share < 5% for \"", {"a duration above 0"});
  check_rule("throttled < 10 RU for 2s", {"a number a second such as 10/s"});
  check_rule("throttled < 10/s", {"a plain number"});
  check_rule("throttled_share < date.throttled_share for 2s", {"compares with a value"});
}

TEST_CASE("A rule may ask any or all partitions", "[loader]") {
  CHECK(only_rule("partitions.any.throttled_share < 1%").metric ==
        "partitions.any.throttled_share");
  CHECK(only_rule("date.partitions.all.ru_per_s >= 1000 RU/s").metric == "partitions.all.ru_per_s");
  check_rule("partitions.al.throttled_share < 1%", {"unknown metric"});
  check_rule("partitions.all.throtled_share < 1%",
             {"did you mean 'partitions.all.throttled_share'?"});
}

TEST_CASE("A rule knows its line", "[loader]") {
  CHECK(only_rule("attempts > 5").line == 18);
}

TEST_CASE("A rule against a variant that was not chosen is left out", "[loader]") {
  LoadOptions options;
  options.only_variants = {"date"};
  const std::string text = with_rule("date.attempts > vin-suffix.attempts") +
                           "  - date.attempts > 5\n  - attempts > 5\n";
  const LoadResult result = load_study(text, "chosen.yaml", options);
  REQUIRE(result.study.has_value());
  CHECK(result.study->expectations.size() == 2);
}

std::uint64_t fingerprint(const std::string& text, const LoadOptions& options = {}) {
  const LoadResult result = load_study(text, "print.yaml", options);
  REQUIRE(result.study.has_value());
  return result.study->variants.front().fingerprint;
}

TEST_CASE("Two files ask the same if they resolve to the same, whatever the seed", "[loader]") {
  const std::string text = with_rule("attempts > 5");
  const std::uint64_t own = fingerprint(text);
  CHECK(own != 0);
  CHECK(fingerprint(with_rule("attempts > 6")) == own);  // what is expected is not asked
  CHECK(fingerprint("# a remark\n" + text) == own);
  LoadOptions seeded;
  seeded.seed = 99;
  CHECK(fingerprint(text, seeded) == own);
  LoadOptions changed;
  changed.overrides = {{"clients.app.rate", "123/s"}};
  CHECK(fingerprint(text, changed) != own);
  LoadOptions written;  // a default that is written is the default
  written.overrides = {{"provider", "cosmos"}};
  CHECK(fingerprint(text, written) == own);
}

TEST_CASE("A fingerprint covers the data files that a scenario names", "[loader]") {
  std::string text = with_rule("attempts > 5");
  const std::string key = "rate: ";
  const std::size_t rate = text.find(key);
  REQUIRE(rate != std::string::npos);
  const auto with_rates = [&](const std::string& rates) {
    LoadOptions options;
    options.overrides = {{"clients.app.rate_file", "r.csv"}};
    options.read_file = [rates](const std::string& name) { return FileText{name, rates, ""}; };
    return fingerprint(text, options);
  };
  CHECK(with_rates("seconds,rate\n0,5\n") == with_rates("seconds,rate\n0,5\n"));
  CHECK(with_rates("seconds,rate\n0,5\n") != with_rates("seconds,rate\n0,6\n"));
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
  CHECK(parse_rules("throtled_share < 5%", study).hint == "did you mean 'throttled_share'?");
}

}  // namespace
}  // namespace partsim::testing
