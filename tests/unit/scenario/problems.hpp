/// A sound scenario to spoil, and what check() says of it.
#pragma once

#include <string>

#include "partsim/scenario/check.hpp"

#include "support/scenario_builder.hpp"

namespace partsim::testing {

/// One client of one create a second on one partition of 400 RU/s, for ten seconds.
inline Scenario sound() {
  return scenario(10 * kSecond, container(400), poisson("app", 1, create(5)));
}

/// `path: message` of each problem, one a line; nothing for a sound scenario.
inline std::string problems_of(const Scenario& scenario) {
  std::string text;
  for (const Problem& problem : check(scenario)) {
    text += problem.path + (problem.over_limit ? " (limit)" : "") + ": " + problem.message + "\n";
  }
  return text;
}

/// The problems after a change of the sound scenario.
template <class Change>
std::string problems_after(Change change) {
  Scenario spoilt = sound();
  change(spoilt);
  return problems_of(spoilt);
}

inline OpenLoop& loop_of(Scenario& s) {
  return std::get<OpenLoop>(s.clients.front().arrivals);
}

}  // namespace partsim::testing
