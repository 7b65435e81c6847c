// The hot loop has a translation unit of its own, because its speed depends on what else the
// optimiser sees: the same source beside other code ran 40 % slower.
#include "partition_loop.hpp"

#include <algorithm>
#include <type_traits>
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
  std::uint16_t number;
  std::uint16_t gone;
};

Attempt from_arrival(const Arrival& a) noexcept {
  return {a.time_ns, a.id, a.time_ns, a.charge_mru, a.join, a.plan, a.request, 0, 0};
}
Attempt from_retry(const WaitingRetry& w) noexcept {
  return {w.due_ns, w.id,      w.first_send_ns, w.charge_mru, w.join,
          w.plan,   w.request, w.attempt,       w.gone};
}

template <class Budget, class Workers, bool kTraced>
class Loop final : public PartitionLoop {
 public:
  explicit Loop(const Setup& setup)
      : rules_(*setup.rules),
        id_(setup.id),
        budget_(make_budget(setup)),
        workers_(rules_.workers == nullptr ? WorkersSpec{} : *rules_.workers),
        round_up_(rules_.retry_after_step_ns),
        share_mru_(setup.share.total_mru_per_s + setup.share.write_mru_per_s),
        second_share_mru_(share_mru_),
        second_end_((setup.born_ns / kSecond + 1) * kSecond),
        use_(rules_.regions, DecisionWindows(rules_.parameters->autoscale_decision_window_s)) {
    totals_.storage_bytes = setup.storage_bytes;
  }

  void run_until(Nanoseconds horizon, std::span<const Arrival> arrivals, bool counted,
                 Recorder& recorder) override {
    recorder_ = &recorder;
    tallies_ = counted ? recorder.counted.data() : recorder.uncounted.data();
    const Arrival* arrival = arrivals.data();
    const Arrival* const last = arrival + arrivals.size();
    if (gone_) {
      run_gone(arrival, last, horizon, counted);
    }
    while (!gone_) {
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
      advance_budget(next);
      const Nanoseconds segment_end = std::min({horizon, second_end_, budget_.window_end_ns()});
      arrival = run_segment(arrival, last, segment_end);
    }
    if (counted) {
      count_open_second();
    }
  }

  void finish(bool counted) override { close_second(second_end_, counted); }

  void begin_counting() override {
    counted_from_ = second_;
    if constexpr (!kPlain) {
      budget_.begin_counting();
    }
  }

  void set_share(Nanoseconds now, const Share& share, const Share& even_share) override {
    share_mru_ = share.total_mru_per_s + share.write_mru_per_s;
    second_share_mru_ = now >= second_end_ ? share_mru_ : std::max(second_share_mru_, share_mru_);
    if constexpr (kPlain) {
      budget_.set_share(
          now, share_per_window(share.total_mru_per_s, rules_.parameters->throttle_window_ns));
      static_cast<void>(even_share);
    } else {
      budget_.set_share(now, share, even_share);
    }
  }

  void settle(Nanoseconds now) override {
    if (!expiring_.empty()) {
      advance_budget(now - 1);
    }
  }
  ExpiryQueue& expiring() noexcept override { return expiring_; }

  void open_swap_window() override { gone_ = true; }
  void adopt(const WaitingRetry& retry) override { waiting_.push(retry); }
  std::vector<WaitingRetry> release_waiting() override {
    std::vector<WaitingRetry> all;
    waiting_.for_each([&all](const WaitingRetry& retry) { all.push_back(retry); });
    waiting_ = {};
    return all;
  }
  Billable take_billable(Nanoseconds now, bool counted) override {
    if (second_end_ <= now) {
      close_second(now, counted);
    }
    Billable taken = billable_;
    billable_ = {};
    for (DecisionWindows& use : use_) {
      taken.highest_mru_per_s.push_back(use.take_highest());
    }
    return taken;
  }
  Share take_demand() override {
    if constexpr (kPlain) {
      return {};
    } else {
      return budget_.demanded();
    }
  }

  [[nodiscard]] const PartitionTotals& totals() const noexcept override { return totals_; }
  [[nodiscard]] const std::vector<SecondCell>& cells() const noexcept override { return cells_; }
  [[nodiscard]] const TimingWheel<WaitingRetry>& waiting() const noexcept override {
    return waiting_;
  }

 private:
  static constexpr bool kPlain = !std::is_same_v<Budget, CapacityBudget>;

