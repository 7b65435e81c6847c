#include "partsim/service/layout.hpp"
#include "partsim/service/workers.hpp"

#include "support/catch.hpp"

using namespace partsim;

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
