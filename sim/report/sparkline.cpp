#include "sparkline.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

#include "partsim/metrics/derived.hpp"

namespace partsim {
namespace {

constexpr std::size_t kLevels = 8;

std::string_view level_text(double used, bool unicode) {
  constexpr std::array<std::string_view, kLevels> kBlocks{"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
  constexpr std::array<std::string_view, kLevels> kAscii{"_", ".", ":", "-", "=", "+", "*", "#"};
  const double top = kLevels - 1;
  const auto level = static_cast<std::size_t>(std::lround(std::clamp(used, 0.0, 1.0) * top));
  return unicode ? kBlocks[level] : kAscii[level];
}

}  // namespace

std::string sparkline(const RunResult& run, std::size_t partition, std::size_t width,
                      bool unicode) {
  const LoadSeries& series = run.series;
  const auto column = static_cast<Eigen::Index>(partition);
  const Nanoseconds interval_ns = std::max<std::int64_t>(series.interval_s, 1) * kSecond;
  const Eigen::Index first =
      std::min<Eigen::Index>(series.consumed_mru.rows(), run.warm_up_ns / interval_ns);
  const Eigen::Index rows = series.consumed_mru.rows() - first;
  std::string text;
  if (rows <= 0 || column >= series.consumed_mru.cols()) {
    return text.append(width, ' ');
  }
  const auto columns = static_cast<Eigen::Index>(width);
  for (Eigen::Index i = 0; i < columns; ++i) {
    const Eigen::Index begin = first + i * rows / columns;
    const Eigen::Index end = std::max(begin + 1, first + (i + 1) * rows / columns);
    double consumed = 0;
    double granted = 0;
    for (Eigen::Index row = begin; row < end; ++row) {
      consumed += static_cast<double>(series.consumed_mru(row, column));
      granted += static_cast<double>(series.share_mru(row, column)) *
                 static_cast<double>(std::max(run.regions, 1U));
    }
    if (granted > 0) {
      text += level_text(consumed / granted, unicode);
    } else {
      const PartitionResult& it = run.partitions[partition];
      text += existed_in(run, it, begin) ? level_text(0, unicode) : " ";
    }
  }
  return text;
}

}  // namespace partsim
