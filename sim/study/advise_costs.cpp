// What operations cost under a key, and when a key is full.
#include <algorithm>
#include <array>
#include <numeric>

#include "partsim/workload/operation_plan.hpp"

#include "advise_parts.hpp"

namespace partsim::advice {
namespace {

/// An operation is averaged over so many.
constexpr std::uint64_t kOperations = 128;

bool is_read(OperationKind kind) {
  return kind == OperationKind::read || kind == OperationKind::query ||
         kind == OperationKind::read_feed;
}

double per_s(const Rate& rate) {
  return static_cast<double>(rate.count_micro) * 1e3 / static_cast<double>(rate.per_ns);
}

/// Operations of a base rate with its changes and ramps, up to the end of the run.
double operations_until(const OpenLoop& loop, double end_ns) {
  double sum = 0;
  double at = 0;
  double rate = per_s(loop.rate);
  for (const RateChange& change : loop.changes) {
    const double begin = std::min(end_ns, static_cast<double>(change.at_ns));
    sum += (begin - at) * rate;
    const auto over = static_cast<double>(change.over_ns);
    const double target = per_s(change.rate);
    const double ramped = std::min(over, end_ns - begin);
    const double reached = over > 0 ? rate + (target - rate) * (ramped / over) : target;
    sum += ramped * (rate + reached) / 2;
    at = begin + ramped;
    rate = reached;
  }
  return (sum + (end_ns - at) * rate) / 1e9;
}

MeanRate open_rate(const Scenario& scenario, const OpenLoop& loop) {
  const auto duration_ns = static_cast<double>(scenario.duration_ns);
  double mean = operations_until(loop, duration_ns) * 1e9 / duration_ns;
  double spiked = 1;
  for (const RateSpike& spike : loop.spikes) {
    spiked += static_cast<double>(spike.for_ns) / duration_ns *
              (static_cast<double>(spike.times_micro) / 1e6 - 1);
  }
  mean *= std::max(0.0, spiked);
  if (loop.on_off) {
    const auto on = static_cast<double>(loop.on_off->on_ns);
    mean *= on / (on + static_cast<double>(loop.on_off->off_ns));
  }
  MeanRate rate{mean, mean, 0};
  if (loop.hour_ppm) {
    const auto& hours = *loop.hour_ppm;
    rate.day_per_s *= std::accumulate(hours.begin(), hours.end(), 0.0) / 24e6;
    const std::int64_t seconds = scenario.duration_ns / kSecond;
    const std::int64_t covered = std::clamp<std::int64_t>(seconds / 3'600, 1, 24);
    double sum = 0;
    for (std::int64_t hour = 0; hour < covered; ++hour) {
      const auto of_day = static_cast<std::size_t>((scenario.start_unix_s / 3'600 + hour) % 24);
      sum += static_cast<double>(hours.at(of_day));
    }
    rate.per_s *= sum / static_cast<double>(covered) / 1e6;
  }
  return rate;
}

/// The same container under a key that everybody knows: nothing can be read for less.
struct KnownKey {
  KnownKey(const Scenario& scenario, std::uint32_t index)
      : container(scenario.containers[index]), layout(layout_of(scenario, index)) {
    container.partition_key = {{"all", {LiteralText{"all"}}}};
    container.hash = layout.hash = HashVersion::v2;
    layout.ranges = initial_ranges(layout.hash, 1);
    layout.ids = {0};
  }
  KnownKey(const KnownKey&) = delete;
  KnownKey& operator=(const KnownKey&) = delete;

  ContainerSpec container;
  Layout layout;
  Router router{container, layout, 0};
};

/// The costs of one operation of a client.
class OperationCost {
 public:
  OperationCost(const Scenario& scenario, const ClientSpec& client, Router& router,
                const KnownKey& known)
      : scenario_(scenario),
        client_(client),
        router_(router),
        known_(known),
        streams_(router.keys().streams_for(scenario.seed, client)),
        sizes_(scenario.seed, client.name, "size"),
        existing_(scenario.seed, client.name, "existing") {
    choice_.index.resize(streams_.size());
  }

  /// Fills visits and RU, and adds to `load` what falls on each partition; what goes to single keys
  /// is left to the caller, who knows how keys are spread.
  OperationAdvice look_at(const OperationSpec& spec, double rate, std::vector<double>& load) {
    const ContainerSpec& container = scenario_.containers[client_.container];
    const OperationPlan plan(spec, container, router_, scenario_.parameters);
    const OperationPlan best(spec, known_.container, known_.router, scenario_.parameters);
    OperationAdvice advice{client_.name, spec.kind, spec.given, rate, 0, 0, 0, plan.is_refused()};
    const Nanoseconds step =
        std::max<Nanoseconds>(1, scenario_.duration_ns / Nanoseconds{kOperations});
    const double each = 1.0 / static_cast<double>(kOperations);
    for (std::uint64_t i = 0; i < kOperations; ++i) {
      const Nanoseconds time = static_cast<Nanoseconds>(i) * step;
      const OperationPlan::Draws draws{sizes_.draw(i), existing_.draw(i)};
      const Bytes size = plan.size(draws);
      advice.one_partition_ru += each * ru(best.is_point() ? best.point_charge(draws)
                                                           : best.query_charge({0, 1, 1}, size));
      if (plan.is_point()) {
        advice.partitions += each;
        advice.ru += each * ru(plan.point_charge(draws));
        continue;
      }
      Nanoseconds until_ns = 0;
      choice_.unix_second =
          router_.keys().clock_second(streams_.made_ns(i, time, spec.within_ns), &until_ns);
      router_.keys().choose(streams_, i, choice_);
      fan_out(plan, i, time, size, advice, load);
    }
    return advice;
  }

 private:
  static double ru(MilliRu charge) { return static_cast<double>(charge) / kMilliPerRu; }

  void fan_out(const OperationPlan& plan, std::uint64_t operation, Nanoseconds time, Bytes size,
               OperationAdvice& advice, std::vector<double>& load) {
    const std::span<const Visit> visits =
        plan.route().kind == Route::Kind::key_set
            ? router_.key_set_visits(plan.route(), streams_, operation, time)
            : router_.visits(plan.route(), choice_);
    const std::uint32_t home = plan.is_searching() ? router_.owner(choice_, 0, 0) : 0;
    OperationPlan::Part part{0, 0, 0};
    for (const Visit& visit : visits) {
      part.weight_total += visit.weight;
    }
    const double each = 1.0 / static_cast<double>(kOperations);
    for (const Visit& visit : visits) {
      part.weight = visit.weight;
      const MilliRu charge = plan.is_searching() ? plan.search_charge(visit.partition == home, size)
                                                 : plan.query_charge(part, size);
      part.weight_before += visit.weight;
      advice.partitions += each;
      advice.ru += each * ru(charge);
      load[visit.partition] += advice.per_s * each * ru(charge);
    }
  }

  const Scenario& scenario_;
  const ClientSpec& client_;
  Router& router_;
  const KnownKey& known_;
  KeyStreams streams_;
  RngStream sizes_;
  RngStream existing_;
  KeyChoice choice_;
};

double most_of(const std::vector<double>& values) {
  return values.empty() ? 0.0 : *std::max_element(values.begin(), values.end());
}

}  // namespace

MeanRate mean_rate(const Scenario& scenario, const ClientSpec& client) {
  const double seconds = static_cast<double>(scenario.duration_ns) / 1e9;
  const auto once = [seconds](std::uint64_t count) {
    return MeanRate{static_cast<double>(count) / seconds, 0, static_cast<double>(count)};
  };
  if (const auto* load = std::get_if<AtOnce>(&client.arrivals)) {
    return once(load->count);
  }
  if (const auto* load = std::get_if<BulkLoad>(&client.arrivals)) {
    return once(load->count);
  }
  if (const auto* users = std::get_if<ClosedLoop>(&client.arrivals)) {
    // as if every answer took the median of a write
    const auto turn =
        static_cast<double>(users->think_ns + scenario.parameters.write_latency_p50_ns);
    const double rate = static_cast<double>(users->users) * 1e9 / std::max(1.0, turn);
    return users->total && static_cast<double>(*users->total) < rate * seconds
               ? once(*users->total)
               : MeanRate{rate, rate, 0};
  }
  const auto* loop = std::get_if<OpenLoop>(&client.arrivals);
  return loop == nullptr ? MeanRate{} : open_rate(scenario, *loop);
}

void judge_costs(const Scenario& scenario, std::uint32_t index, KeyJudgement& judgement) {
  const ContainerSpec& container = scenario.containers[index];
  const ProviderParameters& p = scenario.parameters;
  const Layout layout = layout_of(scenario, index);
  Router router(container, layout, scenario.start_unix_s);
  const KnownKey known(scenario, index);
  const std::size_t partitions = layout.ranges.size();
  const bool apart = units_apart(p);
  // reads and writes where they have budgets of their own, else all in the first
  std::array<std::vector<double>, 2> load{std::vector<double>(partitions),
                                          std::vector<double>(partitions)};
  std::array<double, 2> keyed{};  // RU/s that go to single keys
  for (const ClientSpec& client : scenario.clients) {
    if (client.container != index) {
      continue;
    }
    OperationCost cost(scenario, client, router, known);
    const double rate = mean_rate(scenario, client).per_s;
    for (const OperationSpec& spec : client.operations) {
      const std::size_t budget = apart && !is_read(spec.kind) ? 1 : 0;
      const double each = rate * static_cast<double>(spec.share_ppm) / 1e6;
      judgement.operations.push_back(cost.look_at(spec, each, load.at(budget)));
      const OperationAdvice& advice = judgement.operations.back();
      if (router.route_for(spec).kind == Route::Kind::point && !advice.is_refused) {
        keyed.at(budget) += each * advice.ru;
      }
    }
  }
  const Share total = initial_total(scenario, pool_of(scenario, index));
  const std::array<double, 2> share{
      static_cast<double>(total.total_mru_per_s) / kMilliPerRu / static_cast<double>(partitions),
      static_cast<double>(total.write_mru_per_s) / kMilliPerRu / static_cast<double>(partitions)};
  const std::array<double, 2> most{
      static_cast<double>(apart ? p.partition_max_read_units_per_s : p.partition_max_mru_per_s) /
          kMilliPerRu,
      static_cast<double>(p.partition_max_write_units_per_s) / kMilliPerRu};
  const double top = judgement.load.top.empty() ? 0.0 : judgement.load.top.front().share;
  for (std::size_t budget = 0; budget < 2; ++budget) {
    for (std::size_t i = 0; i < partitions; ++i) {
      load.at(budget)[i] += keyed.at(budget) * judgement.load.partition_share[i];
    }
    if (share.at(budget) > 0) {
      judgement.hottest_use =
          std::max(judgement.hottest_use, most_of(load.at(budget)) / share.at(budget));
    }
    if (top * keyed.at(budget) > 0) {
      const double times = most.at(budget) / (top * keyed.at(budget));
      judgement.growth = judgement.growth > 0 ? std::min(judgement.growth, times) : times;
    }
  }
}

StorageWall storage_wall(const Scenario& scenario, std::uint32_t index,
                         const KeyJudgement& judgement) {
  const ContainerSpec& container = scenario.containers[index];
  const ProviderParameters& p = scenario.parameters;
  const auto limit = static_cast<double>(p.logical_partition_max_storage_bytes);
  const double item = static_cast<double>(container.item_size_bytes) *
                      (1.0 + static_cast<double>(p.index_storage_overhead_ppm) / 1e6);
  double day_items = 0;
  double once_items = 0;
  for (const ClientSpec& client : scenario.clients) {
    if (client.container != index) {
      continue;
    }
    const MeanRate rate = mean_rate(scenario, client);
    for (const OperationSpec& spec : client.operations) {
      const bool many = spec.kind == OperationKind::batch || spec.kind == OperationKind::script;
      double items = spec.kind == OperationKind::create ? 1.0 : 0.0;
      items = many ? static_cast<double>(spec.items) : items;
      items = spec.kind == OperationKind::upsert
                  ? 1.0 - static_cast<double>(spec.existing_ppm) / 1e6
                  : items;
      items = spec.kind == OperationKind::remove ? -1.0 : items;
      items *= static_cast<double>(spec.share_ppm) / 1e6;
      day_items += items * rate.day_per_s * 86'400.0;
      once_items += items * rate.once;
    }
  }
  const double top = judgement.load.top.empty() ? 0.0 : judgement.load.top.front().share;
  StorageWall wall;
  wall.key_bytes_per_day = std::max(0.0, day_items) * item * top;
  double held = std::max(0.0, once_items) * item * top;
  if (judgement.clock_period_s == 0) {
    held += static_cast<double>(container.initial_storage_bytes) * top;
  }
  if (limit <= 0) {
    wall.kind = StorageWall::Kind::no_limit;
  } else if (judgement.load.never_repeats) {
    wall.kind = StorageWall::Kind::unique;
  } else if (held >= limit) {
    wall.kind = StorageWall::Kind::day;
  } else if (wall.key_bytes_per_day <= 0) {
    wall.kind = StorageWall::Kind::no_growth;
  } else {
    wall.days = (limit - held) / wall.key_bytes_per_day;
    const double lives = container.ttl_ns ? static_cast<double>(*container.ttl_ns) / 864e11 : 0;
    const double written = static_cast<double>(judgement.clock_period_s) / 86'400.0;
    wall.kind = StorageWall::Kind::day;
    if (written > 0 && wall.days > written) {
      wall.kind = StorageWall::Kind::rotates;
    } else if (lives > 0 && wall.days > lives) {
      wall.kind = StorageWall::Kind::expires;
    }
  }
  return wall;
}

}  // namespace partsim::advice
