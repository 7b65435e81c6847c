/// When an open-loop client sends its operations.
#pragma once

#include <array>
#include <cstdint>
#include <memory>

#include "partsim/core/rng.hpp"
#include "partsim/scenario/scenario.hpp"
#include "partsim/workload/rate_walk.hpp"
#include "partsim/workload/trace_feed.hpp"

namespace partsim {

/// Times of a client's operations, made in blocks; an operation's number is its place in the
/// sequence. A client whose operations follow from answers has none.
class ArrivalTimes {
 public:
  /// `feed` has the rows of a client that replays a trace.
  ArrivalTimes(const ClientSpec& client, std::uint64_t seed, std::int64_t start_unix_s,
               TraceFeed* feed = nullptr);

  /// The time of the next operation if it is before `horizon`, else any time at or after that.
  [[nodiscard]] Nanoseconds peek(Nanoseconds horizon) {
    if (position_ == filled_) {
      fill(horizon);
    }
    return times_[position_];
  }
  void pop() noexcept { ++position_; }

 private:
  static constexpr std::size_t kBlock = 512;
  void fill(Nanoseconds horizon);
  void fill_poisson(const Rate& rate);
  void fill_evenly(const Rate& rate, Nanoseconds at_ns, std::uint64_t count);

  const ClientSpec* client_;
  RngStream gaps_;
  TraceFeed* feed_;
  std::unique_ptr<RateWalk> walk_;  // only for a rate that changes
  std::uint64_t next_operation_ = 0;
  Nanoseconds last_ns_ = 0;
  std::size_t position_ = 0;
  std::size_t filled_ = 0;
  std::array<Nanoseconds, kBlock> times_{};
};

}  // namespace partsim
