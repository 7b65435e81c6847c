#include "provider_words.hpp"

#include <array>

#include <fmt/format.h>

#include "numbers.hpp"

namespace partsim {
namespace {

constexpr std::string_view kGone = "410/1007, partition in its swap";
constexpr std::string_view kForbidden = "403/1014, logical partition full";

// In the order of `Api`. Sources are in the vendor's pages on each API's errors and keys.
constexpr std::array<ProviderWords, 5> kCosmosApis{{
    {"Cosmos DB", "RU", "RU/s", "container", "key", "id", "a 429", "429s",
     "429/3200 with x-ms-retry-after-ms", kGone, kForbidden},
    {"Cosmos DB for MongoDB", "RU", "RU/s", "collection", "shard key", "_id", "error 16500",
     "16500s", "16500 TooManyRequests with RetryAfterMs=", kGone, kForbidden},
    {"Cosmos DB for Gremlin", "RU", "RU/s", "graph", "partition key", "id", "a 429", "429s",
     "status attribute 429 with x-ms-retry-after-ms as a TimeSpan", kGone, kForbidden},
    {"Cosmos DB for Table", "RU", "RU/s", "table", "PartitionKey", "RowKey", "a 429", "429s",
     "429 through the Table SDK", kGone, kForbidden},
    {"Cosmos DB for Cassandra", "RU", "RU/s", "table", "partition key", "clustering columns",
     "an Overloaded error", "0x1001s", "Overloaded, error 0x1001", kGone, kForbidden},
}};

constexpr ProviderWords kDynamoDb{"DynamoDB",
                                  "capacity unit",
                                  "units/s",
                                  "table",
                                  "partition key",
                                  "sort key",
                                  "a throttling error",
                                  "throttled",
                                  "400 ProvisionedThroughputExceededException",
                                  "an error while a partition was swapped",
                                  "an error for a full item collection"};

}  // namespace

const ProviderWords& words_of(Provider provider, Api api) noexcept {
  return provider == Provider::dynamodb ? kDynamoDb : kCosmosApis[static_cast<std::size_t>(api)];
}

const ProviderWords& words_of(const RunResult& run) noexcept {
  return words_of(run.provider, run.api);
}

std::string_view provider_name(Provider provider) noexcept {
  switch (provider) {
    case Provider::cosmos:
      return "cosmos";
    case Provider::cosmos_2017:
      return "cosmos_2017";
    case Provider::dynamodb:
      return "dynamodb";
  }
  return "";
}

std::string_view api_name(Api api) noexcept {
  switch (api) {
    case Api::nosql:
      return "nosql";
    case Api::mongodb:
      return "mongodb";
    case Api::gremlin:
      return "gremlin";
    case Api::table:
      return "table";
    case Api::cassandra:
      return "cassandra";
  }
  return "";
}

std::string refusals_header(const StudyResult& study) {
  std::string_view header;
  for (const VariantResult& result : study.runs) {
    const std::string_view own = words_of(result.run).refusals;
    header = header.empty() || header == own ? own : "throttled";
  }
  return std::string(header.empty() ? "429s" : header);
}

std::string priced(const std::string& number, const ProviderWords& words) {
  const bool plural = words.unit != "RU" && number != "1" && number != "1.0";
  return fmt::format("{} {}{}", number, words.unit, plural ? "s" : "");
}

std::string in_rate(MilliRu mru_per_s, const ProviderWords& words) {
  return fmt::format("{} {}", grouped(static_cast<std::uint64_t>(mru_per_s / kMilliPerRu)),
                     words.rate);
}

}  // namespace partsim
