#include "partsim/scenario/pools.hpp"

#include "support/catch.hpp"
#include "support/scenario_builder.hpp"

using namespace partsim;
using namespace partsim::testing;
using testing::container;

TEST_CASE("A new container has one partition for each started 6,000 RU/s, or 10,000 by autoscale",
          "[scenario]") {
  const auto partitions = [](MilliRu ru_per_s, CapacityMode mode = CapacityMode::manual) {
    ContainerSpec spec = container(ru_per_s);
    spec.throughput.mode = mode;
    spec.throughput.partitions.reset();
    const Scenario s = scenario(kSecond, spec, poisson("app", 1, create(1)));
    return initial_partition_count(s, pools_of(s).front());
  };
  CHECK(partitions(18'000) == 3);
  CHECK(partitions(18'100) == 4);
  CHECK(partitions(400) == 1);
  CHECK(partitions(18'000, CapacityMode::autoscale) == 2);
  CHECK(partitions(0, CapacityMode::serverless) == 1);
}

TEST_CASE("A new container has enough partitions for what it stores", "[scenario]") {
  ContainerSpec spec = container(400);
  spec.throughput.partitions.reset();
  spec.initial_storage_bytes = 120 * kGigabyte;
  const Scenario s = scenario(kSecond, spec, poisson("app", 1, create(1)));
  CHECK(initial_partition_count(s, pools_of(s).front()) == 3);
}

TEST_CASE("A database has many partitions though a container that shares it is fixed",
          "[scenario]") {
  ContainerSpec spec = container(0);
  spec.shares_database = true;
  spec.fixed = true;
  Scenario s = scenario(kSecond, spec, poisson("app", 1, create(1)));
  s.database = DatabaseSpec{{CapacityMode::manual, 30'000 * kMilliPerRu, {}, {}}};
  CHECK(initial_partition_count(s, pools_of(s).front()) == 3);
}
