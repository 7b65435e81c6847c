// The resolved view: every value, defaults marked, and the same study when it is read again.
#include <fstream>
#include <sstream>

#include "parameter_rows.hpp"
#include "scenario_text.hpp"
#include "support/catch.hpp"
#include "support/source_dir.hpp"

namespace partsim::testing {
namespace {

std::string explained(std::string_view text, const LoadOptions& options = {}) {
  LoadResult result;
  std::string out = explain_study(text, "a.yaml", options, result);
  for (const Diagnostic& diagnostic : result.diagnostics) {
    FAIL_CHECK(brief(diagnostic));
  }
  return out;
}

std::string without_marks(std::string text) {
  static const std::string kMark = "  # default";
  for (std::size_t at = text.find(kMark); at != std::string::npos; at = text.find(kMark)) {
    text.erase(at, kMark.size());
  }
  return text;
}

/// The line that holds a key, without its indentation.
std::string line_with(const std::string& text, const std::string& key) {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    const std::size_t begin = line.find_first_not_of(' ');
    if (begin != std::string::npos && line.compare(begin, key.size() + 1, key + ":") == 0) {
      return line.substr(begin);
    }
  }
  return "no " + key;
}

std::string shipped(const std::string& name) {
  std::ifstream file(in_repository(name));
  REQUIRE(file.good());
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

TEST_CASE("The resolved view marks what the file left out, and only that", "[loader]") {
  const std::string view = explained(kSmallest);
  CHECK(line_with(view, "duration") == "duration: 10s");
  CHECK(line_with(view, "seed") == "seed: 1  # default");
  CHECK(line_with(view, "provider") == "provider: cosmos  # default");
  CHECK(line_with(view, "size") == "size: 1 KB  # default");
  CHECK(line_with(view, "spacing") == "spacing: poisson  # default");
  CHECK(line_with(view, "throttle_model") == "throttle_model: window_debt  # default");
  CHECK(line_with(view, "rate") == "rate: 10/s");
  // What does not go with the chosen alternative has no default.
  CHECK(line_with(view, "at") == "no at");
  CHECK(line_with(view, "matches") == "no matches");
  CHECK(line_with(view, "queue_limit") == "no queue_limit");
}

TEST_CASE("A read knows all fields, a query returns all that matches", "[loader]") {
  const std::string view = explained(
      with("    operations: [{create: 100%}]",
           "    operations:\n      - {read: 50%}\n      - {query: 50%, given: [], matches: 7}"));
  CHECK(line_with(view, "returned") == "returned: 7  # default");
  CHECK_THAT(view, has_text("given: [k]  # default"));
  CHECK_THAT(view, has_text("given: []\n"));
}

/// Reading the resolved view gives the same view, now without defaults.
void check_reads_back(std::string_view text) {
  const std::string first = explained(text);
  INFO(first);
  CHECK(without_marks(explained(first)) == without_marks(first));
}

TEST_CASE("The resolved view is a scenario that resolves to itself", "[loader]") {
  check_reads_back(kSmallest);
  check_reads_back(shipped("scenarios/vehicle-telemetry.yaml"));
  check_reads_back(shipped("bench/hotkey-10.yaml"));
  check_reads_back(
      with("    rate: 10/s", "    rate: 10/s\n    retry: {jitter: 20%}") +
      "title: \"quotes \\\" and \\\\ and # and: more\"\n"
      "group: regression\n"
      "lesson: \"quotes \\\" here: too\"\n"
      "variants:\n"
      "  burst: {clients: {app: {at_once: 5}}}\n"
      "  zipf: {container: {items: {fields: {k: {zipf: 0.6}}}}}\n"
      "  list: {container: {items: {fields: {k: {values: [\"a, b\", \"1\", 1, null, true, "
      "\"x: y\", plain text]}}}}}\n"
      "  reads: {clients: {app: {operations: [{read: 100%}]}}, container: {items: {fields: {j: "
      "{unique: true}}}}}\n"
      "  \"null\": {seed: 18446744073709551615}\n"
      "  none: {}\n"
      "expect: [\"burst.attempts > 1\", 'throttled_share < 5%']\n");
}

bool same(const OperationSpec& a, const OperationSpec& b) {
  return a.kind == b.kind && a.share_ppm == b.share_ppm && a.given == b.given &&
         a.matches == b.matches && a.returned == b.returned && a.charge_mru == b.charge_mru;
}

bool same_arrivals(const ClientSpec& a, const ClientSpec& b) {
  if (a.arrivals.index() != b.arrivals.index()) {
    return false;
  }
  if (const auto* mine = std::get_if<OpenLoop>(&a.arrivals)) {
    const auto& theirs = std::get<OpenLoop>(b.arrivals);
    return mine->rate == theirs.rate && mine->spacing == theirs.spacing;
  }
  const auto& mine = std::get<AtOnce>(a.arrivals);
  const auto& theirs = std::get<AtOnce>(b.arrivals);
  return mine.count == theirs.count && mine.at_ns == theirs.at_ns;
}

void check_same(const Scenario& a, const Scenario& b) {
  CHECK(a.seed == b.seed);
  CHECK(a.start_unix_s == b.start_unix_s);
  CHECK(a.duration_ns == b.duration_ns);
  CHECK(a.warm_up_ns == b.warm_up_ns);
  REQUIRE(a.containers.size() == b.containers.size());
  const ContainerSpec& c = a.containers.front();
  const ContainerSpec& d = b.containers.front();
  CHECK(c.throughput.mru_per_s == d.throughput.mru_per_s);
  CHECK(c.throughput.partitions == d.throughput.partitions);
  CHECK(c.partition_key == d.partition_key);
  CHECK(c.hash == d.hash);
  CHECK(c.item_size_bytes == d.item_size_bytes);
  CHECK(c.indexed_terms == d.indexed_terms);
  CHECK(c.consistency == d.consistency);
  CHECK(c.fields.size() == d.fields.size());
  CHECK(c.workers.has_value() == d.workers.has_value());
  CHECK(c.service.has_value() == d.service.has_value());
  for (const ParameterRow& row : parameter_rows()) {
    INFO(row.name);
    CHECK(value_at(a.parameters, row.place) == value_at(b.parameters, row.place));
  }
  REQUIRE(a.clients.size() == b.clients.size());
  for (std::size_t i = 0; i < a.clients.size(); ++i) {
    CHECK(a.clients[i].name == b.clients[i].name);
    CHECK(same_arrivals(a.clients[i], b.clients[i]));
    CHECK(std::equal(a.clients[i].operations.begin(), a.clients[i].operations.end(),
                     b.clients[i].operations.begin(), b.clients[i].operations.end(), same));
    CHECK(a.clients[i].retry.max_retries == b.clients[i].retry.max_retries);
    CHECK(a.clients[i].retry.max_wait_ns == b.clients[i].retry.max_wait_ns);
    CHECK(a.clients[i].retry.jitter_ns == b.clients[i].retry.jitter_ns);
  }
}

TEST_CASE("The resolved view loads to an equal study", "[loader]") {
  for (const std::string name : {"scenarios/vehicle-telemetry.yaml", "bench/hotkey-10.yaml"}) {
    const std::string text = shipped(name);
    const StudyFile first = check_accepted(name, text);
    const StudyFile again = check_accepted(name, explained(text));
    CHECK(first.name == again.name);
    CHECK(first.title == again.title);
    CHECK(first.group == again.group);
    CHECK(first.lesson == again.lesson);
    REQUIRE(first.variants.size() == again.variants.size());
    for (std::size_t i = 0; i < first.variants.size(); ++i) {
      CHECK(first.variants[i].name == again.variants[i].name);
      check_same(first.variants[i].scenario, again.variants[i].scenario);
    }
    REQUIRE(first.expectations.size() == again.expectations.size());
    for (std::size_t i = 0; i < first.expectations.size(); ++i) {
      CHECK(first.expectations[i].rule == again.expectations[i].rule);
      CHECK(first.expectations[i].value == again.expectations[i].value);
    }
  }
}

TEST_CASE("Settings and chosen variants show in the resolved view", "[loader]") {
  LoadOptions options;
  options.seed = 77;
  options.overrides = {{"container.throughput", "900 RU/s"}};
  options.only_variants = {"b"};
  const std::string view = explained(and_then("variants: {a: {}, b: {duration: 20s}}\n"), options);
  CHECK(line_with(view, "seed") == "seed: 77");
  CHECK(line_with(view, "throughput") == "throughput: 900 RU/s");
  CHECK(line_with(view, "a") == "no a");
  CHECK_THAT(view, has_text("  b:\n    duration: 20s\n"));
}

TEST_CASE("A scenario that cannot be loaded has no resolved view", "[loader]") {
  LoadResult result;
  CHECK(explain_study("partsim: 1\n", "a.yaml", {}, result).empty());
  CHECK_FALSE(result.diagnostics.empty());
}

}  // namespace
}  // namespace partsim::testing
