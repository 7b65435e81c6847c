/// Which physical partitions an operation visits, and which logical keys carry the load.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "partsim/core/heavy_hitters.hpp"
#include "partsim/service/layout.hpp"
#include "partsim/workload/arrival.hpp"
#include "partsim/workload/item_sizes.hpp"
#include "partsim/workload/key_space.hpp"

namespace partsim {

/// A partition that a fan-out visits, and how much of the searched data it holds.
struct Visit {
  std::uint32_t partition;  // id
  std::uint32_t weight;
};

/// How an operation finds its data; follows from what its caller knows.
struct Route {
  enum class Kind : std::uint8_t { point, one_key, key_set, candidates, prefix, all };
  Kind kind = Kind::all;
  bool is_refused = false;               // a point whose caller cannot say where it is
  std::uint32_t keys = 1;                // key_set: so many
  Nanoseconds within_ns = 0;             // key_set: how old the items may be
  std::vector<std::size_t> random_axes;  // candidates: the axes to enumerate
  std::vector<std::size_t> known_axes;   // candidates, prefix: the axes that decide the visits
  std::size_t prefix_levels = 0;
};

/// More candidate keys than this and a caller would rather ask every partition.
inline constexpr std::uint64_t kMaxCandidates = 10'000;

class Router {
 public:
  Router(const ContainerSpec& container, const Layout& layout, std::int64_t start_unix_s);

  [[nodiscard]] KeySpace& keys() noexcept { return keys_; }

  [[nodiscard]] Route route_for(const OperationSpec& operation) const;
  /// The sizes of the container's items. All share one table.
  [[nodiscard]] const SizeChoice& sizes(Bytes item_max_bytes) const;

  /// The layout has changed: nothing remembered of owners holds any more.
  void relayout();

  /// Id of the owner of a full key. `demand` (0 outside the counted window) is booked on the
  /// logical key; `request_id` only lets hot_keys() name it later.
  [[nodiscard]] std::uint32_t owner(const KeyChoice& choice, MilliRu demand,
                                    std::uint64_t request_id);

  /// The partitions that a fan-out visits, in range order. Valid until the next call with this
  /// route.
  [[nodiscard]] std::span<const Visit> visits(const Route& route, const KeyChoice& choice);
  /// Likewise for a set of keys, which an operation of this number and time asks for.
  [[nodiscard]] std::span<const Visit> key_set_visits(const Route& route, const KeyStreams& streams,
                                                      std::uint64_t operation, Nanoseconds time_ns);
  /// Where the item of an operation lives now.
  [[nodiscard]] std::uint32_t home(const KeyStreams& streams, std::uint64_t operation,
                                   Nanoseconds time_ns);

  /// A logical partition: its hash, and what finds its key again.
  struct KeyRef {
    std::uint64_t hash = 0;
    HeavyHitters::Witness witness;
  };
  [[nodiscard]] KeyRef key_of(const KeyChoice& choice, std::uint64_t request_id);
  /// Any choice that makes the key of a witness.
  [[nodiscard]] KeyChoice choice_of(const HeavyHitters::Witness& witness,
                                    std::span<const KeyStreams> streams_of) const;
  /// Combinations of axis values if they are few and the clock is not among them, else 0.
  [[nodiscard]] std::uint64_t combinations() const noexcept {
    return keys_.reads_clock() ? 0 : cells_.size();
  }
  /// The combination with this number, for a key that does not read the clock.
  [[nodiscard]] KeyChoice combination(std::uint64_t number) const;

  struct HotKeyDemand {
    std::string key;
    std::uint32_t partition;
    MilliRu demand_mru;
  };
  /// What finds each of the keys again that hot_keys() may name.
  template <class Handle>
  void for_each_witness(Handle&& handle) const {
    hot_.for_each([&](const HeavyHitters::Entry& entry) { handle(entry.witness); });
  }
  /// The heaviest logical keys. `streams_of` gives the key streams of a client by its index.
  [[nodiscard]] std::vector<HotKeyDemand> hot_keys(std::size_t limit,
                                                   std::span<const KeyStreams> streams_of);

 private:
  /// One combination of axis values: where it goes, and what was asked of it.
  struct Cell {
    std::int64_t unix_second = INT64_MIN;  // of the clock text it was filled for
    std::uint64_t key_hash = 0;
    MilliRu demand_mru = 0;
    std::uint32_t owner = 0;
  };
  static constexpr std::uint64_t kMaxCells = 1U << 20;

  [[nodiscard]] std::uint64_t cell_index(const KeyChoice& choice) const noexcept;
  void refill(Cell& cell, std::uint64_t index, const KeyChoice& choice);
  void book(std::uint64_t index, Cell& cell);
  void candidate_visits(const Route& route, KeyChoice choice);
  void finish_visits();
  /// Whether the caller can compute nothing, a prefix or all of a key, and of what kind that is.
  void search(const OperationSpec& operation, Route& route) const;
  [[nodiscard]] std::size_t range_of(const KeyChoice& choice);

  const ContainerSpec* container_;
  KeySpace keys_;
  mutable std::optional<SizeChoice> sizes_;  // made when first asked for
  const Layout* layout_;
  std::vector<Cell> cells_;            // empty: too many combinations, hash every time
  std::vector<std::uint64_t> stride_;  // of each axis in cells_
  HeavyHitters hot_;

  // what visits() returned last, and for what
  const Route* cached_route_ = nullptr;
  KeyChoice cached_choice_;
  std::vector<Visit> visits_;
  std::vector<std::uint32_t> weight_;  // scratch: one a range
  KeyChoice set_choice_;               // scratch
};

}  // namespace partsim
