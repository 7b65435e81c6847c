#include <algorithm>

#include "partsim/core/assert.hpp"

#include "run.hpp"

namespace partsim {
namespace {

constexpr std::size_t kListedKeys = 10;

/// What a partition might have spent in [from, to): its shares over the time they were in force.
MilliRu provisioned_mru(const PartitionState& partition, Nanoseconds from, Nanoseconds to) {
  __extension__ using Wide = __int128;
  Wide sum = 0;
  for (std::size_t i = 0; i < partition.shares.size(); ++i) {
    const auto& [since, share] = partition.shares[i];
    const Nanoseconds until =
        i + 1 < partition.shares.size() ? partition.shares[i + 1].first : partition.retired_ns;
    const Nanoseconds begin = std::max(since, from);
    const Nanoseconds end = std::min(until, to);
    sum += begin < end ? Wide{share} * (end - begin) : 0;
  }
  return static_cast<MilliRu>(sum / kSecond);
}

/// What the partition stored at the end of each interval in which it was there to the end.
void fill_storage(LoadSeries& series, Eigen::Index column, const PartitionState& partition,
                  Nanoseconds end_ns) {
  const std::vector<SecondCell>& cells = partition.loop->cells();
  Bytes stored = 0;
  for (Eigen::Index row = 0; row < series.storage_bytes.rows(); ++row) {
    const auto cell = static_cast<std::size_t>(row);
    if (cell < cells.size() && cells[cell].storage_bytes != SecondCell::kUnchanged) {
      stored = cells[cell].storage_bytes;
    }
    const Nanoseconds until = std::min((row + 1) * series.interval_s * kSecond, end_ns);
    if (partition.born_ns < until && partition.retired_ns >= until) {
      series.storage_bytes(row, column) = stored;
    }
  }
}

}  // namespace

RunResult Run::result() {
  RunResult result;
  result.seed = scenario_.seed;
  result.digest = recorder_.digest;
  result.events = recorder_.events;
  result.simulated_ns = now_ns_;
  result.warm_up_ns = scenario_.warm_up_ns;
  result.partial = now_ns_ < scenario_.duration_ns;
  result.start_unix_s = scenario_.start_unix_s;
  result.provider = scenario_.provider;
  result.api = scenario_.api;
  result.regions = static_cast<std::uint32_t>(scenario_.regions.size());
  for (const PoolState& state : pools_) {
    const Share& total = state.pool->total();
    result.provisioned_mru_per_s += total.total_mru_per_s + total.write_mru_per_s;
  }
  result.clients = client_results();
  result.partitions = partition_results();
  result.series = series();
  result.latency_series = recorder_.latency_over_time.series(now_ns_);
  for (const PartitionState& partition : partitions_) {
    result.provisioned_mru += provisioned_mru(partition, scenario_.warm_up_ns, now_ns_);
  }
  result.provisioned_mru *= result.regions;
  for (const MilliRu demand : demand_mru_) {
    result.total_demand_mru += demand;
  }
  result.hot_keys = hot_keys();
  result.large_keys = large_keys();
  result.layout_events = layout_events_;
  result.cost = cost();
  check_identities(result);
  return result;
}

/// In flight is counted where the operations are, not as what is left over, so that the
/// conservation check means something.
void Run::count_in_flight(std::vector<ClientResult>& clients) const {
  for (const std::uint32_t id : alive_) {
    partitions_[id].loop->waiting().for_each([&](const WaitingRetry& retry) {
      if (retry.join == kNoJoin && retry.first_send_ns >= scenario_.warm_up_ns) {
        ++clients[RequestId::client(retry.id)].operations.in_flight;
      }
    });
  }
  fan_outs_.for_each_open([&](const FanOutTable::Operation& operation) {
    if (operation.first_send_ns >= scenario_.warm_up_ns) {
      ++clients[operation.client()].operations.in_flight;
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
    client.gone = attempts.gone;
    client.forbidden = attempts.forbidden;
    client.refused = attempts.refused;
    client.timed_out = operations.timed_out;
    client.consumed_mru = attempts.consumed_mru;
    client.succeeded_mru = operations.succeeded_mru;
    client.latency_ns = recorder_.latency_ns[i];
    client.parts = {operations.service_ns, operations.queue_ns, operations.retry_wait_ns};
    if (feeds_[i]) {
      client.trace = feeds_[i]->counts();
    }
    clients.push_back(std::move(client));
  }
  count_in_flight(clients);
  return clients;
}

std::vector<PartitionResult> Run::partition_results() const {
  std::vector<PartitionResult> results;
  for (std::uint32_t id = 0; id < partitions_.size(); ++id) {
    const PartitionState& state = partitions_[id];
    const Pool& pool = *pools_[state.pool].pool;
    const HashVersion hash = pool.layout().hash;
    const PartitionTotals& totals = state.loop->totals();
    PartitionResult result;
    result.id = id;
    result.parent = state.parent;
    result.container = pool.spec().name;
    result.min_epk = boundary_hex(hash, state.range.min);
    result.max_epk = state.range.open_ended ? "FF" : boundary_hex(hash, state.range.max);
    result.width_q32 = static_cast<std::int64_t>(range_width_q32(hash, state.range));
    result.born_ns = state.born_ns;
    if (state.retired_ns != kNever) {
      result.retired_ns = state.retired_ns;
    }
    result.share_mru_per_s = state.share.total_mru_per_s + state.share.write_mru_per_s;
    result.write_share_mru_per_s = state.share.write_mru_per_s;
    result.attempts = totals.attempts;
    result.throttled = totals.throttled;
    result.consumed_mru = totals.consumed_mru;
    result.demand_mru = demand_mru_[id];
    result.peak_second_mru = totals.peak_second_mru;
    result.peak_share_mru = totals.peak_share_mru;
    result.burst_mru = totals.burst_mru;
    result.ttl_mru = totals.ttl_mru;
    result.storage_bytes = totals.storage_bytes;
    result.single_key_full = state.single_key_full;
    results.push_back(std::move(result));
  }
  return results;
}

LoadSeries Run::series() const {
  LoadSeries series;
  series.interval_s = pools_.front().rules.seconds_per_cell;
  const Nanoseconds interval_ns = series.interval_s * kSecond;
  const auto rows = static_cast<Eigen::Index>((now_ns_ + interval_ns - 1) / interval_ns);
  const auto columns = static_cast<Eigen::Index>(partitions_.size());
  series.attempts = LoadMatrix::Zero(rows, columns);
  series.throttled = LoadMatrix::Zero(rows, columns);
  series.consumed_mru = LoadMatrix::Zero(rows, columns);
  series.share_mru = LoadMatrix::Zero(rows, columns);
  series.storage_bytes = LoadMatrix::Zero(rows, columns);
  for (Eigen::Index column = 0; column < columns; ++column) {
    const PartitionState& partition = partitions_[static_cast<std::size_t>(column)];
    const std::vector<SecondCell>& cells = partition.loop->cells();
    for (std::size_t row = 0; row < cells.size(); ++row) {
      const auto r = static_cast<Eigen::Index>(row);
      series.attempts(r, column) = cells[row].attempts;
      series.throttled(r, column) = cells[row].throttled;
      series.consumed_mru(r, column) = cells[row].consumed_mru;
    }
    fill_storage(series, column, partition, now_ns_);
    for (Eigen::Index r = 0; r < rows; ++r) {
      const Nanoseconds begin = r * interval_ns;
      series.share_mru(r, column) =
          provisioned_mru(partition, begin, std::min(begin + interval_ns, now_ns_));
    }
  }
  return series;
}

std::vector<HotKey> Run::hot_keys() {
  std::vector<HotKey> keys;
  for (auto& container : containers_) {
    for (auto& hot : container->router.hot_keys(kListedKeys, key_streams_)) {
      keys.push_back({std::move(hot.key), hot.partition, hot.demand_mru});
    }
  }
  std::stable_sort(keys.begin(), keys.end(),
                   [](const HotKey& a, const HotKey& b) { return a.demand_mru > b.demand_mru; });
  keys.resize(std::min(keys.size(), kListedKeys));
  return keys;
}

std::vector<LargeKey> Run::large_keys() {
  std::vector<LargeKey> keys;
  for (std::size_t i = 0; i < containers_.size(); ++i) {
    if (containers_[i]->book == nullptr) {
      continue;
    }
    const PoolState& state = pools_[pool_of_container_[i]];
    const Bytes limit = state.rules.logical_max_bytes;
    for (auto& large : containers_[i]->book->largest(kListedKeys)) {
      const bool full = limit > 0 && large.bytes + state.largest_create_bytes > limit;
      keys.push_back({std::move(large.key), large.partition, large.bytes, full});
    }
  }
  std::stable_sort(keys.begin(), keys.end(),
                   [](const LargeKey& a, const LargeKey& b) { return a.bytes > b.bytes; });
  keys.resize(std::min(keys.size(), kListedKeys));
  return keys;
}

Cost Run::cost() {
  Bill bill;
  for (PoolState& state : pools_) {
    close_hour(state, hour_begin_ns_);
    bill.add(state.bill->total());
  }
  Cost cost;
  cost.per_hour_micro = bill.per_hour_micro(now_ns_);
  cost.per_month_micro = bill.per_month_micro(now_ns_, scenario_.parameters.hours_per_month);
  cost.throughput_micro = bill.throughput_micro();
  cost.storage_micro = bill.storage_micro();
  cost.hours = pools_.front().bill->total().hours();
  return cost;
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
  for (const std::uint32_t id : alive_) {
    const TimingWheel<WaitingRetry>& waiting = partitions_[id].loop->waiting();
    still_waiting += waiting.size();
    waiting.for_each([&](const WaitingRetry& retry) {
      waiting_time_ns += static_cast<std::uint64_t>(std::min(retry.due_ns, scenario_.duration_ns) -
                                                    retry.first_send_ns);
    });
  }
  PARTSIM_ASSERT(recorder_.events + still_waiting == requests_sent_ + recorder_.retries_scheduled,
                 "attempts are first sends and retries");
  PARTSIM_ASSERT(recorder_.attempt_time_ns == recorder_.request_time_ns + waiting_time_ns,
                 "time in the system is the same by requests and by attempts");
}

}  // namespace partsim
