/// Provider parameters by the names of the facts sheet; the unit is part of the name.
#pragma once

#include <array>
#include <cstdint>

#include "partsim/core/time.hpp"

namespace partsim {

enum class Provider : std::uint8_t { cosmos, cosmos_2017, dynamodb };
enum class ThrottleModel : std::uint8_t { window_debt, window_strict, token_bucket };

/// Published charge of a point operation by item size; straight lines between the points.
struct ChargeRow {
  Bytes size_bytes;
  MilliRu read_mru;
  MilliRu write_mru;
};

/// Documented table (one region, session reads, no indexed terms). Below 1 KB the first row holds,
/// above the last the last two rows are extended.
inline constexpr std::array<ChargeRow, 12> kCosmosCharges{{
    {1 * kKilobyte, 1'000, 4'950},
    {2 * kKilobyte, 1'040, 6'290},
    {4 * kKilobyte, 1'140, 6'670},
    {8 * kKilobyte, 1'330, 7'040},
    {16 * kKilobyte, 1'670, 9'520},
    {32 * kKilobyte, 2'190, 11'230},
    {64 * kKilobyte, 4'760, 22'670},
    {128 * kKilobyte, 9'950, 48'190},
    {256 * kKilobyte, 20'280, 98'290},
    {512 * kKilobyte, 40'950, 184'570},
    {1024 * kKilobyte, 145'900, 625'000},
    {2048 * kKilobyte, 291'800, 1'250'000},
}};

/// What a child of a split gets: an even part of the total, or half of its parent.
enum class ThroughputDistribution : std::uint8_t { even, inherit_parent };
/// Which partitions split first when only some must.
enum class SplitOrder : std::uint8_t { lowest_id, widest, fullest };
/// Where a partition is cut: in the middle of its hash range, or where its data halve.
enum class SplitCut : std::uint8_t { midpoint, data_median };

/// Defaults are the `cosmos` profile; `profile_parameters` has the others. Fields are in the
/// model's units; the names users write, with their units, limits and descriptions, are in the
/// loader's parameter table. Under DynamoDB an RU is a capacity unit.
struct ProviderParameters {
  // layout
  MilliRu partition_max_mru_per_s = 10'000 * kMilliPerRu;
  MilliRu initial_partition_mru_manual = 6'000 * kMilliPerRu;
  MilliRu initial_partition_mru_autoscale = 10'000 * kMilliPerRu;
  MilliRu growth_partition_mru = 10'000 * kMilliPerRu;
  /// Growth splits every partition, as DynamoDB does, and not only as many as are needed.
  bool growth_splits_all = false;
  MilliRu min_mru_manual = 400 * kMilliPerRu;
  MilliRu min_mru_per_gb_manual = 1 * kMilliPerRu;
  std::int64_t min_mru_high_water_divisor_manual = 100;
  MilliRu min_mru_unlimited_container = 0;  // cosmos_2017
  MilliRu fixed_container_max_mru = 0;      // cosmos_2017; 0: there are no fixed containers
  MilliRu min_mru_autoscale_max = 1'000 * kMilliPerRu;
  MilliRu min_mru_per_gb_autoscale = 10 * kMilliPerRu;
  std::int64_t min_mru_high_water_divisor_autoscale = 10;
  MilliRu mru_step_manual = 100 * kMilliPerRu;
  MilliRu mru_step_autoscale = 1'000 * kMilliPerRu;
  MilliRu serverless_mru_per_partition = 5'000 * kMilliPerRu;
  std::uint32_t shared_db_max_containers = 25;
  ThroughputDistribution throughput_distribution = ThroughputDistribution::even;

  // splits and merges
  SplitCut split_cut_throughput = SplitCut::midpoint;
  SplitCut split_cut_storage = SplitCut::data_median;
  SplitOrder split_order = SplitOrder::lowest_id;
  Nanoseconds split_duration_ns = 18'000 * kSecond;
  Nanoseconds split_swap_unavailable_ns = 0;
  bool merge_enabled = false;
  Nanoseconds merge_duration_ns = 19'800 * kSecond;
  MilliRu merge_max_partition_mru_per_s = 3'000 * kMilliPerRu;
  Bytes merge_max_partition_bytes = 20 * kGigabyte;
  bool split_for_heat = false;
  Nanoseconds split_for_heat_after_ns = 600 * kSecond;
  /// Use of a partition limit that counts as hot.
  std::int64_t split_for_heat_use_ppm = 900'000;

  // storage
  Bytes partition_max_storage_bytes = 50 * kGigabyte;
  Bytes split_storage_threshold_bytes = 50 * kGigabyte;
  Bytes logical_partition_max_storage_bytes = 20 * kGigabyte;  // 0: no limit
  std::int64_t index_storage_overhead_ppm = 150'000;
  Bytes item_max_bytes = 2'097'152;
  Bytes partition_key_max_bytes = 2'048;

  // charges
  MilliRu index_mru_per_term = 200;
  std::int64_t strong_read_multiplier_micro = 2'000'000;
  MilliRu query_min_mru_per_partition = 2'500;
  MilliRu query_mru_per_match = 30;
  MilliRu query_mru_per_returned_kb = 700;
  std::int64_t replace_write_multiplier_micro = 2'000'000;
  MilliRu patch_mru_per_property = 400;
  std::int64_t delete_write_multiplier_micro = 1'000'000;
  MilliRu read_feed_min_mru = 1'000;
  MilliRu script_overhead_mru =
      1'500;  // nothing published; a guess to be replaced by a measurement
  std::int64_t script_operation_factor_micro = 950'000;  // "slightly cheaper" than from a client
  /// Above zero: a read costs one unit for each so many bytes begun, a write likewise, and both
  /// have budgets of their own (DynamoDB).
  Bytes read_unit_bytes = 0;
  Bytes write_unit_bytes = 0;
  std::int64_t eventual_read_factor_ppm = 500'000;
  MilliRu partition_max_read_units_per_s = 3'000 * kMilliPerRu;
  MilliRu partition_max_write_units_per_s = 1'000 * kMilliPerRu;

  // throttling
  Nanoseconds throttle_window_ns = kSecond;
  ThrottleModel throttle_model = ThrottleModel::window_debt;
  Nanoseconds retry_after_min_ns = kMillisecond;
  /// The header counts in whole milliseconds, so waits are rounded up to this step.
  Nanoseconds retry_after_step_ns = kMillisecond;
  MilliRu throttled_request_charge_mru = 380;
  bool throttled_charge_counts = false;
  Nanoseconds client_gone_retry_initial_ns = kSecond;
  Nanoseconds client_gone_retry_max_ns = 15 * kSecond;
  Nanoseconds client_gone_retry_total_ns = 30 * kSecond;

  // more than the share
  bool burst_enabled = false;
  std::int64_t burst_window_s = 300;
  MilliRu burst_max_mru_per_s = 3'000 * kMilliPerRu;
  MilliRu burst_eligible_below_mru_per_s = 3'000 * kMilliPerRu;
  /// While a partition bursts its share keeps flowing in; false: the vendor's own arithmetic.
  bool burst_net_of_share = true;
  bool adaptive_capacity = false;
  bool ru_per_minute_enabled = false;
  std::int64_t ru_per_minute_ratio = 10;
  MilliRu ru_per_minute_max_partition_mru = 5'000 * kMilliPerRu;
  MilliRu on_demand_initial_read_units = 12'000 * kMilliPerRu;
  MilliRu on_demand_initial_write_units = 4'000 * kMilliPerRu;
  std::int64_t on_demand_peak_multiplier = 2;
  Nanoseconds on_demand_window_ns = 1'800 * kSecond;
  std::int64_t autoscale_floor_ppm = 100'000;
  std::int64_t autoscale_decision_window_s = 5;
  bool autoscale_dynamic = true;

  // latency
  Nanoseconds read_latency_p50_ns = 2 * kMillisecond;
  Nanoseconds read_latency_p99_ns = 8 * kMillisecond;
  Nanoseconds write_latency_p50_ns = 5 * kMillisecond;
  Nanoseconds write_latency_p99_ns = 9'500 * kMicrosecond;
  Nanoseconds query_latency_ns_per_ru = 150 * kMicrosecond;
  Nanoseconds throttle_response_ns = 1'500 * kMicrosecond;
  /// Added to a write that its client must send to another region.
  Nanoseconds region_round_trip_ns = 50 * kMillisecond;

  // prices, in millionths of a US dollar
  std::int64_t price_per_100ru_hour_micro = 8'000;
  std::int64_t price_per_100ru_hour_multi_write_micro = 16'000;
  std::int64_t autoscale_price_multiplier_ppm = 1'500'000;
  std::int64_t price_storage_gb_month_micro = 250'000;
  std::int64_t price_serverless_per_million_ru_micro = 250'000;
  std::int64_t price_read_unit_hour_nano = 130'000;  // billionths: $0.00013
  std::int64_t price_write_unit_hour_nano = 650'000;
  std::int64_t price_million_read_units_micro = 125'000;
  std::int64_t price_million_write_units_micro = 625'000;
  std::int64_t hours_per_month = 730;
};

/// The defaults of a provider.
[[nodiscard]] ProviderParameters profile_parameters(Provider provider) noexcept;

}  // namespace partsim
