#include "partsim/service/charges.hpp"

#include <algorithm>

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
  return low->*column + (high->*column - low->*column) * (size - low->size_bytes) /
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
      parameters_(parameters) {}

MilliRu Charges::with_consistency(MilliRu charge) const noexcept {
  return two_replicas_ ? charge * parameters_.strong_read_multiplier_micro / kMillion : charge;
}

/// A unit for each so many bytes begun.
MilliRu Charges::units(Bytes bytes, Bytes unit) noexcept {
  return (bytes + unit - 1) / unit * kMilliPerRu;
}

MilliRu Charges::read_units(Bytes bytes) const noexcept {
  const MilliRu strong = std::max(kMilliPerRu, units(bytes, parameters_.read_unit_bytes));
  return two_replicas_ ? strong : strong * parameters_.eventual_read_factor_ppm / kMillion;
}

MilliRu Charges::create() const noexcept {
  if (parameters_.write_unit_bytes > 0) {
    return units(size_, parameters_.write_unit_bytes);
  }
  return write_charge(size_) + parameters_.index_mru_per_term * indexed_terms_;
}

MilliRu Charges::point_read() const noexcept {
  if (parameters_.read_unit_bytes > 0) {
    return read_units(size_);
  }
  return with_consistency(read_charge(size_));
}

MilliRu Charges::query(std::uint64_t matches, std::uint64_t returned) const noexcept {
  const Bytes returned_bytes = static_cast<Bytes>(returned) * size_;
  if (parameters_.read_unit_bytes > 0) {
    return read_units(returned_bytes);
  }
  return with_consistency(parameters_.query_min_mru_per_partition +
                          parameters_.query_mru_per_match * static_cast<MilliRu>(matches) +
                          parameters_.query_mru_per_returned_kb * returned_bytes / kKilobyte);
}

}  // namespace partsim
