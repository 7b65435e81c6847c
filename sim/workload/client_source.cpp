#include "partsim/workload/client_source.hpp"

#include <algorithm>

#include "partsim/core/assert.hpp"

namespace partsim {

namespace {

/// What a request of a recorded operation costs that now visits several partitions: to search costs
/// the recorded charge where the item is and `looked_up` elsewhere; a query's charge is spread like
/// what it looks at, but no request is cheaper than finding nothing.
MilliRu recorded_charge(const OperationPlan& plan, const OperationPlan::Part& part, bool owns_item,
                        MilliRu recorded, MilliRu looked_up) {
  if (plan.is_searching()) {
    return owns_item ? recorded : looked_up;
  }
  const auto spread =
      static_cast<MilliRu>(static_cast<std::uint64_t>(recorded) * part.weight / part.weight_total);
  return std::max(spread, plan.search_charge(false, 1));
}

}  // namespace

ClientSource::ClientSource(const Setup& setup)
    : setup_(setup),
      times_(*setup.client, setup.seed, setup.router->keys().start_unix_s(), setup.feed),
      mix_(*setup.client, setup.seed),
      sizes_(setup.seed, setup.client->name, "size"),
      existing_(setup.seed, setup.client->name, "existing"),
      key_streams_(setup.router->keys().streams_for(setup.seed, *setup.client)) {
  choice_.index.resize(key_streams_.size());
}

// A function of its own would cost the loop below a tenth of its speed.
[[gnu::always_inline]] inline void ClientSource::send_point(MilliRu charge, Arrival arrival,
                                                            Sink& sink) {
  const bool counted = arrival.time_ns >= setup_.warm_up_ns;
  const MilliRu demand = counted ? charge : 0;
  arrival.charge_mru = static_cast<std::uint32_t>(charge);
  arrival.partition = setup_.router->owner(choice_, demand, arrival.id);
  sink.demand_mru[arrival.partition] += demand;
  requests_ += counted ? 1 : 0;
  sink.out.push_back(arrival);
}

[[gnu::always_inline]] inline void ClientSource::send(std::uint64_t operation, Nanoseconds time,
                                                      Sink& sink) {
  if (setup_.feed != nullptr) [[unlikely]] {
    send_row(operation, time, sink);
    return;
  }
  KeySpace& keys = setup_.router->keys();
  const std::uint32_t pick = mix_.pick(operation);
  const OperationPlan& plan = setup_.plans[pick];
  if (time >= clock_until_ns_) {
    choice_.unix_second = keys.clock_second(time, &clock_until_ns_);
  }
  keys.choose(key_streams_, operation, choice_);
  offered_ += time >= setup_.warm_up_ns ? 1 : 0;
  const Arrival arrival{time, RequestId::make(operation, setup_.index),
                        0,    kNoJoin,
                        0,    static_cast<std::uint16_t>(setup_.first_plan + pick),
                        0};
  if (plan.is_plain()) {
    send_point(plan.point_charge(), arrival, sink);
  } else {
    send_varying(plan, arrival, sink);
  }
}

void ClientSource::emit_before(Nanoseconds horizon, std::vector<Arrival>& out,
                               FanOutTable& fan_outs, std::vector<MilliRu>& demand_mru) {
  Sink sink{out, fan_outs, demand_mru};
  for (Nanoseconds time = times_.peek(horizon); time < horizon; time = times_.peek(horizon)) {
    times_.pop();
    send(next_operation_++, time, sink);
  }
}

void ClientSource::emit(std::uint64_t operation, Nanoseconds time, std::vector<Arrival>& out,
                        FanOutTable& fan_outs, std::vector<MilliRu>& demand_mru) {
  Sink sink{out, fan_outs, demand_mru};
  clock_until_ns_ = 0;  // the time before may have been a later one
  send(operation, time, sink);
}

/// An operation of a trace: its kind, charge and size are the row's where it has them.
void ClientSource::send_row(std::uint64_t operation, Nanoseconds time, Sink& sink) {
  const TraceFeed::Record row = setup_.feed->record(operation);
  const OperationPlan& plan = setup_.plans[row.operation];
  setup_.router->keys().choose_at(key_streams_, operation, time, choice_);
  offered_ += time >= setup_.warm_up_ns ? 1 : 0;
  const Arrival arrival{time, RequestId::make(operation, setup_.index),
                        0,    kNoJoin,
                        0,    static_cast<std::uint16_t>(setup_.first_plan + row.operation),
                        0};
  const OperationPlan::Draws draws{sizes_.draw(operation), existing_.draw(operation)};
  const bool has_size = row.size_bytes != TraceFeed::kNotStated;
  const bool has_charge = row.charge_mru != TraceFeed::kNotStated;
  const Bytes size = has_size ? row.size_bytes : plan.size(draws);
  if (plan.is_point()) {
    send_point(has_charge ? row.charge_mru : plan.point_charge(draws, size), arrival, sink);
  } else if (plan.route().kind == Route::Kind::one_key) {
    send_point(has_charge ? row.charge_mru : plan.query_charge({0, 1, 1}, size), arrival, sink);
  } else {
    send_fan_out(plan, arrival, {size, row.charge_mru}, sink);
  }
}

/// An operation whose charge, age or partitions are its own.
void ClientSource::send_varying(const OperationPlan& plan, Arrival arrival, Sink& sink) {
  const std::uint64_t operation = RequestId::operation(arrival.id);
  KeySpace& keys = setup_.router->keys();
  if (plan.within_ns() > 0 && keys.reads_clock()) {
    choice_.unix_second = keys.clock_second(
        key_streams_.made_ns(operation, arrival.time_ns, plan.within_ns()), &clock_until_ns_);
    clock_until_ns_ = 0;  // the next operation looks at its own time
  }
  const OperationPlan::Draws draws{sizes_.draw(operation), existing_.draw(operation)};
  if (plan.is_point()) {
    send_point(plan.point_charge(draws), arrival, sink);
  } else {
    send_fan_out(plan, arrival, {plan.size(draws)}, sink);
  }
}

void ClientSource::send_fan_out(const OperationPlan& plan, Arrival arrival, const Item& item,
                                Sink& sink) {
  Router& router = *setup_.router;
  const bool counted = arrival.time_ns >= setup_.warm_up_ns;
  const std::span<const Visit> visits =
      plan.route().kind == Route::Kind::key_set
          ? router.key_set_visits(plan.route(), key_streams_, RequestId::operation(arrival.id),
                                  arrival.time_ns)
          : router.visits(plan.route(), choice_);
  PARTSIM_ASSERT(!visits.empty(), "every key has an owner");
  const std::uint32_t item_owner = plan.is_searching() ? router.owner(choice_, 0, arrival.id) : 0;
  OperationPlan::Part part{0, 0, 0};
  for (const Visit& visit : visits) {
    part.weight_total += visit.weight;
  }
  arrival.join =
      sink.fan_outs.open(arrival.time_ns, arrival.id, static_cast<std::uint32_t>(visits.size()));
  for (const Visit& visit : visits) {
    part.weight = visit.weight;
    const bool owns_item = visit.partition == item_owner;
    MilliRu charge = plan.is_searching() ? plan.search_charge(owns_item, item.size)
                                         : plan.query_charge(part, item.size);
    if (item.recorded_mru != TraceFeed::kNotStated) [[unlikely]] {
      charge = recorded_charge(plan, part, owns_item, item.recorded_mru, charge);
    }
    part.weight_before += visit.weight;
    arrival.charge_mru = static_cast<std::uint32_t>(charge);
    arrival.partition = visit.partition;
    sink.demand_mru[arrival.partition] += counted ? charge : 0;
    sink.out.push_back(arrival);
    ++arrival.request;
  }
  requests_ += counted ? visits.size() : 0;
}

}  // namespace partsim
