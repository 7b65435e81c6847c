#include "partsim/scenario/minimum.hpp"

#include "safe_math.hpp"

namespace partsim {
namespace {

struct MinimumRule {
  MilliRu least;
  MilliRu per_gb;
  std::int64_t high_water_divisor;
  MilliRu per_extra_container;
};

MinimumRule rule_of(const ProviderParameters& p, CapacityMode mode) noexcept {
  if (mode == CapacityMode::autoscale) {
    return {p.min_mru_autoscale_max, p.min_mru_per_gb_autoscale,
            p.min_mru_high_water_divisor_autoscale, 1'000 * kMilliPerRu};
  }
  return {p.min_mru_manual, p.min_mru_per_gb_manual, p.min_mru_high_water_divisor_manual,
          100 * kMilliPerRu};
}

}  // namespace

Minimum minimum_of(const ProviderParameters& parameters, const MinimumBasis& basis) noexcept {
  using Reason = Minimum::Reason;
  const MinimumRule rule = rule_of(parameters, basis.mode);
  Minimum minimum{rule.least, Reason::plain};
  const auto raise = [&minimum](MilliRu mru_per_s, Reason reason) {
    if (mru_per_s > minimum.mru_per_s) {
      minimum = {mru_per_s, reason};
    }
  };
  if (basis.is_database && basis.containers > parameters.shared_db_max_containers) {
    const std::int64_t more = basis.containers - parameters.shared_db_max_containers;
    raise(rule.least + more * rule.per_extra_container, Reason::containers);
  }
  if (basis.is_unlimited) {
    raise(parameters.min_mru_unlimited_container, Reason::unlimited);
  }
  raise(not_too_much(Wide{basis.stored_bytes} * rule.per_gb / kGigabyte), Reason::storage);
  if (rule.high_water_divisor > 0) {
    raise(basis.highest_mru_per_s / rule.high_water_divisor, Reason::highest);
  }
  if (basis.mode == CapacityMode::autoscale) {
    minimum.mru_per_s = next_autoscale_step(parameters, minimum.mru_per_s);
  }
  return minimum;
}

MilliRu next_autoscale_step(const ProviderParameters& parameters, MilliRu mru_per_s) noexcept {
  const MilliRu step = positive(parameters.mru_step_autoscale);
  return divided_up(mru_per_s, step) * step;
}

}  // namespace partsim
