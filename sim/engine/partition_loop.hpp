/// The hot loop: one partition, up to a horizon. Private to the engine.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "partsim/core/histogram.hpp"
#include "partsim/core/timing_wheel.hpp"
#include "partsim/engine/engine.hpp"
#include "partsim/scenario/scenario.hpp"
#include "partsim/service/billing.hpp"
#include "partsim/service/capacity_budget.hpp"
#include "partsim/service/layout.hpp"
#include "partsim/service/service_time.hpp"
#include "partsim/workload/arrival.hpp"
#include "partsim/workload/expiry_queue.hpp"
#include "partsim/workload/fan_out.hpp"
#include "partsim/workload/retry.hpp"
#include "partsim/workload/storage_book.hpp"

namespace partsim {

/// A refused request that will be sent again.
struct WaitingRetry {
  Nanoseconds due_ns;
  std::uint64_t id;
  Nanoseconds first_send_ns;
  std::uint32_t charge_mru;
  std::uint32_t join;
  std::uint16_t plan;
  std::uint16_t request;
  std::uint16_t attempt;  // the number it will have
  std::uint16_t gone;     // how many of the earlier ones met a partition in its swap
};

/// What the loop must know of a client.
struct ClientRules {
  RetryPolicy retry;
  RngStream service;
  RngStream fan_out_service;
  std::uint64_t name_hash;
};

/// What the loop must know of an operation of a client.
struct PlanRules {
  const ServiceTime* service_time;
  ServiceTime::Kind service_kind;
  Bytes stored_bytes;
  AttemptClass admission;
  bool is_write = false;
  Nanoseconds round_trip_ns = 0;  // to another region
  StorageBook* book = nullptr;    // creates whose logical partitions are followed
  Nanoseconds ttl_ns = 0;         // creates whose items expire
  MilliRu delete_mru = 0;         // what deleting one costs
  std::uint32_t container = 0;
};

/// Counters of one client, in the counted window or (to be thrown away) before it.
struct AttemptTally {
  std::uint64_t attempts = 0;
  std::uint64_t throttled = 0;
  std::uint64_t gone = 0;
  std::uint64_t forbidden = 0;
  MilliRu consumed_mru = 0;
};

/// Ends of operations that were one request, of one client.
struct OperationTally {
  std::uint64_t succeeded = 0;
  std::uint64_t failed = 0;
  std::uint64_t unfinished = 0;  // answered only after the end of the run
  MilliRu succeeded_mru = 0;
  std::uint64_t service_ns = 0;
  std::uint64_t queue_ns = 0;
  std::uint64_t retry_wait_ns = 0;
};

/// Where a fan-out request ended; joined with its siblings at the horizon.
struct FanOutEnd {
  std::uint32_t join;
  RequestEnd end;
};

/// Everything partitions write that is not their own. One a thread; merged by adding.
struct Recorder {
  std::vector<AttemptTally> counted;    // one a client
  std::vector<AttemptTally> uncounted;  // likewise, before the warm-up ended
  std::vector<OperationTally> operations;
  std::vector<Histogram> latency_ns;
  std::vector<FanOutEnd> fan_out_ends;
  std::uint64_t digest = 0;
  std::uint64_t events = 0;
  // Both sides of Little's law over all requests: time in the system seen request by request, and
  // attempt by attempt. The engine insists that they are equal.
  std::uint64_t request_time_ns = 0;
  std::uint64_t attempt_time_ns = 0;
  std::uint64_t retries_scheduled = 0;
  std::vector<AttemptRecord>* log = nullptr;
};

struct SecondCell {
  std::uint32_t attempts = 0;
  std::uint32_t throttled = 0;
  MilliRu consumed_mru = 0;
};

/// What all partitions of a container share, resolved before the loop.
struct PartitionRules {
  const ClientRules* clients;
  const PlanRules* plans;
  Nanoseconds end_ns;  // of the run
  Nanoseconds warm_up_ns;
  Nanoseconds throttle_response_ns;
  Nanoseconds retry_after_min_ns;
  Nanoseconds retry_after_step_ns;
  MilliRu refusal_charge_mru;  // 0 unless refusals cost
  MilliRu cheapest_mru;        // no request costs less
  std::int64_t seconds_per_cell;
  bool traced;
  const ProviderParameters* parameters;
  const CapacityRules* capacity;  // nullptr: a plain share is all there is
  const WorkersSpec* workers;     // nullptr: none
  Bytes logical_max_bytes;        // of one logical partition; 0: no limit
  Bytes physical_max_bytes;       // of a container that cannot split; 0: no limit
  std::uint32_t regions;
  std::int64_t start_unix_s;
};

/// A partition's totals over the counted window.
struct PartitionTotals {
  std::uint64_t attempts = 0;
  std::uint64_t throttled = 0;
  MilliRu consumed_mru = 0;
  MilliRu peak_second_mru = 0;  // consumed in the second that used most of its share ...
  MilliRu peak_share_mru = 0;   // ... and that share
  MilliRu burst_mru = 0;
  MilliRu ttl_mru = 0;
  Bytes storage_bytes = 0;  // now, since time zero
};

class PartitionLoop {
 public:
  struct Setup {
    std::uint32_t id;
    Share share;
    Share even_share;  // of its pool; sizes the burst store
    const PartitionRules* rules;
    Nanoseconds born_ns;
    Bytes storage_bytes;
  };

