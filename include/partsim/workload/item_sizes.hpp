/// How large items are.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>

#include "partsim/core/distribution.hpp"
#include "partsim/core/rng.hpp"
#include "partsim/scenario/scenario.hpp"

namespace partsim {

/// The law of a container's item sizes; a pure function of the draw.
class SizeChoice {
 public:
  SizeChoice() = default;
  SizeChoice(const ContainerSpec& container, Bytes item_max_bytes);

  [[nodiscard]] bool varies() const noexcept { return law_ != Law::fixed; }
  [[nodiscard]] Bytes smallest() const noexcept { return smallest_; }
  [[nodiscard]] Bytes largest() const noexcept { return largest_; }
  [[nodiscard]] Bytes sample(std::uint64_t draw) const noexcept {
    if (law_ == Law::fixed) {
      return smallest_;
    }
    if (law_ == Law::uniform) {
      return smallest_ + static_cast<Bytes>(bounded(draw, values_));
    }
    // clamped as a double: a far tail may not fit an integer
    return static_cast<Bytes>(std::clamp(quantiles_->sample(draw), static_cast<double>(smallest_),
                                         static_cast<double>(largest_)));
  }

 private:
  enum class Law : std::uint8_t { fixed, uniform, log_normal };
  Law law_ = Law::fixed;
  Bytes smallest_ = 0;
  Bytes largest_ = 0;
  std::uint64_t values_ = 1;                    // of the uniform law
  std::shared_ptr<const LogNormal> quantiles_;  // its table is large, so copies share it
};

/// The sizes of one client's items, by operation number.
class ItemSizes {
 public:
  ItemSizes() = default;
  ItemSizes(SizeChoice choice, std::uint64_t seed, std::string_view client)
      : choice_(std::move(choice)), stream_(seed, client, "size") {}

  [[nodiscard]] Bytes size(std::uint64_t operation) const noexcept {
    return choice_.sample(stream_.draw(operation));
  }

 private:
  SizeChoice choice_;
  RngStream stream_;
};

}  // namespace partsim
