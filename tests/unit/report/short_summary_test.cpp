#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "partsim/report/progress_text.hpp"
#include "partsim/report/report.hpp"
#include "partsim/report/text.hpp"

#include "hostile_texts.hpp"
#include "next_step.hpp"
#include "sample_layouts.hpp"
#include "sparkline.hpp"
#include "support/catch.hpp"

namespace partsim {
namespace {

constexpr std::size_t kMostLines = 40;
const std::string kFile = "my scenario.yaml";

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    lines.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return lines;
}

std::string unwrapped(const std::string& text) {
  std::string flat;
  for (const char c : text) {
    const bool space = c == ' ' || c == '\n';
    if (!space || (!flat.empty() && flat.back() != ' ')) {
      flat += space ? ' ' : c;
    }
  }
  return flat;
}

std::string without_colors(std::string text) {
  for (std::size_t at = text.find('\x1B'); at != std::string::npos; at = text.find('\x1B')) {
    text.erase(at, text.find('m', at) - at + 1);
  }
  return text;
}

bool mentions(const std::string& text, const std::string& word) {
  return text.find(word) != std::string::npos;
}

/// Every third one burns another partition.
StudyResult many_variants(std::size_t count) {
  StudyResult study = samples::one_run_study(RunResult{});
  study.runs.clear();
  for (std::size_t i = 0; i < count; ++i) {
    std::vector<std::int64_t> demand(10, 3'000);
    demand[i % 10] = i % 3 == 0 ? 40'000 : 3'000;
    study.runs.push_back(
        {"variant-" + std::to_string(i), samples::make_run({.demand_ru_per_s = demand})});
  }
  return study;
}

StudyResult many_partitions(std::size_t count) {
  return samples::one_run_study(
      samples::make_run({.demand_ru_per_s = std::vector<std::int64_t>(count, 9'000)}));
}

StudyResult many_clients(std::size_t count) {
  StudyResult study = many_partitions(4);
  study.runs[0].run.clients.clear();
  for (std::size_t i = 0; i < count; ++i) {
    study.runs[0].run.clients.push_back(
        samples::make_client("client-" + std::to_string(i), 1'000, i == 33 ? 500 : i % 2));
  }
  return study;
}

StudyResult many_expectations(std::size_t met, std::size_t failed) {
  StudyResult study = samples::vehicle_telemetry();
  study.expectations.clear();
  for (std::size_t i = 0; i < met + failed; ++i) {
    study.expectations.push_back(
        {"date.throttled_share < " + std::to_string(i) + "%", "date", 0.85, i < met});
  }
  return study;
}

StudyResult everything_at_once() {
  StudyResult study = many_variants(24);
  study.title = std::string(300, 't');
  study.partial = true;
  for (VariantResult& result : study.runs) {
    result.run = samples::growing_run();
    result.variant += std::string(50, 'n');
    result.run.provider = Provider::dynamodb;
    result.run.large_keys = {{std::string(90, 'k'), 2, 20 * kGigabyte, true}};
    result.run.clients.push_back(samples::make_client("大量書込大量書込大量書込大量書込", 7, 8));
    result.run.clients[0].forbidden = 77;
    result.run.clients[0].timed_out = 5;
    result.run.clients[0].refused = 5;
    result.run.partitions[2].single_key_full = true;
  }
  for (int i = 0; i < 60; ++i) {
    study.expectations.push_back({std::string(150, 'r') + " < 1", "x", 123'456'789.0, false});
  }
  return study;
}

std::vector<StudyResult> extremes() {
  StudyResult nothing;
  nothing.name = "x";
  return {nothing,
          samples::one_run_study(RunResult{}),
          samples::one_run_study(samples::make_run({.demand_ru_per_s = {0}})),
          samples::one_run_study(samples::growing_run()),
          samples::vehicle_telemetry(),
          many_variants(1),
          many_variants(2),
          many_variants(12),
          many_variants(24),
          many_variants(200),
          many_partitions(1),
          many_partitions(200),
          many_clients(40),
          many_expectations(30, 0),
          many_expectations(1, 30),
          everything_at_once()};
}

TEST_CASE("The short summary has at most 40 lines of at most the width, whatever is in it",
          "[report]") {
  for (const StudyResult& study : extremes()) {
    for (const unsigned width : {40U, 60U, 80U, 100U, 120U}) {
      for (const bool unicode : {true, false}) {
        const std::string text =
            short_summary(study, {.width = width, .unicode = unicode}, std::string(200, 'f'));
        const std::vector<std::string> lines = lines_of(text);
        INFO(text);
        CHECK(lines.size() <= kMostLines);
        CHECK(text.ends_with("\n"));
        for (const std::string& line : lines) {
          INFO(line);
          CHECK(display_width(line) <= width);
          CHECK_FALSE(line.ends_with(' '));
        }
      }
    }
  }
}

TEST_CASE("The short summary says verdict, cause, variants, partitions, expectations, next step",
          "[report]") {
  const std::string text = short_summary(samples::vehicle_telemetry(), {}, kFile);
  std::size_t last = 0;
  for (const char* part :
       {"Verdict  vin-suffix does best", "Vehicle telemetry",
        "✗ date: Partition 8 was at its limit of 6,000 RU/s for 60 of 60 s; key", "Variants",
        "Worst partitions", "✗ random-suffix.clients.lookup.ru_per_operation > 30  → 25.7 RU",
        "3 of 4 expectations met", "Next: ", "seed 2018"}) {
    INFO(part);
    const std::size_t at = text.find(part);
    REQUIRE(at != std::string::npos);
    CHECK(at >= last);
    last = at;
  }
  CHECK_THAT(unwrapped(text),
             has_text("the other nine averaged 0 %; 84 % of the operations fail."));
}

TEST_CASE("A variant's row has what was throttled and lost, latency by cause, and the cost",
          "[report]") {
  StudyResult study = samples::one_run_study(
      samples::make_run({.demand_ru_per_s = {12'000}, .seconds = 10}), "wide");
  ClientResult& client = study.runs[0].run.clients[0];
  client.parts.service_ns = client.operations.succeeded * 5'000'000;
  client.parts.queue_ns = client.operations.succeeded * 2'500'000;
  client.parts.retry_wait_ns = client.operations.succeeded * 70'000'000;
  const std::string text = unwrapped(short_summary(study, {.width = 120}, kFile));
  CHECK_THAT(text,
             has_text("429s failed p50 p99 service queue retries RU/op cost % % ms ms ms ms ms "
                      "$/month ✗ wide 50.0 50.0 0 0 5.00 2.50 70.0 5.00 350"));
}

TEST_CASE("Every variant has a row while there is room, and those in trouble when there is not",
          "[report]") {
  const std::string twelve = short_summary(many_variants(12), {}, kFile);
  for (int i = 0; i < 12; ++i) {
    CHECK_THAT(twelve, has_text((i % 3 == 0 ? "✗ variant-" : "✓ variant-") + std::to_string(i)));
  }
  const std::string many = short_summary(many_variants(24), {}, kFile);
  for (int i = 0; i < 24; i += 3) {
    CHECK_THAT(many, has_text("  ✗ variant-" + std::to_string(i) + " "));
  }
  CHECK_THAT(many, has_text("  ✓ variant-1 "));  // the best
  CHECK_THAT(many, has_text(" more in results.json\n"));
}

TEST_CASE("The client that loses most is among those shown", "[report]") {
  const std::string text = short_summary(many_clients(40), {}, kFile);
  CHECK_THAT(text, has_text("    client-33 "));
  CHECK_THAT(text, has_text(" more clients in results.json\n"));
}

TEST_CASE("Failed expectations are shown before met ones are counted, and the rest is counted too",
          "[report]") {
  const std::string text = short_summary(many_expectations(5, 30), {}, kFile);
  CHECK_THAT(text, has_text("✗ date.throttled_share < 5%  → 85%"));
  CHECK_THAT(text,
             has_text("  and 27 more failed, all in results.json\n✗ 5 of 35 expectations met"));
  const std::string good = short_summary(many_expectations(7, 0), {}, kFile);
  CHECK_THAT(good, has_text("✓ 7 of 7 expectations met\n"));
  CHECK_FALSE(mentions(good, "date.throttled_share < "));
}

TEST_CASE("A rule about all variants says which one broke it", "[report]") {
  StudyResult study = samples::vehicle_telemetry();
  study.expectations = {{"failed_share == 0", "date", 0.85, false}};
  CHECK_THAT(short_summary(study, {}, kFile), has_text("✗ failed_share == 0 [date]  → 85%"));
}

TEST_CASE("Variants of which the same is to be said are told together", "[report]") {
  StudyResult study = many_partitions(2);
  study.runs[0].variant = "a";
  study.runs.push_back({"b", study.runs[0].run});
  CHECK_THAT(short_summary(study, {}, kFile), has_text("✗ a and b: All two partitions were"));
}

TEST_CASE("A partition's time is as wide as any other's, on one scale", "[report]") {
  RunResult run = samples::make_run({.demand_ru_per_s = {0, 3'000, 6'000, 60'000}, .seconds = 7});
  CHECK(sparkline(run, 0, 5, true) == "▁▁▁▁▁");
  CHECK(sparkline(run, 1, 5, true) == "▅▅▅▅▅");  // the half: between the fourth and the fifth
  CHECK(sparkline(run, 2, 5, true) == "█████");
  CHECK(sparkline(run, 3, 30, false) == std::string(30, '#'));
  CHECK(sparkline(run, 0, 3, false) == "___");
  run.series.consumed_mru.col(2).segment(0, 6) = 0;
  CHECK(sparkline(run, 2, 7, true) == "▁▁▁▁▁▁█");
  CHECK(sparkline(run, 2, 14, false) == "____________##");
  run.warm_up_ns = 5 * kSecond;  // does not count
  CHECK(sparkline(run, 2, 4, false) == "__##");
  run.regions = 2;  // two budgets, half of them used
  CHECK(sparkline(run, 2, 4, true) == "▁▁▅▅");
  CHECK(sparkline(RunResult{}, 0, 4, true) == "    ");
}

TEST_CASE("A partition has no bar before it was born and after it was retired", "[report]") {
  const RunResult run = samples::growing_run();  // 600 s; 0 until 240 s, 4 from 360 s
  CHECK(sparkline(run, 0, 10, true) == "████      ");
  CHECK(sparkline(run, 4, 10, false) == "      ----");
}

TEST_CASE("Colours in the short summary change nothing else", "[report]") {
  for (const StudyResult& study : extremes()) {
    const std::string plain = short_summary(study, {}, kFile);
    CHECK(plain.find('\x1B') == std::string::npos);
    CHECK(without_colors(short_summary(study, {.color = true}, kFile)) == plain);
  }
}

TEST_CASE("Without Unicode the short summary is ASCII, sparklines too", "[report]") {
  for (const StudyResult& study : extremes()) {
    const std::string text = short_summary(study, {.unicode = false}, kFile);
    CHECK(std::all_of(text.begin(), text.end(),
                      [](char c) { return c == '\n' || (c >= ' ' && c <= '~'); }));
  }
  CHECK_THAT(short_summary(samples::vehicle_telemetry(), {.unicode = false}, kFile),
             has_text("########################"));
}

TEST_CASE("Hostile names cannot act on the terminal or leave the command they are in", "[report]") {
  for (const std::string_view hostile : samples::kHostileTexts) {
    const std::string name(hostile);
    StudyResult study = samples::vehicle_telemetry();
    study.name = name;
    study.title = name;
    study.runs[0].variant = name;
    study.runs[0].run.clients[0].name = name;
    study.runs[0].run.hot_keys[0].key = name;
    study.runs[0].run.layout_events = samples::growing_run().layout_events;
    study.expectations.push_back({name, name, 1, false});
    for (const std::string& line : lines_of(short_summary(study, {}, name))) {
      CHECK(visible_text(line) == line);
      CHECK(display_width(line) <= 80);
    }
  }
  CHECK(shell_word("scenarios/date-key.yaml") == "scenarios/date-key.yaml");
  CHECK(shell_word("my file.yaml") == "'my file.yaml'");
  CHECK(shell_word("it's; rm -rf ~") == "'it'\\''s; rm -rf ~'");
  CHECK(shell_word("") == "''");
}

NextStep step_for(const StudyResult& study) {
  std::vector<Diagnosis> diagnoses;
  for (const VariantResult& result : study.runs) {
    diagnoses.push_back(diagnose(result.run));
  }
  return next_step(study, diagnoses, "s.yaml");
}

TEST_CASE("The next step follows from what is wrong", "[report]") {
  using Words = std::vector<std::string>;
  const auto alone = [](std::vector<std::int64_t> demand) {
    return samples::one_run_study(samples::make_run({.demand_ru_per_s = std::move(demand)}));
  };
  CHECK(step_for(alone({40'000, 0, 0})).command == Words{"partsim advise s.yaml"});
  CHECK(step_for(alone({18'000, 18'000})).command ==
        Words{"partsim plan s.yaml", "--target 'throttled_share < 1%'"});
  CHECK(step_for(alone({18'000, 18'000})).why == "find the smallest throughput that meets this");
  CHECK(step_for(alone({3'000, 3'000})).command ==
        Words{"partsim plan s.yaml", "--target 'throttled_share < 1%'"});
  CHECK(step_for(alone({3'000, 3'000})).why == "find out what less throughput would do");
  CHECK(step_for(alone({0, 0})).command == Words{"partsim explain s.yaml"});
  StudyResult study = alone({3'000, 3'000});
  study.expectations = {{"failed_share == 0", "base", 0, true}};
  CHECK(step_for(study).command == Words{"partsim check s.yaml"});
  study.partial = true;
  CHECK(step_for(study).command == Words{"partsim run s.yaml"});
  CHECK(step_for(StudyResult{}).command == Words{"partsim run s.yaml"});
}

TEST_CASE("A failed expectation is the target to plan for, if throughput can meet it", "[report]") {
  using Words = std::vector<std::string>;
  StudyResult study =
      samples::one_run_study(samples::make_run({.demand_ru_per_s = {9'000, 9'000}}), "a");
  const auto step_for_rule = [&study](const std::string& rule) {
    study.expectations = {{"attempts > 0", "a", 1, true}, {rule, "a", 0.3, false}};
    return step_for(study).command;
  };
  CHECK(step_for_rule("clients.x.latency_ms.p99 < 10 ms") ==
        Words{"partsim plan s.yaml", "--target 'clients.x.latency_ms.p99 < 10 ms'"});
  CHECK(step_for_rule("failed_share == 0") ==
        Words{"partsim plan s.yaml", "--target 'failed_share == 0'"});
  const Words all{"partsim run s.yaml", "--summary full"};
  CHECK(step_for_rule("throttled_share > 90%") == all);
  CHECK(step_for_rule("ru_per_operation < 3") == all);
  study.runs.push_back({"b", study.runs[0].run});
  CHECK(step_for_rule("a.throttled_share < 5%") ==
        Words{"partsim plan s.yaml", "--variant a", "--target 'throttled_share < 5%'"});
  study.runs[0].run = samples::make_run({.demand_ru_per_s = {40'000, 0, 0}});
  CHECK(step_for_rule("a.throttled_share < 5%") == Words{"partsim advise s.yaml", "--variant a"});
}

TEST_CASE("A long command is broken where a shell takes it as one line", "[report]") {
  const std::string text = short_summary(many_partitions(2), {}, std::string(50, 'f') + ".yaml");
  CHECK_THAT(text, has_text("f.yaml \\\n    --target 'throttled_share < 1%'\n"));
}

TEST_CASE("A study that was stopped says so first", "[report]") {
  StudyResult study = samples::vehicle_telemetry();
  study.partial = true;
  study.expectations.clear();
  CHECK(short_summary(study, {}, kFile).starts_with("PARTIAL  Stopped early"));
}

TEST_CASE("What the layout did is one line, and where to read more of it", "[report]") {
  const std::string text = short_summary(samples::one_run_study(samples::growing_run()), {}, kFile);
  CHECK_THAT(
      text,
      has_text("Layout changed: 2 splits, 1 change of throughput, 1 refusal (--summary full)\n"));
  CHECK_FALSE(mentions(short_summary(samples::vehicle_telemetry(), {}, kFile), "Layout changed"));
}

TEST_CASE("Progress tells simulated time, speed and what is left", "[report]") {
  const StudyProgress half{
      .share = 0.5, .simulated_ns = 30 * kSecond, .total_ns = 60 * kSecond, .attempts = 2'400'000};
  CHECK(progress_text("date-key", half, 2.0, {}) ==
        "date-key  50 %  30 s of 60 s simulated  1.2M requests/s  2 s left");
  // nothing is known yet of the speed
  CHECK(progress_text("date-key", half, 0.1, {}) == "date-key  50 %  30 s of 60 s simulated");
  CHECK(progress_text("date-key", {.total_ns = 60 * kSecond}, 9.0, {}) ==
        "date-key  0 %  0 s of 60 s simulated  0 requests/s");
  // the last block is not yet the end
  CHECK_THAT(progress_text("x", {.share = 0.999, .simulated_ns = 1, .total_ns = 2}, 9.0, {}),
             has_text("x  99 %"));
  for (const unsigned width : {39U, 60U, 79U}) {
    CHECK(display_width(progress_text(std::string(90, 'n'), half, 5'000, {.width = width})) <=
          width);
  }
}

}  // namespace
}  // namespace partsim
