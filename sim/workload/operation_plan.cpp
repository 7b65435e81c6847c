#include "partsim/workload/operation_plan.hpp"

#include <algorithm>

namespace partsim {

OperationPlan::OperationPlan(const OperationSpec& spec, const ContainerSpec& container,
                             const Router& router, const ProviderParameters& parameters)
    : charges_(container, parameters),
      kind_(spec.kind),
      route_(router.route_for(spec)),
      fixed_charge_(spec.charge_mru.has_value()),
      matches_(spec.matches),
      returned_(spec.returned) {
  const bool is_create = kind_ == OperationKind::create;
  if (is_create) {
    service_kind_ = ServiceTime::Kind::write;
    stored_bytes_ =
        container.item_size_bytes * (kMillion + parameters.index_storage_overhead_ppm) / kMillion;
  } else if (!is_point()) {
    service_kind_ = ServiceTime::Kind::query;
  }
  point_charge_ = spec.charge_mru.value_or(is_create ? charges_.create() : charges_.point_read());
  owner_charge_ = spec.charge_mru.value_or(charges_.query(1, 1));
  visit_charge_ = spec.charge_mru.value_or(charges_.query(0, 0));
}

MilliRu OperationPlan::query_charge(std::uint64_t weight_before, std::uint64_t weight,
                                    std::uint64_t weight_total) const noexcept {
  if (fixed_charge_) {
    return point_charge_;
  }
  const auto falling_here = [&](std::uint64_t items) {
    return items * (weight_before + weight) / weight_total - items * weight_before / weight_total;
  };
  return charges_.query(falling_here(matches_), falling_here(returned_));
}

MilliRu OperationPlan::cheapest() const noexcept {
  return is_point() ? point_charge_ : std::min(owner_charge_, visit_charge_);
}

}  // namespace partsim
