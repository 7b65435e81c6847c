/// The clients and the timeline of the scenario language.
#pragma once

#include <array>
#include <cstdint>

#include "partsim/core/time.hpp"
#include "partsim/scenario/scenario.hpp"

#include "container_table.hpp"
#include "language.hpp"
#include "operation_table.hpp"
#include "parameter_table.hpp"
#include "words.hpp"

namespace partsim::language {

inline constexpr std::array kRetryKeys{
    Key{.name = "preset",
        .value = {.kind = ValueKind::choice, .words = kRetries},
        .description = "the policy whose values hold for all that is left out"},
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
        .description = "above 0s: exponential back-off from this time, instead of the wait that "
                       "the service asks for",
        .fallback = "0s"},
    Key{.name = "backoff_max",
        .value = {ValueKind::duration, 1, kTenYears},
        .description = "the back-off doubles up to this",
        .fallback = "20s"},
    Key{.name = "backoff_jitter",
        .value = {.kind = ValueKind::choice, .words = kBackoffJitters},
        .description = "how much of the back-off is random",
        .fallback = "full"},
    Key{.name = "wait",
        .value = {ValueKind::duration, 0, kTenYears},
        .description = "above 0s: always this wait, instead of the one that the service asks for",
        .fallback = "0s"},
    Key{.name = "longest_wait",
        .value = {ValueKind::duration, 1, kTenYears},
        .description = "most that is waited at once, whatever the service asks for",
        .fallback = "3653d"},
    Key{.name = "overshoot",
        .value = kSwitch,
        .description = "whether the last wait may pass max_wait",
        .fallback = "false"},
    Key{.name = "quota",
        .value = {ValueKind::integer, 0, 1'000'000},
        .description = "tokens that all retries of the client share; 0: no such limit",
        .fallback = "0"},
    Key{.name = "quota_cost",
        .value = {ValueKind::integer, 1, 1'000'000},
        .description = "tokens that a retry takes until it succeeds",
        .fallback = "5"},
};
inline constexpr Section kRetry{"retry", "what a client does after a 429", kRetryKeys};

// ---- arrivals ----------------------------------------------------------------------------------

inline constexpr ValueRule kInstant{ValueKind::duration, 0, kTenYears};
inline constexpr ValueRule kSpan{ValueKind::duration, 1, kTenYears};
inline constexpr std::array kChangeKeys{
    Key{.name = "at",
        .value = kInstant,
        .description = "when, from the start of the run",
        .required = true},
    Key{.name = "rate",
        .value = {ValueKind::rate},
        .description = "the rate from then on",
        .required = true},
    Key{.name = "over",
        .value = kInstant,
        .description = "the rate goes there in a straight line for this time",
        .fallback = "0s"},
};
inline constexpr Section kChange{"change", "one change of a rate", kChangeKeys};

inline constexpr std::array kSpikeKeys{
    Key{.name = "at",
        .value = kInstant,
        .description = "when, from the start of the run",
        .required = true},
    Key{.name = "for", .value = kSpan, .description = "how long it lasts", .required = true},
    Key{.name = "times",
        .value = decimal_between(1, kMicro),
        .description = "what the rate of that time is multiplied by",
        .required = true},
};
inline constexpr Section kSpike{"spike", "a time in which the rate is multiplied", kSpikeKeys};

inline constexpr std::array kBurstKeys{
    Key{.name = "on",
        .value = kSpan,
        .description = "how long the rate holds; it begins so",
        .required = true},
    Key{.name = "off",
        .value = kInstant,
        .description = "how long nothing is sent then",
        .required = true},
};
inline constexpr Section kBursts{"bursts", "the rate comes and goes", kBurstKeys};

/// Thirty times as long is still a time that can be counted.
inline constexpr ValueRule kThinkTime{ValueKind::duration, 0, 30 * std::uint64_t{kDay}};
inline constexpr std::array kThinkKeys{
    Key{.name = "fixed",
        .value = kThinkTime,
        .description = "always this time",
        .goes_with = 1,
        .selects = true},
    Key{.name = "exponential",
        .value = kThinkTime,
        .description = "exponential with this mean",
        .goes_with = 2,
        .selects = true},
};
inline constexpr Section kThink{"think", "the time between an answer and the next operation",
                                kThinkKeys};

