#include "partsim/engine/engine.hpp"

#include <algorithm>
#include <memory>
#include <span>

#include "partsim/core/assert.hpp"
#include "partsim/service/layout.hpp"
#include "partsim/workload/client_source.hpp"

#include "partition_loop.hpp"

namespace partsim {
namespace {

/// A container at work.
struct ContainerState {
  ContainerState(const ContainerSpec& spec, const Scenario& scenario)
      : layout(initial_layout(spec, scenario.parameters)),
        router(spec, layout, scenario.start_unix_s),
        service_time(spec, scenario.parameters) {}

  Layout layout;
  Router router;
  ServiceTime service_time;
  PartitionRules rules{};
  std::uint32_t first_partition = 0;
};

/// Arrivals a step should hold: enough to amortise it, few enough to stay in the cache.
constexpr double kArrivalsPerStep = 2048;

class Run {
 public:
  Run(const Scenario& scenario, const RunOptions& options);
  RunResult execute();

 private:
  void set_up_containers();
  void set_up_clients();
  void set_up_partitions();
  [[nodiscard]] Nanoseconds step_length_ns() const;
  void step(Nanoseconds horizon);
  void merge_runs();
  void scatter();
  void join_fan_outs();
  void count_in_flight(std::vector<ClientResult>& clients) const;
  [[nodiscard]] std::vector<ClientResult> client_results() const;
  [[nodiscard]] std::vector<PartitionResult> partition_results() const;
  [[nodiscard]] LoadSeries series() const;
  [[nodiscard]] std::vector<HotKey> hot_keys();
  [[nodiscard]] Cost cost(const std::vector<PartitionResult>& partitions) const;
  void check_identities(const RunResult& result) const;

  const Scenario& scenario_;
  const RunOptions& options_;
  std::vector<std::unique_ptr<ContainerState>> containers_;
  std::vector<OperationPlan> plans_;  // of all clients, in client order
  std::vector<PlanRules> plan_rules_;
  std::vector<ClientRules> client_rules_;
  std::vector<ClientSource> sources_;
  std::vector<std::unique_ptr<PartitionLoop>> partitions_;
  std::vector<MilliRu> demand_mru_;  // one a partition
  FanOutTable fan_outs_;
  Recorder recorder_;

