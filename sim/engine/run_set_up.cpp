#include <algorithm>
#include <cmath>
#include <limits>

#include "partsim/core/assert.hpp"

#include "run.hpp"

namespace partsim {
namespace {

double per_ns(const Rate& rate) {
  return static_cast<double>(rate.count_micro) / 1e6 / static_cast<double>(rate.per_ns);
}

/// No rate of the client is above this, in operations a nanosecond.
double highest_rate(const OpenLoop& loop) {
  double highest = per_ns(loop.rate);
  for (const RateChange& change : loop.changes) {
    highest = std::max(highest, per_ns(change.rate));
  }
  double times = 1;
  for (const RateSpike& spike : loop.spikes) {
    times = std::max(times, static_cast<double>(spike.times_micro) / 1e6);
  }
  return highest * times;
}

/// Operations that a client will send at most: for Poisson arrivals ten standard deviations above
/// the mean, which no run will see.
double most_operations(const Scenario& scenario, const ClientSpec& client) {
  const auto duration = static_cast<double>(scenario.duration_ns);
  if (const auto* once = std::get_if<AtOnce>(&client.arrivals)) {
    return static_cast<double>(once->count);
  }
  if (const auto* bulk = std::get_if<BulkLoad>(&client.arrivals)) {
    return static_cast<double>(bulk->count);
  }
  if (const auto* users = std::get_if<ClosedLoop>(&client.arrivals); users && users->total) {
    return static_cast<double>(*users->total);
  }
  if (const auto* loop = std::get_if<OpenLoop>(&client.arrivals)) {
    const double mean = highest_rate(*loop) * duration;
    return mean + 10 * std::sqrt(mean) + 100;
  }
  return std::numeric_limits<double>::infinity();
}

bool contains(const std::vector<std::uint32_t>& list, std::uint32_t value) {
  return std::find(list.begin(), list.end(), value) != list.end();
}

}  // namespace

Run::Run(const Scenario& scenario, const RunOptions& options)
    : scenario_(scenario), options_(options) {
  set_up_pools();
  set_up_containers();
  set_up_clients();
  set_up_rules();
  open_partitions();
  set_up_agents();
  plan_storage_checks();
  const bool adapts = scenario_.parameters.adaptive_capacity || scenario_.parameters.split_for_heat;
  const bool on_demand = std::any_of(pools_.begin(), pools_.end(), [](const PoolState& state) {
    return state.pool->spec().throughput.mode == CapacityMode::serverless;
  });
  if ((adapts || on_demand) && units_apart(scenario_.parameters)) {
    next_adapt_ns_ = std::max(kSecond, scenario_.parameters.throttle_window_ns);
  }
}

void Run::set_up_pools() {
  PoolHost& host = *this;
  for (PoolSpec& spec : pools_of(scenario_)) {
    PoolState state;
    state.capacity = capacity_rules(scenario_, spec);
    state.pool = std::make_unique<Pool>(scenario_, std::move(spec), host);
    state.bill = std::make_unique<HourlyBill>(billing_rules(scenario_, state.pool->spec()),
                                              state.pool->total());
    const auto index = static_cast<std::uint32_t>(pools_.size());
    for (const PoolPartition& partition : state.pool->partitions()) {
      partitions_[partition.id].pool = index;
    }
    pools_.push_back(std::move(state));
  }
}

/// Whether the sizes of logical partitions can matter to what happens.
bool Run::follows_storage(const PoolSpec& pool) const {
  const ProviderParameters& p = scenario_.parameters;
  double bytes = 0;
  bool takes = false;  // a delete takes what its key holds, so what keys hold must be known
  std::size_t index = 0;
  for (const ClientSpec& client : scenario_.clients) {
    const bool is_here = contains(pool.containers, client.container);
    double most_bytes = 0;  // of one operation
    double share_ppm = 0;   // of operations that add
    for (const OperationSpec& operation : client.operations) {
      const Bytes adds = plans_[index++].stored_bytes();
      takes = takes || (is_here && operation.kind == OperationKind::remove);
      most_bytes = std::max(most_bytes, static_cast<double>(adds));
      share_ppm += adds > 0 ? static_cast<double>(operation.share_ppm) : 0;
    }
    if (is_here && std::holds_alternative<TraceReplay>(client.arrivals)) {
      return true;  // any row may be a delete
    }
    if (is_here && most_bytes > 0) {
      bytes += most_operations(scenario_, client) * share_ppm / 1e6 * most_bytes;
    }
  }
  auto limit =
      static_cast<double>(std::min(p.split_storage_threshold_bytes, p.partition_max_storage_bytes));
  if (p.logical_partition_max_storage_bytes > 0) {
    limit = std::min(limit, static_cast<double>(p.logical_partition_max_storage_bytes));
  }
  if (pool.throughput.mode == CapacityMode::autoscale && p.min_mru_per_gb_autoscale > 0) {
    limit = std::min(limit, static_cast<double>(pool.throughput.mru_per_s) /
                                static_cast<double>(p.min_mru_per_gb_autoscale) *
                                static_cast<double>(kGigabyte));
  }
  const bool stored =
      std::any_of(pool.containers.begin(), pool.containers.end(), [&](std::uint32_t c) {
        return scenario_.containers[c].initial_storage_bytes > 0 || scenario_.containers[c].ttl_ns;
      });
  return stored || takes || bytes > limit || p.split_for_heat || !scenario_.timeline.empty();
}

void Run::set_up_containers() {
  pool_of_container_.resize(scenario_.containers.size());
  for (std::uint32_t pool = 0; pool < pools_.size(); ++pool) {
    for (const std::uint32_t container : pools_[pool].pool->spec().containers) {
      pool_of_container_[container] = pool;
    }
  }
  for (std::size_t i = 0; i < scenario_.containers.size(); ++i) {
    containers_.push_back(std::make_unique<ContainerState>(
        scenario_.containers[i], pools_[pool_of_container_[i]].pool->layout(), scenario_));
  }
}

void Run::open_traces() {
  for (const ClientSpec& client : scenario_.clients) {
    feeds_.emplace_back();
    if (std::holds_alternative<TraceReplay>(client.arrivals)) {
      KeySpace& keys = containers_[client.container]->router.keys();
      feeds_.back() = std::make_unique<TraceFeed>(
          TraceFeed::Setup{&client, &keys, &scenario_.containers[client.container],
                           scenario_.parameters.item_max_bytes},
          options_.open_trace);
      if (feeds_.back()->holds_keys()) {
        keys.read_columns(feeds_.back()->texts());
      }
    }
  }
}

void Run::set_up_clients() {
  open_traces();
  std::vector<std::size_t> first_plan;
  for (std::size_t i = 0; i < scenario_.clients.size(); ++i) {
    const ClientSpec& client = scenario_.clients[i];
    first_plan.push_back(plans_.size());
    for (const OperationSpec& operation : client.operations) {
      plans_.emplace_back(operation, scenario_.containers[client.container],
                          containers_[client.container]->router, scenario_.parameters);
      stored_.push_back(plans_.back().stored(scenario_.seed, client.name));
      if (feeds_[i]) {
        plans_.back().replay(scenario_.parameters.item_max_bytes);
        stored_.back().replay(*feeds_[i]);
      }
    }
    client_rules_.push_back({RetryPolicy(client.retry, scenario_.seed, client.name),
                             RngStream(scenario_.seed, client.name, "service"),
                             RngStream(scenario_.seed, client.name, "service/fan-out"),
                             name_hash(client.name), waits_for_answers(client),
                             client.timeout_ns.value_or(kNever)});
  }
  for (std::size_t i = 0; i < scenario_.clients.size(); ++i) {
    const ClientSpec& client = scenario_.clients[i];
    sources_.emplace_back(ClientSource::Setup{
        &client, static_cast<std::uint32_t>(i), scenario_.seed, scenario_.warm_up_ns,
        &containers_[client.container]->router, static_cast<std::uint16_t>(first_plan[i]),
        plans_.data() + first_plan[i], feeds_[i].get()});
    key_streams_.push_back(sources_.back().key_streams());
  }
  for (PoolState& state : pools_) {
    state.tracks_storage = follows_storage(state.pool->spec());
  }
  for (std::size_t i = 0; i < containers_.size(); ++i) {
    if (pools_[pool_of_container_[i]].tracks_storage) {
      containers_[i]->book = std::make_unique<StorageBook>(containers_[i]->router, key_streams_);
    }
  }
  recorder_.counted.resize(scenario_.clients.size());
  recorder_.uncounted.resize(scenario_.clients.size());
  recorder_.operations.resize(scenario_.clients.size());
  recorder_.latency_ns.resize(scenario_.clients.size());
  recorder_.latency_over_time = LatencyOverTime(scenario_.duration_ns);
  recorder_.log = options_.attempts;
}

/// Whether a plain share is not all there is to a budget of this pool.
bool Run::needs_capacity_rules(const PoolState& state) const {
  const CapacityRules& c = state.capacity;
  const std::vector<std::uint32_t>& containers = state.pool->spec().containers;
  return state.tracks_storage || state.refuses || c.regions > 1 || c.units_apart || c.burst ||
         c.ru_per_minute ||
         std::any_of(scenario_.clients.begin(), scenario_.clients.end(),
                     [&](const ClientSpec& client) {
                       return contains(containers, client.container) &&
                              (client.priority == Priority::low || client.bucket > 0);
                     });
}

void Run::set_up_rules() {
  const ProviderParameters& parameters = scenario_.parameters;
  std::int64_t seconds_per_cell = 1;
  while (scenario_.duration_ns / kSecond / seconds_per_cell >= LoadSeries::kMaxIntervals) {
    seconds_per_cell *= 2;
  }
  MilliRu cheapest = kNever;
  std::size_t index = 0;
  for (const ClientSpec& client : scenario_.clients) {
    PoolState& state = pools_[pool_of_container_[client.container]];
    for (std::size_t i = 0; i < client.operations.size(); ++i, ++index) {
      const OperationPlan& plan = plans_[index];
      cheapest = std::min(cheapest, plan.cheapest());
      state.refuses = state.refuses || plan.is_refused();
      const bool moves = plan.is_write() && !scenario_.multi_region_writes;
      PlanRules rules{};
      rules.service_time = &containers_[client.container]->service_time;
      rules.service_kind = plan.service_kind();
      rules.stored_bytes = plan.stored_bytes();
      rules.varying =
          stored_[index].varies() || stored_[index].fixed() < 0 ? &stored_[index] : nullptr;
      rules.is_searching = plan.is_searching();
      rules.is_write = plan.is_write();
      rules.is_refused = plan.is_refused();
      rules.admission = {static_cast<std::uint8_t>(moves ? 0 : client.region), plan.is_write(),
                         client.priority == Priority::low,
                         static_cast<std::uint8_t>(client.bucket)};
      rules.round_trip_ns = moves && client.region != 0 ? parameters.region_round_trip_ns : 0;
      if (plan.is_write()) {
        const ContainerSpec& container = scenario_.containers[client.container];
        rules.book = containers_[client.container]->book.get();
        rules.ttl_ns = container.ttl_ns.value_or(0);
        // a delete costs what a create does; DynamoDB does not charge for those of a time to live
        rules.delete_mru = units_apart(parameters) ? 0 : Charges(container, parameters).create();
        rules.container = client.container;
        if (plan.stored_bytes() > 0) {
          state.largest_create_bytes = std::max(state.largest_create_bytes, plan.stored_bytes());
          state.cheapest_create_mru = std::min(state.cheapest_create_mru, plan.cheapest());
        }
      }
      plan_rules_.push_back(rules);
    }
  }
  for (PoolState& state : pools_) {
    const PoolSpec& spec = state.pool->spec();
    const std::uint32_t first = spec.containers.front();
    const auto& workers = scenario_.containers[first].workers;
    state.rules = {client_rules_.data(),
                   plan_rules_.data(),
                   scenario_.duration_ns,
                   scenario_.warm_up_ns,
                   parameters.throttle_response_ns,
                   parameters.retry_after_min_ns,
                   parameters.retry_after_step_ns,
                   parameters.throttled_charge_counts ? parameters.throttled_request_charge_mru : 0,
                   cheapest,
                   seconds_per_cell,
                   &parameters,
                   needs_capacity_rules(state) ? &state.capacity : nullptr,
                   workers ? &*workers : nullptr,
                   parameters.logical_partition_max_storage_bytes,
                   spec.fixed ? parameters.partition_max_storage_bytes : 0,
                   static_cast<std::uint32_t>(scenario_.regions.size()),
                   scenario_.start_unix_s};
  }
}

void Run::open_partitions() {
  __extension__ using Wide = __int128;
  for (PoolState& state : pools_) {
    const Layout& layout = state.pool->layout();
    std::vector<Bytes> bytes(layout.ranges.size(), 0);
    for (const std::uint32_t container : state.pool->spec().containers) {
      const Bytes initial = scenario_.containers[container].initial_storage_bytes;
      if (initial == 0) {
        continue;
      }
      const Bytes old = containers_[container]->book->store_initially(initial);
      Bytes left = old;
      for (std::size_t i = 0; i < layout.ranges.size(); ++i) {
        const auto width = static_cast<Wide>(range_width_q32(layout.hash, layout.ranges[i]));
        const bool last = i + 1 == layout.ranges.size();
        const Bytes part = last ? left : static_cast<Bytes>(old * width >> 32);
        bytes[i] += part;
        left -= part;
        for (const StorageBook::Key& key :
             containers_[container]->book->keys_in(layout.ranges[i])) {
          bytes[i] += key.bytes;
        }
      }
    }
    for (std::size_t i = 0; i < layout.ids.size(); ++i) {
      start_partition(layout.ids[i], bytes[i], 0);
    }
  }
  std::sort(alive_.begin(), alive_.end());
}

/// Its pool already has it.
void Run::start_partition(std::uint32_t id, Bytes storage_bytes, Nanoseconds now) {
  PartitionState& partition = partitions_[id];
  PoolState& state = pools_[partition.pool];
  const PoolPartition& in_pool = *state.pool->find(id);
  partition.range = in_pool.range;
  partition.born_ns = now;
  partition.share = in_pool.share;
  partition.shares.emplace_back(now, in_pool.share.total_mru_per_s + in_pool.share.write_mru_per_s);
  partition.store = in_pool.share;
  partition.loop =
      make_partition_loop({id, in_pool.share, partition.store, &state.rules, now, storage_bytes});
  alive_.push_back(id);
}

}  // namespace partsim
