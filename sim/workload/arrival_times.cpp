#include "partsim/workload/arrival_times.hpp"

#include <algorithm>

#include "partsim/core/distribution.hpp"

namespace partsim {

ArrivalTimes::ArrivalTimes(const ClientSpec& client, std::uint64_t seed, std::int64_t start_unix_s,
                           TraceFeed* feed)
    : client_(&client), gaps_(seed, client.name, "arrivals"), feed_(feed) {
  const auto* loop = std::get_if<OpenLoop>(&client.arrivals);
  if (loop != nullptr && RateWalk::is_needed(*loop)) {
    walk_ = std::make_unique<RateWalk>(*loop, start_unix_s, gaps_);
  }
}

void ArrivalTimes::fill_poisson(const Rate& rate) {
  const double mean_gap_ns =
      static_cast<double>(rate.per_ns) * 1e6 / static_cast<double>(rate.count_micro);
  // Two loops, because the first then runs in vector registers. Gaps are whole nanoseconds before
  // they are summed, so the blocking cannot show in the sums.
  std::array<double, kBlock> gap;  // NOLINT(cppcoreguidelines-pro-type-member-init): filled below
  for (std::size_t i = 0; i < kBlock; ++i) {
    // the cap keeps the conversion below defined for a client that is all but idle
    gap[i] = std::min(exponential(gaps_.draw(next_operation_ + i)) * mean_gap_ns, 4e18);
  }
  for (std::size_t i = 0; i < kBlock; ++i) {
    last_ns_ = std::min(last_ns_ + static_cast<Nanoseconds>(gap[i]), kNever);
    times_[i] = last_ns_;
  }
}

/// Operations below `count`, one after the other from `at_ns` on.
void ArrivalTimes::fill_evenly(const Rate& rate, Nanoseconds at_ns, std::uint64_t count) {
  __extension__ using Wide = __int128;
  for (std::size_t i = 0; i < kBlock; ++i) {
    const std::uint64_t operation = next_operation_ + i;
    const Wide time =
        at_ns + static_cast<Wide>(operation) * rate.per_ns * kMillion / rate.count_micro;
    times_[i] = operation < count
                    ? static_cast<Nanoseconds>(std::min(time, static_cast<Wide>(kNever)))
                    : kNever;
  }
}

void ArrivalTimes::fill(Nanoseconds horizon) {
  if (feed_ != nullptr) {
    if (position_ > 0) {
      feed_->take();  // what was popped
    }
    times_[0] = feed_->peek();
    position_ = 0;
    filled_ = 1;
    return;
  }
  position_ = 0;
  if (walk_) {
    filled_ = walk_->fill(times_, horizon);
    if (filled_ == 0) {
      times_[0] = kNever;  // for now: asked again at the next horizon
    }
    return;
  }
  filled_ = kBlock;
  if (const auto* loop = std::get_if<OpenLoop>(&client_->arrivals)) {
    if (loop->rate.count_micro == 0) {
      times_.fill(kNever);
    } else if (loop->spacing == OpenLoop::Spacing::poisson) {
      fill_poisson(loop->rate);
    } else {
      fill_evenly(loop->rate, 0, UINT64_MAX);
    }
  } else if (const auto* once = std::get_if<AtOnce>(&client_->arrivals)) {
    if (once->pace) {
      fill_evenly(*once->pace, once->at_ns, once->count);
    } else {
      for (std::size_t i = 0; i < kBlock; ++i) {
        times_[i] = next_operation_ + i < once->count ? once->at_ns : kNever;
      }
    }
  } else {
    times_.fill(kNever);
  }
  next_operation_ += kBlock;
}

}  // namespace partsim
