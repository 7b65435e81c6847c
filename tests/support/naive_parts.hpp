/// What the naive model is made of. Numbers of sections are those of docs/MODEL.md.
#pragma once

#include <array>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "partsim/core/distribution.hpp"
#include "partsim/core/rng.hpp"

#include "support/naive_model.hpp"

namespace partsim::naive {

__extension__ using Wide = __int128;
using Number = std::uint64_t;
/// Throughput, or one charge: [0] of reads, [1] of writes; all in [0] unless they are bought apart.
using Units = std::array<MilliRu, 2>;
using KeyParts = std::map<std::size_t, std::vector<KeyComponent>>;  // by level

inline constexpr auto kGone = static_cast<AttemptOutcome>(3);
inline constexpr auto kForbidden = static_cast<AttemptOutcome>(4);

struct Request : AttemptRecord {  // its latest attempt, or the one to come
  Nanoseconds start_ns = 0;
  Nanoseconds end_ns = kNever;  // when it completed or failed
  Nanoseconds waited_ns = 0;
  std::uint32_t gone = 0;  // answers so far
};

struct Operation {
  const ClientSpec* client = nullptr;
  const ContainerSpec* container = nullptr;
  const OperationSpec* spec = nullptr;
  Number number = 0;
  Nanoseconds sent_ns = 0;
  bool fan_out = false;             // even if only one partition is visited
  HashPoint point{};                // of the item's real key
  std::string key{};                // the same as text
  std::vector<Request> requests{};  // in range order; none before it is sent
  [[nodiscard]] bool is(OperationKind kind) const { return spec->kind == kind; }
};

struct Pool {
  ThroughputSpec bought;
  bool shared = false;
  std::vector<const ContainerSpec*> containers{};
  Units total{};
  MilliRu highest_mru = 0;
  bool custom = false;  // shares go by weight
  struct Scaling {
    MilliRu total_mru = 0;
    std::int64_t partitions = 0;
    std::int64_t rounds = 0;
    std::int64_t round = 0;
    Nanoseconds begin_ns = 0;
    LayoutCause cause = LayoutCause::throughput;
  };
  std::optional<Scaling> scaling{};
};

/// Sections 6 and 12: one region's budget of a partition.
struct Budget {
  Wide level = 0;  // the balance: mRU times window
  Nanoseconds filled_ns = 0;
  Wide spent = 0;  // by this window, in mRU
  Wide store = 0;  // RU per minute, in mRU
  std::map<std::pair<const ContainerSpec*, std::uint32_t>, Wide> buckets{};  // spent by each
};

struct Partition : PartitionResult {
  std::size_t pool = 0;
  HashRange range;
  Units share{};
  MilliRu weight = 0;
  Bytes old_bytes = 0;                           // that belong to no key
  Units asked{};                                 // since adaptive capacity looked last
  std::vector<std::array<Budget, 2>> budgets{};  // by region; for reads and for writes
  std::map<const ContainerSpec*, std::multiset<Nanoseconds>> unfinished{};  // by completion
  std::vector<std::uint32_t> heirs{};                                       // once retired
};

/// A split or a merge in progress.
struct Change {
  /// `left_over`: of a round whose scaling was done before it.
  enum class Why : std::uint8_t { round, left_over, storage, redistribution, merge };
  Why why = Why::round;
  std::size_t pool = 0;
  std::vector<std::uint32_t> going{};  // a merge: pairs, from the lowest range on
  HashPoint cut{};
  Nanoseconds end_ns = 0;
  MilliRu target_mru = 0;  // redistribution: what both children get
};

struct LogicalPartition {
  HashPoint point;
  Bytes bytes = 0;
};

/// What the parts of a key are filled with: the value of a field, the number of a random part.
struct KeySource {
  std::function<KeyComponent(const std::string&)> field;
  std::function<Number(std::size_t, std::size_t, const RandomSuffix&)> random;
};

struct Model {
  Scenario scenario;
  const ProviderParameters& rules = scenario.parameters;
  const Nanoseconds window = rules.throttle_window_ns;
  const Nanoseconds period = std::max(kSecond, window);  // of storage checks and adaptation
  const bool units_apart = rules.read_unit_bytes > 0 && rules.write_unit_bytes > 0;
  LogNormal read_time{double(rules.read_latency_p50_ns), double(rules.read_latency_p99_ns)};
  LogNormal write_time{double(rules.write_latency_p50_ns), double(rules.write_latency_p99_ns)};
  NaiveResult result{};
  Nanoseconds now = 0;
  std::vector<Pool> pools{};
  std::deque<Partition> partitions{};
  std::vector<Change> changes{};  // in the order in which they were begun
  std::map<std::pair<const ContainerSpec*, std::string>, LogicalPartition> keys{};
  std::map<std::pair<std::string, Number>, Operation> operations{};  // by client and number
  std::map<std::pair<Number, double>, Zipf> zipfs{};
  std::set<std::tuple<Nanoseconds, Number, std::string, std::size_t>> queue{};  // as in section 6

  // naive_model.cpp: the run, an attempt and its end
  NaiveResult run();
  void begin_instant();
  void create_operations(const ClientSpec& client);
  void handle(Operation& op, std::size_t r);
  void count(const Operation& op, const Request& request, Partition& partition);
  [[nodiscard]] Nanoseconds round_trip(const Operation& op) const;
  [[nodiscard]] Nanoseconds service_time(const Operation& op, MilliRu charge, std::size_t r);
  [[nodiscard]] std::optional<Nanoseconds> retry_wait(const Operation& op, std::size_t r,
                                                      Nanoseconds until_ready) const;
  void send_again(Operation& op, std::size_t r, Nanoseconds until_ready);
  void finish(const Operation& op, ClientResult& client) const;

