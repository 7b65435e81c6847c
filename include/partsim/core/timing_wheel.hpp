/// Waiting entries in order of (due, id), for a loop that moves forward in time.
///
/// A hierarchical wheel (Varghese and Lauck 1987): six levels of 256 slots, the finest 262 us wide.
/// A slot is sorted only when it is reached, so the order is exact and most of the sorting never
/// happens: whoever only needs "all before t, in any order" skips it altogether (drain_before).
/// Entries live in one pool, so memory follows the number waiting, not the number ever seen.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "partsim/core/time.hpp"

namespace partsim {

/// `Entry` has members `Nanoseconds due_ns` (not negative) and `std::uint64_t id`; (due, id) is
/// unique, or (due, id, request) if it has a `request`.
template <class Entry>
class TimingWheel {
 public:
  void push(const Entry& entry) {
    ++size_;
    const std::uint64_t tick = tick_of(entry.due_ns);
    if (tick <= current_tick_) {
      insert_into_front(entry);
      return;
    }
    if (levels_.empty()) {
      levels_.resize(kLevels);
    }
    link(allocate(entry), tick);
  }

  /// Moves the earliest entry to the front if it is due before `limit`; false if there is none.
  [[nodiscard]] bool load_before(Nanoseconds limit) {
    if (front_position_ < front_.size()) {
      return front_[front_position_].due_ns < limit;
    }
    if (size_ == 0) {
      return false;
    }
    return load_slot_before(limit);
  }
  /// Only after load_before returned true.
  [[nodiscard]] const Entry& front() const noexcept { return front_[front_position_]; }
  void pop_front() noexcept {
    ++front_position_;
    --size_;
  }

  /// Hands over every entry due before `limit`, in no particular order. `handle` may push entries
  /// due at or after `limit`.
  template <class Handle>
  void drain_before(Nanoseconds limit, Handle&& handle) {
    const std::uint64_t limit_tick = tick_of(limit);
    do {
      while (front_position_ < front_.size() && front_[front_position_].due_ns < limit) {
        const Entry entry = front_[front_position_];
        pop_front();
        handle(entry);
      }
      if (front_position_ < front_.size()) {
        return;
      }
      std::uint32_t node = kNone;
      while ((node = take_slot(limit_tick)) != kNone) {  // whole slots below the limit: unsorted
        while (node != kNone) {
          const Entry entry = pool_[node].entry;
          const std::uint32_t next = pool_[node].next;
          release(node);
          --size_;
          handle(entry);
          node = next;
        }
      }
    } while (load_before(limit));  // the slot that the limit cuts
  }

  [[nodiscard]] std::size_t size() const noexcept { return size_; }

  /// Calls `visit` for every waiting entry, in no particular order.
  template <class Visit>
  void for_each(Visit&& visit) const {
    for (std::size_t i = front_position_; i < front_.size(); ++i) {
      visit(front_[i]);
    }
    for (const Level& level : levels_) {
      for (std::uint32_t head : level.head) {
        for (; head != kNone; head = pool_[head].next) {
          visit(pool_[head].entry);
        }
      }
    }
  }

 private:
  static constexpr unsigned kTickBits = 18;  // 2^18 ns = 262 us
  static constexpr unsigned kSlotBits = 8;
  static constexpr std::size_t kSlots = std::size_t{1} << kSlotBits;
  static constexpr std::size_t kLevels = 6;  // 18 + 6 * 8 bits: beyond every instant
  static constexpr std::uint32_t kNone = UINT32_MAX;

  struct Node {
    Entry entry;
    std::uint32_t next;
  };
  struct Level {
    Level() { head.fill(kNone); }
    std::array<std::uint32_t, kSlots> head;
    std::array<std::uint64_t, kSlots / 64> occupied{};
  };

  static std::uint64_t tick_of(Nanoseconds time) noexcept {
    return static_cast<std::uint64_t>(time) >> kTickBits;
  }

  std::uint32_t allocate(const Entry& entry) {
    if (free_ == kNone) {
      pool_.push_back({entry, kNone});
      return static_cast<std::uint32_t>(pool_.size() - 1);
    }
    const std::uint32_t node = free_;
    free_ = pool_[node].next;
    pool_[node].entry = entry;
    return node;
  }
  void release(std::uint32_t node) noexcept {
    pool_[node].next = free_;
    free_ = node;
  }

