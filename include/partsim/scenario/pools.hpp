/// Who buys which partitions, what each set of them has, and how many there are: the static part of
/// docs/MODEL.md sections 4, 10 and 13. Safe on scenarios that were not checked.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "partsim/scenario/scenario.hpp"

namespace partsim {

/// What a partition, or all of a pool, may spend in a second. Providers that sell reads and writes
/// apart use both numbers, the others only the first.
struct Share {
  MilliRu total_mru_per_s = 0;  // of reads where they are apart, else of everything
  MilliRu write_mru_per_s = 0;

  [[nodiscard]] MilliRu sum() const noexcept { return total_mru_per_s + write_mru_per_s; }
  [[nodiscard]] bool operator==(const Share&) const = default;
};

/// Throughput bought for a set of partitions, whoever bought it, and who uses them.
struct PoolSpec {
  std::string name;  // of the container, or "database"
  ThroughputSpec throughput;
  bool is_database = false;
  bool fixed = false;
  std::vector<std::uint32_t> containers;  // indices into Scenario::containers

  [[nodiscard]] bool has(std::uint32_t container) const noexcept;
};
/// Pools in the order of their first container.
[[nodiscard]] std::vector<PoolSpec> pools_of(const Scenario& scenario);

/// Reads and writes have budgets of their own.
[[nodiscard]] inline bool units_apart(const ProviderParameters& parameters) noexcept {
  return parameters.read_unit_bytes > 0 && parameters.write_unit_bytes > 0;
}

/// The hash a container really uses: a key of several levels is always hashed level by level.
[[nodiscard]] HashVersion hash_version_of(const ContainerSpec& container) noexcept;
/// How many levels a key has; the keys of a trace may have as many as their hash knows.
[[nodiscard]] unsigned key_levels_of(const ContainerSpec& container) noexcept;

/// What the containers of a pool store before the run.
[[nodiscard]] Bytes stored_at_start(const Scenario& scenario, const PoolSpec& pool) noexcept;

/// What is bought by `throughput: X RU/s`, or by units if they are given. Where reads and writes
/// are bought apart, RU/s stand for the units that serve as many operations a second as they would
/// under Cosmos DB, for the mix of operations that the scenario has.
[[nodiscard]] Share bought_total(const Scenario& scenario, const PoolSpec& pool, MilliRu mru_per_s,
                                 const std::optional<CapacityUnits>& units);

/// What a pool has at the start: bought as such, or worked out for serverless and for units that
/// are bought apart.
[[nodiscard]] Share initial_total(const Scenario& scenario, const PoolSpec& pool);

/// Partitions of a new pool: as stated, or by the creation rule, and enough for the stored bytes.
[[nodiscard]] std::uint64_t initial_partition_count(const Scenario& scenario, const PoolSpec& pool);

/// Partitions that `total` needs by the growth rule, when there are `now`.
[[nodiscard]] std::uint64_t needed_partitions(const ProviderParameters& parameters,
                                              const Share& total, std::uint64_t now) noexcept;

/// What to raise the throughput to, before it is lowered to `wanted`, so that every partition
/// splits equally often: with g = growth_partition_ru, `g * P * 2^ceil(log2(wanted / (g * P)))`.
/// `wanted` itself if nothing needs to split.
[[nodiscard]] MilliRu even_growth_mru_per_s(const ProviderParameters& parameters,
                                            std::uint32_t partitions, MilliRu wanted) noexcept;

}  // namespace partsim
