#include "partsim/service/billing.hpp"

#include <algorithm>

#include "partsim/core/assert.hpp"

namespace partsim {
namespace {

__extension__ using Wide = __int128;

constexpr std::int64_t kPicoPerMicro = 1'000'000;
constexpr std::int64_t kPicoPerNano = 1'000;

/// To the nearest, halves up; nothing here is negative.
constexpr std::int64_t nearest(Wide dividend, Wide divisor) noexcept {
  return static_cast<std::int64_t>((dividend + divisor / 2) / divisor);
}

constexpr Wide rounded_up(Wide dividend, Wide divisor) noexcept {
  return (dividend + divisor - 1) / divisor;
}

Share highest_of(const Share& a, const Share& b) noexcept {
  return {std::max(a.total_mru_per_s, b.total_mru_per_s),
          std::max(a.write_mru_per_s, b.write_mru_per_s)};
}

}  // namespace

BillingRules billing_rules(const Scenario& scenario, const PoolSpec& pool) noexcept {
  const ProviderParameters& p = scenario.parameters;
  BillingRules rules;
  rules.mode = pool.throughput.mode;
  rules.units_apart = units_apart(p);
  rules.regions = static_cast<std::int64_t>(scenario.regions.size());
  rules.start_unix_s = scenario.start_unix_s;
  if (scenario.multi_region_writes) {  // one price, manual or autoscale
    rules.price_per_100ru_hour_micro = p.price_per_100ru_hour_multi_write_micro;
  } else {
    rules.price_per_100ru_hour_micro = p.price_per_100ru_hour_micro;
    if (rules.mode == CapacityMode::autoscale) {
      rules.price_multiplier_ppm = p.autoscale_price_multiplier_ppm;
    }
  }
  rules.autoscale_floor_ppm = p.autoscale_floor_ppm;
  rules.autoscale_dynamic = p.autoscale_dynamic;
  rules.price_read_unit_hour_nano = p.price_read_unit_hour_nano;
  rules.price_write_unit_hour_nano = p.price_write_unit_hour_nano;
  rules.price_million_read_micro = rules.units_apart ? p.price_million_read_units_micro
                                                     : p.price_serverless_per_million_ru_micro;
  rules.price_million_write_micro = p.price_million_write_units_micro;
  rules.price_storage_gb_month_micro = p.price_storage_gb_month_micro;
  rules.hours_per_month = p.hours_per_month;
  return rules;
}

MilliRu autoscale_mru_per_s(const BillingRules& rules, MilliRu maximum,
                            std::span<const LaneUse> lanes) noexcept {
  const auto floor_of = [&](MilliRu amount) {
    return rounded_up(static_cast<Wide>(amount) * rules.autoscale_floor_ppm, kMillion);
  };
  Wide busiest = floor_of(maximum);
  Wide sum = 0;
  for (const LaneUse& lane : lanes) {
    // bursts and overdrafts are served, but nothing scales beyond its share
    const Wide used = std::min(lane.highest_mru_per_s, lane.share_mru_per_s);
    sum += std::max(floor_of(lane.share_mru_per_s), used);
    if (lane.share_mru_per_s > 0) {
      busiest = std::max(busiest, rounded_up(used * maximum, lane.share_mru_per_s));
    }
  }
  if (!rules.autoscale_dynamic) {
    return static_cast<MilliRu>(busiest * rules.regions);
  }
  // an hour with a split knows the parent and its children: together they never exceed the maximum
  return static_cast<MilliRu>(std::clamp(sum, floor_of(maximum) * rules.regions,
                                         static_cast<Wide>(maximum) * rules.regions));
}

void DecisionWindows::add(std::int64_t unix_s, MilliRu consumed_mru) noexcept {
  const std::int64_t window = unix_s / window_s_;
  if (window != window_) {
    window_ = window;
    sum_mru_ = 0;
  }
  sum_mru_ += consumed_mru;
  highest_sum_mru_ = std::max(highest_sum_mru_, sum_mru_);
}

MilliRu DecisionWindows::take_highest() noexcept {
  const MilliRu mean = highest_sum_mru_ / window_s_;
  sum_mru_ = 0;
  highest_sum_mru_ = 0;
  return mean;
}

void Bill::add(const Bill& other) noexcept {
  bought_ += other.bought_;
  consumed_ += other.consumed_;
  storage_ += other.storage_;
  hours_ = std::max(hours_, other.hours_);
}

MicroUsd Bill::throughput_micro() const noexcept {
  return nearest(bought_ + consumed_, kPicoPerMicro);
}

MicroUsd Bill::storage_micro() const noexcept {
  return nearest(storage_, kPicoPerMicro);
}

MicroUsd Bill::total_micro() const noexcept {
  return nearest(bought_ + consumed_ + storage_, kPicoPerMicro);
}

MicroUsd Bill::per_hour_micro(Nanoseconds simulated_ns) const noexcept {
  return per_month_micro(simulated_ns, 1);
}

MicroUsd Bill::per_month_micro(Nanoseconds simulated_ns,
                               std::int64_t hours_per_month) const noexcept {
  if (hours_ == 0 || simulated_ns <= 0) {
    return 0;
  }
  const Pico by_the_hour = (bought_ + storage_) * hours_per_month / hours_;
  const Pico by_the_request = consumed_ * hours_per_month * kHour / simulated_ns;
  return nearest(by_the_hour + by_the_request, kPicoPerMicro);
}

HourlyBill::HourlyBill(const BillingRules& rules, const Share& bought) noexcept
    : rules_(rules),
      bought_(bought),
      highest_(bought),
      hour_end_(kHour - rules.start_unix_s % 3'600 * kSecond) {}

void HourlyBill::note(Nanoseconds t, const Share& bought) noexcept {
  PARTSIM_ASSERT(t < hour_end_, "an hour is closed before the next one is told of");
  bought_ = bought;
  highest_ = highest_of(highest_, bought);
}

Bill::Pico HourlyBill::bought_pico(const HourUse& use) const noexcept {
  if (rules_.mode == CapacityMode::serverless) {
    return 0;
  }
  if (rules_.units_apart) {
    const Wide reads = rounded_up(highest_.total_mru_per_s, kMilliPerRu);
    const Wide writes = rounded_up(highest_.write_mru_per_s, kMilliPerRu);
    return (reads * rules_.price_read_unit_hour_nano + writes * rules_.price_write_unit_hour_nano) *
           kPicoPerNano * rules_.regions;
  }
  const Wide units =
      rules_.mode == CapacityMode::autoscale
          ? billed_units(autoscale_mru_per_s(rules_, highest_.total_mru_per_s, use.lanes))
          : static_cast<Wide>(billed_units(highest_.total_mru_per_s)) * rules_.regions;
  return units * rules_.price_per_100ru_hour_micro * rules_.price_multiplier_ppm;
}

Bill::Pico HourlyBill::consumed_pico(const HourUse& use) const noexcept {
  if (rules_.mode != CapacityMode::serverless) {
    return 0;
  }
  // a milli-RU is a billionth of a million RU: micro-dollars times milli-RU are 10^-15 dollars
  const Wide reads = static_cast<Wide>(use.consumed_mru) * rules_.price_million_read_micro;
  const Wide writes = static_cast<Wide>(use.consumed_write_mru) * rules_.price_million_write_micro;
  return (reads + writes) / 1'000;
}

Bill::Pico HourlyBill::storage_pico(const HourUse& use) const noexcept {
  const Wide gb_month = static_cast<Wide>(rules_.price_storage_gb_month_micro) * kPicoPerMicro;
  return use.stored_bytes * gb_month / kGigabyte * rules_.regions / rules_.hours_per_month;
}

Bill HourlyBill::close_hour(const HourUse& use) {
  Bill hour;
  hour.bought_ = bought_pico(use);
  hour.consumed_ = consumed_pico(use);
  hour.storage_ = storage_pico(use);
  hour.hours_ = 1;
  hours_.push_back(hour);
  total_.add(hour);
  total_.hours_ = static_cast<std::int64_t>(hours_.size());
  highest_ = bought_;
  hour_end_ += kHour;
  return hour;
}

}  // namespace partsim
