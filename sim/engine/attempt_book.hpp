/// Books what becomes of attempts: the digest, the ends of operations, the answers to clients who
/// wait for them. Private to the engine.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>

#include "partsim/engine/attempt_digest.hpp"

#include "answer.hpp"
#include "attempt.hpp"
#include "recorder.hpp"

namespace partsim {

// What runs for every attempt is inlined by force: as calls it cost the loop a tenth of its speed.
class AttemptBook {
 public:
  AttemptBook(const PartitionRules& rules, std::uint32_t partition)
      : rules_(&rules), partition_(partition) {}
  void write_to(Recorder& recorder) noexcept { recorder_ = &recorder; }

  /// `next`: when the answer arrives or the request is sent again, kNever if neither.
  [[gnu::always_inline]] void record(const Attempt& attempt, AttemptOutcome outcome,
                                     Nanoseconds next) {
    const std::uint32_t client = RequestId::client(attempt.id);
    const AttemptRecord entry{attempt.time_ns,
                              RequestId::operation(attempt.id),
                              client,
                              partition_,
                              attempt.number,
                              outcome,
                              attempt.charge_mru,
                              next};
    recorder_->digest += attempt_digest(entry, rules_->clients[client].name_hash);
    ++recorder_->events;
    if (recorder_->log != nullptr) {
      recorder_->log->push_back(entry);
    }
  }

  /// An admitted attempt, served from `start` on for a time.
  [[gnu::always_inline]] void serve(const Attempt& attempt, Nanoseconds start, Nanoseconds service,
                                    MilliRu paid) {
    const bool heard = rules_->clients[RequestId::client(attempt.id)].waits_for_answers;
    const Nanoseconds completion =
        heard ? std::max(start + service, attempt.time_ns + 1) : start + service;
    record(attempt, AttemptOutcome::admitted, completion);
    spend(attempt, completion);
    if (completion > deadline_ns(attempt)) [[unlikely]] {
      fail(attempt, deadline_ns(attempt));
      return;
    }
    if (completion >= rules_->end_ns) {
      leave_unfinished(attempt);
      return;
    }
    if (heard) [[unlikely]] {
      answer(attempt, completion, Answer::Kind::served);
    }
    const RequestEnd end{completion,
                         completion - start,
                         start - attempt.time_ns,
                         attempt.time_ns - attempt.first_send_ns,
                         paid,
                         attempt.request,
                         true};
    if (attempt.join != kNoJoin) {
      recorder_->fan_out_ends.push_back({attempt.join, end});
    } else if (attempt.first_send_ns >= rules_->warm_up_ns) {
      recorder_->succeed(RequestId::client(attempt.id), end, attempt.first_send_ns);
    }
  }

  /// A refused attempt whose client waits before it sends again, or gives up if that is negative.
  /// Returns what waits, if anything does.
  [[nodiscard, gnu::always_inline]] std::optional<WaitingRetry> wait_or_give_up(
      const Attempt& attempt, AttemptOutcome outcome, Nanoseconds known, Nanoseconds wait) {
    const Nanoseconds due = known + wait;
    if (wait < 0 || due >= deadline_ns(attempt)) {
      record(attempt, outcome, kNever);
      give_up(attempt, wait < 0 ? known : deadline_ns(attempt));
      return std::nullopt;
    }
    record(attempt, outcome, due);
    ++recorder_->retries_scheduled;
    recorder_->attempt_time_ns +=
        static_cast<std::uint64_t>(std::min(due, rules_->end_ns) - attempt.time_ns);
    WaitingRetry retry = attempt.as_sent();
    retry.due_ns = due;
    ++retry.attempt;
    retry.gone =
        static_cast<std::uint16_t>(attempt.gone + (outcome == AttemptOutcome::gone ? 1 : 0));
    return retry;
  }

  /// A refused attempt whose answer would come after the end of the run.
  void leave_unheard(const Attempt& attempt, AttemptOutcome outcome, Nanoseconds known,
                     Nanoseconds wait) {
    const bool again = wait >= 0 && known + wait < deadline_ns(attempt);
    record(attempt, outcome, again ? known + wait : kNever);
    give_up(attempt, known);
  }

  /// The request has failed: the client knows at `known`, or gave up waiting before.
  void give_up(const Attempt& attempt, Nanoseconds known) {
    if (rules_->clients[RequestId::client(attempt.id)].waits_for_answers) {
      known = std::max(known, attempt.time_ns + 1);
    }
    const Nanoseconds failed = std::min(known, deadline_ns(attempt));
    spend(attempt, failed);
    fail(attempt, failed);
  }

  /// A refusal that a client hears of, and decides about. The attempt is recorded then.
  void ask_client(const Attempt& attempt, AttemptOutcome outcome, Nanoseconds response,
                  Nanoseconds retry_after) {
    response = std::max<Nanoseconds>(1, response);
    if (attempt.time_ns + response > deadline_ns(attempt)) {  // nobody waits for it any more
      record(attempt, outcome, kNever);
      give_up(attempt, attempt.time_ns + response);
      return;
    }
    recorder_->answers.push_back({attempt.time_ns + response, attempt.as_sent(),
                                  Answer::Kind::refused, outcome, false, partition_, retry_after,
                                  response});
  }

 private:
  /// When the application gives up waiting for this operation.
  [[nodiscard]] Nanoseconds deadline_ns(const Attempt& attempt) const noexcept {
    return attempt.first_send_ns + rules_->clients[RequestId::client(attempt.id)].timeout_ns;
  }
  /// Both sides of Little's law, for a request whose last attempt is answered at an instant.
  void spend(const Attempt& attempt, Nanoseconds until) noexcept {
    const Nanoseconds answered = std::min(until, rules_->end_ns);
    recorder_->attempt_time_ns += static_cast<std::uint64_t>(answered - attempt.time_ns);
    recorder_->request_time_ns += static_cast<std::uint64_t>(answered - attempt.first_send_ns);
  }
  /// The answer comes after the end of the run. A fan-out stays open in its table instead.
  void leave_unfinished(const Attempt& attempt) {
    if (attempt.join == kNoJoin && attempt.first_send_ns >= rules_->warm_up_ns) {
      ++recorder_->operations[RequestId::client(attempt.id)].unfinished;
    }
  }
  void fail(const Attempt& attempt, Nanoseconds failed) {
    if (failed >= rules_->end_ns) {
      leave_unfinished(attempt);
      return;
    }
    if (attempt.join != kNoJoin) {
      recorder_->fan_out_ends.push_back(
          {attempt.join, {failed, 0, 0, 0, 0, attempt.request, false}});
      return;
    }
    if (attempt.first_send_ns >= rules_->warm_up_ns) {
      OperationTally& tally = recorder_->operations[RequestId::client(attempt.id)];
      ++tally.failed;
      tally.timed_out += failed == deadline_ns(attempt) ? 1U : 0U;
    }
    if (rules_->clients[RequestId::client(attempt.id)].waits_for_answers) {
      answer(attempt, failed, Answer::Kind::ended);
    }
  }
  /// Its client hears of this one, a nanosecond after its attempt at least.
  void answer(const Attempt& attempt, Nanoseconds at, Answer::Kind kind) {
    recorder_->answers.push_back(
        {std::max(at, attempt.time_ns + 1), attempt.as_sent(), kind, AttemptOutcome::admitted,
         at == deadline_ns(attempt) && kind == Answer::Kind::ended, partition_, 0, 0});
  }

  const PartitionRules* rules_;
  std::uint32_t partition_;
  Recorder* recorder_ = nullptr;
};

}  // namespace partsim
