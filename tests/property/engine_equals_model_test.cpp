#include "run_log.hpp"
#include "support/catch.hpp"
#include "support/naive_model.hpp"
#include "support/random_scenario.hpp"

using namespace partsim;

namespace {

/// The smallest scenario found, one step at a time, in which the difference is still there.
Scenario shrunk(Scenario scenario) {
  for (bool smaller = true; smaller;) {
    smaller = false;
    for (Scenario& candidate : simpler_scenarios(scenario)) {
      if (!difference_from_model(candidate).empty()) {
        scenario = std::move(candidate);
        smaller = true;
        break;
      }
    }
  }
  return scenario;
}

void check_agreement(Scenario (*generate)(std::uint64_t), std::uint64_t scenarios) {
  for (std::uint64_t seed = 1; seed <= scenarios; ++seed) {
    const Scenario scenario = generate(seed);
    const std::string difference = difference_from_model(scenario);
    if (!difference.empty()) {
      const Scenario small = shrunk(scenario);
      FAIL("seed " << seed << '\n'
                   << difference << describe(scenario) << "shrunk to\n"
                   << describe(small) << difference_from_model(small));
    }
  }
  SUCCEED();
}

}  // namespace

TEST_CASE("The engine and the naive model agree attempt by attempt on 1,000 random scenarios",
          "[property]") {
  check_agreement(random_scenario, 1'000);
}

TEST_CASE("The engine and the naive model agree on 1,000 scenarios whose layout changes",
          "[property]") {
  check_agreement(random_life_scenario, 1'000);
}

TEST_CASE("Random scenarios reach every outcome, routing class and budget model", "[property]") {
  std::uint64_t attempts = 0;
  std::uint64_t throttled = 0;
  std::uint64_t queue_full = 0;
  std::uint64_t retries = 0;
  std::uint64_t given_up = 0;
  std::uint64_t ties = 0;
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    const RunLog log = run_logged(random_scenario(seed));
    for (std::size_t i = 0; i < log.attempts.size(); ++i) {
      const AttemptRecord& record = log.attempts[i];
      const bool tie = i > 0 && log.attempts[i - 1].time_ns == record.time_ns &&
                       log.attempts[i - 1].client != record.client;
      throttled += record.outcome == AttemptOutcome::throttled ? 1U : 0U;
      queue_full += record.outcome == AttemptOutcome::queue_full ? 1U : 0U;
      retries += record.attempt > 0 ? 1U : 0U;
      given_up += record.next_ns == kNever ? 1U : 0U;
      ties += tie ? 1U : 0U;
    }
    attempts += log.attempts.size();
  }
  CAPTURE(attempts, throttled, queue_full, retries, given_up, ties);
  // Far below what is seen; a generator that lost a whole class falls through.
  CHECK(attempts > 20'000);
  CHECK(throttled > attempts / 20);
  CHECK(throttled < attempts * 19 / 20);
  CHECK(queue_full > 200);
  CHECK(retries > attempts / 20);
  CHECK(given_up > attempts / 50);
  CHECK(ties > 200);
}
