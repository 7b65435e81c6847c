#include "language.hpp"

#include <array>

#include "partsim/core/time.hpp"
#include "partsim/scenario/scenario.hpp"

#include "client_table.hpp"
#include "container_table.hpp"
#include "parameter_table.hpp"
#include "words.hpp"

namespace partsim {
namespace {

using namespace language;  // the other parts of the same table

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
constexpr std::uint16_t kOne = 1;
constexpr std::uint16_t kSeveral = 2;
constexpr Key kContainerKey{.name = "container",
                            .value = {.kind = ValueKind::section, .section = &kContainer},
                            .description = "the container under load",
                            .goes_with = kOne,
                            .selects = true};
constexpr Key kContainers{.name = "containers",
                          .value = {.kind = ValueKind::named_sections,
                                    .min = 1,
                                    .max = kMaxContainers,
                                    .section = &kNamedContainer,
                                    .names = NameRule::container},
                          .description = "several containers with names",
                          .goes_with = kSeveral,
                          .selects = true};
constexpr Key kDatabaseKey{
    .name = "database",
    .value = {.kind = ValueKind::section, .section = &kDatabase},
    .description = "throughput shared by the containers that have none of their own",
    .goes_with = kSeveral};
constexpr Key kApi{.name = "api",
                   .value = {.kind = ValueKind::choice, .words = kApis},
                   .description = "API of the account (not for dynamodb)",
                   .fallback = "nosql"};
constexpr Key kBurst{.name = "burst",
                     .value = kSwitch,
                     .description =
                         "whether idle RU are saved; short for burst_enabled in "
                         "parameters, whose default holds without it"};
constexpr ValueRule kRegionName{.kind = ValueKind::name, .names = NameRule::client};
constexpr Key kRegions{
    .name = "regions",
    .value = {.kind = ValueKind::list, .min = 1, .max = kMaxRegions, .items = &kRegionName},
    .description = "regions of the account; the first takes the writes",
    .fallback = "[main]"};
constexpr Key kMultiRegionWrites{.name = "multi_region_writes",
                                 .value = kSwitch,
                                 .description = "whether every region takes writes",
                                 .fallback = "false"};
constexpr ValueRule kTimelineRule{.kind = ValueKind::section, .section = &kTimelineEntry};
constexpr Key kTimeline{
    .name = "timeline",
    .value = {.kind = ValueKind::list, .min = 0, .max = 1'000, .items = &kTimelineRule},
    .description = "what is asked of the service while the run lasts"};
constexpr Key kClients{.name = "clients",
                       .value = {.kind = ValueKind::named_sections,
                                 .min = 1,
                                 .max = kMaxClients,
                                 .section = &kClient,
                                 .names = NameRule::client},
                       .description = "who asks for what, and when",
                       .required = true};

constexpr std::array kFragmentKeys{kSeed,       kStart,         kDuration,    kWarmUp,
                                   kProvider,   kApi,           kRegions,     kMultiRegionWrites,
                                   kBurst,      kParametersKey, kDatabaseKey, kContainerKey,
                                   kContainers, kClients,       kTimeline};
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
        .value = {ValueKind::title, 1, 256},
        .description = "one line for people; the name without it"},
    Key{.name = "group",
        .value = {.kind = ValueKind::choice, .words = kGroups},
        .description = "what the scenario is for; `partsim list scenarios` sorts by it"},
    Key{.name = "lesson",
        .value = {ValueKind::title, 1, 100},
        .description = "what it teaches, in one line"},
    kSeed,
    kStart,
    kDuration,
    kWarmUp,
    kProvider,
    kApi,
    kRegions,
    kMultiRegionWrites,
    kBurst,
    kParametersKey,
    kDatabaseKey,
    kContainerKey,
    kContainers,
    kClients,
    kTimeline,
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

bool Key::excludes_key(std::string_view other) const {
  for (std::size_t at = excludes.find(other); at != std::string_view::npos;
       at = excludes.find(other, at + 1)) {
    const std::size_t end = at + other.size();
    if ((at == 0 || excludes[at - 1] == ' ') && (end == excludes.size() || excludes[end] == ' ')) {
      return true;
    }
  }
  return false;
}

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

std::span<const Word> group_words() {
  return kGroups;
}
std::span<const Word> provider_words() {
  return kProviders;
}
std::span<const Word> api_words() {
  return kApis;
}
std::span<const Word> distribution_words() {
  return kDistributions;
}
std::span<const Word> split_order_words() {
  return kSplitOrders;
}
std::span<const Word> split_cut_words() {
  return kSplitCuts;
}
std::span<const Word> priority_words() {
  return kPriorities;
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
std::span<const Word> jitter_words() {
  return kBackoffJitters;
}
std::span<const Word> curve_words() {
  return kCurves;
}
std::span<const std::string_view> reserved_names() {
  return kReserved;
}

}  // namespace partsim
