// Decimal text to the nearest double by integers alone: the standard library's own conversions
// depend on the locale or are missing on some of our targets.
#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include "scalar.hpp"

namespace partsim {
namespace {

/// A natural number, least significant digit first.
class Natural {
 public:
  void multiply_add(std::uint32_t factor, std::uint32_t summand) {
    std::uint64_t carry = summand;
    for (std::uint32_t& digit : digits_) {
      carry += std::uint64_t{digit} * factor;
      digit = static_cast<std::uint32_t>(carry);
      carry >>= 32U;
    }
    if (carry != 0) {
      digits_.push_back(static_cast<std::uint32_t>(carry));
    }
  }
  void shift_left(std::size_t bits) {
    if (digits_.empty()) {
      return;
    }
    multiply_add(std::uint32_t{1} << (bits % 32), 0);
    digits_.insert(digits_.begin(), bits / 32, 0);
  }
  /// Only if it is not smaller than `other`.
  void subtract(const Natural& other) {
    std::uint64_t borrow = 0;
    for (std::size_t i = 0; i < digits_.size(); ++i) {
      const std::uint64_t less = borrow + (i < other.digits_.size() ? other.digits_[i] : 0U);
      borrow = digits_[i] < less ? 1 : 0;
      digits_[i] = static_cast<std::uint32_t>(digits_[i] - less);
    }
    while (!digits_.empty() && digits_.back() == 0) {
      digits_.pop_back();
    }
  }
  [[nodiscard]] int compare(const Natural& other) const {
    if (digits_.size() != other.digits_.size()) {
      return digits_.size() < other.digits_.size() ? -1 : 1;
    }
    const auto [mine, theirs] =
        std::mismatch(digits_.rbegin(), digits_.rend(), other.digits_.rbegin());
    return mine == digits_.rend() ? 0 : *mine < *theirs ? -1 : 1;
  }
  [[nodiscard]] int bits() const {
    return digits_.empty()
               ? 0
               : static_cast<int>(digits_.size() * 32) - std::countl_zero(digits_.back());
  }

 private:
  std::vector<std::uint32_t> digits_;  // no zero at the end
};

/// above / below, rounded half to even; nullopt outside the normal doubles.
std::optional<double> nearest_quotient(Natural above, Natural below) {
  constexpr int kMantissaBits = 53;
  constexpr int kBias = 1023;
  int exponent = above.bits() - below.bits();
  (exponent >= 0 ? below : above).shift_left(static_cast<std::size_t>(std::abs(exponent)));
  if (above.compare(below) < 0) {
    above.shift_left(1);
    --exponent;
  }
  std::uint64_t mantissa = 0;
  for (int i = 0; i < kMantissaBits; ++i) {
    const bool fits = above.compare(below) >= 0;
    if (fits) {
      above.subtract(below);
    }
    mantissa = mantissa << 1U | (fits ? 1U : 0U);
    above.shift_left(1);
  }
  const int rest = above.compare(below);
  mantissa += rest > 0 || (rest == 0 && mantissa % 2 == 1) ? 1U : 0U;
  if (mantissa >> kMantissaBits != 0) {
    mantissa >>= 1U;
    ++exponent;
  }
  if (exponent > kBias || exponent <= -kBias) {
    return std::nullopt;
  }
  const int biased_exponent = exponent + kBias;
  const auto biased = static_cast<std::uint64_t>(biased_exponent);
  return std::bit_cast<double>(biased << 52U | (mantissa & 0x000FFFFFFFFFFFFFULL));
}

bool is_digits(std::string_view text) {
  return !text.empty() &&
         std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

}  // namespace

std::optional<double> parse_plain_number(std::string_view text) {
  static constexpr std::size_t kMaxDigits = 400;
  const std::size_t point = text.find('.');
  const std::string_view whole = text.substr(0, point);
  const std::string_view places =
      point == std::string_view::npos ? std::string_view() : text.substr(point + 1);
  const bool has_form = is_digits(whole) && (point == std::string_view::npos || is_digits(places));
  if (!has_form || (whole.size() > 1 && whole.front() == '0') || text.size() > kMaxDigits) {
    return std::nullopt;
  }
  Natural above;
  Natural below;
  below.multiply_add(0, 1);
  for (const char c : whole) {
    above.multiply_add(10, static_cast<std::uint32_t>(c - '0'));
  }
  for (const char c : places) {
    above.multiply_add(10, static_cast<std::uint32_t>(c - '0'));
    below.multiply_add(10, 0);
  }
  return above.bits() == 0 ? std::optional(0.0)
                           : nearest_quotient(std::move(above), std::move(below));
}

}  // namespace partsim
