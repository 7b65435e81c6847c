#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "partsim/report/report.hpp"
#include "partsim/report/text.hpp"

#include "hostile_texts.hpp"
#include "sample_layouts.hpp"
#include "support/catch.hpp"

namespace partsim {
namespace {

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    lines.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return lines;
}

/// Without line breaks and indents, so that a sentence can be found wherever it was wrapped.
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

std::size_t position(const std::string& text, const std::string& part) {
  INFO(part);
  const std::size_t at = text.find(part);
  REQUIRE(at != std::string::npos);
  return at;
}

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

/// All studies whose shape might break a layout.
std::vector<StudyResult> odd_studies() {
  std::vector<StudyResult> studies{samples::vehicle_telemetry(), many_variants(5),
                                   many_variants(30), samples::one_run_study(RunResult{})};
  std::vector<std::int64_t> demand(1'000, 2'000);
  demand[777] = 90'000;
  studies.push_back(samples::one_run_study(samples::make_run({.demand_ru_per_s = demand})));
  studies.push_back(samples::one_run_study(samples::make_run({.demand_ru_per_s = {0}})));
  StudyResult wide = samples::vehicle_telemetry();
  wide.title = std::string(200, 't');
  wide.runs[0].variant = "東京東京東京東京東京東京東京東京東京東京東京東京東京東京東京東京";
  wide.runs[1].variant = std::string(64, 'x');
  wide.runs[2].variant = "e\u0301e\u0301e\u0301 ✅⌚🚀❤\uFE0F";
  wide.runs[0].run.clients[0].name = "大量書込大量書込大量書込大量書込大量書込";
  wide.runs[0].run.hot_keys[0].key = "✅✅✅✅✅✅✅✅✅✅✅✅✅✅✅✅✅✅✅✅✅✅✅✅✅✅✅✅✅✅✅✅✅✅✅✅✅✅✅✅✅✅";
  wide.expectations.push_back({std::string(150, 'r') + " < 1", "date", 123'456'789.0, false});
  wide.partial = true;
  wide.runs[0].run.partial = true;
  studies.push_back(wide);
  studies.push_back(samples::one_run_study(samples::growing_run()));
  StudyResult providers = samples::vehicle_telemetry();
  for (VariantResult& result : providers.runs) {
    result.run = samples::growing_run();
    result.run.layout_events[0].reason = std::string(300, 'r');
    result.run.layout_events[1].container = "大量書込大量書込";
    result.run.large_keys = {{std::string(90, 'k'), 2, 20 * kGigabyte, true}};
    result.run.clients[0].forbidden = 77;
    result.run.clients[0].gone = 1;
    result.run.partitions[2].single_key_full = true;
    result.run.partitions[2].burst_mru = 9'000'000;
  }
  providers.runs[1].run.provider = Provider::dynamodb;
  providers.runs[2].run.api = Api::cassandra;
  studies.push_back(providers);
  return studies;
}

TEST_CASE("The verdict comes first, then the diagnosis, partitions before totals", "[report]") {
  const std::string text = terminal_summary(samples::vehicle_telemetry(), {});
  CHECK(text.starts_with("Verdict  vin-suffix does best: "));
  const std::vector<std::size_t> order{position(text, "Verdict"),
                                       position(text, "Vehicle telemetry"),
                                       position(text, "✗ date"),
                                       position(text, "date  10 partitions of 6,000 RU/s"),
                                       position(text, "vin-suffix  10 partitions"),
                                       position(text, "What the service saw"),
                                       position(text, "What the application saw"),
                                       position(text, "Clients"),
                                       position(text, "Expectations: 3 of 4 met"),
                                       position(text, "digest=00c0ffee12345678")};
  CHECK(std::is_sorted(order.begin(), order.end()));
}

TEST_CASE("The hot partition is named in the verdict and marked in its table", "[report]") {
  const std::string text = terminal_summary(samples::vehicle_telemetry(), {});
  CHECK_THAT(unwrapped(text).substr(0, 300), has_text("date burns partition 8 of 10."));
  std::size_t marked = 0;
  for (const std::string& line : lines_of(text)) {
    if (line.find("← burns") != std::string::npos) {
      ++marked;
      CHECK(line.starts_with("          8  ██████████████████████████   100 "));
    }
  }
  CHECK(marked == 1);
}

TEST_CASE("The application's latency is split into service, queue and retry wait", "[report]") {
  RunResult run = samples::make_run({.demand_ru_per_s = {50}, .seconds = 10});
  ClientResult& client = run.clients[0];  // 100 operations
  for (int i = 0; i < 100; ++i) {
    client.latency_ns.add(12'000'000);
  }
  client.parts = {.service_ns = 200'000'000, .queue_ns = 300'000'000, .retry_wait_ns = 700'000'000};
  const std::string text = unwrapped(terminal_summary(samples::one_run_study(run), {}));
  CHECK_THAT(text, has_text("failed p50 p99 mean service queue retry wait "
                            "% ms ms ms ms ms ms base 0 12.0 12.0 12.0 2.00 3.00 7.00"));
}

TEST_CASE("Where there is no room, what is waited for goes last", "[report]") {
  RunResult run = samples::make_run({.demand_ru_per_s = {50}, .seconds = 10});
  run.clients[0].parts.service_ns = 500'000'000;
  run.clients[0].parts.queue_ns = 300'000'000'000;
  const std::string queueing =
      unwrapped(terminal_summary(samples::one_run_study(run), {.width = 50}));
  CHECK_THAT(queueing, has_text("p50 p99 service queue % ms ms ms ms base 0 0 0 5.00 3,000"));
  std::swap(run.clients[0].parts.queue_ns, run.clients[0].parts.retry_wait_ns);
  const std::string retrying =
      unwrapped(terminal_summary(samples::one_run_study(run), {.width = 52}));
  CHECK_THAT(retrying, has_text("p50 p99 service retry wait % ms ms ms ms base 0 0 0 5.00 3,000"));
}

TEST_CASE("No line is wider than asked for, whatever is in it", "[report]") {
  for (const StudyResult& study : odd_studies()) {
    for (const unsigned width : {40U, 60U, 80U, 120U}) {
      for (const bool unicode : {true, false}) {
        const std::string text = terminal_summary(study, {.width = width, .unicode = unicode});
        for (const std::string& line : lines_of(text)) {
          INFO(width << ": " << line);
          CHECK(display_width(line) <= width);
        }
      }
    }
  }
}

TEST_CASE("No line ends in blanks, and the text ends in a newline", "[report]") {
  for (const StudyResult& study : odd_studies()) {
    const std::string text = terminal_summary(study, {});
    CHECK(text.ends_with("\n"));
    for (const std::string& line : lines_of(text)) {
      INFO(line);
      CHECK_FALSE(line.ends_with(' '));
    }
  }
}

TEST_CASE("Colours appear only when asked for and change nothing else", "[report]") {
  for (const StudyResult& study : odd_studies()) {
    const std::string plain = terminal_summary(study, {});
    const std::string colored = terminal_summary(study, {.color = true});
    CHECK(plain.find('\x1B') == std::string::npos);
    CHECK(colored.find('\x1B') != std::string::npos);
    CHECK(without_colors(colored) == plain);
  }
}

TEST_CASE("Without Unicode the summary is ASCII", "[report]") {
  for (const StudyResult& study : odd_studies()) {
    const std::string text = terminal_summary(study, {.unicode = false});
    CHECK(std::all_of(text.begin(), text.end(),
                      [](char c) { return c == '\n' || (c >= ' ' && c <= '~'); }));
  }
  const std::string text = terminal_summary(samples::vehicle_telemetry(), {.unicode = false});
  CHECK_THAT(text, has_text("##########################"));
  CHECK_THAT(text, has_text("<- burns"));
}

TEST_CASE("Hostile text cannot act on the terminal", "[report]") {
  for (const std::string_view hostile : samples::kHostileTexts) {
    const std::string name(hostile);
    INFO(visible_text(name));
    StudyResult study = samples::vehicle_telemetry();
    study.name = name;
    study.title = name;
    study.runs[0].variant = name;
    study.runs[0].run.clients[0].name = name;
    study.runs[0].run.hot_keys[0].key = name;
    study.runs[0].run.provider = Provider::dynamodb;
    study.runs[0].run.large_keys = {{name, 8, kGigabyte, true}};
    study.runs[0].run.clients[0].forbidden = 9;
    study.runs[0].run.partitions[0].container = name;
    study.runs[0].run.layout_events = samples::growing_run().layout_events;
    study.runs[0].run.layout_events[0].reason = name;
    study.runs[0].run.layout_events[1].container = name;
    study.expectations.push_back({name, name, 1, false});
    study.partial = true;
    study.runs[0].run.partial = true;
    const std::string text = terminal_summary(study, {});
    CHECK(std::all_of(text.begin(), text.end(), [](char c) {
      const auto byte = static_cast<unsigned char>(c);
      return c == '\n' || (byte >= 0x20 && byte != 0x7F);
    }));
    for (const std::string& line : lines_of(text)) {
      CHECK(visible_text(line) == line);
      CHECK(display_width(line) <= 80);
    }
  }
}

TEST_CASE("A failed expectation shows its rule and the value that broke it", "[report]") {
  const std::string text = terminal_summary(samples::vehicle_telemetry(), {});
  CHECK_THAT(unwrapped(text).substr(0, 300), has_text("1 of 4 expectations failed."));
  CHECK_THAT(text, has_text("✗ random-suffix.clients.lookup.ru_per_operation > 30 → 25.7 RU"));
  CHECK_THAT(text, has_text("✓ vin-suffix.throttled_share < 1% → 0%"));
  CHECK_THAT(terminal_summary(samples::vehicle_telemetry(), {.color = true}),
             has_text("\x1B[31m  ✗\x1B[0m"));
}

TEST_CASE("A rule for every variant says which one it was about", "[report]") {
  StudyResult study = samples::vehicle_telemetry();
  study.expectations = {{"failed_share == 0", "date", 0.85, false}};
  CHECK_THAT(terminal_summary(study, {}), has_text("✗ failed_share == 0 [date] → 85%"));
}

TEST_CASE("A partial result says so before anything else", "[report]") {
  StudyResult study = samples::vehicle_telemetry();
  study.partial = true;
  study.expectations.clear();
  study.runs.resize(2);
  study.runs[1].run.partial = true;
  study.runs[1].run.simulated_ns = 12'500'000'000;
  const std::string text = terminal_summary(study, {});
  CHECK(text.starts_with("PARTIAL"));
  CHECK_THAT(unwrapped(text), has_text("Expectations are not judged"));
  CHECK_THAT(unwrapped(text), has_text("random-suffix ends at 12.5 s."));
  CHECK(terminal_summary(samples::vehicle_telemetry(), {}).find("PARTIAL") == std::string::npos);
}

TEST_CASE("Thousands of partitions are a few rows, the burning ones first", "[report]") {
  std::vector<std::int64_t> demand(1'000, 5'900);
  demand[777] = 90'000;
  const std::string text =
      terminal_summary(samples::one_run_study(samples::make_run({.demand_ru_per_s = demand})), {});
  CHECK(lines_of(text).size() < 50);
  CHECK_THAT(text, has_text("        777  ███"));
  CHECK_THAT(text, has_text("  and 988 more at 98 %\n"));  // 5,900 of 6,000
}

TEST_CASE("Partitions that burn are never hidden among the rest", "[report]") {
  const std::vector<std::int64_t> demand(100, 12'000);
  const std::string all =
      terminal_summary(samples::one_run_study(samples::make_run({.demand_ru_per_s = demand})), {});
  CHECK_THAT(all, has_text("and 88 more at 100 %, all of them burn"));
  // a small partition may burn with less demand than a large one that copes
  RunResult run = samples::make_run({.demand_ru_per_s = std::vector<std::int64_t>(40, 5'000)});
  run.partitions[33].demand_mru /= 10;
  run.partitions[33].throttled = run.partitions[33].attempts / 2;
  const std::string one = terminal_summary(samples::one_run_study(run), {});
  const std::vector<std::string> lines = lines_of(one);
  CHECK(std::any_of(lines.begin(), lines.end(), [](const std::string& line) {
    return line.starts_with("         33  ") && line.ends_with("← burns");
  }));
}

TEST_CASE("Thirty variants stay readable: a line each in every table", "[report]") {
  const std::string text = terminal_summary(many_variants(30), {});
  CHECK(lines_of(text).size() < 30 * 6 + 30);
  CHECK_THAT(text, has_text("The worst partition of each variant"));
  for (std::size_t i = 0; i < 30; i += 3) {
    const std::string name = "variant-" + std::to_string(i);
    const std::string finding = "burns partition " + std::to_string(i % 10) + " of 10";
    const std::vector<std::string> lines = lines_of(text);
    INFO(name);
    CHECK(std::any_of(lines.begin(), lines.end(), [&](const std::string& line) {
      return line.starts_with("✗ " + name + " ") && line.ends_with(finding);
    }));
  }
}

TEST_CASE("A single partition and a silent run are readable too", "[report]") {
  const std::string one =
      terminal_summary(samples::one_run_study(samples::make_run({.demand_ru_per_s = {3'000}})), {});
  CHECK_THAT(one, has_text("base  1 partition of 6,000 RU/s"));
  const std::string silent =
      terminal_summary(samples::one_run_study(samples::make_run({.demand_ru_per_s = {0, 0}})), {});
  CHECK(silent.starts_with("Verdict  Nothing happened: no attempt was counted.\n"));
  CHECK_THAT(unwrapped(silent), has_text("base 0 - - - - - -"));  // no latency without success
  for (const char* word : {"nan", "inf", "-0"}) {
    CHECK(silent.find(word) == std::string::npos);
  }
}

TEST_CASE("A study without a finished run says just that", "[report]") {
  StudyResult study;
  study.name = "x";
  CHECK(terminal_summary(study, {}).starts_with("Verdict  No run has finished.\nx\n"));
}

TEST_CASE("The summary is the same text twice", "[report]") {
  const StudyResult study = samples::vehicle_telemetry();
  CHECK(terminal_summary(study, {}) == terminal_summary(study, {}));
}

}  // namespace
}  // namespace partsim
