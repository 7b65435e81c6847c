/// Provider parameters by the names of the facts sheet: ranges, defaults, one line each.
#pragma once

#include <array>
#include <cstdint>
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

inline constexpr ValueRule ru_between(std::uint64_t min_mru, std::uint64_t max_ru) {
  return {ValueKind::ru_number, min_mru, max_ru * kMilli};
}
inline constexpr ValueRule kLatency{ValueKind::ms_number, 1, kMaxMs};

inline constexpr Key parameter(std::string_view name, ValueRule value, std::string_view fallback,
                               std::string_view description) {
  return {.name = name, .value = value, .description = description, .fallback = fallback};
}

inline constexpr std::array kParameterKeys{
    parameter("partition_max_ru_per_s", ru_between(1, 1'000'000), "10000",
              "most RU/s of one physical partition"),
    parameter("initial_partition_ru_manual", ru_between(1, 1'000'000), "6000",
              "RU/s for each physical partition of a new container"),
    parameter("min_ru_manual", ru_between(1, 1'000'000), "400", "least RU/s of a container"),
    parameter("ru_step_manual", ru_between(1, 1'000'000), "100",
              "throughput is a multiple of these RU/s"),
    parameter("item_max_bytes", {ValueKind::integer, 1, 16'777'216}, "2097152",
              "largest item in bytes"),
    parameter("partition_key_max_bytes", {ValueKind::integer, 1, 2'048}, "2048",
              "longest partition key value in bytes"),
    parameter("index_ru_per_term", ru_between(0, 1'000), "0.2",
              "RU for each index term of a create"),
    parameter("strong_read_multiplier", {ValueKind::decimal, 0, 100 * kMicro}, "2",
              "what strong and bounded staleness reads cost, times the others"),
    parameter("query_min_ru_per_partition", ru_between(1, 1'000), "2.5",
              "RU of a query on each partition it visits, whatever it finds"),
    parameter("query_ru_per_match", ru_between(0, 100), "0.03", "RU for each matching item"),
    parameter("query_ru_per_returned_kb", ru_between(0, 100), "0.7", "RU for each KB sent back"),
    parameter("throttle_window_ms", {ValueKind::ms_number, 1, kTenYears}, "1000",
              "accounting period of the budget: a part of a second or whole seconds"),
    parameter("throttle_model", {.kind = ValueKind::choice, .words = kThrottleModels},
              "window_debt", "how the budget admits requests"),
    parameter("retry_after_min_ms", {ValueKind::ms_number, 0, kMaxMs}, "1",
              "least wait a 429 asks for"),
    parameter("retry_after_step_ms", {ValueKind::ms_number, 1, kMaxMs}, "1",
              "waits are rounded up to a multiple of this"),
    parameter("throttled_request_charge_ru", ru_between(0, 1'000), "0.38", "RU charge of a 429"),
    parameter("throttled_charge_counts", {ValueKind::boolean, 0, 1}, "false",
              "whether the charge of a 429 is taken from the budget"),
    parameter("read_latency_p50_ms", kLatency, "2", "median latency of reads and queries"),
    parameter("read_latency_p99_ms", kLatency, "8", "99th percentile of reads and queries"),
    parameter("write_latency_p50_ms", kLatency, "5", "median latency of creates"),
    parameter("write_latency_p99_ms", kLatency, "9.5", "99th percentile of creates"),
    parameter("query_latency_ms_per_ru", {ValueKind::ms_number, 0, 1'000 * kOneMs}, "0.15",
              "further time for each RU of a query"),
    parameter("throttle_response_ms", {ValueKind::ms_number, 0, kMaxMs}, "1.5",
              "how long a 429 takes to come back"),
    parameter("price_per_100ru_hour", {ValueKind::decimal, 0, 1'000 * kMicro}, "0.008",
              "USD for 100 RU/s in an hour"),
    parameter("price_storage_gb_month", {ValueKind::decimal, 0, 1'000 * kMicro}, "0.25",
              "USD for a GB in a month"),
    parameter("hours_per_month", {ValueKind::integer, 1, 744}, "730",
              "hours a month is billed for"),
};
inline constexpr Section kParameters{
    "parameters", "provider parameters; the unit is part of the name", kParameterKeys};

}  // namespace partsim::language
