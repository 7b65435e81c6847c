/// Open fan-out operations: an operation that asked several partitions ends with its last answer.
#pragma once

#include <cstdint>
#include <vector>

#include "partsim/core/time.hpp"
#include "partsim/workload/arrival.hpp"

namespace partsim {

/// How one request ended, completed or given up. Never at or after the end of the run.
struct RequestEnd {
  Nanoseconds end_ns = 0;
  Nanoseconds service_ns = 0;
  Nanoseconds queue_ns = 0;
  Nanoseconds retry_wait_ns = 0;
  MilliRu charge_mru = 0;  // 0 if it failed
  std::uint32_t request = 0;
  bool succeeded = false;
};

class FanOutTable {
 public:
  struct Operation {
    Nanoseconds first_send_ns = 0;
    std::uint64_t id = 0;  // of its requests
    std::uint32_t waiting_for = 0;
    bool failed = false;
    MilliRu charge_mru = 0;
    RequestEnd last;  // the latest end so far; on a tie the highest request number

    [[nodiscard]] std::uint32_t client() const noexcept { return RequestId::client(id); }
  };

  [[nodiscard]] std::uint32_t open(Nanoseconds first_send_ns, std::uint64_t id,
                                   std::uint32_t requests) {
    const Operation operation{first_send_ns, id, requests, false, 0, {}};
    if (free_.empty()) {
      operations_.push_back(operation);
      return static_cast<std::uint32_t>(operations_.size() - 1);
    }
    const std::uint32_t slot = free_.back();
    free_.pop_back();
    operations_[slot] = operation;
    return slot;
  }

  /// Books a request's end; returns the operation when that was its last, else nullptr. The pointer
  /// is good until the next open().
  [[nodiscard]] const Operation* close_request(std::uint32_t slot, const RequestEnd& end) {
    Operation& operation = operations_[slot];
    operation.failed = operation.failed || !end.succeeded;
    operation.charge_mru += end.charge_mru;
    const bool later = end.end_ns != operation.last.end_ns ? end.end_ns > operation.last.end_ns
                                                           : end.request >= operation.last.request;
    if (later) {
      operation.last = end;
    }
    if (--operation.waiting_for > 0) {
      return nullptr;
    }
    free_.push_back(slot);
    return &operation;
  }

  /// Operations still waiting for an answer.
  template <class Handle>
  void for_each_open(Handle&& handle) const {
    for (const Operation& operation : operations_) {
      if (operation.waiting_for > 0) {
        handle(operation);
      }
    }
  }

 private:
  std::vector<Operation> operations_;
  std::vector<std::uint32_t> free_;
};

}  // namespace partsim
