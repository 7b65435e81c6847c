/// The containers of the scenario language.
#pragma once

#include <array>
#include <cstdint>

#include "language.hpp"
#include "parameter_table.hpp"
#include "words.hpp"

namespace partsim::language {

inline constexpr ValueRule kPercent{ValueKind::percent, 1, kMicro};
inline constexpr std::array kHotKeys{
    Key{"share", kPercent, "share of the picks that fall on the hot values", {}, true},
    Key{"of", kPercent, "share of the values that are hot", {}, true},
};
inline constexpr Section kHot{"hot", "a few values get most of the picks, evenly among themselves",
                              kHotKeys};

inline constexpr std::uint16_t kTime = 1;
inline constexpr std::uint16_t kChoose = 2;
inline constexpr std::uint16_t kValues = 4;
inline constexpr std::uint16_t kUnique = 8;
inline constexpr std::uint16_t kSequence = 16;
inline constexpr std::uint16_t kColumn = 32;
inline constexpr std::uint16_t kValuesFile = 64;
/// One of a known number of values.
inline constexpr std::uint16_t kPicked = kChoose | kValues | kValuesFile;
inline constexpr ValueRule kWeight{ValueKind::integer, 0, 1'000'000'000};
inline constexpr ValueRule kAnyScalar{ValueKind::any_scalar};
inline constexpr std::array kFieldKeys{
    Key{.name = "time",
        .value = {ValueKind::time_format},
        .description = "the simulated clock in UTC, with %Y %m %d %H %M %S %y %j %F %T %s",
        .goes_with = kTime,
        .selects = true},
    Key{.name = "choose",
        .value = {ValueKind::integer, 1, 1'000'000'000},
        .description =
            "how many values there are; a value is its number from 0, unless `as` makes it text",
        .goes_with = kChoose,
        .selects = true},
    Key{.name = "values",
        .value = {.kind = ValueKind::list, .min = 1, .max = 10'000, .items = &kAnyScalar},
        .description = "the values themselves: text, numbers, true, false, null or {undefined: "
                       "true}; one listed twice is picked twice as often",
        .goes_with = kValues,
        .selects = true},
    Key{.name = "values_file",
        .value = {ValueKind::file_name, 1, 1'024},
        .description = "a file beside the scenario with a value on each line, all of them text",
        .goes_with = kValuesFile,
        .selects = true},
    Key{.name = "unique",
        .value = {ValueKind::boolean, 1, 1},
        .description = "true: 16 hexadecimal digits that never repeat",
        .goes_with = kUnique,
        .selects = true},
    Key{.name = "sequence",
        .value = {ValueKind::boolean, 1, 1},
        .description = "true: counts the client's operations from 0",
        .goes_with = kSequence,
        .selects = true},
    Key{.name = "column",
        .value = {ValueKind::title, 1, 256},
        .description = "what the replayed trace has in this column, as text",
        .goes_with = kColumn,
        .selects = true},
    Key{.name = "zipf",
        .value = {ValueKind::decimal, 0, 10 * kMicro},
        .description =
            "popularity by Zipf's law with this exponent; 0, and neither zipf nor hot, is uniform",
        .goes_with = kPicked,
        .excludes = "hot weights"},
    Key{.name = "hot",
        .value = {.kind = ValueKind::section, .section = &kHot},
        .description = "a hot set: so much of the load on so few of the values",
        .goes_with = kPicked,
        .excludes = "zipf weights"},
    Key{.name = "weights",
        .value = {.kind = ValueKind::list, .min = 1, .max = 10'000, .items = &kWeight},
        .description = "how often each value is picked, in their order, one weight for each",
        .goes_with = kPicked,
        .excludes = "zipf hot"},
    Key{.name = "of",
        .value = {ValueKind::field_name},
        .description = "a field each of whose values has so many values of its own, numbered "
                       "through",
        .goes_with = kChoose},
    Key{.name = "as",
        .value = {ValueKind::number_format},
        .description = "makes the number text: {} stands for it, {:06} pads it with zeros",
        .goes_with = kChoose | kSequence},
};
inline constexpr Section kField{"field", "how one field of an item gets its value", kFieldKeys};

inline constexpr ValueRule kItemSize{ValueKind::size, 1, 16'777'216};
inline constexpr std::array kSizeKeys{
    Key{.name = "min",
        .value = kItemSize,
        .description = "the least; every size up to `max` is as likely",
        .goes_with = 1,
        .selects = true},
    Key{.name = "max",
        .value = kItemSize,
        .description = "the most",
        .goes_with = 1,
        .required_with = 1},
    Key{.name = "p50",
        .value = kItemSize,
        .description = "the median of a log-normal law",
        .goes_with = 2,
        .selects = true},
    Key{.name = "p99",
        .value = kItemSize,
        .description = "its 99th percentile",
        .goes_with = 2,
        .required_with = 2},
};
inline constexpr Section kSize{"size", "sizes that differ from item to item", kSizeKeys};

inline constexpr std::array kItemsKeys{
    Key{.name = "size",
        .value = {.kind = ValueKind::scalar_or_section, .section = &kSize, .items = &kItemSize},
        .description = "size of every item, or a law from which it is drawn for each",
        .fallback = "1 KB"},
    Key{.name = "indexed_terms",
        .value = {ValueKind::integer, 0, 100'000},
        .description = "index terms a create writes, each charged index_ru_per_term",
        .fallback = "4"},
    Key{.name = "fields",
        .value = {.kind = ValueKind::named_sections,
                  .min = 0,
                  .max = 256,
                  .section = &kField,
                  .names = NameRule::field},
        .description = "fields that the partition key uses or callers know",
        .fallback = "{}"},
};
inline constexpr Section kItems{"items", "the items of the container", kItemsKeys};

inline constexpr std::array kWorkersKeys{
    Key{.name = "count",
        .value = {ValueKind::integer, 1, 1'000},
        .description = "requests a partition serves at the same time",
        .required = true},
    Key{.name = "queue_limit",
        .value = {ValueKind::integer, 0, 1'000'000},
        .description =
            "requests that may wait; the next is refused. Without it the queue has no end"},
};
inline constexpr Section kWorkers{
    "workers", "servers in front of each partition, first come, first served", kWorkersKeys};

inline constexpr ValueRule kServiceTime{ValueKind::service_duration, 1, kMaxMs};
inline constexpr std::array kServiceKeys{
    Key{.name = "fixed",
        .value = kServiceTime,
        .description = "always this time, or this time for each RU",
        .goes_with = 1,
        .selects = true},
    Key{.name = "exponential",
        .value = kServiceTime,
        .description = "exponential with this mean, or this mean for each RU",
        .goes_with = 2,
        .selects = true},
};
inline constexpr Section kService{
    "service", "how long an admitted request takes, instead of the provider's latency",
    kServiceKeys};

inline constexpr std::array kUnitsKeys{
    Key{.name = "read",
        .value = {ValueKind::integer, 1, 1'000'000'000},
        .description = "read capacity units in a second",
        .required = true},
    Key{.name = "write",
        .value = {ValueKind::integer, 1, 1'000'000'000},
        .description = "write capacity units in a second",
        .required = true},
};
inline constexpr Section kUnits{
    "capacity_units", "reads and writes bought apart, as DynamoDB sells them", kUnitsKeys};

inline constexpr Key bucket(std::string_view number) {
  return {.name = number,
          .value = kPercent,
          .description = "most that its clients may take of each partition's share"};
}
inline constexpr std::array kBucketKeys{bucket("1"), bucket("2"), bucket("3"), bucket("4"),
                                        bucket("5")};
inline constexpr Section kBuckets{"throughput_buckets", "caps for groups of clients, by number",
                                  kBucketKeys};

// How throughput is bought. What goes with none of these is for every container.
inline constexpr std::uint16_t kManual = 1;
inline constexpr std::uint16_t kAutoscale = 2;
inline constexpr std::uint16_t kServerless = 4;
inline constexpr std::uint16_t kUnitsApart = 8;
inline constexpr ValueRule kThroughput{ValueKind::throughput, 1, 1'000'000'000 * kMilli};
inline constexpr Key kManualKey{
    .name = "throughput",
    .value = kThroughput,
    .description = "provisioned RU/s, shared equally by the physical partitions",
    .goes_with = kManual,
    .selects = true};
inline constexpr Key kAutoscaleKey{.name = "autoscale",
                                   .value = kThroughput,
                                   .description = "most RU/s of a container that scales by itself",
                                   .goes_with = kAutoscale,
                                   .selects = true};
inline constexpr Key kPartitionsKey{
    .name = "partitions",
    .value = {ValueKind::integer, 1, 10'000},
    .description = "physical partitions; without it the provider's creation rule decides",
    .goes_with = kManual | kAutoscale | kServerless | kUnitsApart};

inline constexpr ValueRule kTemplate{ValueKind::key_template};
inline constexpr std::array kContainerKeys{
    kManualKey,
    kAutoscaleKey,
    Key{.name = "serverless",
        .value = {ValueKind::boolean, 1, 1},
        .description = "true: pays for what it uses; under DynamoDB this is on-demand",
        .goes_with = kServerless,
        .selects = true},
    Key{.name = "capacity_units",
        .value = {.kind = ValueKind::section, .section = &kUnits},
        .description = "reads and writes bought apart (dynamodb only)",
        .goes_with = kUnitsApart,
        .selects = true},
    kPartitionsKey,
    Key{.name = "fixed",
        .value = kSwitch,
        .description = "a container of one partition that never splits (cosmos_2017 only)",
        .fallback = "false",
        .goes_with = kManual},
    Key{.name = "partition_key",
        .value = {.kind = ValueKind::text_or_list, .min = 1, .max = 3, .items = &kTemplate},
        .description = "template of the key: text, {field}, {random 1..400}, {hash field 1..400}; "
                       "a list of 2 or 3 makes a hierarchical key. Required, but where the only "
                       "client replays a trace that has the keys"},
    Key{.name = "hash",
        .value = {.kind = ValueKind::choice, .words = kHashes},
        .description = "hash version of the container",
        .fallback = "v2"},
    Key{.name = "consistency",
        .value = {.kind = ValueKind::choice, .words = kConsistencies},
        .description = "consistency level of reads and queries",
        .fallback = "session"},
    Key{.name = "items",
        .value = {.kind = ValueKind::section, .section = &kItems},
        .description = "the items of the container",
        .fallback = "{}"},
    Key{.name = "storage",
        .value = {ValueKind::size, 0, kMaxStorage},
        .description = "data and index at the start, spread by the popularity of the keys",
        .fallback = "0 B"},
    Key{.name = "ttl",
        .value = {ValueKind::duration, 1, kTenYears},
        .description = "items are deleted this long after they were created; never without it"},
    Key{.name = "throughput_buckets",
        .value = {.kind = ValueKind::section, .section = &kBuckets},
        .description = "caps for groups of clients, 1 to 5, as percentages of every share"},
    Key{.name = "workers",
        .value = {.kind = ValueKind::section, .section = &kWorkers},
        .description = "servers in front of each partition, for queueing studies"},
    Key{.name = "service",
        .value = {.kind = ValueKind::section, .section = &kService},
        .description = "service time that replaces the provider's latency"},
};
inline constexpr Section kContainer{"container", "a container with throughput of its own",
                                    kContainerKeys};
/// A member of `containers`, which may do without throughput and share that of the database.
inline constexpr Section kNamedContainer{.name = "container",
                                         .description = "one of several containers",
                                         .keys = kContainerKeys,
                                         .may_select_none = true,
                                         .schema_name = "named_container"};

inline constexpr std::array kDatabaseKeys{kManualKey, kAutoscaleKey, kPartitionsKey};
inline constexpr Section kDatabase{
    "database", "throughput shared by the containers that have none of their own", kDatabaseKeys};

}  // namespace partsim::language
