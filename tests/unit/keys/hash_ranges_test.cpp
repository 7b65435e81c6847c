#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "partsim/core/rng.hpp"
#include "partsim/keys/epk.hpp"

#include "support/catch.hpp"

namespace partsim {
namespace {

constexpr HashVersion kVersions[] = {HashVersion::v1, HashVersion::v2, HashVersion::multihash};

/// The number that hex digits write.
Uint128 value_of(const std::string& hex) {
  Uint128 value = 0;
  for (const char c : hex) {
    value = value << 4 | static_cast<unsigned>(c <= '9' ? c - '0' : c - 'A' + 10);
  }
  return value;
}

HashPoint point_of(const std::vector<Uint128>& levels) {
  HashPoint point;
  point.levels = static_cast<std::uint8_t>(levels.size());
  std::copy(levels.begin(), levels.end(), point.level.begin());
  return point;
}

HashRange range_of(const std::vector<Uint128>& min, const std::vector<Uint128>& max) {
  return {point_of(min), point_of(max), false};
}

Uint128 random_value(const RngStream& stream, std::uint64_t index, HashVersion version) {
  const std::uint64_t high = stream.draw(index, 0);
  const std::uint64_t low = stream.draw(index, 1);
  return (static_cast<Uint128>(high) << 64 | low) & hash_space_max(version);
}

std::vector<std::string> boundaries(HashVersion version, std::uint32_t count) {
  std::vector<std::string> texts;
  const std::vector<HashRange> ranges = initial_ranges(version, count);
  for (std::size_t i = 1; i < ranges.size(); ++i) {
    texts.push_back(boundary_hex(version, ranges[i].min));
  }
  return texts;
}

void check_tiling(const std::vector<HashRange>& ranges) {
  CHECK(ranges.front().min.levels == 0);
  CHECK(ranges.back().open_ended);
  bool tiles = true;
  for (std::size_t i = 1; i < ranges.size(); ++i) {
    tiles = tiles && !ranges[i - 1].open_ended && ranges[i - 1].max == ranges[i].min &&
            ranges[i - 1].min < ranges[i].min;
  }
  CHECK(tiles);
}

TEST_CASE("Initial ranges have the boundaries that the service reports", "[keys]") {
  using Texts = std::vector<std::string>;
  CHECK(boundaries(HashVersion::v2, 1).empty());
  CHECK(boundaries(HashVersion::v2, 2) == Texts{"1FFFFFFFFFFFFFFFFFFFFFFFFFFFFFFF"});
  CHECK(boundaries(HashVersion::v2, 3) ==
        Texts{"15555555555555555555555555555555", "2AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"});
  CHECK(boundaries(HashVersion::v2, 4) == Texts{"0FFFFFFFFFFFFFFFFFFFFFFFFFFFFFFF",
                                                "1FFFFFFFFFFFFFFFFFFFFFFFFFFFFFFE",
                                                "2FFFFFFFFFFFFFFFFFFFFFFFFFFFFFFD"});
  CHECK(boundaries(HashVersion::v2, 5) ==
        Texts{"0CCCCCCCCCCCCCCCCCCCCCCCCCCCCCCC", "19999999999999999999999999999998",
              "26666666666666666666666666666664", "33333333333333333333333333333330"});
  CHECK(boundaries(HashVersion::multihash, 2) == boundaries(HashVersion::v2, 2));
  CHECK(boundaries(HashVersion::v1, 2) == Texts{"05C1DFFFFFFFFC"});
  CHECK(boundaries(HashVersion::v1, 3) == Texts{"05C1D5AB55AB54", "05C1E5AB55AB54"});
  CHECK(boundaries(HashVersion::v1, 4) ==
        Texts{"05C1CFFFFFFFF8", "05C1DFFFFFFFF8", "05C1E7FFFFFFFA"});
  CHECK(boundaries(HashVersion::v1, 5) ==
        Texts{"05C1C9CD673398", "05C1D9CD673398", "05C1E399CD6732", "05C1E9CD673398"});
}

TEST_CASE("Initial ranges tile the space for any number of them", "[keys]") {
  const RngStream stream(11, "ranges", "count");
  for (const HashVersion version : kVersions) {
    check_tiling(initial_ranges(version, 1));
    check_tiling(initial_ranges(version, kMaxRanges));
    for (std::uint64_t i = 0; i < 50; ++i) {
      const auto count = static_cast<std::uint32_t>(1 + bounded(stream.draw(i), 5'000));
      INFO(hash_version_name(version) << " in " << count);
      const std::vector<HashRange> ranges = initial_ranges(version, count);
      REQUIRE(ranges.size() == count);
      check_tiling(ranges);
    }
  }
}

TEST_CASE("Every point has one owner, and the owner's range contains it", "[keys]") {
  const RngStream stream(12, "ranges", "points");
  for (const HashVersion version : kVersions) {
    const std::vector<HashRange> ranges = initial_ranges(version, 37);
    for (std::uint64_t i = 0; i < 1'000; ++i) {
      const HashPoint point = point_of({random_value(stream, i, version)});
      const std::size_t owner = owner_of(ranges, point);
      std::size_t containing = 0;
      for (const HashRange& range : ranges) {
        containing += range.contains(point) ? 1U : 0U;
      }
      CHECK(containing == 1);
      CHECK(ranges[owner].contains(point));
    }
  }
}

TEST_CASE("A boundary belongs to the range above it, the point before to the one below", "[keys]") {
  for (const HashVersion version : kVersions) {
    const std::vector<HashRange> ranges = initial_ranges(version, 10);
    for (std::size_t i = 1; i < ranges.size(); ++i) {
      CHECK(owner_of(ranges, ranges[i].min) == i);
      CHECK(owner_of(ranges, point_of({ranges[i].min.level[0] - 1})) == i - 1);
    }
    CHECK(owner_of(ranges, point_of({})) == 0);
    CHECK(owner_of(ranges, point_of({0})) == 0);
    CHECK(owner_of(ranges, point_of({hash_space_max(version)})) == 9);
  }
}

TEST_CASE("Points compare as their hex texts do, at every depth", "[keys]") {
  const RngStream stream(13, "points", "levels");
  const auto make = [&stream](std::uint64_t index) {
    std::vector<Uint128> levels;
    const std::uint64_t depth = bounded(stream.draw(index, 4), 4);
    for (std::uint64_t level = 0; level < depth; ++level) {
      // Few values near each other, so that ties at a level are common.
      levels.push_back(bounded(stream.draw(index, 5 + level), 3) * (Uint128{1} << 65));
    }
    return point_of(levels);
  };
  for (std::uint64_t i = 0; i < 4'000; ++i) {
    const HashPoint a = make(2 * i);
    const HashPoint b = make(2 * i + 1);
    const std::string a_text = boundary_hex(HashVersion::multihash, a);
    const std::string b_text = boundary_hex(HashVersion::multihash, b);
    INFO(a_text << " and " << b_text);
    CHECK((a < b) == (a_text < b_text));
    CHECK((a == b) == (a_text == b_text));
    CHECK((a > b) == (a_text > b_text));
  }
}

TEST_CASE("v1 and v2 hashes compare as their hex texts do", "[keys]") {
  const RngStream stream(14, "points", "pairs");
  for (const HashVersion version : {HashVersion::v1, HashVersion::v2}) {
    for (std::uint64_t i = 0; i < 2'000; ++i) {
      // Short numbers too: the v1 text has a length that depends on the number.
      const std::uint64_t shift = bounded(stream.draw(i, 2), 32);
      const HashPoint a = point_of({random_value(stream, 2 * i, version) >> shift});
      const HashPoint b = point_of({random_value(stream, 2 * i + 1, version) >> shift});
      CHECK((a < b) == (boundary_hex(version, a) < boundary_hex(version, b)));
    }
  }
}

TEST_CASE("A v1 key is owned as its whole text, tail included, compares with the boundaries",
          "[keys]") {
  const std::vector<HashRange> ranges = initial_ranges(HashVersion::v1, 64);
  for (int i = 0; i < 500; ++i) {
    const std::vector<KeyComponent> key{"customer-" + std::to_string(i)};
    const std::string epk = epk_hex(HashVersion::v1, key);
    std::size_t by_text = 0;
    for (std::size_t r = 1; r < ranges.size(); ++r) {
      by_text = boundary_hex(HashVersion::v1, ranges[r].min) <= epk ? r : by_text;
    }
    CHECK(owner_of(ranges, hash_point(HashVersion::v1, key)) == by_text);
  }
}

TEST_CASE("A range is cut into equal parts with the remainder in the last", "[keys]") {
  const auto cuts = cut_points(HashVersion::v2, range_of({100}, {111}), 3);
  REQUIRE(cuts.has_value());
  REQUIRE(cuts->size() == 2);
  CHECK((*cuts)[0] == point_of({103}));
  CHECK((*cuts)[1] == point_of({106}));
  // The whole space cut in N is the layout of N initial ranges.
  for (const HashVersion version : kVersions) {
    const auto whole = cut_points(version, initial_ranges(version, 1)[0], 5);
    const std::vector<HashRange> ranges = initial_ranges(version, 5);
    REQUIRE(whole.has_value());
    for (std::size_t i = 0; i < 4; ++i) {
      CHECK((*whole)[i] == ranges[i + 1].min);
    }
  }
}

TEST_CASE("A range with fewer values than parts cannot be cut, with as many it can", "[keys]") {
  CHECK_FALSE(cut_points(HashVersion::v1, range_of({10}, {13}), 4).has_value());
  CHECK(cut_points(HashVersion::v1, range_of({10}, {14}), 4).has_value());
}

TEST_CASE("The midpoint of the whole space is the boundary of two initial ranges", "[keys]") {
  for (const HashVersion version : kVersions) {
    const HashRange whole = initial_ranges(version, 1)[0];
    CHECK(midpoint(version, whole, 1) == initial_ranges(version, 2)[1].min);
  }
}

TEST_CASE("A midpoint lies strictly inside any range of two values or more", "[keys]") {
  const RngStream stream(15, "ranges", "midpoint");
  for (const HashVersion version : kVersions) {
    for (std::uint64_t i = 0; i < 2'000; ++i) {
      const std::uint64_t shift = bounded(stream.draw(i, 2), version == HashVersion::v1 ? 31 : 125);
      const Uint128 width = 2 + (random_value(stream, i, version) >> (shift + 1));
      const Uint128 first = random_value(stream, i + 10'000, version) / 2;
      const HashRange range = range_of({first}, {first + width});
      const auto paths = static_cast<unsigned>(version == HashVersion::multihash ? 1 + i % 3 : 1);
      const HashPoint cut = midpoint(version, range, paths);
      CHECK((cut == point_of({first + width / 2})));
      CHECK((range.min < cut && cut < range.max));
    }
  }
}

TEST_CASE("A range of one value is too narrow for v1 and v2", "[keys]") {
  CHECK(midpoint(HashVersion::v1, range_of({7}, {8}), 1) == point_of({7}));
  CHECK(midpoint(HashVersion::v2, range_of({7}, {9}), 1) == point_of({8}));
  const HashRange top{point_of({hash_space_max(HashVersion::v2)}), {}, true};
  CHECK_FALSE(midpoint(HashVersion::v2, top, 1) > top.min);
}

TEST_CASE("A hierarchical range inside one first-level key is cut at its second level", "[keys]") {
  const Uint128 top = hash_space_max(HashVersion::multihash);
  const auto cut = [](const HashRange& range, unsigned paths) {
    return midpoint(HashVersion::multihash, range, paths);
  };
  // The same first level on both sides.
  CHECK(cut(range_of({7, 100}, {7, 200}), 2) == point_of({7, 150}));
  CHECK(boundary_hex(HashVersion::multihash, cut(range_of({7, 100}, {7, 200}), 2)).size() == 64);
  // The lower bound's continuation goes beyond the upper one's: up to the top of the level.
  CHECK((cut(range_of({7, 100}, {8}), 2) == point_of({7, 100 + (top - 100) / 2})));
  // The upper bound is the very next key.
  CHECK((cut(range_of({7}, {8}), 2) == point_of({7, top / 2})));
  CHECK((cut(range_of({7, 5}, {8, 5}), 2) == point_of({7, 5 + (top - 5) / 2})));
  CHECK(cut(range_of({7, 100}, {8, 200}), 2) == point_of({7, 150}));
  // Three levels down.
  CHECK(cut(range_of({7, 5, 10}, {7, 5, 20}), 3) == point_of({7, 5, 15}));
  CHECK((cut(range_of({7, 5}, {7, 6}), 3) == point_of({7, 5, top / 2})));
  // An open upper end counts as the largest hash.
  const HashRange last{point_of({top - 10}), {}, true};
  CHECK((cut(last, 2) == point_of({top - 5})));
}

TEST_CASE("A hierarchical midpoint lies strictly inside its range, however deep", "[keys]") {
  const RngStream stream(16, "ranges", "deep");
  const auto draw = [&stream](std::uint64_t index, std::uint64_t slot) {
    return static_cast<Uint128>(bounded(stream.draw(index, slot), 4));
  };
  int checked = 0;
  for (std::uint64_t i = 0; i < 4'000; ++i) {
    const HashPoint a = point_of({draw(i, 0), draw(i, 1)});
    const HashPoint b = point_of({draw(i, 2), draw(i, 3)});
    if (a >= b) {
      continue;
    }
    const HashRange range{a, b, false};
    const HashPoint cut = midpoint(HashVersion::multihash, range, 3);
    INFO(boundary_hex(HashVersion::multihash, a) << " " << boundary_hex(HashVersion::multihash, b));
    CHECK((range.min < cut && cut < range.max));
    ++checked;
  }
  CHECK(checked > 1'000);
}

TEST_CASE("Splitting again and again keeps the tiling, and every key its one owner", "[keys]") {
  const RngStream stream(17, "ranges", "split");
  std::vector<HashRange> ranges = initial_ranges(HashVersion::multihash, 3);
  for (std::uint64_t i = 0; i < 300; ++i) {
    const auto at = static_cast<std::ptrdiff_t>(bounded(stream.draw(i), ranges.size()));
    const HashPoint cut = midpoint(HashVersion::multihash, *(ranges.begin() + at), 2);
    HashRange upper = *(ranges.begin() + at);
    upper.min = cut;
    (ranges.begin() + at)->max = cut;
    (ranges.begin() + at)->open_ended = false;
    ranges.insert(ranges.begin() + at + 1, upper);
  }
  check_tiling(ranges);
  std::uint64_t width = 0;
  for (const HashRange& range : ranges) {
    width += range_width_q32(HashVersion::multihash, range);
  }
  CHECK(width == std::uint64_t{1} << 32);
}

TEST_CASE("A prefix covers exactly the ranges that can hold a key below it", "[keys]") {
  const HashPoint prefix = point_of({50});
  const PrefixRange covered{prefix};
  const auto overlaps = [&covered](const std::vector<Uint128>& min,
                                   const std::vector<Uint128>& max) {
    return covered.overlaps(range_of(min, max));
  };
  CHECK(overlaps({40}, {60}));
  CHECK(overlaps({50}, {51}));
  CHECK_FALSE(overlaps({40}, {50}));  // the top is exclusive
  CHECK(overlaps({40}, {50, 1}));
  CHECK(overlaps({50, 7}, {60}));  // begins in the middle of the prefix
  CHECK(overlaps({50, 7}, {50, 8}));
  CHECK_FALSE(overlaps({51}, {60}));
  CHECK_FALSE(overlaps({51, 3}, {60}));
  CHECK_FALSE(overlaps({10}, {49, 9}));
  CHECK(covered.overlaps({point_of({}), {}, true}));
  CHECK(covered.overlaps({point_of({50, 1}), {}, true}));
  CHECK_FALSE(covered.overlaps({point_of({51}), {}, true}));
}

TEST_CASE("A prefix overlaps a range exactly when their texts do", "[keys]") {
  const RngStream stream(18, "prefix", "texts");
  const auto draw = [&stream](std::uint64_t index, std::uint64_t slot) {
    return static_cast<Uint128>(bounded(stream.draw(index, slot), 4));
  };
  const auto hex = [](const HashPoint& point) {
    return boundary_hex(HashVersion::multihash, point);
  };
  for (std::uint64_t i = 0; i < 4'000; ++i) {
    const HashPoint prefix =
        i % 2 == 0 ? point_of({draw(i, 0)}) : point_of({draw(i, 0), draw(i, 1)});
    HashRange range{point_of({draw(i, 2), draw(i, 3)}), point_of({draw(i, 4), draw(i, 5)}), false};
    range.min.levels = static_cast<std::uint8_t>(1 + i / 2 % 2);
    range.min.level[1] = range.min.levels == 1 ? 0 : range.min.level[1];
    // [lo, hi) touches R when lo < R.max and R.min < hi, as texts; hi is the prefix and "FF".
    const bool by_text = hex(prefix) < hex(range.max) && hex(range.min) < hex(prefix) + "FF";
    CHECK(PrefixRange{prefix}.overlaps(range) == by_text);
  }
}

TEST_CASE("The widths of ranges that tile the space sum to 2^32 exactly", "[keys]") {
  const RngStream stream(19, "ranges", "width");
  for (const HashVersion version : kVersions) {
    for (std::uint64_t i = 0; i < 20; ++i) {
      const auto count = static_cast<std::uint32_t>(1 + bounded(stream.draw(i), 2'000));
      std::uint64_t sum = 0;
      for (const HashRange& range : initial_ranges(version, count)) {
        const std::uint64_t width = range_width_q32(version, range);
        CHECK(width >= (std::uint64_t{1} << 32) / count - 1);
        sum += width;
      }
      CHECK(sum == std::uint64_t{1} << 32);
    }
  }
  // 15555... is one third of the space.
  const HashRange third{point_of({}), point_of({value_of("15555555555555555555555555555555")}),
                        false};
  CHECK(range_width_q32(HashVersion::v2, third) == 0x55555555U);
}

}  // namespace
}  // namespace partsim
