/// The closed lists of words of the scenario language, and the names nobody may take.
#pragma once

#include <array>
#include <string_view>

#include "language.hpp"

namespace partsim::language {

inline constexpr std::array kGroups{
    Word{"teaching", "what the documents claim, shown or corrected"},
    Word{"planning", "decisions before money is spent, to be tried with other numbers"},
    Word{"regression", "published examples whose numbers must come out"},
};
inline constexpr std::array kProviders{
    Word{"cosmos", "Azure Cosmos DB as its documents describe it now"},
    Word{"cosmos_2017", "Azure Cosmos DB as it was in 2017"},
    Word{"dynamodb", "Amazon DynamoDB: reads and writes bought apart, adaptive capacity"},
};
inline constexpr std::array kApis{
    Word{"nosql", "the NoSQL API, once called DocumentDB"},
    Word{"mongodb", "the API for MongoDB: a shard key"},
    Word{"gremlin", "the API for Gremlin: neither id nor label can be the key"},
    Word{"table", "the API for Table: PartitionKey and RowKey"},
    Word{"cassandra", "the API for Cassandra: physical partitions of 30 GB"},
};
inline constexpr std::array kPriorities{
    Word{"high", "refused only when the partition has nothing left"},
    Word{"low", "refused first when a partition runs short"},
};
inline constexpr std::array kDistributions{
    Word{"even", "after a storage split all partitions have equal shares"},
    Word{"inherit_parent", "after a storage split each child has half of its parent's share"},
};
inline constexpr std::array kSplitOrders{
    Word{"lowest_id", "the oldest partitions split first"},
    Word{"widest", "those with the widest range of hashes split first"},
    Word{"fullest", "those that store most split first"},
};
inline constexpr std::array kSplitCuts{
    Word{"midpoint", "in the middle of the range of hashes"},
    Word{"data_median", "where the stored data halve"},
};
inline constexpr std::array kEqual{Word{"equal", "back to equal shares"}};
inline constexpr std::array kThrottleModels{
    Word{"window_debt",
         "a request runs while budget is left and may overdraw it; the debt is paid first"},
    Word{"window_strict", "a request runs only if its whole charge fits in the rest of the window"},
    Word{"token_bucket", "the budget refills continuously up to one window's worth"},
};
inline constexpr std::array kConsistencies{
    Word{"strong", "reads cost strong_read_multiplier times as much"},
    Word{"bounded_staleness", "reads cost strong_read_multiplier times as much"},
    Word{"session", "the service's default"},
    Word{"consistent_prefix", "charged like session"},
    Word{"eventual", "charged like session"},
};
inline constexpr std::array kHashes{
    Word{"v1", "the 32-bit hash of old containers"},
    Word{"v2", "the 126-bit hash of today; several levels use its hierarchical form"},
};
inline constexpr std::array kSpacings{
    Word{"poisson", "independent arrivals, exponential gaps"},
    Word{"evenly", "equal gaps, the first operation at time zero"},
};
inline constexpr std::array kRetries{
    Word{"dotnet", "the .NET SDK: 9 retries, 30s of waiting, no jitter"},
    Word{"java", "the Java SDK: like dotnet"},
    Word{"python", "the Python SDK: like dotnet, but the last wait may pass the 30s"},
    Word{"javascript", "the JavaScript SDK: like python"},
    Word{"rust", "the Rust SDK: 18 retries, 270s of waiting, at most 15s for each"},
    Word{"aws",
         "the AWS SDKs: 3 retries, back-off from 1s up to 20s with full jitter, 500 tokens for all "
         "retries at 5 each"},
    Word{"aws_legacy",
         "older AWS SDKs for DynamoDB: 9 retries, back-off from 50ms up to 25.6s without jitter"},
    Word{"none", "the first 429 is final"},
};
inline constexpr std::array kBackoffJitters{
    Word{"full", "a random part of the back-off"},
    Word{"equal", "half of the back-off and a random part of the other half"},
    Word{"none", "the back-off itself"},
};
inline constexpr std::array kCurves{
    Word{"office", "busy from 8 to 17 o'clock, with a dip at noon"},
    Word{"evening", "grows through the day, most at 20 o'clock"},
};
inline constexpr std::array kOperations{
    Word{"create", "writes one item; the whole item is known"},
    Word{"read", "reads one item: a point read if the key can be computed, else a query for it"},
    Word{"query", "reads what matches, on every partition the known fields cannot rule out"},
    Word{"upsert", "writes one item whether it is there or not; the whole item is known"},
    Word{"replace", "writes an item that is there; it is looked for if its key is not known"},
    Word{"patch", "sets some properties of an item that is there; likewise"},
    Word{"delete", "removes an item that is there; likewise"},
    Word{"read_feed", "lists items of a key, of a prefix, or of all partitions"},
    Word{"batch", "writes several items of one key in one transaction"},
    Word{"script", "a stored procedure that writes several items of one key"},
};
inline constexpr std::array kFields{
    Word{"time", "the simulated clock when the operation is first sent"},
    Word{"choose", "one of so many values, numbered from 0, the first the most popular"},
    Word{"values", "one of the listed values"},
    Word{"values_file", "one of the lines of a file"},
    Word{"unique", "never the same twice"},
    Word{"sequence", "counts the operations of a client"},
    Word{"column", "what a replayed trace has in a column"},
};
inline constexpr std::array<std::string_view, 6> kReserved{"results",    "charts",     "report",
                                                           "partitions", "timeseries", "latency"};

}  // namespace partsim::language
