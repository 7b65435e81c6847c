/// When a client that waits for answers sends its operations. Decides one instant at a time;
/// whoever drives it keeps the clock.
#pragma once

#include <cstdint>
#include <vector>

#include "partsim/core/time.hpp"

namespace partsim {

/// Numbers of operations to be sent now, in order.
using SendList = std::vector<std::uint64_t>;

class Pacer {
 public:
  virtual ~Pacer() = default;
  Pacer() = default;
  Pacer(const Pacer&) = delete;
  Pacer& operator=(const Pacer&) = delete;

  /// The next instant at which it acts by itself; kNever if only an answer can move it.
  [[nodiscard]] virtual Nanoseconds next_ns() = 0;
  /// Acts before the answers of the same instant are heard.
  [[nodiscard]] virtual bool acts_before_answers() const noexcept { return false; }
  /// `now` is next_ns().
  virtual void act(Nanoseconds now, SendList& send) = 0;
  /// How an operation left the client.
  struct End {
    std::uint64_t operation;
    Nanoseconds time_ns;
    bool answered;  // else the application gave up waiting
  };
  virtual void ended(const End& end, SendList& send) = 0;
  /// An attempt of an operation was throttled.
  virtual void throttled(std::uint64_t operation) { static_cast<void>(operation); }
  /// Partitions have split or merged.
  virtual void relayout(SendList& send) { static_cast<void>(send); }
};

}  // namespace partsim
