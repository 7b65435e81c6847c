// The scenarios that prove the engine are ones that users could run.
#include "problems.hpp"
#include "support/catch.hpp"
#include "support/random_scenario.hpp"

namespace partsim::testing {
namespace {

TEST_CASE("Every random scenario of the property tests passes the check", "[scenario]") {
  for (std::uint64_t seed = 1; seed <= 1'000; ++seed) {
    const std::string problems = problems_of(random_scenario(seed));
    INFO("seed " << seed << "\n" << problems);
    CHECK(problems.empty());
  }
}

TEST_CASE("A random scenario stays small", "[scenario]") {
  for (std::uint64_t seed = 1; seed <= 1'000; ++seed) {
    INFO("seed " << seed);
    CHECK(estimated_requests(random_scenario(seed)) < 20'000);
  }
}

}  // namespace
}  // namespace partsim::testing
