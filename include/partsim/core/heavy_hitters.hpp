/// The heaviest of any number of keys, in bounded memory (Misra-Gries counters, decremented by the
/// median when full, as in Anderson et al., "A High-Performance Algorithm for Identifying Frequent
/// Items in Data Streams", 2017). Deterministic: the answer depends on the stream alone.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace partsim {

class HeavyHitters {
 public:
  /// Lets the caller find out later what a key was, e.g. an operation number and a second.
  struct Witness {
    std::uint64_t first = 0;
    std::int64_t second = 0;
  };
  struct Entry {
    std::uint64_t key;
    std::uint64_t weight;  // never above the true weight; below it by at most error()
    Witness witness;       // the witness given when the key was last inserted
  };

  /// Exact while at most `capacity` distinct keys were seen. Capacity 16 to 2^20.
  explicit HeavyHitters(std::uint32_t capacity = 1024);

  void add(std::uint64_t key, std::uint64_t weight, const Witness& witness);
  /// Takes weight back from a key, at most what it has; an entry without weight is gone. Returns
  /// what was taken.
  std::uint64_t subtract(std::uint64_t key, std::uint64_t weight) noexcept;
  /// The weight of a key, understated by at most error(); 0 for a key that is not among the
  /// entries.
  [[nodiscard]] std::uint64_t weight(std::uint64_t key) const noexcept;
  /// Every entry, in no particular order.
  template <class Handle>
  void for_each(Handle&& handle) const {
    for (const Slot& slot : slots_) {
      if (slot.weight != 0) {
        handle(Entry{slot.key, slot.weight, slot.witness});
      }
    }
  }
  /// At most `limit` entries, heaviest first, ties by key.
  [[nodiscard]] std::vector<Entry> top(std::size_t limit) const;
  [[nodiscard]] std::uint64_t total() const noexcept { return total_; }
  /// Bound on how much any entry's weight is understated: at most total()/capacity * 2; 0 = exact.
  [[nodiscard]] std::uint64_t error() const noexcept { return error_; }

 private:
  struct Slot {
    std::uint64_t key = 0;
    std::uint64_t weight = 0;  // 0 = free
    Witness witness;
  };
  /// The key's slot, or the free one where it belongs.
  [[nodiscard]] std::size_t place_of(std::uint64_t key) const noexcept;
  [[nodiscard]] Slot& find(std::uint64_t key) noexcept { return slots_[place_of(key)]; }
  void free_slot(std::size_t place) noexcept;
  void grow();
  void shrink();

  std::vector<Slot> slots_;      // open addressing, a power of two, at most 3/4 full
  std::vector<Slot> survivors_;  // scratch of shrink()
  std::uint32_t capacity_;
  std::uint32_t used_ = 0;
  std::uint64_t total_ = 0;
  std::uint64_t error_ = 0;
};

}  // namespace partsim
