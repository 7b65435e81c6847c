/// Small scenarios drawn at random, rich in the awkward cases: ties, overdrafts, starving shares,
/// full queues, clocks that roll over, keys of every type.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <string>
#include <vector>

#include <rapidcheck.h>

#include "partsim/core/rng.hpp"
#include "partsim/scenario/scenario.hpp"

namespace partsim {

/// Numbers for a generator: the same for a seed on every machine.
class Dice {
 public:
  explicit Dice(std::uint64_t seed) : state_(mix64(seed + kGoldenGamma)) {}

  std::uint64_t next() { return mix64(state_ += kGoldenGamma); }
  /// Uniform in [low, high].
  std::int64_t between(std::int64_t low, std::int64_t high) {
    return low +
           static_cast<std::int64_t>(bounded(next(), static_cast<std::uint64_t>(high - low) + 1));
  }
  bool one_in(std::int64_t n) { return between(1, n) == 1; }
  template <class T>
  T pick(const std::vector<T>& values) {
    return values.at(static_cast<std::size_t>(bounded(next(), values.size())));
  }

 private:
  std::uint64_t state_;
};

/// Always the same scenario for a seed, so that a failing one can be run again.
[[nodiscard]] Scenario random_scenario(std::uint64_t seed);

/// Likewise, with layouts that change and every way to buy capacity, in sizes so small that it all
/// happens within seconds (random_life_scenario.cpp).
[[nodiscard]] Scenario random_life_scenario(std::uint64_t seed);

/// Scenarios with one thing less each: a client, an operation, half the time, workers, jitter ...
[[nodiscard]] std::vector<Scenario> simpler_scenarios(const Scenario& scenario);

/// One value a line, enough to rebuild the scenario by hand.
[[nodiscard]] std::string describe(const Scenario& scenario);

/// For RapidCheck; shrinks by `simpler_scenarios`.
[[nodiscard]] rc::Gen<Scenario> any_scenario();

/// How RapidCheck prints a counterexample.
void showValue(const Scenario& scenario, std::ostream& out);

}  // namespace partsim