  virtual ~PartitionLoop() = default;
  PartitionLoop() = default;
  PartitionLoop(const PartitionLoop&) = delete;
  PartitionLoop& operator=(const PartitionLoop&) = delete;

  /// Handles everything that happens before `horizon`: these arrivals, in order, and what waits.
  /// `counted` says whether this step lies in the counted window; it never straddles its begin.
  virtual void run_until(Nanoseconds horizon, std::span<const Arrival> arrivals, bool counted,
                         Recorder& recorder) = 0;
  /// Closes the second in progress; call once, after the last step.
  virtual void finish(bool counted) = 0;
  /// From the budget window that begins at `now` on.
  virtual void set_share(Nanoseconds now, const Share& share, const Share& even_share) = 0;
  /// From now on every attempt meets a partition that is gone.
  virtual void open_swap_window() = 0;
  /// Takes over a request of a parent that waits for its retry.
  virtual void adopt(const WaitingRetry& retry) = 0;
  /// Hands over everything that waits, in no particular order.
  [[nodiscard]] virtual std::vector<WaitingRetry> release_waiting() = 0;
  /// Runs what happens by itself before `now`: deletes of expired items.
  virtual void settle(Nanoseconds now) = 0;
  [[nodiscard]] virtual ExpiryQueue& expiring() noexcept = 0;
  /// What is billed since it was last asked; seconds before `now` are closed first.
  struct Billable {
    std::vector<MilliRu> highest_mru_per_s;  // mean use of a decision window, one a region
    MilliRu consumed_mru = 0;                // of reads where they are apart, else of everything
    MilliRu consumed_write_mru = 0;
  };
  [[nodiscard]] virtual Billable take_billable(Nanoseconds now, bool counted) = 0;
  /// Charge of all attempts since it was last asked: (reads, writes), or (all, 0).
  [[nodiscard]] virtual Share take_demand() = 0;
  /// The counted window begins: what the current second has used so far does not count for its
  /// peak.
  virtual void begin_counting() = 0;

  [[nodiscard]] virtual const PartitionTotals& totals() const noexcept = 0;
  [[nodiscard]] virtual const std::vector<SecondCell>& cells() const noexcept = 0;
  [[nodiscard]] virtual const TimingWheel<WaitingRetry>& waiting() const noexcept = 0;
};

/// The loop for the scenario's budget model and workers; the choice is made here, once.
[[nodiscard]] std::unique_ptr<PartitionLoop> make_partition_loop(const PartitionLoop::Setup& setup);

}  // namespace partsim
