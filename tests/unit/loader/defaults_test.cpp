// Every default is the one that the provider's documents give; the test holds them once more, by
// hand, so that a slip of the table or of the structs is seen.
#include <map>

#include "language.hpp"
#include "scenario_text.hpp"
#include "support/catch.hpp"

namespace partsim::testing {
namespace {

/// The provider's facts, in the units of the parameter names.
const std::map<std::string, std::string>& facts() {
  static const std::map<std::string, std::string> kFacts = {
      {"partition_max_ru_per_s", "10000"},
      {"initial_partition_ru_manual", "6000"},
      {"min_ru_manual", "400"},
      {"ru_step_manual", "100"},
      {"item_max_bytes", "2097152"},
      {"partition_key_max_bytes", "2048"},
      {"index_ru_per_term", "0.2"},
      {"strong_read_multiplier", "2"},
      {"query_min_ru_per_partition", "2.5"},
      {"query_ru_per_match", "0.03"},
      {"query_ru_per_returned_kb", "0.7"},
      {"throttle_window_ms", "1000"},
      {"throttle_model", "window_debt"},
      {"retry_after_min_ms", "1"},
      {"throttled_request_charge_ru", "0.38"},
      {"throttled_charge_counts", "false"},
      {"read_latency_p50_ms", "2"},
      {"read_latency_p99_ms", "8"},
      {"write_latency_p50_ms", "5"},
      {"write_latency_p99_ms", "9.5"},
      {"query_latency_ms_per_ru", "0.15"},
      {"throttle_response_ms", "1.5"},
      {"price_per_100ru_hour", "0.008"},
      {"price_storage_gb_month", "0.25"},
      {"hours_per_month", "730"},
  };
  return kFacts;
}

TEST_CASE("Every provider parameter has the default of the facts", "[loader]") {
  for (const Key& key : section_of_parameters().keys) {
    const std::string name(key.name);
    INFO(name);
    if (name == "retry_after_step_ms") {
      CHECK(key.fallback == "1");  // the model's own: the header counts in whole milliseconds
      continue;
    }
    REQUIRE(facts().count(name) == 1);
    CHECK(key.fallback == facts().at(name));
  }
  CHECK(section_of_parameters().keys.size() == facts().size() + 1);
}

TEST_CASE("A scenario that sets no parameter runs with those of the facts", "[loader]") {
  const ProviderParameters p =
      check_accepted("defaults", kSmallest).variants.front().scenario.parameters;
  CHECK(p.partition_max_mru_per_s == 10'000'000);
  CHECK(p.initial_partition_mru_manual == 6'000'000);
  CHECK(p.min_mru_manual == 400'000);
  CHECK(p.mru_step_manual == 100'000);
  CHECK(p.item_max_bytes == 2'097'152);
  CHECK(p.partition_key_max_bytes == 2'048);
  CHECK(p.index_mru_per_term == 200);
  CHECK(p.strong_read_multiplier_micro == 2'000'000);
  CHECK(p.query_min_mru_per_partition == 2'500);
  CHECK(p.query_mru_per_match == 30);
  CHECK(p.query_mru_per_returned_kb == 700);
  CHECK(p.throttle_window_ns == 1'000'000'000);
  CHECK(p.throttle_model == ThrottleModel::window_debt);
  CHECK(p.retry_after_min_ns == 1'000'000);
  CHECK(p.retry_after_step_ns == 1'000'000);
  CHECK(p.throttled_request_charge_mru == 380);
  CHECK_FALSE(p.throttled_charge_counts);
  CHECK(p.read_latency_p50_ns == 2'000'000);
  CHECK(p.read_latency_p99_ns == 8'000'000);
  CHECK(p.write_latency_p50_ns == 5'000'000);
  CHECK(p.write_latency_p99_ns == 9'500'000);
  CHECK(p.query_latency_ns_per_ru == 150'000);
  CHECK(p.throttle_response_ns == 1'500'000);
  CHECK(p.price_per_100ru_hour_micro == 8'000);
  CHECK(p.price_storage_gb_month_micro == 250'000);
  CHECK(p.hours_per_month == 730);
}

TEST_CASE("Each parameter reaches its own place and no other", "[loader]") {
  // Values that differ from the defaults and from each other.
  const ProviderParameters p =
      check_accepted("all", and_then("parameters:\n"
                                     "  partition_max_ru_per_s: 10001\n"
                                     "  initial_partition_ru_manual: 6001\n"
                                     "  min_ru_manual: 399\n"
                                     "  ru_step_manual: 50\n"
                                     "  item_max_bytes: 2097151\n"
                                     "  partition_key_max_bytes: 2047\n"
                                     "  index_ru_per_term: 0.201\n"
                                     "  strong_read_multiplier: 2.000001\n"
                                     "  query_min_ru_per_partition: 2.501\n"
                                     "  query_ru_per_match: 0.031\n"
                                     "  query_ru_per_returned_kb: 0.701\n"
                                     "  throttle_window_ms: 500\n"
                                     "  throttle_model: window_strict\n"
                                     "  retry_after_min_ms: 3\n"
                                     "  retry_after_step_ms: 4\n"
                                     "  throttled_request_charge_ru: 0.381\n"
                                     "  throttled_charge_counts: true\n"
                                     "  read_latency_p50_ms: 2.1\n"
                                     "  read_latency_p99_ms: 8.1\n"
                                     "  write_latency_p50_ms: 5.1\n"
                                     "  write_latency_p99_ms: 9.6\n"
                                     "  query_latency_ms_per_ru: 0.16\n"
                                     "  throttle_response_ms: 1.6\n"
                                     "  price_per_100ru_hour: 0.009\n"
                                     "  price_storage_gb_month: 0.26\n"
                                     "  hours_per_month: 731\n"))
          .variants.front()
          .scenario.parameters;
  CHECK(p.partition_max_mru_per_s == 10'001'000);
  CHECK(p.initial_partition_mru_manual == 6'001'000);
  CHECK(p.min_mru_manual == 399'000);
  CHECK(p.mru_step_manual == 50'000);
  CHECK(p.item_max_bytes == 2'097'151);
  CHECK(p.partition_key_max_bytes == 2'047);
  CHECK(p.index_mru_per_term == 201);
  CHECK(p.strong_read_multiplier_micro == 2'000'001);
  CHECK(p.query_min_mru_per_partition == 2'501);
  CHECK(p.query_mru_per_match == 31);
  CHECK(p.query_mru_per_returned_kb == 701);
  CHECK(p.throttle_window_ns == 500'000'000);
  CHECK(p.throttle_model == ThrottleModel::window_strict);
  CHECK(p.retry_after_min_ns == 3'000'000);
  CHECK(p.retry_after_step_ns == 4'000'000);
  CHECK(p.throttled_request_charge_mru == 381);
  CHECK(p.throttled_charge_counts);
  CHECK(p.read_latency_p50_ns == 2'100'000);
  CHECK(p.read_latency_p99_ns == 8'100'000);
  CHECK(p.write_latency_p50_ns == 5'100'000);
  CHECK(p.write_latency_p99_ns == 9'600'000);
  CHECK(p.query_latency_ns_per_ru == 160'000);
  CHECK(p.throttle_response_ns == 1'600'000);
  CHECK(p.price_per_100ru_hour_micro == 9'000);
  CHECK(p.price_storage_gb_month_micro == 260'000);
  CHECK(p.hours_per_month == 731);
}

TEST_CASE("What a scenario leaves out has the documented default", "[loader]") {
  const Scenario scenario = check_accepted("defaults", kSmallest).variants.front().scenario;
  CHECK(scenario.seed == 1);
  CHECK(scenario.start_unix_s == 1'704'067'200);  // 2024-01-01T00:00:00Z
  CHECK(scenario.warm_up_ns == 0);
  CHECK(scenario.provider == Provider::cosmos);
  const ContainerSpec& container = scenario.containers.front();
  CHECK_FALSE(container.throughput.partitions.has_value());
  CHECK(container.hash == HashVersion::v2);
  CHECK(container.consistency == Consistency::session);
  CHECK(container.item_size_bytes == 1'024);
  CHECK(container.indexed_terms == 4);
  CHECK_FALSE(container.workers.has_value());
  CHECK_FALSE(container.service.has_value());
  const ClientSpec& client = scenario.clients.front();
  CHECK(std::get<OpenLoop>(client.arrivals).spacing == OpenLoop::Spacing::poisson);
  CHECK(client.retry.max_retries == 9);
  CHECK(client.retry.max_wait_ns == 30 * kSecond);
  CHECK(client.retry.jitter_ns == 0);
  CHECK(client.retry.jitter_ppm == 0);
}

TEST_CASE("Clients, fields and what callers know are kept sorted", "[loader]") {
  const Scenario scenario =
      check_accepted(
          "sorted",
          with("      k: {choose: 10}", "      k: {choose: 10}\n      a: {unique: true}") +
              "  aaa: {rate: 1/s, operations: [{read: 100%, given: [k, a]}]}\n")
          .variants.front()
          .scenario;
  CHECK(scenario.clients[0].name == "aaa");
  CHECK(scenario.clients[1].name == "app");
  CHECK(scenario.containers.front().fields[0].name == "a");
  CHECK(scenario.clients[0].operations.front().given == std::vector<std::string>{"a", "k"});
}

}  // namespace
}  // namespace partsim::testing
