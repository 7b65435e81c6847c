#include "partsim/report/sweep_report.hpp"

#include <algorithm>
#include <sstream>

#include <nlohmann/json.hpp>

#include "partsim/report/plan_report.hpp"
#include "partsim/report/text.hpp"

#include "sample_sweep.hpp"
#include "support/catch.hpp"

namespace partsim {
namespace {

using namespace testing;
using Json = nlohmann::json;

std::string in_one_line(const std::string& text) {
  std::istringstream words(text);
  std::string joined;
  for (std::string word; words >> word;) {
    joined += (joined.empty() ? "" : " ") + word;
  }
  return joined;
}

std::size_t widest(const std::string& text) {
  std::istringstream lines(text);
  std::size_t width = 0;
  for (std::string line; std::getline(lines, line);) {
    width = std::max(width, display_width(line));
  }
  return width;
}

TEST_CASE("sweep.csv has a row for each point, variant and metric, with its interval", "[sweep]") {
  const std::string csv = sweep_csv(sample_sweep());
  CHECK(std::count(csv.begin(), csv.end(), '\n') == 1 + 2 * 2 * 6);
  CHECK_THAT(csv, has_text("point,container.throughput,variant,metric,n,mean,low,high\n"));
  // 41 +- 12.706205 sqrt(2 / 2)
  CHECK_THAT(csv, has_text("0,1000 RU/s,date,latency_ms.p99,2,41,28.293795,53.706205\n"));
  CHECK_THAT(csv, has_text("1,2000 RU/s,vin,latency_ms.p99,2,10,10,10\n"));
}

TEST_CASE("runs.csv has a row for each run", "[sweep]") {
  const std::string csv = sweep_runs_csv(sample_sweep());
  CHECK(std::count(csv.begin(), csv.end(), '\n') == 1 + 8);
  CHECK_THAT(csv, has_text("0,1000 RU/s,vin,1,8,0000000000000def,21,58,0,100,0.25,5.5\n"));
}

TEST_CASE("One repetition has no bounds, in no file", "[sweep]") {
  SweepResult result = sample_sweep();
  for (SweepPoint& point : result.points) {
    for (SweepCell& cell : point.variants) {
      cell.replications.resize(1);
    }
  }
  result.design.seeds = 1;
  CHECK_THAT(sweep_csv(result), has_text("date,latency_ms.p99,1,40,,\n"));
  const Json json = Json::parse(sweep_json(result));
  const Json& metric = json["points"][0]["variants"][0]["metrics"]["latency_ms.p99"];
  CHECK(metric["mean"] == 40);
  CHECK(metric["low"].is_null());
  CHECK_THAT(in_one_line(sweep_summary(result, "s.yaml", {})), has_text("--seeds 10"));
}

TEST_CASE("sweep.json has the design, the points, the differences and the best", "[sweep]") {
  const Json json = Json::parse(sweep_json(sample_sweep()));
  CHECK(json["varied"][0]["path"] == "container.throughput");
  CHECK(json["target"] == "latency_ms.p99");
  CHECK(json["best"] == Json{{"point", 1}, {"variant", "vin"}});
  CHECK(json["points"][1]["values"]["container.throughput"] == "2000 RU/s");
  CHECK(json["points"][0]["variants"][0]["frontier"] == false);
  CHECK(json["points"][0]["variants"][1]["frontier"] == true);
  const Json& first = json["points"][0]["differences"][0]["metrics"]["latency_ms.p99"];
  CHECK(first["mean"] == -20.5);
  CHECK(first["verdict"] == "better");
  const Json& price = json["points"][0]["differences"][0]["metrics"]["cost.per_month"];
  CHECK(price["verdict"] == "same");
}

TEST_CASE("The summary names the best, fits every width and hides no escape of a user's text",
          "[sweep]") {
  SweepResult result = sample_sweep();
  for (const unsigned width : {40U, 80U, 120U}) {
    TextStyle style;
    style.width = width;
    const std::string text = sweep_summary(result, "s.yaml", style);
    CHECK(widest(text) <= width);
    CHECK_THAT(in_one_line(text), has_text("vin at throughput 2000 RU/s: p99 10 ms"));
    CHECK_THAT(in_one_line(text), has_text("vin: better at 2 of 2 points"));
  }
  result.design.axes[0].values[1] = "\x1B[31m2000";
  CHECK(sweep_summary(result, "s.yaml", {}).find('\x1B') == std::string::npos);
}

TEST_CASE("If every choice loses operations, the summary says so", "[sweep]") {
  SweepResult result = sample_sweep();
  for (SweepPoint& point : result.points) {
    for (SweepCell& cell : point.variants) {
      cell = sample_cell(5, 5, 58, 0.2);
    }
  }
  const std::string text = in_one_line(sweep_summary(result, "s.yaml", {}));
  CHECK_THAT(text, has_text("No choice holds"));
  CHECK_THAT(text, has_text("every choice loses operations: see why partsim run s.yaml --set"));
}

TEST_CASE("Axes are called by as many words as tell them apart", "[sweep]") {
  SweepDesign design;
  design.axes = {{"clients.a.rate", {"1/s"}}, {"clients.b.rate", {"2/s"}}, {"duration", {"5s"}}};
  CHECK(axis_label(design, 0) == "a.rate");
  CHECK(axis_label(design, 2) == "duration");
  CHECK(point_label(design, 0) == "a.rate 1/s, b.rate 2/s, duration 5s");
}

PlanResult sample_plan(std::size_t variants) {
  PlanResult result;
  result.name = "sample";
  result.path = "container";
  result.seeds = 5;
  result.step = 100'000;
  result.most = 1'000'000'000;
  result.rules = {"throttled_share < 1%"};
  for (std::size_t i = 0; i < variants; ++i) {
    PlanTrial trial;
    trial.amount = 4'600'000;
    trial.holds = true;
    trial.partitions = 4;
    trial.per_month_micro = 268'640'000;
    trial.rules = {{"throttled_share < 1%", "throttled_share", 0.0099, 0.01, true, 0.01}};
    PlanAnswer answer;
    answer.variant = "variant-" + std::to_string(i);
    answer.found = trial;
    trial.amount -= result.step;
    trial.rules[0].value = 0.01004;
    answer.below = trial;
    answer.floor_mru_per_s = 400'000;
    result.answers.push_back(answer);
  }
  return result;
}

TEST_CASE("A plan fits a screen however many variants it has", "[plan]") {
  for (const std::size_t variants : {1U, 4U, 30U}) {
    const std::string text = plan_summary(sample_plan(variants), "s.yaml", {});
    CHECK(std::count(text.begin(), text.end(), '\n') <= 40);
    CHECK(widest(text) <= 80);
    CHECK_THAT(text, has_text("4,600 RU/s"));
    CHECK_THAT(text, has_text("$269"));
    // More digits where fewer would look like the limit.
    CHECK_THAT(in_one_line(text), has_text("4,500 RU/s is not enough (429s 1.004%)"));
  }
  CHECK_THAT(plan_summary(sample_plan(30), "s.yaml", {}), has_text("and 14 more"));
}

TEST_CASE("A plan without an answer says which key is the limit and what would help", "[plan]") {
  PlanResult result = sample_plan(1);
  PlanAnswer& answer = result.answers[0];
  answer.found.reset();
  answer.limit = PlanLimit::one_key;
  answer.hot_key = {"2018-08-09", 1.0, 40'175'000, 10'000'000};
  const std::string text = in_one_line(plan_summary(result, "s.yaml", {}));
  CHECK_THAT(text, has_text("\"2018-08-09\" alone asks for 40,175 RU/s (100 % of the demand)"));
  CHECK_THAT(text, has_text("never has more than 10,000 RU/s"));
  CHECK_THAT(text, has_text("at least 5 keys of it"));
  const Json json = Json::parse(plan_json(result));
  CHECK(json["answers"][0]["answer"].is_null());
  CHECK(json["answers"][0]["limit"] == "one_key");
  CHECK(json["answers"][0]["hot_key"]["ceiling_ru_per_s"] == 10'000);
}

TEST_CASE("plan.json has amounts in RU/s and prices in dollars", "[plan]") {
  const Json json = Json::parse(plan_json(sample_plan(1)));
  CHECK(json["find"] == "throughput");
  CHECK(json["answers"][0]["answer"]["amount"] == 4'600);
  CHECK(json["answers"][0]["answer"]["cost_per_month"] == 268.64);
  CHECK(json["answers"][0]["below"]["amount"] == 4'500);
  CHECK(json["answers"][0]["floor_afterwards"] == 400);
}

}  // namespace
}  // namespace partsim
