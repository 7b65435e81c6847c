#include "language.hpp"

#include <array>

#include "partsim/core/time.hpp"
#include "partsim/scenario/scenario.hpp"

#include "parameter_table.hpp"
#include "words.hpp"

namespace partsim {
namespace {

using namespace language;  // the other parts of the same table

// ---- container ---------------------------------------------------------------------------------

constexpr ValueRule kPercent{ValueKind::percent, 1, kMicro};
constexpr std::array kHotKeys{
    Key{"share", kPercent, "share of the picks that fall on the hot values", {}, true},
    Key{"of", kPercent, "share of the values that are hot", {}, true},
};
constexpr Section kHot{"hot", "a few values get most of the picks, evenly among themselves",
                       kHotKeys};

constexpr std::uint8_t kTime = 1;
constexpr std::uint8_t kChoose = 2;
constexpr std::uint8_t kValues = 4;
constexpr std::uint8_t kUnique = 8;
constexpr ValueRule kAnyScalar{ValueKind::any_scalar};
constexpr std::array kFieldKeys{
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
        .description = "the values themselves: text, numbers, true, false or null; one listed "
                       "twice is picked twice as often",
        .goes_with = kValues,
        .selects = true},
    Key{.name = "unique",
        .value = {ValueKind::boolean, 1, 1},
        .description = "true: 16 hexadecimal digits that never repeat",
        .goes_with = kUnique,
        .selects = true},
    Key{.name = "zipf",
        .value = {ValueKind::decimal, 0, 10 * kMicro},
        .description =
            "popularity by Zipf's law with this exponent; 0, and neither zipf nor hot, is uniform",
        .goes_with = kChoose | kValues,
        .excludes = "hot"},
    Key{.name = "hot",
        .value = {.kind = ValueKind::section, .section = &kHot},
        .description = "a hot set: so much of the load on so few of the values",
        .goes_with = kChoose | kValues,
        .excludes = "zipf"},
    Key{.name = "as",
        .value = {ValueKind::number_format},
        .description = "makes the number text: {} stands for it, {:06} pads it with zeros",
        .goes_with = kChoose},
};
constexpr Section kField{"field", "how one field of an item gets its value", kFieldKeys};

constexpr std::array kItemsKeys{
    Key{.name = "size",
        .value = {ValueKind::size, 1, 16'777'216},
        .description = "size of every item",
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
constexpr Section kItems{"items", "the items of the container", kItemsKeys};

constexpr std::array kWorkersKeys{
    Key{.name = "count",
        .value = {ValueKind::integer, 1, 1'000},
        .description = "requests a partition serves at the same time",
        .required = true},
    Key{.name = "queue_limit",
        .value = {ValueKind::integer, 0, 1'000'000},
        .description =
            "requests that may wait; the next is refused. Without it the queue has no end"},
};
constexpr Section kWorkers{
    "workers", "servers in front of each partition, first come, first served", kWorkersKeys};

constexpr ValueRule kServiceTime{ValueKind::service_duration, 1, kMaxMs};
constexpr std::array kServiceKeys{
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
constexpr Section kService{"service",
                           "how long an admitted request takes, instead of the provider's latency",
                           kServiceKeys};

constexpr ValueRule kTemplate{ValueKind::key_template};
constexpr std::array kContainerKeys{
    Key{.name = "throughput",
        .value = {ValueKind::throughput, 1, 1'000'000'000 * kMilli},
        .description = "provisioned RU/s, shared equally by the physical partitions",
        .required = true},
    Key{.name = "partitions",
        .value = {ValueKind::integer, 1, 10'000},
        .description = "physical partitions; without it the provider's creation rule decides"},
    Key{.name = "partition_key",
        .value = {.kind = ValueKind::text_or_list, .min = 1, .max = 3, .items = &kTemplate},
        .description = "template of the key: text, {field}, {random 1..400}, {hash field 1..400}; "
                       "a list of 2 or 3 makes a hierarchical key",
        .required = true},
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
    Key{.name = "workers",
        .value = {.kind = ValueKind::section, .section = &kWorkers},
        .description = "servers in front of each partition, for queueing studies"},
    Key{.name = "service",
        .value = {.kind = ValueKind::section, .section = &kService},
        .description = "service time that replaces the provider's latency"},
};
constexpr Section kContainer{"container", "the container under load", kContainerKeys};

// ---- clients -----------------------------------------------------------------------------------

constexpr std::uint8_t kCreate = 1;
constexpr std::uint8_t kRead = 2;
constexpr std::uint8_t kQuery = 4;
constexpr ValueRule kFieldName{ValueKind::field_name};
constexpr std::array kOperationKeys{
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
constexpr Section kOperation{"operation", "one kind of operation and its share of the client's mix",
                             kOperationKeys};

constexpr std::array kRetryKeys{
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
};
constexpr Section kRetry{"retry", "what a client does after a 429", kRetryKeys};

constexpr std::uint8_t kOpenLoop = 1;
constexpr std::uint8_t kAtOnce = 2;
constexpr ValueRule kOperationRule{.kind = ValueKind::section, .section = &kOperation};
constexpr std::array kClientKeys{
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
            "what the client does after a 429: a word, or max_retries, max_wait and jitter",
        .fallback = "dotnet"},
};
constexpr Section kClient{"client", "one source of operations", kClientKeys};

// ---- the whole ---------------------------------------------------------------------------------

constexpr Key kSeed{.name = "seed",
                    .value = {ValueKind::integer, 0, UINT64_MAX},
                    .description = "random numbers: same scenario and seed, same result",
                    .fallback = "1"};
constexpr Key kStart{.name = "start",
                     .value = {ValueKind::utc},
                     .description = "simulated wall clock at time zero, UTC",
                     .fallback = "2024-01-01T00:00:00Z"};
constexpr Key kDuration{.name = "duration",
                        .value = {ValueKind::duration, 1, kTenYears},
                        .description = "simulated time of the run",
                        .required = true};
constexpr Key kWarmUp{.name = "warm_up",
                      .value = {ValueKind::duration, 0, kTenYears},
                      .description = "results count from here; shorter than the run",
                      .fallback = "0s"};
constexpr Key kProvider{.name = "provider",
                        .value = {.kind = ValueKind::choice, .words = kProviders},
                        .description = "whose rules and defaults hold",
                        .fallback = "cosmos"};
constexpr Key kParametersKey{.name = "parameters",
                             .value = {.kind = ValueKind::section, .section = &kParameters},
                             .description = "provider parameters that differ from their defaults",
                             .fallback = "{}"};
constexpr Key kContainerKey{.name = "container",
                            .value = {.kind = ValueKind::section, .section = &kContainer},
                            .description = "the container under load",
                            .required = true};
constexpr Key kClients{.name = "clients",
                       .value = {.kind = ValueKind::named_sections,
                                 .min = 1,
                                 .max = kMaxClients,
                                 .section = &kClient,
                                 .names = NameRule::client},
                       .description = "who asks for what, and when",
                       .required = true};

constexpr std::array kFragmentKeys{kSeed,     kStart,         kDuration,     kWarmUp,
                                   kProvider, kParametersKey, kContainerKey, kClients};
constexpr Section kFragment{"variant", "values that replace those of the scenario", kFragmentKeys};

constexpr ValueRule kExpectation{ValueKind::expectation};
constexpr std::array kScenarioKeys{
    Key{.name = "partsim",
        .value = {ValueKind::integer, 1, 1},
        .description = "version of the scenario language",
        .required = true},
    Key{.name = "name",
        .value = {ValueKind::name},
        .description = "names the output; letters, digits, . _ -",
        .required = true},
    Key{.name = "title",
        .value = {ValueKind::title},
        .description = "one line for people; the name without it"},
    kSeed,
    kStart,
    kDuration,
    kWarmUp,
    kProvider,
    kParametersKey,
    kContainerKey,
    kClients,
    Key{.name = "variants",
        .value = {.kind = ValueKind::named_sections,
                  .min = 1,
                  .max = 100,
                  .section = &kFragment,
                  .names = NameRule::variant},
        .description = "fragments merged over the scenario, to be compared"},
    Key{.name = "expect",
        .value = {.kind = ValueKind::list, .min = 0, .max = 1'000, .items = &kExpectation},
        .description = "rules the results must meet, such as `throttled_share < 1%`"},
};
constexpr Section kScenario{"scenario", "A partsim scenario: one question, asked top to bottom.",
                            kScenarioKeys};

}  // namespace

const Key* Section::find(std::string_view key) const {
  for (const Key& candidate : keys) {
    if (candidate.name == key) {
      return &candidate;
    }
  }
  return nullptr;
}

std::vector<std::string> Section::key_names() const {
  std::vector<std::string> names;
  for (const Key& key : keys) {
    names.emplace_back(key.name);
  }
  return names;
}

std::vector<const Key*> Section::selectors() const {
  std::vector<const Key*> found;
  for (const Key& key : keys) {
    if (key.selects) {
      found.push_back(&key);
    }
  }
  return found;
}

const Section& scenario_language() {
  return kScenario;
}
const Section& fragment_language() {
  return kFragment;
}
const Section& section_of_parameters() {
  return kParameters;
}

std::span<const Word> provider_words() {
  return kProviders;
}
std::span<const Word> throttle_model_words() {
  return kThrottleModels;
}
std::span<const Word> operation_words() {
  return kOperations;
}
std::span<const Word> field_words() {
  return kFields;
}
std::span<const Word> consistency_words() {
  return kConsistencies;
}
std::span<const Word> hash_words() {
  return kHashes;
}
std::span<const Word> spacing_words() {
  return kSpacings;
}
std::span<const Word> retry_words() {
  return kRetries;
}
std::span<const std::string_view> reserved_names() {
  return kReserved;
}

}  // namespace partsim
