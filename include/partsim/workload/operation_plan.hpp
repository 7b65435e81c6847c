/// An operation of a client with every choice resolved: the loop never asks a name.
#pragma once

#include <cstdint>

#include "partsim/scenario/scenario.hpp"
#include "partsim/service/charges.hpp"
#include "partsim/service/service_time.hpp"
#include "partsim/workload/router.hpp"

namespace partsim {

class OperationPlan {
 public:
  OperationPlan(const OperationSpec& spec, const ContainerSpec& container, const Router& router,
                const ProviderParameters& parameters);

  [[nodiscard]] const Route& route() const noexcept { return route_; }
  [[nodiscard]] bool is_point() const noexcept { return route_.kind == Route::Kind::point; }
  /// A read that must search: it looks for one item, which lives on one of the visited partitions.
  [[nodiscard]] bool is_searching_read() const noexcept {
    return kind_ == OperationKind::read && !is_point();
  }
  [[nodiscard]] bool is_write() const noexcept { return kind_ == OperationKind::create; }
  [[nodiscard]] ServiceTime::Kind service_kind() const noexcept { return service_kind_; }
  [[nodiscard]] Bytes stored_bytes() const noexcept { return stored_bytes_; }

  [[nodiscard]] MilliRu point_charge() const noexcept { return point_charge_; }
  /// A searching read's request: `owns_item` for the one partition that has the item.
  [[nodiscard]] MilliRu search_charge(bool owns_item) const noexcept {
    return owns_item ? owner_charge_ : visit_charge_;
  }
  /// A query's request, when `weight_before` of `weight_total` lie on earlier requests and `weight`
  /// here.
  [[nodiscard]] MilliRu query_charge(std::uint64_t weight_before, std::uint64_t weight,
                                     std::uint64_t weight_total) const noexcept;
  /// No request of this operation costs less.
  [[nodiscard]] MilliRu cheapest() const noexcept;

 private:
  Charges charges_;
  OperationKind kind_;
  Route route_;
  ServiceTime::Kind service_kind_ = ServiceTime::Kind::read;
  bool fixed_charge_ = false;
  MilliRu point_charge_ = 0;
  MilliRu owner_charge_ = 0;
  MilliRu visit_charge_ = 0;
  std::uint64_t matches_;
  std::uint64_t returned_;
  Bytes stored_bytes_ = 0;
};

}  // namespace partsim
