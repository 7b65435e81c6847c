// The hot loop has a translation unit of its own, because its speed depends on what else the
// optimiser sees: the same source beside other code ran 40 % slower.
#include "partition_loop.hpp"

#include <algorithm>
#include <type_traits>
#include <utility>

#include "partsim/core/assert.hpp"
#include "partsim/service/budget.hpp"
#include "partsim/service/workers.hpp"

#include "attempt_book.hpp"

namespace partsim {
namespace {

template <class Budget, class Workers>
class Loop final : public PartitionLoop {
 public:
  explicit Loop(const Setup& setup)
      : rules_(*setup.rules),
        budget_(make_budget(setup)),
        workers_(rules_.workers == nullptr ? WorkersSpec{} : *rules_.workers),
        round_up_(rules_.retry_after_step_ns),
        id_(setup.id),
        book_(rules_, setup.id),
        meter_({setup.share.total_mru_per_s + setup.share.write_mru_per_s, setup.born_ns,
                setup.storage_bytes, rules_.seconds_per_cell, rules_.start_unix_s, rules_.regions,
                rules_.parameters->autoscale_decision_window_s}) {}

  void run_until(Nanoseconds horizon, std::span<const Arrival> arrivals, bool counted,
                 Recorder& recorder) override {
    book_.write_to(recorder);
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
      if (next >= meter_.end_ns()) {
        close_second(next, counted);
      }
      advance_budget(next);
      const Nanoseconds segment_end = std::min({horizon, meter_.end_ns(), budget_.window_end_ns()});
      arrival = run_segment(arrival, last, segment_end);
    }
    if (counted) {
      meter_.count_open_second();
    }
  }

  void finish(bool counted) override { close_second(meter_.end_ns(), counted); }

  void begin_counting() override {
    meter_.begin_counting();
    if constexpr (!kPlain) {
      budget_.begin_counting();
    }
  }

  void set_share(Nanoseconds now, const Share& share, const Share& even_share) override {
    meter_.set_share(now, share.total_mru_per_s + share.write_mru_per_s);
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
    if (meter_.end_ns() <= now) {
      close_second(now, counted);
    }
    return meter_.take_billable();
  }
  Share take_demand() override {
    if constexpr (kPlain) {
      return {};
    } else {
      return budget_.demanded();
    }
  }

