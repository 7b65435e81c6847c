/// A closed loop: users who wait for the answer, think, and ask again.
#pragma once

#include <cstdint>
#include <functional>
#include <queue>
#include <string_view>
#include <utility>
#include <vector>

#include "partsim/core/rng.hpp"
#include "partsim/scenario/scenario.hpp"
#include "partsim/workload/pacer.hpp"

namespace partsim {

/// User u's k-th operation has the number k * users + u, so that what it asks for does not depend
/// on who was faster.
class UserPool final : public Pacer {
 public:
  UserPool(const ClosedLoop& loop, std::uint64_t seed, std::string_view client);

  [[nodiscard]] Nanoseconds next_ns() override;
  void act(Nanoseconds now, SendList& send) override;
  void ended(const End& end, SendList& send) override;

 private:
  using Due = std::pair<Nanoseconds, std::uint64_t>;  // (when, operation)

  [[nodiscard]] Nanoseconds begin_of(std::uint64_t user) const noexcept;
  [[nodiscard]] Nanoseconds think_ns(std::uint64_t operation) const noexcept;

  ClosedLoop loop_;
  RngStream think_;
  std::uint64_t last_;          // operations from this number on are never sent
  std::uint64_t newcomer_ = 0;  // the first user who has not begun
  std::priority_queue<Due, std::vector<Due>, std::greater<>> thinking_;
};

}  // namespace partsim
