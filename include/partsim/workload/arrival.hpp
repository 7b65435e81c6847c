/// A request on its way to a partition for the first time.
#pragma once

#include <cstdint>

#include "partsim/core/time.hpp"
#include "partsim/scenario/scenario.hpp"

namespace partsim {

/// Operation number and client in one word. Comparing ids orders simultaneous requests by operation
/// number, then by client name (clients are sorted): a total order at every partition, because an
/// operation sends at most one request to each.
struct RequestId {
  static constexpr unsigned kClientBits = 10;
  static_assert(kMaxClients == std::size_t{1} << kClientBits);

  [[nodiscard]] static constexpr std::uint64_t make(std::uint64_t operation,
                                                    std::uint32_t client) noexcept {
    return operation << kClientBits | client;
  }
  [[nodiscard]] static constexpr std::uint64_t operation(std::uint64_t id) noexcept {
    return id >> kClientBits;
  }
  [[nodiscard]] static constexpr std::uint32_t client(std::uint64_t id) noexcept {
    return static_cast<std::uint32_t>(id & (kMaxClients - 1));
  }
};

/// `join` of a request that is an operation of its own.
inline constexpr std::uint32_t kNoJoin = UINT32_MAX;

struct Arrival {
  Nanoseconds time_ns;
  std::uint64_t id;
  std::uint32_t charge_mru;
  std::uint32_t join;       // slot of its fan-out operation, or kNoJoin
  std::uint32_t partition;  // over all containers
  std::uint16_t plan;       // which operation of which client, over all clients
  std::uint16_t request;    // number within a fan-out

  [[nodiscard]] bool operator<(const Arrival& other) const noexcept {
    return time_ns != other.time_ns ? time_ns < other.time_ns : id < other.id;
  }
};

}  // namespace partsim
