#include "partsim/workload/rate_walk.hpp"

#include <algorithm>
#include <cmath>

#include "partsim/core/distribution.hpp"

namespace partsim {
namespace {

double per_nanosecond(const Rate& rate) noexcept {
  return static_cast<double>(rate.count_micro) / (1e6 * static_cast<double>(rate.per_ns));
}

}  // namespace

RateWalk::RateWalk(const OpenLoop& loop, std::int64_t start_unix_s, const RngStream& gaps) noexcept
    : loop_(&loop), start_unix_s_(start_unix_s), gaps_(gaps) {
  has_mass_ = loop.spacing == OpenLoop::Spacing::evenly;  // the first comes at mass zero
  enter_segment();
}

void RateWalk::set_base() {
  while (changes_begun_ < loop_->changes.size() && loop_->changes[changes_begun_].at_ns <= at_ns_) {
    ++changes_begun_;
  }
  segment_ = {kNever, 0, 0, per_nanosecond(loop_->rate), 0, 1, 1};
  if (changes_begun_ < loop_->changes.size()) {
    cut_at(loop_->changes[changes_begun_].at_ns);
  }
  if (changes_begun_ == 0) {
    return;
  }
  const RateChange& change = loop_->changes[changes_begun_ - 1];
  const double target = per_nanosecond(change.rate);
  if (at_ns_ - change.at_ns >= change.over_ns) {
    segment_.from = target;
    return;
  }
  if (changes_begun_ > 1) {
    segment_.from = per_nanosecond(loop_->changes[changes_begun_ - 2].rate);
  }
  segment_.to = target;
  segment_.at_ns = change.at_ns;
  segment_.over_ns = change.over_ns;
  cut_at(change.at_ns + change.over_ns);
}

void RateWalk::cut_by_spikes() {
  const auto end = [](const RateSpike& spike) { return spike.at_ns + spike.for_ns; };
  while (spikes_ended_ < loop_->spikes.size() && end(loop_->spikes[spikes_ended_]) <= at_ns_) {
    ++spikes_ended_;
  }
  if (spikes_ended_ == loop_->spikes.size()) {
    return;
  }
  const RateSpike& spike = loop_->spikes[spikes_ended_];
  if (at_ns_ < spike.at_ns) {
    cut_at(spike.at_ns);
    return;
  }
  segment_.spike = static_cast<double>(spike.times_micro) / 1e6;
  cut_at(end(spike));
}

bool RateWalk::cut_by_bursts() {
  if (!loop_->on_off || loop_->on_off->off_ns == 0) {
    return true;
  }
  const Nanoseconds period = loop_->on_off->on_ns + loop_->on_off->off_ns;
  const Nanoseconds into = at_ns_ % period;
  const bool is_on = into < loop_->on_off->on_ns;
  if (!is_on) {
    segment_.from = 0;
    segment_.over_ns = 0;
  }
  cut_at(at_ns_ - into + (is_on ? loop_->on_off->on_ns : period));
  return is_on;
}

void RateWalk::cut_by_minutes() {
  if (!loop_->hour_ppm) {
    return;
  }
  const std::int64_t second = start_unix_s_ + at_ns_ / kSecond;
  const std::int64_t minute = second / 60;
  const std::int64_t m = minute % 60;
  const auto hour = static_cast<std::size_t>(minute / 60 % 24);
  const std::array<std::int64_t, 24>& ppm = *loop_->hour_ppm;
  const std::int64_t day_ppm = (ppm[hour] * (60 - m) + ppm[(hour + 1) % 24] * m) / 60;
  segment_.day = static_cast<double>(day_ppm) / 1e6;
  cut_at(((minute + 1) * 60 - start_unix_s_) * kSecond);
}

/// The segment that begins at at_ns_.
void RateWalk::enter_segment() {
  set_base();
  // a client that is silent anyway need not look at every burst and minute until it wakes
  const bool silent = segment_.over_ns == 0 && segment_.from == 0;
  if (!silent && cut_by_bursts()) {
    cut_by_spikes();
    cut_by_minutes();
  }
  r_ = segment_.rate(at_ns_);
  r1_ = segment_.rate(segment_.end_ns);
  slope_ = (r1_ - r_) / static_cast<double>(segment_.end_ns - at_ns_);
}

bool RateWalk::gather(Nanoseconds horizon) {
  for (;;) {
    const double left = (r_ + r1_) / 2 * static_cast<double>(segment_.end_ns - at_ns_);
    if (mass_ < left) {
      return true;
    }
    mass_ -= left;
    at_ns_ = segment_.end_ns;
    if (at_ns_ >= kNever) {
      mass_ = 1;  // nothing comes any more, however often it is asked
      return false;
    }
    enter_segment();
    if (at_ns_ >= horizon) {
      return false;
    }
  }
}

double RateWalk::next_exponential() noexcept {
  if (used_ == kBlock) {
    for (std::size_t i = 0; i < kBlock; ++i) {
      exponentials_[i] = exponential(gaps_.draw(next_draw_ + i));
    }
    next_draw_ += kBlock;
    used_ = 0;
  }
  return exponentials_[used_++];
}

std::size_t RateWalk::fill(std::span<Nanoseconds> times, Nanoseconds horizon) {
  const bool evenly = loop_->spacing == OpenLoop::Spacing::evenly;
  for (std::size_t i = 0; i < times.size(); ++i) {
    if (!has_mass_) {
      mass_ = next_exponential();
      has_mass_ = true;
    }
    if (at_ns_ >= horizon || !gather(horizon)) {
      return i;
    }
    // the root of r * gap + slope / 2 * gap^2 = mass in the form that does not cancel
    const bool constant = slope_ == 0;
    double gap = 0;
    if (mass_ > 0) {  // no mass takes no time, whatever the rate
      gap = constant ? mass_ / r_
                     : 2 * mass_ / (r_ + std::sqrt(std::max(0.0, r_ * r_ + 2 * slope_ * mass_)));
    }
    const Nanoseconds time = std::min(at_ns_ + static_cast<Nanoseconds>(gap), segment_.end_ns);
    const double r = constant ? r_ : segment_.rate(time);
    const double gathered = (r_ + r) / 2 * static_cast<double>(time - at_ns_);
    mass_ = 1 + std::max(0.0, mass_ - gathered);
    has_mass_ = evenly;
    at_ns_ = time;
    r_ = r;
    times[i] = time;
  }
  return times.size();
}

}  // namespace partsim
