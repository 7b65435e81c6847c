#include "partsim/metrics/latency_series.hpp"

#include <numeric>

namespace partsim {
namespace {

__extension__ using Wide = unsigned __int128;

constexpr std::uint32_t kMedian = 500'000;
constexpr std::uint32_t kP95 = 950'000;
constexpr std::uint32_t kP99 = 990'000;

std::size_t intervals_in(Nanoseconds time_ns, Nanoseconds interval_ns) {
  return static_cast<std::size_t>((time_ns + interval_ns - 1) / interval_ns);
}

}  // namespace

LatencyOverTime::LatencyOverTime(Nanoseconds duration_ns) {
  while (duration_ns / interval_ns_ >= LatencySeries::kMaxIntervals) {
    interval_ns_ *= 2;
  }
  intervals_.resize(intervals_in(duration_ns, interval_ns_));
}

std::uint64_t LatencyOverTime::middle_of(std::size_t cell) noexcept {
  constexpr std::size_t kExact = std::size_t{2} << kSubBits;
  const std::size_t shift = cell < kExact ? 0 : (cell >> kSubBits) - 1;
  const std::uint64_t low = std::uint64_t{cell - (shift << kSubBits)} << (shift + kFinest);
  return low + ((std::uint64_t{1} << (shift + kFinest)) - 1) / 2;
}

std::uint64_t LatencyOverTime::quantile(const Interval& interval, std::uint64_t count,
                                        std::uint32_t ppm) {
  const auto rank = static_cast<std::uint64_t>((Wide{count} * ppm + (kMillion - 1)) / kMillion);
  std::uint64_t seen = 0;
  for (std::size_t cell = 0; cell < kCells; ++cell) {
    seen += interval.cells[cell];
    if (seen >= rank) {
      return std::min(middle_of(cell), interval.max_ns);
    }
  }
  return interval.max_ns;
}

LatencySeries LatencyOverTime::series(Nanoseconds end_ns) const {
  LatencySeries series;
  series.interval_s = interval_ns_ / kSecond;
  series.rows.resize(std::min(intervals_.size(), intervals_in(end_ns, interval_ns_)));
  for (std::size_t row = 0; row < series.rows.size(); ++row) {
    const Interval& interval = intervals_[row];
    const std::uint64_t count =
        std::accumulate(interval.cells.begin(), interval.cells.end(), std::uint64_t{0});
    if (count > 0) {
      series.rows[row] = {count, quantile(interval, count, kMedian),
                          quantile(interval, count, kP95), quantile(interval, count, kP99),
                          interval.max_ns};
    }
  }
  return series;
}

}  // namespace partsim
