/// An operation of a client with every choice resolved: the loop never asks a name.
#pragma once

#include <cstdint>
#include <string_view>

#include "partsim/scenario/charges.hpp"
#include "partsim/scenario/scenario.hpp"
#include "partsim/service/service_time.hpp"
#include "partsim/workload/router.hpp"
#include "partsim/workload/stored_bytes.hpp"

namespace partsim {

class OperationPlan {
 public:
  OperationPlan(const OperationSpec& spec, const ContainerSpec& container, const Router& router,
                const ProviderParameters& parameters);

  /// Its charges and sizes are those of the rows of a trace where these have them.
  void replay(Bytes item_max_bytes) noexcept;

  [[nodiscard]] const Route& route() const noexcept { return route_; }
  [[nodiscard]] bool is_point() const noexcept { return route_.kind == Route::Kind::point; }
  /// One request whose charge is always point_charge(), for an item of the present.
  [[nodiscard]] bool is_plain() const noexcept { return is_plain_; }
  /// The service answers 400 and charges nothing: the caller cannot say which partition it means.
  /// The request goes to the owner of the key that was drawn.
  [[nodiscard]] bool is_refused() const noexcept { return route_.is_refused; }
  /// It looks for one item, which lives on one of the visited partitions.
  [[nodiscard]] bool is_searching() const noexcept { return is_searching_; }
  /// Paid in every region.
  [[nodiscard]] bool is_write() const noexcept { return is_write_; }
  [[nodiscard]] ServiceTime::Kind service_kind() const noexcept { return service_kind_; }
  [[nodiscard]] Nanoseconds within_ns() const noexcept { return within_ns_; }

  /// The most that an admitted request adds to what is stored; 0 if it adds nothing.
  [[nodiscard]] Bytes stored_bytes() const noexcept { return stored_bytes_; }
  /// What each operation of a client adds or takes. Of a searching operation only the request to
  /// the owner of its item does.
  [[nodiscard]] StoredBytes stored(std::uint64_t seed, std::string_view client) const {
    return {stored_rule_, sizes_, seed, client};
  }

  /// What differs from one operation to the next besides its key.
  struct Draws {
    std::uint64_t size;
    std::uint64_t existing;
  };
  /// Size of the items of one operation.
  [[nodiscard]] Bytes size(const Draws& draws) const noexcept { return sizes_.sample(draws.size); }

  /// Charge of a point operation of a plan that is plain; of others that of a mean item.
  [[nodiscard]] MilliRu point_charge() const noexcept { return point_charge_; }
  [[nodiscard]] MilliRu point_charge(const Draws& draws) const noexcept {
    return point_charge(draws, size(draws));
  }
  [[nodiscard]] MilliRu point_charge(const Draws& draws, Bytes size) const noexcept;
  /// A searching operation's request: `owns_item` for the one partition that has the item.
  [[nodiscard]] MilliRu search_charge(bool owns_item, Bytes size) const noexcept {
    if (!is_one_charge_) {
      return worked_out_search_charge(owns_item, size);
    }
    return owns_item ? owner_charge_ : visit_charge_;
  }
  /// A query's or a feed's request, when `weight_before` of `weight_total` lie on earlier requests
  /// and `weight` here.
  struct Part {
    std::uint64_t weight_before;
    std::uint64_t weight;
    std::uint64_t weight_total;
  };
  [[nodiscard]] MilliRu query_charge(const Part& part, Bytes size) const noexcept;
  /// No request of this operation costs less.
  [[nodiscard]] MilliRu cheapest() const noexcept { return cheapest_; }

 private:
  void set_storage(std::int64_t index_ppm);
  [[nodiscard]] MilliRu one_item_charge(Bytes size, bool exists) const noexcept;
  [[nodiscard]] MilliRu least_charge() const noexcept;
  [[nodiscard]] MilliRu worked_out_search_charge(bool owns_item, Bytes size) const noexcept;

  Charges charges_;
  OperationSpec spec_;
  Route route_;
  SizeChoice sizes_;
  ServiceTime::Kind service_kind_ = ServiceTime::Kind::read;
  bool is_write_ = false;
  bool is_searching_ = false;
  bool is_one_charge_ = false;  // of every operation, if its weights are the same
  bool is_plain_ = false;
  Nanoseconds within_ns_ = 0;
  MilliRu point_charge_ = 0;
  MilliRu owner_charge_ = 0;
  MilliRu visit_charge_ = 0;
  MilliRu cheapest_ = 0;
  Bytes stored_bytes_ = 0;
  StoredBytes::Rule stored_rule_;
};

}  // namespace partsim
