#include "partsim/workload/client_source.hpp"

#include <algorithm>

#include "partsim/core/assert.hpp"

namespace partsim {

ArrivalTimes::ArrivalTimes(const ClientSpec& client, std::uint64_t seed)
    : client_(&client), gaps_(seed, client.name, "arrivals") {}

void ArrivalTimes::fill_poisson(const OpenLoop& loop) {
  const double mean_gap_ns =
      static_cast<double>(loop.rate.per_ns) * 1e6 / static_cast<double>(loop.rate.count_micro);
  // Two loops, because the first then runs in vector registers. Gaps are whole nanoseconds before
  // they are summed, so the blocking cannot show in the sums.
  std::array<double, kBlock> gap;  // NOLINT(cppcoreguidelines-pro-type-member-init): filled below
  for (std::size_t i = 0; i < kBlock; ++i) {
    // the cap keeps the conversion below defined for a client that is all but idle
    gap[i] = std::min(exponential(gaps_.draw(next_operation_ + i)) * mean_gap_ns, 4e18);
  }
  for (std::size_t i = 0; i < kBlock; ++i) {
    last_ns_ = std::min(last_ns_ + static_cast<Nanoseconds>(gap[i]), kNever);
    times_[i] = last_ns_;
  }
}

void ArrivalTimes::fill() {
  const auto* loop = std::get_if<OpenLoop>(&client_->arrivals);
  if (loop == nullptr) {
    const auto& once = std::get<AtOnce>(client_->arrivals);
    for (std::size_t i = 0; i < kBlock; ++i) {
      times_[i] = next_operation_ + i < once.count ? once.at_ns : kNever;
    }
  } else if (loop->rate.count_micro == 0) {
    times_.fill(kNever);
  } else if (loop->spacing == OpenLoop::Spacing::poisson) {
    fill_poisson(*loop);
  } else {
    __extension__ using Wide = __int128;
    for (std::size_t i = 0; i < kBlock; ++i) {
      const Wide time = static_cast<Wide>(next_operation_ + i) * loop->rate.per_ns * kMillion /
                        loop->rate.count_micro;
      times_[i] = static_cast<Nanoseconds>(std::min(time, static_cast<Wide>(kNever)));
    }
  }
  next_operation_ += kBlock;
  position_ = 0;
  filled_ = kBlock;
}

ClientSource::ClientSource(const Setup& setup)
    : setup_(setup),
      times_(*setup.client, setup.seed),
      mix_(setup.seed, setup.client->name, "operation"),
      key_streams_(setup.router->keys().streams_for(setup.seed, setup.client->name)) {
  std::uint32_t until = 0;
  for (const OperationSpec& operation : setup.client->operations) {
    until += static_cast<std::uint32_t>(operation.share_ppm);
    mix_until_ppm_.push_back(until);
  }
  choice_.index.resize(key_streams_.size());
}

std::uint32_t ClientSource::pick_operation(std::uint64_t operation) const noexcept {
  if (mix_until_ppm_.size() == 1) {
    return 0;
  }
  const std::uint64_t u = bounded(mix_.draw(operation), kMillion);
  std::uint32_t pick = 0;
  while (u >= mix_until_ppm_[pick]) {
    ++pick;
  }
  return pick;
}

void ClientSource::emit_before(Nanoseconds horizon, std::vector<Arrival>& out,
                               FanOutTable& fan_outs, std::vector<MilliRu>& demand_mru) {
  KeySpace& keys = setup_.router->keys();
  for (Nanoseconds time = times_.peek(); time < horizon; time = times_.peek()) {
    times_.pop();
    const std::uint64_t operation = next_operation_++;
    const std::uint32_t pick = pick_operation(operation);
    const OperationPlan& plan = setup_.plans[pick];
    if (time >= clock_until_ns_) {
      choice_.unix_second = keys.clock_second(time, &clock_until_ns_);
    }
    keys.choose(key_streams_, operation, choice_);

    const bool counted = time >= setup_.warm_up_ns;
    offered_ += counted ? 1 : 0;
    Arrival arrival{time, RequestId::make(operation, setup_.index),
                    0,    kNoJoin,
                    0,    static_cast<std::uint16_t>(setup_.first_plan + pick),
                    0};
    if (!plan.is_point()) {
      emit_fan_out(plan, arrival, out, fan_outs, demand_mru);
      continue;
    }
    const MilliRu charge = plan.point_charge();
    const MilliRu demand = counted ? charge : 0;
    arrival.charge_mru = static_cast<std::uint32_t>(charge);
    arrival.partition = setup_.router->owner(choice_, demand, arrival.id);
    demand_mru[arrival.partition] += demand;
    requests_ += counted ? 1 : 0;
    out.push_back(arrival);
  }
}

void ClientSource::emit_fan_out(const OperationPlan& plan, Arrival arrival,
                                std::vector<Arrival>& out, FanOutTable& fan_outs,
                                std::vector<MilliRu>& demand_mru) {
  const bool counted = arrival.time_ns >= setup_.warm_up_ns;
  const std::span<const Visit> visits = setup_.router->visits(plan.route(), choice_);
  PARTSIM_ASSERT(!visits.empty(), "every key has an owner");
  const std::uint32_t item_owner =
      plan.is_searching_read() ? setup_.router->owner(choice_, 0, arrival.id) : 0;
  std::uint64_t weight_total = 0;
  for (const Visit& visit : visits) {
    weight_total += visit.weight;
  }
  arrival.join =
      fan_outs.open(arrival.time_ns, setup_.index, static_cast<std::uint32_t>(visits.size()));
  std::uint64_t weight_before = 0;
  for (const Visit& visit : visits) {
    const MilliRu charge = plan.is_searching_read()
                               ? plan.search_charge(visit.partition == item_owner)
                               : plan.query_charge(weight_before, visit.weight, weight_total);
    weight_before += visit.weight;
    arrival.charge_mru = static_cast<std::uint32_t>(charge);
    arrival.partition = visit.partition;
    demand_mru[arrival.partition] += counted ? charge : 0;
    out.push_back(arrival);
    ++arrival.request;
  }
  requests_ += counted ? visits.size() : 0;
}

}  // namespace partsim
