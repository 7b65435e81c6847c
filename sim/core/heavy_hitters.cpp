#include "partsim/core/heavy_hitters.hpp"

#include <algorithm>
#include <bit>

#include "partsim/core/assert.hpp"
#include "partsim/core/rng.hpp"

namespace partsim {

HeavyHitters::HeavyHitters(std::uint32_t capacity) : capacity_(capacity) {
  PARTSIM_ASSERT(capacity >= 16 && capacity <= (1U << 20), "capacity 16 to 2^20");
  // starts small and doubles: most runs have far fewer keys than a ledger has room for
  slots_.resize(std::bit_ceil(std::min(capacity, 1024U) * 4 / 3 + 1));
}

std::size_t HeavyHitters::place_of(std::uint64_t key) const noexcept {
  const std::size_t mask = slots_.size() - 1;
  std::size_t place = mix64(key) & mask;
  while (slots_[place].weight != 0 && slots_[place].key != key) {
    place = (place + 1) & mask;
  }
  return place;
}

std::uint64_t HeavyHitters::weight(std::uint64_t key) const noexcept {
  return slots_[place_of(key)].weight;
}

std::uint64_t HeavyHitters::subtract(std::uint64_t key, std::uint64_t weight) noexcept {
  const std::size_t place = place_of(key);
  Slot& slot = slots_[place];
  const std::uint64_t taken = std::min(weight, slot.weight);
  slot.weight -= taken;
  total_ -= taken;
  if (taken > 0 && slot.weight == 0) {
    free_slot(place);
  }
  return taken;
}

/// Entries behind a free slot move up to it if their search would pass it.
void HeavyHitters::free_slot(std::size_t place) noexcept {
  const std::size_t mask = slots_.size() - 1;
  std::size_t hole = place;
  for (std::size_t next = (hole + 1) & mask; slots_[next].weight != 0; next = (next + 1) & mask) {
    const std::size_t home = mix64(slots_[next].key) & mask;
    if (((next - home) & mask) >= ((next - hole) & mask)) {
      slots_[hole] = slots_[next];
      slots_[next].weight = 0;
      hole = next;
    }
  }
  --used_;
}

void HeavyHitters::grow() {
  std::vector<Slot> old(slots_.size() * 2);
  old.swap(slots_);
  for (const Slot& slot : old) {
    if (slot.weight != 0) {
      find(slot.key) = slot;
    }
  }
}

void HeavyHitters::add(std::uint64_t key, std::uint64_t weight, const Witness& witness) {
  if (weight == 0) {
    return;
  }
  total_ += weight;
  Slot* slot = &find(key);
  if (slot->weight != 0) {
    slot->weight += weight;
    return;
  }
  if (used_ == capacity_) {
    shrink();
    slot = &find(key);
  } else if (used_ + 1 > slots_.size() / 4 * 3) {
    grow();
    slot = &find(key);
  }
  // The newcomer keeps its whole weight: what it may have lost before is covered by error_.
  *slot = {.key = key, .weight = weight, .witness = witness};
  ++used_;
}

void HeavyHitters::shrink() {
  survivors_.clear();
  for (Slot& slot : slots_) {
    if (slot.weight != 0) {
      survivors_.push_back(slot);
      slot.weight = 0;
    }
  }
  // The lower median: at least half of the counters are that heavy, so each unit of error takes
  // capacity / 2 units of weight out of the table, which is the bound on error().
  const auto median = survivors_.begin() + (capacity_ - 1) / 2;
  std::nth_element(survivors_.begin(), median, survivors_.end(),
                   [](const Slot& a, const Slot& b) { return a.weight < b.weight; });
  const std::uint64_t cut = median->weight;
  error_ += cut;
  used_ = 0;
  // Where a survivor lands depends on the order, but no answer depends on where it lands.
  for (const Slot& survivor : survivors_) {
    if (survivor.weight > cut) {
      Slot& slot = find(survivor.key);
      slot = survivor;
      slot.weight -= cut;
      ++used_;
    }
  }
}

std::vector<HeavyHitters::Entry> HeavyHitters::top(std::size_t limit) const {
  std::vector<Entry> entries;
  entries.reserve(used_);
  for (const Slot& slot : slots_) {
    if (slot.weight != 0) {
      entries.push_back({.key = slot.key, .weight = slot.weight, .witness = slot.witness});
    }
  }
  std::sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) {
    return a.weight != b.weight ? a.weight > b.weight : a.key < b.key;
  });
  if (entries.size() > limit) {
    entries.resize(limit);
  }
  return entries;
}

}  // namespace partsim
