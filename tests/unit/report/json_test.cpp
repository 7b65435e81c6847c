#include <regex>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "partsim/report/report.hpp"

#include "hostile_texts.hpp"
#include "sample_study.hpp"
#include "support/catch.hpp"

namespace partsim {
namespace {

using Json = nlohmann::ordered_json;
using Names = std::vector<std::string>;

Names names_of(const Json& object) {
  Names names;
  for (const auto& item : object.items()) {
    names.push_back(item.key());
  }
  return names;
}

Json parsed(const StudyResult& study) {
  return Json::parse(results_json(study));
}

const Names kLatency{"mean", "p50", "p90", "p95", "p99", "p999", "max"};
const Names kParts{"service", "queue", "retry_wait"};
const Names kOperations{"offered", "succeeded", "failed", "in_flight"};

TEST_CASE("results.json has the names of format 1.0 in their order, additions last", "[report]") {
  const Json json = parsed(samples::vehicle_telemetry());
  CHECK(names_of(json) == Names{"format_version", "generator", "scenario", "runs", "expectations"});
  CHECK(json["format_version"] == "1.0");
  CHECK(names_of(json["scenario"]) == Names{"name", "title", "seed"});
  const Json& run = json["runs"][0];
  CHECK(names_of(run) == Names{"variant",      "seed",        "digest",
                               "events",       "simulated_s", "operations",
                               "attempts",     "throttled",   "throttled_share",
                               "failed_share", "latency_ms",  "latency_parts_ms",
                               "ru",           "imbalance",   "clients",
                               "partitions",   "hot_keys",    "layout_events",
                               "cost",         "warm_up_s",   "model"});
  CHECK(names_of(run["operations"]) == kOperations);
  CHECK(names_of(run["latency_ms"]) == kLatency);
  CHECK(names_of(run["latency_parts_ms"]) == kParts);
  CHECK(names_of(run["ru"]) ==
        Names{"consumed", "per_operation", "provisioned_per_s", "utilization", "normalized_peak"});
  CHECK(names_of(run["clients"]) == Names{"ingest", "lookup"});
  CHECK(names_of(run["clients"]["ingest"]) ==
        Names{"operations", "attempts", "throttled", "throttled_share", "failed_share",
              "latency_ms", "ru_per_operation", "partitions_per_operation", "latency_parts_ms"});
  CHECK(names_of(run["partitions"][0]) ==
        Names{"id", "parent", "container", "min", "max", "ru_per_s", "attempts", "throttled",
              "throttled_share", "ru_consumed", "peak_utilization", "storage_bytes", "ru_demand"});
  CHECK(names_of(run["hot_keys"][0]) == Names{"key", "partition", "ru_share"});
  CHECK(names_of(run["cost"]) == Names{"currency", "per_hour", "per_month"});
  CHECK(names_of(json["expectations"][0]) == Names{"rule", "variant", "value", "passed"});
}

TEST_CASE("Shares are fractions and amounts are exact decimals", "[report]") {
  RunResult run = samples::make_run({.demand_ru_per_s = {12'000, 3'000}, .seconds = 10});
  run.partitions[1].parent = 0;
  run.partitions[0].consumed_mru = 123'456'789'012'345;  // more digits than a float would keep
  run.hot_keys = {{"k", 0, run.total_demand_mru / 4}};
  LayoutEvent split;
  split.at_ns = 2'500'000'000;
  split.cause = LayoutCause::storage;
  split.before = {{0, 0, 0, 0}};
  split.after = {{1, 0, 0, 0}, {2, 0, 0, 0}};
  run.layout_events = {split};
  const std::string text = results_json(samples::one_run_study(run));
  const Json json = Json::parse(text)["runs"][0];
  // 24,000 + 6,000 attempts of 5 RU in 10 s, half of the first partition's refused
  CHECK(json["attempts"] == 30'000);
  CHECK(json["throttled"] == 12'000);
  CHECK(json["throttled_share"] == 0.4);
  CHECK(json["failed_share"] == 0.4);
  CHECK(json["imbalance"] == 1.6);
  CHECK(json["ru"]["normalized_peak"] == 1);
  CHECK(json["ru"]["provisioned_per_s"] == 12'000);
  CHECK(json["ru"]["consumed"] == 90'000);
  CHECK(json["ru"]["per_operation"] == 5);
  CHECK(json["partitions"][0]["parent"].is_null());
  CHECK(json["partitions"][1]["parent"] == 0);
  CHECK(json["partitions"][0]["throttled_share"] == 0.5);
  CHECK(json["hot_keys"][0]["ru_share"] == 0.25);
  CHECK(json["digest"] == "00c0ffee12345678");
  CHECK(json["layout_events"][0] ==
        Json::parse(R"({"at_s":2.5,"kind":"split","cause":"storage","parents":[0],
                        "children":[1,2]})"));
  CHECK_THAT(text, has_text("\"ru_consumed\": 123456789012.345,"));
}

TEST_CASE("A share of one in a million is written without an exponent", "[report]") {
  RunResult run = samples::make_run({.demand_ru_per_s = {3'000}});
  run.clients[0].attempts = 1'000'000;
  run.clients[0].throttled = 1;
  const std::string text = results_json(samples::one_run_study(run));
  CHECK_THAT(text, has_text("\"throttled_share\": 0.000001,"));
  CHECK_FALSE(std::regex_search(text, std::regex(R"(: -?[0-9.]+[eE])")));
}

TEST_CASE("results.json has the same bytes twice and ends in one newline", "[report]") {
  const StudyResult study = samples::vehicle_telemetry();
  const std::string text = results_json(study);
  CHECK(text == results_json(study));
  CHECK(text.ends_with("}\n"));
  CHECK_FALSE(text.ends_with("\n\n"));
  CHECK(text.find('\r') == std::string::npos);
}

TEST_CASE("results.json reads as the library's own layout of the same values", "[report]") {
  // the numbers are ours, everything else is what any JSON tool would write
  StudyResult study = samples::vehicle_telemetry();
  study.runs.resize(1);
  const std::string text = results_json(study);
  const std::regex idle_zero(R"((: -?[0-9]+)\.0(,?\n))");
  CHECK(std::regex_replace(Json::parse(text).dump(2), idle_zero, "$1$2") + "\n" == text);
}

TEST_CASE("No number of results.json is other than a number, whatever the run", "[report]") {
  StudyResult study = samples::one_run_study(RunResult{});
  study.runs[0].run.clients.resize(1);
  study.runs[0].run.clients[0].name = "silent";
  study.expectations = {{"imbalance < 1", "base", std::nan(""), false}};
  const std::string text = results_json(study);
  for (const char* word : {"nan", "NaN", "inf", "Inf"}) {
    CHECK(text.find(word) == std::string::npos);
  }
  const Json json = Json::parse(text);
  CHECK(json["runs"][0]["throttled_share"] == 0);
  CHECK(json["runs"][0]["imbalance"] == 1);
  CHECK(json["runs"][0]["partitions"] == Json::array());
  CHECK(json["runs"][0]["clients"]["silent"]["ru_per_operation"] == 0);
}

TEST_CASE("Only a stopped study is marked as partial", "[report]") {
  StudyResult study = samples::vehicle_telemetry();
  CHECK_FALSE(parsed(study).contains("partial"));
  CHECK_FALSE(parsed(study)["runs"][1].contains("partial"));
  study.partial = true;
  study.runs[1].run.partial = true;
  const Json json = parsed(study);
  CHECK(json["partial"] == true);
  CHECK(json["runs"][1]["partial"] == true);
  CHECK_FALSE(json["runs"][0].contains("partial"));
}

TEST_CASE("Text of users comes back from results.json as it was", "[report]") {
  for (const std::string_view hostile : samples::kHostileTexts) {
    if (hostile.find('\xFF') != std::string_view::npos) {
      continue;  // not text: see below
    }
    INFO(hostile);
    const std::string text(hostile);
    StudyResult study = samples::one_run_study(samples::make_run({.demand_ru_per_s = {1}}), text);
    study.title = text;
    study.runs[0].run.hot_keys = {{text, 0, 1}};
    study.runs[0].run.clients[0].name = text;
    study.expectations = {{text, text, 1, true}};
    const Json json = parsed(study);
    CHECK(json["scenario"]["title"] == text);
    CHECK(json["runs"][0]["variant"] == text);
    CHECK(json["runs"][0]["hot_keys"][0]["key"] == text);
    CHECK(json["runs"][0]["clients"].contains(text));
    CHECK(json["expectations"][0]["rule"] == text);
  }
}

TEST_CASE("A name that is not UTF-8 does not lose the result", "[report]") {
  StudyResult study = samples::one_run_study(samples::make_run({.demand_ru_per_s = {1}}), "a\xFFz");
  study.runs[0].run.clients[0].name = "c\xFF";
  const Json json = parsed(study);
  CHECK(json["runs"][0]["variant"] == "a\uFFFDz");
  CHECK(json["runs"][0]["clients"].contains("c\uFFFD"));
}

}  // namespace
}  // namespace partsim
