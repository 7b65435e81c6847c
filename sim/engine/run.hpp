/// One run at work: clients, pools and partitions, and the clock that drives them. Private to the
/// engine.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <queue>
#include <span>
#include <utility>
#include <vector>

#include "partsim/engine/engine.hpp"
#include "partsim/service/pool.hpp"
#include "partsim/workload/client_source.hpp"
#include "partsim/workload/pacer.hpp"
#include "partsim/workload/storage_book.hpp"
#include "partsim/workload/trace_feed.hpp"

#include "attempt_book.hpp"
#include "partition_loop.hpp"

namespace partsim {

/// A container at work.
struct ContainerState {
  ContainerState(const ContainerSpec& spec, const Layout& layout, const Scenario& scenario)
      : router(spec, layout, scenario.start_unix_s), service_time(spec, scenario.parameters) {}

  Router router;
  ServiceTime service_time;
  std::unique_ptr<StorageBook> book;  // if its logical partitions are followed
};

/// A pool at work.
struct PoolState {
  std::unique_ptr<Pool> pool;
  PartitionRules rules{};
  CapacityRules capacity;
  std::unique_ptr<HourlyBill> bill;
  std::vector<LaneUse> retired_lanes;  // of the hour in progress
  MilliRu consumed_in_hour_mru = 0;
  MilliRu consumed_in_hour_write_mru = 0;
  Share retired_demand;  // of partitions that split or merged since demand was last looked at
  Share peak;  // on demand: the most that was asked for in a second of the window in progress
  bool tracks_storage = false;
  bool refuses = false;  // some operations of its clients cannot run here at all
  Nanoseconds next_storage_check_ns = kNever;
  Bytes largest_create_bytes = 0;
  MilliRu cheapest_create_mru = kNever;
};

/// A physical partition, alive or retired.
struct PartitionState {
  std::unique_ptr<PartitionLoop> loop;
  std::uint32_t pool = 0;
  HashRange range;
  std::optional<std::uint32_t> parent;
  Nanoseconds born_ns = 0;
  Nanoseconds retired_ns = kNever;
  Share share;
  Share store;  // sizes its burst store
  bool swapping = false;
  bool single_key_full = false;
  std::int64_t hot_since_s = -1;  // second from which it was near its limit without a break
  /// (from, RU/s): what its share was.
  std::vector<std::pair<Nanoseconds, MilliRu>> shares;
};

/// A client that waits for answers, between its decisions.
struct Agent {
  std::unique_ptr<Pacer> pacer;  // none: its operations come as those of an open loop
  std::uint32_t most_under_way = UINT32_MAX;
  std::uint32_t under_way = 0;
  std::deque<std::uint64_t> waiting;  // operations, for a place
  std::uint32_t tokens = 0;           // of its quota of retries
};
/// Whether what a client does next follows from the answers it gets.
[[nodiscard]] bool waits_for_answers(const ClientSpec& client) noexcept;

class Run : private PoolHost {
 public:
  Run(const Scenario& scenario, const RunOptions& options);
  RunResult execute();

 private:
  // set-up
  void set_up_pools();
  void set_up_containers();
  void set_up_clients();
  void open_traces();
  void set_up_rules();
  void open_partitions();
  void start_partition(std::uint32_t id, Bytes storage_bytes, Nanoseconds now);
  [[nodiscard]] bool follows_storage(const PoolSpec& pool) const;
  [[nodiscard]] bool needs_capacity_rules(const PoolState& state) const;

  // the loop
  [[nodiscard]] Nanoseconds step_length_ns() const;
  void step(Nanoseconds horizon);
  void merge_runs();
  void scatter();
  void join_fan_outs();

  // traces
  [[nodiscard]] Nanoseconds trace_horizon_ns();
  void sweep_traces();
  [[nodiscard]] std::vector<std::uint64_t> live_rows(std::uint32_t client) const;

  // clients that wait for answers
  void set_up_agents();
  [[nodiscard]] Nanoseconds least_answer_ns(std::uint32_t client) const;
  [[nodiscard]] Nanoseconds interaction_horizon_ns();
  void interact_before(Nanoseconds horizon);
  void send(std::uint32_t client, Nanoseconds now);
  void hear(const Answer& answer);
  void operation_ended(const Answer& answer);
  [[nodiscard]] Nanoseconds wait_after(const Answer& answer) const;
  void decide(const Answer& answer);
  [[nodiscard]] AttemptBook book_of(const Answer& answer);
  void look_before_control();
  void send_after_control(bool layout_changed);
  void take_answers();
  void leave_unheard();

