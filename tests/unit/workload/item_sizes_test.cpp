// Sizes of items, and what operations add to what is stored.
#include "partsim/workload/item_sizes.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "partsim/workload/stored_bytes.hpp"

#include "support/catch.hpp"
#include "unit/core/statistics.hpp"

using namespace partsim;

namespace {

constexpr Bytes kMost = 2'048 * kKilobyte;
constexpr std::uint64_t kItems = 100'000;

SizeChoice law(SizeLaw::Law kind, Bytes low, Bytes high, Bytes most = kMost) {
  ContainerSpec container;
  container.item_size_law = SizeLaw{kind, low, high};
  return {container, most};
}

std::vector<double> sizes_of(const SizeChoice& choice) {
  const ItemSizes sizes(choice, 42, "app");
  std::vector<double> all;
  for (std::uint64_t i = 0; i < kItems; ++i) {
    all.push_back(static_cast<double>(sizes.size(i)));
  }
  return all;
}

double share_up_to(const std::vector<double>& sizes, double limit) {
  const auto count =
      std::count_if(sizes.begin(), sizes.end(), [=](double s) { return s <= limit; });
  return static_cast<double>(count) / static_cast<double>(sizes.size());
}

/// At one in a million.
double error_of_share(double p) {
  return statistics::kNormalTwoSided * std::sqrt(p * (1 - p) / static_cast<double>(kItems));
}

}  // namespace

TEST_CASE("Uniform sizes meet both ends and every size between alike", "[workload]") {
  const auto sizes = sizes_of(law(SizeLaw::Law::uniform, 10, 19));
  std::vector<double> seen(10, 0);
  for (const double size : sizes) {
    ++seen.at(static_cast<std::size_t>(size) - 10);
  }
  CHECK(statistics::chi_square_ratio(seen, std::vector<double>(10, kItems / 10.0)) < 1);
}

TEST_CASE("Log-normal sizes have their median and their 99th percentile", "[workload]") {
  const auto sizes = sizes_of(law(SizeLaw::Law::log_normal, 1 * kKilobyte, 20 * kKilobyte));
  CHECK(std::abs(share_up_to(sizes, 1'023.5) - 0.5) < error_of_share(0.5));
  CHECK(std::abs(share_up_to(sizes, 20'479.5) - 0.99) < error_of_share(0.99));
  // ln 20 is 2.326348 sigma; one sigma above the median lies 84.134 % of the items
  const double sigma = std::log(20.0) / 2.326348;
  CHECK(std::abs(share_up_to(sizes, 1'024 * std::exp(sigma)) - 0.84134) < error_of_share(0.84));
}

TEST_CASE("No item is empty or larger than the service takes", "[workload]") {
  const auto sizes = sizes_of(law(SizeLaw::Law::log_normal, 2, 4'000, 3'000));
  CHECK(*std::min_element(sizes.begin(), sizes.end()) == 1);
  CHECK(*std::max_element(sizes.begin(), sizes.end()) == 3'000);
}

TEST_CASE("Without a law every item has the container's size", "[workload]") {
  ContainerSpec container;
  container.item_size_bytes = 777;
  const SizeChoice choice(container, kMost);
  CHECK_FALSE(choice.varies());
  CHECK(ItemSizes(choice, 42, "app").size(5) == 777);
}

TEST_CASE("Stored bytes of items that differ are those of their sizes and the index",
          "[workload]") {
  const SizeChoice choice = law(SizeLaw::Law::uniform, 100, 1'000);
  const ItemSizes sizes(choice, 42, "app");
  const StoredBytes created({1, 0, 150'000}, choice, 42, "app");
  const StoredBytes batched({25, 0, 150'000}, choice, 42, "app");
  const StoredBytes deleted({-1, 0, 150'000}, choice, 42, "app");
  CHECK(created.varies());
  for (std::uint64_t op = 0; op < 1'000; ++op) {
    const Bytes bytes = sizes.size(op) * 115 / 100;
    REQUIRE(created.of(op) == bytes);
    REQUIRE(batched.of(op) == 25 * bytes);
    REQUIRE(deleted.of(op) == -bytes);
  }
}

TEST_CASE("An upsert adds only what was not there", "[workload]") {
  ContainerSpec container;
  container.item_size_bytes = 1'000;
  const SizeChoice choice(container, kMost);
  const StoredBytes upserted({1, 300'000, 150'000}, choice, 42, "app");
  CHECK(upserted.varies());
  double there = 0;
  for (std::uint64_t op = 0; op < kItems; ++op) {
    const Bytes bytes = upserted.of(op);
    REQUIRE((bytes == 0 || bytes == 1'150));
    there += bytes == 0 ? 1 : 0;
  }
  CHECK(std::abs(there / kItems - 0.3) < error_of_share(0.3));

  const StoredBytes always_there({1, kMillion, 150'000}, choice, 42, "app");
  CHECK_FALSE(always_there.varies());
  CHECK(always_there.fixed() == 0);
  const StoredBytes plain({1, 0, 150'000}, choice, 42, "app");
  CHECK_FALSE(plain.varies());
  CHECK(plain.of(9) == plain.fixed());
  CHECK(plain.fixed() == 1'150);
}
