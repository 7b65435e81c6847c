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
    begin_client(client);
  }
  queue.insert({0, Phase::boundary, 0, "", 0});
  while (std::get<0>(*queue.begin()) < scenario.duration_ns) {
    const auto [time, phase, number, client, r] = *queue.begin();
    queue.erase(queue.begin());
    now = time;
    happen(phase, number, client, r);
  }
  for (const auto& [id, op] : operations) {
    if (op.sent_ns != kNever && op.sent_ns >= scenario.warm_up_ns) {
      finish(op, result.clients[op.requests[0].client]);
    }
  }
  for (const AttemptRecord& record : result.attempts) {  // section 9
    const std::string& name = scenario.clients[record.client].name;
    const Number who =
        mix64(Number(record.time_ns) + name_hash(name)) + record.operation * kGoldenGamma;
    const auto what =
        Number{record.partition} << 40U | Number{record.attempt} << 32U | Number(record.charge_mru);
    const Number then = Number(record.next_ns) * 4 + Number(record.outcome);
    result.digest += mix64(who ^ what) + mix64(who + then);
  }
  for (Partition& partition : partitions) {
    partition.share_mru_per_s = sum(partition.share);
    partition.write_share_mru_per_s = partition.share[1];
    result.partitions.push_back(partition);
  }
  return result;
}

void Model::happen(Phase phase, Number number, const std::string& name, std::size_t r) {
  if (phase == Phase::boundary) {
    return begin_instant();
  }
  const ClientSpec& client = *std::find_if(scenario.clients.begin(), scenario.clients.end(),
                                           [&](const auto& each) { return each.name == name; });
  if (phase == Phase::look) {
    return look(client);
  }
  if (phase == Phase::send) {
    return send_due(client);
  }
  Operation& op = operations.at({name, number});
  if (phase == Phase::attempt) {
    return handle(op, r);
  }
  if (phase == Phase::answer) {
    return answer(op, r);
  }
  if (std::holds_alternative<BulkLoad>(client.arrivals)) {
    plan(op, now);  // it waits in the queue of a partition
  }
  clients[name].waiting.insert({now, number});
  queue.insert({now, Phase::send, 0, name, 0});
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
  for (const ClientSpec& client : scenario.clients) {
    queue.insert({now, Phase::send, 0, client.name, 0});  // a split makes room for a bulk load
  }
  // All changes fall on boundaries of windows, but a whole minute need not be one.
  const Nanoseconds minute = now + kMinute - (scenario.start_unix_s * kSecond + now) % kMinute;
  queue.insert({std::min((now / window + 1) * window, minute), Phase::boundary, 0, "", 0});
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
  const LogNormal& law = op.writes ? write_time : read_time;
  const MilliRu queried = op.fan_out && !op.writes ? charge : 0;
  return Nanoseconds(law.sample(random)) + rules.query_latency_ns_per_ru * queried / 1000;
}

/// Section 14: what an answer takes longer because it comes from another region.
Nanoseconds Model::round_trip(const Operation& op) const {
  const bool away = op.writes && !scenario.multi_region_writes;
  return away && op.client->region > 0 ? rules.region_round_trip_ns : 0;
}

/// What an attempt meets, in order (section 6.5).
AttemptOutcome Model::judge(const Operation& op, const Partition& partition, bool ready,
                            std::size_t unfinished) const {
  const auto swaps = [&](const Change& change) {
    return change.going.front() == partition.id && change.why != Change::Why::merge &&
           now >= change.end_ns - rules.split_swap_unavailable_ns;
  };
  const auto workers = op.container->workers.value_or(WorkersSpec{UINT32_MAX, {}});
  const auto places = std::size_t{workers.count} + workers.queue_limit.value_or(UINT32_MAX);
  return op.refused                                           ? kRefused
         : std::any_of(changes.begin(), changes.end(), swaps) ? kGone
         : op.adds > 0 && is_full(op, partition)              ? kForbidden
         : !ready                                             ? AttemptOutcome::throttled
         : unfinished >= places                               ? AttemptOutcome::queue_full
                                                              : AttemptOutcome::admitted;
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
  const std::size_t kind = units_apart && op.writes ? 1 : 0;
  const std::size_t region = op.writes && !scenario.multi_region_writes ? 0 : op.client->region;
  const Limits most = limits(partition, kind);
  for (auto& each : partition.budgets) {
    fill(each.at(kind), most);
  }
  Budget& budget = partition.budgets[region].at(kind);
  std::multiset<Nanoseconds>& unfinished = partition.unfinished[op.container];
  unfinished.erase(unfinished.begin(), unfinished.upper_bound(now));
  const Nanoseconds ready = ready_at(budget, most, op, charge);
  request.time_ns = now;
  request.outcome = judge(op, partition, ready <= now, unfinished.size());
  request.known_ns = now + rules.throttle_response_ns + round_trip(op);
  request.wait_ns.reset();
  if (request.outcome != AttemptOutcome::admitted) {
    const bool pays = request.outcome == AttemptOutcome::throttled && rules.throttled_charge_counts;
    take(budget, pays ? rules.throttled_request_charge_mru : 0);
    request.wait_ns = retry_wait(op, r, ready - now);
    request.gone += request.outcome == kGone ? 1 : 0;
    request.waited_ns += request.wait_ns.value_or(0);
  } else {
    // No workers are as good as endless ones; of c, the first is free at the c-th last completion.
    const auto workers = op.container->workers.value_or(WorkersSpec{UINT32_MAX, {}}).count;
    request.start_ns = unfinished.size() >= workers ? *std::prev(unfinished.end(), workers) : now;
    const Nanoseconds completion = request.start_ns + service_time(op, charge, r);
    unfinished.insert(completion);
    request.known_ns = completion + round_trip(op);
    for (auto& each : partition.budgets) {
      if (op.writes || &each.at(kind) == &budget) {
        pay(each.at(kind), op, charge);
      }
    }
    if (request.owns) {
      store(op);
    }
  }
  const bool interactive = clients[op.client->name].interactive;
  request.known_ns = std::max(request.known_ns, now + (interactive ? 1 : 0));  // W2
  request.next_ns = request.known_ns + request.wait_ns.value_or(0);
  const bool given_up = request.outcome != AttemptOutcome::admitted &&
                        (!request.wait_ns || request.next_ns >= op.deadline_ns());  // W3
  request.next_ns = given_up ? kNever : request.next_ns;
  partition.asked.at(kind) += charge;
  count(op, request, partition);
  if (interactive) {
    queue.insert({request.known_ns, Phase::answer, op.number, op.client->name, r});
  } else {
    answer(op, r);
  }
}

