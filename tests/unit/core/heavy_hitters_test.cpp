#include "partsim/core/heavy_hitters.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <vector>

#include "partsim/core/distribution.hpp"
#include "partsim/core/rng.hpp"

#include "support/catch.hpp"

namespace partsim {
namespace {

constexpr RngStream kStream(17, "heavy-hitters-test", "keys");

bool same(const std::vector<HeavyHitters::Entry>& a, const std::vector<HeavyHitters::Entry>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const auto& x, const auto& y) {
    return x.key == y.key && x.weight == y.weight && x.witness.first == y.witness.first &&
           x.witness.second == y.witness.second;
  });
}

}  // namespace

TEST_CASE("Weights are exact up to the capacity and stop being so one key later", "[core]") {
  HeavyHitters sketch(16);
  for (std::uint64_t key = 0; key < 16; ++key) {
    sketch.add(key, 10 + key, {key * 100, -5});
    sketch.add(key, 1, {999, 999});
  }
  CHECK(sketch.error() == 0);
  const std::vector<HeavyHitters::Entry> exact = sketch.top(100);
  REQUIRE(exact.size() == 16);
  for (std::size_t i = 0; i < exact.size(); ++i) {
    CHECK(exact[i].key == 15 - i);
    CHECK(exact[i].weight == 11 + (15 - i));
    CHECK(exact[i].witness.first == (15 - i) * 100);
    CHECK(exact[i].witness.second == -5);
  }
  sketch.add(16, 5, {});
  CHECK(sketch.error() == 18);  // the lower median of 11 .. 26
  CHECK(sketch.top(100).size() == 9);
}

TEST_CASE("The top is the heaviest first, ties by key, and no longer than asked", "[core]") {
  HeavyHitters sketch(16);
  CHECK(sketch.top(5).empty());
  sketch.add(9, 5, {});
  sketch.add(3, 5, {});
  sketch.add(7, 6, {});
  sketch.add(1, 4, {});
  const std::vector<HeavyHitters::Entry> top = sketch.top(3);
  REQUIRE(top.size() == 3);
  CHECK(top[0].key == 7);
  CHECK(top[1].key == 3);
  CHECK(top[2].key == 9);
  CHECK(sketch.top(0).empty());
}

TEST_CASE("A weight of zero is no sighting", "[core]") {
  HeavyHitters sketch(16);
  sketch.add(1, 0, {});
  CHECK(sketch.top(5).empty());
  CHECK(sketch.total() == 0);
  sketch.add(0, UINT64_MAX / 4, {});  // key 0 is a key like any other
  REQUIRE(sketch.top(5).size() == 1);
  CHECK(sketch.top(5)[0].key == 0);
}

TEST_CASE("No weight is overstated, or understated by more than the error", "[core]") {
  for (std::uint64_t seed = 0; seed < 6; ++seed) {
    const std::uint32_t capacity = seed % 2 == 0 ? 16 : 200;
    INFO("seed " << seed << " capacity " << capacity);
    const Zipf law(5'000, 0.4 + 0.2 * static_cast<double>(seed));
    HeavyHitters sketch(capacity);
    std::map<std::uint64_t, std::uint64_t> truth;
    std::uint64_t total = 0;
    for (std::uint64_t i = 0; i < 50'000; ++i) {
      const std::uint64_t key = mix64(law.sample(kStream.draw(i, seed)));
      const std::uint64_t weight = 1 + bounded(kStream.draw(i, 15), 1'000);
      sketch.add(key, weight, {i});
      truth[key] += weight;
      total += weight;
    }
    CHECK(sketch.total() == total);
    REQUIRE(sketch.error() > 0);
    CHECK(sketch.error() <= total / capacity * 2);
    std::map<std::uint64_t, std::uint64_t> found;
    for (const HeavyHitters::Entry& entry : sketch.top(capacity)) {
      found[entry.key] = entry.weight;
      CHECK(entry.weight <= truth.at(entry.key));
      CHECK(entry.weight + sketch.error() >= truth.at(entry.key));
    }
    for (const auto& [key, weight] : truth) {  // and nobody heavier than the error is missed
      if (weight > sketch.error()) {
        CHECK(found.count(key) == 1);
      }
    }
  }
}

TEST_CASE("An adversary who always brings the key just dropped cannot break the bound", "[core]") {
  HeavyHitters sketch(16);
  for (std::uint64_t i = 0; i < 20'000; ++i) {
    sketch.add(i % 17, 1, {i});
  }
  CHECK(sketch.error() <= sketch.total() / 16 * 2);
  for (const HeavyHitters::Entry& entry : sketch.top(16)) {
    CHECK(entry.weight + sketch.error() >= 20'000 / 17);
    CHECK(entry.weight <= 20'000 / 17 + 1);
  }
}

TEST_CASE("The witness is the one given when the key was last inserted", "[core]") {
  HeavyHitters sketch(16);
  sketch.add(1, 100, {11, 1});
  sketch.add(1, 100, {12, 2});
  CHECK(sketch.top(1)[0].witness.first == 11);
  CHECK(sketch.top(1)[0].witness.second == 1);
  HeavyHitters full(16);
  for (std::uint64_t key = 0; key < 17; ++key) {  // all equal: the 17th clears the table
    full.add(key, 1, {key});
  }
  full.add(3, 1, {77});
  for (const HeavyHitters::Entry& entry : full.top(16)) {
    CHECK(entry.witness.first == (entry.key == 3 ? 77 : 16));
  }
}

TEST_CASE("The same stream gives the same answer, whatever came to memory before", "[core]") {
  HeavyHitters first(64);
  HeavyHitters second(64);
  for (std::uint64_t i = 0; i < 30'000; ++i) {
    const std::uint64_t key = bounded(kStream.draw(i), 500) * bounded(kStream.draw(i, 1), 3);
    first.add(key, 1 + key % 7, {i});
    second.add(key, 1 + key % 7, {i});
  }
  HeavyHitters copy = first;
  copy.add(12345, 1'000'000, {1});
  CHECK(same(first.top(64), second.top(64)));
  CHECK_FALSE(same(copy.top(64), second.top(64)));
}

}  // namespace partsim
