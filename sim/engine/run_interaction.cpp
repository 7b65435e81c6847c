// Clients that wait for answers: closed loops, bulk loads, and whoever has a limit on what is under
// way or a quota of retries. docs/WORKLOAD.md section 2.
#include <algorithm>

#include "partsim/core/assert.hpp"
#include "partsim/workload/bulk_loader.hpp"
#include "partsim/workload/user_pool.hpp"

#include "attempt_book.hpp"
#include "run.hpp"

namespace partsim {
namespace {

/// An open loop whose operations may have to wait inside the client.
class OpenPacer final : public Pacer {
 public:
  OpenPacer(ArrivalTimes& times, Nanoseconds end_ns) : times_(&times), end_ns_(end_ns) {}
  [[nodiscard]] Nanoseconds next_ns() override { return times_->peek(end_ns_); }
  void act(Nanoseconds now, SendList& send) override {
    for (; times_->peek(end_ns_) == now; times_->pop()) {
      send.push_back(next_operation_++);
    }
  }
  void ended(const End& /*end*/, SendList& /*send*/) override {}

 private:
  ArrivalTimes* times_;
  Nanoseconds end_ns_;
  std::uint64_t next_operation_ = 0;
};

}  // namespace

bool waits_for_answers(const ClientSpec& client) noexcept {
  return std::holds_alternative<ClosedLoop>(client.arrivals) ||
         std::holds_alternative<BulkLoad>(client.arrivals) || client.concurrency ||
         client.retry.quota_tokens > 0;
}

void Run::set_up_agents() {
  for (std::uint32_t i = 0; i < scenario_.clients.size(); ++i) {
    const ClientSpec& client = scenario_.clients[i];
    Agent& agent = agents_.emplace_back();
    agent.tokens = client.retry.quota_tokens;
    agent.most_under_way = client.concurrency.value_or(UINT32_MAX);
    if (const auto* users = std::get_if<ClosedLoop>(&client.arrivals)) {
      agent.pacer = std::make_unique<UserPool>(*users, scenario_.seed, client.name);
    } else if (const auto* bulk = std::get_if<BulkLoad>(&client.arrivals)) {
      agent.pacer =
          std::make_unique<BulkLoader>(*bulk, [this, i, at = bulk->at_ns](std::uint64_t operation) {
            return home_of(i, operation, at);
          });
    } else if (client.concurrency) {
      agent.pacer = std::make_unique<OpenPacer>(sources_[i].times(), scenario_.duration_ns);
    }
    next_act_ns_.push_back(agent.pacer ? agent.pacer->next_ns() : kNever);
    if (waits_for_answers(client)) {
      least_answer_ns_ = std::min(least_answer_ns_, least_answer_ns(i));
    }
  }
}

/// No answer to this client arrives sooner after its attempt.
Nanoseconds Run::least_answer_ns(std::uint32_t client) const {
  if (scenario_.clients[client].timeout_ns) {
    return 1;
  }
  Nanoseconds least = scenario_.parameters.throttle_response_ns;
  std::size_t plan = 0;
  for (std::uint32_t i = 0; i < client; ++i) {
    plan += scenario_.clients[i].operations.size();
  }
  for (std::size_t i = 0; i < scenario_.clients[client].operations.size(); ++i, ++plan) {
    least = std::min(least, plan_rules_[plan].service_time->least_ns(
                                plans_[plan].cheapest(), plan_rules_[plan].service_kind));
  }
  return std::max<Nanoseconds>(1, least);
}

/// How far a step may go: an answer must not fall into the step that makes it.
Nanoseconds Run::interaction_horizon_ns() {
  if (least_answer_ns_ == kNever) {
    return kNever;
  }
  if (!interactive_.empty()) {  // sent at the control point that has just passed
    return now_ns_ + least_answer_ns_;
  }
  Nanoseconds first = *std::min_element(next_act_ns_.begin(), next_act_ns_.end());
  if (!answers_.empty()) {
    first = std::min(first, answers_.top().time_ns);
  }
  while (!retries_due_ns_.empty() && retries_due_ns_.top() < now_ns_) {
    retries_due_ns_.pop();
  }
  if (!retries_due_ns_.empty()) {
    first = std::min(first, retries_due_ns_.top());
  }
  for (std::size_t i = 0; i < sources_.size(); ++i) {
    if (client_rules_[i].waits_for_answers && !agents_[i].pacer) {
      first = std::min(first, sources_[i].times().peek(scenario_.duration_ns));
    }
  }
  return first >= kNever ? kNever : first + least_answer_ns_;
}

/// Everything that clients hear and decide before `horizon`. At one instant: bulk loads look, then
/// answers are heard, then operations are due.
void Run::interact_before(Nanoseconds horizon) {
  if (least_answer_ns_ == kNever) {
    return;
  }
  for (;;) {
    const auto first = std::min_element(next_act_ns_.begin(), next_act_ns_.end());
    const auto client = static_cast<std::uint32_t>(first - next_act_ns_.begin());
    const Nanoseconds heard = answers_.empty() ? kNever : answers_.top().time_ns;
    if (std::min(heard, *first) >= horizon) {
      break;
    }
    const bool acts =
        *first < heard || (*first == heard && agents_[client].pacer->acts_before_answers());
    if (acts) {
      const Nanoseconds now = *first;
      send_list_.clear();
      agents_[client].pacer->act(now, send_list_);
      send(client, now);
    } else {
      const Answer answer = answers_.top();
      answers_.pop();
      hear(answer);
    }
  }
  std::stable_sort(interactive_.begin(), interactive_.end());
}

/// Sends what is on the list, or lets it wait for a place.
void Run::send(std::uint32_t client, Nanoseconds now) {
  PARTSIM_ASSERT(now >= now_ns_, "nobody sends in the past");
  Agent& agent = agents_[client];
  for (const std::uint64_t operation : send_list_) {
    if (agent.under_way < agent.most_under_way) {
      ++agent.under_way;
      sources_[client].emit(operation, now, interactive_, fan_outs_, demand_mru_);
    } else {
      agent.waiting.push_back(operation);
    }
  }
  next_act_ns_[client] = agent.pacer->next_ns();
}

void Run::hear(const Answer& answer) {
  const std::uint32_t client = RequestId::client(answer.sent.id);
  Agent& agent = agents_[client];
  const RetrySpec& retry = scenario_.clients[client].retry;
  switch (answer.kind) {
    case Answer::Kind::served: {
      const bool was_retry = answer.sent.attempt > answer.sent.gone;
      agent.tokens =
          std::min(retry.quota_tokens, agent.tokens + (was_retry ? retry.quota_cost : 1));
      if (answer.sent.join == kNoJoin) {
        operation_ended(answer);
      }
      return;
    }
    case Answer::Kind::ended:
      operation_ended(answer);
      return;
    case Answer::Kind::refused:
      decide(answer);
  }
}

void Run::operation_ended(const Answer& answer) {
  const std::uint32_t client = RequestId::client(answer.sent.id);
  Agent& agent = agents_[client];
  if (agent.pacer == nullptr) {
    return;
  }
  --agent.under_way;
  send_list_.clear();
  if (!agent.waiting.empty()) {
    send_list_.push_back(agent.waiting.front());
    agent.waiting.pop_front();
    send(client, answer.time_ns);
    send_list_.clear();
  }
  agent.pacer->ended({RequestId::operation(answer.sent.id), answer.time_ns, !answer.timed_out},
                     send_list_);
  send(client, answer.time_ns);
}

/// What the policy of its client says to a refusal: how long to wait, negative to give up.
Nanoseconds Run::wait_after(const Answer& answer) const {
  const WaitingRetry& sent = answer.sent;
  const RetryPolicy& policy = client_rules_[RequestId::client(sent.id)].retry;
  const Nanoseconds waited = sent.due_ns - sent.first_send_ns -
                             static_cast<Nanoseconds>(sent.attempt) * answer.response_ns;
  if (answer.outcome == AttemptOutcome::gone) {
    return policy.gone_wait_ns(sent.gone, waited, scenario_.parameters);
  }
  return policy.wait_ns({RequestId::operation(sent.id), sent.attempt, sent.gone, sent.request,
                         sent.join != kNoJoin, answer.retry_after_ns, waited});
}

/// A refusal: again, and when, or not.
void Run::decide(const Answer& answer) {
  const std::uint32_t client = RequestId::client(answer.sent.id);
  const RetrySpec& retry = scenario_.clients[client].retry;
  Agent& agent = agents_[client];
  Nanoseconds wait = wait_after(answer);
  if (answer.outcome != AttemptOutcome::gone) {
    if (agent.pacer) {
      agent.pacer->throttled(RequestId::operation(answer.sent.id));
    }
    if (wait >= 0 && retry.quota_tokens > 0) {
      const bool pays = agent.tokens >= retry.quota_cost;
      agent.tokens -= pays ? retry.quota_cost : 0;
      wait = pays ? wait : -1;
    }
  }
  AttemptBook book = book_of(answer);
  const auto again =
      book.wait_or_give_up(from_retry(answer.sent), answer.outcome, answer.time_ns, wait);
  if (again) {
    retries_due_ns_.push(again->due_ns);
    partitions_[holder_of(*again, answer.partition)].loop->adopt(*again);
  }
  take_answers();
  join_fan_outs();
}

AttemptBook Run::book_of(const Answer& answer) {
  AttemptBook book(pools_[partitions_[answer.partition].pool].rules, answer.partition);
  book.write_to(recorder_);
  return book;
}

/// What the partitions have answered since it was last asked.
void Run::take_answers() {
  for (const Answer& answer : recorder_.answers) {
    PARTSIM_ASSERT(answer.time_ns >= now_ns_, "nobody hears in the past");
    answers_.push(answer);
  }
  recorder_.answers.clear();
}

/// Refusals that nobody hears before the run is over.
void Run::leave_unheard() {
  for (; !answers_.empty(); answers_.pop()) {
    const Answer& answer = answers_.top();
    if (answer.kind == Answer::Kind::refused) {
      book_of(answer).leave_unheard(from_retry(answer.sent), answer.outcome,
                                    std::max(answer.time_ns, scenario_.duration_ns),
                                    wait_after(answer));
    }
  }
}

/// Bulk loads look before the layout of the same instant changes; what they send meets the new one.
void Run::look_before_control() {
  looked_.clear();
  for (std::uint32_t client = 0; client < agents_.size(); ++client) {
    if (next_act_ns_[client] == now_ns_ && agents_[client].pacer->acts_before_answers()) {
      send_list_.clear();
      agents_[client].pacer->act(now_ns_, send_list_);
      looked_.emplace_back(client, send_list_);
    }
  }
}

void Run::send_after_control(bool layout_changed) {
  for (const auto& [client, operations] : looked_) {
    send_list_ = operations;
    send(client, now_ns_);
  }
  for (std::uint32_t client = 0; layout_changed && client < agents_.size(); ++client) {
    if (agents_[client].pacer) {
      send_list_.clear();
      agents_[client].pacer->relayout(send_list_);
      send(client, now_ns_);
    }
  }
}

}  // namespace partsim