void Model::count(const Operation& op, Request& request, Partition& partition) {
  const MilliRu charge = request.charge_mru;
  const bool admitted = request.outcome == AttemptOutcome::admitted;
  const bool refused =
      request.outcome == AttemptOutcome::throttled || request.outcome == AttemptOutcome::queue_full;
  const auto tally = [&](auto& counters) {  // section 8
    counters.attempts += 1;
    counters.throttled += refused ? 1 : 0;
    counters.consumed_mru += !admitted   ? 0
                             : op.writes ? charge * MilliRu(scenario.regions.size())
                                         : charge;
  };
  if (now >= scenario.warm_up_ns) {
    ClientResult& client = result.clients[request.client];
    tally(client);
    tally(partition);
    partition.demand_mru += request.attempt == 0 ? charge : 0;
    client.gone += request.outcome == kGone ? 1 : 0;
    client.forbidden += request.outcome == kForbidden ? 1 : 0;
    client.refused += request.outcome == kRefused ? 1 : 0;
  }
  request.record = result.attempts.size();
  result.attempts.push_back(request);
}

/// How long the client waits before it sends again; nothing if it gives up.
std::optional<Nanoseconds> Model::retry_wait(const Operation& op, std::size_t r,
                                             Nanoseconds until_ready) const {
  const Request& request = op.requests[r];
  const RetrySpec& retry = op.client->retry;
  if (request.outcome == kForbidden || request.outcome == kRefused) {
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
  const Nanoseconds retry_after = std::min((least + step - 1) / step * step, retry.longest_wait_ns);
  const Nanoseconds asked = retry.fixed_wait_ns > 0 ? retry.fixed_wait_ns : retry_after;
  const Wide extra_ns = bounded(draw1, Number(std::max<Nanoseconds>(1, retry.jitter_ns)));
  const Wide extra_ppm = bounded(draw2, Number(std::max<std::int64_t>(1, retry.jitter_ppm)));
  auto wait = Nanoseconds(asked + extra_ns + asked * extra_ppm / kMillion);
  if (retry.backoff_base_ns > 0) {  // W4
    const Wide doubled = Wide(retry.backoff_base_ns) << std::min<Number>(k - 1, 63);
    const auto b = Nanoseconds(std::min<Wide>(doubled, retry.backoff_max_ns));
    const bool equal = retry.backoff_jitter == RetrySpec::Jitter::equal;
    const Nanoseconds sure = equal ? b / 2 : 0;
    const auto random = Nanoseconds(bounded(draw1, Number(std::max<Nanoseconds>(1, b - sure))));
    wait = retry.backoff_jitter == RetrySpec::Jitter::none ? b : sure + random;
  }
  const bool too_long = retry.may_overshoot ? request.waited_ns > retry.max_wait_ns
                                            : wait >= retry.max_wait_ns ||
                                                  request.waited_ns + wait > retry.max_wait_ns;
  return k > retry.max_retries || too_long ? std::nullopt : std::optional(wait);
}

void Model::finish(const Operation& op, ClientResult& client) const {  // section 7
  Request last = op.requests[0];
  bool failed = false;
  MilliRu cost_mru = 0;
  const auto paid = op.writes ? MilliRu(scenario.regions.size()) : 1;
  for (const Request& request : op.requests) {
    last = request.end_ns >= last.end_ns ? request : last;
    failed = failed || request.outcome != AttemptOutcome::admitted;
    cost_mru += request.charge_mru * paid;
  }
  OperationCounts& ends = client.operations;
  client.requests += op.requests.size();
  ends.offered += 1;
  const Nanoseconds deadline = op.deadline_ns();
  const bool timed_out = last.end_ns > deadline || (failed && last.end_ns == deadline);
  const bool in_flight = std::min(last.end_ns, deadline) >= scenario.duration_ns;
  failed = failed || timed_out;
  client.timed_out += timed_out && !in_flight ? 1 : 0;
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
