/// What requests cost, in milli-RU. Safe on scenarios that were not checked: charges end far above
/// any that a sound one has.
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

  [[nodiscard]] MilliRu create() const noexcept { return create(size_); }
  [[nodiscard]] MilliRu point_read() const noexcept { return point_read(size_); }
  /// One partition's part of a query: what it matches and what it sends back.
  [[nodiscard]] MilliRu query(std::uint64_t matches, std::uint64_t returned) const noexcept {
    return query(matches, returned, size_);
  }

  // The same and the others for items of a size of their own. None falls when the size grows.
  [[nodiscard]] MilliRu create(Bytes size) const noexcept;
  [[nodiscard]] MilliRu point_read(Bytes size) const noexcept;
  [[nodiscard]] MilliRu query(std::uint64_t matches, std::uint64_t returned,
                              Bytes size) const noexcept;
  /// Index terms that change are taken out and put in.
  [[nodiscard]] MilliRu replace(std::uint32_t changed_terms, Bytes size) const noexcept;
  [[nodiscard]] MilliRu patch(std::uint32_t changed_terms, std::uint32_t patched,
                              Bytes size) const noexcept;
  [[nodiscard]] MilliRu remove(Bytes size) const noexcept;
  /// One partition's part of a read feed.
  [[nodiscard]] MilliRu read_feed(std::uint64_t returned, Bytes size) const noexcept;
  [[nodiscard]] MilliRu batch(std::uint32_t items, Bytes size) const noexcept;
  [[nodiscard]] MilliRu script(std::uint32_t items, Bytes size) const noexcept;

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
