// What a partition may spend: sections 6.1, 12, 13 and 14 of docs/MODEL.md.
#include <algorithm>

#include "support/naive_parts.hpp"

namespace partsim::naive {

Model::Limits Model::limits(const Partition& partition, std::size_t kind) const {
  const MilliRu rate = partition.share[kind];
  const MilliRu unit_limit =
      kind == 0 ? rules.partition_max_read_units_per_s : rules.partition_max_write_units_per_s;
  const auto per_window = [&](MilliRu per_s) { return Wide(per_s) * window / kSecond; };
  Limits most;
  most.share = most.full = per_window(rate);
  most.burst = rules.burst_enabled && rate < rules.burst_eligible_below_mru_per_s &&
               rules.throttle_model != ThrottleModel::token_bucket;
  if (most.burst) {
    const bool adapted = units_apart && rules.adaptive_capacity;
    const MilliRu even = adapted ? even_share(partition.pool, partition.id)[kind] : rate;
    const Wide saved = per_window(even) * rules.burst_window_s * kSecond / window;
    most.full = rules.burst_net_of_share ? most.share + saved : std::max(most.share, saved);
    most.peak =
        std::max(most.share, per_window(units_apart ? unit_limit : rules.burst_max_mru_per_s));
  }
  most.by_minute = rules.ru_per_minute_enabled && rate <= rules.ru_per_minute_max_partition_mru &&
                   rules.throttle_model == ThrottleModel::window_debt;
  most.store = most.by_minute ? Wide(rate) * rules.ru_per_minute_ratio : 0;
  return most;
}

bool Model::is_minute() const {
  return (scenario.start_unix_s + now / kSecond) % 60 == 0 && now % kSecond == 0;
}

/// A token bucket up to now.
void Model::fill(Budget& budget, const Limits& most) const {
  if (rules.throttle_model == ThrottleModel::token_bucket) {
    budget.level += most.share * (now - budget.filled_ns);
    budget.level = std::min(budget.level, most.share * window);
    budget.filled_ns = now;
  }
}

Wide Model::bucket_cap(const Limits& most, const ContainerSpec* container,
                       std::uint32_t bucket) const {
  return most.share * container->bucket_ppm.at(bucket - 1) / kMillion;
}

/// A boundary of windows, a whole minute, or the birth of the partition.
void Model::begin_window(Partition& partition) {
  const bool boundary = now % window == 0;
  const bool strict = rules.throttle_model == ThrottleModel::window_strict;
  partition.budgets.resize(scenario.regions.size());
  for (auto& region : partition.budgets) {
    for (std::size_t kind = 0; kind < region.size(); ++kind) {
      const Limits most = limits(partition, kind);
      Budget& budget = region.at(kind);
      if (partition.born_ns == now) {
        budget = {most.share * window, now, 0, most.store, {}};
        continue;
      }
      if (boundary) {
        const bool still_pays =
            most.burst && !rules.burst_net_of_share && budget.spent > most.share;
        const Wide refill = still_pays ? 0 : most.share * window;
        const Wide left = !strict ? budget.level : most.burst ? std::max<Wide>(0, budget.level) : 0;
        const bool tokens = rules.throttle_model == ThrottleModel::token_bucket;
        budget.level = std::min(left + (tokens ? 0 : refill), most.full * window);
        budget.spent = most.burst ? std::max<Wide>(0, budget.spent - most.peak) : 0;
        budget.store = std::min(budget.store, most.store);
        for (auto& [who, spent] : budget.buckets) {
          spent = std::max<Wide>(0, spent - bucket_cap(most, who.first, who.second));
        }
      }
      if (is_minute()) {
        budget.store = most.store;
        take(budget, 0);
      }
    }
  }
}

/// Sinks the balance; what is below zero comes from the store of the minute.
void Model::take(Budget& budget, MilliRu charge) const {
  budget.level -= Wide(charge) * window;
  const Wide lent = std::min(budget.store, std::max<Wide>(0, -budget.level / window));
  budget.store -= lent;
  budget.level += lent * window;
}

void Model::pay(Budget& budget, const Operation& op, MilliRu charge) const {
  take(budget, charge);
  budget.spent += charge;
  if (op.client->bucket > 0) {
    budget.buckets[{op.container, op.client->bucket}] += charge;
  }
}

/// Now if the budget alone admits the charge, else when it will.
Nanoseconds Model::budget_ready(const Budget& budget, const Limits& most, MilliRu charge) const {
  const Wide full = most.share * window;
  const Wide level = budget.level;
  const Nanoseconds next = (now / window + 1) * window;
  if (rules.throttle_model == ThrottleModel::token_bucket) {
    const Wide missing = std::max<Wide>(0, std::min(charge * Wide(window), full) - level);
    return now + Nanoseconds(full == 0 ? window : (missing + most.share - 1) / most.share);
  }
  if (rules.throttle_model == ThrottleModel::window_strict) {
    const bool fits = !most.burst || charge <= most.peak - budget.spent;
    return charge * Wide(window) <= level && fits ? now : next;
  }
  const bool below_peak = !most.burst || budget.spent < most.peak;
  if ((level > 0 || budget.store > 0) && below_peak) {
    return now;
  }
  Wide windows = 1;
  if (full > 0) {
    const bool gross = most.burst && !rules.burst_net_of_share && budget.spent > most.share;
    const Wide unfilled = gross ? (budget.spent - most.share + most.peak - 1) / most.peak : Wide{0};
    const Wide until_positive = level > 0 ? 0 : unfilled + -level / full + 1;
    const Wide until_below_peak = below_peak ? 0 : budget.spent / most.peak;
    windows = std::max({windows, until_positive, until_below_peak});
  }
  const auto boundary = Nanoseconds(next + (windows - 1) * window);
  const Nanoseconds minute = now + kMinute - (scenario.start_unix_s * kSecond + now) % kMinute;
  return most.by_minute ? std::min(boundary, minute) : boundary;
}

/// Now if the attempt is admitted, else when it will be: the budget first, then what is asked of
/// clients with a bucket or of low priority.
Nanoseconds Model::ready_at(const Budget& budget, const Limits& most, const Operation& op,
                            MilliRu charge) const {
  Nanoseconds ready = budget_ready(budget, most, charge);
  if (ready > now) {
    return ready;
  }
  const Nanoseconds next = (now / window + 1) * window;
  if (const std::uint32_t bucket = op.client->bucket; bucket > 0) {
    const Wide cap = bucket_cap(most, op.container, bucket);
    const auto found = budget.buckets.find({op.container, bucket});
    const Wide spent = found == budget.buckets.end() ? 0 : found->second;
    const bool bursts = most.burst && budget.spent >= most.share;
    if (spent >= cap || bursts) {
      const Wide capped = cap == 0 ? 1 : spent / cap;
      const Wide bursting =
          bursts && most.peak > 0 ? (budget.spent - most.share) / most.peak + 1 : Wide{1};
      ready = Nanoseconds(next + (std::max<Wide>({1, capped, bursting}) - 1) * window);
    }
  }
  if (op.client->priority == Priority::low && budget.level < most.share * (next - now)) {
    ready = std::max({ready, now + 1, Nanoseconds(next - budget.level / most.share)});
  }
  return ready;
}

}  // namespace partsim::naive
