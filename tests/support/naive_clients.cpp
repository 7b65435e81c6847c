// Clients that wait for answers, and timeouts: sections 2 and 3 of docs/WORKLOAD.md.
#include <algorithm>

#include "support/naive_parts.hpp"

namespace partsim::naive {
namespace {

/// Stands for a request's number in the event of a timeout, so that answers of that instant count.
constexpr std::size_t kTimeout = SIZE_MAX;

}  // namespace

void Model::begin_client(const ClientSpec& client) {
  result.clients.emplace_back().name = client.name;
  ClientState& state = clients[client.name];
  const auto* users = std::get_if<ClosedLoop>(&client.arrivals);
  const auto* bulk = std::get_if<BulkLoad>(&client.arrivals);
  state.interactive = users != nullptr || bulk != nullptr || client.concurrency.has_value() ||
                      client.retry.quota_tokens > 0;
  state.tokens = client.retry.quota_tokens;
  if (users != nullptr) {
    for (Number u = 0; u < std::min<Number>(users->users, users->total.value_or(UINT64_MAX)); ++u) {
      fall_due(client, u, Nanoseconds(Wide(u) * users->start_over_ns / users->users));
    }
  } else if (bulk != nullptr) {
    for (Number number = 0; number < bulk->count; ++number) {
      fall_due(client, number, bulk->at_ns);
    }
    queue.insert({bulk->at_ns + kSecond, Phase::look, 0, client.name, 0});
  } else {
    begin_open(client);
  }
}

void Model::fall_due(const ClientSpec& client, Number number, Nanoseconds at_ns) {
  if (at_ns < scenario.duration_ns) {
    operations[{client.name, number}] = {&client, &scenario.containers[client.container], number};
    queue.insert({at_ns, Phase::due, number, client.name, 0});
  }
}

/// Sends what is due and may go: first come, first served.
void Model::send_due(const ClientSpec& client) {
  ClientState& state = clients[client.name];
  if (std::holds_alternative<BulkLoad>(client.arrivals)) {
    return send_bulk(client);
  }
  const std::size_t most = client.concurrency.value_or(UINT32_MAX);
  while (!state.waiting.empty() && state.under_way.size() < most) {
    Operation& op = operations.at({client.name, state.waiting.begin()->second});
    state.waiting.erase(state.waiting.begin());
    plan(op, now);
    send(op);
  }
}

void Model::send(Operation& op) {
  op.sent_ns = now;
  route(op);
  if (clients[op.client->name].interactive) {
    clients[op.client->name].under_way.insert(op.number);
    queue.insert({op.deadline_ns(), Phase::answer, op.number, op.client->name, kTimeout});
  }
}

std::uint32_t Model::owner(std::uint32_t partition, const HashPoint& point) const {
  while (!partitions[partition].alive()) {
    const std::vector<std::uint32_t>& heirs = partitions[partition].heirs;
    const bool lower = partitions[heirs[0]].range.contains(point);
    partition = lower ? heirs.front() : heirs.back();
  }
  return partition;
}

/// A partition that no look has changed has the degree of those it came from.
std::int64_t Model::degree(const ClientState& state, std::uint32_t partition) const {
  if (state.degrees.contains(partition)) {
    return state.degrees.at(partition);
  }
  std::int64_t most = 1;
  for (const Partition& other : partitions) {
    if (std::count(other.heirs.begin(), other.heirs.end(), partition) > 0) {
      most = std::max(most, degree(state, other.id));
    }
  }
  return most;
}

void Model::send_bulk(const ClientSpec& client) {
  ClientState& state = clients[client.name];
  const auto& bulk = std::get<BulkLoad>(client.arrivals);
  std::map<std::uint32_t, std::int64_t> room;
  for (const Partition& partition : partitions) {
    room[partition.id] = degree(state, partition.id) * bulk.batch;
  }
  for (const Number number : state.under_way) {
    const Operation& op = operations.at({client.name, number});
    room[owner(op.home, op.point)] -= 1;
  }
  const auto waiting = state.waiting;
  for (const auto& [due, number] : waiting) {
    Operation& op = operations.at({client.name, number});
    const std::uint32_t home = owner(op.home, op.point);
    if (room[home] > 0) {
      room[home] -= 1;
      state.waiting.erase({due, number});
      send(op);
    }
  }
}

void Model::look(const ClientSpec& client) {
  ClientState& state = clients[client.name];
  const auto& bulk = std::get<BulkLoad>(client.arrivals);
  for (const auto& [id, seen] : state.seen) {
    const std::int64_t d = degree(state, id);
    if (!partitions[id].alive()) {
      continue;  // its children have answered nothing yet
    }
    if (seen.throttled) {
      state.degrees[id] = d - std::min<std::int64_t>(5, d / 2);
    } else if (seen.ended) {
      state.degrees[id] = std::min<std::int64_t>(d + 1, bulk.most_degrees);
    }
  }
  state.seen.clear();
  queue.insert({now, Phase::send, 0, client.name, 0});
  queue.insert({now + kSecond, Phase::look, 0, client.name, 0});
}

/// What a refusal costs in tokens, if the policy would try again; or what a success gives back.
bool Model::quota_allows(ClientState& state, const Operation& op, std::size_t r) const {
  const RetrySpec& retry = op.client->retry;
  const Request& request = op.requests[r];
  const std::int64_t cost = retry.quota_cost;
  if (retry.quota_tokens == 0) {
    return true;
  }
  if (request.outcome == AttemptOutcome::admitted) {
    const bool first = request.attempt == request.gone;
    state.tokens += first ? 1 : cost;
    state.tokens = std::min<std::int64_t>(state.tokens, retry.quota_tokens);
    return true;
  }
  if (!request.wait_ns || request.outcome == kGone) {
    return true;
  }
  const bool enough = state.tokens >= cost;
  state.tokens -= enough ? cost : 0;
  return enough;
}

/// The client knows the outcome of the latest attempt: sends again, or the request has ended.
void Model::answer(Operation& op, std::size_t r) {
  ClientState& state = clients[op.client->name];
  if (state.interactive && op.ended) {
    return;  // timed out: nobody listens
  }
  if (r == kTimeout) {
    return end_operation(op);
  }
  Request& request = op.requests[r];
  const bool allowed = quota_allows(state, op, r);
  if (request.outcome != AttemptOutcome::admitted && request.wait_ns && allowed) {
    queue.insert({request.next_ns, Phase::attempt, op.number, op.client->name, r});
  } else {
    request.end_ns = request.known_ns;
  }
  if (!allowed) {
    result.attempts[request.record].next_ns = request.next_ns = kNever;
  }
  request.attempt += 1;
  if (!state.interactive) {
    return;
  }
  const bool ended = std::all_of(op.requests.begin(), op.requests.end(),
                                 [](const Request& each) { return each.end_ns != kNever; });
  ClientState::Seen& seen = state.seen[owner(op.home, op.point)];
  seen.throttled = seen.throttled || request.outcome == AttemptOutcome::throttled ||
                   request.outcome == AttemptOutcome::queue_full;
  seen.ended = seen.ended || ended;
  if (ended) {
    end_operation(op);
  }
}

/// Makes room for others, and its user think.
void Model::end_operation(Operation& op) {
  op.ended = true;
  clients[op.client->name].under_way.erase(op.number);
  queue.insert({now, Phase::send, 0, op.client->name, 0});
  if (const auto* loop = std::get_if<ClosedLoop>(&op.client->arrivals)) {
    const bool fixed = loop->think == ClosedLoop::Think::fixed;
    const auto think = fixed ? loop->think_ns
                             : Nanoseconds(exponential(draw(op, "think")) * double(loop->think_ns));
    const Number next = op.number + loop->users;
    if (next < loop->total.value_or(UINT64_MAX)) {
      fall_due(*op.client, next, now + think);
    }
  }
}

}  // namespace partsim::naive
