#include <algorithm>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "partsim/core/assert.hpp"
#include "partsim/keys/epk.hpp"

namespace partsim {

namespace {

/// "", the inclusive bottom of the space.
HashPoint bottom() noexcept {
  HashPoint point;
  point.levels = 0;
  return point;
}

HashPoint at(Uint128 value) noexcept {
  HashPoint point;
  point.level[0] = value;
  return point;
}

/// A bound as the numbers the services' cuts are computed from: "" is 0, "FF" is M then zeros.
struct CutBounds {
  HashPoint low;
  HashPoint high;
};

CutBounds cut_bounds(HashVersion version, const HashRange& range) noexcept {
  return {range.min, range.open_ended ? at(hash_space_max(version)) : range.max};
}

/// Both bounds of a level, seen by the level-wise midpoint of hierarchical keys.
HashPoint multihash_midpoint(const HashRange& range, unsigned paths) noexcept {
  const auto [low, high] = cut_bounds(HashVersion::multihash, range);
  const Uint128 top = hash_space_max(HashVersion::multihash);
  HashPoint cut = bottom();
  bool below_a_gap = false;  // an upper level differed by one, so this level is open above
  for (unsigned i = 0; i < paths; ++i) {
    const Uint128 from = low.level[i];
    Uint128 to = high.level[i];
    // The published rule opens the level only if from > to. Bounds such as [X, X + 1) would then
    // never be cut, though all of X's second level lies between them.
    if (from > to || (below_a_gap && to - from <= 1)) {
      to = top;
    }
    cut.level[i] = from;
    cut.levels = static_cast<std::uint8_t>(i + 1);
    if (to - from > 1) {
      cut.level[i] = from + (to - from) / 2;
      break;
    }
    below_a_gap = below_a_gap || to != from;
  }
  return cut;
}

}  // namespace

std::strong_ordering HashPoint::operator<=>(const HashPoint& other) const noexcept {
  const std::size_t shared = std::min(levels, other.levels);
  for (std::size_t i = 0; i < shared; ++i) {
    if (level[i] != other.level[i]) {
      return level[i] < other.level[i] ? std::strong_ordering::less : std::strong_ordering::greater;
    }
  }
  return levels <=> other.levels;
}

bool HashRange::contains(const HashPoint& point) const noexcept {
  return min <= point && (open_ended || point < max);
}

std::vector<HashRange> initial_ranges(HashVersion version, std::uint32_t count) {
  PARTSIM_ASSERT(count >= 1 && count <= kMaxRanges, "callers check the number of ranges");
  // Division first: that is where the digits of the service's boundaries come from.
  const Uint128 step = hash_space_max(version) / count;
  std::vector<HashRange> ranges(count);
  ranges[0].min = bottom();
  for (std::uint32_t i = 1; i < count; ++i) {
    ranges[i].min = at(step * i);
    ranges[i - 1].max = ranges[i].min;
    ranges[i - 1].open_ended = false;
  }
  return ranges;
}

std::optional<std::vector<HashPoint>> cut_points(HashVersion version, const HashRange& range,
                                                 std::uint32_t parts) {
  PARTSIM_ASSERT(parts >= 1, "a range has at least one part");
  const CutBounds bounds = cut_bounds(version, range);
  const Uint128 first = bounds.low.level[0];
  const Uint128 width = bounds.high.level[0] - first;
  if (width < parts) {
    return std::nullopt;
  }
  std::vector<HashPoint> cuts;
  cuts.reserve(parts - 1);
  for (std::uint32_t i = 1; i < parts; ++i) {
    cuts.push_back(at(first + width / parts * i));
  }
  return cuts;
}

HashPoint midpoint(HashVersion version, const HashRange& range, unsigned paths) {
  PARTSIM_ASSERT(paths >= 1 && paths <= kMaxKeyLevels, "a key has 1 to 3 levels");
  if (version == HashVersion::multihash) {
    return multihash_midpoint(range, paths);
  }
  const CutBounds bounds = cut_bounds(version, range);
  const Uint128 first = bounds.low.level[0];
  return at(first + (bounds.high.level[0] - first) / 2);
}

bool PrefixRange::overlaps(const HashRange& range) const noexcept {
  if (!range.open_ended && prefix >= range.max) {
    return false;
  }
  // Every continuation of the prefix lies below prefix + "FF", so only the shared levels count.
  HashPoint from = range.min;
  from.levels = std::min(from.levels, prefix.levels);
  return from <= prefix;
}

std::size_t owner_of(std::span<const HashRange> ranges, const HashPoint& point) noexcept {
  PARTSIM_ASSERT(!ranges.empty(), "ranges tile the space");
  const auto above = std::upper_bound(
      ranges.begin() + 1, ranges.end(), point,
      [](const HashPoint& value, const HashRange& range) { return value < range.min; });
  return static_cast<std::size_t>(above - ranges.begin()) - 1;
}

std::uint64_t range_width_q32(HashVersion version, const HashRange& range) noexcept {
  // Both ends are rounded on one scale, so that neighbours share their rounding and sums are exact.
  const unsigned shift = version == HashVersion::v1 ? 0 : 126 - 32;
  const Uint128 last = range.open_ended ? hash_space_max(version) + 1 : range.max.level[0];
  const Uint128 first = range.min.level[0];
  return static_cast<std::uint64_t>((last >> shift) - (first >> shift));
}

}  // namespace partsim
