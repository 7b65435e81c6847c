#include "partsim/service/charges.hpp"
#include "partsim/service/layout.hpp"
#include "partsim/service/workers.hpp"

#include "support/catch.hpp"
#include "support/scenario_builder.hpp"

using namespace partsim;
using namespace partsim::testing;
using testing::container;

TEST_CASE("Point operations cost what the published table says", "[service]") {
  CHECK(read_charge(1 * kKilobyte) == 1'000);
  CHECK(write_charge(1 * kKilobyte) == 4'950);
  CHECK(read_charge(64 * kKilobyte) == 4'760);
  CHECK(write_charge(2048 * kKilobyte) == 1'250'000);
  CHECK(write_charge(1) == 4'950);
  CHECK(read_charge(3 * kKilobyte) == 1'090);  // half way between 1.04 and 1.14
}

TEST_CASE("A create of 1 KB with ten indexed terms costs about 7 RU", "[service]") {
  ContainerSpec spec = container(1000);
  spec.indexed_terms = 10;
  CHECK(Charges(spec, {}).create() == 4'950 + 2'000);
}

TEST_CASE("Strong and bounded-staleness reads cost twice, writes do not", "[service]") {
  ContainerSpec spec = container(1000);
  const Charges session(spec, {});
  for (const Consistency level : {Consistency::strong, Consistency::bounded_staleness}) {
    spec.consistency = level;
    const Charges twice(spec, {});
    CHECK(twice.point_read() == 2 * session.point_read());
    CHECK(twice.query(3, 2) == 2 * session.query(3, 2));
    CHECK(twice.create() == session.create());
  }
}

TEST_CASE("A query costs at least 2.5 RU on each partition it visits", "[service]") {
  const Charges charges(container(1000), {});
  CHECK(charges.query(0, 0) == 2'500);
  CHECK(charges.query(10, 5) == 2'500 + 10 * 30 + 5 * 700);
}

TEST_CASE("A new container has one partition for each started 6,000 RU/s, or 10,000 by autoscale",
          "[service]") {
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

TEST_CASE("A new container has enough partitions for what it stores", "[service]") {
  ContainerSpec spec = container(400);
  spec.throughput.partitions.reset();
  spec.initial_storage_bytes = 120 * kGigabyte;
  const Scenario s = scenario(kSecond, spec, poisson("app", 1, create(1)));
  CHECK(initial_partition_count(s, pools_of(s).front()) == 3);
}

TEST_CASE("Shares are even and add up to what was bought", "[service]") {
  CHECK(even_shares(18'000'000, 3) == std::vector<MilliRu>(3, 6'000'000));
  MilliRu sum = 0;
  for (const MilliRu share : even_shares(1'000'000, 7)) {
    CHECK((share == 142'857 || share == 142'858));
    sum += share;
  }
  CHECK(sum == 1'000'000);
}

TEST_CASE("Two workers serve two at once and the third waits for the first", "[service]") {
  ManyWorkers workers(WorkersSpec{2, {}});
  CHECK(workers.start_ns(0) == 0);
  workers.occupy(10);
  CHECK(workers.start_ns(1) == 1);
  workers.occupy(5);
  CHECK(workers.start_ns(2) == 5);
}

TEST_CASE("A full system refuses, and a place is free at the instant of a departure", "[service]") {
  ManyWorkers workers(WorkersSpec{1, 1});
  workers.occupy(10);
  CHECK_FALSE(workers.full(1));
  workers.occupy(20);
  CHECK(workers.full(1));
  CHECK(workers.full(9));
  CHECK_FALSE(workers.full(10));
}
