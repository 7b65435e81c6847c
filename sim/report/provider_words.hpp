/// What each service and API calls things, and the errors it answers with.
#pragma once

#include <string>
#include <string_view>

#include "partsim/study/study.hpp"

namespace partsim {

struct ProviderWords {
  std::string_view service;        // as people say it
  std::string_view unit;           // of charges: RU or capacity unit
  std::string_view rate;           // of shares
  std::string_view container;      // what holds the items
  std::string_view partition_key;  // what decides the logical partition
  std::string_view row_key;        // what tells items of one logical partition apart
  std::string_view refusal;        // a throttled attempt, in a sentence: "met a 429"
  std::string_view refusals;       // as the heading of a column
  std::string_view throttled;      // the whole error
  std::string_view gone;           // a partition in its swap
  std::string_view forbidden;      // a write to a full logical partition
};

[[nodiscard]] const ProviderWords& words_of(Provider provider, Api api) noexcept;
[[nodiscard]] const ProviderWords& words_of(const RunResult& run) noexcept;

/// As in a scenario: cosmos, cosmos_2017, dynamodb.
[[nodiscard]] std::string_view provider_name(Provider provider) noexcept;
[[nodiscard]] std::string_view api_name(Api api) noexcept;

/// Heading of a column of throttled attempts; one word for all variants.
[[nodiscard]] std::string refusals_header(const StudyResult& study);
/// `5.8 RU`, `1.0 capacity unit`, `2.0 capacity units`.
[[nodiscard]] std::string priced(const std::string& number, const ProviderWords& words);
/// `6,000 RU/s`, whole units.
[[nodiscard]] std::string in_rate(MilliRu mru_per_s, const ProviderWords& words);

}  // namespace partsim
