#include "support/naive_model.hpp"

#include <algorithm>

#include "support/naive_parts.hpp"

namespace partsim {
namespace naive {

NaiveResult Model::run() {
  Pool database{scenario.database.value_or(DatabaseSpec{}).throughput, true};
  for (ContainerSpec& container : scenario.containers) {
    container.hash = container.partition_key.size() > 1 ? HashVersion::multihash : container.hash;
    if (container.shares_database) {
      database.containers.push_back(&container);
    }
  }
  for (const ContainerSpec& container : scenario.containers) {
    if (!container.shares_database) {
      create_pool({container.throughput, false, {&container}});
    } else if (&container == database.containers.front()) {
      create_pool(database);
    }
  }
  for (const ClientSpec& client : scenario.clients) {
    create_operations(client);
  }
  // All changes fall on boundaries of windows, but a whole minute need not be one.
  for (Nanoseconds next = 0; now < scenario.duration_ns; now = next) {
    begin_instant();
    const Nanoseconds minute = now + kMinute - (scenario.start_unix_s * kSecond + now) % kMinute;
    next = std::min({(now / window + 1) * window, minute, scenario.duration_ns});
    while (!queue.empty() && std::get<0>(*queue.begin()) < next) {
      const auto [time, number, client, r] = *queue.begin();
      queue.erase(queue.begin());
      Operation& op = operations.at({client, number});
      now = time;
      op.requests.empty() ? route(op) : handle(op, r);
    }
  }
  for (const auto& [id, op] : operations) {
    if (op.sent_ns >= scenario.warm_up_ns && op.sent_ns < scenario.duration_ns) {
      finish(op, result.clients[op.requests[0].client]);
    }
  }
  for (Partition& partition : partitions) {
    partition.share_mru_per_s = sum(partition.share);
    partition.write_share_mru_per_s = partition.share[1];
    result.partitions.push_back(partition);
  }
  return result;
}

void Model::begin_instant() {
  if (now % window == 0) {
    for (Partition& partition : partitions) {
      for (auto& region : partition.budgets) {
        fill(region[0], limits(partition, 0));  // at the old rate
        fill(region[1], limits(partition, 1));
      }
    }
    control();
  }
  for (Partition& partition : partitions) {
    if (partition.alive()) {
      begin_window(partition);
    }
  }
}

void Model::create_operations(const ClientSpec& client) {  // section 2
  result.clients.emplace_back().name = client.name;
  const auto* batch = std::get_if<AtOnce>(&client.arrivals);
  const auto [rate, spacing] = batch ? OpenLoop{} : std::get<OpenLoop>(client.arrivals);
  const Number most = batch ? batch->count : rate.count_micro > 0 ? UINT64_MAX : 0;
  Operation op{&client, &scenario.containers[client.container]};
  for (; op.number < most && op.sent_ns < scenario.duration_ns; ++op.number) {
    if (batch != nullptr) {
      op.sent_ns = batch->at_ns;
    } else if (spacing == OpenLoop::Spacing::evenly) {
      op.sent_ns = Nanoseconds(Wide(op.number) * rate.per_ns * kMillion / rate.count_micro);
    } else {
      const double mean_gap = double(rate.per_ns) * 1e6 / double(rate.count_micro);
      op.sent_ns += Nanoseconds(exponential(draw(op, "arrivals")) * mean_gap);
    }
    operations[{client.name, op.number}] = op;
    queue.insert({op.sent_ns, op.number, client.name, 0});
  }
}

Nanoseconds Model::service_time(const Operation& op, MilliRu charge, std::size_t r) {
  const auto random = op.fan_out ? draw(op, "service/fan-out", r + 1) : draw(op, "service");
  if (const auto& service = op.container->service) {
    const auto [mean_ns, per_ru] = service->mean;
    const double mean = double(mean_ns) * (per_ru ? double(charge) / 1000.0 : 1.0);
    const Nanoseconds fixed = per_ru ? mean_ns * charge / 1000 : mean_ns;
    const bool is_fixed = service->law == ServiceTimeSpec::Law::fixed;
    return is_fixed ? fixed : Nanoseconds(exponential(random) * mean);
  }
  const LogNormal& law = op.is(OperationKind::create) ? write_time : read_time;
  const MilliRu queried = op.fan_out ? charge : 0;
  return Nanoseconds(law.sample(random)) + rules.query_latency_ns_per_ru * queried / 1000;
}

/// Section 14: what an answer takes longer because it comes from another region.
Nanoseconds Model::round_trip(const Operation& op) const {
  const bool away = op.is(OperationKind::create) && !scenario.multi_region_writes;
  return away && op.client->region > 0 ? rules.region_round_trip_ns : 0;
}

void Model::handle(Operation& op, std::size_t r) {
  Request& request = op.requests[r];
  while (!partitions[request.partition].alive()) {  // it waited while its partition was replaced
    const std::vector<std::uint32_t>& heirs = partitions[request.partition].heirs;
    const bool lower = op.fan_out || partitions[heirs[0]].range.contains(op.point);
    request.partition = lower ? heirs.front() : heirs.back();
  }
  Partition& partition = partitions[request.partition];
  const MilliRu charge = request.charge_mru;
  const bool create = op.is(OperationKind::create);
  const std::size_t kind = units_apart && create ? 1 : 0;
  const std::size_t region = create && !scenario.multi_region_writes ? 0 : op.client->region;
  const Limits most = limits(partition, kind);
  for (auto& each : partition.budgets) {
    fill(each.at(kind), most);
  }
  Budget& budget = partition.budgets[region].at(kind);
  const auto swaps = [&](const Change& change) {
    return change.going.front() == partition.id && change.why != Change::Why::merge &&
           now >= change.end_ns - rules.split_swap_unavailable_ns;
  };
  // No workers are as good as endless ones; of c, the first is free at the c-th last completion.
  const auto workers = op.container->workers.value_or(WorkersSpec{UINT32_MAX, {}});
  const auto places = std::size_t{workers.count} + workers.queue_limit.value_or(UINT32_MAX);
  std::multiset<Nanoseconds>& unfinished = partition.unfinished[op.container];
  unfinished.erase(unfinished.begin(), unfinished.upper_bound(now));
  const Nanoseconds ready = ready_at(budget, most, op, charge);
  request.time_ns = now;
  request.outcome = std::any_of(changes.begin(), changes.end(), swaps) ? kGone
                    : create && is_full(op, partition)                 ? kForbidden
                    : ready > now                                      ? AttemptOutcome::throttled
                    : unfinished.size() >= places                      ? AttemptOutcome::queue_full
                                                                       : AttemptOutcome::admitted;
  if (request.outcome != AttemptOutcome::admitted) {
    const bool pays = request.outcome == AttemptOutcome::throttled && rules.throttled_charge_counts;
    take(budget, pays ? rules.throttled_request_charge_mru : 0);
    send_again(op, r, ready - now);
  } else {
    const bool waits = unfinished.size() >= workers.count;
    request.start_ns = waits ? *std::prev(unfinished.end(), workers.count) : now;
    const Nanoseconds completion = request.start_ns + service_time(op, charge, r);
    unfinished.insert(completion);
    request.end_ns = request.next_ns = completion + round_trip(op);
    for (auto& each : partition.budgets) {
      if (create || &each.at(kind) == &budget) {
        pay(each.at(kind), op, charge);
      }
    }
    if (create) {
      store(op, partition);
    }
  }
  partition.asked.at(kind) += charge;
  count(op, request, partition);
  request.attempt += 1;
}

void Model::count(const Operation& op, const Request& request, Partition& partition) {
  const bool create = op.is(OperationKind::create);
  const MilliRu charge = request.charge_mru;
  const bool admitted = request.outcome == AttemptOutcome::admitted;
  const bool refused =
      request.outcome == AttemptOutcome::throttled || request.outcome == AttemptOutcome::queue_full;
  const auto tally = [&](auto& counters) {  // section 8
    counters.attempts += 1;
    counters.throttled += refused ? 1 : 0;
    counters.consumed_mru += !admitted ? 0
                             : create  ? charge * MilliRu(scenario.regions.size())
                                       : charge;
  };
  if (now >= scenario.warm_up_ns) {
    ClientResult& client = result.clients[request.client];
    tally(client);
    tally(partition);
    partition.demand_mru += request.attempt == 0 ? charge : 0;
    client.gone += request.outcome == kGone ? 1 : 0;
    client.forbidden += request.outcome == kForbidden ? 1 : 0;
  }
  const Number who = mix64(Number(now) + name_hash(op.client->name)) + op.number * kGoldenGamma;
  const auto what = Number{partition.id} << 40U | Number{request.attempt} << 32U | Number(charge);
  const Number then = Number(request.next_ns) * 4 + Number(request.outcome);
  result.digest += mix64(who ^ what) + mix64(who + then);
  result.attempts.push_back(request);
}

/// How long the client waits before it sends again; nothing if it gives up.
std::optional<Nanoseconds> Model::retry_wait(const Operation& op, std::size_t r,
                                             Nanoseconds until_ready) const {
  const Request& request = op.requests[r];
  const RetrySpec& retry = op.client->retry;
  if (request.outcome == kForbidden) {
    return {};
  }
  if (request.outcome == kGone) {  // section 10
    const Wide doubled =
        Wide(rules.client_gone_retry_initial_ns) << std::min(request.gone, 64U) >> 1U;
    const auto wait = request.gone == 0
                          ? 0
                          : Nanoseconds(std::min<Wide>(doubled, rules.client_gone_retry_max_ns));
    const bool fails =
        retry.max_retries == 0 || request.waited_ns + wait > rules.client_gone_retry_total_ns;
    return fails ? std::nullopt : std::optional(wait);
  }
  const Number k = request.attempt - request.gone + 1;  // section 6
  const auto draw1 = op.fan_out ? draw(op, "jitter/fan-out", r * 256 + k) : draw(op, "jitter", k);
  const auto draw2 = retry.jitter_ns > 0 ? redraw(draw1) : draw1;
  const Nanoseconds step = rules.retry_after_step_ns;
  const Nanoseconds least = std::max(rules.retry_after_min_ns, until_ready);
  const Nanoseconds retry_after = (least + step - 1) / step * step;
  const Wide extra_ns = bounded(draw1, Number(std::max<Nanoseconds>(1, retry.jitter_ns)));
  const Wide extra_ppm = bounded(draw2, Number(std::max<std::int64_t>(1, retry.jitter_ppm)));
  auto wait = Nanoseconds(retry_after + extra_ns + retry_after * extra_ppm / kMillion);
  if (retry.backoff_base_ns > 0) {
    const Wide doubled = Wide(retry.backoff_base_ns) << std::min<Number>(k - 1, 63);
    const Wide longest = std::max<Wide>(1, std::min<Wide>(doubled, retry.backoff_max_ns));
    wait = Nanoseconds(bounded(draw1, Number(longest)));
  }
  const bool fails = k > retry.max_retries || request.waited_ns + wait > retry.max_wait_ns ||
                     wait >= retry.max_wait_ns;
  return fails ? std::nullopt : std::optional(wait);
}

/// Sends a refused request again, or lets it fail.
void Model::send_again(Operation& op, std::size_t r, Nanoseconds until_ready) {
  Request& request = op.requests[r];
  const std::optional<Nanoseconds> wait = retry_wait(op, r, until_ready);
  const Nanoseconds known_ns = now + rules.throttle_response_ns + round_trip(op);
  request.gone += request.outcome == kGone ? 1 : 0;
  request.waited_ns += wait.value_or(0);
  request.next_ns = wait ? known_ns + *wait : kNever;
  request.end_ns = wait ? kNever : known_ns;
  queue.insert({request.next_ns, op.number, op.client->name, r});
}

void Model::finish(const Operation& op, ClientResult& client) const {  // section 7
  Request last = op.requests[0];
  bool failed = false;
  MilliRu cost_mru = 0;
  const auto paid = op.is(OperationKind::create) ? MilliRu(scenario.regions.size()) : 1;
  for (const Request& request : op.requests) {
    last = request.end_ns >= last.end_ns ? request : last;
    failed = failed || request.outcome != AttemptOutcome::admitted;
    cost_mru += request.charge_mru * paid;
  }
  OperationCounts& ends = client.operations;
  client.requests += op.requests.size();
  ends.offered += 1;
  const bool in_flight = last.end_ns >= scenario.duration_ns;
  (in_flight ? ends.in_flight : failed ? ends.failed : ends.succeeded) += 1;
  if (!in_flight && !failed) {
    client.succeeded_mru += cost_mru;
    client.latency_ns.add(Number(last.end_ns - op.sent_ns));
    client.parts.service_ns += Number(last.end_ns - last.start_ns);
    client.parts.queue_ns += Number(last.start_ns - last.time_ns);
    client.parts.retry_wait_ns += Number(last.time_ns - op.sent_ns);
  }
}

}  // namespace naive

NaiveResult naive_run(const Scenario& scenario) {
  return naive::Model{scenario}.run();
}

}  // namespace partsim
