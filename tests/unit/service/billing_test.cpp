// Bills against the vendors' published examples.
#include "partsim/service/billing.hpp"

#include <array>
#include <vector>

#include "support/catch.hpp"

using namespace partsim;

namespace {

constexpr MilliRu kRu = kMilliPerRu;
constexpr MicroUsd kUnit = 8'000;            // 100 RU/s for an hour
constexpr MicroUsd kAutoscaleUnit = 12'000;  // the same under autoscale

Scenario scenario_of(Provider provider = Provider::cosmos) {
  Scenario scenario;
  scenario.provider = provider;
  scenario.parameters = profile_parameters(provider);
  return scenario;
}

BillingRules rules_of(const Scenario& scenario, CapacityMode mode) {
  PoolSpec pool;
  pool.throughput.mode = mode;
  return billing_rules(scenario, pool);
}

/// One hour at so many RU/s.
MicroUsd hour_micro(const BillingRules& rules, MilliRu ru_per_s, const HourUse& use = {}) {
  HourlyBill bill(rules, {ru_per_s * kRu, 0});
  return bill.close_hour(use).throughput_micro();
}

/// The hours of a container of 30,000 RU/s under autoscale, by how much of it the busiest second
/// used.
std::vector<MicroUsd> autoscale_hours(const std::vector<std::int64_t>& percents) {
  HourlyBill bill(rules_of(scenario_of(), CapacityMode::autoscale), {30'000 * kRu, 0});
  std::vector<MicroUsd> hours;
  for (const std::int64_t percent : percents) {
    const std::array<LaneUse, 3> lanes{{{100 * percent * kRu, 10'000 * kRu},
                                        {100 * percent * kRu, 10'000 * kRu},
                                        {100 * percent * kRu, 10'000 * kRu}}};
    hours.push_back(bill.close_hour({.lanes = lanes}).throughput_micro());
  }
  return hours;
}

/// The vendor's page prints every hour in whole cents, rounded up, and adds those.
std::int64_t printed_cents(const std::vector<MicroUsd>& hours) {
  std::int64_t cents = 0;
  for (const MicroUsd micro : hours) {
    cents += (micro + 9'999) / 10'000;
  }
  return cents;
}

}  // namespace

TEST_CASE("Manual throughput costs $0.008 for each 100 RU/s and hour", "[service]") {
  const BillingRules rules = rules_of(scenario_of(), CapacityMode::manual);
  CHECK(hour_micro(rules, 100) == 8'000);
  CHECK(hour_micro(rules, 101) == 16'000);  // a unit that is begun counts
  CHECK(hour_micro(rules, 30'000) * 3 == 7'200'000);
}

TEST_CASE("A unit of 730 hours costs $5.84 a month", "[service]") {
  HourlyBill bill(rules_of(scenario_of(), CapacityMode::manual), {100 * kRu, 0});
  bill.close_hour({});
  CHECK(bill.total().per_month_micro(kMinute, 730) == 5'840'000);
}

TEST_CASE("V14, G15: Three hours at 6, 100 and 11 % cost $4.36 under autoscale and $7.20 without",
          "[service]") {
  const std::vector<MicroUsd> hours = autoscale_hours({6, 100, 11});
  // the first at the floor of 10 %, the last prints as 40 cents
  CHECK(hours == std::vector<MicroUsd>{360'000, 3'600'000, 396'000});
  CHECK(printed_cents(hours) == 436);
}

TEST_CASE("V14: Three hours at 72, 93 and 100 % cost $9.55 under autoscale", "[service]") {
  const std::vector<MicroUsd> hours = autoscale_hours({72, 93, 100});
  CHECK(hours == std::vector<MicroUsd>{2'592'000, 3'348'000, 3'600'000});
  CHECK(printed_cents(hours) == 955);
}

TEST_CASE("V14: An autoscale hour at 6,000 RU/s counts as 90 manual units", "[service]") {
  const std::array<LaneUse, 1> lanes{{{6'000 * kRu, 6'000 * kRu}}};
  const BillingRules rules = rules_of(scenario_of(), CapacityMode::autoscale);
  CHECK(hour_micro(rules, 6'000, {.lanes = lanes}) == 90 * kUnit);
}

TEST_CASE("V14, G14: Dynamic autoscale bills 900 RU/s where static autoscale bills 2,000",
          "[service]") {
  Scenario scenario = scenario_of();
  scenario.regions = {"a", "b"};
  const std::array<LaneUse, 4> lanes{{{500 * kRu, 500 * kRu},
                                      {200 * kRu, 500 * kRu},
                                      {150 * kRu, 500 * kRu},
                                      {50 * kRu, 500 * kRu}}};
  BillingRules rules = rules_of(scenario, CapacityMode::autoscale);
  CHECK(autoscale_mru_per_s(rules, 1'000 * kRu, lanes) == 900 * kRu);
  CHECK(hour_micro(rules, 1'000, {.lanes = lanes}) == 9 * kAutoscaleUnit);
  rules.autoscale_dynamic = false;
  CHECK(autoscale_mru_per_s(rules, 1'000 * kRu, lanes) == 2'000 * kRu);
  CHECK(hour_micro(rules, 1'000, {.lanes = lanes}) == 20 * kAutoscaleUnit);
}

TEST_CASE(
    "V14, G10: Static autoscale follows the busiest partition: 6,000 and 8,000 of 10,000 are 80 %",
    "[service]") {
  const std::array<LaneUse, 2> lanes{{{6'000 * kRu, 10'000 * kRu}, {8'000 * kRu, 10'000 * kRu}}};
  BillingRules rules = rules_of(scenario_of(), CapacityMode::autoscale);
  CHECK(autoscale_mru_per_s(rules, 20'000 * kRu, lanes) == 14'000 * kRu);
  rules.autoscale_dynamic = false;
  CHECK(autoscale_mru_per_s(rules, 20'000 * kRu, lanes) == 16'000 * kRu);
}

TEST_CASE("Autoscale never bills less than a tenth nor more than its maximum", "[service]") {
  for (const bool dynamic : {false, true}) {
    BillingRules rules = rules_of(scenario_of(), CapacityMode::autoscale);
    rules.autoscale_dynamic = dynamic;
    CHECK(autoscale_mru_per_s(rules, 4'000 * kRu, {}) == 400 * kRu);
    const std::array<LaneUse, 2> idle{{{0, 2'000 * kRu}, {0, 2'000 * kRu}}};
    CHECK(autoscale_mru_per_s(rules, 4'000 * kRu, idle) == 400 * kRu);
    // bursts, and a parent that was split within the hour beside its children
    const std::array<LaneUse, 3> busy{
        {{9'000 * kRu, 4'000 * kRu}, {2'500 * kRu, 2'000 * kRu}, {2'000 * kRu, 2'000 * kRu}}};
    CHECK(autoscale_mru_per_s(rules, 4'000 * kRu, busy) == 4'000 * kRu);
  }
}

TEST_CASE("A raise at 9:30 that is taken back at 10:45 costs two full hours", "[service]") {
  BillingRules rules = rules_of(scenario_of(), CapacityMode::manual);
  rules.start_unix_s = 1'704'067'200 + 9 * 3'600;  // 9:00
  HourlyBill bill(rules, {400 * kRu, 0});
  bill.note(30 * kMinute, {1'000 * kRu, 0});
  CHECK(bill.close_hour({}).throughput_micro() == 80'000);
  bill.note(105 * kMinute, {400 * kRu, 0});
  CHECK(bill.close_hour({}).throughput_micro() == 80'000);
  CHECK(bill.close_hour({}).throughput_micro() == 32'000);
  CHECK(bill.total().throughput_micro() == 192'000);
  CHECK(bill.total().hours() == 3);
  CHECK(bill.hours().size() == 3);
}

TEST_CASE("Hours are those of the clock, not of the run", "[service]") {
  BillingRules rules = rules_of(scenario_of(), CapacityMode::manual);
  rules.start_unix_s = 1'704'067'200 + 59 * 60;  // a minute before one o'clock
  HourlyBill bill(rules, {400 * kRu, 0});
  CHECK(bill.hour_end_ns() == kMinute);
  bill.close_hour({});
  CHECK(bill.hour_end_ns() == kMinute + kHour);
}

TEST_CASE("Each region costs the same again", "[service]") {
  Scenario scenario = scenario_of();
  scenario.regions = {"a", "b", "c"};
  CHECK(hour_micro(rules_of(scenario, CapacityMode::manual), 1'000) == 30 * kUnit);
}

TEST_CASE("With writes in several regions a unit costs $0.016, manual or autoscale", "[service]") {
  Scenario scenario = scenario_of();
  scenario.regions = {"a", "b"};
  scenario.multi_region_writes = true;
  CHECK(hour_micro(rules_of(scenario, CapacityMode::manual), 1'000) == 40 * kUnit);
  const std::array<LaneUse, 2> lanes{{{1'000 * kRu, 1'000 * kRu}, {1'000 * kRu, 1'000 * kRu}}};
  CHECK(hour_micro(rules_of(scenario, CapacityMode::autoscale), 1'000, {.lanes = lanes}) ==
        40 * kUnit);
}

TEST_CASE("Storage costs $0.25 for each GB, month and region", "[service]") {
  Scenario scenario = scenario_of();
  scenario.regions = {"a", "b"};
  HourlyBill bill(rules_of(scenario, CapacityMode::serverless), {});
  const Bill hour = bill.close_hour({.stored_bytes = 730 * kGigabyte});
  CHECK(hour.storage_micro() == 500'000);  // 730 GB for a 730th of a month, twice
  CHECK(bill.total().per_month_micro(kHour, 730) == 365'000'000);
  CHECK(hour.total_micro() == 500'000);
}

TEST_CASE("Serverless costs $0.25 for a million RU, and nothing when idle", "[service]") {
  HourlyBill bill(rules_of(scenario_of(), CapacityMode::serverless), {});
  CHECK(bill.close_hour({}).throughput_micro() == 0);
  CHECK(bill.close_hour({.consumed_mru = 4'000'000 * kRu}).throughput_micro() == 1'000'000);
  CHECK(bill.total().throughput_micro() == 1'000'000);
}

TEST_CASE("Requests of a minute stand for sixty times as many in an hour", "[service]") {
  HourlyBill bill(rules_of(scenario_of(), CapacityMode::serverless), {});
  bill.close_hour({.consumed_mru = 1'000'000 * kRu});
  CHECK(bill.total().per_hour_micro(kMinute) == 15'000'000);
  CHECK(bill.total().per_month_micro(kMinute, 730) == 10'950'000'000);
}

TEST_CASE("What is bought by the hour is billed in full however short the run", "[service]") {
  HourlyBill bill(rules_of(scenario_of(), CapacityMode::manual), {400 * kRu, 0});
  bill.close_hour({});
  CHECK(bill.total().per_hour_micro(kMinute) == 32'000);
}

TEST_CASE("DynamoDB sells read and write units by the hour", "[service]") {
  HourlyBill bill(rules_of(scenario_of(Provider::dynamodb), CapacityMode::manual),
                  {1'000 * kRu, 100 * kRu});
  // 1,000 * $0.00013 + 100 * $0.00065
  CHECK(bill.close_hour({}).throughput_micro() == 195'000);
}

TEST_CASE("DynamoDB on demand sells requests by the million", "[service]") {
  HourlyBill bill(rules_of(scenario_of(Provider::dynamodb), CapacityMode::serverless), {});
  const Bill hour =
      bill.close_hour({.consumed_mru = 1'000'000 * kRu, .consumed_write_mru = 2'000'000 * kRu});
  CHECK(hour.throughput_micro() == 1'375'000);
}

TEST_CASE("A million operations at full use cost $0.022 as reads and $0.111 as writes",
          "[service]") {
  // 1 RU and 5 RU each, against 3,600 s of a unit that is bought: in tenths of a cent
  HourlyBill bill(rules_of(scenario_of(), CapacityMode::manual), {100 * kRu, 0});
  const MicroUsd unit = bill.close_hour({}).throughput_micro();
  const std::int64_t ru_per_unit = 360'000;
  CHECK((unit * 1'000'000 / ru_per_unit + 500) / 1'000 == 22);
  CHECK((unit * 5'000'000 / ru_per_unit + 500) / 1'000 == 111);
}

TEST_CASE("Pools are billed together without adding up their hours", "[service]") {
  HourlyBill first(rules_of(scenario_of(), CapacityMode::manual), {400 * kRu, 0});
  HourlyBill second(rules_of(scenario_of(), CapacityMode::serverless), {});
  first.close_hour({});
  second.close_hour({.consumed_mru = 1'000'000 * kRu, .stored_bytes = 73 * kGigabyte});
  Bill together = first.total();
  together.add(second.total());
  CHECK(together.total_micro() == 32'000 + 250'000 + 25'000);
  CHECK(together.hours() == 1);
}

TEST_CASE("A decision window lifts autoscale by its mean, not by its highest second", "[service]") {
  DecisionWindows windows(5);
  windows.add(100, 10'000 * kRu);  // one second of five
  windows.add(107, 3'000 * kRu);
  windows.add(108, 3'000 * kRu);
  CHECK(windows.take_highest() == 2'000 * kRu);
  for (std::int64_t second = 200; second < 205; ++second) {
    windows.add(second, 4'000 * kRu);
  }
  CHECK(windows.take_highest() == 4'000 * kRu);
  CHECK(windows.take_highest() == 0);
}

TEST_CASE("Decision windows stand side by side", "[service]") {
  DecisionWindows windows(5);
  windows.add(104, 5'000 * kRu);  // the last second of a window ...
  windows.add(105, 5'000 * kRu);  // ... and the first of the next
  CHECK(windows.take_highest() == 1'000 * kRu);
}
