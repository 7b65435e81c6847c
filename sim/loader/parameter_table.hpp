/// Provider parameters by the names of the facts sheet: ranges, defaults, one line each.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

#include "partsim/core/time.hpp"

#include "language.hpp"
#include "words.hpp"

namespace partsim::language {

inline constexpr std::uint64_t kMilli = 1'000;      // milli-RU in an RU
inline constexpr std::uint64_t kMicro = 1'000'000;  // millionths in one
inline constexpr std::uint64_t kOneMs = kMillisecond;
inline constexpr std::uint64_t kTenYears = 3'653ULL * kDay;
inline constexpr std::uint64_t kMaxMs = 3'600'000 * kOneMs;

/// Nothing is bounded by this: DynamoDB has no rule of the kind.
inline constexpr std::uint64_t kNoRuLimit = 5'000'000'000;
inline constexpr std::uint64_t kOneGb = kGigabyte;
inline constexpr std::uint64_t kMaxStorage = 1'000'000 * kOneGb;

inline constexpr ValueRule ru_between(std::uint64_t min_mru, std::uint64_t max_ru) {
  return {ValueKind::ru_number, min_mru, max_ru * kMilli};
}
inline constexpr ValueRule whole_between(std::uint64_t min, std::uint64_t max) {
  return {ValueKind::integer, min, max};
}
inline constexpr ValueRule decimal_between(std::uint64_t min_micro, std::uint64_t max) {
  return {ValueKind::decimal, min_micro, max * kMicro};
}
inline constexpr ValueRule word_of(std::span<const Word> words) {
  return {.kind = ValueKind::choice, .words = words};
}
inline constexpr ValueRule kRuPerSecond = ru_between(1, 1'000'000);
inline constexpr ValueRule kRuOrNone = ru_between(0, 1'000'000);
inline constexpr ValueRule kSwitch{ValueKind::boolean, 0, 1};
inline constexpr ValueRule kLatency{ValueKind::ms_number, 1, kMaxMs};
inline constexpr ValueRule kMs{ValueKind::ms_number, 0, kMaxMs};
inline constexpr ValueRule kLongSeconds{ValueKind::s_number, 1, kTenYears};
inline constexpr ValueRule kStorageGb{ValueKind::gb_number, 1, kMaxStorage};
inline constexpr ValueRule kUsd = decimal_between(0, 1'000);

inline constexpr Key parameter(std::string_view name, ValueRule value, std::string_view fallback,
                               std::string_view description) {
  return {.name = name, .value = value, .description = description, .fallback = fallback};
}

inline constexpr std::array kParameterKeys{
    // layout
    parameter("partition_max_ru_per_s", kRuPerSecond, "10000",
              "most RU/s of one physical partition"),
    parameter("initial_partition_ru_manual", kRuPerSecond, "6000",
              "RU/s for each physical partition of a new container"),
    parameter("initial_partition_ru_autoscale", kRuPerSecond, "10000",
              "the same under autoscale and for a database"),
    parameter("growth_partition_ru", kRuPerSecond, "10000",
              "RU/s for each physical partition that later growth aims at"),
    parameter("growth_splits_all", kSwitch, "false",
              "whether growth splits every partition, or only as many as are needed"),
    parameter("min_ru_manual", kRuPerSecond, "400", "least RU/s of a container"),
    parameter("min_ru_per_gb_manual", kRuOrNone, "1", "least RU/s for each GB stored"),
    parameter("min_ru_high_water_divisor_manual", whole_between(0, 1'000'000), "100",
              "least RU/s: the highest ever over this; 0 is no such rule"),
    parameter("min_ru_unlimited_container", kRuOrNone, "0",
              "least RU/s of a container that is not fixed"),
    parameter("fixed_container_max_ru", kRuOrNone, "0",
              "most RU/s of a fixed container; 0: there are none"),
    parameter("min_ru_autoscale_max", kRuPerSecond, "1000",
              "least maximum of an autoscale container"),
    parameter("min_ru_per_gb_autoscale", kRuOrNone, "10", "least maximum for each GB stored"),
    parameter("min_ru_high_water_divisor_autoscale", whole_between(0, 1'000'000), "10",
              "least maximum: the highest ever over this; 0 is no such rule"),
    parameter("ru_step_manual", kRuPerSecond, "100", "throughput is a multiple of these RU/s"),
    parameter("ru_step_autoscale", kRuPerSecond, "1000",
              "an autoscale maximum is a multiple of these RU/s"),
    parameter("serverless_ru_per_partition", kRuPerSecond, "5000",
              "RU/s of each partition of a serverless container"),
    parameter("shared_db_max_containers", whole_between(1, 10'000), "25",
              "containers that share a database without raising its minimum"),
    parameter("throughput_distribution", word_of(kDistributions), "even",
              "what the partitions get after a storage split"),
    // splits and merges
    parameter("split_cut_throughput", word_of(kSplitCuts), "midpoint",
              "where a split for throughput cuts"),
    parameter("split_cut_storage", word_of(kSplitCuts), "data_median",
              "where a split for storage cuts"),
    parameter("split_order", word_of(kSplitOrders), "lowest_id",
              "which partitions split when only some must"),
    parameter("split_duration_s", kLongSeconds, "18000",
              "how long a split takes, or all rounds of a scale-up together"),
    parameter("split_swap_unavailable_ms", kMs, "0",
              "how long a partition answers 410 before its split ends"),
    parameter("merge_enabled", kSwitch, "false", "whether a timeline may merge partitions"),
    parameter("merge_duration_s", kLongSeconds, "19800", "how long a merge takes"),
    parameter("merge_max_partition_ru_per_s", kRuPerSecond, "3000",
              "partitions with a share below this may merge"),
    parameter("merge_max_partition_gb", kStorageGb, "20", "... if they store less than this"),
    parameter("split_for_heat", kSwitch, "false",
              "whether a partition that is hot for long splits"),
    parameter("split_for_heat_after_s", kLongSeconds, "600", "how long"),
    parameter("split_for_heat_use", decimal_between(1, 1), "0.9",
              "part of a partition's limit that counts as hot"),
    // storage
    parameter("partition_max_storage_gb", kStorageGb, "50",
              "most data and index of one physical partition"),
    parameter("split_storage_threshold_gb", kStorageGb, "50",
              "a partition that stores more splits"),
    parameter("logical_partition_max_storage_gb", {ValueKind::gb_number, 0, kMaxStorage}, "20",
              "most data of one key; writes beyond get 403; 0 is no limit"),
    parameter("index_storage_overhead", decimal_between(0, 10), "0.15",
              "index bytes for each byte of an item"),
    parameter("item_max_bytes", whole_between(1, 16'777'216), "2097152", "largest item in bytes"),
    parameter("partition_key_max_bytes", whole_between(1, 2'048), "2048",
              "longest partition key value in bytes"),
    // charges
    parameter("index_ru_per_term", ru_between(0, 1'000), "0.2",
              "RU for each index term of a create"),
    parameter("strong_read_multiplier", decimal_between(0, 100), "2",
              "what strong and bounded staleness reads cost, times the others"),
    parameter("query_min_ru_per_partition", ru_between(1, 1'000), "2.5",
              "RU of a query on each partition it visits, whatever it finds"),
    parameter("query_ru_per_match", ru_between(0, 100), "0.03", "RU for each matching item"),
    parameter("query_ru_per_returned_kb", ru_between(0, 100), "0.7", "RU for each KB sent back"),
    parameter("replace_write_multiplier", decimal_between(1'000, 100), "2",
              "what a replace, patch or upsert of an item that is there costs, times a create"),
    parameter("patch_ru_per_property", ru_between(0, 1'000), "0.4",
              "further RU for each property that a patch sets"),
    parameter("delete_write_multiplier", decimal_between(1'000, 100), "1",
              "what a delete costs, times a create"),
    parameter("read_feed_min_ru", ru_between(1, 1'000), "1", "least RU of a read feed"),
    parameter("script_overhead_ru", ru_between(0, 10'000), "1.5",
              "RU of a stored procedure beside its writes"),
    parameter("script_operation_factor", decimal_between(1'000, 100), "0.95",
              "what a write inside a stored procedure costs, times one from a client"),
    parameter("read_unit_kb", {ValueKind::kb_number, 0, kMicro* kKilobyte}, "0",
              "a read costs a unit for each so many KB begun; 0: charged in RU"),
    parameter("write_unit_kb", {ValueKind::kb_number, 0, kMicro* kKilobyte}, "0",
              "a write costs a unit for each so many KB begun; 0: charged in RU"),
    parameter("eventual_read_factor", decimal_between(1'000, 1), "0.5",
              "units of a read that is not strong, over those of one that is"),
    parameter("partition_max_rcu_per_s", kRuPerSecond, "3000",
              "most read units of one partition in a second"),
    parameter("partition_max_wcu_per_s", kRuPerSecond, "1000",
              "most write units of one partition in a second"),
    // throttling
    parameter("throttle_window_ms", {ValueKind::ms_number, 1, kTenYears}, "1000",
              "accounting period of the budget: a part of a second or whole seconds"),
    parameter("throttle_model", word_of(kThrottleModels), "window_debt",
              "how the budget admits requests"),
    parameter("retry_after_min_ms", kMs, "1", "least wait a 429 asks for"),
    parameter("retry_after_step_ms", kLatency, "1", "waits are rounded up to a multiple of this"),
    parameter("throttled_request_charge_ru", ru_between(0, 1'000), "0.38", "RU charge of a 429"),
    parameter("throttled_charge_counts", kSwitch, "false",
              "whether the charge of a 429 is taken from the budget"),
    parameter("client_gone_retry_initial_ms", {ValueKind::ms_number, kOneMs, kMaxMs}, "1000",
              "wait after the second 410; the first is retried at once"),
    parameter("client_gone_retry_max_ms", {ValueKind::ms_number, kOneMs, kMaxMs}, "15000",
              "the wait doubles up to this"),
    parameter("client_gone_retry_total_s", {ValueKind::s_number, 0, kTenYears}, "30",
              "a request that would wait longer in all has failed"),
    // more than the share
    parameter("burst_enabled", kSwitch, "false",
              "whether idle RU are saved; `burst:` says the same"),
    parameter("burst_window_s", whole_between(1, 86'400), "300",
              "seconds of its share a partition can save"),
    parameter("burst_max_ru_per_s", ru_between(1, kNoRuLimit), "3000",
              "most RU/s of a partition that bursts"),
    parameter("burst_eligible_below_ru_per_s", ru_between(1, kNoRuLimit), "3000",
              "only partitions with a smaller share save"),
    parameter("burst_net_of_share", kSwitch, "true",
              "whether the share flows in while a partition bursts"),
    parameter("adaptive_capacity", kSwitch, "false",
              "whether partitions lend each other what they do not use"),
    parameter("ru_per_minute_enabled", kSwitch, "false", "the RU/minute add-on of 2017"),
    parameter("ru_per_minute_ratio", whole_between(1, 1'000), "10",
              "RU in its store for each RU/s"),
    parameter("ru_per_minute_max_partition_ru", kRuPerSecond, "5000",
              "only partitions with at most this share have one"),
    parameter("on_demand_initial_rru", kRuPerSecond, "12000",
              "read units in a second of a new on-demand table"),
    parameter("on_demand_initial_wru", kRuPerSecond, "4000",
              "write units in a second of a new on-demand table"),
    parameter("on_demand_peak_multiplier", whole_between(1, 100), "2",
              "what an on-demand table serves at once, times its last peak"),
    parameter("on_demand_window_s", {ValueKind::s_number, kSecond, kTenYears}, "1800",
              "how soon it may double again"),
    parameter("autoscale_floor_fraction", decimal_between(0, 1), "0.1",
              "least part of its maximum an autoscale container pays for"),
    parameter("autoscale_decision_window_s", whole_between(1, 3'600), "5",
              "full use that lifts autoscale to its maximum"),
    parameter("autoscale_dynamic", kSwitch, "true",
              "whether each partition and region scales on its own"),
    // latency
    parameter("read_latency_p50_ms", kLatency, "2", "median latency of reads and queries"),
    parameter("read_latency_p99_ms", kLatency, "8", "99th percentile of reads and queries"),
    parameter("write_latency_p50_ms", kLatency, "5", "median latency of creates"),
    parameter("write_latency_p99_ms", kLatency, "9.5", "99th percentile of creates"),
    parameter("query_latency_ms_per_ru", {ValueKind::ms_number, 0, 1'000 * kOneMs}, "0.15",
              "further time for each RU of a query"),
    parameter("throttle_response_ms", kMs, "1.5", "how long a 429 takes to come back"),
    parameter("region_round_trip_ms", kMs, "50",
              "further time of a write that must go to another region"),
    // prices
    parameter("price_per_100ru_hour", kUsd, "0.008", "USD for 100 RU/s in an hour"),
    parameter("price_per_100ru_hour_multi_write", kUsd, "0.016",
              "the same where every region takes writes"),
    parameter("autoscale_price_multiplier", decimal_between(0, 100), "1.5",
              "price of an RU/s under autoscale, times the others"),
    parameter("price_storage_gb_month", kUsd, "0.25", "USD for a GB in a month"),
    parameter("price_serverless_per_million_ru", kUsd, "0.25",
              "USD for a million RU of a serverless container"),
    parameter("price_rcu_hour", kUsd, "0.00013", "USD for a read capacity unit in an hour"),
    parameter("price_wcu_hour", kUsd, "0.00065", "USD for a write capacity unit in an hour"),
    parameter("price_million_rru", kUsd, "0.125", "USD for a million read units on demand"),
    parameter("price_million_wru", kUsd, "0.625", "USD for a million write units on demand"),
    parameter("hours_per_month", whole_between(1, 744), "730", "hours a month is billed for"),
};
inline constexpr Section kParameters{
    "parameters", "provider parameters; the unit is part of the name", kParameterKeys};

}  // namespace partsim::language
