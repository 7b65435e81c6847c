/// Items that wait for their time to live to end, then for left-over RU to be deleted with.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <vector>

#include "partsim/workload/storage_book.hpp"

namespace partsim {

/// Items of one logical partition that were created in the same slice of time.
struct ExpiringItems {
  StorageBook* book = nullptr;
  Router::KeyRef key;
  std::uint64_t items = 0;
  Bytes bytes = 0;         // of all of them
  MilliRu delete_mru = 0;  // what deleting one costs
  std::uint32_t container = 0;
};

/// Items of one container are kept by slices of a sixty-fourth of their time to live (at least a
/// second), so memory follows the number of keys and not the number of items.
class ExpiryQueue {
 public:
  [[nodiscard]] bool empty() const noexcept { return slices_.empty(); }
  /// When the first slice is due; kNever if there is none.
  [[nodiscard]] Nanoseconds next_due_ns() const noexcept {
    return slices_.empty() ? kNever : slices_.begin()->first;
  }

  /// Items created at `now` that live for `ttl`.
  void add(Nanoseconds now, Nanoseconds ttl, const ExpiringItems& items) {
    const Nanoseconds slice = std::max(kSecond, ttl / 64);
    add_due((now / slice + 1) * slice + ttl, items);
  }
  void add_due(Nanoseconds due, const ExpiringItems& items) {
    ExpiringItems& waiting = slices_[due][{items.container, items.key.hash}];
    const std::uint64_t items_before = waiting.items;
    const Bytes bytes_before = waiting.bytes;
    waiting = items;
    waiting.items += items_before;
    waiting.bytes += bytes_before;
  }

  /// Deletes what is due by `now` as far as `budget_mru` goes, the oldest first. `deleted` is told
  /// of each bunch. Returns what was spent.
  template <class Deleted>
  MilliRu delete_due(Nanoseconds now, MilliRu budget_mru, Deleted&& deleted) {
    __extension__ using Wide = __int128;
    MilliRu spent = 0;
    while (next_due_ns() <= now) {
      auto& slice = slices_.begin()->second;
      while (!slice.empty()) {
        ExpiringItems& first = slice.begin()->second;
        const std::uint64_t affordable =
            first.delete_mru == 0
                ? first.items
                : static_cast<std::uint64_t>((budget_mru - spent) / first.delete_mru);
        ExpiringItems bunch = first;
        bunch.items = std::min(first.items, affordable);
        if (bunch.items < first.items) {
          bunch.bytes =
              static_cast<Bytes>(static_cast<Wide>(first.bytes) * bunch.items / first.items);
        }
        if (bunch.items > 0) {
          spent += static_cast<MilliRu>(bunch.items) * first.delete_mru;
          deleted(bunch);
        }
        first.items -= bunch.items;
        first.bytes -= bunch.bytes;
        if (first.items > 0) {
          return spent;
        }
        slice.erase(slice.begin());
      }
      slices_.erase(slices_.begin());
    }
    return spent;
  }

  template <class Handle>
  void for_each(Handle&& handle) const {
    for (const auto& [due, slice] : slices_) {
      for (const auto& [key, items] : slice) {
        handle(items);
      }
    }
  }

  struct Due {
    Nanoseconds due_ns;
    ExpiringItems items;
  };
  [[nodiscard]] std::vector<Due> release() {
    std::vector<Due> all;
    for (const auto& [due, slice] : slices_) {
      for (const auto& [key, items] : slice) {
        all.push_back({due, items});
      }
    }
    slices_.clear();
    return all;
  }

 private:
  using Slice = std::map<std::pair<std::uint32_t, std::uint64_t>, ExpiringItems>;
  std::map<Nanoseconds, Slice> slices_;  // by when they are due
};

}  // namespace partsim
