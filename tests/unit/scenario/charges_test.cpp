#include "partsim/scenario/charges.hpp"

#include "support/catch.hpp"
#include "support/scenario_builder.hpp"

using namespace partsim;
using namespace partsim::testing;
using testing::container;

TEST_CASE("Point operations cost what the published table says", "[scenario]") {
  CHECK(read_charge(1 * kKilobyte) == 1'000);
  CHECK(write_charge(1 * kKilobyte) == 4'950);
  CHECK(read_charge(64 * kKilobyte) == 4'760);
  CHECK(write_charge(2048 * kKilobyte) == 1'250'000);
  CHECK(write_charge(1) == 4'950);
  CHECK(read_charge(3 * kKilobyte) == 1'090);  // half way between 1.04 and 1.14
}

TEST_CASE("A create of 1 KB with ten indexed terms costs about 7 RU", "[scenario]") {
  ContainerSpec spec = container(1000);
  spec.indexed_terms = 10;
  CHECK(Charges(spec, {}).create() == 4'950 + 2'000);
}

TEST_CASE("Strong and bounded-staleness reads cost twice, writes do not", "[scenario]") {
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

TEST_CASE("A query costs at least 2.5 RU on each partition it visits", "[scenario]") {
  const Charges charges(container(1000), {});
  CHECK(charges.query(0, 0) == 2'500);
  CHECK(charges.query(10, 5) == 2'500 + 10 * 30 + 5 * 700);
}

TEST_CASE("A charge beyond all bounds is a large charge, not an overflow", "[scenario]") {
  static constexpr MilliRu kNobodyPays = 4'000'000 * kMilliPerRu;  // above it check() refuses
  ContainerSpec spec = container(1000);
  spec.item_size_bytes = INT64_MAX;
  spec.indexed_terms = UINT32_MAX;
  ProviderParameters absurd;
  absurd.index_mru_per_term = INT64_MAX;
  absurd.query_min_mru_per_partition = INT64_MAX;
  absurd.query_mru_per_match = INT64_MAX;
  absurd.query_mru_per_returned_kb = INT64_MAX;
  const Charges charges(spec, absurd);
  CHECK(charges.create() > kNobodyPays);
  CHECK(charges.point_read() > kNobodyPays);
  CHECK(charges.query(UINT32_MAX, UINT32_MAX) > kNobodyPays);
  absurd.read_unit_bytes = absurd.write_unit_bytes = 1;
  const Charges units(spec, absurd);
  CHECK(units.create() > kNobodyPays);
  CHECK(units.query(1, UINT32_MAX) > kNobodyPays);
  absurd.read_unit_bytes = absurd.write_unit_bytes = INT64_MAX;
  CHECK(Charges(spec, absurd).create() == kMilliPerRu);  // one unit holds it
}
