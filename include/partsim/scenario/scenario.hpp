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
/// `weights: [5, 3, 1]`: one for each value, in their order.
struct WeightedChoice {
  std::vector<std::uint64_t> weights;
};
using ChoiceLaw = std::variant<UniformChoice, ZipfChoice, HotSetChoice, WeightedChoice>;

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
  /// `of: tenant`: every value of that field has `count` values of its own, numbered through:
  /// value v of the parent has v * count .. v * count + count - 1. Empty: no parent.
  std::string of;
};
/// `{values: [red, green]}`: listed values, picked by the law.
struct ValuesField {
  std::vector<KeyComponent> values;
  ChoiceLaw law;
  /// Fields that name the same rows share one pick, so that what stands in one row of a table stays
  /// together: as many values and the same law. Empty: a pick of its own.
  std::string rows{};
};
/// `{unique: true}`: never twice; 16 hex digits.
struct UniqueField {};
/// `{sequence: true, as: "order-{:08}"}`: counts the client's operations; a number, or text with
/// `as`.
struct SequenceField {
  bool is_text = false;
  std::string prefix;
  std::string suffix;
  std::uint32_t width = 0;
};
/// `{column: VehicleId}`: what a replayed trace has in this column, as text.
struct ColumnField {
  std::string column;
};

struct FieldSpec {
  std::string name;
  std::variant<TimeField, ChooseField, ValuesField, UniqueField, SequenceField, ColumnField> kind;
};

