#include <string>
#include <string_view>
#include <vector>

#include "partsim/report/report.hpp"

#include "hostile_texts.hpp"
#include "sample_layouts.hpp"
#include "support/catch.hpp"

namespace partsim {
namespace {

using Row = std::vector<std::string>;

/// Reads RFC 4180 with LF between records; fails the test on anything that is neither.
std::vector<Row> records(std::string_view csv) {
  std::vector<Row> rows(1, Row(1));
  bool quoted = false;
  for (std::size_t i = 0; i < csv.size(); ++i) {
    std::string& field = rows.back().back();
    const char c = csv[i];
    if (quoted) {
      if (c != '"') {
        field += c;
      } else if (i + 1 < csv.size() && csv[i + 1] == '"') {
        field += c;
        ++i;
      } else {
        quoted = false;
      }
    } else if (c == '"') {
      REQUIRE(field.empty());  // a quote inside a bare field
      quoted = true;
    } else if (c == ',') {
      rows.back().emplace_back();
    } else if (c == '\n') {
      rows.emplace_back(1);
    } else {
      REQUIRE(c != '\r');
      field += c;
    }
  }
  REQUIRE_FALSE(quoted);
  REQUIRE(rows.back() == Row(1));  // the file ends in a newline
  rows.pop_back();
  for (const Row& row : rows) {
    REQUIRE(row.size() == rows.front().size());
  }
  return rows;
}

/// What a spreadsheet shows of text: the apostrophe only says that it is text.
std::string shown(const std::string& field) {
  const bool marked = field.size() > 1 && field[0] == '\'' &&
                      std::string_view("=+-@\t\r").find(field[1]) != std::string_view::npos;
  return marked ? field.substr(1) : field;
}

bool is_formula(const std::string& field) {
  return !field.empty() &&
         std::string_view("=+-@\t\r").find(field.front()) != std::string_view::npos;
}

TEST_CASE("partitions.csv has one row a variant and partition, numbers exact", "[report]") {
  RunResult run = samples::make_run({.demand_ru_per_s = {12'000, 3'000}, .seconds = 10});
  run.warm_up_ns = 2 * kSecond;
  run.partitions[1].parent = 0;
  run.partitions[1].consumed_mru = 30'000'001;
  run.partitions[1].storage_bytes = 4096;
  run.partitions[1].born_ns = 2'500'000'000;
  run.partitions[1].retired_ns = 9 * kSecond;
  run.partitions[1].write_share_mru_per_s = 400'000;
  run.partitions[1].burst_mru = 1'500;
  run.partitions[1].ttl_mru = 2'250;
  run.partitions[1].single_key_full = true;
  StudyResult study = samples::one_run_study(run, "a");
  study.runs.push_back({"b", samples::make_run({.demand_ru_per_s = {1}})});
  const std::vector<Row> rows = records(partitions_csv(study));
  REQUIRE(rows.size() == 4);
  CHECK(rows[0] == Row{"variant",
                       "id",
                       "parent",
                       "container",
                       "min",
                       "max",
                       "ru_per_s",
                       "attempts",
                       "throttled",
                       "throttled_share",
                       "ru_consumed",
                       "ru_demand",
                       "utilization",
                       "peak_utilization",
                       "storage_bytes",
                       "key_space",
                       "born_s",
                       "retired_s",
                       "write_ru_per_s",
                       "burst_ru",
                       "ttl_ru",
                       "single_key_full"});
  // utilization: 60,000 RU over 8 counted seconds, 30,000 RU over the 7 in which it was there
  CHECK(rows[1] == Row{"a",     "0",   "",      "main",   "",     "01", "6000", "24000",
                       "12000", "0.5", "60000", "120000", "1.25", "1",  "0",    "0.5",
                       "0",     "",    "0",     "0",      "0",    "0"});
  CHECK(rows[2] == Row{"a",   "1", "0",         "main",  "01",       "FF",  "6000", "6000",
                       "0",   "0", "30000.001", "30000", "0.714286", "0.5", "4096", "0.5",
                       "2.5", "9", "400",       "1.5",   "2.25",     "1"});
  CHECK(rows[3][0] == "b");
}

TEST_CASE("timeseries.csv has one row a second, variant and partition", "[report]") {
  StudyResult study = samples::one_run_study(
      samples::make_run({.demand_ru_per_s = {12'000, 3'000, 0}, .seconds = 10}), "a");
  study.runs.push_back({"b", samples::make_run({.demand_ru_per_s = {3'000}, .seconds = 4})});
  const std::vector<Row> rows = records(timeseries_csv(study));
  REQUIRE(rows.size() == 1 + 10 * 3 + 4 * 1);
  CHECK(rows[0] == Row{"variant", "second", "interval_s", "partition", "attempts", "throttled",
                       "throttled_share", "ru_consumed", "utilization", "ru_share",
                       "storage_bytes"});
  CHECK(rows[1] == Row{"a", "0", "1", "0", "2400", "1200", "0.5", "6000", "1", "6000", "0"});
  CHECK(rows[2] == Row{"a", "0", "1", "1", "600", "0", "0", "3000", "0.5", "6000", "0"});
  CHECK(rows[30] == Row{"a", "9", "1", "2", "0", "0", "0", "0", "0", "6000", "0"});
  CHECK(rows[31][0] == "b");
}

TEST_CASE("A long run's rows say how many seconds each covers", "[report]") {
  RunResult run = samples::make_run({.demand_ru_per_s = {3'000}, .seconds = 4});
  run.series.interval_s = 2;
  run.series.share_mru.topRows(3) = 12'000'000;
  run.simulated_ns = 7 * kSecond;
  const std::vector<Row> rows = records(timeseries_csv(samples::one_run_study(run)));
  CHECK(rows[2] == Row{"base", "2", "2", "0", "600", "0", "0", "3000", "0.25", "12000", "0"});
  CHECK(rows[4] ==
        Row{"base", "6", "2", "0", "600", "0", "0", "3000", "0.5", "6000", "0"});  // one second
}

TEST_CASE("timeseries.csv has rows only where a partition was there", "[report]") {
  const std::vector<Row> rows =
      records(timeseries_csv(samples::one_run_study(samples::growing_run())));
  // one partition for 240 s, two for 120 s, three for 240 s
  CHECK(rows.size() == 1 + 240 + 2 * 120 + 3 * 240);
  for (std::size_t i = 1; i < rows.size(); ++i) {
    const int second = std::stoi(rows[i][1]);
    const int id = std::stoi(rows[i][3]);
    INFO(second << " s, partition " << id);
    CHECK((second < 240 ? id == 0 : second < 360 ? id == 1 || id == 2 : id >= 2));
  }
  CHECK(rows[242] ==
        Row{"base", "240", "1", "2", "1800", "800", "0.444444", "5000", "1", "5000", "0"});
}

TEST_CASE("latency.csv is a rising curve from the fastest to the slowest, all clients first",
          "[report]") {
  const std::vector<Row> rows = records(latency_csv(samples::vehicle_telemetry()));
  constexpr std::size_t kPoints = 100 + 9 + 3;  // 0 to 99, 99.1 to 99.9, 99.99, 99.999, 100
  REQUIRE(rows.size() == 1 + kPoints * 3 * 3);
  CHECK(rows[0] == Row{"variant", "client", "percentile", "latency_ms"});
  CHECK(rows[1][1] == "(all)");
  CHECK(rows[1 + kPoints][1] == "ingest");
  CHECK(rows[1 + 2 * kPoints][1] == "lookup");
  for (std::size_t i = 1; i < rows.size(); ++i) {
    const bool first = (i - 1) % kPoints == 0;
    INFO(i);
    CHECK((first ? rows[i][2] == "0"
                 : std::stod(rows[i][2]) > std::stod(rows[i - 1][2]) &&
                       std::stod(rows[i][3]) >= std::stod(rows[i - 1][3])));
  }
  CHECK(rows[kPoints][2] == "100");
}

TEST_CASE("Hostile text in a CSV file is quoted, no formula, and comes back as it was",
          "[report]") {
  for (const std::string_view hostile : samples::kHostileTexts) {
    INFO(hostile);
    const std::string text(hostile);
    RunResult run = samples::make_run({.demand_ru_per_s = {1, 2}, .seconds = 3});
    run.clients[0].name = text;
    run.partitions[0].container = text;
    const StudyResult study = samples::one_run_study(run, text);
    const std::vector<Row> partitions = records(partitions_csv(study));
    const std::vector<Row> series = records(timeseries_csv(study));
    const std::vector<Row> latency = records(latency_csv(study));
    REQUIRE(partitions.size() == 3);
    REQUIRE(series.size() == 7);
    CHECK(shown(partitions[1][0]) == text);
    CHECK(shown(partitions[1][3]) == text);
    CHECK(shown(series[6][0]) == text);
    CHECK(shown(latency.back()[1]) == text);
    for (const std::vector<Row>* rows : {&partitions, &series, &latency}) {
      for (const Row& row : *rows) {
        for (const std::string& field : row) {
          CHECK_FALSE(is_formula(field));
        }
      }
    }
  }
}

TEST_CASE("Harmless text and numbers stand bare in a CSV file", "[report]") {
  const std::string csv = partitions_csv(
      samples::one_run_study(samples::make_run({.demand_ru_per_s = {1}}), "a-b_c.d"));
  CHECK(csv.find('"') == std::string::npos);
  CHECK(csv.find('\'') == std::string::npos);
  CHECK_THAT(csv, has_text("\na-b_c.d,0,,main,"));
}

TEST_CASE("CSV files of a run without traffic or partitions are headers", "[report]") {
  const StudyResult study = samples::one_run_study(RunResult{});
  CHECK(records(partitions_csv(study)).size() == 1);
  CHECK(records(timeseries_csv(study)).size() == 1);
  for (const Row& row : records(latency_csv(study))) {
    CHECK((row[3] == "latency_ms" || row[3] == "0"));
  }
}

}  // namespace
}  // namespace partsim