  std::vector<Arrival> arrivals_;  // of one step; first one run a client, then merged
  std::vector<std::size_t> run_ends_;
  std::vector<Arrival> merged_;
  std::vector<Arrival> binned_;  // by partition
  std::vector<std::size_t> bin_begin_;
  std::uint64_t requests_sent_ = 0;
  Nanoseconds now_ns_ = 0;
};

Run::Run(const Scenario& scenario, const RunOptions& options)
    : scenario_(scenario), options_(options) {
  set_up_containers();
  set_up_clients();
  set_up_partitions();
}

void Run::set_up_containers() {
  std::uint32_t partitions = 0;
  for (const ContainerSpec& spec : scenario_.containers) {
    auto state = std::make_unique<ContainerState>(spec, scenario_);
    state->first_partition = partitions;
    partitions += static_cast<std::uint32_t>(state->layout.ranges.size());
    containers_.push_back(std::move(state));
  }
  demand_mru_.assign(partitions, 0);
  bin_begin_.assign(partitions + 1, 0);
}

void Run::set_up_clients() {
  std::vector<std::size_t> first_plan;
  for (const ClientSpec& client : scenario_.clients) {
    first_plan.push_back(plans_.size());
    for (const OperationSpec& operation : client.operations) {
      plans_.emplace_back(operation, scenario_.containers[client.container],
                          containers_[client.container]->router, scenario_.parameters);
    }
    client_rules_.push_back({RetryPolicy(client.retry, scenario_.seed, client.name),
                             RngStream(scenario_.seed, client.name, "service"),
                             RngStream(scenario_.seed, client.name, "service/fan-out"),
                             name_hash(client.name)});
  }
  for (const OperationPlan& plan : plans_) {
    plan_rules_.push_back({plan.service_kind(), plan.stored_bytes()});
  }
  for (std::size_t i = 0; i < scenario_.clients.size(); ++i) {
    const ClientSpec& client = scenario_.clients[i];
    ContainerState& container = *containers_[client.container];
    sources_.emplace_back(ClientSource::Setup{
        &client, static_cast<std::uint32_t>(i), scenario_.seed, scenario_.warm_up_ns,
        &container.router, container.first_partition, static_cast<std::uint16_t>(first_plan[i]),
        plans_.data() + first_plan[i]});
  }
  recorder_.counted.resize(scenario_.clients.size());
  recorder_.uncounted.resize(scenario_.clients.size());
  recorder_.operations.resize(scenario_.clients.size());
  recorder_.latency_ns.resize(scenario_.clients.size());
  recorder_.log = options_.attempts;
}

void Run::set_up_partitions() {
  const ProviderParameters& parameters = scenario_.parameters;
  std::int64_t seconds_per_cell = 1;
  while (scenario_.duration_ns / kSecond / seconds_per_cell >= LoadSeries::kMaxIntervals) {
    seconds_per_cell *= 2;
  }
  MilliRu cheapest = kNever;
  for (const OperationPlan& plan : plans_) {
    cheapest = std::min(cheapest, plan.cheapest());
  }
  for (std::size_t i = 0; i < containers_.size(); ++i) {
    ContainerState& container = *containers_[i];
    container.rules = {
        &container.service_time,
        client_rules_.data(),
        plan_rules_.data(),
        scenario_.duration_ns,
        scenario_.warm_up_ns,
        parameters.throttle_response_ns,
        parameters.retry_after_min_ns,
        parameters.retry_after_step_ns,
        parameters.throttled_charge_counts ? parameters.throttled_request_charge_mru : 0,
        cheapest,
        seconds_per_cell,
        options_.attempts != nullptr};
    const auto& workers = scenario_.containers[i].workers;
    for (const MilliRu share : container.layout.share_mru_per_s) {
      partitions_.push_back(
          make_partition_loop({static_cast<std::uint32_t>(partitions_.size()), share,
                               &container.rules, &parameters, workers ? &*workers : nullptr}));
    }
  }
}

/// How long a step must be to hold about kArrivalsPerStep requests. Nothing observable depends on
/// it.
Nanoseconds Run::step_length_ns() const {
  double requests_per_ns = 0;
  for (std::size_t i = 0, plan = 0; i < scenario_.clients.size(); ++i) {
    const ClientSpec& client = scenario_.clients[i];
    double requests = 0;  // of a mean operation
    for (const OperationSpec& operation : client.operations) {
      const auto partitions =
          static_cast<double>(containers_[client.container]->layout.ranges.size());
      requests += static_cast<double>(operation.share_ppm) / 1e6 *
                  (plans_[plan++].is_point() ? 1.0 : partitions);
    }
    if (const auto* loop = std::get_if<OpenLoop>(&client.arrivals)) {
      requests_per_ns += requests * static_cast<double>(loop->rate.count_micro) / 1e6 /
                         static_cast<double>(loop->rate.per_ns);
    }
  }
  const auto longest = static_cast<double>(scenario_.duration_ns);
  const double length = requests_per_ns > 0 ? kArrivalsPerStep / requests_per_ns : longest;
  return std::max<Nanoseconds>(1, static_cast<Nanoseconds>(std::min(length, longest)));
}

RunResult Run::execute() {
  const Nanoseconds step_ns = step_length_ns();
  bool stopped = false;
  while (now_ns_ < scenario_.duration_ns && !stopped) {
    Nanoseconds horizon = std::min(now_ns_ + step_ns, scenario_.duration_ns);
    if (now_ns_ < scenario_.warm_up_ns) {
      horizon = std::min(horizon, scenario_.warm_up_ns);
    }
    step(horizon);
    if (options_.progress) {
      options_.progress(now_ns_);
    }
    stopped = options_.stop != nullptr && options_.stop->load(std::memory_order_relaxed);
  }
  for (auto& partition : partitions_) {
    partition->finish(now_ns_ > scenario_.warm_up_ns);
  }

  RunResult result;
  result.seed = scenario_.seed;
  result.digest = recorder_.digest;
  result.events = recorder_.events;
  result.simulated_ns = now_ns_;
  result.warm_up_ns = scenario_.warm_up_ns;
  result.partial = now_ns_ < scenario_.duration_ns;
  result.start_unix_s = scenario_.start_unix_s;
  for (const ContainerSpec& container : scenario_.containers) {
    result.provisioned_mru_per_s += container.throughput.mru_per_s;
  }
  result.clients = client_results();
  result.partitions = partition_results();
  result.series = series();
  for (const MilliRu demand : demand_mru_) {
    result.total_demand_mru += demand;
  }
  result.hot_keys = hot_keys();
  result.cost = cost(result.partitions);
  check_identities(result);
  return result;
}

/// One block: arrivals in time order, binned to partitions, each partition to the horizon, joins.
void Run::step(Nanoseconds horizon) {
  arrivals_.clear();
  run_ends_.clear();
  for (ClientSource& source : sources_) {
    const std::size_t before = arrivals_.size();
    source.emit_before(horizon, arrivals_, fan_outs_, demand_mru_);
    if (arrivals_.size() > before) {
      run_ends_.push_back(arrivals_.size());
    }
  }
  requests_sent_ += arrivals_.size();
  merge_runs();
  scatter();

  const bool counted = now_ns_ >= scenario_.warm_up_ns;
  const bool begins_counting = now_ns_ == scenario_.warm_up_ns;
  for (std::size_t i = 0; i < partitions_.size(); ++i) {
    if (begins_counting) {
      partitions_[i]->begin_counting();
    }
    const std::span<const Arrival> bin(binned_.data() + bin_begin_[i],
                                       bin_begin_[i + 1] - bin_begin_[i]);
    partitions_[i]->run_until(horizon, bin, counted, recorder_);
  }
  join_fan_outs();
  now_ns_ = horizon;
}

/// Merges the clients' sorted runs pairwise until one is left.
void Run::merge_runs() {
  while (run_ends_.size() > 1) {
    merged_.resize(arrivals_.size());
    std::vector<std::size_t> ends;
    std::size_t begin = 0;
    for (std::size_t i = 0; i < run_ends_.size(); i += 2) {
      const std::size_t middle = run_ends_[i];
      const std::size_t end = i + 1 < run_ends_.size() ? run_ends_[i + 1] : middle;
      const auto at = [this](std::size_t k) {
        return arrivals_.begin() + static_cast<std::ptrdiff_t>(k);
      };
      std::merge(at(begin), at(middle), at(middle), at(end),
                 merged_.begin() + static_cast<std::ptrdiff_t>(begin));
      ends.push_back(end);
      begin = end;
    }
    arrivals_.swap(merged_);
    run_ends_.swap(ends);
  }
}

/// A counting sort by partition; it is stable, so every bin stays in order of (time, id).
void Run::scatter() {
  std::fill(bin_begin_.begin(), bin_begin_.end(), 0);
  for (const Arrival& arrival : arrivals_) {
    ++bin_begin_[arrival.partition + 1];
  }
  for (std::size_t i = 1; i < bin_begin_.size(); ++i) {
    bin_begin_[i] += bin_begin_[i - 1];
  }
  binned_.resize(arrivals_.size());
  for (const Arrival& arrival : arrivals_) {
    binned_[bin_begin_[arrival.partition]++] = arrival;
  }
  for (std::size_t i = bin_begin_.size() - 1; i > 0; --i) {
    bin_begin_[i] = bin_begin_[i - 1];
  }
  bin_begin_[0] = 0;
}

void Run::join_fan_outs() {
  for (const FanOutEnd& ended : recorder_.fan_out_ends) {
    const FanOutTable::Operation* operation = fan_outs_.close_request(ended.join, ended.end);
    if (operation == nullptr || operation->first_send_ns < scenario_.warm_up_ns) {
      continue;
    }
    OperationTally& tally = recorder_.operations[operation->client];
    if (operation->failed) {
      ++tally.failed;
      continue;
    }
    ++tally.succeeded;
    tally.succeeded_mru += operation->charge_mru;
    tally.service_ns += static_cast<std::uint64_t>(operation->last.service_ns);
    tally.queue_ns += static_cast<std::uint64_t>(operation->last.queue_ns);
    tally.retry_wait_ns += static_cast<std::uint64_t>(operation->last.retry_wait_ns);
    recorder_.latency_ns[operation->client].add(
        static_cast<std::uint64_t>(operation->last.end_ns - operation->first_send_ns));
  }
  recorder_.fan_out_ends.clear();
}

/// In flight is counted where the operations are, not as what is left over, so that the
/// conservation check means something.
void Run::count_in_flight(std::vector<ClientResult>& clients) const {
  for (const auto& partition : partitions_) {
    partition->waiting().for_each([&](const WaitingRetry& retry) {
      if (retry.join == kNoJoin && retry.first_send_ns >= scenario_.warm_up_ns) {
        ++clients[RequestId::client(retry.id)].operations.in_flight;
      }
    });
  }
  fan_outs_.for_each_open([&](const FanOutTable::Operation& operation) {
    if (operation.first_send_ns >= scenario_.warm_up_ns) {
      ++clients[operation.client].operations.in_flight;
    }
  });
}

std::vector<ClientResult> Run::client_results() const {
  std::vector<ClientResult> clients;
  for (std::size_t i = 0; i < scenario_.clients.size(); ++i) {
    const OperationTally& operations = recorder_.operations[i];
    const AttemptTally& attempts = recorder_.counted[i];
    ClientResult client;
    client.name = scenario_.clients[i].name;
    client.operations = {sources_[i].offered(), operations.succeeded, operations.failed,
                         operations.unfinished};
    client.requests = sources_[i].requests();
    client.attempts = attempts.attempts;
    client.throttled = attempts.throttled;
    client.consumed_mru = attempts.consumed_mru;
    client.succeeded_mru = operations.succeeded_mru;
    client.latency_ns = recorder_.latency_ns[i];
    client.parts = {operations.service_ns, operations.queue_ns, operations.retry_wait_ns};
    clients.push_back(std::move(client));
  }
  count_in_flight(clients);
  return clients;
}

std::vector<PartitionResult> Run::partition_results() const {
  std::vector<PartitionResult> results;
  for (std::size_t c = 0; c < containers_.size(); ++c) {
    const Layout& layout = containers_[c]->layout;
    for (std::size_t i = 0; i < layout.ranges.size(); ++i) {
      const std::size_t id = results.size();
      const PartitionTotals& totals = partitions_[id]->totals();
      PartitionResult result;
      result.id = static_cast<std::uint32_t>(id);
      result.container = scenario_.containers[c].name;
      result.min_epk = boundary_hex(layout.hash, layout.ranges[i].min);
      result.max_epk =
          layout.ranges[i].open_ended ? "FF" : boundary_hex(layout.hash, layout.ranges[i].max);
      result.share_mru_per_s = layout.share_mru_per_s[i];
      result.attempts = totals.attempts;
      result.throttled = totals.throttled;
      result.consumed_mru = totals.consumed_mru;
      result.demand_mru = demand_mru_[id];
      result.peak_second_mru = totals.peak_second_mru;
      result.storage_bytes = totals.storage_bytes;
      results.push_back(std::move(result));
    }
  }
  return results;
}

LoadSeries Run::series() const {
  LoadSeries series;
  series.interval_s = containers_.front()->rules.seconds_per_cell;
  const Nanoseconds interval_ns = series.interval_s * kSecond;
  const auto rows = static_cast<Eigen::Index>((now_ns_ + interval_ns - 1) / interval_ns);
  const auto columns = static_cast<Eigen::Index>(partitions_.size());
  series.attempts = LoadMatrix::Zero(rows, columns);
  series.throttled = LoadMatrix::Zero(rows, columns);
  series.consumed_mru = LoadMatrix::Zero(rows, columns);
  for (Eigen::Index column = 0; column < columns; ++column) {
    const std::vector<SecondCell>& cells = partitions_[static_cast<std::size_t>(column)]->cells();
    for (std::size_t row = 0; row < cells.size(); ++row) {
      const auto r = static_cast<Eigen::Index>(row);
      series.attempts(r, column) = cells[row].attempts;
      series.throttled(r, column) = cells[row].throttled;
      series.consumed_mru(r, column) = cells[row].consumed_mru;
    }
  }
  return series;
}

std::vector<HotKey> Run::hot_keys() {
  constexpr std::size_t kLimit = 10;
  std::vector<KeyStreams> streams;
  std::vector<HotKey> keys;
  for (const ClientSource& source : sources_) {
    streams.push_back(source.key_streams());
  }
  for (auto& container : containers_) {
    for (auto& hot : container->router.hot_keys(kLimit, streams)) {
      keys.push_back(
          {std::move(hot.key), container->first_partition + hot.partition, hot.demand_mru});
    }
  }
  std::stable_sort(keys.begin(), keys.end(),
                   [](const HotKey& a, const HotKey& b) { return a.demand_mru > b.demand_mru; });
  keys.resize(std::min(keys.size(), kLimit));
  return keys;
}

Cost Run::cost(const std::vector<PartitionResult>& partitions) const {
  const ProviderParameters& parameters = scenario_.parameters;
  __extension__ using Wide = __int128;
  Wide throughput_mru = 0;
  for (const ContainerSpec& container : scenario_.containers) {
    throughput_mru += container.throughput.mru_per_s;
  }
  Wide bytes = 0;
  for (const PartitionResult& partition : partitions) {
    bytes += partition.storage_bytes;
  }
  constexpr Wide kGigabyte = Wide{1} << 30;
  const Wide per_hour =
      throughput_mru * parameters.price_per_100ru_hour_micro / (Wide{100} * kMilliPerRu);
  const Wide storage_per_month = bytes * parameters.price_storage_gb_month_micro / kGigabyte;
  return {static_cast<std::int64_t>(per_hour + storage_per_month / parameters.hours_per_month),
          static_cast<std::int64_t>(per_hour * parameters.hours_per_month + storage_per_month)};
}

/// Exact identities that hold in every run; a violation is a defect of the simulator, never of the
/// scenario.
void Run::check_identities(const RunResult& result) const {
  std::uint64_t client_attempts = 0;
  std::uint64_t client_throttled = 0;
  MilliRu client_mru = 0;
  for (const ClientResult& client : result.clients) {
    PARTSIM_ASSERT(
        client.operations.offered ==
            client.operations.succeeded + client.operations.failed + client.operations.in_flight,
        "every operation ends once or is in flight");
    PARTSIM_ASSERT(client.latency_ns.count() == client.operations.succeeded,
                   "one latency for each success");
    client_attempts += client.attempts;
    client_throttled += client.throttled;
    client_mru += client.consumed_mru;
  }
  for (const PartitionResult& partition : result.partitions) {
    client_attempts -= partition.attempts;
    client_throttled -= partition.throttled;
    client_mru -= partition.consumed_mru;
  }
  PARTSIM_ASSERT(client_attempts == 0 && client_throttled == 0 && client_mru == 0,
                 "the sum over clients is the sum over partitions");
  PARTSIM_ASSERT(static_cast<std::uint64_t>(result.series.attempts.sum()) == recorder_.events,
                 "the sum over seconds is the number of attempts");

  std::uint64_t still_waiting = 0;
  std::uint64_t waiting_time_ns = 0;
  for (const auto& partition : partitions_) {
    still_waiting += partition->waiting().size();
    partition->waiting().for_each([&](const WaitingRetry& retry) {
      waiting_time_ns += static_cast<std::uint64_t>(std::min(retry.due_ns, scenario_.duration_ns) -
                                                    retry.first_send_ns);
    });
  }
  PARTSIM_ASSERT(recorder_.events + still_waiting == requests_sent_ + recorder_.retries_scheduled,
                 "attempts are first sends and retries");
  PARTSIM_ASSERT(recorder_.attempt_time_ns == recorder_.request_time_ns + waiting_time_ns,
                 "time in the system is the same by requests and by attempts");
}

}  // namespace

RunResult run(const Scenario& scenario, const RunOptions& options) {
  return Run(scenario, options).execute();
}

}  // namespace partsim
