// Every default is the one that the provider's documents give; the test holds them once more, by
// hand, so that a slip of the table or of the structs is seen.
#include <map>
#include <sstream>
#include <utility>

#include "language.hpp"
#include "parameter_rows.hpp"
#include "scenario_text.hpp"
#include "support/catch.hpp"

namespace partsim::testing {
namespace {

/// The provider's facts, in the units of the parameter names.
const std::map<std::string, std::string> kFacts = {
    {"partition_max_ru_per_s", "10000"},
    {"initial_partition_ru_manual", "6000"},
    {"initial_partition_ru_autoscale", "10000"},
    {"growth_partition_ru", "10000"},
    {"min_ru_manual", "400"},
    {"min_ru_per_gb_manual", "1"},
    {"min_ru_high_water_divisor_manual", "100"},
    {"min_ru_autoscale_max", "1000"},
    {"min_ru_per_gb_autoscale", "10"},
    {"min_ru_high_water_divisor_autoscale", "10"},
    {"ru_step_manual", "100"},
    {"ru_step_autoscale", "1000"},
    {"serverless_ru_per_partition", "5000"},
    {"shared_db_max_containers", "25"},
    {"throughput_distribution", "even"},
    {"split_cut_throughput", "midpoint"},
    {"split_cut_storage", "data_median"},
    {"split_duration_s", "18000"},
    {"split_swap_unavailable_ms", "0"},
    {"merge_enabled", "false"},
    {"merge_duration_s", "19800"},
    {"merge_max_partition_ru_per_s", "3000"},
    {"merge_max_partition_gb", "20"},
    {"split_for_heat_after_s", "600"},
    {"partition_max_storage_gb", "50"},
    {"split_storage_threshold_gb", "50"},
    {"logical_partition_max_storage_gb", "20"},
    {"index_storage_overhead", "0.15"},
    {"item_max_bytes", "2097152"},
    {"partition_key_max_bytes", "2048"},
    {"index_ru_per_term", "0.2"},
    {"strong_read_multiplier", "2"},
    {"query_min_ru_per_partition", "2.5"},
    {"query_ru_per_match", "0.03"},
    {"query_ru_per_returned_kb", "0.7"},
    {"replace_write_multiplier", "2"},
    {"delete_write_multiplier", "1"},
    {"patch_ru_per_property", "0.4"},
    {"eventual_read_factor", "0.5"},
    {"partition_max_rcu_per_s", "3000"},
    {"partition_max_wcu_per_s", "1000"},
    {"throttle_window_ms", "1000"},
    {"throttle_model", "window_debt"},
    {"retry_after_min_ms", "1"},
    {"throttled_request_charge_ru", "0.38"},
    {"throttled_charge_counts", "false"},
    {"client_gone_retry_initial_ms", "1000"},
    {"client_gone_retry_max_ms", "15000"},
    {"client_gone_retry_total_s", "30"},
    {"burst_enabled", "false"},
    {"burst_window_s", "300"},
    {"burst_max_ru_per_s", "3000"},
    {"burst_eligible_below_ru_per_s", "3000"},
    {"ru_per_minute_ratio", "10"},
    {"ru_per_minute_max_partition_ru", "5000"},
    {"on_demand_initial_rru", "12000"},
    {"on_demand_initial_wru", "4000"},
    {"on_demand_peak_multiplier", "2"},
    {"on_demand_window_s", "1800"},
    {"autoscale_floor_fraction", "0.1"},
    {"autoscale_decision_window_s", "5"},
    {"autoscale_dynamic", "true"},
    {"read_latency_p50_ms", "2"},
    {"read_latency_p99_ms", "8"},
    {"write_latency_p50_ms", "5"},
    {"write_latency_p99_ms", "9.5"},
    {"query_latency_ms_per_ru", "0.15"},
    {"throttle_response_ms", "1.5"},
    {"price_per_100ru_hour", "0.008"},
    {"price_per_100ru_hour_multi_write", "0.016"},
    {"autoscale_price_multiplier", "1.5"},
    {"price_storage_gb_month", "0.25"},
    {"price_serverless_per_million_ru", "0.25"},
    {"price_rcu_hour", "0.00013"},
    {"price_wcu_hour", "0.00065"},
    {"price_million_rru", "0.125"},
    {"price_million_wru", "0.625"},
    {"hours_per_month", "730"},
};

/// What no document decides, or what only other providers have.
const std::map<std::string, std::string> kOwnChoices = {
    {"growth_splits_all", "false"},  {"min_ru_unlimited_container", "0"},
    {"fixed_container_max_ru", "0"}, {"split_order", "lowest_id"},
    {"split_for_heat", "false"},     {"split_for_heat_use", "0.9"},
    {"read_unit_kb", "0"},           {"write_unit_kb", "0"},
    {"retry_after_step_ms", "1"},    {"burst_net_of_share", "true"},
    {"adaptive_capacity", "false"},  {"ru_per_minute_enabled", "false"},
    {"region_round_trip_ms", "50"},  {"read_feed_min_ru", "1"},
    {"script_overhead_ru", "1.5"},   {"script_operation_factor", "0.95"},
};

TEST_CASE("Every provider parameter has the default of the facts", "[loader]") {
  for (const Key& key : section_of_parameters().keys) {
    const std::string name(key.name);
    INFO(name);
    const auto& values = kFacts.count(name) == 1 ? kFacts : kOwnChoices;
    REQUIRE(values.count(name) == 1);
    CHECK(key.fallback == values.at(name));
  }
  CHECK(section_of_parameters().keys.size() == kFacts.size() + kOwnChoices.size());
}

/// Stands for a value of any type, to count the members of a struct.
struct Anything {
  template <class T>
  operator T() const;  // NOLINT(google-explicit-constructor)
};

template <class T, std::size_t... I>
constexpr bool takes(std::index_sequence<I...> /*unused*/) {
  return requires {
    T{(static_cast<void>(I), Anything{})...};
  };
}

template <class T, std::size_t N = 1>
constexpr std::size_t member_count() {
  if constexpr (takes<T>(std::make_index_sequence<N>{})) {
    return member_count<T, N + 1>();
  } else {
    return N - 1;
  }
}

TEST_CASE("Every member of the provider parameters can be written", "[loader]") {
  CHECK(member_count<ProviderParameters>() == section_of_parameters().keys.size());
  CHECK(parameter_rows().size() == section_of_parameters().keys.size());
}

TEST_CASE("A scenario that sets no parameter runs with the profile of its provider", "[loader]") {
  for (std::size_t i = 0; i < provider_words().size(); ++i) {
    const std::string provider(provider_words()[i].name);
    const std::string text = with("  throughput: 400 RU/s", "  throughput: 2500 RU/s");
    std::string provided = "provider: ";
    provided.append(provider).append("\n");
    const Scenario scenario = check_accepted(provider, provided + text).variants.front().scenario;
    CHECK(static_cast<std::size_t>(scenario.provider) == i);
    const ProviderParameters profile = profile_parameters(scenario.provider);
    for (const ParameterRow& row : parameter_rows()) {
      INFO(provider << " " << row.name);
      CHECK(value_at(scenario.parameters, row.place) == value_at(profile, row.place));
    }
  }
}

TEST_CASE("Each parameter reaches its own place and no other", "[loader]") {
  const ProviderParameters defaults;
  for (const ParameterRow& row : parameter_rows()) {
    const std::string beside = row.beside.empty() ? "" : ", " + row.beside;
    const bool is_old = row.name == "ru_per_minute_enabled";
    const std::string provider = is_old ? "provider: cosmos_2017\n" : "";
    std::ostringstream text;
    text << with("  throughput: 400 RU/s", "  throughput: 2500 RU/s") << provider << "parameters: {"
         << row.name << ": " << row.text << beside << "}\n";
    const Scenario scenario = check_accepted(row.name, text.str()).variants.front().scenario;
    for (const ParameterRow& other : parameter_rows()) {
      INFO(row.name << " over " << other.name);
      const std::int64_t value = value_at(scenario.parameters, other.place);
      if (other.name == row.name) {
        CHECK(value == row.value);
        CHECK(value != value_at(defaults, other.place));
      } else if (row.beside.find(other.name) == std::string::npos) {
        CHECK(value == value_at(profile_parameters(scenario.provider), other.place));
      }
    }
  }
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