  [[nodiscard]] const PartitionTotals& totals() const noexcept override { return meter_.totals(); }
  [[nodiscard]] const std::vector<SecondCell>& cells() const noexcept override {
    return meter_.cells();
  }
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
            meter_.totals().storage_bytes -= bunch.book->subtract(bunch.key, bunch.bytes);
          });
      budget_.take_left_over(spent);
      meter_.totals().ttl_mru += spent;
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
      if (attempt.time_ns >= meter_.end_ns()) {
        close_second(attempt.time_ns, counted);
      }
      now_ns_ = attempt.time_ns;
      if (rules_.plans[attempt.plan].is_refused) {
        refuse_for_good(attempt);
      } else {
        answer_gone(attempt);
      }
    }
  }

  void handle(const Attempt& attempt) {
    PARTSIM_ASSERT(attempt.time_ns >= now_ns_, "a partition's clock never goes back");
    now_ns_ = attempt.time_ns;
    advance_budget(attempt.time_ns);
    if constexpr (!kPlain) {
      budget_.note_demand(attempt.charge_mru, rules_.plans[attempt.plan].admission);
      if (rules_.plans[attempt.plan].is_refused) {
        refuse_for_good(attempt);
        return;
      }
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

  /// What an admitted request adds to what is stored here, or takes from it.
  [[nodiscard]] Bytes stored_by(const Attempt& attempt, const PlanRules& plan) const {
    if (plan.varying == nullptr) [[likely]] {
      return plan.stored_bytes;
    }
    const std::uint64_t operation = RequestId::operation(attempt.id);
    if (plan.is_searching && plan.book != nullptr &&
        plan.book->owner(plan.book->key_of(attempt.id, attempt.first_send_ns)) != id_) {
      return 0;
    }
    return plan.varying->of(operation);
  }
  /// Puts the request's bytes where they belong; a delete takes at most what its key holds.
  void store(const Attempt& attempt, const PlanRules& plan) {
    Bytes& stored_here = meter_.totals().storage_bytes;
    if (kPlain || plan.book == nullptr) {
      stored_here += stored_by(attempt, plan);
      return;
    }
    if (stored_ < 0) {
      stored_here -= plan.book->subtract(key_, -stored_);
    } else if (stored_ > 0) {
      stored_here += stored_;
      plan.book->add(key_, stored_);
      if (plan.ttl_ns > 0) {
        expiring_.add(attempt.time_ns, plan.ttl_ns,
                      {plan.book, key_, 1, stored_, plan.delete_mru, plan.container});
      }
    }
  }

  /// Whether a create would exceed its logical partition, or a container that cannot grow.
  [[nodiscard]] bool is_full(const Attempt& attempt) {
    const PlanRules& plan = rules_.plans[attempt.plan];
    if (plan.book == nullptr) {
      return false;
    }
    stored_ = stored_by(attempt, plan);
    if (stored_ == 0) {
      return false;
    }
    key_ = plan.book->key_of(attempt.id, attempt.first_send_ns);
    return stored_ > 0 && ((rules_.logical_max_bytes > 0 &&
                            plan.book->bytes_of(key_) + stored_ > rules_.logical_max_bytes) ||
                           (rules_.physical_max_bytes > 0 &&
                            meter_.totals().storage_bytes + stored_ > rules_.physical_max_bytes));
  }

  void forbid(const Attempt& attempt) {
    AttemptTally& tally = tallies_[RequestId::client(attempt.id)];
    ++tally.attempts;
    ++tally.forbidden;
    meter_.count_attempt();
    book_.record(attempt, AttemptOutcome::forbidden, kNever);
    book_.give_up(attempt, known_ns(attempt));
  }
  /// What no partition could run: a transaction over several logical partitions.
  void refuse_for_good(const Attempt& attempt) {
    AttemptTally& tally = tallies_[RequestId::client(attempt.id)];
    ++tally.attempts;
    ++tally.refused;
    meter_.count_attempt();
    book_.record(attempt, AttemptOutcome::refused, kNever);
    book_.give_up(attempt, known_ns(attempt));
  }

  void answer_gone(const Attempt& attempt) {
    const std::uint32_t client = RequestId::client(attempt.id);
    if constexpr (!kPlain) {
      budget_.note_demand(attempt.charge_mru, rules_.plans[attempt.plan].admission);
    }
    AttemptTally& tally = tallies_[client];
    ++tally.attempts;
    ++tally.gone;
    meter_.count_attempt();
    if (rules_.clients[client].waits_for_answers) {
      book_.ask_client(attempt, AttemptOutcome::gone, response_ns(attempt), 0);
      return;
    }
    const Nanoseconds wait = rules_.clients[client].retry.gone_wait_ns(
        attempt.gone, waited_ns(attempt), *rules_.parameters);
    wait_or_give_up(attempt, AttemptOutcome::gone, wait);
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

    AttemptTally& tally = tallies_[RequestId::client(attempt.id)];
    ++tally.attempts;
    tally.consumed_mru += paid;
    meter_.count_attempt();
    meter_.consume(paid);
    largest_charge_mru_ = std::max<MilliRu>(largest_charge_mru_, attempt.charge_mru);
    store(attempt, plan);
    book_.serve(attempt, start, service, paid);
  }

  void refuse(const Attempt& attempt, AttemptOutcome outcome) {
    const Nanoseconds t = attempt.time_ns;
    const Nanoseconds ready = outcome == AttemptOutcome::throttled ? budget_ready_ns(attempt) : t;
    if (outcome == AttemptOutcome::throttled && rules_.refusal_charge_mru > 0) {
      pay_refusal(rules_.refusal_charge_mru, attempt);
    }
    const std::uint32_t client = RequestId::client(attempt.id);
    AttemptTally& tally = tallies_[client];
    ++tally.attempts;
    ++tally.throttled;
    meter_.count_attempt();
    meter_.count_throttled();
    const Nanoseconds retry_after = round_up_(std::max(rules_.retry_after_min_ns, ready - t));
    if (rules_.clients[client].waits_for_answers) {
      book_.ask_client(attempt, outcome, response_ns(attempt), retry_after);
      return;
    }
    const Nanoseconds wait = rules_.clients[client].retry.wait_ns(
        {RequestId::operation(attempt.id), attempt.number, attempt.gone, attempt.request,
         attempt.join != kNoJoin, retry_after, waited_ns(attempt)});
    wait_or_give_up(attempt, outcome, wait);
  }

  void wait_or_give_up(const Attempt& attempt, AttemptOutcome outcome, Nanoseconds wait) {
    const auto retry = book_.wait_or_give_up(attempt, outcome, known_ns(attempt), wait);
    if (retry) {
      waiting_.push(*retry);
    }
  }

  /// The clock has come to `now`, past the end of the open second.
  void close_second(Nanoseconds now, bool counted) {
    if (counted) {
      meter_.count_open_second();
    }
    if constexpr (kPlain) {
      const Nanoseconds window = rules_.parameters->throttle_window_ns;
      const BudgetSpec most{share_per_window(meter_.share_mru(), window), window, false};
      PARTSIM_ASSERT(meter_.consumed_mru() <= Budget::grant_limit(most, largest_charge_mru_),
                     "a second never grants more than the budget, its store and one overdraft");
      if (counted) {
        meter_.note_peak(meter_.counted_mru(), meter_.share_mru());
      }
      meter_.note_use(0, meter_.consumed_mru(), 0);
    } else {
      for (std::uint32_t region = 0; region < rules_.regions; ++region) {
        meter_.note_use(region, budget_.second_mru(region, false),
                        budget_.second_mru(region, true));
      }
      PARTSIM_ASSERT(meter_.consumed_mru() <= budget_.grant_limit(largest_charge_mru_),
                     "a second never grants more than the budget, its stores and one overdraft");
      const SecondUse busiest = budget_.close_second();
      if (counted) {
        meter_.note_peak(busiest.consumed_mru, busiest.share_mru_per_s);
      }
      meter_.totals().burst_mru = budget_.burst_mru();
    }
    meter_.close(now);
  }

  const PartitionRules& rules_;
  Budget budget_;
  Workers workers_;
  RoundUp round_up_;
  std::uint32_t id_;
  AttemptBook book_;
  SecondMeter meter_;
  bool gone_ = false;
  TimingWheel<WaitingRetry> waiting_;

  AttemptTally* tallies_ = nullptr;
  Nanoseconds now_ns_ = 0;
  MilliRu largest_charge_mru_ = 0;
  Bytes stored_ = 0;    // by the write at hand, where sizes are followed ...
  Router::KeyRef key_;  // ... and the logical partition it goes to
  ExpiryQueue expiring_;
  Nanoseconds expired_until_ns_ = 0;  // boundaries before this one have been used
};

template <class Budget>
std::unique_ptr<PartitionLoop> make_with_workers(const PartitionLoop::Setup& setup) {
  const WorkersSpec* workers = setup.rules->workers;
  if (workers == nullptr) {
    return std::make_unique<Loop<Budget, NoWorkers>>(setup);
  }
  if (workers->count == 1 && !workers->queue_limit) {
    return std::make_unique<Loop<Budget, OneWorker>>(setup);
  }
  return std::make_unique<Loop<Budget, ManyWorkers>>(setup);
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