  /// The level is the highest byte in which the tick differs from now, so a slot never holds two
  /// turns.
  void link(std::uint32_t node, std::uint64_t tick) noexcept {
    const auto differing = static_cast<unsigned>(std::bit_width(tick ^ current_tick_)) - 1;
    const std::size_t level = differing / kSlotBits;
    const std::size_t slot = (tick >> (level * kSlotBits)) & (kSlots - 1);
    pool_[node].next = levels_[level].head[slot];
    levels_[level].head[slot] = node;
    levels_[level].occupied[slot / 64] |= std::uint64_t{1} << (slot % 64);
  }

  void insert_into_front(const Entry& entry) {
    if (front_position_ ==
        front_.size()) {  // forget what was handled, or the vector would only grow
      front_.clear();
      front_position_ = 0;
    }
    const auto begin = front_.begin() + static_cast<std::ptrdiff_t>(front_position_);
    front_.insert(std::upper_bound(begin, front_.end(), entry, before), entry);
  }
  static bool before(const Entry& a, const Entry& b) noexcept {
    if constexpr (requires { a.request; }) {
      if (a.due_ns == b.due_ns && a.id == b.id) {
        return a.request < b.request;
      }
    }
    return a.due_ns != b.due_ns ? a.due_ns < b.due_ns : a.id < b.id;
  }

  /// First occupied slot of a level after the current one; kSlots if none.
  [[nodiscard]] std::size_t next_occupied(std::size_t level) const noexcept {
    const std::size_t current = (current_tick_ >> (level * kSlotBits)) & (kSlots - 1);
    std::size_t slot = current + 1;
    while (slot < kSlots) {
      const std::uint64_t word = levels_[level].occupied[slot / 64] >> (slot % 64);
      if (word != 0) {
        return slot + static_cast<std::size_t>(std::countr_zero(word));
      }
      slot = (slot / 64 + 1) * 64;
    }
    return kSlots;
  }

  std::uint32_t unlink_slot(std::size_t level, std::size_t slot) noexcept {
    const std::uint32_t node = levels_[level].head[slot];
    levels_[level].head[slot] = kNone;
    levels_[level].occupied[slot / 64] &= ~(std::uint64_t{1} << (slot % 64));
    return node;
  }

  /// Takes the earliest finest-level slot that lies wholly before `limit_tick` off the wheel and
  /// moves the clock to it; kNone if there is none. Coarser slots on the way are spread over finer
  /// ones.
  std::uint32_t take_slot(std::uint64_t limit_tick) {
    for (std::size_t level = 0; level < levels_.size();) {
      const std::size_t slot = next_occupied(level);
      if (slot == kSlots) {
        ++level;
        continue;
      }
      const unsigned shift = static_cast<unsigned>(level) * kSlotBits;
      const std::uint64_t turn = current_tick_ >> (shift + kSlotBits);
      const std::uint64_t start = ((turn << kSlotBits) | slot) << shift;
      if (start >= limit_tick) {
        return kNone;
      }
      std::uint32_t node = unlink_slot(level, slot);
      current_tick_ = start;
      if (level == 0) {
        return node;
      }
      std::uint32_t due_now = kNone;
      while (node != kNone) {
        const std::uint32_t next = pool_[node].next;
        const std::uint64_t tick = tick_of(pool_[node].entry.due_ns);
        if (tick == start) {
          pool_[node].next = due_now;
          due_now = node;
        } else {
          link(node, tick);
        }
        node = next;
      }
      if (due_now != kNone) {
        return due_now;
      }
      level = 0;
    }
    return kNone;
  }

  bool load_slot_before(Nanoseconds limit) {
    // the slot in which `limit` itself lies may hold entries before it, hence the + 1
    std::uint32_t node = take_slot(tick_of(limit) + 1);
    if (node == kNone) {
      return false;
    }
    front_.clear();
    front_position_ = 0;
    while (node != kNone) {
      front_.push_back(pool_[node].entry);
      const std::uint32_t next = pool_[node].next;
      release(node);
      node = next;
    }
    std::sort(front_.begin(), front_.end(), before);
    return front_.front().due_ns < limit;
  }

  std::vector<Level> levels_;  // empty until something waits: an idle partition costs nothing
  std::vector<Node> pool_;
  std::vector<Entry> front_;  // the slot being worked on, sorted
  std::size_t front_position_ = 0;
  std::size_t size_ = 0;
  std::uint64_t current_tick_ = 0;
  std::uint32_t free_ = kNone;
};

}  // namespace partsim
