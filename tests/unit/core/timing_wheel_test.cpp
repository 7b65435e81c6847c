#include "partsim/core/timing_wheel.hpp"

#include <set>
#include <utility>

#include "partsim/core/rng.hpp"

#include "support/catch.hpp"

namespace {

using partsim::kSecond;
using partsim::Nanoseconds;
using partsim::TimingWheel;

struct Entry {
  Nanoseconds due_ns;
  std::uint64_t id;
};

/// Delays as retries have them: some a few nanoseconds, most about a second, a few for days.
Nanoseconds random_delay(std::uint64_t draw) {
  const std::uint64_t kind = draw % 10;
  const std::uint64_t rest = partsim::mix64(draw);
  if (kind == 0) {
    return static_cast<Nanoseconds>(rest % 3);
  }
  if (kind == 1) {
    return static_cast<Nanoseconds>(rest % 1'000'000);
  }
  if (kind == 2) {
    return static_cast<Nanoseconds>(rest % (5 * 86'400 * std::uint64_t{kSecond}));
  }
  return kSecond + static_cast<Nanoseconds>(rest % 10'000'000);
}

}  // namespace

TEST_CASE("A timing wheel hands entries over in the order of an ordered set", "[core]") {
  TimingWheel<Entry> wheel;
  std::set<std::pair<Nanoseconds, std::uint64_t>> expected;
  Nanoseconds now = 0;
  std::uint64_t id = 0;
  for (std::uint64_t round = 0; round < 20'000; ++round) {
    const std::uint64_t draw = partsim::mix64(round);
    for (std::uint64_t k = 0; k < draw % 3; ++k) {
      const Nanoseconds due = now + random_delay(partsim::mix64(draw + k));
      wheel.push({due, ++id});
      expected.insert({due, id});
    }
    const Nanoseconds limit = now + random_delay(partsim::mix64(draw + 99)) / 8;
    while (wheel.load_before(limit)) {
      REQUIRE_FALSE(expected.empty());
      CHECK(wheel.front().due_ns == expected.begin()->first);
      CHECK(wheel.front().id == expected.begin()->second);
      expected.erase(expected.begin());
      wheel.pop_front();
    }
    REQUIRE((expected.empty() || expected.begin()->first >= limit));
    REQUIRE(wheel.size() == expected.size());
    now = limit;
  }
  REQUIRE(id > 10'000);
}

TEST_CASE("Draining a wheel takes exactly what is due before the limit, pushes included",
          "[core]") {
  TimingWheel<Entry> wheel;
  std::set<std::pair<Nanoseconds, std::uint64_t>> expected;
  Nanoseconds now = 0;
  std::uint64_t id = 0;
  for (std::uint64_t round = 0; round < 5'000; ++round) {
    const std::uint64_t draw = partsim::mix64(round ^ 0xABCD);
    for (std::uint64_t k = 0; k < 3; ++k) {
      const Nanoseconds due = now + random_delay(partsim::mix64(draw + k));
      wheel.push({due, ++id});
      expected.insert({due, id});
    }
    const Nanoseconds limit = now + random_delay(partsim::mix64(draw + 99));
    wheel.drain_before(limit, [&](const Entry& entry) {
      CHECK(entry.due_ns < limit);
      CHECK(expected.erase({entry.due_ns, entry.id}) == 1);
      if (entry.id % 2 == 0) {  // half of them are refused again and wait beyond the limit
        const Nanoseconds due = limit + random_delay(partsim::mix64(entry.id));
        wheel.push({due, ++id});
        expected.insert({due, id});
      }
    });
    REQUIRE((expected.empty() || expected.begin()->first >= limit));
    REQUIRE(wheel.size() == expected.size());
    now = limit;
  }
}

TEST_CASE("Walking a wheel meets every waiting entry once", "[core]") {
  TimingWheel<Entry> wheel;
  for (std::uint64_t i = 0; i < 1'000; ++i) {
    wheel.push({random_delay(partsim::mix64(i)), i});
  }
  std::set<std::uint64_t> seen;
  wheel.for_each([&](const Entry& entry) { CHECK(seen.insert(entry.id).second); });
  CHECK(seen.size() == 1'000);
}
