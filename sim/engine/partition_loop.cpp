// The hot loop has a translation unit of its own, because its speed depends on what else the
// optimiser sees: the same source beside other code ran 40 % slower.
#include "partition_loop.hpp"

#include <algorithm>
#include <utility>

#include "partsim/core/assert.hpp"
#include "partsim/engine/attempt_digest.hpp"
#include "partsim/service/budget.hpp"
#include "partsim/service/workers.hpp"

namespace partsim {
namespace {

/// Rounds up to a multiple of a step by multiplying with the reciprocal: a 64-bit division per
/// refusal would be a tenth of the loop. The estimate is off by one at most, and mended.
class RoundUp {
 public:
  explicit RoundUp(Nanoseconds step) noexcept
      : step_(step), reciprocal_(1.0 / static_cast<double>(step)) {}
  [[nodiscard]] Nanoseconds operator()(Nanoseconds value) const noexcept {
    if (step_ == 1) {
      return value;
    }
    auto multiple = static_cast<Nanoseconds>(static_cast<double>(value) * reciprocal_) * step_;
    while (multiple < value) {
      multiple += step_;
    }
    while (multiple - step_ >= value) {
      multiple -= step_;
    }
    return multiple;
  }

 private:
  Nanoseconds step_;
  double reciprocal_;
};

/// One send of one request, first or repeated.
struct Attempt {
  Nanoseconds time_ns;
  std::uint64_t id;
  Nanoseconds first_send_ns;
  std::uint32_t charge_mru;
  std::uint32_t join;
  std::uint16_t plan;
  std::uint16_t request;
  std::uint32_t number;
};

Attempt from_arrival(const Arrival& a) noexcept {
  return {a.time_ns, a.id, a.time_ns, a.charge_mru, a.join, a.plan, a.request, 0};
}
Attempt from_retry(const WaitingRetry& w) noexcept {
  return {w.due_ns, w.id, w.first_send_ns, w.charge_mru, w.join, w.plan, w.request, w.attempt};
}

template <class Budget, class Workers, bool kTraced>
class Loop final : public PartitionLoop {
 public:
  explicit Loop(const Setup& setup)
      : rules_(*setup.rules),
        id_(setup.id),
        spec_{share_per_window(setup.share_mru_per_s, setup.parameters->throttle_window_ns),
              setup.parameters->throttle_window_ns, setup.parameters->throttled_charge_counts},
        budget_(spec_),
        workers_(setup.workers == nullptr ? WorkersSpec{} : *setup.workers),
        round_up_(rules_.retry_after_step_ns) {}

  void run_until(Nanoseconds horizon, std::span<const Arrival> arrivals, bool counted,
                 Recorder& recorder) override {
    recorder_ = &recorder;
    tallies_ = counted ? recorder.counted.data() : recorder.uncounted.data();
    const Arrival* arrival = arrivals.data();
    const Arrival* const last = arrival + arrivals.size();
    for (;;) {
      const Nanoseconds bound = arrival != last ? arrival->time_ns + 1 : horizon;
      Nanoseconds next = arrival != last ? arrival->time_ns : horizon;
      if (waiting_.load_before(bound)) {
        next = std::min(next, waiting_.front().due_ns);
      }
      if (next >= horizon) {
        break;
      }
      if (next >= second_end_) {
        close_second(next, counted);
      }
      budget_.advance(next);
      const Nanoseconds segment_end = std::min({horizon, second_end_, budget_.window_end_ns()});
      arrival = run_segment(arrival, last, segment_end);
    }
    if (counted) {
      count_open_second();
    }
  }

  void finish(bool counted) override { close_second(second_end_, counted); }

  void begin_counting() override { counted_from_ = second_; }

  [[nodiscard]] const PartitionTotals& totals() const noexcept override { return totals_; }
  [[nodiscard]] const std::vector<SecondCell>& cells() const noexcept override { return cells_; }
  [[nodiscard]] const TimingWheel<WaitingRetry>& waiting() const noexcept override {
    return waiting_;
  }

