/// The scenario as plain values: everything a run needs, nothing of how it was written.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "partsim/core/calendar.hpp"
#include "partsim/core/units.hpp"
#include "partsim/keys/component.hpp"
#include "partsim/keys/epk.hpp"
#include "partsim/keys/key_template.hpp"
#include "partsim/scenario/parameters.hpp"

namespace partsim {

// ---- item fields -------------------------------------------------------------------------------

/// How one of `count` values is picked.
struct UniformChoice {};
struct ZipfChoice {
  std::int64_t exponent_micro = 0;  // 0.6 -> 600000
};
/// `hot: {share: 80%, of: 20%}`: that share of the picks falls on that share of the values, evenly.
struct HotSetChoice {
  std::int64_t share_ppm = 0;
  std::int64_t of_ppm = 0;
};
using ChoiceLaw = std::variant<UniformChoice, ZipfChoice, HotSetChoice>;

/// `{time: "%Y-%m-%d"}`: the simulated clock, at the moment the operation is first sent.
struct TimeField {
  TimeFormat format;
};
/// `{choose: 50000, zipf: 0.6, as: "VIN{:06}"}`: values 0 .. count-1, rank 0 the most popular.
struct ChooseField {
  std::uint64_t count = 1;
  ChoiceLaw law;
  /// Without `as` the value is the number itself; with it, text around the zero-padded number.
  bool is_text = false;
  std::string prefix;
  std::string suffix;
  std::uint32_t width = 0;
};
/// `{values: [red, green]}`: listed values, picked by the law.
struct ValuesField {
  std::vector<KeyComponent> values;
  ChoiceLaw law;
};
/// `{unique: true}`: never twice; 16 hex digits.
struct UniqueField {};

struct FieldSpec {
  std::string name;
  std::variant<TimeField, ChooseField, ValuesField, UniqueField> kind;
};

// ---- container ---------------------------------------------------------------------------------

enum class Consistency : std::uint8_t {
  strong,
  bounded_staleness,
  session,
  consistent_prefix,
  eventual
};

/// FCFS servers in front of each partition, for queueing studies.
struct WorkersSpec {
  std::uint32_t count = 1;                   // 1 .. 1000
  std::optional<std::uint32_t> queue_limit;  // waiting places; without it the queue is unbounded
};

/// Replaces the provider's latency: how long an admitted request takes.
struct ServiceTimeSpec {
  enum class Law : std::uint8_t { fixed, exponential };
  Law law = Law::fixed;
  ServiceDuration mean;
};

/// How a container pays for throughput. DynamoDB calls the last one on-demand.
enum class CapacityMode : std::uint8_t { manual, autoscale, serverless };

/// DynamoDB buys reads and writes apart: `capacity_units: {read: 5000, write: 2000}`.
struct CapacityUnits {
  MilliRu read_per_s = 0;  // thousandths of a read capacity unit
  MilliRu write_per_s = 0;
};

/// At most this many `throughput_buckets`, numbered from 1; clients name the one they use.
inline constexpr std::size_t kMaxThroughputBuckets = 5;

/// What is bought for a set of physical partitions: by a container for itself, or by a database
/// for all containers that share it.
struct ThroughputSpec {
  CapacityMode mode = CapacityMode::manual;
  MilliRu mru_per_s = 0;                    // the maximum under autoscale; not for serverless
  std::optional<CapacityUnits> units;       // dynamodb; without it, from mru_per_s and the workload
  std::optional<std::uint32_t> partitions;  // without it, the provider's creation rule
};

struct ContainerSpec {
  std::string name = "main";
  bool shares_database = false;  // then Scenario::database has the throughput, not `throughput`
  ThroughputSpec throughput;
  bool fixed = false;                      // cosmos_2017: one partition that never splits
  HashVersion hash = HashVersion::v2;      // multihash when the key has several levels
  std::vector<KeyTemplate> partition_key;  // 1 .. 3 levels
  Bytes item_size_bytes = kKilobyte;
  std::uint32_t indexed_terms = 4;
  std::vector<FieldSpec> fields;  // sorted by name
  Consistency consistency = Consistency::session;
  std::optional<WorkersSpec> workers;
  std::optional<ServiceTimeSpec> service;
  Bytes initial_storage_bytes = 0;    // data and index, spread by the popularity of the keys
  std::optional<Nanoseconds> ttl_ns;  // items are deleted this long after they were created
  /// Caps in millionths of the container's share of each partition; 0 = no such bucket.
  std::array<std::int64_t, kMaxThroughputBuckets> bucket_ppm{};
};

// ---- clients -----------------------------------------------------------------------------------

enum class OperationKind : std::uint8_t { create, read, query };

struct OperationSpec {
  OperationKind kind = OperationKind::create;
  std::int64_t share_ppm = 1'000'000;  // shares of a client sum to one million
  std::vector<std::string> given;      // fields the caller knows, sorted; a create knows all
  std::uint32_t matches = 1;           // query: items that match, over all partitions
  std::uint32_t returned = 1;          // query: items sent back (<= matches)
  std::optional<MilliRu> charge_mru;   // `charge:` fixes what each request costs
};

struct OpenLoop {
  enum class Spacing : std::uint8_t { poisson, evenly };
  Rate rate;
  Spacing spacing = Spacing::poisson;
};
/// `at_once: 10000`: so many operations at one instant.
struct AtOnce {
  std::uint64_t count = 0;
  Nanoseconds at_ns = 0;
};

struct RetrySpec {
  std::uint32_t max_retries = 9;  // 0 .. 255; 0 = `retry: none`
  Nanoseconds max_wait_ns = 30 * kSecond;
  Nanoseconds jitter_ns = 0;    // each wait grows by a uniform time in [0, jitter)
  std::int64_t jitter_ppm = 0;  // ... and by a uniform share of itself in [0, jitter)
  /// Above zero: the service's retry-after is ignored. Retry k (from 1) waits a uniform time in
  /// [0, min(backoff_base * 2^(k-1), backoff_max)): exponential back-off with full jitter.
  Nanoseconds backoff_base_ns = 0;
  Nanoseconds backoff_max_ns = 20 * kSecond;
};

/// Low is refused first when a partition runs short.
enum class Priority : std::uint8_t { high, low };

struct ClientSpec {
  std::string name;
  std::uint32_t container = 0;  // index into Scenario::containers
  std::uint32_t region = 0;     // index into Scenario::regions: where it reads
  Priority priority = Priority::high;
  std::uint32_t bucket = 0;  // throughput bucket, 1 .. kMaxThroughputBuckets; 0 = none
  std::variant<OpenLoop, AtOnce> arrivals;
  std::vector<OperationSpec> operations;
  RetrySpec retry;
};

// ---- service -----------------------------------------------------------------------------------

enum class Api : std::uint8_t { nosql, mongodb, gremlin, table, cassandra };

/// `database: {throughput: 10000 RU/s}`: partitions that several containers share.
struct DatabaseSpec {
  ThroughputSpec throughput;
};

// ---- timeline ----------------------------------------------------------------------------------

/// `{at: 10min, throughput: 30000 RU/s}`: what a person or a script asks of the service. The
/// maximum under autoscale.
struct SetThroughput {
  MilliRu mru_per_s = 0;
};
/// `{at: 1h, merge: true}`: neighbours that are small enough become one.
struct MergePartitions {};
/// `{at: 1h, redistribute: {0: 5000 RU/s, 1: 15000 RU/s}}`; others keep what they have.
struct Redistribute {
  struct Target {
    std::uint32_t partition = 0;  // id
    MilliRu mru_per_s = 0;
  };
  std::vector<Target> targets;  // by id; empty: back to equal shares
};

struct TimelineEntry {
  Nanoseconds at_ns = 0;
  /// Index into Scenario::containers; a container that shares a database stands for the database.
  std::uint32_t container = 0;
  std::variant<SetThroughput, MergePartitions, Redistribute> action;
};

// ---- the whole ---------------------------------------------------------------------------------

struct Scenario {
  std::uint64_t seed = 1;
  std::int64_t start_unix_s = 1'704'067'200;  // 2024-01-01T00:00:00Z
  Nanoseconds duration_ns = 0;
  Nanoseconds warm_up_ns = 0;
  Provider provider = Provider::cosmos;
  Api api = Api::nosql;
  ProviderParameters parameters;
  std::vector<std::string> regions{"main"};  // the first takes the writes
  bool multi_region_writes = false;          // every region takes those of its own clients
  std::optional<DatabaseSpec> database;
  std::vector<ContainerSpec> containers;  // by name, at least one
  std::vector<ClientSpec> clients;        // sorted by name, at most kMaxClients
  std::vector<TimelineEntry> timeline;    // by time; entries of one instant in their order
};

inline constexpr std::size_t kMaxClients = 1024;
inline constexpr std::size_t kMaxContainers = 256;
inline constexpr std::size_t kMaxRegions = 8;

}  // namespace partsim
