#include <regex>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "partsim/report/report.hpp"

#include "hostile_texts.hpp"
#include "sample_layouts.hpp"
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

TEST_CASE("results.json has the names of format 1.0 in their order, those of 1.1 last",
          "[report]") {
  const Json json = parsed(samples::vehicle_telemetry());
  CHECK(names_of(json) == Names{"format_version", "generator", "scenario", "runs", "expectations"});
  CHECK(json["format_version"] == "1.3");
  CHECK(names_of(json["scenario"]) == Names{"name", "title", "seed"});
  const Json& run = json["runs"][0];
  CHECK(names_of(run) == Names{"variant",      "seed",        "digest",
                               "events",       "simulated_s", "operations",
                               "attempts",     "throttled",   "throttled_share",
                               "failed_share", "latency_ms",  "latency_parts_ms",
                               "ru",           "imbalance",   "clients",
                               "partitions",   "hot_keys",    "layout_events",
                               "cost",         "warm_up_s",   "model",
                               "provider",     "api",         "regions",
                               "gone",         "forbidden",   "refused",
                               "timed_out",    "layout",      "storage",
                               "large_keys"});
  CHECK(names_of(run["operations"]) == kOperations);
  CHECK(names_of(run["latency_ms"]) == kLatency);
  CHECK(names_of(run["latency_parts_ms"]) == kParts);
  CHECK(names_of(run["ru"]) == Names{"consumed", "per_operation", "provisioned_per_s",
                                     "utilization", "normalized_peak", "burst"});
  CHECK(names_of(run["clients"]) == Names{"ingest", "lookup"});
  CHECK(names_of(run["clients"]["ingest"]) ==
        Names{"operations", "attempts", "throttled", "throttled_share", "failed_share",
              "latency_ms", "ru_per_operation", "partitions_per_operation", "latency_parts_ms",
              "gone", "forbidden", "refused", "timed_out"});
  CHECK(names_of(run["partitions"][0]) == Names{"id",
                                                "parent",
                                                "container",
                                                "min",
                                                "max",
                                                "ru_per_s",
                                                "attempts",
                                                "throttled",
                                                "throttled_share",
                                                "ru_consumed",
                                                "peak_utilization",
                                                "storage_bytes",
                                                "ru_demand",
                                                "utilization",
                                                "key_space",
                                                "born_s",
                                                "retired_s",
                                                "burst_ru",
                                                "ttl_ru",
                                                "single_key_full"});
  CHECK(names_of(run["hot_keys"][0]) == Names{"key", "partition", "ru_share"});
  CHECK(names_of(run["cost"]) ==
        Names{"currency", "per_hour", "per_month", "total", "hours", "throughput", "storage"});
  CHECK(names_of(run["layout"]) == Names{"partitions", "splits", "merges", "refused"});
  CHECK(names_of(run["storage"]) == Names{"bytes", "largest_partition_bytes", "largest_key_bytes"});
  CHECK(names_of(json["expectations"][0]) == Names{"rule", "variant", "value", "passed", "limit",
                                                   "margin", "first_broken_s", "partition",
                                                   "vacuous"});
}

TEST_CASE("Shares are fractions and amounts are exact decimals", "[report]") {
  RunResult run = samples::make_run({.demand_ru_per_s = {12'000, 3'000}, .seconds = 10});
  run.partitions[1].parent = 0;
  run.partitions[0].consumed_mru = 123'456'789'012'345;  // more digits than a float would keep
  run.hot_keys = {{"k", 0, run.total_demand_mru / 4}};
  LayoutEvent split;
  split.at_ns = 2'500'000'000;
  split.asked_ns = kSecond;
  split.container = "main";
  split.total_before_mru = 12'000'500;
  split.total_after_mru = 12'000'500;
  split.cause = LayoutCause::storage;
  split.before = {{0, std::int64_t{1} << 31, 6'000'000, 99}};
  split.after = {{1, std::int64_t{1} << 30, 3'000'500, 40},
                 {2, std::int64_t{1} << 30, 2'999'500, 59}};
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
            "children":[1,2],"asked_s":1,"container":"main",
            "before":[{"id":0,"key_space":0.5,"ru_per_s":6000,"storage_bytes":99}],
            "after":[{"id":1,"key_space":0.25,"ru_per_s":3000.5,"storage_bytes":40},
                     {"id":2,"key_space":0.25,"ru_per_s":2999.5,"storage_bytes":59}],
            "total_ru_per_s_before":12000.5,"total_ru_per_s_after":12000.5})"));
  CHECK_THAT(text, has_text("\"ru_consumed\": 123456789012.345,"));
}

TEST_CASE("results.json has every partition that ever was, the retired ones marked", "[report]") {
  RunResult run = samples::growing_run();
  run.partitions[3].write_share_mru_per_s = 1'000'000;
  run.partitions[4].single_key_full = true;
  run.large_keys = {{"k", 4, 21'474'836'480, true}};
  run.provider = Provider::dynamodb;
  run.api = Api::table;
  run.regions = 3;
  run.clients[0].gone = 5;
  run.clients[0].forbidden = 6;
  const Json json = parsed(samples::one_run_study(run))["runs"][0];
  REQUIRE(json["partitions"].size() == 5);
  CHECK(json["partitions"][0]["retired_s"] == 240);
  CHECK(json["partitions"][0]["born_s"] == 0);
  CHECK(json["partitions"][2]["retired_s"].is_null());
  CHECK(json["partitions"][2]["born_s"] == 240);
  CHECK(json["partitions"][2]["key_space"] == 0.5);
  CHECK(json["partitions"][3]["write_ru_per_s"] == 1'000);
  CHECK_FALSE(json["partitions"][2].contains("write_ru_per_s"));  // reads and writes share it
  CHECK(json["partitions"][4]["single_key_full"] == true);
  CHECK(json["layout"]["partitions"] == 3);
  CHECK(json["layout"]["splits"] == 2);
  CHECK(json["layout"]["refused"] == 1);
  CHECK(json["large_keys"][0] ==
        Json::parse(R"({"key":"k","partition":4,"bytes":21474836480,"full":true})"));
  CHECK(json["provider"] == "dynamodb");
  CHECK(json["api"] == "table");
  CHECK(json["regions"] == 3);
  CHECK(json["gone"] == 5);
  CHECK(json["clients"]["ingest"]["forbidden"] == 6);
}

TEST_CASE("A refused change has its reason, and only splits and merges have kin", "[report]") {
  const Json events =
      parsed(samples::one_run_study(samples::growing_run()))["runs"][0]["layout_events"];
  REQUIRE(events.size() == 4);
  CHECK(events[0]["kind"] == "refused");
  CHECK(events[0]["reason"] == "423: another throughput change is still in progress");
  CHECK_FALSE(events[1].contains("reason"));
  CHECK(events[1]["children"] == Json::parse("[1,2]"));
  CHECK(events[3]["kind"] == "scale");
  CHECK(events[3]["parents"] == Json::array());
  CHECK(events[3]["after"].size() == 3);
  CHECK(events[3]["total_ru_per_s_after"] == 30'000);
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
