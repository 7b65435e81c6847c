// Two results metric by metric, by hand-made numbers.
#include <algorithm>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "partsim/report/compare_report.hpp"

#include "sample_study.hpp"
#include "support/catch.hpp"

namespace partsim {
namespace {

MeasuredRun run_of(std::uint64_t seed, double p99, double succeeded = 100, double attempts = 100) {
  return {"date",
          seed,
          "f",
          {{"throttled_share", 0},
           {"attempts", attempts},
           {"operations.succeeded", succeeded},
           {"latency_ms.p99", p99},
           {"clients.app.latency_ms.p99", p99}}};
}

MeasuredStudy study_of(std::vector<MeasuredRun> runs) {
  return {"small", "place", false, std::move(runs), ""};
}

const ComparedMetric& metric_of(const StudyComparison& comparison, const std::string& path) {
  const auto& metrics = comparison.variants.at(0).metrics;
  const auto found = std::find_if(metrics.begin(), metrics.end(),
                                  [&](const ComparedMetric& each) { return each.path == path; });
  REQUIRE(found != metrics.end());
  return *found;
}

FailRule rule(std::string metric, FailRule::Way way, double amount, bool is_relative = true) {
  return {"the rule", "", std::move(metric), way, amount, is_relative};
}

TEST_CASE("Which way is good decides what got worse", "[report]") {
  const StudyComparison slower =
      compare_studies(study_of({run_of(1, 5)}), study_of({run_of(1, 6, 90, 110)}));
  CHECK(metric_of(slower, "latency_ms.p99").change == Change::worse);
  CHECK(metric_of(slower, "operations.succeeded").change == Change::worse);
  CHECK(metric_of(slower, "attempts").change == Change::other);
  CHECK(metric_of(slower, "throttled_share").change == Change::same);
  const StudyComparison faster =
      compare_studies(study_of({run_of(1, 5)}), study_of({run_of(1, 4, 110)}));
  CHECK(metric_of(faster, "latency_ms.p99").change == Change::better);
  CHECK(metric_of(faster, "operations.succeeded").change == Change::better);
}

TEST_CASE("A rule is met beyond its amount, not at it, by the run and by its clients", "[report]") {
  const StudyComparison comparison =
      compare_studies(study_of({run_of(1, 100)}), study_of({run_of(1, 105)}));
  const auto breaks = [&](const FailRule& each) { return find_breaks({each}, comparison).size(); };
  CHECK(breaks(rule("latency_ms.p99", FailRule::Way::rises, 0.05)) == 0);
  CHECK(breaks(rule("latency_ms.p99", FailRule::Way::rises, 0.049)) == 2);
  CHECK(breaks(rule("clients.app.latency_ms.p99", FailRule::Way::rises, 0.049)) == 1);
  CHECK(breaks(rule("latency_ms.p99", FailRule::Way::rises, 4.9, false)) == 2);
  CHECK(breaks(rule("latency_ms.p99", FailRule::Way::rises, 5, false)) == 0);
  CHECK(breaks(rule("latency_ms.p99", FailRule::Way::falls, 0.01)) == 0);
  CHECK(breaks(rule("latency_ms.p99", FailRule::Way::worsens, 0.01)) == 2);
  CHECK(breaks(rule("", FailRule::Way::worsens, 0.01)) == 2);
  FailRule other = rule("", FailRule::Way::worsens, 0.01);
  other.variant = "vin";
  CHECK(breaks(other) == 0);
}

TEST_CASE("A rise from zero is more than any part of it", "[report]") {
  MeasuredRun throttled = run_of(1, 5);
  throttled.metrics[0].second = 0.001;
  const StudyComparison comparison =
      compare_studies(study_of({run_of(1, 5)}), study_of({throttled}));
  CHECK(find_breaks({rule("throttled_share", FailRule::Way::rises, 9.99)}, comparison).size() == 1);
  CHECK(find_breaks({rule("throttled_share", FailRule::Way::falls, 0.01)}, comparison).empty());
}

TEST_CASE("Replications decide by pairs of one seed, or say that they do not", "[report]") {
  // Differences 1, 2, 3: mean 2, and Student's t of 2 degrees reaches 4.303 / sqrt(3) = 2.48.
  const StudyComparison wide =
      compare_studies(study_of({run_of(1, 10), run_of(2, 30), run_of(3, 20)}),
                      study_of({run_of(3, 23), run_of(1, 11), run_of(2, 32)}));
  CHECK(wide.variants[0].replications == 3);
  CHECK(metric_of(wide, "latency_ms.p99").change == Change::inconclusive);
  CHECK(metric_of(wide, "latency_ms.p99").low == Approx(2 - 2.4841).margin(1e-3));
  CHECK(metric_of(wide, "latency_ms.p99").high == Approx(2 + 2.4841).margin(1e-3));
  CHECK(metric_of(wide, "attempts").change == Change::same);
  // Differences 1.9, 2, 2.1: a tenth of that.
  const StudyComparison narrow =
      compare_studies(study_of({run_of(1, 10), run_of(2, 30), run_of(3, 20)}),
                      study_of({run_of(1, 11.9), run_of(2, 32), run_of(3, 22.1)}));
  CHECK(metric_of(narrow, "latency_ms.p99").change == Change::worse);
  const auto certain = [](const StudyComparison& comparison, double amount) {
    const auto breaks =
        find_breaks({rule("latency_ms.p99", FailRule::Way::rises, amount, false)}, comparison);
    REQUIRE(breaks.size() == 2);
    return breaks[0].is_certain;
  };
  CHECK(certain(narrow, 1.7));
  CHECK_FALSE(certain(narrow, 1.8));  // 2 - 0.248 < 1.8
  CHECK_FALSE(certain(wide, 1.7));
}

TEST_CASE("Only one question can be compared with itself", "[report]") {
  const MeasuredStudy base = study_of({run_of(1, 5)});
  MeasuredStudy next = base;
  CHECK(other_question(base, next).empty());
  next.runs[0].seed = 2;
  CHECK(other_question(base, next).empty());
  next.runs[0].fingerprint = "g";
  CHECK_THAT(other_question(base, next), has_text("variant 'date'"));
  next.runs[0].fingerprint.clear();  // an older file does not say
  CHECK(other_question(base, next).empty());
  next.name = "large";
  CHECK_THAT(other_question(base, next), has_text("different scenarios, 'small' and 'large'"));
}

TEST_CASE("What only one side has is told, not compared", "[report]") {
  MeasuredStudy base = study_of({run_of(1, 5), run_of(1, 5)});
  base.runs[1].variant = "old";
  MeasuredStudy next = study_of({run_of(2, 5), run_of(1, 5)});
  next.runs[1].variant = "young";
  next.runs[0].metrics.emplace_back("clients.extra.attempts", 5);
  const StudyComparison comparison = compare_studies(base, next);
  REQUIRE(comparison.variants.size() == 1);
  CHECK(comparison.variants[0].metrics.size() == 5);
  std::string notes;
  for (const std::string& note : comparison.notes) {
    notes += note + "\n";
  }
  CHECK_THAT(notes, has_text("old: only in base"));
  CHECK_THAT(notes, has_text("young: only in new"));
  CHECK_THAT(notes, has_text("clients only in new: extra"));
  CHECK_THAT(notes, has_text("seed 1 in base, 2 in new"));
}

TEST_CASE("A baseline and a results.json of one study are the same to the last metric",
          "[report]") {
  StudyResult study = samples::vehicle_telemetry();
  study.runs[0].run.clients[0].name = "in.gest";
  for (VariantResult& result : study.runs) {
    result.fingerprint = 17;
  }
  const MeasuredStudy results = parse_measured(results_json(study));
  const MeasuredStudy baseline = parse_measured(baseline_json(study));
  CHECK(results.error.empty());
  CHECK(baseline.error.empty());
  CHECK(results.name == "vehicle-telemetry");
  REQUIRE(results.runs.size() == 3);
  REQUIRE(baseline.runs.size() == 3);
  for (std::size_t i = 0; i < 3; ++i) {
    CHECK(results.runs[i].fingerprint == "0000000000000011");
    CHECK(baseline.runs[i].fingerprint == results.runs[i].fingerprint);
    CHECK(baseline.runs[i].seed == results.runs[i].seed);
    CHECK(baseline.runs[i].metrics == results.runs[i].metrics);
    CHECK(baseline.runs[i].metrics.size() > 80);
  }
  CHECK(other_question(baseline, results).empty());
  for (const ComparedVariant& variant : compare_studies(baseline, results).variants) {
    for (const ComparedMetric& metric : variant.metrics) {
      CHECK(metric.change == Change::same);
    }
  }
}

TEST_CASE("A baseline has one metric a line and ends in a line feed", "[report]") {
  const std::string text = baseline_json(samples::vehicle_telemetry());
  CHECK_THAT(text, has_text("\n        \"latency_ms.p99\": "));
  CHECK(text.back() == '\n');
}

TEST_CASE("What is no result is refused in words", "[report]") {
  CHECK(parse_measured("").error == "is not JSON");
  CHECK(parse_measured("[1]").error == "is not JSON");
  CHECK(parse_measured("{}").error == "has no format_version");
  CHECK_THAT(parse_measured("{\"format_version\":\"2.0\"}").error, has_text("does not know"));
  CHECK(parse_measured("{\"format_version\":\"1.3\",\"runs\":[]}").error == "holds no run");
  for (const char* odd :
       {R"({"format_version":"1.3","runs":[5]})", R"({"format_version":"1.3","runs":[{}]})",
        R"({"format_version":"1.3","scenario":7,"runs":[{"variant":7,"seed":-1,"clients":[]}]})",
        R"({"baseline_version":"1.0","runs":[{"metrics":{"attempts":"x","nonsense":5}}]})"}) {
    INFO(odd);
    CHECK(parse_measured(odd).runs.size() == 1);
  }
}

TEST_CASE("The text puts what got worse first and fits its width", "[report]") {
  CompareReport report;
  report.studies.push_back(
      compare_studies(study_of({run_of(1, 5)}), study_of({run_of(1, 6, 110)})));
  report.rules = {"p99 > +5%"};
  report.breaks =
      find_breaks({rule("latency_ms.p99", FailRule::Way::rises, 0.05)}, report.studies[0]);
  const std::string text = compare_text(report, {.width = 80, .color = false, .unicode = true});
  CHECK_THAT(text, has_text("date: 2 worse, 1 better, 2 no change"));
  CHECK(text.find("latency_ms.p99") < text.find("operations.succeeded"));
  CHECK_THAT(text, has_text("FAILED the rule: small date latency_ms.p99 5 ms -> 6 ms (+20%)"));
  CHECK_THAT(text, has_text("2 changes met --fail-on rules"));
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = text.find('\n', begin);
    CHECK(end - begin <= 80);
    begin = end + 1;
  }
  const auto json = nlohmann::json::parse(compare_json(report));
  CHECK(json["fail_on"]["breaks"][0]["metric"]["relative"] == 0.2);
  CHECK(json["scenarios"][0]["variants"][0]["metrics"][3]["change"] == "worse");
}

}  // namespace
}  // namespace partsim
