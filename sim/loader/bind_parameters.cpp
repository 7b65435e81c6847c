#include <array>
#include <variant>

#include "bind_values.hpp"
#include "language.hpp"

namespace partsim::bind {
namespace {

using P = ProviderParameters;

/// Where a parameter goes. Amounts are in the scale of their kind in the language, times `times`.
struct Field {
  std::string_view name;
  std::variant<std::int64_t P::*, std::uint32_t P::*, bool P::*, ThrottleModel P::*,
               ThroughputDistribution P::*, SplitOrder P::*, SplitCut P::*>
      place;
  std::int64_t times = 1;
};

constexpr std::array kFields{
    Field{"partition_max_ru_per_s", &P::partition_max_mru_per_s},
    Field{"initial_partition_ru_manual", &P::initial_partition_mru_manual},
    Field{"initial_partition_ru_autoscale", &P::initial_partition_mru_autoscale},
    Field{"growth_partition_ru", &P::growth_partition_mru},
    Field{"growth_splits_all", &P::growth_splits_all},
    Field{"min_ru_manual", &P::min_mru_manual},
    Field{"min_ru_per_gb_manual", &P::min_mru_per_gb_manual},
    Field{"min_ru_high_water_divisor_manual", &P::min_mru_high_water_divisor_manual},
    Field{"min_ru_unlimited_container", &P::min_mru_unlimited_container},
    Field{"fixed_container_max_ru", &P::fixed_container_max_mru},
    Field{"min_ru_autoscale_max", &P::min_mru_autoscale_max},
    Field{"min_ru_per_gb_autoscale", &P::min_mru_per_gb_autoscale},
    Field{"min_ru_high_water_divisor_autoscale", &P::min_mru_high_water_divisor_autoscale},
    Field{"ru_step_manual", &P::mru_step_manual},
    Field{"ru_step_autoscale", &P::mru_step_autoscale},
    Field{"serverless_ru_per_partition", &P::serverless_mru_per_partition},
    Field{"shared_db_max_containers", &P::shared_db_max_containers},
    Field{"throughput_distribution", &P::throughput_distribution},
    Field{"split_cut_throughput", &P::split_cut_throughput},
    Field{"split_cut_storage", &P::split_cut_storage},
    Field{"split_order", &P::split_order},
    Field{"split_duration_s", &P::split_duration_ns},
    Field{"split_swap_unavailable_ms", &P::split_swap_unavailable_ns},
    Field{"merge_enabled", &P::merge_enabled},
    Field{"merge_duration_s", &P::merge_duration_ns},
    Field{"merge_max_partition_ru_per_s", &P::merge_max_partition_mru_per_s},
    Field{"merge_max_partition_gb", &P::merge_max_partition_bytes},
    Field{"split_for_heat", &P::split_for_heat},
    Field{"split_for_heat_after_s", &P::split_for_heat_after_ns},
    Field{"split_for_heat_use", &P::split_for_heat_use_ppm},
    Field{"partition_max_storage_gb", &P::partition_max_storage_bytes},
    Field{"split_storage_threshold_gb", &P::split_storage_threshold_bytes},
    Field{"logical_partition_max_storage_gb", &P::logical_partition_max_storage_bytes},
    Field{"index_storage_overhead", &P::index_storage_overhead_ppm},
    Field{"item_max_bytes", &P::item_max_bytes},
    Field{"partition_key_max_bytes", &P::partition_key_max_bytes},
    Field{"index_ru_per_term", &P::index_mru_per_term},
    Field{"strong_read_multiplier", &P::strong_read_multiplier_micro},
    Field{"query_min_ru_per_partition", &P::query_min_mru_per_partition},
    Field{"query_ru_per_match", &P::query_mru_per_match},
    Field{"query_ru_per_returned_kb", &P::query_mru_per_returned_kb},
    Field{"replace_write_multiplier", &P::replace_write_multiplier_micro},
    Field{"patch_ru_per_property", &P::patch_mru_per_property},
    Field{"delete_write_multiplier", &P::delete_write_multiplier_micro},
    Field{"read_feed_min_ru", &P::read_feed_min_mru},
    Field{"script_overhead_ru", &P::script_overhead_mru},
    Field{"script_operation_factor", &P::script_operation_factor_micro},
    Field{"read_unit_kb", &P::read_unit_bytes},
    Field{"write_unit_kb", &P::write_unit_bytes},
    Field{"eventual_read_factor", &P::eventual_read_factor_ppm},
    Field{"partition_max_rcu_per_s", &P::partition_max_read_units_per_s},
    Field{"partition_max_wcu_per_s", &P::partition_max_write_units_per_s},
    Field{"throttle_window_ms", &P::throttle_window_ns},
    Field{"throttle_model", &P::throttle_model},
    Field{"retry_after_min_ms", &P::retry_after_min_ns},
    Field{"retry_after_step_ms", &P::retry_after_step_ns},
    Field{"throttled_request_charge_ru", &P::throttled_request_charge_mru},
    Field{"throttled_charge_counts", &P::throttled_charge_counts},
    Field{"client_gone_retry_initial_ms", &P::client_gone_retry_initial_ns},
    Field{"client_gone_retry_max_ms", &P::client_gone_retry_max_ns},
    Field{"client_gone_retry_total_s", &P::client_gone_retry_total_ns},
    Field{"burst_enabled", &P::burst_enabled},
    Field{"burst_window_s", &P::burst_window_s},
    Field{"burst_max_ru_per_s", &P::burst_max_mru_per_s},
    Field{"burst_eligible_below_ru_per_s", &P::burst_eligible_below_mru_per_s},
    Field{"burst_net_of_share", &P::burst_net_of_share},
    Field{"adaptive_capacity", &P::adaptive_capacity},
    Field{"ru_per_minute_enabled", &P::ru_per_minute_enabled},
    Field{"ru_per_minute_ratio", &P::ru_per_minute_ratio},
    Field{"ru_per_minute_max_partition_ru", &P::ru_per_minute_max_partition_mru},
    Field{"on_demand_initial_rru", &P::on_demand_initial_read_units},
    Field{"on_demand_initial_wru", &P::on_demand_initial_write_units},
    Field{"on_demand_peak_multiplier", &P::on_demand_peak_multiplier},
    Field{"on_demand_window_s", &P::on_demand_window_ns},
    Field{"autoscale_floor_fraction", &P::autoscale_floor_ppm},
    Field{"autoscale_decision_window_s", &P::autoscale_decision_window_s},
    Field{"autoscale_dynamic", &P::autoscale_dynamic},
    Field{"read_latency_p50_ms", &P::read_latency_p50_ns},
    Field{"read_latency_p99_ms", &P::read_latency_p99_ns},
    Field{"write_latency_p50_ms", &P::write_latency_p50_ns},
    Field{"write_latency_p99_ms", &P::write_latency_p99_ns},
    Field{"query_latency_ms_per_ru", &P::query_latency_ns_per_ru},
    Field{"throttle_response_ms", &P::throttle_response_ns},
    Field{"region_round_trip_ms", &P::region_round_trip_ns},
    Field{"price_per_100ru_hour", &P::price_per_100ru_hour_micro},
    Field{"price_per_100ru_hour_multi_write", &P::price_per_100ru_hour_multi_write_micro},
    Field{"autoscale_price_multiplier", &P::autoscale_price_multiplier_ppm},
    Field{"price_storage_gb_month", &P::price_storage_gb_month_micro},
    Field{"price_serverless_per_million_ru", &P::price_serverless_per_million_ru_micro},
    Field{"price_rcu_hour", &P::price_read_unit_hour_nano, 1'000},
    Field{"price_wcu_hour", &P::price_write_unit_hour_nano, 1'000},
    Field{"price_million_rru", &P::price_million_read_units_micro},
    Field{"price_million_wru", &P::price_million_write_units_micro},
    Field{"hours_per_month", &P::hours_per_month},
};

/// Reads a value into the field it belongs to.
struct Writer {
  P& parameters;
  const TreeNode& node;
  ValueKind kind;
  std::int64_t times;

  void operator()(std::int64_t P::*place) const {
    parameters.*place = static_cast<std::int64_t>(amount(node, kind)) * times;
  }
  void operator()(std::uint32_t P::*place) const { parameters.*place = small_amount(node); }
  void operator()(bool P::*place) const { parameters.*place = node.text == "true"; }
  void operator()(ThrottleModel P::*place) const {
    parameters.*place = word_of<ThrottleModel>(node, throttle_model_words());
  }
  void operator()(ThroughputDistribution P::*place) const {
    parameters.*place = word_of<ThroughputDistribution>(node, distribution_words());
  }
  void operator()(SplitOrder P::*place) const {
    parameters.*place = word_of<SplitOrder>(node, split_order_words());
  }
  void operator()(SplitCut P::*place) const {
    parameters.*place = word_of<SplitCut>(node, split_cut_words());
  }
};

}  // namespace

ProviderParameters bind_parameters(const TreeNode& node) {
  ProviderParameters parameters;
  for (const Field& field : kFields) {
    const Key* key = section_of_parameters().find(field.name);
    PARTSIM_ASSERT(key != nullptr, "every field has a key in the language");
    std::visit(Writer{parameters, member(node, field.name), key->value.kind, field.times},
               field.place);
  }
  return parameters;
}

}  // namespace partsim::bind
