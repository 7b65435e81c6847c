/// The scenario language as one table. It drives the checks, the suggestions, the JSON Schema, the
/// resolved view and `partsim list`, so none of them can disagree with another.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "partsim/scenario/scenario.hpp"

namespace partsim {

enum class ValueKind : std::uint8_t {
  // plain numbers and words; limits in the scale named behind
  integer,    // one
  decimal,    // millionths
  ru_number,  // milli-RU, written in RU
  ms_number,  // nanoseconds, written in ms
  s_number,   // nanoseconds, written in s
  gb_number,  // bytes, written in GB; a part of a byte is cut off
  kb_number,  // bytes, written in KB; likewise
  boolean,
  choice,
  // text with a unit
  duration,          // nanoseconds
  rate,              // -
  throughput,        // milli-RU per second
  ru,                // milli-RU
  size,              // bytes
  percent,           // parts per million
  service_duration,  // nanoseconds
  jitter,            // a duration or a percentage
  utc,
  // text
  name,
  title,  // one line; limits count its bytes
  key_template,
  time_format,
  number_format,
  field_name,
  any_scalar,  // or `{undefined: true}`
  file_name,   // limits count its bytes
  expectation,
  // structure; limits count the members
  section,
  named_sections,     // a mapping from the author's names to sections
  list,               // of `items`
  text_or_list,       // one of `items`, or a list of them
  scalar_or_section,  // one of `items`, or the section
  choice_or_section,
  choice_or_list,      // one of `words`, or a list of `items`
  choice_or_numbered,  // one of `words`, or a mapping from numbers to `items`
};

struct Section;

/// A word of a closed list.
struct Word {
  std::string_view name;
  std::string_view description;
};

/// Which names an author may give.
enum class NameRule : std::uint8_t { none, field, client, container, variant };

struct ValueRule {
  ValueKind kind = ValueKind::integer;
  std::uint64_t min = 0;
  std::uint64_t max = UINT64_MAX;
  std::span<const Word> words = {};
  const Section* section = nullptr;
  const ValueRule* items = nullptr;
  NameRule names = NameRule::none;
};

struct Key {
  std::string_view name;
  ValueRule value;
  std::string_view description;
  /// As it would be written; empty: there is no default. `{}` resolves to a section of defaults.
  std::string_view fallback = {};
  bool required = false;
  /// Bits of the alternatives of the section this key goes with; 0: all of them.
  std::uint16_t goes_with = 0;
  bool selects = false;             // ... and it is the one that decides for its alternative
  std::string_view excludes = {};   // keys that cannot stand beside it, by spaces
  std::uint16_t required_with = 0;  // alternatives that need this key

  [[nodiscard]] bool excludes_key(std::string_view other) const;
};

struct Section {
  std::string_view name;
  std::string_view description;
  std::span<const Key> keys;
  /// A mapping may do without any of the selectors.
  bool may_select_none = false;
  /// Where another section has the same name: what the schema calls this one.
  std::string_view schema_name = {};

  [[nodiscard]] const Key* find(std::string_view key) const;
  [[nodiscard]] std::vector<std::string> key_names() const;
  /// Keys that select an alternative; a mapping holds exactly one of them. Empty: no alternatives.
  [[nodiscard]] std::vector<const Key*> selectors() const;
};

[[nodiscard]] const Section& scenario_language();
/// What a variant may replace, and what `--set` may reach.
[[nodiscard]] const Section& fragment_language();
[[nodiscard]] const Section& section_of_parameters();

/// Whose defaults hold.
struct Profile {
  Provider provider = Provider::cosmos;
  Api api = Api::nosql;
};
/// As it would be written; empty: there is no default.
[[nodiscard]] std::string_view fallback_of(const Section& section, const Key& key,
                                           const Profile& profile);
/// What a key of `retry` is under a preset; empty: there is no such value.
[[nodiscard]] std::string_view preset_value(std::string_view preset, const Key& key);
/// "default 6000, cosmos_2017 10000", for descriptions; empty if there is none.
[[nodiscard]] std::string fallback_text(const Section& section, const Key& key);

[[nodiscard]] std::span<const Word> group_words();
[[nodiscard]] std::span<const Word> provider_words();
[[nodiscard]] std::span<const Word> api_words();
[[nodiscard]] std::span<const Word> throttle_model_words();
[[nodiscard]] std::span<const Word> distribution_words();
[[nodiscard]] std::span<const Word> split_order_words();
[[nodiscard]] std::span<const Word> split_cut_words();
[[nodiscard]] std::span<const Word> priority_words();
[[nodiscard]] std::span<const Word> operation_words();
[[nodiscard]] std::span<const Word> field_words();
[[nodiscard]] std::span<const Word> consistency_words();
[[nodiscard]] std::span<const Word> hash_words();
[[nodiscard]] std::span<const Word> spacing_words();
[[nodiscard]] std::span<const Word> retry_words();
[[nodiscard]] std::span<const Word> jitter_words();
[[nodiscard]] std::span<const Word> curve_words();

/// Nothing an author names may take these, in any spelling: output files have these names.
[[nodiscard]] std::span<const std::string_view> reserved_names();

}  // namespace partsim
