#include "partsim/workload/item_sizes.hpp"

namespace partsim {

SizeChoice::SizeChoice(const ContainerSpec& container, Bytes item_max_bytes)
    : smallest_(container.item_size_bytes), largest_(container.item_size_bytes) {
  if (!container.item_size_law) {
    return;
  }
  const SizeLaw& law = *container.item_size_law;
  if (law.law == SizeLaw::Law::uniform) {
    law_ = Law::uniform;
    smallest_ = law.low;
    largest_ = law.high;
    values_ = static_cast<std::uint64_t>(largest_ - smallest_) + 1;
    return;
  }
  law_ = Law::log_normal;
  smallest_ = 1;
  largest_ = item_max_bytes;
  quantiles_ = std::make_shared<const LogNormal>(static_cast<double>(law.low),
                                                 static_cast<double>(law.high));
}

}  // namespace partsim
