/// FCFS servers of one partition. There are no departure events: a start is the later of now and
/// the moment the first server is free, which is all that FCFS needs.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <vector>

#include "partsim/scenario/scenario.hpp"

namespace partsim {

/// Without workers everything starts at once.
class NoWorkers {
 public:
  explicit NoWorkers(const WorkersSpec& /*spec*/) noexcept {}
  [[nodiscard]] static bool full(Nanoseconds /*t*/) noexcept { return false; }
  [[nodiscard]] static Nanoseconds start_ns(Nanoseconds t) noexcept { return t; }
  static void occupy(Nanoseconds /*completion*/) noexcept {}
};

/// One server, no limit to the queue: a single number.
class OneWorker {
 public:
  explicit OneWorker(const WorkersSpec& /*spec*/) noexcept {}
  [[nodiscard]] static bool full(Nanoseconds /*t*/) noexcept { return false; }
  [[nodiscard]] Nanoseconds start_ns(Nanoseconds t) const noexcept { return std::max(t, free_); }
  void occupy(Nanoseconds completion) noexcept { free_ = completion; }

 private:
  Nanoseconds free_ = 0;
};

/// Any number of servers and an optional limit to those in the system. Servers are alike, so only
/// the set of times at which they become free matters, not which is which.
class ManyWorkers {
 public:
  explicit ManyWorkers(const WorkersSpec& spec)
      : free_(spec.count, 0),
        limit_(spec.queue_limit ? std::size_t{spec.count} + *spec.queue_limit : SIZE_MAX) {}

  /// Whether a request at t finds every server busy and every waiting place taken.
  [[nodiscard]] bool full(Nanoseconds t) {
    if (limit_ == SIZE_MAX) {
      return false;
    }
    while (!in_system_.empty() && in_system_.front() <= t) {
      std::pop_heap(in_system_.begin(), in_system_.end(), std::greater<>());
      in_system_.pop_back();
    }
    return in_system_.size() >= limit_;
  }
  [[nodiscard]] Nanoseconds start_ns(Nanoseconds t) const noexcept {
    return std::max(t, free_.front());
  }
  void occupy(Nanoseconds completion) {
    std::pop_heap(free_.begin(), free_.end(), std::greater<>());
    free_.back() = completion;
    std::push_heap(free_.begin(), free_.end(), std::greater<>());
    if (limit_ != SIZE_MAX) {
      in_system_.push_back(completion);
      std::push_heap(in_system_.begin(), in_system_.end(), std::greater<>());
    }
  }

 private:
  std::vector<Nanoseconds> free_;       // min-heap: when each server is free
  std::vector<Nanoseconds> in_system_;  // min-heap of completions, only with a limit
  std::size_t limit_;
};

}  // namespace partsim