  // naive_operations.cpp: keys, routes, charges (sections 1 to 5)
  [[nodiscard]] Number draw(const Operation& op, const std::string& purpose, Number slot = 0) const;
  [[nodiscard]] Number choose(const ChoiceLaw& law, Number count, Number random);
  [[nodiscard]] KeyComponent field_value(const Operation& op, const std::string& name);
  [[nodiscard]] KeyParts key_parts(const ContainerSpec& container, const KeySource& source) const;
  void route(Operation& op);
  void charge(Operation& op, const std::map<HashPoint, std::int64_t>& visits,
              const std::map<HashPoint, std::int64_t>& matching);

  // naive_budget.cpp: what a partition may spend (sections 6, 12, 13 and 14)
  struct Limits {
    Wide share = 0;  // per window, like all here: mRU
    Wide full = 0;   // the most that can be saved
    Wide peak = 0;   // the most that can be spent
    bool burst = false;
    bool by_minute = false;
    Wide store = 0;
  };
  [[nodiscard]] Limits limits(const Partition& partition, std::size_t kind) const;
  [[nodiscard]] bool is_minute() const;
  void begin_window(Partition& partition);
  void fill(Budget& budget, const Limits& most) const;
  [[nodiscard]] Wide bucket_cap(const Limits& most, const ContainerSpec* container,
                                std::uint32_t bucket) const;
  [[nodiscard]] Nanoseconds ready_at(const Budget& budget, const Limits& most, const Operation& op,
                                     MilliRu charge) const;
  [[nodiscard]] Nanoseconds budget_ready(const Budget& budget, const Limits& most,
                                         MilliRu charge) const;
  void pay(Budget& budget, const Operation& op, MilliRu charge) const;
  void take(Budget& budget, MilliRu charge) const;

  // naive_layout.cpp: partitions, splits and merges (sections 4 and 10)
  void create_pool(Pool pool);
  void control();
  [[nodiscard]] Nanoseconds up(Nanoseconds t) const { return (t + window - 1) / window * window; }
  [[nodiscard]] std::size_t pool_of(const ContainerSpec& container) const;
  [[nodiscard]] bool is_fixed(std::size_t pool) const;
  [[nodiscard]] std::vector<std::uint32_t> alive(std::size_t pool) const;  // by id
  [[nodiscard]] std::vector<std::uint32_t> by_range(std::size_t pool) const;
  [[nodiscard]] std::int64_t in_progress(std::size_t pool, std::set<Change::Why> why) const;
  [[nodiscard]] bool is_changing(std::uint32_t partition) const;
  Partition& add_partition(std::size_t pool, const HashRange& range,
                           const std::vector<std::uint32_t>& parents);
  [[nodiscard]] Units even_share(std::size_t pool, std::uint32_t partition) const;
  void weigh_by_share(std::size_t pool);
  void set_total(std::size_t pool, MilliRu total_mru);
  void share_out(std::size_t pool);
  bool begin_split(std::uint32_t partition, Change change, SplitCut cut_by);
  void begin_merge(std::size_t pool);
  void end_change(const Change& change);
  void end_split(const Change& change);
  void end_merge(const Change& change);
  [[nodiscard]] LayoutEvent event(LayoutEventKind kind, LayoutCause cause, std::size_t pool,
                                  const std::vector<std::uint32_t>& before) const;
  void log(LayoutEvent event, std::size_t pool, const std::vector<std::uint32_t>& after);
  void refuse(LayoutCause cause, std::size_t pool, const std::string& reason);

  // naive_scaling.cpp: throughput set, redistributed, adapted (sections 10 and 13)
  [[nodiscard]] MilliRu minimum(std::size_t pool) const;
  void set_throughput(std::size_t pool, MilliRu total_mru, LayoutCause cause);
  void scale_on(std::size_t pool);
  void scale_done(std::size_t pool, MilliRu total_mru, LayoutCause cause);
  void redistribute(std::size_t pool, const std::vector<Redistribute::Target>& targets);
  void adapt(std::size_t pool);

  // naive_storage.cpp (section 11)
  void load(std::size_t pool, const ContainerSpec& container);
  void store(const Operation& op, Partition& partition);
  [[nodiscard]] Bytes stored_size(const ContainerSpec& container) const;
  [[nodiscard]] bool is_full(const Operation& op, const Partition& partition) const;
  [[nodiscard]] Bytes old_below(const Partition& partition, const HashPoint& point) const;
  [[nodiscard]] std::optional<HashPoint> cut(const Partition& partition, SplitCut cut_by) const;
  void check_storage(std::size_t pool);
};

[[nodiscard]] std::string text_of(const KeyComponent& value);
[[nodiscard]] const FieldSpec& field_of(const ContainerSpec& container, const std::string& name);
/// The value of that rank of a field that has ranks.
[[nodiscard]] KeyComponent value_at(const FieldSpec& field, Number index);
/// The first levels of a key: joined parts, or the one value with its type.
[[nodiscard]] std::vector<KeyComponent> key_of(const KeyParts& parts, std::size_t levels);
/// A key as text; different keys, different texts.
[[nodiscard]] std::string identity(const std::vector<KeyComponent>& key);
[[nodiscard]] inline MilliRu sum(const Units& units) {
  return units[0] + units[1];
}

}  // namespace partsim::naive
