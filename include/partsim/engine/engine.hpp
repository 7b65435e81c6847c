/// The loop: a scenario in, a result out. Pure: no I/O, no clock, no globals.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <vector>

#include "partsim/metrics/run_result.hpp"
#include "partsim/scenario/scenario.hpp"
#include "partsim/workload/trace_rows.hpp"

namespace partsim {

/// Gone: the partition was in the swap of its split. Forbidden: the logical partition is full.
/// Refused: a transaction over several logical partitions.
enum class AttemptOutcome : std::uint8_t {
  admitted,
  throttled,
  queue_full,
  gone,
  forbidden,
  refused
};

/// One send of one request, for tests and traces.
struct AttemptRecord {
  Nanoseconds time_ns;
  std::uint64_t operation;  // number within its client
  std::uint32_t client;     // index into Scenario::clients
  std::uint32_t partition;
  std::uint32_t attempt;  // 0 for the first send
  AttemptOutcome outcome;
  MilliRu charge_mru;
  /// Admitted: when the answer arrives. Otherwise: when the request is sent again, or kNever.
  Nanoseconds next_ns;
  [[nodiscard]] auto operator<=>(const AttemptRecord&) const = default;
};

struct RunOptions {
  /// Set from a signal handler; the run ends at the next block with `partial` set.
  const std::atomic<bool>* stop = nullptr;
  /// Called between blocks with the simulated time reached and the attempts handled so far.
  std::function<void(Nanoseconds, std::uint64_t)> progress;
  /// Filled with every attempt, in no particular order, if given.
  std::vector<AttemptRecord>* attempts = nullptr;
  /// Where the rows come from of clients that replay a trace; needed if there are any. What it
  /// throws, run() throws.
  TraceOpener open_trace;
};

/// `scenario` must pass check() (scenario/check.hpp).
[[nodiscard]] RunResult run(const Scenario& scenario, const RunOptions& options = {});

/// The version of the model's rules; a digest may only change when this does.
inline constexpr int kModelVersion = 1;

}  // namespace partsim
