#include "partsim/scenario/parameters.hpp"

namespace partsim {
namespace {

ProviderParameters cosmos_2017() noexcept {
  ProviderParameters p;
  p.initial_partition_mru_manual = 10'000 * kMilliPerRu;
  p.min_mru_unlimited_container = 2'500 * kMilliPerRu;
  p.fixed_container_max_mru = 10'000 * kMilliPerRu;
  p.partition_max_storage_bytes = 10 * kGigabyte;
  p.split_storage_threshold_bytes = 10 * kGigabyte;
  p.logical_partition_max_storage_bytes = 10 * kGigabyte;
  // a 1 KB create with everything indexed (4 terms by default) cost 15 RU
  p.index_mru_per_term = 2'512;
  p.write_latency_p99_ns = 15 * kMillisecond;
  return p;
}

ProviderParameters dynamodb() noexcept {
  ProviderParameters p;
  p.growth_splits_all = true;
  p.min_mru_manual = kMilliPerRu;
  p.min_mru_per_gb_manual = 0;
  p.min_mru_high_water_divisor_manual = 0;
  p.mru_step_manual = kMilliPerRu;
  p.split_duration_ns = 300 * kSecond;
  p.split_for_heat = true;
  p.partition_max_storage_bytes = 10 * kGigabyte;
  p.split_storage_threshold_bytes = 10 * kGigabyte;
  p.logical_partition_max_storage_bytes = 0;
  p.index_storage_overhead_ppm = 0;
  p.item_max_bytes = 409'600;
  p.throughput_distribution = ThroughputDistribution::inherit_parent;
  p.index_mru_per_term = 0;
  p.query_min_mru_per_partition = 500;
  p.query_mru_per_match = 0;
  p.query_mru_per_returned_kb = 0;
  p.read_unit_bytes = 4 * kKilobyte;
  p.write_unit_bytes = kKilobyte;
  p.throttled_request_charge_mru = 0;
  p.burst_enabled = true;
  p.burst_max_mru_per_s = kNever / kMillion;
  p.burst_eligible_below_mru_per_s = kNever / kMillion;
  p.adaptive_capacity = true;
  return p;
}

}  // namespace

ProviderParameters profile_parameters(Provider provider) noexcept {
  switch (provider) {
    case Provider::cosmos_2017:
      return cosmos_2017();
    case Provider::dynamodb:
      return dynamodb();
    case Provider::cosmos:
      break;
  }
  return {};
}

}  // namespace partsim
