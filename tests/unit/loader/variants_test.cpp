// Variants, --set, --seed and --variant: what is merged over what, and where mistakes are found.
#include "scenario_text.hpp"
#include "support/catch.hpp"

namespace partsim::testing {
namespace {

const Scenario& variant(const StudyFile& study, const std::string& name) {
  for (const Variant& candidate : study.variants) {
    if (candidate.name == name) {
      return candidate.scenario;
    }
  }
  FAIL("no variant " << name);
  return study.variants.front().scenario;
}

TEST_CASE("The short name of a metric is told its path, if only one ends so", "[loader]") {
  const std::vector<std::string> paths{"latency_ms.p99", "clients.app.latency_ms.p99",
                                       "clients.app.ru_per_operation", "earlier.count",
                                       "thereafter.count"};
  CHECK(meant_metric("p99", paths) == "latency_ms.p99");
  CHECK(meant_metric("ru_per_operation", paths) == "clients.app.ru_per_operation");
  CHECK(meant_metric("count", paths) == std::nullopt);
  CHECK(meant_metric("latency_ms.p9", paths) == "latency_ms.p99");
  CHECK(meant_metric("", paths) == std::nullopt);
}

TEST_CASE("A file without variants is the variant base", "[loader]") {
  const StudyFile study = check_accepted("base", kSmallest);
  REQUIRE(study.variants.size() == 1);
  CHECK(study.variants.front().name == "base");
}

TEST_CASE("A variant replaces values deep inside and keeps the rest", "[loader]") {
  const StudyFile study = check_accepted(
      "deep", and_then("variants:\n"
                       "  more: {container: {throughput: 800 RU/s}}\n"
                       "  other: {clients: {app: {rate: 99/s}, new: {at_once: 3, operations: "
                       "[{create: 100%}]}}, parameters: {min_ru_manual: 100}}\n"
                       "  same: {}\n"));
  REQUIRE(study.variants.size() == 3);
  CHECK(study.variants[0].name == "more");
  CHECK(study.variants[2].name == "same");
  const Scenario& more = variant(study, "more");
  CHECK(more.containers.front().throughput.mru_per_s == 800'000);
  CHECK(more.containers.front().partition_key.front().text == "{k}");
  CHECK(more.clients.size() == 1);
  const Scenario& other = variant(study, "other");
  CHECK(other.containers.front().throughput.mru_per_s == 400'000);
  REQUIRE(other.clients.size() == 2);
  CHECK(std::get<OpenLoop>(other.clients[0].arrivals).rate == Rate{99 * kMillion, kSecond});
  CHECK(other.clients[0].operations.size() == 1);
  CHECK(other.clients[1].name == "new");
  CHECK(other.parameters.min_mru_manual == 100'000);
  CHECK(variant(study, "same").clients.size() == 1);
}

TEST_CASE("A list in a variant replaces the list", "[loader]") {
  const StudyFile study = check_accepted(
      "list", and_then("variants:\n  v: {clients: {app: {operations: [{read: 100%}]}}}\n"));
  const auto& operations = variant(study, "v").clients.front().operations;
  REQUIRE(operations.size() == 1);
  CHECK(operations.front().kind == OperationKind::read);
}

TEST_CASE("Another alternative takes the place of the one before", "[loader]") {
  const StudyFile study = check_accepted(
      "alternatives",
      with("    rate: 10/s", "    rate: 10/s\n    spacing: evenly") +
          "variants:\n"
          "  burst: {clients: {app: {at_once: 7}}}\n"
          "  hot: {container: {items: {fields: {k: {hot: {share: 90%, of: 10%}}}}}}\n"
          "  clock: {container: {items: {fields: {k: {time: \"%H\"}}}}}\n");
  CHECK(std::get<AtOnce>(variant(study, "burst").clients.front().arrivals).count == 7);
  const auto& hot = variant(study, "hot").containers.front().fields.front().kind;
  CHECK(std::get<ChooseField>(hot).count == 10);
  CHECK(std::get<ChooseField>(hot).law.index() == 2);
  const auto& clock = variant(study, "clock").containers.front().fields.front().kind;
  CHECK(std::get<TimeField>(clock).format.pattern() == "%H");
}

TEST_CASE("A policy by its word gives way to one by its values, and back", "[loader]") {
  const StudyFile study = check_accepted(
      "retry", with("    rate: 10/s", "    rate: 10/s\n    retry: {max_retries: 2, jitter: 5ms}") +
                   "variants:\n  none: {clients: {app: {retry: none}}}\n"
                   "  five: {clients: {app: {retry: {max_retries: 5}}}}\n");
  CHECK(variant(study, "none").clients.front().retry.max_retries == 0);
  CHECK(variant(study, "five").clients.front().retry.max_retries == 5);
  CHECK(variant(study, "five").clients.front().retry.jitter_ns == 5 * kMillisecond);
}

TEST_CASE("A mistake inside a variant is found inside the variant", "[loader]") {
  check_refused({"unknown key",
                 and_then("variants:\n  v: {containr: {}}\n"),
                 "15:7",
                 {"unknown key 'containr'", "did you mean 'container'?"}});
  check_refused({"nested",
                 and_then("variants:\n  v:\n    container:\n      partitons: 5\n"),
                 "17:7",
                 {"unknown key 'partitons' in 'container'"}});
  check_refused(
      {"value", and_then("variants:\n  v: {duration: 10}\n"), "15:17", {"'duration' has no unit"}});
  check_refused({"meaning",
                 and_then("variants:\n  ok: {}\n  v: {container: {throughput: 450 RU/s}}\n"),
                 "16:31",
                 {"multiple of 100 RU/s", "in variant 'v'"}});
  check_refused({"of the base, impossible in a variant",
                 with("  items:", "  items:\n    size: 2 MB") +
                     "variants:\n  v: {parameters: {item_max_bytes: 1000}}\n",
                 "8:11",
                 {"1 B to 1000 B", "in variant 'v'"}});
  check_refused({"an empty one", and_then("variants:\n  v:\n"), "15:5", {"section 'v' is empty"}});
  check_refused({"not a mapping", and_then("variants:\n  v: 5\n"), "15:6", {"expected a mapping"}});
  check_refused({"none", and_then("variants: {}\n"), "14:1", {"0 members", "1 to 100"}});
  check_refused({"a title",
                 and_then("variants:\n  v: {title: x}\n"),
                 "15:7",
                 {"'title' belongs to the whole file"}});
}

LoadOptions setting(const std::string& path, const std::string& value) {
  LoadOptions options;
  options.overrides = {{path, value}};
  return options;
}

TEST_CASE("A setting goes over every variant", "[loader]") {
  const std::string text = and_then("variants: {a: {duration: 20s}, b: {}}\n");
  const StudyFile study = check_accepted("set", text, setting("duration", "5s"));
  CHECK(variant(study, "a").duration_ns == 5 * kSecond);
  CHECK(variant(study, "b").duration_ns == 5 * kSecond);
}

TEST_CASE("A setting reaches into sections, names and lists", "[loader]") {
  const auto first = [](const std::string& path, const std::string& value) {
    return check_accepted(path, kSmallest, setting(path, value)).variants.front().scenario;
  };
  CHECK(first("container.throughput", "900 RU/s").containers[0].throughput.mru_per_s == 900'000);
  CHECK(first("clients.app.operations.0.charge", "7 RU").clients[0].operations[0].charge_mru ==
        7'000);
  CHECK(first("clients.app.retry.max_retries", "3").clients[0].retry.max_retries == 3);
  CHECK(first("clients.app.at_once", "3").clients[0].arrivals.index() == 1);
  CHECK(first("parameters.hours_per_month", "744").parameters.hours_per_month == 744);
  CHECK(first("container.partition_key", "[\"{k}\", x]").containers[0].partition_key.size() == 2);
  CHECK(first("clients.b", "{rate: 1/s, operations: [{create: 100%}]}").clients.size() == 2);
}

TEST_CASE("Names with dots are found by the longest that fits", "[loader]") {
  const std::string text = with("  app:", "  a.b:");
  const StudyFile study = check_accepted("dots", text, setting("clients.a.b.rate", "5/s"));
  const auto& client = study.variants.front().scenario.clients.front();
  CHECK(client.name == "a.b");
  CHECK(std::get<OpenLoop>(client.arrivals).rate == Rate{5 * kMillion, kSecond});
}

TEST_CASE("A bad setting is reported under its own name", "[loader]") {
  const auto only = [](const std::string& path, const std::string& value) {
    const LoadResult result = load_study(kSmallest, "a.yaml", setting(path, value));
    REQUIRE(result.diagnostics.size() == 1);
    CHECK_FALSE(result.study.has_value());
    CHECK(result.diagnostics.front().line == 0);
    return result.diagnostics.front().file + ": " + result.diagnostics.front().message + " | " +
           result.diagnostics.front().hint;
  };
  CHECK_THAT(only("durration", "5s"), has_text("--set durration=5s: no such value 'durration'"));
  CHECK_THAT(only("durration", "5s"), has_text("did you mean 'duration'?"));
  CHECK_THAT(only("duration", "5"), has_text("--set duration=5: 'duration' has no unit"));
  CHECK_THAT(only("duration", ""), has_text("missing value"));
  CHECK_THAT(only("container..x", "5"), has_text("not a path"));
  CHECK_THAT(only("clients.app.operations.1.charge", "5 RU"), has_text("index below 1"));
  CHECK_THAT(only("duration", "[1"), has_text("not closed"));
  CHECK_THAT(only("name", "x"), has_text("no such value 'name'"));
  CHECK_THAT(only("container.throughput", "450 RU/s"), has_text("multiple of 100 RU/s"));
}

TEST_CASE("A seed by flag goes over that of the file", "[loader]") {
  LoadOptions options;
  options.seed = UINT64_MAX;
  const std::string text = with("duration: 10s", "duration: 10s\nseed: 5");
  CHECK(check_accepted("seed", text, options).variants.front().scenario.seed == UINT64_MAX);
}

TEST_CASE("Chosen variants are kept in the order of the file", "[loader]") {
  const std::string text = and_then(
      "variants: {a: {}, b: {}, c: {}}\nexpect: [a.attempts > 0, "
      "b.attempts > 0, attempts > 0]\n");
  LoadOptions options;
  options.only_variants = {"c", "a"};
  const StudyFile study = check_accepted("chosen", text, options);
  REQUIRE(study.variants.size() == 2);
  CHECK(study.variants[0].name == "a");
  CHECK(study.variants[1].name == "c");
  // The rule about b cannot be judged; the others can.
  REQUIRE(study.expectations.size() == 2);
  CHECK(study.expectations[0].variant == "a");
  options.only_variants = {"bb"};
  const LoadResult result = load_study(text, "a.yaml", options);
  REQUIRE(result.diagnostics.size() == 1);
  CHECK(result.diagnostics.front().file == "--variant bb");
  CHECK_THAT(result.diagnostics.front().message, has_text("expected one of a, b, c"));
  CHECK(result.diagnostics.front().hint == "did you mean 'b'?");
}

}  // namespace
}  // namespace partsim::testing
