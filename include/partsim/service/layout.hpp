/// Which physical partitions a container has, and what each may spend.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "partsim/keys/epk.hpp"
#include "partsim/scenario/scenario.hpp"

namespace partsim {

/// Physical partitions in range order: their ranges tile the key space.
struct Layout {
  HashVersion hash = HashVersion::v2;
  std::vector<HashRange> ranges;
  std::vector<std::uint32_t> ids;  // which partition owns ranges[i]; unique over all containers

  [[nodiscard]] std::uint32_t owner(const HashPoint& point) const noexcept {
    return ids[owner_of(ranges, point)];
  }
};

/// What a partition may spend in a second. Providers that sell reads and writes apart use both
/// numbers, the others only the first.
struct Share {
  MilliRu total_mru_per_s = 0;  // of reads where they are apart, else of everything
  MilliRu write_mru_per_s = 0;
  [[nodiscard]] bool operator==(const Share&) const = default;
};

/// The hash a container really uses: a key of several levels is always hashed level by level.
[[nodiscard]] HashVersion hash_version_of(const ContainerSpec& container) noexcept;

/// Throughput bought for a set of partitions, whoever bought it, and who uses them.
struct PoolSpec {
  std::string name;  // of the container, or "database"
  ThroughputSpec throughput;
  bool is_database = false;
  bool fixed = false;
  std::vector<std::uint32_t> containers;  // indices into Scenario::containers
};
/// Pools in the order of their first container.
[[nodiscard]] std::vector<PoolSpec> pools_of(const Scenario& scenario);

/// What a pool has at the start: bought as such, or worked out for serverless and for units that
/// are bought apart.
[[nodiscard]] Share initial_total(const Scenario& scenario, const PoolSpec& pool);

/// Partitions of a new pool: as stated, or by the creation rule, and enough for the stored bytes.
[[nodiscard]] std::uint32_t initial_partition_count(const Scenario& scenario, const PoolSpec& pool);

/// Reads and writes have budgets of their own.
[[nodiscard]] inline bool units_apart(const ProviderParameters& parameters) noexcept {
  return parameters.read_unit_bytes > 0 && parameters.write_unit_bytes > 0;
}

/// `total / count` each; what does not divide goes to the first ones, one milli-RU each.
[[nodiscard]] std::vector<MilliRu> even_shares(MilliRu total, std::size_t count);

/// Partitions that `total` needs by the growth rule, when there are `now`.
[[nodiscard]] std::uint64_t needed_partitions(const ProviderParameters& parameters,
                                              const Share& total, std::uint64_t now) noexcept;

}  // namespace partsim
