/// How latency changed over the time of a run.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "partsim/core/time.hpp"

namespace partsim {

/// Row r is about the operations of the counted window that were first sent in [r, r+1) * interval
/// from time zero and succeeded; rows of the warm-up are empty.
struct LatencySeries {
  struct Row {
    std::uint64_t succeeded = 0;
    std::uint64_t p50_ns = 0;  // within 1.6 %
    std::uint64_t p95_ns = 0;
    std::uint64_t p99_ns = 0;
    std::uint64_t max_ns = 0;  // exact
  };
  std::int64_t interval_s = 1;  // doubles while a run is longer than kMaxIntervals of it
  std::vector<Row> rows;
  static constexpr std::int64_t kMaxIntervals = 512;
};

/// Collects them: one log-linear histogram an interval, 32 cells an octave.
class LatencyOverTime {
 public:
  LatencyOverTime() = default;
  explicit LatencyOverTime(Nanoseconds duration_ns);

  void add(Nanoseconds first_send_ns, std::uint64_t latency_ns) noexcept {
    Interval& interval = intervals_[interval_of(first_send_ns)];
    ++interval.cells[cell_of(latency_ns)];
    interval.max_ns = std::max(interval.max_ns, latency_ns);
  }
  /// Rows up to `end_ns`, where the run ended.
  [[nodiscard]] LatencySeries series(Nanoseconds end_ns) const;

 private:
  static constexpr unsigned kSubBits = 5;
  static constexpr unsigned kFinest = 10;  // about a microsecond; faster is as fast as that
  static constexpr unsigned kOctaves = 40;
  static constexpr std::size_t kCells = std::size_t{kOctaves} << kSubBits;

  struct Interval {
    std::array<std::uint32_t, kCells> cells{};
    std::uint64_t max_ns = 0;
  };

  static std::size_t cell_of(std::uint64_t latency_ns) noexcept {
    const std::uint64_t units = (latency_ns >> kFinest) | 1U;
    const auto width = static_cast<unsigned>(std::bit_width(units));
    const unsigned shift = width > kSubBits + 1 ? width - kSubBits - 1 : 0;
    return std::min((std::size_t{shift} << kSubBits) + static_cast<std::size_t>(units >> shift),
                    kCells - 1);
  }
  static std::uint64_t middle_of(std::size_t cell) noexcept;
  static std::uint64_t quantile(const Interval& interval, std::uint64_t count, std::uint32_t ppm);

  /// Most operations fall into the interval of the one before; then there is nothing to divide.
  std::size_t interval_of(Nanoseconds first_send_ns) noexcept {
    if (static_cast<std::uint64_t>(first_send_ns - last_begin_ns_) >=
        static_cast<std::uint64_t>(interval_ns_)) {
      last_ = static_cast<std::size_t>(first_send_ns / interval_ns_);
      last_begin_ns_ = static_cast<Nanoseconds>(last_) * interval_ns_;
    }
    return last_;
  }

  Nanoseconds interval_ns_ = kSecond;
  std::vector<Interval> intervals_;
  std::size_t last_ = 0;
  Nanoseconds last_begin_ns_ = 0;
};

}  // namespace partsim
