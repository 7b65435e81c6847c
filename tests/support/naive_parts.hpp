/// What the naive model is made of. Numbers of sections are those of docs/MODEL.md, or of
/// docs/WORKLOAD.md where a W stands before them.
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
inline constexpr auto kRefused = AttemptOutcome::refused;

struct Request : AttemptRecord {  // its latest attempt, or the one to come
  bool owns = false;              // at its partition lies the item
  Nanoseconds start_ns = 0;
  Nanoseconds known_ns = 0;              // when the latest attempt is answered
  std::optional<Nanoseconds> wait_ns{};  // after a refusal, if the policy tries again
  Nanoseconds end_ns = kNever;           // when it completed or failed
  Nanoseconds waited_ns = 0;
  std::uint32_t gone = 0;  // answers so far
  std::size_t record = 0;  // of the latest attempt
};

struct Operation {
  const ClientSpec* client = nullptr;
  const ContainerSpec* container = nullptr;
  Number number = 0;
  const OperationSpec* spec = nullptr;  // from here on known once it is planned
  Nanoseconds clock_ns = 0;             // what the item's clock shows
  Bytes size = 0;                       // of the item
  bool writes = false;
  std::int64_t adds = 0;     // items, and ...
  std::int64_t removes = 0;  // ... this many less
  bool refused = false;      // W5: whatever the partition says
  bool fan_out = false;      // even if only one partition is visited
  HashPoint point{};         // of the item's real key
  std::string key{};         // the same as text
  std::uint32_t home = 0;    // the partition that owned it when it was planned
  Nanoseconds sent_ns = kNever;
  bool ended = false;               // answered or timed out, as far as an interactive client knows
  std::vector<Request> requests{};  // in range order; none before it is sent
  [[nodiscard]] bool is(OperationKind kind) const { return spec->kind == kind; }
  /// W3: the last instant at which an answer counts.
  [[nodiscard]] Nanoseconds deadline_ns() const {
    return client->timeout_ns ? sent_ns + *client->timeout_ns : kNever;
  }
};

/// W2: what a client knows. Those that are not interactive send whatever is due.
struct ClientState {
  bool interactive = false;
  std::set<std::pair<Nanoseconds, Number>> waiting{};  // due, unsent
  std::set<Number> under_way{};
  std::int64_t tokens = 0;
  struct Seen {
    bool throttled = false;
    bool ended = false;
  };
  std::map<std::uint32_t, Seen> seen{};             // bulk: answers since the last look ...
  std::map<std::uint32_t, std::int64_t> degrees{};  // ... and degrees that a look has changed
};

/// W1: a stretch of time in which a rate is constant or a straight line.
struct Segment {
  Nanoseconds begin_ns = 0;
  Nanoseconds end_ns = 0;
  std::function<double(Nanoseconds)> rate;  // operations a nanosecond, also at the end
};

/// What happens at one instant, in this order: a bulk load looks back, state and windows change,
/// answers arrive, operations fall due, clients send, partitions are asked.
enum class Phase : std::uint8_t { look, boundary, answer, due, send, attempt };

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
  std::map<std::string, ClientState> clients{};
  std::map<std::pair<Number, double>, Zipf> zipfs{};
  /// The one queue: time, phase, then operation number, client and request as in section 6.
  std::set<std::tuple<Nanoseconds, Phase, Number, std::string, std::size_t>> queue{};

  // naive_model.cpp: the run, an attempt and its end
  NaiveResult run();
  void happen(Phase phase, Number number, const std::string& name, std::size_t r);
  void begin_instant();
  void handle(Operation& op, std::size_t r);
  [[nodiscard]] AttemptOutcome judge(const Operation& op, const Partition& partition, bool ready,
                                     std::size_t unfinished) const;
  void count(const Operation& op, Request& request, Partition& partition);
  [[nodiscard]] Nanoseconds round_trip(const Operation& op) const;
  [[nodiscard]] Nanoseconds service_time(const Operation& op, MilliRu charge, std::size_t r);
  [[nodiscard]] std::optional<Nanoseconds> retry_wait(const Operation& op, std::size_t r,
                                                      Nanoseconds until_ready) const;
  void finish(const Operation& op, ClientResult& client) const;

  // naive_arrivals.cpp: when operations fall due (sections 2 and W1)
  void begin_open(const ClientSpec& client);
  [[nodiscard]] std::vector<Nanoseconds> rate_cuts(const OpenLoop& loop) const;
  [[nodiscard]] std::vector<Segment> segments(const OpenLoop& loop) const;
  void begin_at_rates(const ClientSpec& client, const OpenLoop& loop);

  // naive_clients.cpp: clients that wait for answers (W2 and W3)
  void begin_client(const ClientSpec& client);
  void fall_due(const ClientSpec& client, Number number, Nanoseconds at_ns);
  void send_due(const ClientSpec& client);
  void send(Operation& op);
  void send_bulk(const ClientSpec& client);
  void look(const ClientSpec& client);
  [[nodiscard]] std::int64_t degree(const ClientState& state, std::uint32_t partition) const;
  [[nodiscard]] std::uint32_t owner(std::uint32_t partition, const HashPoint& point) const;
  void answer(Operation& op, std::size_t r);
  [[nodiscard]] bool quota_allows(ClientState& state, const Operation& op, std::size_t r) const;
  void end_operation(Operation& op);

  // naive_items.cpp: items and keys (sections 1, 3, W5 and W6)
  [[nodiscard]] Number draw(const Operation& op, const std::string& purpose, Number slot = 0) const;
  void plan(Operation& op, Nanoseconds at_ns);
  [[nodiscard]] Nanoseconds clock_of(const Operation& op, Nanoseconds at_ns) const;
  [[nodiscard]] Bytes size_of(const Operation& op) const;
  [[nodiscard]] Number choose(const ChoiceLaw& law, Number count, Number random);
  [[nodiscard]] Number index_of(const Operation& op, const FieldSpec& field);
  [[nodiscard]] KeyComponent field_value(const Operation& op, const std::string& name);
  [[nodiscard]] KeyParts key_parts(const ContainerSpec& container, const KeySource& source) const;
  [[nodiscard]] KeyParts item_key(const Operation& op);

  // naive_operations.cpp: routes, charges (sections 4, 5 and W5)
  using Visits = std::map<HashPoint, std::int64_t>;  // the least key of a partition, its weight
  void route(Operation& op);
  void visit(const Operation& op, const KeyParts& key, std::size_t levels, Visits& visits) const;
  void visit_candidates(const Operation& op, KeyParts key, Visits& visits) const;
  [[nodiscard]] MilliRu write_charge(const Operation& op) const;
  [[nodiscard]] MilliRu read_charge(const Operation& op, std::int64_t matches,
                                    std::int64_t returned) const;
  void charge(Operation& op, const Visits& visits, const Visits& home);

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
  void store(const Operation& op);
  [[nodiscard]] Bytes stored_size(const Operation& op) const;
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
