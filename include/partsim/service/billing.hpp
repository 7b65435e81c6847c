/// What the service would bill: by the clock hour for what was bought, by the request where nothing
/// is bought ahead, and for storage. List prices of the parameters; no discounts, no free tier.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "partsim/core/time.hpp"
#include "partsim/scenario/pools.hpp"
#include "partsim/scenario/scenario.hpp"

namespace partsim {

/// Millionths of a US dollar.
using MicroUsd = std::int64_t;

/// How a pool is billed; resolved before the run.
struct BillingRules {
  CapacityMode mode = CapacityMode::manual;
  bool units_apart = false;
  std::int64_t regions = 1;
  std::int64_t start_unix_s = 0;  // hours are those of the clock, in UTC
  std::int64_t price_per_100ru_hour_micro = 0;
  std::int64_t price_multiplier_ppm = 1'000'000;
  std::int64_t autoscale_floor_ppm = 0;
  bool autoscale_dynamic = true;
  std::int64_t price_read_unit_hour_nano = 0;  // units_apart
  std::int64_t price_write_unit_hour_nano = 0;
  std::int64_t price_million_read_micro = 0;  // serverless, on demand: of reads, or of everything
  std::int64_t price_million_write_micro = 0;
  std::int64_t price_storage_gb_month_micro = 0;
  std::int64_t hours_per_month = 730;
};

[[nodiscard]] BillingRules billing_rules(const Scenario& scenario, const PoolSpec& pool) noexcept;

/// Throughput is sold in units of 100 RU/s; a unit that is begun counts.
[[nodiscard]] constexpr std::int64_t billed_units(MilliRu mru_per_s) noexcept {
  constexpr MilliRu kUnit = 100 * kMilliPerRu;
  return (mru_per_s + kUnit - 1) / kUnit;
}

/// Use of one partition in one region during an hour, for autoscale.
struct LaneUse {
  MilliRu highest_mru_per_s = 0;  // the highest mean of a decision window
  MilliRu share_mru_per_s = 0;    // the highest of the hour
};

/// What autoscale bills for an hour, in RU/s over all regions, when `maximum` was the highest
/// maximum. Static: in every region what the busiest lane needed. Dynamic: every partition and
/// region by itself. Never below the floor.
[[nodiscard]] MilliRu autoscale_mru_per_s(const BillingRules& rules, MilliRu maximum,
                                          std::span<const LaneUse> lanes) noexcept;

/// The highest mean of the decision windows of an hour. Windows stand side by side from 1970 on and
/// count for the hour in which they are told of.
class DecisionWindows {
 public:
  explicit DecisionWindows(std::int64_t window_s) noexcept : window_s_(window_s) {}

  /// Consumption of one second of the clock; seconds never go back, idle ones may be left out.
  void add(std::int64_t unix_s, MilliRu consumed_mru) noexcept;
  /// The highest mean since last asked, the window in progress included.
  [[nodiscard]] MilliRu take_highest() noexcept;

 private:
  std::int64_t window_s_;
  std::int64_t window_ = -1;
  MilliRu sum_mru_ = 0;
  MilliRu highest_sum_mru_ = 0;
};

/// What a pool did in an hour; only what its mode is billed for need be given.
struct HourUse {
  std::span<const LaneUse> lanes{};  // autoscale
  MilliRu consumed_mru = 0;          // serverless, on demand: in all regions; reads if apart
  MilliRu consumed_write_mru = 0;    // ... and writes
  Bytes stored_bytes = 0;            // in each region
};

/// Amounts, exact to 10^-12 dollars and rounded to the nearest millionth when asked for.
class Bill {
 public:
  void add(const Bill& other) noexcept;

  [[nodiscard]] MicroUsd throughput_micro() const noexcept;  // bought or consumed
  [[nodiscard]] MicroUsd storage_micro() const noexcept;
  [[nodiscard]] MicroUsd total_micro() const noexcept;
  [[nodiscard]] std::int64_t hours() const noexcept { return hours_; }

  /// The mean of an hour. What is bought by the hour counts by hours begun; what is billed by the
  /// request by the time in which it was consumed.
  [[nodiscard]] MicroUsd per_hour_micro(Nanoseconds simulated_ns) const noexcept;
  [[nodiscard]] MicroUsd per_month_micro(Nanoseconds simulated_ns,
                                         std::int64_t hours_per_month) const noexcept;

 private:
  friend class HourlyBill;
  __extension__ using Pico = __int128;

  Pico bought_ = 0;
  Pico consumed_ = 0;
  Pico storage_ = 0;
  std::int64_t hours_ = 0;
};

/// The hours of a pool, one after the other. A change at the instant at which an hour ends belongs
/// to the next one: close first.
class HourlyBill {
 public:
  HourlyBill(const BillingRules& rules, const Share& bought) noexcept;

  /// From t on so much is bought in each region; the maximum under autoscale.
  void note(Nanoseconds t, const Share& bought) noexcept;
  /// When the hour in progress must be closed, if the run does not end before.
  [[nodiscard]] Nanoseconds hour_end_ns() const noexcept { return hour_end_; }
  /// Bills the hour in progress, however short, and begins the next. Returns that hour.
  Bill close_hour(const HourUse& use);

  [[nodiscard]] const Bill& total() const noexcept { return total_; }
  [[nodiscard]] const std::vector<Bill>& hours() const noexcept { return hours_; }

 private:
  [[nodiscard]] Bill::Pico bought_pico(const HourUse& use) const noexcept;
  [[nodiscard]] Bill::Pico consumed_pico(const HourUse& use) const noexcept;
  [[nodiscard]] Bill::Pico storage_pico(const HourUse& use) const noexcept;

  BillingRules rules_;
  Share bought_;
  Share highest_;  // of the hour in progress
  Nanoseconds hour_end_;
  Bill total_;
  std::vector<Bill> hours_;
};

}  // namespace partsim