 private:
  struct Totals {
    std::uint64_t attempts = 0;
    std::uint64_t throttled = 0;
    MilliRu consumed_mru = 0;
  };

  /// Everything inside one budget window and one second, in order while the budget may still admit,
  /// in any order once it cannot. Returns the first arrival left.
  const Arrival* run_segment(const Arrival* arrival, const Arrival* last, Nanoseconds segment_end) {
    while (!budget_.exhausted(rules_.cheapest_mru)) {
      const bool has_arrival = arrival != last && arrival->time_ns < segment_end;
      const Nanoseconds bound = has_arrival ? arrival->time_ns + 1 : segment_end;
      if (waiting_.load_before(bound)) {
        const WaitingRetry& retry = waiting_.front();
        if (!has_arrival || retry.due_ns < arrival->time_ns ||
            (retry.due_ns == arrival->time_ns && retry.id < arrival->id)) {
          const Attempt attempt = from_retry(retry);
          waiting_.pop_front();
          handle(attempt);
          continue;
        }
      }
      if (!has_arrival) {
        return arrival;
      }
      handle(from_arrival(*arrival));
      ++arrival;
    }
    for (; arrival != last && arrival->time_ns < segment_end; ++arrival) {
      refuse(from_arrival(*arrival), AttemptOutcome::throttled);
    }
    waiting_.drain_before(segment_end, [this](const WaitingRetry& retry) {
      refuse(from_retry(retry), AttemptOutcome::throttled);
    });
    return arrival;
  }

  void handle(const Attempt& attempt) {
    PARTSIM_ASSERT(attempt.time_ns >= now_ns_, "a partition's clock never goes back");
    now_ns_ = attempt.time_ns;
    budget_.advance(attempt.time_ns);
    if (!budget_.admits(attempt.charge_mru)) {
      refuse(attempt, AttemptOutcome::throttled);
    } else if (workers_.full(attempt.time_ns)) {
      refuse(attempt, AttemptOutcome::queue_full);
    } else {
      admit(attempt);
    }
  }

  void admit(const Attempt& attempt) {
    budget_.take(attempt.charge_mru);
    const std::uint64_t operation = RequestId::operation(attempt.id);
    const ClientRules& client = rules_.clients[RequestId::client(attempt.id)];
    const PlanRules& plan = rules_.plans[attempt.plan];
    const bool is_fan_out = attempt.join != kNoJoin;
    const std::uint64_t draw = is_fan_out
                                   ? mix64(client.fan_out_service.draw(operation) +
                                           (std::uint64_t{attempt.request} + 1) * kGoldenGamma)
                                   : client.service.draw(operation);
    const Nanoseconds service =
        rules_.service_time->sample(draw, attempt.charge_mru, plan.service_kind);
    const Nanoseconds start = workers_.start_ns(attempt.time_ns);
    const Nanoseconds completion = start + service;
    workers_.occupy(completion);

    AttemptTally& tally = tallies_[RequestId::client(attempt.id)];
    ++tally.attempts;
    tally.consumed_mru += attempt.charge_mru;
    ++second_.attempts;
    second_.consumed_mru += attempt.charge_mru;
    largest_charge_mru_ = std::max<MilliRu>(largest_charge_mru_, attempt.charge_mru);
    totals_.storage_bytes += plan.stored_bytes;
    record(attempt, AttemptOutcome::admitted, completion);

    const Nanoseconds answered = std::min(completion, rules_.end_ns);
    recorder_->attempt_time_ns += static_cast<std::uint64_t>(answered - attempt.time_ns);
    recorder_->request_time_ns += static_cast<std::uint64_t>(answered - attempt.first_send_ns);
    if (completion >= rules_.end_ns) {
      leave_unfinished(attempt);
      return;
    }
    const RequestEnd end{completion,
                         service,
                         start - attempt.time_ns,
                         attempt.time_ns - attempt.first_send_ns,
                         attempt.charge_mru,
                         attempt.request,
                         true};
    if (is_fan_out) {
      recorder_->fan_out_ends.push_back({attempt.join, end});
    } else if (attempt.first_send_ns >= rules_.warm_up_ns) {
      succeed(RequestId::client(attempt.id), end, attempt.first_send_ns);
    }
  }

