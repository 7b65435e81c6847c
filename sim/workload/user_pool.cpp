#include "partsim/workload/user_pool.hpp"

#include <algorithm>

#include "partsim/core/distribution.hpp"

namespace partsim {

UserPool::UserPool(const ClosedLoop& loop, std::uint64_t seed, std::string_view client)
    : loop_(loop), think_(seed, client, "think"), last_(loop.total.value_or(UINT64_MAX)) {}

Nanoseconds UserPool::begin_of(std::uint64_t user) const noexcept {
  __extension__ using Wide = __int128;
  return static_cast<Nanoseconds>(static_cast<Wide>(user) * loop_.start_over_ns / loop_.users);
}

Nanoseconds UserPool::think_ns(std::uint64_t operation) const noexcept {
  if (loop_.think == ClosedLoop::Think::fixed) {
    return loop_.think_ns;
  }
  const double factor = exponential(think_.draw(operation));
  return static_cast<Nanoseconds>(factor * static_cast<double>(loop_.think_ns));
}

Nanoseconds UserPool::next_ns() {
  const Nanoseconds thought = thinking_.empty() ? kNever : thinking_.top().first;
  const bool has_newcomer = newcomer_ < std::min<std::uint64_t>(loop_.users, last_);
  return has_newcomer ? std::min(thought, begin_of(newcomer_)) : thought;
}

void UserPool::act(Nanoseconds now, SendList& send) {
  const std::uint64_t users = std::min<std::uint64_t>(loop_.users, last_);
  for (; newcomer_ < users && begin_of(newcomer_) == now; ++newcomer_) {
    thinking_.emplace(now, newcomer_);
  }
  for (; !thinking_.empty() && thinking_.top().first == now; thinking_.pop()) {
    send.push_back(thinking_.top().second);
  }
}

void UserPool::ended(const End& end, SendList& /*send*/) {
  const std::uint64_t next = end.operation + loop_.users;
  if (next < last_) {
    thinking_.emplace(end.time_ns + think_ns(end.operation), next);
  }
}

}  // namespace partsim
