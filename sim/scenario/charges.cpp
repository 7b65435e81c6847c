#include "partsim/scenario/charges.hpp"

#include <algorithm>

#include "safe_math.hpp"

namespace partsim {
namespace {

MilliRu interpolate(Bytes size, MilliRu ChargeRow::*column) noexcept {
  if (size <= kCosmosCharges.front().size_bytes) {
    return kCosmosCharges.front().*column;
  }
  auto high = std::find_if(kCosmosCharges.begin(), kCosmosCharges.end(),
                           [size](const ChargeRow& row) { return row.size_bytes >= size; });
  if (high == kCosmosCharges.end()) {
    --high;  // beyond the table its last line goes on
  }
  const auto* low = high - 1;
  return low->*column + times(high->*column - low->*column, size - low->size_bytes) /
                            (high->size_bytes - low->size_bytes);
}

}  // namespace

MilliRu read_charge(Bytes size) noexcept {
  return interpolate(size, &ChargeRow::read_mru);
}

MilliRu write_charge(Bytes size) noexcept {
  return interpolate(size, &ChargeRow::write_mru);
}

Charges::Charges(const ContainerSpec& container, const ProviderParameters& parameters) noexcept
    : size_(container.item_size_bytes),
      indexed_terms_(container.indexed_terms),
      two_replicas_(container.consistency == Consistency::strong ||
                    container.consistency == Consistency::bounded_staleness),
      parameters_(parameters) {
  parameters_.query_min_mru_per_partition =
      not_too_much(parameters.query_min_mru_per_partition);  // the other terms are products
}

MilliRu Charges::with_consistency(MilliRu charge) const noexcept {
  return two_replicas_ ? times(charge, parameters_.strong_read_multiplier_micro) / kMillion
                       : charge;
}

/// A unit for each so many bytes begun.
MilliRu Charges::units(Bytes bytes, Bytes unit) noexcept {
  return times(divided_up(bytes, unit), kMilliPerRu);
}

MilliRu Charges::read_units(Bytes bytes) const noexcept {
  const MilliRu strong = std::max(kMilliPerRu, units(bytes, parameters_.read_unit_bytes));
  return two_replicas_ ? strong : times(strong, parameters_.eventual_read_factor_ppm) / kMillion;
}

MilliRu Charges::create(Bytes size) const noexcept {
  if (parameters_.write_unit_bytes > 0) {
    return units(size, parameters_.write_unit_bytes);
  }
  return write_charge(size) + times(parameters_.index_mru_per_term, indexed_terms_);
}

MilliRu Charges::point_read(Bytes size) const noexcept {
  if (parameters_.read_unit_bytes > 0) {
    return read_units(size);
  }
  return with_consistency(read_charge(size));
}

MilliRu Charges::query(std::uint64_t matches, std::uint64_t returned, Bytes size) const noexcept {
  const Bytes returned_bytes = times(static_cast<Bytes>(returned), size);
  if (parameters_.read_unit_bytes > 0) {
    return read_units(returned_bytes);
  }
  return with_consistency(parameters_.query_min_mru_per_partition +
                          times(parameters_.query_mru_per_match, static_cast<MilliRu>(matches)) +
                          times(parameters_.query_mru_per_returned_kb, returned_bytes) / kKilobyte);
}

MilliRu Charges::replace(std::uint32_t changed_terms, Bytes size) const noexcept {
  if (parameters_.write_unit_bytes > 0) {
    return create(size);
  }
  return times(write_charge(size), parameters_.replace_write_multiplier_micro) / kMillion +
         times(2 * MilliRu{changed_terms}, parameters_.index_mru_per_term);
}

MilliRu Charges::patch(std::uint32_t changed_terms, std::uint32_t patched,
                       Bytes size) const noexcept {
  if (parameters_.write_unit_bytes > 0) {
    return create(size);
  }
  return replace(changed_terms, size) + times(parameters_.patch_mru_per_property, patched);
}

MilliRu Charges::remove(Bytes size) const noexcept {
  if (parameters_.write_unit_bytes > 0) {
    return create(size);
  }
  return times(create(size), parameters_.delete_write_multiplier_micro) / kMillion;
}

MilliRu Charges::read_feed(std::uint64_t returned, Bytes size) const noexcept {
  if (parameters_.read_unit_bytes > 0) {
    return read_units(times(static_cast<Bytes>(returned), size));
  }
  return std::max(parameters_.read_feed_min_mru,
                  times(point_read(size), static_cast<MilliRu>(returned)));
}

MilliRu Charges::batch(std::uint32_t items, Bytes size) const noexcept {
  // DynamoDB prepares and commits every item of a transaction
  const MilliRu writes = parameters_.write_unit_bytes > 0 ? 2 * MilliRu{items} : MilliRu{items};
  return times(writes, create(size));
}

MilliRu Charges::script(std::uint32_t items, Bytes size) const noexcept {
  const MilliRu writes = times(items, create(size));
  return parameters_.script_overhead_mru +
         times(writes, parameters_.script_operation_factor_micro) / kMillion;
}

}  // namespace partsim
