// Tables and sentences for reports with room, on made-up results.
#include <string>
#include <vector>

#include "partsim/report/page_words.hpp"
#include "partsim/report/report_table.hpp"

#include "sample_layouts.hpp"
#include "support/catch.hpp"

namespace partsim {
namespace {

std::vector<std::string> column(const ReportTable& table, const std::string& header) {
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    if (table.columns[i].header == header) {
      std::vector<std::string> texts;
      for (const std::vector<ReportCell>& row : table.rows) {
        REQUIRE(row.size() == table.columns.size());
        texts.push_back(row[i].text);
      }
      return texts;
    }
  }
  return {};
}

using Texts = std::vector<std::string>;

TEST_CASE("Partitions are sorted by what they refuse, then by how busy they are", "[report]") {
  const VariantResult result{
      "date", samples::make_run({.demand_ru_per_s = {10, 7'000, 30, 9'000}, .seconds = 10})};
  const ReportTable table = partitions_table(result, 10);
  CHECK(column(table, "partition") == Texts{"3", "1", "2", "0"});
  CHECK(column(table, "429s") == Texts{"33 %", "14 %", "0 %", "0 %"});
  CHECK(column(table, "state") == Texts{"burns", "burns", "", ""});
  CHECK(column(table, "when it refused") == Texts{"0 s to 10 s", "0 s to 10 s", "", ""});
  CHECK(table.rows[0][0].severity == Severity::bad);
  CHECK(table.rows[2][0].severity == Severity::good);
  CHECK(column(table, "stored").empty());  // nobody stored anything: no such column
}

TEST_CASE("When a partition refused counts from the end of the warm-up, gaps told", "[report]") {
  RunResult run = samples::make_run({.demand_ru_per_s = {10}, .seconds = 20});
  run.warm_up_ns = 4 * kSecond;
  run.series.throttled.setZero();
  run.partitions[0].throttled = 8;
  for (const int second : {1, 7, 8, 12}) {
    run.series.throttled(second, 0) = 2;
  }
  CHECK(column(partitions_table({"a", run}, 10), "when it refused") ==
        Texts{"7 s to 13 s, 3 s of 6 s of it"});
}

TEST_CASE("What is left out of a table is said", "[report]") {
  const VariantResult result{
      "a", samples::make_run({.demand_ru_per_s = std::vector<std::int64_t>(30, 10)})};
  const ReportTable table = partitions_table(result, 8);
  CHECK(table.rows.size() == 8);
  CHECK(table.rest == "22 more are in partitions.csv.");
  CHECK(partitions_table(result, 30).rest.empty());
}

TEST_CASE("Layout events of the table are those of the terminal", "[report]") {
  const ReportTable table = layout_table({"growing", samples::growing_run()}, 10);
  REQUIRE(table.rows.size() == 4);
  CHECK(column(table, "when") == Texts{"at 120 s", "at 240 s", "at 360 s", "at 360 s"});
  CHECK(layout_table({"calm", samples::make_run({.demand_ru_per_s = {1}})}, 10).rows.empty());
}

TEST_CASE("Expectations stand with rule, value, limit, margin and result", "[report]") {
  StudyResult study = samples::vehicle_telemetry();
  study.expectations = {{.rule = "date.throttled_share > 50%",
                         .variant = "date",
                         .value = 0.75,
                         .passed = true,
                         .limit = 0.5,
                         .margin = 0.5},
                        {.rule = "date.throttled_share < 10%",
                         .variant = "date",
                         .value = 0.125,
                         .passed = false,
                         .limit = 0.1,
                         .margin = -0.25,
                         .first_broken_s = 12,
                         .partition = 8},
                        {.rule = "date.gone == 0",
                         .variant = "date",
                         .value = 3,
                         .passed = false,
                         .limit = 0,
                         .margin = -3},
                        {.rule = "clients.x.gone == 0", .variant = "date", .measured = false}};
  const ReportTable table = expectations_table(study);
  CHECK(table.caption == "1 of 4 expectations met");
  CHECK(column(table, "measured") == Texts{"75%", "12.5%", "3", "not in this run"});
  CHECK(column(table, "limit") == Texts{"50%", "10%", "0", "0"});
  CHECK(column(table, "margin") == Texts{"+50%", "-25%", "-3", "-"});
  CHECK(column(table, "result") ==
        Texts{"met", "failed, first broken at 12 s, on partition 8", "failed", "failed"});
  CHECK(table.rows[1][5].severity == Severity::bad);
}

TEST_CASE("A client without a success has no latency and no price", "[report]") {
  StudyResult study = samples::one_run_study(samples::make_run({.demand_ru_per_s = {10}}));
  study.runs[0].run.clients[0].operations = {10, 0, 10, 0};
  CHECK(column(clients_table(study), "p99") == Texts{"-"});
  CHECK(column(clients_table(study), "RU per operation") == Texts{"-"});
  CHECK(latency_sentence(study.runs[0].run) ==
        "No operation succeeded, so there is no latency to explain.");
}

TEST_CASE("The latency sentence says where the mean goes", "[report]") {
  RunResult run = samples::make_run({.demand_ru_per_s = {10}});
  ClientResult& client = run.clients[0];
  client.operations = {4, 4, 0, 0};
  for (int i = 0; i < 4; ++i) {
    client.latency_ns.add(20'000'000);
  }
  client.parts.service_ns = 4 * 5'000'000;
  client.parts.retry_wait_ns = 4 * 15'000'000;
  const std::string text = latency_sentence(run);
  CHECK_THAT(text, has_text("5.0 ms of service (25 %)"));
  CHECK_THAT(text, has_text("no queueing"));
  CHECK_THAT(text, has_text("15 ms waiting to retry after a refusal (75 %)"));
}

TEST_CASE("Runs are told by digest, seed and model", "[report]") {
  const ReportTable table = runs_table(samples::vehicle_telemetry());
  CHECK(column(table, "digest")[0] == "00c0ffee12345678");
  CHECK(column(table, "seed") == Texts{"2018", "2018", "2018"});
}

TEST_CASE("A stopped study says what is missing", "[report]") {
  StudyResult study = samples::vehicle_telemetry();
  CHECK(stopped_sentence(study).empty());
  study.partial = true;
  study.runs[1].run.partial = true;
  CHECK_THAT(stopped_sentence(study), has_text("random-suffix ends at 60 s."));
}

}  // namespace
}  // namespace partsim
