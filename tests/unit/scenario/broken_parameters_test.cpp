// Callers of the library may set any number; check() must judge it without overflowing.
#include "../loader/parameter_rows.hpp"
#include "problems.hpp"
#include "support/catch.hpp"

namespace partsim::testing {
namespace {

/// Every way to buy, with a timeline, storage and swaps, so that each parameter matters somewhere.
std::vector<Scenario> busy_scenarios() {
  std::vector<Scenario> all;
  for (const Provider provider : {Provider::cosmos, Provider::cosmos_2017, Provider::dynamodb}) {
    for (const CapacityMode mode :
         {CapacityMode::manual, CapacityMode::autoscale, CapacityMode::serverless}) {
      Scenario s = sound();
      s.provider = provider;
      s.parameters = profile_parameters(provider);
      s.parameters.split_swap_unavailable_ns = kSecond;
      s.containers.front().throughput = {mode, 20'000'000, {}, {}};
      s.containers.front().initial_storage_bytes = 120 * kGigabyte;
      s.timeline = {{kSecond, 0, SetThroughput{30'000'000}},
                    {2 * kSecond, 0, Redistribute{{{0, 15'000'000}}}},
                    {3 * kSecond, 0, MergePartitions{}}};
      all.push_back(std::move(s));
    }
  }
  return all;
}

TEST_CASE("Any number in any parameter is judged, and judged the same again", "[scenario]") {
  const std::vector<Scenario> scenarios = busy_scenarios();
  for (const ParameterRow& row : parameter_rows()) {
    const auto* place = std::get_if<std::int64_t ProviderParameters::*>(&row.place);
    if (place == nullptr) {
      continue;
    }
    for (const Scenario& scenario : scenarios) {
      for (const std::int64_t value : {INT64_MIN, INT64_C(-1), INT64_C(0), INT64_C(1), INT64_MAX}) {
        INFO(row.name << " = " << value);
        Scenario s = scenario;
        s.parameters.*(*place) = value;
        CHECK(problems_of(s) == problems_of(s));
      }
    }
  }
}

}  // namespace
}  // namespace partsim::testing
