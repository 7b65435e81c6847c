#include "partsim/workload/choice.hpp"

#include <algorithm>
#include <numeric>

#include "partsim/core/assert.hpp"

namespace partsim {

Choice::Choice(std::uint64_t count, const ChoiceLaw& law) : count_(count) {
  if (const auto* zipf = std::get_if<ZipfChoice>(&law)) {
    law_ = Law::zipf;
    zipf_exponent_ = static_cast<double>(zipf->exponent_micro) / 1e6;
    zipf_ = Zipf(count, zipf_exponent_);
  } else if (const auto* hot = std::get_if<HotSetChoice>(&law)) {
    hot_share_ppm_ = static_cast<std::uint64_t>(hot->share_ppm);
    hot_count_ = std::max<std::uint64_t>(
        1, count * static_cast<std::uint64_t>(hot->of_ppm) / std::uint64_t{kMillion});
    law_ = hot_count_ < count ? Law::hot_set : Law::uniform;
  } else if (const auto* weighted = std::get_if<WeightedChoice>(&law)) {
    PARTSIM_ASSERT(weighted->weights.size() == count, "every value has a weight");
    law_ = Law::weighted;
    weights_ = weighted->weights;
    weighted_ = AliasTable(weights_);
  }
}

std::vector<double> Choice::probabilities() const {
  const auto count = static_cast<double>(count_);
  std::vector<double> p(count_, 1.0 / count);
  if (law_ == Law::zipf) {
    for (std::size_t i = 0; i < p.size(); ++i) {
      p[i] = Zipf::share(i, count_, zipf_exponent_);
    }
  } else if (law_ == Law::hot_set) {
    const double share = static_cast<double>(hot_share_ppm_) / 1e6;
    const auto hot = static_cast<double>(hot_count_);
    for (std::size_t i = 0; i < p.size(); ++i) {
      p[i] = i < hot_count_ ? share / hot : (1.0 - share) / (count - hot);
    }
  } else if (law_ == Law::weighted) {
    const auto sum =
        static_cast<double>(std::accumulate(weights_.begin(), weights_.end(), std::uint64_t{0}));
    for (std::size_t i = 0; i < p.size(); ++i) {
      p[i] = static_cast<double>(weights_[i]) / sum;
    }
  }
  return p;
}

}  // namespace partsim
