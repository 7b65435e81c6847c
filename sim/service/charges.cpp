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

MilliRu Charges::create() const noexcept {
  return write_charge(size_) + parameters_.index_mru_per_term * indexed_terms_;
}

MilliRu Charges::point_read() const noexcept {
  return with_consistency(read_charge(size_));
}

MilliRu Charges::query(std::uint64_t matches, std::uint64_t returned) const noexcept {
  const Bytes returned_bytes = static_cast<Bytes>(returned) * size_;
  return with_consistency(parameters_.query_min_mru_per_partition +
                          parameters_.query_mru_per_match * static_cast<MilliRu>(matches) +
                          parameters_.query_mru_per_returned_kb * returned_bytes / kKilobyte);
}

}  // namespace partsim
