/// What the parts of advise() share. Private to the study module.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "partsim/keys/epk.hpp"
#include "partsim/scenario/pools.hpp"
#include "partsim/scenario/scenario.hpp"
#include "partsim/service/layout.hpp"
#include "partsim/study/advise.hpp"
#include "partsim/workload/key_space.hpp"

namespace partsim::advice {

/// A key of more combinations is judged by draws, so many of them.
inline constexpr std::uint64_t kMaxCombinations = 1U << 18;
inline constexpr std::uint64_t kDraws = 200'000;
/// The simulation of a sample draws from at most so many of its rows.
inline constexpr std::uint64_t kMaxRows = 100'000;

[[nodiscard]] Scenario with_key(const Scenario& scenario, std::uint32_t container,
                                const KeyLevels& levels);
[[nodiscard]] PoolSpec pool_of(const Scenario& scenario, std::uint32_t container);
/// As the container's partitions are at the start; ids count from 0.
[[nodiscard]] Layout layout_of(const Scenario& scenario, std::uint32_t container);
[[nodiscard]] const FieldSpec* find_field(const ContainerSpec& container, const std::string& name);
/// The field that a part of a key reads; nullptr: none.
[[nodiscard]] const std::string* field_of(const KeyPart& part);
[[nodiscard]] bool has_suffix(const KeyTemplate& level);
/// How long a key value takes writes: the shortest period of the clocks in it; 0: no clock.
[[nodiscard]] std::int64_t clock_period_s(const ContainerSpec& container);
[[nodiscard]] std::uint64_t hash_of(const HashPoint& point) noexcept;
/// Who writes the items that keys are judged by.
[[nodiscard]] ClientSpec item_writer();

/// Operations of a client, by its arrivals alone.
struct MeanRate {
  double per_s = 0;      // over the run
  double day_per_s = 0;  // over a day, if the run goes on like that
  double once = 0;       // a load that does not come again
};
[[nodiscard]] MeanRate mean_rate(const Scenario& scenario, const ClientSpec& client);

/// Adds operations, use of the hottest partition and growth to a judgement that has its load.
void judge_costs(const Scenario& scenario, std::uint32_t container, KeyJudgement& judgement);
[[nodiscard]] StorageWall storage_wall(const Scenario& scenario, std::uint32_t container,
                                       const KeyJudgement& judgement);

/// A sample as a scenario has it: columns are fields whose rows stay together.
struct SampleTable {
  std::vector<std::string> columns;
  std::vector<std::vector<KeyComponent>> values;  // by column
  SampleSummary summary;
};
[[nodiscard]] SampleTable read_sample(const SampleOpener& open, std::uint64_t seed);
void use_sample(const SampleTable& table, ContainerSpec& container);
/// The load of every key over all rows; clocks stand at the start. The same order.
[[nodiscard]] std::vector<KeyLoad> sample_loads(const SampleOpener& open, const Scenario& scenario,
                                                std::uint32_t container,
                                                const std::vector<KeyLevels>& keys);

/// Probability of each value of an axis whose values are finitely many.
[[nodiscard]] std::vector<double> value_shares(const ContainerSpec& container, const KeyAxis& axis);

/// Values a field has; UINT64_MAX: never the same twice.
[[nodiscard]] std::uint64_t distinct_values(const ContainerSpec& container, const FieldSpec& field);

}  // namespace partsim::advice
