/// What requests cost, in milli-RU.
#pragma once

#include <cstdint>

#include "partsim/scenario/scenario.hpp"

namespace partsim {

/// Point read of an item without the consistency multiplier; straight lines between table rows.
[[nodiscard]] MilliRu read_charge(Bytes size) noexcept;
/// Write of an item without indexing; straight lines between table rows.
[[nodiscard]] MilliRu write_charge(Bytes size) noexcept;

/// The charges of one container, with its item size and consistency worked in.
class Charges {
 public:
  Charges(const ContainerSpec& container, const ProviderParameters& parameters) noexcept;

  [[nodiscard]] MilliRu create() const noexcept;
  [[nodiscard]] MilliRu point_read() const noexcept;
  /// One partition's part of a query: what it matches and what it sends back.
  [[nodiscard]] MilliRu query(std::uint64_t matches, std::uint64_t returned) const noexcept;

 private:
  [[nodiscard]] static MilliRu units(Bytes bytes, Bytes unit) noexcept;
  [[nodiscard]] MilliRu read_units(Bytes bytes) const noexcept;
  /// Strong and bounded-staleness reads ask two replicas.
  [[nodiscard]] MilliRu with_consistency(MilliRu charge) const noexcept;

  Bytes size_;
  std::uint32_t indexed_terms_;
  bool two_replicas_;
  ProviderParameters parameters_;
};

}  // namespace partsim
