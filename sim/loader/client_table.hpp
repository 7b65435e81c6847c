/// The clients and the timeline of the scenario language.
#pragma once

#include <array>
#include <cstdint>

#include "partsim/core/time.hpp"
#include "partsim/scenario/scenario.hpp"

#include "container_table.hpp"
#include "language.hpp"
#include "parameter_table.hpp"
#include "words.hpp"

namespace partsim::language {

inline constexpr std::uint8_t kCreate = 1;
inline constexpr std::uint8_t kRead = 2;
inline constexpr std::uint8_t kQuery = 4;
inline constexpr ValueRule kFieldName{ValueKind::field_name};
inline constexpr std::array kOperationKeys{
    Key{.name = "create",
        .value = kPercent,
        .description = "share of the client's operations that write one item",
        .goes_with = kCreate,
        .selects = true},
    Key{.name = "read",
        .value = kPercent,
        .description = "share of the client's operations that read one item",
        .goes_with = kRead,
        .selects = true},
    Key{.name = "query",
        .value = kPercent,
        .description = "share of the client's operations that query",
        .goes_with = kQuery,
        .selects = true},
    Key{.name = "given",
        .value = {.kind = ValueKind::list, .min = 0, .max = 256, .items = &kFieldName},
        .description = "fields the caller knows, from which routing follows; required for a query, "
                       "all fields for a read without it",
        .goes_with = kRead | kQuery,
        .required_with = kQuery},
    Key{.name = "matches",
        .value = {ValueKind::integer, 0, 1'000'000},
        .description = "items that match, over all partitions",
        .fallback = "1",
        .goes_with = kQuery},
    Key{.name = "returned",
        .value = {ValueKind::integer, 0, 1'000'000},
        .description = "items sent back, at most the matches; all of them without it",
        .goes_with = kQuery},
    Key{.name = "charge",
        .value = {ValueKind::ru, 1, 4'000'000 * kMilli},
        .description = "fixes what each request costs, instead of the provider's table"},
};
inline constexpr Section kOperation{
    "operation", "one kind of operation and its share of the client's mix", kOperationKeys};

inline constexpr std::array kRetryKeys{
    Key{.name = "max_retries",
        .value = {ValueKind::integer, 0, 255},
        .description = "retries of one request; 0 is `none`",
        .fallback = "9"},
    Key{.name = "max_wait",
        .value = {ValueKind::duration, 0, kTenYears},
        .description = "most time one request may spend waiting for its retries",
        .fallback = "30s"},
    Key{.name = "jitter",
        .value = {ValueKind::jitter, 0, kTenYears},
        .description =
            "each wait grows by a random part of this time, or of this percentage of itself",
        .fallback = "0s"},
    Key{.name = "backoff_base",
        .value = {ValueKind::duration, 0, kTenYears},
        .description = "above 0s: exponential back-off from this time with full jitter, instead of "
                       "the wait that the service asks for",
        .fallback = "0s"},
    Key{.name = "backoff_max",
        .value = {ValueKind::duration, 1, kTenYears},
        .description = "the back-off doubles up to this",
        .fallback = "20s"},
};
inline constexpr Section kRetry{"retry", "what a client does after a 429", kRetryKeys};

inline constexpr std::uint8_t kOpenLoop = 1;
inline constexpr std::uint8_t kAtOnce = 2;
inline constexpr ValueRule kOperationRule{.kind = ValueKind::section, .section = &kOperation};
inline constexpr ValueRule kReference{.kind = ValueKind::name, .names = NameRule::client};
inline constexpr std::array kClientKeys{
    Key{.name = "container",
        .value = kReference,
        .description = "the container it uses; required where there are several"},
    Key{.name = "region",
        .value = kReference,
        .description = "the region it is in; the first without it"},
    Key{.name = "priority",
        .value = {.kind = ValueKind::choice, .words = kPriorities},
        .description = "who is refused first when a partition runs short",
        .fallback = "high"},
    Key{.name = "bucket",
        .value = {ValueKind::integer, 1, kMaxThroughputBuckets},
        .description = "the throughput bucket of its container that it belongs to"},
    Key{.name = "rate",
        .value = {ValueKind::rate},
        .description = "operations in a time, whatever happens to them (open loop)",
        .goes_with = kOpenLoop,
        .selects = true},
    Key{.name = "spacing",
        .value = {.kind = ValueKind::choice, .words = kSpacings},
        .description = "how the operations of a rate follow each other",
        .fallback = "poisson",
        .goes_with = kOpenLoop},
    Key{.name = "at_once",
        .value = {ValueKind::integer, 1, 1'000'000'000'000'000'000},
        .description = "so many operations at one instant, instead of a rate",
        .goes_with = kAtOnce,
        .selects = true},
    Key{.name = "at",
        .value = {ValueKind::duration, 0, kTenYears},
        .description = "the instant of at_once, from the start of the run",
        .fallback = "0s",
        .goes_with = kAtOnce},
    Key{.name = "operations",
        .value = {.kind = ValueKind::list, .min = 1, .max = 64, .items = &kOperationRule},
        .description = "what the client does; the shares sum to 100%",
        .required = true},
    Key{.name = "retry",
        .value = {.kind = ValueKind::choice_or_section, .words = kRetries, .section = &kRetry},
        .description =
            "what the client does after a 429: a word, or the values of a policy of its own",
        .fallback = "dotnet"},
};
inline constexpr Section kClient{"client", "one source of operations", kClientKeys};

// ---- timeline ----------------------------------------------------------------------------------

inline constexpr ValueRule kTarget{ValueKind::throughput, 1, 1'000'000'000 * kMilli};
inline constexpr std::array kTimelineKeys{
    Key{.name = "at",
        .value = {ValueKind::duration, 0, kTenYears},
        .description = "when, from the start of the run",
        .required = true},
    Key{.name = "container",
        .value = kReference,
        .description = "whose partitions; required where several have throughput of their own"},
    Key{.name = "throughput",
        .value = kTarget,
        .description = "new provisioned RU/s",
        .goes_with = 1,
        .selects = true},
    Key{.name = "autoscale",
        .value = kTarget,
        .description = "new maximum of RU/s under autoscale",
        .goes_with = 2,
        .selects = true},
    Key{.name = "merge",
        .value = {ValueKind::boolean, 1, 1},
        .description = "true: small neighbours become one",
        .goes_with = 4,
        .selects = true},
    Key{.name = "redistribute",
        .value = {.kind = ValueKind::choice_or_numbered,
                  .min = 1,
                  .max = 10'000,
                  .words = kEqual,
                  .items = &kTarget},
        .description = "RU/s of single partitions by their ids, or `equal` shares again",
        .goes_with = 8,
        .selects = true},
};
inline constexpr Section kTimelineEntry{"timeline", "one thing that is asked of the service",
                                        kTimelineKeys};

}  // namespace partsim::language
