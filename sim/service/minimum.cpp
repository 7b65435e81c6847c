#include "partsim/service/minimum.hpp"

#include <algorithm>

namespace partsim {
namespace {

__extension__ using Wide = __int128;

struct MinimumRule {
  MilliRu least;
  MilliRu per_gb;
  std::int64_t high_water_divisor;
  MilliRu per_extra_container;
  MilliRu step;  // the result is a multiple of it
};

MinimumRule rule_of(const ProviderParameters& p, CapacityMode mode) noexcept {
  if (mode == CapacityMode::autoscale) {
    return {p.min_mru_autoscale_max, p.min_mru_per_gb_autoscale,
            p.min_mru_high_water_divisor_autoscale, 1'000 * kMilliPerRu, p.mru_step_autoscale};
  }
  return {p.min_mru_manual, p.min_mru_per_gb_manual, p.min_mru_high_water_divisor_manual,
          100 * kMilliPerRu, 1};
}

}  // namespace

MilliRu minimum_mru_per_s(const ProviderParameters& parameters,
                          const MinimumBasis& basis) noexcept {
  const MinimumRule rule = rule_of(parameters, basis.mode);
  MilliRu minimum = rule.least;
  if (basis.is_database && basis.containers > parameters.shared_db_max_containers) {
    minimum += (basis.containers - parameters.shared_db_max_containers) * rule.per_extra_container;
  }
  const Wide by_storage = static_cast<Wide>(basis.stored_bytes) * rule.per_gb / kGigabyte;
  minimum = std::max(minimum, static_cast<MilliRu>(by_storage));
  if (rule.high_water_divisor > 0) {
    minimum = std::max(minimum, basis.highest_mru_per_s / rule.high_water_divisor);
  }
  return (minimum + rule.step - 1) / rule.step * rule.step;
}

MilliRu even_growth_mru_per_s(const ProviderParameters& parameters, std::uint32_t partitions,
                              MilliRu wanted) noexcept {
  Wide target = static_cast<Wide>(parameters.growth_partition_mru) * partitions;
  if (wanted <= target || target <= 0) {
    return wanted;
  }
  while (target < wanted) {
    target *= 2;
  }
  return static_cast<MilliRu>(target);
}

}  // namespace partsim
