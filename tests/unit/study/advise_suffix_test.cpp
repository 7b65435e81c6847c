#include <vector>

#include "partsim/study/advise.hpp"

#include "support/catch.hpp"
#include "support/scenario_builder.hpp"

namespace partsim {
namespace {

using testing::choose;
using testing::container;
using testing::evenly;
using testing::key;

/// Keys `2018-08-DD.S` from this day on.
Scenario august(std::uint32_t partitions, int first_day) {
  ContainerSpec spec = container(6'000 * partitions, partitions);
  spec.fields = {{"date", TimeField{*TimeFormat::parse("%Y-%m-%d")}}, choose("vin", 50'000)};
  spec.partition_key = {key("{date}")};
  Scenario result = testing::scenario(kSecond, spec, evenly("app", 1, OperationSpec{}));
  result.start_unix_s = 1'533'081'600 + (first_day - 1) * 86'400;  // 2018-08-01 + ...
  return result;
}

TEST_CASE("Suffixes of 2018-08-09 make the shares usable that were computed before (V2)",
          "[advise]") {
  const auto table = suffix_table(august(10, 9), 0, key("{date}.{random 1..1}"),
                                  {1, 10, 100, 400, 1'000, 5'000, 10'000}, 1);
  REQUIRE(table);
  const std::vector<double> usable{0.100, 0.333, 0.714, 0.784, 0.870, 0.938, 0.961};
  REQUIRE(table->rows.size() == usable.size());
  for (std::size_t i = 0; i < usable.size(); ++i) {
    CHECK(table->rows[i].usable == Approx(usable[i]).margin(0.0005));
  }
  // the fewest with 90 % of 0.961
  CHECK(table->rows[table->recommended].count == 1'000);
  CHECK(table->key == "{date}.{random 1..S}");
}

TEST_CASE("Other layouts of 2018-08-09 agree as well (V2)", "[advise]") {
  const auto usable = [](std::uint32_t partitions) {
    return suffix_table(august(partitions, 9), 0, key("{date}.{random 1..1}"), {400}, 1)
        ->rows.front()
        .usable;
  };
  CHECK(usable(5) == Approx(0.879).margin(0.0005));
  CHECK(usable(20) == Approx(0.714).margin(0.0005));
}

TEST_CASE("The median and the worst of a month are those of the facts, section 1.4", "[advise]") {
  struct Row {
    std::uint32_t partitions;
    std::uint64_t count;
    double median;
    double worst;
  };
  for (const Row& row : {Row{5, 50, 1.30, 1.70}, Row{10, 10, 3.00, 5.00}, Row{10, 400, 1.23, 1.57},
                         Row{20, 100, 1.80, 2.40}, Row{50, 1'000, 1.52, 1.80}}) {
    const auto table =
        suffix_table(august(row.partitions, 1), 0, key("{date}.{random 1..1}"), {row.count}, 30);
    CHECK(1 / table->rows.front().usable == Approx(row.median).margin(0.011));
    CHECK(1 / table->rows.front().worst_usable == Approx(row.worst).margin(0.006));
  }
}

TEST_CASE("A hashed suffix spreads like a random one and reads from one partition", "[advise]") {
  const auto table = suffix_table(august(10, 9), 0, key("{date}.{hash vin 1..1}"), {400, 5'000}, 1);
  REQUIRE(table);
  CHECK(table->rows[0].usable == Approx(0.784).margin(0.05));
  CHECK(table->rows[0].item_partitions == 1);
  CHECK(table->rows[0].item_ru == Approx(1));
  CHECK(table->rows[0].prefix_partitions == 10);
  CHECK(table->rows[0].prefix_ru == Approx(25));

  const auto random = suffix_table(august(10, 9), 0, key("{date}.{random 1..1}"), {1, 400}, 1);
  CHECK(random->rows[0].prefix_partitions == 1);
  CHECK(random->rows[1].item_partitions == 10);
  CHECK(random->rows[1].item_ru == Approx(25.73));
}

TEST_CASE("A key of two suffixes, or of none, has no table", "[advise]") {
  const Scenario asked = august(10, 9);
  CHECK_FALSE(suffix_table(asked, 0, key("{date}"), {10}, 1));
  CHECK_FALSE(suffix_table(asked, 0, key("{random 1..2}.{random 1..2}"), {10}, 1));
  CHECK_FALSE(suffix_table(asked, 0, key("{vin}.{hash vin 1..2}"), {10}, 1));
}

}  // namespace
}  // namespace partsim
