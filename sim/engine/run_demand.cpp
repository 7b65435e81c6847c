// What partitions do because of what is asked of them: lend, grow on demand, split for heat.
#include <algorithm>
#include <array>

#include "run.hpp"

namespace partsim {
namespace {

__extension__ using Wide = __int128;

/// Shares for one kind of unit, from what each partition was asked for in the last period.
std::vector<MilliRu> adapted(const std::vector<MilliRu>& demand, const std::vector<MilliRu>& even,
                             MilliRu limit, MilliRu total) {
  const auto count = static_cast<MilliRu>(demand.size());
  std::vector<MilliRu> shares;
  Wide need_sum = 0;
  Wide first_sum = 0;
  for (std::size_t i = 0; i < demand.size(); ++i) {
    const MilliRu need = std::min(demand[i], limit);
    need_sum += need;
    first_sum += std::min(need, even[i]);
  }
  for (std::size_t i = 0; i < demand.size(); ++i) {
    const MilliRu need = std::min(demand[i], limit);
    const MilliRu first = std::min(need, even[i]);
    if (need_sum <= total) {
      shares.push_back(
          std::min<MilliRu>(limit, need + static_cast<MilliRu>((total - need_sum) / count)));
    } else {
      const Wide unmet = need_sum - first_sum;
      shares.push_back(first + static_cast<MilliRu>((total - first_sum) * (need - first) / unmet));
    }
  }
  return shares;
}

}  // namespace

/// Adaptive capacity: partitions lend what they do not use to those that need more.
void Run::adapt(PoolState& state) {
  const ProviderParameters& p = scenario_.parameters;
  const Nanoseconds period = std::max(kSecond, p.throttle_window_ns);
  const auto even = state.pool->even();
  std::array<std::vector<MilliRu>, 2> demand;
  std::array<std::vector<MilliRu>, 2> base;
  Share all{state.retired_demand.total_mru_per_s / (period / kSecond),
            state.retired_demand.write_mru_per_s / (period / kSecond)};
  state.retired_demand = {};
  for (const auto& [id, share] : even) {
    const Share used = partitions_[id].loop->take_demand();
    demand[0].push_back(used.total_mru_per_s / (period / kSecond));
    demand[1].push_back(used.write_mru_per_s / (period / kSecond));
    base[0].push_back(share.total_mru_per_s);
    base[1].push_back(share.write_mru_per_s);
  }
  const Share limit{p.partition_max_read_units_per_s, p.partition_max_write_units_per_s};
  if (p.adaptive_capacity) {
    const Share& total = state.pool->total();
    const auto reads = adapted(demand[0], base[0], limit.total_mru_per_s, total.total_mru_per_s);
    const auto writes = adapted(demand[1], base[1], limit.write_mru_per_s, total.write_mru_per_s);
    for (std::size_t i = 0; i < even.size(); ++i) {
      partitions_[even[i].first].loop->set_share(now_ns_, {reads[i], writes[i]}, even[i].second);
    }
  }
  for (std::size_t i = 0; i < even.size(); ++i) {
    all.total_mru_per_s += demand[0][i];
    all.write_mru_per_s += demand[1][i];
  }
  state.peak = {std::max(state.peak.total_mru_per_s, all.total_mru_per_s),
                std::max(state.peak.write_mru_per_s, all.write_mru_per_s)};
  follow_demand(state);
  if (p.split_for_heat) {
    std::vector<std::pair<std::uint32_t, Share>> use;
    for (std::size_t i = 0; i < even.size(); ++i) {
      use.emplace_back(even[i].first, Share{demand[0][i], demand[1][i]});
    }
    watch_heat(state, limit, use);
  }
}

/// On demand: at the end of every window there is room for a multiple of the highest demand so far.
void Run::follow_demand(PoolState& state) {
  const ProviderParameters& p = scenario_.parameters;
  if (state.pool->spec().throughput.mode != CapacityMode::serverless ||
      now_ns_ % p.on_demand_window_ns != 0) {
    return;
  }
  const Share& total = state.pool->total();
  const Share target{
      std::max(total.total_mru_per_s, state.peak.total_mru_per_s * p.on_demand_peak_multiplier),
      std::max(total.write_mru_per_s, state.peak.write_mru_per_s * p.on_demand_peak_multiplier)};
  state.peak = {};
  if (target != total) {
    state.pool->set_throughput(now_ns_, now_ns_, target);
  }
}

/// A partition that was asked for nearly its limit, second after second, splits.
void Run::watch_heat(PoolState& state, const Share& limit,
                     const std::vector<std::pair<std::uint32_t, Share>>& use) {
  const ProviderParameters& p = scenario_.parameters;
  const auto is_hot = [&](MilliRu used, MilliRu most) {
    return Wide{used} * kMillion >= Wide{most} * p.split_for_heat_use_ppm;
  };
  for (const auto& [id, used] : use) {
    PartitionState& partition = partitions_[id];
    const std::int64_t second = now_ns_ / kSecond;
    if (!is_hot(used.total_mru_per_s, limit.total_mru_per_s) &&
        !is_hot(used.write_mru_per_s, limit.write_mru_per_s)) {
      partition.hot_since_s = -1;
      continue;
    }
    if (partition.hot_since_s < 0) {
      partition.hot_since_s = second - std::max(kSecond, p.throttle_window_ns) / kSecond;
    }
    if ((second - partition.hot_since_s) * kSecond >= p.split_for_heat_after_ns) {
      partition.hot_since_s = -1;
      state.pool->split_for_heat(id, now_ns_);
    }
  }
}

}  // namespace partsim