  static Budget make_budget(const Setup& setup) {
    const ProviderParameters& p = *setup.rules->parameters;
    if constexpr (kPlain) {
      return Budget({share_per_window(setup.share.total_mru_per_s, p.throttle_window_ns),
                     p.throttle_window_ns, p.throttled_charge_counts},
                    setup.born_ns);
    } else {
      return Budget(*setup.rules->capacity, setup.share, setup.even_share, setup.born_ns);
    }
  }
  void advance_budget(Nanoseconds t) {
    if constexpr (!kPlain) {
      if (!expiring_.empty()) {
        const Nanoseconds wanted = std::max(expiring_.next_due_ns(), expired_until_ns_);
        budget_.advance(t, wanted,
                        [this](Nanoseconds boundary) { return delete_expired(boundary); });
        return;
      }
    }
    budget_.advance(t);
  }
  /// At the end of a window expired items are deleted with what is left of it. Returns when to come
  /// again.
  Nanoseconds delete_expired(Nanoseconds boundary) {
    if constexpr (kPlain) {
      return kNever;
    } else {
      const MilliRu spent =
          expiring_.delete_due(boundary, budget_.left_over(), [this](const ExpiringItems& bunch) {
            const Bytes bytes = static_cast<Bytes>(bunch.items) * bunch.item_bytes;
            totals_.storage_bytes -= bytes;
            bunch.book->subtract(bunch.key, bytes);
          });
      budget_.take_left_over(spent);
      totals_.ttl_mru += spent;
      expired_until_ns_ = boundary + 1;
      return std::max(expiring_.next_due_ns(), boundary + 1);
    }
  }

  [[nodiscard]] bool budget_admits(const Attempt& attempt) const {
    if constexpr (kPlain) {
      return budget_.admits(attempt.charge_mru);
    } else {
      return budget_.admits(attempt.charge_mru, rules_.plans[attempt.plan].admission);
    }
  }
  [[nodiscard]] Nanoseconds budget_ready_ns(const Attempt& attempt) const {
    if constexpr (kPlain) {
      return budget_.ready_ns(attempt.time_ns, attempt.charge_mru);
    } else {
      return budget_.ready_ns(attempt.time_ns, attempt.charge_mru,
                              rules_.plans[attempt.plan].admission);
    }
  }
  void pay(MilliRu charge, const Attempt& attempt) {
    if constexpr (kPlain) {
      budget_.take(charge);
    } else {
      budget_.take(charge, rules_.plans[attempt.plan].admission);
    }
  }
  void pay_refusal(MilliRu charge, const Attempt& attempt) {
    if constexpr (kPlain) {
      budget_.take(charge);
    } else {
      budget_.take_refusal(charge, rules_.plans[attempt.plan].admission);
    }
  }
  /// A write is charged in every region.
  [[nodiscard]] MilliRu charged(const Attempt& attempt, const PlanRules& plan) const noexcept {
    if constexpr (kPlain) {
      return attempt.charge_mru;
    } else {
      return plan.is_write ? MilliRu{attempt.charge_mru} * rules_.regions : attempt.charge_mru;
    }
  }

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

  /// Everything before the horizon while the partition is being swapped for its children.
  void run_gone(const Arrival* arrival, const Arrival* last, Nanoseconds horizon, bool counted) {
    for (;;) {
      const bool has_arrival = arrival != last;
      const Nanoseconds bound = has_arrival ? arrival->time_ns + 1 : horizon;
      bool is_retry = waiting_.load_before(std::min(bound, horizon));
      if (is_retry && has_arrival) {
        const WaitingRetry& retry = waiting_.front();
        is_retry = retry.due_ns < arrival->time_ns ||
                   (retry.due_ns == arrival->time_ns && retry.id < arrival->id);
      }
      if (!is_retry && !has_arrival) {
        return;
      }
      const Attempt attempt = is_retry ? from_retry(waiting_.front()) : from_arrival(*arrival++);
      if (is_retry) {
        waiting_.pop_front();
      }
      if (attempt.time_ns >= second_end_) {
        close_second(attempt.time_ns, counted);
      }
      now_ns_ = attempt.time_ns;
      answer_gone(attempt);
    }
  }

  void handle(const Attempt& attempt) {
    PARTSIM_ASSERT(attempt.time_ns >= now_ns_, "a partition's clock never goes back");
    now_ns_ = attempt.time_ns;
    advance_budget(attempt.time_ns);
    if constexpr (!kPlain) {
      budget_.note_demand(attempt.charge_mru, rules_.plans[attempt.plan].admission);
      if (is_full(attempt)) {
        forbid(attempt);
        return;
      }
    }
    if (!budget_admits(attempt)) {
      refuse(attempt, AttemptOutcome::throttled);
    } else if (workers_.full(attempt.time_ns)) {
      refuse(attempt, AttemptOutcome::queue_full);
    } else {
      admit(attempt);
    }
  }

