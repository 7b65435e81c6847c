/// What the loops know of clients and operations, and what they write down. Private to the engine.
#pragma once

#include <cstdint>
#include <vector>

#include "partsim/core/histogram.hpp"
#include "partsim/engine/engine.hpp"
#include "partsim/metrics/latency_series.hpp"
#include "partsim/scenario/scenario.hpp"
#include "partsim/service/capacity_budget.hpp"
#include "partsim/service/service_time.hpp"
#include "partsim/workload/fan_out.hpp"
#include "partsim/workload/retry.hpp"
#include "partsim/workload/storage_book.hpp"
#include "partsim/workload/stored_bytes.hpp"

#include "answer.hpp"

namespace partsim {

/// What the loop must know of a client.
struct ClientRules {
  RetryPolicy retry;
  RngStream service;
  RngStream fan_out_service;
  std::uint64_t name_hash;
  bool waits_for_answers = false;   // it decides itself what follows a refusal
  Nanoseconds timeout_ns = kNever;  // after its first send an operation without an answer failed
};

/// What the loop must know of an operation of a client.
struct PlanRules {
  const ServiceTime* service_time;
  ServiceTime::Kind service_kind;
  Bytes stored_bytes = 0;                // what an admitted request adds ...
  const StoredBytes* varying = nullptr;  // ... if it is not different each time, or taken away
  bool is_searching = false;             // only the owner of the item adds or takes
  AttemptClass admission;
  bool is_write = false;
  bool is_refused = false;        // the service cannot run it: 400
  Nanoseconds round_trip_ns = 0;  // to another region
  StorageBook* book = nullptr;    // writes whose logical partitions are followed
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
  std::uint64_t refused = 0;
  MilliRu consumed_mru = 0;
};

/// Ends of operations that were one request, of one client.
struct OperationTally {
  std::uint64_t succeeded = 0;
  std::uint64_t failed = 0;
  std::uint64_t timed_out = 0;   // of the failed
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
  LatencyOverTime latency_over_time;
  std::vector<FanOutEnd> fan_out_ends;
  std::vector<Answer> answers;  // to clients that wait for them
  std::uint64_t digest = 0;
  std::uint64_t events = 0;
  // Both sides of Little's law over all requests: time in the system seen request by request, and
  // attempt by attempt. The engine insists that they are equal.
  std::uint64_t request_time_ns = 0;
  std::uint64_t attempt_time_ns = 0;
  std::uint64_t retries_scheduled = 0;
  std::vector<AttemptRecord>* log = nullptr;

  /// An operation of the counted window ended well.
  [[gnu::always_inline]] void succeed(std::uint32_t client, const RequestEnd& end,
                                      Nanoseconds first_send_ns) {
    OperationTally& tally = operations[client];
    ++tally.succeeded;
    tally.succeeded_mru += end.charge_mru;
    tally.service_ns += static_cast<std::uint64_t>(end.service_ns);
    tally.queue_ns += static_cast<std::uint64_t>(end.queue_ns);
    tally.retry_wait_ns += static_cast<std::uint64_t>(end.retry_wait_ns);
    const auto latency = static_cast<std::uint64_t>(end.end_ns - first_send_ns);
    latency_ns[client].add(latency);
    latency_over_time.add(first_send_ns, latency);
  }
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
  const ProviderParameters* parameters;
  const CapacityRules* capacity;  // nullptr: a plain share is all there is
  const WorkersSpec* workers;     // nullptr: none
  Bytes logical_max_bytes;        // of one logical partition; 0: no limit
  Bytes physical_max_bytes;       // of a container that cannot split; 0: no limit
  std::uint32_t regions;
  std::int64_t start_unix_s;
};

}  // namespace partsim
