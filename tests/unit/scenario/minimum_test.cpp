#include "partsim/scenario/minimum.hpp"

#include "partsim/scenario/pools.hpp"

#include "support/catch.hpp"

using namespace partsim;

namespace {

constexpr MilliRu kRu = kMilliPerRu;
const ProviderParameters kCosmos = profile_parameters(Provider::cosmos);

/// In RU/s.
MilliRu minimum(CapacityMode mode, std::int64_t gigabytes, MilliRu highest_ru) {
  return minimum_of(kCosmos, {mode, gigabytes * kGigabyte, highest_ru * kRu}).mru_per_s / kRu;
}

MilliRu database_minimum(CapacityMode mode, std::uint32_t containers) {
  return minimum_of(kCosmos, {mode, 0, 0, true, containers}).mru_per_s / kRu;
}

MilliRu even_growth(std::uint32_t partitions, MilliRu wanted_ru) {
  return even_growth_mru_per_s(kCosmos, partitions, wanted_ru * kRu) / kRu;
}

constexpr auto kManual = CapacityMode::manual;
constexpr auto kAutoscale = CapacityMode::autoscale;

}  // namespace

TEST_CASE("A small new container needs 400 RU/s, under autoscale a maximum of 1,000",
          "[scenario]") {
  CHECK(minimum(kManual, 0, 400) == 400);
  CHECK(minimum(kAutoscale, 0, 1'000) == 1'000);
}

TEST_CASE("G8, V14: A container that once had 50,000 RU/s keeps a hundredth, or its storage's part",
          "[scenario]") {
  CHECK(minimum(kManual, 20, 50'000) == 500);
  CHECK(minimum(kManual, 2'000, 50'000) == 2'000);
}

TEST_CASE("Under autoscale the maximum stays above a tenth of the highest and 10 RU/s a GB",
          "[scenario]") {
  CHECK(minimum(kAutoscale, 20, 50'000) == 5'000);
  CHECK(minimum(kAutoscale, 2'000, 50'000) == 20'000);
}

TEST_CASE("An autoscale minimum is rounded up to whole thousands, a manual one is not",
          "[scenario]") {
  CHECK(minimum(kAutoscale, 501, 0) == 6'000);
  CHECK(minimum(kAutoscale, 0, 10'010) == 2'000);
  CHECK(minimum(kManual, 501, 0) == 501);
}

TEST_CASE("Containers beyond the 25th raise the minimum of a shared database", "[scenario]") {
  CHECK(database_minimum(kManual, 25) == 400);
  CHECK(database_minimum(kManual, 26) == 500);
  CHECK(database_minimum(kAutoscale, 25) == 1'000);
  CHECK(database_minimum(kAutoscale, 30) == 6'000);  // by the formula; the prose slips to 5,000
}

TEST_CASE("Where there is no high-water rule, only the floor counts", "[scenario]") {
  const ProviderParameters dynamodb = profile_parameters(Provider::dynamodb);
  CHECK(minimum_of(dynamodb, {kManual, 5'000 * kGigabyte, 80'000 * kRu}).mru_per_s == kRu);
}

TEST_CASE("Without steps an autoscale maximum is not rounded", "[scenario]") {
  ProviderParameters stepless = kCosmos;
  stepless.mru_step_autoscale = 0;
  CHECK(minimum_of(stepless, {kAutoscale, 0, 10'010 * kRu}).mru_per_s == 1'001 * kRu);
  CHECK(next_autoscale_step(stepless, 50'010 * kRu) == 50'010 * kRu);
  CHECK(next_autoscale_step(kCosmos, 50'010 * kRu) == 51'000 * kRu);
  CHECK(next_autoscale_step(kCosmos, 51'000 * kRu) == 51'000 * kRu);
}

TEST_CASE("Storage far beyond any container does not overflow the minimum", "[scenario]") {
  // 2^62 bytes are 2^32 GB
  CHECK(minimum_of(kCosmos, {kManual, Bytes{1} << 62, 0}).mru_per_s == (MilliRu{1} << 32) * kRu);
}

TEST_CASE("G3, V10: Even growth goes past the wanted throughput to where every partition has split",
          "[scenario]") {
  CHECK(even_growth(2, 30'000) == 40'000);
  CHECK(even_growth(5, 150'000) == 200'000);
  CHECK(even_growth(2, 21'000) == 40'000);
  CHECK(even_growth(2, 25'000) == 40'000);
  CHECK(even_growth(2, 40'000) == 40'000);
  CHECK(even_growth(2, 40'001) == 80'000);
}

TEST_CASE("What needs no split needs no detour", "[scenario]") {
  CHECK(even_growth(2, 20'000) == 20'000);
  CHECK(even_growth(5, 30'000) == 30'000);
}