  /// The answer comes after the end of the run. A fan-out stays open in its table instead.
  void leave_unfinished(const Attempt& attempt) {
    if (attempt.join == kNoJoin && attempt.first_send_ns >= rules_.warm_up_ns) {
      ++recorder_->operations[RequestId::client(attempt.id)].unfinished;
    }
  }

  void succeed(std::uint32_t client, const RequestEnd& end, Nanoseconds first_send_ns) {
    OperationTally& tally = recorder_->operations[client];
    ++tally.succeeded;
    tally.succeeded_mru += end.charge_mru;
    tally.service_ns += static_cast<std::uint64_t>(end.service_ns);
    tally.queue_ns += static_cast<std::uint64_t>(end.queue_ns);
    tally.retry_wait_ns += static_cast<std::uint64_t>(end.retry_wait_ns);
    recorder_->latency_ns[client].add(static_cast<std::uint64_t>(end.end_ns - first_send_ns));
  }

  void refuse(const Attempt& attempt, AttemptOutcome outcome) {
    const Nanoseconds t = attempt.time_ns;
    const Nanoseconds ready =
        outcome == AttemptOutcome::throttled ? budget_.ready_ns(t, attempt.charge_mru) : t;
    if (outcome == AttemptOutcome::throttled && rules_.refusal_charge_mru > 0) {
      budget_.take(rules_.refusal_charge_mru);
    }
    const Nanoseconds known = t + rules_.throttle_response_ns;
    const Nanoseconds waited =
        t - attempt.first_send_ns -
        static_cast<Nanoseconds>(attempt.number) * rules_.throttle_response_ns;
    const std::uint32_t client = RequestId::client(attempt.id);
    const Nanoseconds wait = rules_.clients[client].retry.wait_ns(
        {RequestId::operation(attempt.id), attempt.number, attempt.request, attempt.join != kNoJoin,
         round_up_(std::max(rules_.retry_after_min_ns, ready - t)), waited});

    AttemptTally& tally = tallies_[client];
    ++tally.attempts;
    ++tally.throttled;
    ++second_.attempts;
    ++second_.throttled;
    if (wait < 0) {
      record(attempt, outcome, kNever);
      give_up(attempt, known);
      return;
    }
    const Nanoseconds due = known + wait;
    record(attempt, outcome, due);
    ++recorder_->retries_scheduled;
    recorder_->attempt_time_ns += static_cast<std::uint64_t>(std::min(due, rules_.end_ns) - t);
    waiting_.push({due, attempt.id, attempt.first_send_ns, attempt.charge_mru, attempt.join,
                   attempt.plan, attempt.request, attempt.number + 1});
  }

  void give_up(const Attempt& attempt, Nanoseconds known) {
    const Nanoseconds answered = std::min(known, rules_.end_ns);
    recorder_->attempt_time_ns += static_cast<std::uint64_t>(answered - attempt.time_ns);
    recorder_->request_time_ns += static_cast<std::uint64_t>(answered - attempt.first_send_ns);
    if (known >= rules_.end_ns) {
      leave_unfinished(attempt);
      return;
    }
    if (attempt.join != kNoJoin) {
      recorder_->fan_out_ends.push_back(
          {attempt.join, {known, 0, 0, 0, 0, attempt.request, false}});
    } else if (attempt.first_send_ns >= rules_.warm_up_ns) {
      ++recorder_->operations[RequestId::client(attempt.id)].failed;
    }
  }

