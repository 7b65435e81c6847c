/// What an admitted request adds to its logical partition, or takes from it.
#pragma once

#include <cstdint>

#include "partsim/core/rng.hpp"
#include "partsim/workload/item_sizes.hpp"

namespace partsim {

class TraceFeed;

class StoredBytes {
 public:
  StoredBytes() = default;
  /// How an operation changes what is stored: so many items (below zero: they go), each with its
  /// share of the index.
  struct Rule {
    std::int64_t items = 0;
    std::int64_t existing_ppm = 0;  // how often the item was there already, and nothing is added
    std::int64_t index_ppm = 0;
  };
  StoredBytes(const Rule& rule, const SizeChoice& sizes, std::uint64_t seed,
              std::string_view client);

  /// Sizes are those of the rows of a trace where these have them. `rows` must outlive this.
  void replay(const TraceFeed& rows) noexcept {
    rows_ = &rows;
    varies_ = rule_.items != 0;
  }

  /// Whether operations differ; `fixed` is only for those that do not.
  [[nodiscard]] bool varies() const noexcept { return varies_; }
  [[nodiscard]] Bytes fixed() const noexcept { return fixed_; }
  [[nodiscard]] Bytes of(std::uint64_t operation) const noexcept {
    if (!varies_) {
      return fixed_;
    }
    if (bounded(existing_.draw(operation), kMillion) <
        static_cast<std::uint64_t>(rule_.existing_ppm)) {
      return 0;
    }
    return rule_.items * with_index(size(operation), rule_.index_ppm);
  }

  /// Bytes of an item and of its place in the index.
  [[nodiscard]] static Bytes with_index(Bytes size, std::int64_t index_ppm) noexcept {
    return size * (kMillion + index_ppm) / kMillion;
  }

 private:
  [[nodiscard]] Bytes size(std::uint64_t operation) const noexcept {
    return rows_ == nullptr ? sizes_.size(operation) : row_size(operation);
  }
  [[nodiscard]] Bytes row_size(std::uint64_t operation) const noexcept;

  Rule rule_;
  bool varies_ = false;
  Bytes fixed_ = 0;
  ItemSizes sizes_;
  RngStream existing_;
  const TraceFeed* rows_ = nullptr;
};

}  // namespace partsim