  // control points
  [[nodiscard]] Nanoseconds next_control_ns() const;
  void control();
  void finish_due();
  void obey_timeline();
  void open_swap_windows();
  void adapt(PoolState& state);
  void watch_heat(PoolState& state, const Share& limit,
                  const std::vector<std::pair<std::uint32_t, Share>>& use);
  void follow_demand(PoolState& state);
  void check_storage();
  void plan_storage_checks();
  [[nodiscard]] Nanoseconds next_storage_check(const PoolState& state) const;
  void sync_shares(PoolState& state, bool to_budgets);
  void retire(const PoolPartition& last, Nanoseconds now);
  [[nodiscard]] std::uint32_t holder_of(const WaitingRetry& retry, std::uint32_t partition);
  [[nodiscard]] std::uint32_t home_of(std::uint32_t client, std::uint64_t operation,
                                      Nanoseconds sent_ns);
  void move_waiting(std::uint32_t from);
  [[nodiscard]] std::vector<StorageBook::Key> keys_in(const PoolState& state,
                                                      const HashRange& range);

  // PoolHost
  std::uint64_t next_order() override { return orders_++; }
  std::uint32_t new_partition() override;
  [[nodiscard]] Bytes stored_bytes(std::uint32_t partition) const override;
  [[nodiscard]] std::optional<HashPoint> data_median(std::uint32_t partition,
                                                     const HashRange& range) override;
  void split(const PoolPartition& parent, std::uint32_t lower, std::uint32_t upper,
             Nanoseconds now) override;
  void merge(const PoolPartition& lower, const PoolPartition& upper, std::uint32_t child,
             Nanoseconds now) override;
  void record(LayoutEvent event) override;

  // money
  void close_hour(PoolState& state, Nanoseconds begin);
  void take_lanes(std::uint32_t partition, Nanoseconds hour_begin, PoolState& state,
                  std::vector<LaneUse>& lanes);

  // results
  [[nodiscard]] RunResult result();
  void count_in_flight(std::vector<ClientResult>& clients) const;
  [[nodiscard]] std::vector<ClientResult> client_results() const;
  [[nodiscard]] std::vector<PartitionResult> partition_results() const;
  [[nodiscard]] LoadSeries series() const;
  [[nodiscard]] std::vector<HotKey> hot_keys();
  [[nodiscard]] std::vector<LargeKey> large_keys();
  [[nodiscard]] Cost cost();
  void check_identities(const RunResult& result) const;

  const Scenario& scenario_;
  const RunOptions& options_;
  std::vector<PoolState> pools_;
  std::vector<std::unique_ptr<ContainerState>> containers_;
  std::vector<std::uint32_t> pool_of_container_;
  std::vector<OperationPlan> plans_;  // of all clients, in client order
  std::vector<StoredBytes> stored_;   // by each of them
  std::vector<PlanRules> plan_rules_;
  std::vector<ClientRules> client_rules_;
  std::vector<std::unique_ptr<TraceFeed>> feeds_;  // one a client; only of those with a trace
  std::vector<ClientSource> sources_;
  std::vector<KeyStreams> key_streams_;     // one a client
  std::vector<PartitionState> partitions_;  // by id
  std::vector<std::uint32_t> alive_;        // ids, in order
  std::vector<MilliRu> demand_mru_;         // one a partition
  FanOutTable fan_outs_;
  Recorder recorder_;
  std::vector<LayoutEvent> layout_events_;
  std::size_t next_timeline_ = 0;
  Nanoseconds next_adapt_ns_ = kNever;
  bool layout_changed_ = false;
  std::uint64_t orders_ = 0;
  Nanoseconds hour_begin_ns_ = 0;

  std::vector<Agent> agents_;             // one a client
  std::vector<Nanoseconds> next_act_ns_;  // when each acts by itself
  Nanoseconds least_answer_ns_ = kNever;  // kNever: nobody waits for answers
  AnswerQueue answers_;
  std::priority_queue<Nanoseconds, std::vector<Nanoseconds>, std::greater<>> retries_due_ns_;
  std::vector<Arrival> interactive_;  // first sends of these clients, of one step
  SendList send_list_;                // scratch
  std::vector<std::pair<std::uint32_t, SendList>> looked_;  // by client, at a control point

  std::vector<Arrival> arrivals_;  // of one step; first one run a client, then merged
  std::vector<std::size_t> run_ends_;
  std::vector<Arrival> merged_;
  std::vector<Arrival> binned_;  // by partition
  std::vector<std::size_t> bin_begin_;
  std::uint64_t requests_sent_ = 0;
  Nanoseconds now_ns_ = 0;
};

}  // namespace partsim
