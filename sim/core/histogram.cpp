#include "partsim/core/histogram.hpp"

#include <algorithm>

#include "partsim/core/time.hpp"

namespace partsim {
namespace {

__extension__ using Wide = unsigned __int128;

/// The middle of a cell: at most half a cell, 1/256 of the value, from any value in it.
std::uint64_t middle(std::size_t cell) noexcept {
  constexpr std::size_t kExact = std::size_t{2} << Histogram::kSubBits;
  if (cell < kExact) {
    return cell;
  }
  const std::size_t shift = (cell >> Histogram::kSubBits) - 1;
  const std::uint64_t low = std::uint64_t{cell - (shift << Histogram::kSubBits)} << shift;
  return low + ((std::uint64_t{1} << shift) - 1) / 2;
}

}  // namespace

void Histogram::merge(const Histogram& other) noexcept {
  for (std::size_t i = 0; i < cells_.size(); ++i) {
    cells_[i] += other.cells_[i];
  }
  count_ += other.count_;
  sum_ += other.sum_;
  max_ = std::max(max_, other.max_);
  min_ = std::min(min_, other.min_);
}

double Histogram::mean() const noexcept {
  return count_ == 0 ? 0.0 : static_cast<double>(sum_) / static_cast<double>(count_);
}

std::uint64_t Histogram::quantile(std::uint32_t ppm) const noexcept {
  if (count_ == 0 || ppm == 0) {
    return min();
  }
  if (ppm >= kMillion) {
    return max_;
  }
  const auto rank = static_cast<std::uint64_t>((Wide{count_} * ppm + (kMillion - 1)) / kMillion);
  std::uint64_t seen = 0;
  for (std::size_t i = index(min_); i < cells_.size(); ++i) {
    seen += cells_[i];
    if (seen >= rank) {
      return std::clamp(middle(i), min_, max_);
    }
  }
  return max_;
}

}  // namespace partsim
