/// Provider parameters by the names of the facts sheet; the unit is part of the name.
#pragma once

#include <array>
#include <cstdint>

#include "partsim/core/time.hpp"

namespace partsim {

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

/// Defaults are the `cosmos` profile. Fields are in the model's units; the names users write, with
/// their units, limits and descriptions, are in the loader's parameter table.
struct ProviderParameters {
  MilliRu partition_max_mru_per_s = 10'000 * kMilliPerRu;
  MilliRu initial_partition_mru_manual = 6'000 * kMilliPerRu;
  MilliRu min_mru_manual = 400 * kMilliPerRu;
  MilliRu mru_step_manual = 100 * kMilliPerRu;
  Bytes item_max_bytes = 2'097'152;
  Bytes partition_key_max_bytes = 2'048;

  MilliRu index_mru_per_term = 200;
  std::int64_t strong_read_multiplier_micro = 2'000'000;
  MilliRu query_min_mru_per_partition = 2'500;
  MilliRu query_mru_per_match = 30;
  MilliRu query_mru_per_returned_kb = 700;

  Nanoseconds throttle_window_ns = kSecond;
  ThrottleModel throttle_model = ThrottleModel::window_debt;
  Nanoseconds retry_after_min_ns = kMillisecond;
  /// The header counts in whole milliseconds, so waits are rounded up to this step.
  Nanoseconds retry_after_step_ns = kMillisecond;
  MilliRu throttled_request_charge_mru = 380;
  bool throttled_charge_counts = false;

  Nanoseconds read_latency_p50_ns = 2 * kMillisecond;
  Nanoseconds read_latency_p99_ns = 8 * kMillisecond;
  Nanoseconds write_latency_p50_ns = 5 * kMillisecond;
  Nanoseconds write_latency_p99_ns = 9'500 * kMicrosecond;
  Nanoseconds query_latency_ns_per_ru = 150 * kMicrosecond;
  Nanoseconds throttle_response_ns = 1'500 * kMicrosecond;

  /// Millionths of a US dollar.
  std::int64_t price_per_100ru_hour_micro = 8'000;
  std::int64_t price_storage_gb_month_micro = 250'000;
  std::int64_t hours_per_month = 730;
};

}  // namespace partsim
