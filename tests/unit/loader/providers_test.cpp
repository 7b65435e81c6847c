// Providers, APIs, burst and retries: what is the default where, and what goes with what.
#include <sstream>

#include "scenario_text.hpp"
#include "support/catch.hpp"

namespace partsim::testing {
namespace {

std::string explained(const std::string& text) {
  LoadResult result;
  std::string out = explain_study(text, "a.yaml", {}, result);
  for (const Diagnostic& diagnostic : result.diagnostics) {
    FAIL_CHECK(brief(diagnostic));
  }
  return out;
}

Scenario loaded(const std::string& id, const std::string& text) {
  return check_accepted(id, text).variants.front().scenario;
}

const std::string kText(kSmallest);

TEST_CASE("The resolved view has the defaults of the provider", "[loader]") {
  CHECK_THAT(explained(kText), has_text("min_ru_manual: 400  # default"));
  CHECK_THAT(explained(kText), has_text("retry: dotnet  # default"));
  CHECK_THAT(explained(kText), has_text("api: nosql  # default"));
  const std::string view = explained(kText + "provider: dynamodb\n");
  CHECK_THAT(view, has_text("min_ru_manual: 1  # default"));
  CHECK_THAT(view, has_text("retry: aws  # default"));
  CHECK_THAT(view, has_text("read_unit_kb: 4  # default"));
  CHECK_THAT(view, !has_text("api:"));
}

TEST_CASE("Only Cosmos DB has APIs, and Cassandra came later", "[loader]") {
  CHECK(loaded("table", kText + "api: table\n").api == Api::table);
  CHECK(loaded("default", kText).api == Api::nosql);
  check_accepted("a variant can take it back",
                 kText + "api: mongodb\nvariants: {v: {provider: dynamodb, api: nosql}}\n");
  check_refused({"dynamodb",
                 kText + "provider: dynamodb\napi: mongodb\n",
                 "15:6",
                 {"dynamodb has an API of its own"}});
  check_refused({"2017",
                 with("  throughput: 400 RU/s", "  throughput: 2500 RU/s") +
                     "provider: cosmos_2017\napi: cassandra\n",
                 "15:6",
                 {"no API for Cassandra in 2017"}});
  check_refused({"unknown", kText + "api: sql\n", "14:6", {"nosql, mongodb, gremlin, table"}});
}

TEST_CASE("Cassandra has smaller physical partitions", "[loader]") {
  const ProviderParameters p = loaded("cassandra", kText + "api: cassandra\n").parameters;
  CHECK(p.partition_max_storage_bytes == 30 * kGigabyte);
  CHECK(p.split_storage_threshold_bytes == 30 * kGigabyte);
  CHECK(p.logical_partition_max_storage_bytes == 20 * kGigabyte);
  const std::string own = "api: cassandra\nparameters: {partition_max_storage_gb: 40}\n";
  CHECK(loaded("own", kText + own).parameters.partition_max_storage_bytes == 40 * kGigabyte);
}

TEST_CASE("A graph cannot be partitioned by id or label", "[loader]") {
  const auto keyed = [](const std::string& key) {
    return "api: gremlin\n" + with("  partition_key: \"{k}\"", "  partition_key: " + key) +
           "variants: {v: {container: {items: {fields: {id: {unique: true}, label: {choose: "
           "3}}}}}}\n";
  };
  const auto with_fields = [](const std::string& api, const std::string& key) {
    return "api: " + api +
           "\npartsim: 1\nname: a\nduration: 1s\ncontainer:\n  throughput: 400 RU/s\n"
           "  partition_key: " +
           key +
           "\n  items: {fields: {id: {unique: true}, label: {choose: 3}}}\n"
           "clients:\n  a: {rate: 1/s, operations: [{create: 100%}]}\n";
  };
  check_refused({"id",
                 with_fields("gremlin", "\"{id}\""),
                 "7:18",
                 {"cannot be the id", "neither /id nor /label"}});
  check_refused({"label", with_fields("gremlin", "\"{label}\""), "7:18", {"cannot be the label"}});
  check_accepted("with text", with_fields("gremlin", "\"v-{id}\""));
  check_accepted("elsewhere", with_fields("nosql", "\"{id}\""));
  check_accepted("another property", keyed("\"{k}\""));
}

TEST_CASE("burst is short for the parameter", "[loader]") {
  CHECK_FALSE(loaded("off", kText).parameters.burst_enabled);
  CHECK(loaded("on", kText + "burst: true\n").parameters.burst_enabled);
  CHECK(loaded("both", kText + "burst: true\nparameters: {burst_enabled: true}\n")
            .parameters.burst_enabled);
  CHECK_FALSE(
      loaded("dynamodb", kText + "provider: dynamodb\nburst: false\n").parameters.burst_enabled);
  check_refused({"contradiction",
                 kText + "burst: true\nparameters: {burst_enabled: false}\n",
                 "14:8",
                 {"'burst' is true, but 'burst_enabled' in 'parameters' is not", "enough"}});
  check_refused({"a word", kText + "burst: yes\n", "14:8", {"expected true or false"}});
}

TEST_CASE("A variant and a setting replace burst, however it was written", "[loader]") {
  const StudyFile study = check_accepted(
      "burst", kText +
                   "burst: true\nvariants:\n  off: {burst: false}\n  too: {parameters: "
                   "{burst_enabled: false}}\n  same: {}\n");
  CHECK_FALSE(study.variants[0].scenario.parameters.burst_enabled);
  CHECK_FALSE(study.variants[1].scenario.parameters.burst_enabled);
  CHECK(study.variants[2].scenario.parameters.burst_enabled);
  LoadOptions options;
  options.overrides = {{"burst", "false"}};
  CHECK_FALSE(check_accepted("set", kText + "burst: true\n", options)
                  .variants.front()
                  .scenario.parameters.burst_enabled);
}

TEST_CASE("RU per minute is of 2017 and of the window with debt", "[loader]") {
  const std::string text = with("  throughput: 400 RU/s", "  throughput: 2500 RU/s");
  const std::string on = "parameters: {ru_per_minute_enabled: true}\n";
  CHECK(loaded("2017", text + "provider: cosmos_2017\n" + on).parameters.ru_per_minute_enabled);
  check_refused({"now", text + on, "14:37", {"expected provider cosmos_2017"}});
  check_refused({"strict",
                 text + "provider: cosmos_2017\nparameters: {ru_per_minute_enabled: true, "
                        "throttle_model: window_strict}\n",
                 "15:37",
                 {"window_debt"}});
}

TEST_CASE("The retries of the AWS SDKs back off with full jitter", "[loader]") {
  const auto retry = [](const std::string& more, const std::string& policy) {
    return loaded(policy, with("    rate: 10/s", "    rate: 10/s" + policy) + more)
        .clients.front()
        .retry;
  };
  for (const RetrySpec& aws : {retry("", "\n    retry: aws"), retry("provider: dynamodb\n", ""),
                               retry("provider: dynamodb\n", "\n    retry: {}")}) {
    CHECK(aws.max_retries == 3);
    CHECK(aws.backoff_base_ns == kSecond);
    CHECK(aws.backoff_max_ns == 20 * kSecond);
    CHECK(aws.max_wait_ns == kMaxDuration);
    CHECK(aws.jitter_ns == 0);
  }
  const RetrySpec dotnet = retry("provider: dynamodb\n", "\n    retry: dotnet");
  CHECK(dotnet.max_retries == 9);
  CHECK(dotnet.backoff_base_ns == 0);
  const RetrySpec own = retry("", "\n    retry: {backoff_base: 50ms, backoff_max: 2s}");
  CHECK(own.max_retries == 9);
  CHECK(own.backoff_base_ns == 50 * kMillisecond);
  CHECK(own.backoff_max_ns == 2 * kSecond);
}

TEST_CASE("A back-off ends above its beginning and needs no other jitter", "[loader]") {
  const Slot retry{"    rate: 10/s", "    rate: 10/s\n    retry: {$}"};
  check_refused({"ends early",
                 filled(retry, "backoff_base: 3s, backoff_max: 2s"),
                 "13:44",
                 {"expected at least 3s, got 2s"}});
  check_refused({"jitter",
                 filled(retry, "backoff_base: 1s, jitter: 5%"),
                 "13:39",
                 {"a back-off has 'backoff_jitter'"}});
  check_refused(
      {"no unit", filled(retry, "backoff_base: 1"), "13:27", {"'backoff_base' has no unit"}});
  // Whoever backs off by himself needs no wait from the service.
  check_accepted("no wait asked",
                 filled(retry, "backoff_base: 1s") + "parameters: {retry_after_min_ms: 0}\n");
}

TEST_CASE("Parameters in GB and seconds may have a fraction", "[loader]") {
  const ProviderParameters p =
      loaded("small", kText +
                          "parameters: {split_storage_threshold_gb: 0.001, "
                          "split_duration_s: 0.25, logical_partition_max_storage_gb: 0}\n")
          .parameters;
  CHECK(p.split_storage_threshold_bytes == 1'073'741);  // of 1073741.824
  CHECK(p.split_duration_ns == 250 * kMillisecond);
  CHECK(p.logical_partition_max_storage_bytes == 0);
  const Slot threshold{"duration: 10s",
                       "duration: 10s\nparameters: {split_storage_threshold_gb: $}"};
  check_refused({"zero", filled(threshold, "0"), "4:42", {"a number of GB between 0.000001 and"}});
  check_refused({"too fine", filled(threshold, "0.0000001"), "4:42", {"finer than 0.000001 GB"}});
  check_refused({"a unit", filled(threshold, "1 GB"), "4:42", {"is not a number of GB"}});
  check_refused({"quoted", filled(threshold, "\"1\""), "4:42", {"is quoted"}});
}

TEST_CASE("A swap ends with its split", "[loader]") {
  check_refused({"longer",
                 kText + "parameters: {split_duration_s: 1, split_swap_unavailable_ms: 1001}\n",
                 "14:62",
                 {"expected at most 1s, got 1001ms"}});
  check_accepted("as long",
                 kText + "parameters: {split_duration_s: 1, split_swap_unavailable_ms: 1000}\n");
}

}  // namespace
}  // namespace partsim::testing