  /// Whether a create would exceed its logical partition, or a container that cannot grow.
  [[nodiscard]] bool is_full(const Attempt& attempt) {
    const PlanRules& plan = rules_.plans[attempt.plan];
    if (plan.book == nullptr) {
      return false;
    }
    key_ = plan.book->key_of(attempt.id, attempt.first_send_ns);
    return (rules_.logical_max_bytes > 0 &&
            plan.book->bytes_of(key_) + plan.stored_bytes > rules_.logical_max_bytes) ||
           (rules_.physical_max_bytes > 0 &&
            totals_.storage_bytes + plan.stored_bytes > rules_.physical_max_bytes);
  }

  void forbid(const Attempt& attempt) {
    AttemptTally& tally = tallies_[RequestId::client(attempt.id)];
    ++tally.attempts;
    ++tally.forbidden;
    ++second_.attempts;
    record(attempt, AttemptOutcome::forbidden, kNever);
    give_up(attempt, known_ns(attempt));
  }

  void answer_gone(const Attempt& attempt) {
    const std::uint32_t client = RequestId::client(attempt.id);
    if constexpr (!kPlain) {
      budget_.note_demand(attempt.charge_mru, rules_.plans[attempt.plan].admission);
    }
    AttemptTally& tally = tallies_[client];
    ++tally.attempts;
    ++tally.gone;
    ++second_.attempts;
    const Nanoseconds wait = rules_.clients[client].retry.gone_wait_ns(
        attempt.gone, waited_ns(attempt), *rules_.parameters);
    wait_or_give_up(attempt, AttemptOutcome::gone, wait, attempt.gone + 1U);
  }

  /// When the client knows that an attempt was refused.
  [[nodiscard]] Nanoseconds known_ns(const Attempt& attempt) const noexcept {
    return attempt.time_ns + response_ns(attempt);
  }
  [[nodiscard]] Nanoseconds response_ns(const Attempt& attempt) const noexcept {
    if constexpr (kPlain) {
      return rules_.throttle_response_ns;
    } else {
      return rules_.throttle_response_ns + rules_.plans[attempt.plan].round_trip_ns;
    }
  }
  /// What the request has spent waiting for its retries so far.
  [[nodiscard]] Nanoseconds waited_ns(const Attempt& attempt) const noexcept {
    return attempt.time_ns - attempt.first_send_ns -
           static_cast<Nanoseconds>(attempt.number) * response_ns(attempt);
  }

  void admit(const Attempt& attempt) {
    pay(attempt.charge_mru, attempt);
    const std::uint64_t operation = RequestId::operation(attempt.id);
    const ClientRules& client = rules_.clients[RequestId::client(attempt.id)];
    const PlanRules& plan = rules_.plans[attempt.plan];
    const bool is_fan_out = attempt.join != kNoJoin;
    const std::uint64_t draw = is_fan_out
                                   ? mix64(client.fan_out_service.draw(operation) +
                                           (std::uint64_t{attempt.request} + 1) * kGoldenGamma)
                                   : client.service.draw(operation);
    Nanoseconds service = plan.service_time->sample(draw, attempt.charge_mru, plan.service_kind);
    const MilliRu paid = charged(attempt, plan);
    const Nanoseconds start = workers_.start_ns(attempt.time_ns);
    workers_.occupy(start + service);
    if constexpr (!kPlain) {
      service += plan.round_trip_ns;  // the answer travels, the worker is free
    }
    const Nanoseconds completion = start + service;

    AttemptTally& tally = tallies_[RequestId::client(attempt.id)];
    ++tally.attempts;
    tally.consumed_mru += paid;
    ++second_.attempts;
    second_.consumed_mru += paid;
    largest_charge_mru_ = std::max<MilliRu>(largest_charge_mru_, attempt.charge_mru);
    totals_.storage_bytes += plan.stored_bytes;
    if constexpr (!kPlain) {
      if (plan.book != nullptr) {
        plan.book->add(key_, plan.stored_bytes);
        if (plan.ttl_ns > 0) {
          expiring_.add(attempt.time_ns, plan.ttl_ns,
                        {plan.book, key_, 1, plan.stored_bytes, plan.delete_mru, plan.container});
        }
      }
    }
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
                         paid,
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
    const Nanoseconds ready = outcome == AttemptOutcome::throttled ? budget_ready_ns(attempt) : t;
    if (outcome == AttemptOutcome::throttled && rules_.refusal_charge_mru > 0) {
      pay_refusal(rules_.refusal_charge_mru, attempt);
    }
    const std::uint32_t client = RequestId::client(attempt.id);
    const Nanoseconds wait = rules_.clients[client].retry.wait_ns(
        {RequestId::operation(attempt.id), attempt.number, attempt.gone, attempt.request,
         attempt.join != kNoJoin, round_up_(std::max(rules_.retry_after_min_ns, ready - t)),
         waited_ns(attempt)});

    AttemptTally& tally = tallies_[client];
    ++tally.attempts;
    ++tally.throttled;
    ++second_.attempts;
    ++second_.throttled;
    wait_or_give_up(attempt, outcome, wait, attempt.gone);
  }

