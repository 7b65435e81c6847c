/// One of so many values, picked by a law; a pure function of the draw.
#pragma once

#include <cstdint>
#include <vector>

#include "partsim/core/distribution.hpp"
#include "partsim/core/rng.hpp"
#include "partsim/scenario/scenario.hpp"

namespace partsim {

class Choice {
 public:
  Choice() = default;
  Choice(std::uint64_t count, const ChoiceLaw& law);

  [[nodiscard]] std::uint64_t sample(std::uint64_t draw) const noexcept {
    switch (law_) {
      case Law::uniform:
        return bounded(draw, count_);
      case Law::zipf:
        return zipf_.sample(draw);
      case Law::weighted:
        return weighted_.sample(draw);
      case Law::hot_set:
        break;
    }
    const bool is_hot = bounded(draw, kMillion) < hot_share_ppm_;
    const std::uint64_t again = redraw(draw);
    return is_hot ? bounded(again, hot_count_) : hot_count_ + bounded(again, count_ - hot_count_);
  }
  [[nodiscard]] std::uint64_t count() const noexcept { return count_; }
  /// Of every value, in order. For small counts only.
  [[nodiscard]] std::vector<double> probabilities() const;

 private:
  enum class Law : std::uint8_t { uniform, zipf, hot_set, weighted };

  Law law_ = Law::uniform;
  std::uint64_t count_ = 1;
  Zipf zipf_;
  double zipf_exponent_ = 0;
  std::uint64_t hot_share_ppm_ = 0;
  std::uint64_t hot_count_ = 1;
  AliasTable weighted_;
  std::vector<std::uint64_t> weights_;
};

}  // namespace partsim
