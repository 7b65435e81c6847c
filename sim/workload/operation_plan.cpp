#include "partsim/workload/operation_plan.hpp"

#include <algorithm>

namespace partsim {
namespace {

/// Of an item that is there or not: only an upsert can meet both.
bool may_exist(const OperationSpec& spec) {
  return spec.kind == OperationKind::upsert && spec.existing_ppm > 0;
}
bool may_be_missing(const OperationSpec& spec) {
  return spec.kind != OperationKind::upsert || spec.existing_ppm < kMillion;
}

bool writes(OperationKind kind) {
  return kind != OperationKind::read && kind != OperationKind::query &&
         kind != OperationKind::read_feed;
}

}  // namespace

OperationPlan::OperationPlan(const OperationSpec& spec, const ContainerSpec& container,
                             const Router& router, const ProviderParameters& parameters)
    : charges_(container, parameters),
      spec_(spec),
      route_(router.route_for(spec)),
      sizes_(router.sizes(parameters.item_max_bytes)),
      is_write_(writes(spec.kind)),
      within_ns_(spec.within_ns) {
  const bool asks_many = spec.kind == OperationKind::query || spec.kind == OperationKind::read_feed;
  is_searching_ = !is_point() && !asks_many;
  if (is_write_) {
    service_kind_ = ServiceTime::Kind::write;
  } else if (!is_point()) {
    service_kind_ = ServiceTime::Kind::query;
  }
  is_one_charge_ =
      spec.charge_mru || (!sizes_.varies() && !(may_exist(spec) && may_be_missing(spec)));
  is_plain_ = is_point() && is_one_charge_ && within_ns_ == 0;
  point_charge_ =
      spec.charge_mru.value_or(one_item_charge(container.item_size_bytes, may_exist(spec)));
  owner_charge_ = worked_out_search_charge(true, container.item_size_bytes);
  visit_charge_ = worked_out_search_charge(false, container.item_size_bytes);
  cheapest_ = spec.charge_mru.value_or(least_charge());
  set_storage(parameters.index_storage_overhead_ppm);
}

void OperationPlan::replay(Bytes item_max_bytes) noexcept {
  is_plain_ = false;
  is_one_charge_ = spec_.charge_mru.has_value();
  cheapest_ = 0;
  if (stored_bytes_ > 0) {
    stored_bytes_ =
        stored_rule_.items * StoredBytes::with_index(item_max_bytes, stored_rule_.index_ppm);
  }
}

void OperationPlan::set_storage(std::int64_t index_ppm) {
  stored_rule_.index_ppm = index_ppm;
  switch (spec_.kind) {
    case OperationKind::create:
      stored_rule_.items = 1;
      break;
    case OperationKind::upsert:
      stored_rule_.items = 1;
      stored_rule_.existing_ppm = spec_.existing_ppm;
      break;
    case OperationKind::batch:
    case OperationKind::script:
      stored_rule_.items = is_refused() ? 0 : spec_.items;
      break;
    case OperationKind::remove:
      stored_rule_.items = -1;
      break;
    default:
      break;
  }
  const bool adds = stored_rule_.items > 0 && may_be_missing(spec_);
  stored_bytes_ =
      adds ? stored_rule_.items * StoredBytes::with_index(sizes_.largest(), stored_rule_.index_ppm)
           : 0;
}

/// What the operation costs on the partition of its item, without looking for it.
MilliRu OperationPlan::one_item_charge(Bytes size, bool exists) const noexcept {
  switch (spec_.kind) {
    case OperationKind::create:
      return charges_.create(size);
    case OperationKind::upsert:
      return exists ? charges_.replace(spec_.changed_terms, size) : charges_.create(size);
    case OperationKind::replace:
      return charges_.replace(spec_.changed_terms, size);
    case OperationKind::patch:
      return charges_.patch(spec_.changed_terms, spec_.patched, size);
    case OperationKind::remove:
      return charges_.remove(size);
    case OperationKind::batch:
      return charges_.batch(spec_.items, size);
    case OperationKind::script:
      return charges_.script(spec_.items, size);
    case OperationKind::read:
    case OperationKind::query:
    case OperationKind::read_feed:
      break;
  }
  return charges_.point_read(size);
}

/// Charges grow with the size, so the smallest item is the cheapest.
MilliRu OperationPlan::least_charge() const noexcept {
  const Bytes size = sizes_.smallest();
  if (spec_.kind == OperationKind::read_feed) {
    return charges_.read_feed(0, size);
  }
  if (!is_point()) {
    return charges_.query(0, 0, size);
  }
  MilliRu least = one_item_charge(size, may_exist(spec_));
  if (may_be_missing(spec_)) {
    least = std::min(least, one_item_charge(size, false));
  }
  return least;
}

MilliRu OperationPlan::point_charge(const Draws& draws, Bytes size) const noexcept {
  if (spec_.charge_mru) {
    return point_charge_;
  }
  const bool exists =
      spec_.kind == OperationKind::upsert &&
      bounded(draws.existing, kMillion) < static_cast<std::uint64_t>(spec_.existing_ppm);
  return one_item_charge(size, exists);
}

MilliRu OperationPlan::worked_out_search_charge(bool owns_item, Bytes size) const noexcept {
  if (spec_.charge_mru) {
    return point_charge_;
  }
  if (!owns_item) {
    return charges_.query(0, 0, size);
  }
  return charges_.query(1, 1, size) + (is_write_ ? one_item_charge(size, true) : 0);
}

MilliRu OperationPlan::query_charge(const Part& part, Bytes size) const noexcept {
  if (spec_.charge_mru) {
    return point_charge_;
  }
  const auto falling_here = [&](std::uint64_t items) {
    return items * (part.weight_before + part.weight) / part.weight_total -
           items * part.weight_before / part.weight_total;
  };
  const std::uint64_t returned = falling_here(spec_.returned);
  return spec_.kind == OperationKind::read_feed
             ? charges_.read_feed(returned, size)
             : charges_.query(falling_here(spec_.matches), returned, size);
}

}  // namespace partsim
