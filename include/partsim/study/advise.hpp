/// Which partition key would serve a scenario: candidates judged by the laws of its fields and the
/// real hash, the best few simulated, each graded by named criteria.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "partsim/scenario/check.hpp"
#include "partsim/scenario/scenario.hpp"
#include "partsim/study/sample_rows.hpp"
#include "partsim/study/study.hpp"

namespace partsim {

/// A partition key as a container has it: 1 to 3 levels.
using KeyLevels = std::vector<KeyTemplate>;
/// As a scenario writes it, without quotes: `{date}`, or `["{tenant}", "{user}"]` for levels.
[[nodiscard]] std::string key_text(const KeyLevels& levels);

/// There is no E: a key is good, or good enough, or has a fault to watch, to mend, to avoid.
enum class Grade : std::uint8_t { a, b, c, d, f };

enum class Criterion : std::uint8_t {
  throttled,     // share of attempts, simulated
  failed,        // share of operations, simulated
  latency,       // p99 in ms of the client that waits longest, simulated
  hottest,       // load of the hottest partition over its share
  hot_key,       // how many times today's load fit before one key fills a partition
  reads,         // RU/s that reads cost beyond one partition, over what is bought
  storage,       // days until a key meets its limit
  transactions,  // share of batches and scripts that are refused
  key,           // the service does not take it
};
struct CriterionGrade {
  Criterion criterion = Criterion::key;
  Grade grade = Grade::a;
  double value = 0;  // in the unit above; without a limit negative (days)
};
/// The worst of them; A without any.
[[nodiscard]] Grade worst_of(const std::vector<CriterionGrade>& criteria) noexcept;
/// The grade of a value by the thresholds of docs/ADVISE.md.
[[nodiscard]] CriterionGrade graded(Criterion criterion, double value) noexcept;

/// Where the writes of a container go under a key, at one moment.
struct KeyLoad {
  /// Every value with its probability; so many draws; so many rows of a sample.
  enum class Basis : std::uint8_t { exact, drawn, rows };
  Basis basis = Basis::exact;
  std::uint64_t looked_at = 0;  // combinations, draws or rows
  std::uint64_t distinct = 0;   // key values that take writes at the same time
  bool is_estimate = false;     // of `distinct`
  bool never_repeats = false;   // a key for each item, or nearly so in a sample
  struct Value {
    std::string key;
    double share = 0;
  };
  std::vector<Value> top;  // heaviest first, at most three
  std::vector<double> partition_share;