/// `size: {min: 1 KB, max: 4 KB}` or `size: {p50: 1 KB, p99: 20 KB}`.
struct SizeLaw {
  enum class Law : std::uint8_t { uniform, log_normal };
  Law law = Law::uniform;
  Bytes low = 1;   // the least, or the median
  Bytes high = 1;  // the most, or the 99th percentile
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
  bool fixed = false;                  // cosmos_2017: one partition that never splits
  HashVersion hash = HashVersion::v2;  // multihash when the key has several levels
  /// 1 .. 3 levels. None: the keys are those of the trace that its only client replays.
  std::vector<KeyTemplate> partition_key;
  Bytes item_size_bytes = kKilobyte;     // the mean where `item_size_law` is given
  std::optional<SizeLaw> item_size_law;  // drawn for every item
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

/// `remove` is written `delete`; a script is a stored procedure.
enum class OperationKind : std::uint8_t {
  create,
  read,
  query,
  upsert,
  replace,
  patch,
  remove,
  read_feed,
  batch,
  script
};

struct OperationSpec {
  OperationKind kind = OperationKind::create;
  std::int64_t share_ppm = 1'000'000;  // shares of a client sum to one million
  /// Fields the caller knows, sorted; a create or upsert knows all. For a batch or a script: the
  /// fields that all its items have in common.
  std::vector<std::string> given;
  std::uint32_t matches = 1;              // query: items that match, over all partitions
  std::uint32_t returned = 1;             // query (<= matches), read feed: items sent back
  std::optional<MilliRu> charge_mru;      // `charge:` fixes what each request costs
  std::uint32_t keys = 1;                 // query: asks for so many key values at once (IN)
  std::uint32_t items = 1;                // batch, script: writes that it makes
  std::uint32_t changed_terms = 2;        // replace, patch, upsert: index terms that change
  std::uint32_t patched = 1;              // patch: properties it sets
  std::int64_t existing_ppm = 1'000'000;  // upsert: how often the item is there already
  /// Not for create: the item was made within this time before, so the clock of its key lies back.
  Nanoseconds within_ns = 0;
};

/// `{at: 20s, rate: 3000/s, over: 30s}`: from then on this rate, reached in a straight line.
struct RateChange {
  Nanoseconds at_ns = 0;
  Rate rate;
  Nanoseconds over_ns = 0;
};
/// `{at: 40s, for: 2s, times: 10}`: the rate of that time is multiplied.
struct RateSpike {
  Nanoseconds at_ns = 0;
  Nanoseconds for_ns = 0;
  std::int64_t times_micro = 1'000'000;
};
/// `bursts: {on: 1s, off: 9s}`: the rate holds while on; it begins on.
struct OnOff {
  Nanoseconds on_ns = 0;
  Nanoseconds off_ns = 0;
};

struct OpenLoop {
  enum class Spacing : std::uint8_t { poisson, evenly };
  Rate rate;  // until the first change
  Spacing spacing = Spacing::poisson;
  std::vector<RateChange> changes{};  // by time; one may not begin before the last has arrived
  std::vector<RateSpike> spikes{};    // by time, apart from each other
  std::optional<OnOff> on_off{};
  /// `daily:` millionths of the rate at each full hour of UTC; straight lines between, minute by
  /// minute.
  std::optional<std::array<std::int64_t, 24>> hour_ppm{};
};
/// `at_once: 10000`: so many operations at one instant, or from then on evenly at a pace.
struct AtOnce {
  std::uint64_t count = 0;
  Nanoseconds at_ns = 0;
  std::optional<Rate> pace{};
};
/// `users: 100`: each sends its next operation a think time after the answer to the last.
struct ClosedLoop {
  enum class Think : std::uint8_t { fixed, exponential };
  std::uint32_t users = 1;
  Think think = Think::fixed;
  Nanoseconds think_ns = 0;              // the mean
  Nanoseconds start_over_ns = 0;         // user u of n begins at u / n of this time
  std::optional<std::uint64_t> total{};  // operations after which nobody begins another
};
/// `bulk: 100000`: a loader that sends so many operations as fast as it may: for each physical
/// partition so many at a time, a number that grows while nothing is throttled and shrinks when
/// something is.
struct BulkLoad {
  std::uint64_t count = 0;
  Nanoseconds at_ns = 0;
  std::uint32_t batch = 100;  // operations of one degree of concurrency
  std::uint32_t most_degrees = 50;
};
/// `trace: requests.csv`: recorded requests instead of drawn ones; run() is given the rows.
struct TraceReplay {
  std::string file;
  std::string requests_file;             // joined on ActivityId; may be empty
  std::int64_t speed_micro = 1'000'000;  // 2: twice as fast as recorded
  Nanoseconds at_ns = 0;                 // when its first row happens
};

struct RetrySpec {
  enum class Jitter : std::uint8_t { full, equal, none };
  std::uint32_t max_retries = 9;  // 0 .. 255; 0 = `retry: none`
  Nanoseconds max_wait_ns = 30 * kSecond;
  Nanoseconds jitter_ns = 0;    // each wait grows by a uniform time in [0, jitter)
  std::int64_t jitter_ppm = 0;  // ... and by a uniform share of itself in [0, jitter)
  /// Above zero: the service's retry-after is ignored. Retry k (from 1) waits at most
  /// b = min(backoff_base * 2^(k-1), backoff_max): a uniform time in [0, b) with full jitter, in
  /// [b/2, b) with equal jitter, b without.
  Nanoseconds backoff_base_ns = 0;
  Nanoseconds backoff_max_ns = 20 * kSecond;
  Jitter backoff_jitter = Jitter::full;
  Nanoseconds fixed_wait_ns = 0;         // above zero: instead of the service's retry-after
  Nanoseconds longest_wait_ns = kNever;  // cuts what the service asks for
  /// Some SDKs look only at what was waited so far, so that the last wait may pass max_wait.
  bool may_overshoot = false;
  /// Above zero: tokens that the client's retries share. A retry takes quota_cost, and gives them
  /// back when it succeeds; a success at the first attempt gives back one.
  std::uint32_t quota_tokens = 0;
  std::uint32_t quota_cost = 5;
};

/// Low is refused first when a partition runs short.
enum class Priority : std::uint8_t { high, low };

struct ClientSpec {
  std::string name;
  std::uint32_t container = 0;  // index into Scenario::containers
  std::uint32_t region = 0;     // index into Scenario::regions: where it reads
  Priority priority = Priority::high;
  std::uint32_t bucket = 0;  // throughput bucket, 1 .. kMaxThroughputBuckets; 0 = none
  std::variant<OpenLoop, AtOnce, ClosedLoop, BulkLoad, TraceReplay> arrivals;
  std::vector<OperationSpec> operations;
  RetrySpec retry;
  /// Operations it has under way at most; others wait inside the client, unsent.
  std::optional<std::uint32_t> concurrency{};
  /// An operation without an answer this long after its first send has failed.
  std::optional<Nanoseconds> timeout_ns{};
};

// ---- service -----------------------------------------------------------------------------------

enum class Api : std::uint8_t { nosql, mongodb, gremlin, table, cassandra };

/// `database: {throughput: 10000 RU/s}`: partitions that several containers share.
struct DatabaseSpec {
  ThroughputSpec throughput;
};

// ---- timeline ----------------------------------------------------------------------------------

/// `{at: 10min, throughput: 30000 RU/s}`: what a person or a script asks of the service. The
/// maximum under autoscale. DynamoDB takes `capacity_units: {read: 8000, write: 2000}` as well.
struct SetThroughput {
  MilliRu mru_per_s = 0;
  std::optional<CapacityUnits> units{};  // as in ThroughputSpec
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