inline constexpr ValueRule kFileName{ValueKind::file_name, 1, 1'024};
inline constexpr std::array kTraceKeys{
    Key{.name = "file",
        .value = kFileName,
        .description = "recorded requests as CSV, beside the scenario",
        .required = true},
    Key{.name = "requests",
        .value = kFileName,
        .description = "a second file, joined on ActivityId"},
    Key{.name = "speed",
        .value = decimal_between(1, kMicro),
        .description = "2 is twice as fast as recorded",
        .fallback = "1"},
    Key{.name = "at",
        .value = kInstant,
        .description = "when its first row happens",
        .fallback = "0s"},
};
inline constexpr Section kTrace{"trace", "recorded requests instead of drawn ones", kTraceKeys};

inline constexpr std::uint16_t kOpenLoop = 1;
inline constexpr std::uint16_t kAtOnce = 2;
inline constexpr std::uint16_t kUsers = 4;
inline constexpr std::uint16_t kBulk = 8;
inline constexpr std::uint16_t kTraced = 16;
inline constexpr std::uint16_t kCounted = 32;
inline constexpr std::uint64_t kMostOperations = 1'000'000'000'000'000'000;
inline constexpr ValueRule kChangeRule{.kind = ValueKind::section, .section = &kChange};
inline constexpr ValueRule kSpikeRule{.kind = ValueKind::section, .section = &kSpike};
inline constexpr ValueRule kHourShare{ValueKind::percent, 0, kMicro};
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
        .goes_with = kOpenLoop | kCounted},
    Key{.name = "changes",
        .value = {.kind = ValueKind::list, .min = 0, .max = 1'000, .items = &kChangeRule},
        .description = "how the rate changes, by time",
        .goes_with = kOpenLoop,
        .excludes = "rate_file"},
    Key{.name = "rate_file",
        .value = kFileName,
        .description = "the same from a CSV file beside the scenario: seconds,rate in operations "
                       "per second",
        .goes_with = kOpenLoop,
        .excludes = "changes"},
    Key{.name = "spikes",
        .value = {.kind = ValueKind::list, .min = 0, .max = 1'000, .items = &kSpikeRule},
        .description = "times in which the rate is multiplied, by time",
        .goes_with = kOpenLoop},
    Key{.name = "bursts",
        .value = {.kind = ValueKind::section, .section = &kBursts},
        .description = "the rate holds for a time, then nothing is sent for a time, and so on",
        .goes_with = kOpenLoop},
    Key{.name = "daily",
        .value = {.kind = ValueKind::choice_or_list,
                  .min = 24,
                  .max = 24,
                  .words = kCurves,
                  .items = &kHourShare},
        .description = "shares of the rate at each full hour of UTC, straight lines between",
        .goes_with = kOpenLoop},
    Key{.name = "burstiness",
        .value = decimal_between(kMicro, 60),
        .description = "within a minute of the counters the rate is so many times the mean, in one "
                       "part of each 10 seconds, and nothing is sent in the rest",
        .fallback = "1",
        .goes_with = kCounted},
    Key{.name = "full_throughput",
        .value = {ValueKind::throughput, 1, 1'000'000'000 * kMilli},
        .description = "what 100% of normalized counters stand for; without it what the container "
                       "has",
        .goes_with = kCounted},
    Key{.name = "at_once",
        .value = {ValueKind::integer, 1, kMostOperations},
        .description = "so many operations at one instant, instead of a rate",
        .goes_with = kAtOnce,
        .selects = true},
    Key{.name = "users",
        .value = {ValueKind::integer, 1, 1'000'000},
        .description = "each sends its next operation after the answer to the last (closed loop)",
        .goes_with = kUsers,
        .selects = true},
    Key{.name = "bulk",
        .value = {ValueKind::integer, 1, kMostOperations},
        .description = "so many operations as fast as a bulk loader may",
        .goes_with = kBulk,
        .selects = true},
    Key{.name = "trace",
        .value = {.kind = ValueKind::scalar_or_section, .section = &kTrace, .items = &kFileName},
        .description = "recorded requests: a CSV file beside the scenario",
        .goes_with = kTraced,
        .selects = true},
    Key{.name = "rate_counters",
        .value = kFileName,
        .description = "a rate from the counters of a service: a CSV file beside the scenario with "
                       "the request units of each minute, or the percentage used",
        .goes_with = kCounted,
        .selects = true},
    Key{.name = "at",
        .value = kInstant,
        .description = "the instant of at_once, or the begin of bulk, from the start of the run",
        .fallback = "0s",
        .goes_with = kAtOnce | kBulk},
    Key{.name = "pace",
        .value = {ValueKind::rate},
        .description = "from that instant on evenly at this rate, instead of all at once",
        .goes_with = kAtOnce},
    Key{.name = "think",
        .value = {.kind = ValueKind::scalar_or_section, .section = &kThink, .items = &kThinkTime},
        .description = "time between an answer and the next operation of a user",
        .fallback = "0s",
        .goes_with = kUsers},
    Key{.name = "start_over",
        .value = kInstant,
        .description = "the users begin one after the other in this time",
        .fallback = "0s",
        .goes_with = kUsers},
    Key{.name = "total",
        .value = {ValueKind::integer, 1, kMostOperations},
        .description = "operations after which nobody begins another; no end without it",
        .goes_with = kUsers},
    Key{.name = "batch",
        .value = {ValueKind::integer, 1, 10'000},
        .description = "operations of one degree of concurrency for a partition",
        .fallback = "100",
        .goes_with = kBulk},
    Key{.name = "degrees",
        .value = {ValueKind::integer, 1, 1'000},
        .description = "most degrees of concurrency for a partition",
        .fallback = "50",
        .goes_with = kBulk},
    Key{.name = "concurrency",
        .value = {ValueKind::integer, 1, 1'000'000},
        .description = "operations under way at most; others wait inside the client, unsent",
        .goes_with = kOpenLoop | kAtOnce | kUsers | kTraced | kCounted},
    Key{.name = "timeout",
        .value = kSpan,
        .description = "an operation without an answer this long after its first send has failed"},
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
        .description = "whose partitions; required where several have throughput of their own",
        .goes_with = 31},
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
    Key{.name = "capacity_units",
        .value = {.kind = ValueKind::section, .section = &kUnits},
        .description = "new units of reads and of writes (dynamodb only)",
        .goes_with = 16,
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
    Key{.name = "client",
        .value = kReference,
        .description = "whose rate changes; the same as one of its `changes`",
        .goes_with = 32,
        .selects = true},
    Key{.name = "rate",
        .value = {ValueKind::rate},
        .description = "the client's rate from then on",
        .goes_with = 32,
        .required_with = 32},
    Key{.name = "over",
        .value = kInstant,
        .description = "the rate goes there in a straight line for this time",
        .goes_with = 32},
};
inline constexpr Section kTimelineEntry{
    "timeline", "one thing that is asked of the service, or of a client", kTimelineKeys};

}  // namespace partsim::language
