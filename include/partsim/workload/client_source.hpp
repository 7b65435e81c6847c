/// A client as a source of requests in order of time: when, what, and to which partition.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "partsim/core/distribution.hpp"
#include "partsim/core/rng.hpp"
#include "partsim/workload/arrival.hpp"
#include "partsim/workload/fan_out.hpp"
#include "partsim/workload/operation_plan.hpp"
#include "partsim/workload/router.hpp"

namespace partsim {

/// Times of a client's operations, made in blocks; an operation's number is its place in the
/// sequence.
class ArrivalTimes {
 public:
  ArrivalTimes(const ClientSpec& client, std::uint64_t seed);

  /// The time of the next operation; kNever after the last.
  [[nodiscard]] Nanoseconds peek() {
    if (position_ == filled_) {
      fill();
    }
    return times_[position_];
  }
  void pop() noexcept { ++position_; }

 private:
  static constexpr std::size_t kBlock = 512;
  void fill();
  void fill_poisson(const OpenLoop& loop);

  const ClientSpec* client_;
  RngStream gaps_;
  std::uint64_t next_operation_ = 0;
  Nanoseconds last_ns_ = 0;
  std::size_t position_ = 0;
  std::size_t filled_ = 0;
  std::array<Nanoseconds, kBlock> times_{};
};

class ClientSource {
 public:
  struct Setup {
    const ClientSpec* client;
    std::uint32_t index;  // among the scenario's clients
    std::uint64_t seed;
    Nanoseconds warm_up_ns;
    Router* router;
    std::uint16_t first_plan;    // of this client, among all plans
    const OperationPlan* plans;  // of this client
  };
  explicit ClientSource(const Setup& setup);

  /// Appends the requests of every operation first sent before `horizon`, in order of (time, id).
  /// Charges of counted first attempts are added to `demand_mru` (one a partition).
  void emit_before(Nanoseconds horizon, std::vector<Arrival>& out, FanOutTable& fan_outs,
                   std::vector<MilliRu>& demand_mru);

  [[nodiscard]] std::uint64_t offered() const noexcept { return offered_; }
  [[nodiscard]] std::uint64_t requests() const noexcept { return requests_; }
  [[nodiscard]] const KeyStreams& key_streams() const noexcept { return key_streams_; }

 private:
  [[nodiscard]] std::uint32_t pick_operation(std::uint64_t operation) const noexcept;
  void emit_fan_out(const OperationPlan& plan, Arrival arrival, std::vector<Arrival>& out,
                    FanOutTable& fan_outs, std::vector<MilliRu>& demand_mru);

  Setup setup_;
  ArrivalTimes times_;
  RngStream mix_;
  KeyStreams key_streams_;
  std::vector<std::uint32_t> mix_until_ppm_;  // running sums of the shares
  KeyChoice choice_;
  Nanoseconds clock_until_ns_ = 0;
  std::uint64_t next_operation_ = 0;
  std::uint64_t offered_ = 0;   // operations of the counted window
  std::uint64_t requests_ = 0;  // theirs
};

}  // namespace partsim
