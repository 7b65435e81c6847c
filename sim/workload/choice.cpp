#include "partsim/workload/choice.hpp"

#include <algorithm>

namespace partsim {

Choice::Choice(std::uint64_t count, const ChoiceLaw& law) : count_(count) {
  if (const auto* zipf = std::get_if<ZipfChoice>(&law)) {
    law_ = Law::zipf;
    zipf_ = Zipf(count, static_cast<double>(zipf->exponent_micro) / 1e6);
  } else if (const auto* hot = std::get_if<HotSetChoice>(&law)) {
    hot_share_ppm_ = static_cast<std::uint64_t>(hot->share_ppm);
    hot_count_ = std::max<std::uint64_t>(
        1, count * static_cast<std::uint64_t>(hot->of_ppm) / std::uint64_t{kMillion});
    law_ = hot_count_ < count ? Law::hot_set : Law::uniform;
  }
}

}  // namespace partsim
