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

#include "attempt.hpp"
#include "recorder.hpp"
#include "second_meter.hpp"

namespace partsim {

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
