/// What a client that waits for answers hears. Private to the engine.
#pragma once

#include <cstdint>
#include <functional>
#include <queue>
#include <tuple>
#include <vector>

#include "partsim/engine/engine.hpp"

#include "attempt.hpp"

namespace partsim {

struct Answer {
  enum class Kind : std::uint8_t {
    served,   // an attempt succeeded
    refused,  // an attempt was refused, and the client decides what follows
    ended     // an operation is over; its parts were counted before
  };
  Nanoseconds time_ns = 0;  // when the client hears it
  WaitingRetry sent{};      // the attempt; its due_ns is when it was sent
  Kind kind = Kind::served;
  AttemptOutcome outcome = AttemptOutcome::admitted;
  bool timed_out = false;  // ended: the application gave up waiting
  std::uint32_t partition = 0;
  Nanoseconds retry_after_ns = 0;  // refused: what the service asks for
  Nanoseconds response_ns = 0;     // refused: how long each answer of its kind takes

  /// Heard later: the top of a queue is what is heard first.
  [[nodiscard]] bool operator>(const Answer& other) const noexcept {
    return std::tuple(time_ns, sent.id, sent.request, kind) >
           std::tuple(other.time_ns, other.sent.id, other.sent.request, other.kind);
  }
};

struct AnswerQueue : std::priority_queue<Answer, std::vector<Answer>, std::greater<>> {
  /// In no particular order.
  template <class Handle>
  void for_each(Handle&& handle) const {
    for (const Answer& answer : c) {
      handle(answer);
    }
  }
};

}  // namespace partsim
