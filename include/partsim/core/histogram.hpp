/// Log-linear histogram of non-negative integers: 128 cells an octave, so a reported value is
/// within 0.4 % of the true one. Integer counts: merging is exact in any order.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace partsim {

class Histogram {
 public:
  static constexpr unsigned kSubBits = 7;
  static constexpr std::size_t kCells = (64 - kSubBits) << kSubBits;

  void add(std::uint64_t value) noexcept {
    ++cells_[index(value)];
    ++count_;
    sum_ += value;
    max_ = value > max_ ? value : max_;
    min_ = value < min_ ? value : min_;
  }
  void merge(const Histogram& other) noexcept;

  [[nodiscard]] std::uint64_t count() const noexcept { return count_; }
  [[nodiscard]] std::uint64_t sum() const noexcept { return sum_; }
  [[nodiscard]] std::uint64_t max() const noexcept { return max_; }
  /// Smallest sample, 0 when empty.
  [[nodiscard]] std::uint64_t min() const noexcept { return count_ == 0 ? 0 : min_; }
  /// Mean of the samples themselves, not of the cells; 0 when empty.
  [[nodiscard]] double mean() const noexcept;
  /// Smallest value v with at least `ppm` millionths of the samples <= v, to cell precision (the
  /// middle of its cell, never outside [min, max]); 0 when empty. 500'000 is the median, 0 the
  /// smallest sample and 1'000'000 the largest, both exact.
  [[nodiscard]] std::uint64_t quantile(std::uint32_t ppm) const noexcept;
  [[nodiscard]] bool operator==(const Histogram&) const = default;

  [[nodiscard]] static constexpr std::size_t index(std::uint64_t value) noexcept {
    // The cast is needed: the standard library's bit_width returns an int or the operand's type.
    const auto width = static_cast<unsigned>(std::bit_width(value | 1U));
    const unsigned shift = width > kSubBits + 1 ? width - kSubBits - 1 : 0;
    return (std::size_t{shift} << kSubBits) + static_cast<std::size_t>(value >> shift);
  }

 private:
  // largest index: shift 56, value >> 56 up to 255 -> 56 * 128 + 255
  std::array<std::uint64_t, kCells + (1U << kSubBits)> cells_{};
  std::uint64_t count_ = 0;
  std::uint64_t sum_ = 0;
  std::uint64_t max_ = 0;
  std::uint64_t min_ = UINT64_MAX;
};

}  // namespace partsim
