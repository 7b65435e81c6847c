// Scenarios whose layout changes. A random scenario of the plain kind gets small limits, ways to
// buy capacity, regions and a timeline.
#include <algorithm>
#include <set>

#include "support/random_scenario.hpp"

namespace partsim {
namespace {

/// Sizes the rest is measured in, so that limits are met but not by everybody.
struct Scale {
  MilliRu share = 0;  // of a partition at the start, about
  std::int64_t partitions = 1;
  Bytes item = 0;  // of the first container, stored

  [[nodiscard]] MilliRu total() const { return share * partitions; }
};

template <class T>
T times(Dice& dice, T amount, const std::vector<std::int64_t>& percent) {
  return std::max<T>(1, amount * dice.pick(percent) / 100);
}

void make_storage(Dice& dice, Scenario& scenario, Scale& scale) {
  ProviderParameters& p = scenario.parameters;
  p.index_storage_overhead_ppm = dice.pick<std::int64_t>({0, 150'000, 333'333});
  for (ContainerSpec& container : scenario.containers) {
    container.item_size_bytes = dice.pick<Bytes>({100, 1'023, 1'024, 3'000, 20'000});
  }
  scale.item =
      scenario.containers[0].item_size_bytes * (kMillion + p.index_storage_overhead_ppm) / kMillion;
  // A few items or thousands of them; some hundred are written.
  p.split_storage_threshold_bytes =
      dice.one_in(2) ? 50 * kGigabyte : scale.item * dice.pick<Bytes>({3, 20, 60, 200}) + 7;
  p.partition_max_storage_bytes = scale.item * dice.pick<Bytes>({10, 60, 1'000'000});
  p.logical_partition_max_storage_bytes =
      dice.one_in(2) ? 0 : scale.item * dice.pick<Bytes>({1, 2, 5, 20, 100});
  p.merge_max_partition_bytes = times(dice, p.split_storage_threshold_bytes, {40, 100, 200});
}

std::uint64_t combinations(const ContainerSpec& container) {
  std::uint64_t product = 1;
  std::set<std::string> seen;
  const auto count_field = [&](const std::string& name) {
    for (const FieldSpec& field : container.fields) {
      const auto* choose = std::get_if<ChooseField>(&field.kind);
      const auto* values = std::get_if<ValuesField>(&field.kind);
      if (field.name == name && seen.insert(name).second) {
        product *= choose != nullptr   ? choose->count
                   : values != nullptr ? values->values.size()
                                       : 1;
      }
    }
  };
  for (const KeyTemplate& level : container.partition_key) {
    for (const KeyPart& part : level.parts) {
      const auto* random = std::get_if<RandomSuffix>(&part);
      product *= random != nullptr ? random->count : 1;
      if (const auto* field = std::get_if<FieldValue>(&part)) {
        count_field(field->field);
      } else if (const auto* hashed = std::get_if<HashedSuffix>(&part)) {
        count_field(hashed->field);
      }
      product = std::min<std::uint64_t>(product, 1U << 21U);
    }
  }
  return product;
}

void fill_containers(Dice& dice, Scenario& scenario, const Scale& scale) {
  for (ContainerSpec& container : scenario.containers) {
    const std::uint64_t keys = combinations(container);
    const bool quick = keys <= 6'000 || keys > 1U << 20U;  // the naive model writes every key
    if (dice.one_in(2) && quick) {
      const Bytes most =
          std::min(scenario.parameters.split_storage_threshold_bytes * 5, scale.item * 2'000);
      container.initial_storage_bytes = dice.between(1, most);
    }
  }
}

void make_splits(Dice& dice, Scenario& scenario) {
  ProviderParameters& p = scenario.parameters;
  p.split_duration_ns = dice.one_in(2)
                            ? dice.pick<Nanoseconds>({500, 1'000, 2'000, 3'000}) * kMillisecond
                            : dice.between(500 * kMillisecond, 5 * kSecond);
  p.split_swap_unavailable_ns =
      dice.pick<Nanoseconds>({0, 0, 1, 200 * kMillisecond, 700 * kMillisecond, 3 * kSecond});
  p.split_cut_throughput = dice.one_in(3) ? SplitCut::data_median : SplitCut::midpoint;
  p.split_cut_storage = dice.one_in(3) ? SplitCut::midpoint : SplitCut::data_median;
  p.split_order =
      dice.pick<SplitOrder>({SplitOrder::lowest_id, SplitOrder::widest, SplitOrder::fullest});
  p.throughput_distribution =
      dice.one_in(2) ? ThroughputDistribution::even : ThroughputDistribution::inherit_parent;
  p.growth_splits_all = dice.one_in(4);
  p.client_gone_retry_initial_ns = dice.pick<Nanoseconds>({1, 100, 1'000}) * kMillisecond;
  p.client_gone_retry_max_ns = dice.pick<Nanoseconds>({50, 200, 15'000}) * kMillisecond;
  p.client_gone_retry_total_ns = dice.pick<Nanoseconds>({120, 2'000, 30'000}) * kMillisecond;
  p.merge_enabled = !dice.one_in(3);
  p.merge_duration_ns = dice.between(400 * kMillisecond, 2 * kSecond);
}

void make_limits(Dice& dice, Scenario& scenario, const Scale& scale) {
  ProviderParameters& p = scenario.parameters;
  p.growth_partition_mru = times(dice, scale.share, {100, 100, 150, 200});
  p.partition_max_mru_per_s = times(dice, p.growth_partition_mru, {100, 150, 300});
  p.initial_partition_mru_manual = times(dice, scale.share, {100, 130});
  p.initial_partition_mru_autoscale = times(dice, scale.share, {100, 100, 170});
  p.serverless_mru_per_partition = scale.share + dice.between(0, 2);
  p.merge_max_partition_mru_per_s = times(dice, scale.share, {60, 101, 250, 250});
  p.min_mru_manual = times(dice, scale.total(), {0, 0, 30});
  p.min_mru_autoscale_max = p.min_mru_manual;
  p.mru_step_autoscale = times(dice, scale.share, {0, 25, 40});
  p.min_mru_high_water_divisor_manual = dice.pick<std::int64_t>({0, 3, 100});
  p.min_mru_high_water_divisor_autoscale = dice.pick<std::int64_t>({0, 2, 10});
  // A thousand items make the storage rule about as large as the total.
  const MilliRu per_gb = std::max<MilliRu>(1, scale.total() * (kGigabyte / 1'000) / scale.item);
  p.min_mru_per_gb_manual = times(dice, per_gb, {0, 10, 100});
  p.min_mru_per_gb_autoscale = times(dice, per_gb, {0, 100, 1'000});
  p.shared_db_max_containers = static_cast<std::uint32_t>(dice.pick<std::int64_t>({1, 2, 25}));
}

void make_more_than_share(Dice& dice, Scenario& scenario, const Scale& scale) {
  ProviderParameters& p = scenario.parameters;
  p.burst_enabled = dice.one_in(3);
  p.burst_window_s = dice.pick<std::int64_t>({1, 2, 5, 300});
  p.burst_max_mru_per_s = times(dice, scale.share, {50, 150, 400});
  p.burst_eligible_below_mru_per_s = times(dice, scale.share, {80, 100, 1'000, 1'000});
  p.burst_net_of_share = dice.one_in(2);
  p.ru_per_minute_enabled = !p.burst_enabled && dice.one_in(4);
  p.ru_per_minute_ratio = dice.pick<std::int64_t>({1, 3, 10});
  p.ru_per_minute_max_partition_mru = times(dice, scale.share, {90, 1'000, 1'000});
}

/// Reads and writes bought apart; nobody sets throughput then.
void make_units(Dice& dice, Scenario& scenario, const Scale& scale) {
  ProviderParameters& p = scenario.parameters;
  p.read_unit_bytes = dice.pick<Bytes>({1'024, 4'096});
  p.write_unit_bytes = 1'024;
  p.eventual_read_factor_ppm = dice.pick<std::int64_t>({500'000, 333'333, kMillion});
  p.partition_max_read_units_per_s = scale.share;
  p.partition_max_write_units_per_s = times(dice, scale.share, {33, 100});
  p.adaptive_capacity = !dice.one_in(3);
  p.burst_enabled = dice.one_in(2);
  p.ru_per_minute_enabled = false;
  for (ContainerSpec& container : scenario.containers) {
    ThroughputSpec& bought = container.throughput;
    bought.mode = CapacityMode::manual;
    bought.units = CapacityUnits{times(dice, scale.total(), {10, 70, 100}),
                                 times(dice, p.partition_max_write_units_per_s, {10, 70, 230})};
    bought.mru_per_s = bought.units->read_per_s + bought.units->write_per_s;
  }
}

void buy(Dice& dice, ThroughputSpec& bought, const Scale& scale, MilliRu step) {
  bought = {};
  bought.mode = dice.pick<CapacityMode>({CapacityMode::manual, CapacityMode::manual,
                                         CapacityMode::manual, CapacityMode::autoscale,
                                         CapacityMode::autoscale, CapacityMode::serverless});
  bought.mru_per_s = scale.total() + dice.between(0, scale.partitions - 1);
  if (bought.mode == CapacityMode::autoscale) {
    bought.mru_per_s = (bought.mru_per_s + step - 1) / step * step;
  }
  if (dice.one_in(2)) {
    bought.partitions = static_cast<std::uint32_t>(scale.partitions);
  }
}

/// Two or three containers alike share what the database buys, sometimes beside one that does not.
void make_database(Dice& dice, Scenario& scenario, const Scale& scale) {
  ContainerSpec shared = scenario.containers[0];
  shared.shares_database = true;
  shared.workers.reset();
  shared.throughput = {};
  scenario.containers.assign(static_cast<std::size_t>(dice.between(2, 3)), shared);
  const std::vector<std::string> names = {"main", "other", "third"};
  for (std::size_t i = 0; i < scenario.containers.size(); ++i) {
    scenario.containers[i].name = names[i];
    scenario.containers[i].item_size_bytes = dice.pick<Bytes>({500, 1'024, 3'000});
  }
  if (scenario.containers.size() > 2 && dice.one_in(2)) {
    ContainerSpec& own = scenario.containers[dice.one_in(2) ? 0 : 2];
    own.shares_database = false;
    buy(dice, own.throughput, scale, scenario.parameters.mru_step_autoscale);
  }
  scenario.database.emplace();
  buy(dice, scenario.database->throughput, scale, scenario.parameters.mru_step_autoscale);
  if (scenario.database->throughput.mode == CapacityMode::serverless) {
    scenario.database->throughput.mode = CapacityMode::manual;
  }
  for (ClientSpec& client : scenario.clients) {
    client.container = static_cast<std::uint32_t>(
        dice.between(0, static_cast<std::int64_t>(scenario.containers.size()) - 1));
  }
}

void make_clients(Dice& dice, Scenario& scenario) {
  const std::vector<std::string> names = {"main", "east", "west"};
  scenario.regions.assign(names.begin(), names.begin() + dice.pick<std::int64_t>({1, 1, 1, 2, 3}));
  scenario.multi_region_writes = scenario.regions.size() > 1 && dice.one_in(2);
  scenario.parameters.region_round_trip_ns =
      dice.pick<Nanoseconds>({0, 1, 50 * kMillisecond, 700 * kMillisecond});
  for (ContainerSpec& container : scenario.containers) {
    container.bucket_ppm[0] = dice.pick<std::int64_t>({100'000, 500'000, kMillion});
    container.bucket_ppm[3] = dice.pick<std::int64_t>({1, 300'000});
  }
  for (ClientSpec& client : scenario.clients) {
    client.region = static_cast<std::uint32_t>(
        dice.between(0, static_cast<std::int64_t>(scenario.regions.size()) - 1));
    client.priority = dice.one_in(5) ? Priority::low : Priority::high;
    client.bucket = static_cast<std::uint32_t>(dice.pick<std::int64_t>({0, 0, 0, 0, 1, 4}));
    if (dice.one_in(4)) {
      client.retry.backoff_base_ns = dice.pick<Nanoseconds>({1, kMillisecond, 100'000'007});
      client.retry.backoff_max_ns = dice.pick<Nanoseconds>({1, 150 * kMillisecond, 20 * kSecond});
    }
  }
}

std::vector<Redistribute::Target> random_targets(Dice& dice, const Scenario& scenario,
                                                 const Scale& scale) {
  const MilliRu most = scenario.parameters.partition_max_mru_per_s;
  std::vector<Redistribute::Target> targets;
  for (std::uint32_t id = 0; id < 8 && !dice.one_in(4); ++id) {
    if (dice.one_in(id < scale.partitions ? 2 : 6)) {
      const MilliRu share =
          dice.one_in(2)
              ? dice.between(1, most + most / 2)
              : dice.pick<MilliRu>({most, most + 1, 2 * most - 1, 2 * most, 2 * most + 1});
      targets.push_back({id, share});
    }
  }
  return targets;
}

void make_timeline(Dice& dice, Scenario& scenario, const Scale& scale) {
  const auto entries = dice.pick<std::int64_t>({0, 1, 2, 3, 4, 5});
  for (std::int64_t i = 0; i < entries; ++i) {
    TimelineEntry entry;
    entry.at_ns = dice.one_in(3) ? dice.between(0, 3) * kSecond / 2
                                 : dice.between(0, scenario.duration_ns * 2 / 3);
    entry.at_ns = std::min(entry.at_ns, scenario.duration_ns - 1);
    entry.container = static_cast<std::uint32_t>(
        dice.between(0, static_cast<std::int64_t>(scenario.containers.size()) - 1));
    const ContainerSpec& container = scenario.containers[entry.container];
    const ThroughputSpec& bought =
        container.shares_database ? scenario.database->throughput : container.throughput;
    if (bought.mode == CapacityMode::serverless) {
      continue;
    }
    const std::int64_t kind = dice.between(0, 8);
    if (kind < 3) {
      entry.action = SetThroughput{times(dice, bought.mru_per_s, {1, 40, 100, 130, 200, 330, 500})};
    } else if (kind < 6 && scenario.parameters.merge_enabled) {
      entry.action = MergePartitions{};
    } else {
      entry.action = Redistribute{random_targets(dice, scenario, scale)};
    }
    scenario.timeline.push_back(entry);
  }
  std::stable_sort(scenario.timeline.begin(), scenario.timeline.end(),
                   [](const auto& a, const auto& b) { return a.at_ns < b.at_ns; });
}

}  // namespace

Scenario random_life_scenario(std::uint64_t seed) {
  Scenario scenario = random_scenario(mix64(seed));
  Dice dice(seed);
  Scale scale;
  scale.share = dice.pick<MilliRu>({5'000, 40'000, 200'000, 1'000'000}) + dice.between(0, 999);
  scale.partitions = dice.between(1, 4);
  make_storage(dice, scenario, scale);
  make_splits(dice, scenario);
  make_limits(dice, scenario, scale);
  make_more_than_share(dice, scenario, scale);
  for (ContainerSpec& container : scenario.containers) {
    buy(dice, container.throughput, scale, scenario.parameters.mru_step_autoscale);
  }
  switch (dice.between(0, 9)) {
    case 0:
    case 1:
      if (scenario.containers.size() == 1) {  // clients may move between containers alike
        make_database(dice, scenario, scale);
      }
      break;
    case 2:
    case 3:
      make_units(dice, scenario, scale);
      break;
    case 4:
      scenario.containers[0].fixed = true;
      scenario.containers[0].throughput = {};
      scenario.containers[0].throughput.mru_per_s = scale.share;
      scenario.containers[0].throughput.partitions = 1;
      break;
    default:
      break;
  }
  fill_containers(dice, scenario, scale);
  make_clients(dice, scenario);
  if (scenario.parameters.read_unit_bytes == 0) {
    make_timeline(dice, scenario, scale);
  }
  // between two instants at which capacity is lent a new child has what was bought for it
  ProviderParameters& p = scenario.parameters;
  p.adaptive_capacity = p.adaptive_capacity && p.throttle_window_ns >= kSecond;
  for (ClientSpec& client : scenario.clients) {
    // a token bucket has no window to keep anything back in, and a database no buckets
    const bool token_bucket = scenario.parameters.throttle_model == ThrottleModel::token_bucket;
    const bool shared = scenario.containers[client.container].shares_database;
    client.priority = token_bucket ? Priority::high : client.priority;
    client.bucket = token_bucket || shared ? 0 : client.bucket;
  }
  return scenario;
}

}  // namespace partsim
