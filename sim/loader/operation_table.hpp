/// The operations of the scenario language.
#pragma once

#include <array>
#include <cstdint>

#include "container_table.hpp"
#include "language.hpp"
#include "parameter_table.hpp"

namespace partsim::language {

inline constexpr std::uint16_t kCreate = 1;
inline constexpr std::uint16_t kRead = 2;
inline constexpr std::uint16_t kQuery = 4;
inline constexpr std::uint16_t kUpsert = 8;
inline constexpr std::uint16_t kReplace = 16;
inline constexpr std::uint16_t kPatch = 32;
inline constexpr std::uint16_t kDelete = 64;
inline constexpr std::uint16_t kReadFeed = 128;
inline constexpr std::uint16_t kBatch = 256;
inline constexpr std::uint16_t kScript = 512;
/// Of an item that exists, which somebody must find.
inline constexpr std::uint16_t kOfExisting =
    kRead | kQuery | kReplace | kPatch | kDelete | kReadFeed;

inline constexpr Key operation_kind(std::string_view name, std::uint16_t kind,
                                    std::string_view description) {
  return {.name = name,
          .value = kPercent,
          .description = description,
          .goes_with = kind,
          .selects = true};
}

inline constexpr ValueRule kFieldName{ValueKind::field_name};
inline constexpr std::array kOperationKeys{
    operation_kind("create", kCreate, "share of the client's operations that write one item"),
    operation_kind("read", kRead, "share of the client's operations that read one item"),
    operation_kind("query", kQuery, "share of the client's operations that query"),
    operation_kind("upsert", kUpsert,
                   "share of the client's operations that write one item, there or not"),
    operation_kind("replace", kReplace, "share of the client's operations that write an item anew"),
    operation_kind("patch", kPatch,
                   "share of the client's operations that set some properties of an item"),
    operation_kind("delete", kDelete, "share of the client's operations that remove one item"),
    operation_kind("read_feed", kReadFeed,
                   "share of the client's operations that list items page by page"),
    operation_kind("batch", kBatch,
                   "share of the client's operations that write several items of one key at once"),
    operation_kind("script", kScript,
                   "share of the client's operations that run a stored procedure"),
    Key{.name = "given",
        .value = {.kind = ValueKind::list, .min = 0, .max = 256, .items = &kFieldName},
        .description = "fields the caller knows, from which routing follows; what all items of a "
                       "batch or script have in common. Without it a read_feed knows nothing, the "
                       "others all fields",
        .goes_with = kOfExisting | kBatch | kScript,
        .required_with = kQuery | kBatch | kScript},
    Key{.name = "keys",
        .value = {ValueKind::integer, 1, 1'000},
        .description = "key values asked for at once (IN)",
        .fallback = "1",
        .goes_with = kQuery},
    Key{.name = "matches",
        .value = {ValueKind::integer, 0, 1'000'000},
        .description = "items that match, over all partitions",
        .fallback = "1",
        .goes_with = kQuery},
    Key{.name = "returned",
        .value = {ValueKind::integer, 0, 1'000'000},
        .description = "items sent back, at most the matches; all of them without it, and 1 for a "
                       "read_feed",
        .goes_with = kQuery | kReadFeed},
    Key{.name = "items",
        .value = {ValueKind::integer, 1, 1'000},
        .description = "items written; at most 100 in a batch",
        .fallback = "1",
        .goes_with = kBatch | kScript},
    Key{.name = "changed_terms",
        .value = {ValueKind::integer, 0, 100'000},
        .description = "index terms that change, each charged twice index_ru_per_term",
        .fallback = "2",
        .goes_with = kReplace | kPatch | kUpsert},
    Key{.name = "patched",
        .value = {ValueKind::integer, 1, 100},
        .description = "properties it sets, each charged patch_ru_per_property",
        .fallback = "1",
        .goes_with = kPatch},
    Key{.name = "existing",
        .value = {ValueKind::percent, 0, kMicro},
        .description = "how often the item is there already",
        .fallback = "100%",
        .goes_with = kUpsert},
    Key{.name = "within",
        .value = {ValueKind::duration, 1, kTenYears},
        .description = "the item was made within this time before, so the clock of its key lies "
                       "back; now without it",
        .goes_with = kOfExisting},
    Key{.name = "charge",
        .value = {ValueKind::ru, 1, 4'000'000 * kMilli},
        .description = "fixes what each request costs, instead of the provider's table"},
};
inline constexpr Section kOperation{
    "operation", "one kind of operation and its share of the client's mix", kOperationKeys};

}  // namespace partsim::language
