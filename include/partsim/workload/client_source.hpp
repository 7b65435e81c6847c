/// A client as a source of requests in order of time: when, what, and to which partition.
#pragma once

#include <cstdint>
#include <vector>

#include "partsim/core/rng.hpp"
#include "partsim/workload/arrival.hpp"
#include "partsim/workload/arrival_times.hpp"
#include "partsim/workload/fan_out.hpp"
#include "partsim/workload/operation_mix.hpp"
#include "partsim/workload/operation_plan.hpp"
#include "partsim/workload/router.hpp"

namespace partsim {

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
    TraceFeed* feed = nullptr;   // of a client that replays a trace
  };
  explicit ClientSource(const Setup& setup);

  /// Appends the requests of every operation first sent before `horizon`, in order of (time, id).
  /// Charges of counted first attempts are added to `demand_mru` (one a partition). Nothing for a
  /// client that is not an open loop.
  void emit_before(Nanoseconds horizon, std::vector<Arrival>& out, FanOutTable& fan_outs,
                   std::vector<MilliRu>& demand_mru);
  /// Likewise of the one operation with this number, first sent at `time`: for clients whose
  /// operations follow from answers. Numbers and times may come in any order.
  void emit(std::uint64_t operation, Nanoseconds time, std::vector<Arrival>& out,
            FanOutTable& fan_outs, std::vector<MilliRu>& demand_mru);
  /// The times that emit_before() uses up, for whoever sends by emit() instead.
  [[nodiscard]] ArrivalTimes& times() noexcept { return times_; }

  [[nodiscard]] std::uint64_t offered() const noexcept { return offered_; }
  [[nodiscard]] std::uint64_t requests() const noexcept { return requests_; }
  [[nodiscard]] const KeyStreams& key_streams() const noexcept { return key_streams_; }

 private:
  /// Where the requests of an operation go.
  struct Sink {
    std::vector<Arrival>& out;
    FanOutTable& fan_outs;
    std::vector<MilliRu>& demand_mru;
  };
  void send(std::uint64_t operation, Nanoseconds time, Sink& sink);
  void send_varying(const OperationPlan& plan, Arrival arrival, Sink& sink);
  void send_row(std::uint64_t operation, Nanoseconds time, Sink& sink);
  void send_point(MilliRu charge, Arrival arrival, Sink& sink);
  /// What is known of the item that a fan-out is about.
  struct Item {
    Bytes size;
    MilliRu recorded_mru = TraceFeed::kNotStated;  // what a trace says that the operation costs
  };
  void send_fan_out(const OperationPlan& plan, Arrival arrival, const Item& item, Sink& sink);

  Setup setup_;
  ArrivalTimes times_;
  OperationMix mix_;
  RngStream sizes_;
  RngStream existing_;
  KeyStreams key_streams_;
  KeyChoice choice_;
  Nanoseconds clock_until_ns_ = 0;
  std::uint64_t next_operation_ = 0;
  std::uint64_t offered_ = 0;   // operations of the counted window
  std::uint64_t requests_ = 0;  // theirs
};

}  // namespace partsim
