#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "partsim/keys/epk.hpp"

#include "support/catch.hpp"

namespace partsim {
namespace {

/// How many of `prefix`.1 .. `prefix`.`suffixes` fall into each of `ranges` initial ranges.
std::vector<int> keys_per_range(const std::string& prefix, int suffixes, std::uint32_t ranges) {
  const std::vector<HashRange> layout = initial_ranges(HashVersion::v2, ranges);
  std::vector<int> keys(ranges);
  for (int i = 1; i <= suffixes; ++i) {
    const std::vector<KeyComponent> key{prefix + "." + std::to_string(i)};
    ++keys[owner_of(layout, hash_point(HashVersion::v2, key))];
  }
  return keys;
}

/// The share of provisioned throughput that uniform suffixes can use before the fullest range is
/// at its limit: mean over maximum.
double usable_share(const std::vector<int>& keys) {
  double sum = 0.0;
  for (const int count : keys) {
    sum += count;
  }
  return sum / static_cast<double>(keys.size()) / *std::max_element(keys.begin(), keys.end());
}

constexpr double kPrinted = 0.0005;  // the table prints three digits

TEST_CASE("V2 of the validation table: 400 suffixes of a date fall into the ranges as derived",
          "[keys][validation]") {
  using Counts = std::vector<int>;
  const std::string day = "2018-08-09";
  CHECK(keys_per_range(day, 400, 2) == Counts{203, 197});
  CHECK(keys_per_range(day, 400, 3) == Counts{131, 124, 145});
  CHECK(keys_per_range(day, 400, 4) == Counts{101, 102, 95, 102});
  CHECK(keys_per_range(day, 400, 5) == Counts{91, 72, 70, 80, 87});
  CHECK(keys_per_range(day, 400, 8) == Counts{52, 49, 53, 49, 37, 58, 44, 58});
  CHECK(keys_per_range(day, 400, 10) == Counts{43, 48, 27, 45, 40, 30, 40, 40, 36, 51});
  CHECK(keys_per_range(day, 400, 20) ==
        Counts{18, 25, 25, 23, 10, 17, 24, 21, 26, 14, 18, 12, 18, 22, 25, 15, 15, 21, 28, 23});
}

TEST_CASE("V2 of the validation table: the usable share grows with suffixes, falls with ranges",
          "[keys][validation]") {
  const std::string day = "2018-08-09";
  CHECK(std::abs(usable_share(keys_per_range(day, 400, 5)) - 0.879) <= kPrinted);
  CHECK(std::abs(usable_share(keys_per_range(day, 400, 10)) - 0.784) <= kPrinted);
  CHECK(std::abs(usable_share(keys_per_range(day, 400, 20)) - 0.714) <= kPrinted);
  CHECK(std::abs(usable_share(keys_per_range(day, 10, 10)) - 0.333) <= kPrinted);
  CHECK(std::abs(usable_share(keys_per_range(day, 100, 10)) - 0.714) <= kPrinted);
  CHECK(std::abs(usable_share(keys_per_range(day, 1'000, 10)) - 0.870) <= kPrinted);
  CHECK(std::abs(usable_share(keys_per_range(day, 5'000, 10)) - 0.938) <= kPrinted);
  CHECK(std::abs(usable_share(keys_per_range(day, 10'000, 10)) - 0.961) <= kPrinted);
}

TEST_CASE("V2 of the validation table: the plain date sits in range 8 of 10, a tenth is usable",
          "[keys][validation]") {
  const std::vector<KeyComponent> day{std::string("2018-08-09")};
  CHECK(epk_hex(HashVersion::v2, day) == "37A47DB3EA1A030DB57FD8587FD7D414");
  std::vector<int> keys(10);
  ++keys[owner_of(initial_ranges(HashVersion::v2, 10), hash_point(HashVersion::v2, day))];
  CHECK(keys[8] == 1);
  CHECK(std::abs(usable_share(keys) - 0.100) <= kPrinted);
}

TEST_CASE("V2 of the validation table: the days of August 2018 average to 0.801",
          "[keys][validation]") {
  double sum = 0.0;
  for (int day = 1; day <= 31; ++day) {
    const std::string number = std::to_string(day);
    const std::string date = "2018-08-" + std::string(2 - number.size(), '0') + number;
    sum += usable_share(keys_per_range(date, 400, 10));
  }
  CHECK(std::abs(sum / 31 - 0.801) <= kPrinted);
}

}  // namespace
}  // namespace partsim