  void record(const Attempt& attempt, AttemptOutcome outcome, Nanoseconds next) {
    const std::uint32_t client = RequestId::client(attempt.id);
    const AttemptRecord entry{attempt.time_ns,
                              RequestId::operation(attempt.id),
                              client,
                              id_,
                              attempt.number,
                              outcome,
                              attempt.charge_mru,
                              next};
    recorder_->digest += attempt_digest(entry, rules_.clients[client].name_hash);
    ++recorder_->events;
    if constexpr (kTraced) {
      recorder_->log->push_back(entry);
    }
  }

  /// Adds what the open second has gathered since it was last looked at to the counted totals.
  void count_open_second() {
    totals_.attempts += second_.attempts - counted_from_.attempts;
    totals_.throttled += second_.throttled - counted_from_.throttled;
    totals_.consumed_mru += second_.consumed_mru - counted_from_.consumed_mru;
    peak_mru_ += second_.consumed_mru - counted_from_.consumed_mru;
    counted_from_ = second_;
  }

  /// The clock has come to `now`, past the end of the open second.
  void close_second(Nanoseconds now, bool counted) {
    if (counted) {
      count_open_second();
    }
    PARTSIM_ASSERT(second_.consumed_mru <= Budget::grant_limit(spec_, largest_charge_mru_),
                   "a second never grants more than the budget, its store and one overdraft");
    totals_.peak_second_mru = std::max(totals_.peak_second_mru, peak_mru_);
    peak_mru_ = 0;
    if (second_.attempts > 0) {
      const auto cell =
          static_cast<std::size_t>((second_end_ / kSecond - 1) / rules_.seconds_per_cell);
      if (cells_.size() <= cell) {
        cells_.resize(cell + 1);
      }
      cells_[cell].attempts += static_cast<std::uint32_t>(second_.attempts);
      cells_[cell].throttled += static_cast<std::uint32_t>(second_.throttled);
      cells_[cell].consumed_mru += second_.consumed_mru;
    }
    second_ = {};
    counted_from_ = {};
    second_end_ = (now / kSecond + 1) * kSecond;
  }

  const PartitionRules& rules_;
  std::uint32_t id_;
  BudgetSpec spec_;
  Budget budget_;
  Workers workers_;
  RoundUp round_up_;
  TimingWheel<WaitingRetry> waiting_;

  Recorder* recorder_ = nullptr;
  AttemptTally* tallies_ = nullptr;
  Nanoseconds now_ns_ = 0;
  Nanoseconds second_end_ = kSecond;
  MilliRu largest_charge_mru_ = 0;
  Totals second_;         // the open second, from its begin
  Totals counted_from_;   // the part of it that is in totals_, or before the counted window
  MilliRu peak_mru_ = 0;  // counted part of the open second
  PartitionTotals totals_;
  std::vector<SecondCell> cells_;
};

template <class Budget, class Workers>
std::unique_ptr<PartitionLoop> make_traced(const PartitionLoop::Setup& setup) {
  if (setup.rules->traced) {
    return std::make_unique<Loop<Budget, Workers, true>>(setup);
  }
  return std::make_unique<Loop<Budget, Workers, false>>(setup);
}

template <class Budget>
std::unique_ptr<PartitionLoop> make_with_workers(const PartitionLoop::Setup& setup) {
  if (setup.workers == nullptr) {
    return make_traced<Budget, NoWorkers>(setup);
  }
  if (setup.workers->count == 1 && !setup.workers->queue_limit) {
    return make_traced<Budget, OneWorker>(setup);
  }
  return make_traced<Budget, ManyWorkers>(setup);
}

}  // namespace

std::unique_ptr<PartitionLoop> make_partition_loop(const PartitionLoop::Setup& setup) {
  switch (setup.parameters->throttle_model) {
    case ThrottleModel::window_debt:
      return make_with_workers<WindowDebtBudget>(setup);
    case ThrottleModel::window_strict:
      return make_with_workers<WindowStrictBudget>(setup);
    case ThrottleModel::token_bucket:
      break;
  }
  return make_with_workers<TokenBucketBudget>(setup);
}

}  // namespace partsim