  void wait_or_give_up(const Attempt& attempt, AttemptOutcome outcome, Nanoseconds wait,
                       std::uint32_t gone) {
    const Nanoseconds known = known_ns(attempt);
    if (wait < 0) {
      record(attempt, outcome, kNever);
      give_up(attempt, known);
      return;
    }
    const Nanoseconds due = known + wait;
    record(attempt, outcome, due);
    ++recorder_->retries_scheduled;
    recorder_->attempt_time_ns +=
        static_cast<std::uint64_t>(std::min(due, rules_.end_ns) - attempt.time_ns);
    waiting_.push({due, attempt.id, attempt.first_send_ns, attempt.charge_mru, attempt.join,
                   attempt.plan, attempt.request, static_cast<std::uint16_t>(attempt.number + 1),
                   static_cast<std::uint16_t>(gone)});
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

  /// What a region has consumed in the second that ends, for the bill.
  void note_use(std::uint32_t region, MilliRu consumed, MilliRu consumed_write) {
    use_[region].add(rules_.start_unix_s + second_end_ / kSecond - 1, consumed + consumed_write);
    billable_.consumed_mru += consumed;
    billable_.consumed_write_mru += consumed_write;
  }

  /// Keeps the second that used most of its share.
  void note_peak(MilliRu consumed, MilliRu share) {
    __extension__ using Wide = __int128;
    if (Wide{consumed} * totals_.peak_share_mru > Wide{totals_.peak_second_mru} * share ||
        totals_.peak_share_mru == 0) {
      totals_.peak_second_mru = consumed;
      totals_.peak_share_mru = share;
    }
  }

  /// The clock has come to `now`, past the end of the open second.
  void close_second(Nanoseconds now, bool counted) {
    if (counted) {
      count_open_second();
    }
    if constexpr (kPlain) {
      const Nanoseconds window = rules_.parameters->throttle_window_ns;
      const BudgetSpec most{share_per_window(second_share_mru_, window), window, false};
      PARTSIM_ASSERT(second_.consumed_mru <= Budget::grant_limit(most, largest_charge_mru_),
                     "a second never grants more than the budget, its store and one overdraft");
      if (counted) {
        note_peak(peak_mru_, second_share_mru_);
      }
      note_use(0, second_.consumed_mru, 0);
    } else {
      for (std::uint32_t region = 0; region < rules_.regions; ++region) {
        note_use(region, budget_.second_mru(region, false), budget_.second_mru(region, true));
      }
      PARTSIM_ASSERT(second_.consumed_mru <= budget_.grant_limit(largest_charge_mru_),
                     "a second never grants more than the budget, its stores and one overdraft");
      const SecondUse busiest = budget_.close_second();
      if (counted) {
        note_peak(busiest.consumed_mru, busiest.share_mru_per_s);
      }
      totals_.burst_mru = budget_.burst_mru();
    }
    peak_mru_ = 0;
    second_share_mru_ = share_mru_;
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
  Budget budget_;
  Workers workers_;
  RoundUp round_up_;
  bool gone_ = false;
  TimingWheel<WaitingRetry> waiting_;

  Recorder* recorder_ = nullptr;
  AttemptTally* tallies_ = nullptr;
  Nanoseconds now_ns_ = 0;
  MilliRu share_mru_;         // a second
  MilliRu second_share_mru_;  // the largest in force in the open second
  Nanoseconds second_end_;
  MilliRu largest_charge_mru_ = 0;
  Totals second_;         // the open second, from its begin
  Totals counted_from_;   // the part of it that is in totals_, or before the counted window
  MilliRu peak_mru_ = 0;  // counted part of the open second
  PartitionTotals totals_;
  std::vector<SecondCell> cells_;
  Router::KeyRef key_;  // of the create at hand
  ExpiryQueue expiring_;
  Nanoseconds expired_until_ns_ = 0;  // boundaries before this one have been used
  std::vector<DecisionWindows> use_;  // one a region
  Billable billable_;
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
  const WorkersSpec* workers = setup.rules->workers;
  if (workers == nullptr) {
    return make_traced<Budget, NoWorkers>(setup);
  }
  if (workers->count == 1 && !workers->queue_limit) {
    return make_traced<Budget, OneWorker>(setup);
  }
  return make_traced<Budget, ManyWorkers>(setup);
}

}  // namespace

std::unique_ptr<PartitionLoop> make_partition_loop(const PartitionLoop::Setup& setup) {
  if (setup.rules->capacity != nullptr) {
    return make_with_workers<CapacityBudget>(setup);
  }
  switch (setup.rules->parameters->throttle_model) {
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
