/// A rate that changes with time: changes and ramps, spikes, bursts, the hours of a day.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "partsim/core/rng.hpp"
#include "partsim/scenario/scenario.hpp"

namespace partsim {

/// Walks along the rate of an open-loop client, one segment of constant or straight rate at a time,
/// so that ten years of bursts need no more memory than one.
class RateWalk {
 public:
  /// `loop` must outlive the walk.
  RateWalk(const OpenLoop& loop, std::int64_t start_unix_s, const RngStream& gaps) noexcept;

  /// Whether anything but `rate` decides when operations come.
  [[nodiscard]] static bool is_needed(const OpenLoop& loop) noexcept {
    return !loop.changes.empty() || !loop.spikes.empty() || loop.on_off || loop.hour_ppm;
  }

  /// Writes times of the next operations, in order, and returns how many. It stops behind the first
  /// at or after `horizon`, so none written means that none is left before it.
  [[nodiscard]] std::size_t fill(std::span<Nanoseconds> times, Nanoseconds horizon);

 private:
  /// Up to `end_ns` the rate is `from`, or goes from there to `to` in `over_ns` from `at_ns` on.
  struct Segment {
    Nanoseconds end_ns = 0;
    Nanoseconds at_ns = 0;
    Nanoseconds over_ns = 0;  // 0: constant
    double from = 0;
    double to = 0;
    double spike = 1;
    double day = 1;

    [[nodiscard]] double rate(Nanoseconds t) const noexcept {
      const double base = over_ns == 0 ? from
                                       : from + (to - from) * (static_cast<double>(t - at_ns) /
                                                               static_cast<double>(over_ns));
      return base * spike * day;
    }
  };

  void enter_segment();
  void set_base();
  void cut_by_spikes();
  /// False in the silent part of a burst.
  [[nodiscard]] bool cut_by_bursts();
  void cut_by_minutes();
  void cut_at(Nanoseconds t) noexcept {
    if (t < segment_.end_ns) {
      segment_.end_ns = t;
    }
  }
  /// Goes on until the mass to gather lies inside the segment; false: not before the horizon.
  [[nodiscard]] bool gather(Nanoseconds horizon);
  [[nodiscard]] double next_exponential() noexcept;

  static constexpr std::size_t kBlock = 256;

  const OpenLoop* loop_;
  std::int64_t start_unix_s_;
  RngStream gaps_;
  std::size_t changes_begun_ = 0;
  std::size_t spikes_ended_ = 0;
  Nanoseconds at_ns_ = 0;  // everything before is done
  double mass_ = 0;        // still to gather until the next operation
  bool has_mass_ = false;
  double r_ = 0;   // rate at at_ns_
  double r1_ = 0;  // rate at the end of the segment
  double slope_ = 0;
  Segment segment_;
  std::uint64_t next_draw_ = 0;
  std::size_t used_ = kBlock;
  std::array<double, kBlock> exponentials_{};
};

}  // namespace partsim