  /// Hottest partition over the mean.
  [[nodiscard]] double imbalance() const noexcept;
  /// Share of the bought RU/s that is used when the first partition is full.
  [[nodiscard]] double usable() const noexcept { return 1.0 / imbalance(); }
};

/// What an operation of a client costs under a key.
struct OperationAdvice {
  std::string client;
  OperationKind kind = OperationKind::read;
  std::vector<std::string> given;
  double per_s = 0;
  double partitions = 1;        // that one operation visits
  double ru = 0;                // of one operation
  double one_partition_ru = 0;  // if its caller knew the key
  bool is_refused = false;      // a transaction over several keys
};

/// When the first logical partition is full.
struct StorageWall {
  enum class Kind : std::uint8_t {
    day,        // `days` from the start
    no_limit,   // the provider has none
    no_growth,  // nothing is added
    rotates,    // keys take writes for a time only, and hold less
    expires,    // items live for a time only, and a key holds less
    unique,     // a key holds one item
  };
  Kind kind = Kind::no_growth;
  double days = 0;
  double key_bytes_per_day = 0;  // of the heaviest key
};

struct SimulatedKey {
  double throttled_share = 0;
  double failed_share = 0;
  double slowest_p99_ms = 0;
  std::string slowest_client;
  double normalized_peak = 0;
};

struct KeyJudgement {
  std::string key;
  KeyLevels levels;
  bool is_current = false;
  std::string problem;  // why the service does not take it; then nothing else is known
  KeyLoad load;
  std::int64_t clock_period_s = 0;  // how long a key value takes writes; 0: always
  bool clock_leads = false;         // the clock stands first
  double hottest_use = 0;           // load of the hottest partition over its share
  double growth = 0;                // times today's load; 0: no load
  std::vector<OperationAdvice> operations;
  StorageWall wall;
  std::optional<SimulatedKey> simulated;
  std::vector<CriterionGrade> criteria;
  Grade grade = Grade::a;
};

/// One line of "how many suffixes do I need".
struct SuffixRow {
  std::uint64_t count = 1;
  double usable = 1;        // median over the days looked at
  double worst_usable = 1;  // of them
  double item_partitions = 1;
  double item_ru = 1;
  double prefix_partitions = 1;
  double prefix_ru = 1;
};
struct SuffixTable {
  std::string key;         // with `S` for the count: `{date}.{hash vin 1..S}`
  std::uint64_t days = 1;  // values of the clock looked at
  std::vector<SuffixRow> rows;
  std::size_t recommended = 0;  // the first row with at least kSuffixEnough of the best usable
};
inline constexpr double kSuffixEnough = 0.9;

struct SampleSummary {
  std::uint64_t rows = 0;
  std::uint64_t replayed = 0;  // rows that the simulation draws from
  double mean_bytes = 0;       // 0: sizes are the scenario's
  double seconds = 0;          // from the first to the last `time`; 0: no such column
};

struct KeyAdvice {
  std::string container;
  std::uint32_t partitions = 1;
  double ru_per_s = 0;
  Bytes key_limit_bytes = 0;  // of a logical partition; 0: none
  std::int64_t start_unix_s = 0;
  double simulated_s = 0;
  std::vector<KeyJudgement> keys;  // best first
  std::optional<SuffixTable> suffixes;
  std::optional<SampleSummary> sample;
  bool partial = false;  // stopped; nothing above can be relied on

  [[nodiscard]] const KeyJudgement* current() const noexcept;
};

struct AdviceRequest {
  /// The container to judge, an index; its key is the current one.
  std::uint32_t container = 0;
  /// Candidates besides the current key; none: they are made from the fields.
  std::vector<KeyLevels> keys;
  /// Keys that made candidates should include, if the container has their fields.
  std::vector<KeyLevels> also;
  /// `random`, or the field whose hash makes the suffix; empty: that of the best key with one.
  std::string suffixes;
  std::uint32_t simulate = 3;  // besides the current key; 0: nothing is run
  std::uint64_t max_requests = kDefaultMaxRequests;
  SampleOpener open_sample;  // may be empty

  unsigned jobs = 1;
  const std::atomic<bool>* stop = nullptr;
  std::function<void(const StudyProgress&)> progress;  // of the simulation
};

/// The answer depends on the scenario, the request and the rows, never on `jobs`. The scenario must
/// pass check() and replay no trace. Throws TraceError for a sample that cannot be used.
[[nodiscard]] KeyAdvice advise(const Scenario& scenario, const AdviceRequest& request);

/// Candidates from the fields of a container, at most 24, the most obvious first; `also` among
/// them. None is there twice.
[[nodiscard]] std::vector<KeyLevels> key_candidates(const Scenario& scenario,
                                                    std::uint32_t container,
                                                    const std::vector<KeyLevels>& also);

/// Where writes go under the container's key at an instant: exact where the key has few enough
/// values, else by the first operations of the container's first client.
[[nodiscard]] KeyLoad key_load(const Scenario& scenario, std::uint32_t container,
                               std::int64_t unix_s);

/// The table for a key of one suffix. `counts` in rising order.
[[nodiscard]] std::optional<SuffixTable> suffix_table(const Scenario& scenario,
                                                      std::uint32_t container,
                                                      const KeyTemplate& key,
                                                      const std::vector<std::uint64_t>& counts,
                                                      std::uint64_t days);

}  // namespace partsim
