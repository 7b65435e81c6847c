// Priorities, throughput buckets, regions, units apart, shares that change, and what is left over.
#include <vector>

#include "partsim/service/capacity_budget.hpp"

#include "support/catch.hpp"

using namespace partsim;

namespace {

constexpr MilliRu kRu = kMilliPerRu;
constexpr AttemptClass kHigh{};
constexpr AttemptClass kLow{.is_low_priority = true};
constexpr AttemptClass kWrite{.is_write = true};

CapacityBudget budget_of(const CapacityRules& rules, const Share& share) {
  return {rules, share, share, 0};
}

CapacityRules bursting() {
  CapacityRules rules;
  rules.burst = true;
  rules.burst_max_mru_per_s = 3'000 * kRu;
  rules.burst_max_write_mru_per_s = 1'000 * kRu;
  rules.burst_eligible_below_mru_per_s = 3'000 * kRu;
  return rules;
}

MilliRu drain(CapacityBudget& budget, Nanoseconds t, const AttemptClass& attempt) {
  budget.advance(t);
  MilliRu drained = 0;
  for (; budget.admits(kRu, attempt); drained += kRu) {
    budget.take(kRu, attempt);
  }
  return drained;
}

}  // namespace

// ---- priority -----------------------------------------------------------------------------------

TEST_CASE("Low priority leaves what the rest of the window needs at full rate", "[service]") {
  CapacityBudget budget = budget_of({}, {100 * kRu, 0});
  CHECK(drain(budget, 0, kLow) == 1 * kRu);  // the balance was full; one RU less covers 990 ms
  CHECK(budget.ready_ns(0, kRu, kLow) == 10 * kMillisecond);
  budget.advance(10 * kMillisecond - 1);
  CHECK_FALSE(budget.admits(kRu, kLow));
  budget.advance(10 * kMillisecond);
  CHECK(budget.admits(kRu, kLow));
}

TEST_CASE("A flood of low priority takes nothing from high priority at its share's rate",
          "[service]") {
  CapacityBudget budget = budget_of({}, {100 * kRu, 0});
  int refused_high = 0;
  MilliRu low = 0;
  for (Nanoseconds t = 0; t < 10 * kSecond; t += kMillisecond) {
    budget.advance(t);
    if (t % (10 * kMillisecond) == 0) {  // exactly 100 RU/s of high priority
      refused_high += budget.admits(kRu, kHigh) ? 0 : 1;
      budget.take(kRu, kHigh);
    }
    while (budget.admits(kRu, kLow)) {
      budget.take(kRu, kLow);
      low += kRu;
    }
  }
  CHECK(refused_high == 0);
  CHECK(low == 0);
}

TEST_CASE("Without high priority, low priority gets the whole share", "[service]") {
  CapacityBudget budget = budget_of({}, {100 * kRu, 0});
  MilliRu low = 0;
  for (Nanoseconds t = 0; t < 10 * kSecond; t += kMillisecond) {
    low += drain(budget, t, kLow);
  }
  CHECK(low == 1'000 * kRu);
}

TEST_CASE("Low priority that meets an empty budget waits like all others", "[service]") {
  CapacityBudget budget = budget_of({}, {100 * kRu, 0});
  budget.take(250 * kRu, kHigh);
  CHECK(budget.ready_ns(0, kRu, kLow) == 2 * kSecond);
}

// ---- throughput buckets -------------------------------------------------------------------------

TEST_CASE("A throughput bucket caps its clients and nobody else", "[service]") {
  CapacityRules rules;
  rules.bucket_ppm = {200'000, 500'000, 0, 0, 0};
  CapacityBudget budget = budget_of(rules, {100 * kRu, 0});
  CHECK(drain(budget, 0, {.bucket = 1}) == 20 * kRu);
  CHECK(budget.ready_ns(0, kRu, {.bucket = 1}) == kSecond);
  CHECK(drain(budget, 0, {.bucket = 2}) == 50 * kRu);
  CHECK(drain(budget, 0, kHigh) == 30 * kRu);
  CHECK(drain(budget, kSecond, {.bucket = 1}) == 20 * kRu);
}

TEST_CASE("A bucket works its own overdraft off", "[service]") {
  CapacityRules rules;
  rules.bucket_ppm = {200'000, 0, 0, 0, 0};
  CapacityBudget budget = budget_of(rules, {100 * kRu, 0});
  budget.take(70 * kRu, {.bucket = 1});  // 3.5 caps
  CHECK(budget.admits(kRu, kHigh));
  CHECK(budget.ready_ns(0, kRu, {.bucket = 1}) == 3 * kSecond);
  budget.advance(3 * kSecond - 1);
  CHECK_FALSE(budget.admits(kRu, {.bucket = 1}));
  CHECK(drain(budget, 3 * kSecond, {.bucket = 1}) == 10 * kRu);
}

TEST_CASE("Bucketed requests do not burst", "[service]") {
  CapacityRules rules = bursting();
  rules.bucket_ppm = {1'000'000, 0, 0, 0, 0};
  CapacityBudget budget = budget_of(rules, {100 * kRu, 0});
  budget.advance(300 * kSecond);
  budget.take(40 * kRu, kHigh);
  CHECK(drain(budget, 300 * kSecond, {.bucket = 1}) == 60 * kRu);
  CHECK(budget.ready_ns(300 * kSecond, kRu, {.bucket = 1}) == 301 * kSecond);
  CHECK(drain(budget, 300 * kSecond, kHigh) == 2'900 * kRu);
}

// ---- regions and units apart --------------------------------------------------------------------

TEST_CASE("Reads are paid where they are read, writes in every region", "[service]") {
  for (const ThrottleModel model :
       {ThrottleModel::window_debt, ThrottleModel::window_strict, ThrottleModel::token_bucket}) {
    CAPTURE(static_cast<int>(model));
    CapacityRules rules;
    rules.model = model;
    rules.regions = 3;
    CapacityBudget budget = budget_of(rules, {100 * kRu, 0});
    CHECK(drain(budget, 0, {.region = 2}) == 100 * kRu);
    CHECK(budget.admits(kRu, {.region = 1}));
    for (int i = 0; i < 60; ++i) {
      REQUIRE(budget.admits(kRu, {.region = 1, .is_write = true}));
      budget.take(kRu, {.region = 1, .is_write = true});
    }
    CHECK(drain(budget, 0, {.region = 0}) == 40 * kRu);
    CHECK(drain(budget, 0, {.region = 1}) == 40 * kRu);
  }
}

TEST_CASE("Writes of other regions sink a balance below zero", "[service]") {
  CapacityRules rules;
  rules.regions = 2;
  CapacityBudget debt = budget_of(rules, {100 * kRu, 0});
  CHECK(drain(debt, 0, {.region = 0}) == 100 * kRu);
  debt.take(50 * kRu, {.region = 1, .is_write = true});
  CHECK(debt.balance_mru({.region = 0}) == -50 * kRu);
  CHECK(drain(debt, kSecond, {.region = 0}) == 50 * kRu);
  // the strict model carries nothing over, not even that
  rules.model = ThrottleModel::window_strict;
  CapacityBudget strict = budget_of(rules, {100 * kRu, 0});
  CHECK(drain(strict, 0, {.region = 0}) == 100 * kRu);
  strict.take(50 * kRu, {.region = 1, .is_write = true});
  CHECK(drain(strict, kSecond, {.region = 0}) == 100 * kRu);
}

TEST_CASE("Reads and writes that are bought apart throttle apart", "[service]") {
  for (const ThrottleModel model : {ThrottleModel::window_debt, ThrottleModel::token_bucket}) {
    CAPTURE(static_cast<int>(model));
    CapacityRules rules;
    rules.model = model;
    rules.units_apart = true;
    CapacityBudget budget = budget_of(rules, {50 * kRu, 20 * kRu});
    CHECK(drain(budget, 0, kWrite) == 20 * kRu);
    CHECK(drain(budget, 0, kHigh) == 50 * kRu);
    CHECK_FALSE(budget.admits(kRu, kWrite));
  }
}

TEST_CASE("A token bucket of one kind refills at its own rate", "[service]") {
  CapacityRules rules;
  rules.model = ThrottleModel::token_bucket;
  rules.units_apart = true;
  CapacityBudget budget = budget_of(rules, {50 * kRu, 20 * kRu});
  drain(budget, 0, kWrite);
  drain(budget, 0, kHigh);
  CHECK(budget.ready_ns(0, kRu, kWrite) == kSecond / 20);
  CHECK(budget.ready_ns(0, kRu, kHigh) == kSecond / 50);
  CHECK(budget.window_end_ns() == kNever);
}

TEST_CASE("A burst stays below the partition's limits for reads and for writes", "[service]") {
  CapacityRules rules = bursting();
  rules.units_apart = true;
  rules.burst_eligible_below_mru_per_s = kNever / kMillion;
  CapacityBudget budget = budget_of(rules, {100 * kRu, 100 * kRu});
  CHECK(drain(budget, 300 * kSecond, kHigh) == 3'000 * kRu);
  CHECK(drain(budget, 300 * kSecond, kWrite) == 1'000 * kRu);
}

// ---- shares that change -------------------------------------------------------------------------

TEST_CASE("The window that begins with a new share already has it", "[service]") {
  for (const ThrottleModel model : {ThrottleModel::window_debt, ThrottleModel::window_strict}) {
    CapacityRules rules;
    rules.model = model;
    CapacityBudget budget = budget_of(rules, {100 * kRu, 0});
    CHECK(drain(budget, 0, kHigh) == 100 * kRu);
    budget.set_share(5 * kSecond, {40 * kRu, 0}, {40 * kRu, 0});
    CHECK(drain(budget, 5 * kSecond, kHigh) == 40 * kRu);
    budget.set_share(6 * kSecond, {300 * kRu, 0}, {300 * kRu, 0});
    CHECK(drain(budget, 6 * kSecond, kHigh) == 300 * kRu);
  }
}

TEST_CASE("A debt outlives a change of the share", "[service]") {
  CapacityBudget budget = budget_of({}, {100 * kRu, 0});
  budget.take(450 * kRu, kHigh);  // -350, and -250 after the boundary at 1 s
  budget.set_share(2 * kSecond, {200 * kRu, 0}, {200 * kRu, 0});
  budget.advance(2 * kSecond);
  CHECK(budget.balance_mru(kHigh) == -50 * kRu);
  CHECK(budget.ready_ns(2 * kSecond, 1, kHigh) == 3 * kSecond);
}

TEST_CASE("A token bucket fills at the old rate until its share changes", "[service]") {
  CapacityRules rules;
  rules.model = ThrottleModel::token_bucket;
  CapacityBudget budget = budget_of(rules, {100 * kRu, 0});
  budget.take(250 * kRu, kHigh);  // -150, -50 after one second
  budget.set_share(kSecond, {10 * kRu, 0}, {10 * kRu, 0});
  budget.advance(kSecond);
  CHECK(budget.ready_ns(kSecond, kRu, kHigh) == kSecond + 5'100 * kMillisecond);
  CapacityBudget full = budget_of(rules, {100 * kRu, 0});
  full.set_share(kSecond, {10 * kRu, 0}, {10 * kRu, 0});
  CHECK(drain(full, kSecond, kHigh) == 10 * kRu);
}

TEST_CASE("A partition whose share is set as it is born starts full of it", "[service]") {
  CapacityRules rules = bursting();
  CapacityBudget budget(rules, {100 * kRu, 0}, {100 * kRu, 0}, 4 * kSecond);
  budget.set_share(4 * kSecond, {150 * kRu, 0}, {150 * kRu, 0});
  CHECK(drain(budget, 4 * kSecond, kHigh) == 150 * kRu);
}

TEST_CASE("The burst store keeps the size of the even share", "[service]") {
  CapacityRules rules = bursting();
  CapacityBudget budget(rules, {100 * kRu, 0}, {100 * kRu, 0}, 0);
  budget.set_share(kSecond, {400 * kRu, 0}, {100 * kRu, 0});
  budget.advance(1'000 * kSecond);
  CHECK(budget.balance_mru(kHigh) == 30'000 * kRu + 400 * kRu);  // and the window's own share
}

TEST_CASE("A window has its share even where the burst store is smaller", "[service]") {
  CapacityRules rules = bursting();
  rules.burst_net_of_share = false;
  rules.burst_window_s = 1;
  CapacityBudget budget(rules, {400 * kRu, 0}, {100 * kRu, 0}, 0);
  CHECK(drain(budget, kSecond, kHigh) == 400 * kRu);
}

// ---- left-overs ---------------------------------------------------------------------------------

TEST_CASE("Background work runs on what each window has left", "[service]") {
  CapacityBudget budget = budget_of({}, {100 * kRu, 0});
  std::vector<std::pair<Nanoseconds, MilliRu>> seen;
  const auto delete_expired = [&](Nanoseconds boundary) {
    seen.emplace_back(boundary, budget.left_over());
    budget.take_left_over(budget.left_over());
    return seen.size() < 3 ? boundary : kNever;
  };
  budget.take(30 * kRu, kHigh);
  const Nanoseconds wanted = budget.advance(10 * kSecond, 0, delete_expired);
  CHECK(wanted == kNever);
  CHECK(seen == std::vector<std::pair<Nanoseconds, MilliRu>>{
                    {kSecond, 70 * kRu}, {2 * kSecond, 100 * kRu}, {3 * kSecond, 100 * kRu}});
  CHECK(drain(budget, 10 * kSecond, kHigh) == 100 * kRu);  // nobody was hurt
}

TEST_CASE("Background work sleeps until it is due", "[service]") {
  CapacityBudget budget = budget_of({}, {100 * kRu, 0});
  std::vector<Nanoseconds> seen;
  const auto note = [&](Nanoseconds boundary) {
    seen.push_back(boundary);
    return boundary + 2'500 * kMillisecond;
  };
  CHECK(budget.advance(4 * kSecond - 1, 3'001 * kMillisecond, note) == 3'001 * kMillisecond);
  CHECK(seen.empty());
  CHECK(budget.advance(10 * kSecond, 3'001 * kMillisecond, note) == 12'500 * kMillisecond);
  CHECK(seen == std::vector<Nanoseconds>{4 * kSecond, 7 * kSecond, 10 * kSecond});
}

TEST_CASE("A window in debt or used up leaves nothing over", "[service]") {
  CapacityBudget budget = budget_of({}, {100 * kRu, 0});
  budget.take(250 * kRu, kHigh);
  std::vector<MilliRu> left;
  budget.advance(3 * kSecond, 0, [&](Nanoseconds boundary) {
    left.push_back(budget.left_over());
    return boundary;
  });
  CHECK(left == std::vector<MilliRu>{0, 0, 50 * kRu});
}

TEST_CASE("Background work takes before a burst store saves, but never what was saved",
          "[service]") {
  CapacityBudget budget = budget_of(bursting(), {100 * kRu, 0});
  budget.advance(10 * kSecond);
  CHECK(budget.balance_mru(kHigh) == 1'100 * kRu);
  budget.take(60 * kRu, kHigh);
  budget.advance(11 * kSecond, 0, [&](Nanoseconds /*boundary*/) {
    CHECK(budget.left_over() == 40 * kRu);
    budget.take_left_over(40 * kRu);
    return kNever;
  });
  CHECK(budget.balance_mru(kHigh) == 1'100 * kRu);
}

TEST_CASE("Background deletes need room in every region", "[service]") {
  CapacityRules rules;
  rules.regions = 2;
  CapacityBudget budget = budget_of(rules, {100 * kRu, 0});
  budget.take(80 * kRu, {.region = 1});
  budget.advance(kSecond, 0, [&](Nanoseconds /*boundary*/) {
    CHECK(budget.left_over() == 20 * kRu);
    return kNever;
  });
}

TEST_CASE("A token bucket leaves over what it cannot hold", "[service]") {
  CapacityRules rules;
  rules.model = ThrottleModel::token_bucket;
  CapacityBudget budget = budget_of(rules, {100 * kRu, 0});
  budget.take(30 * kRu, kHigh);  // full again after 300 ms
  std::vector<MilliRu> left;
  budget.advance(3 * kSecond, 0, [&](Nanoseconds boundary) {
    left.push_back(budget.left_over());
    if (boundary == 2 * kSecond) {
      budget.take_left_over(budget.left_over());
    }
    return boundary;
  });
  // what nobody took after the first window is lost
  CHECK(left == std::vector<MilliRu>{70 * kRu, 100 * kRu, 100 * kRu});
  CHECK(drain(budget, 3 * kSecond, kHigh) == 100 * kRu);
}

TEST_CASE("What a window left over is counted by its own share, not by the next one's",
          "[service]") {
  CapacityBudget budget = budget_of(bursting(), {100 * kRu, 0});
  budget.set_share(kSecond, {500 * kRu, 0}, {500 * kRu, 0});
  budget.advance(kSecond, 0, [&](Nanoseconds /*boundary*/) {
    CHECK(budget.left_over() == 100 * kRu);
    return kNever;
  });
  budget.advance(2 * kSecond, 0, [&](Nanoseconds /*boundary*/) {
    CHECK(budget.left_over() == 500 * kRu);
    return kNever;
  });
}

// ---- what the loop asks -------------------------------------------------------------------------

TEST_CASE("A second is that of the lane used most relative to its share", "[service]") {
  CapacityRules rules;
  rules.regions = 2;
  rules.units_apart = true;
  CapacityBudget budget = budget_of(rules, {100 * kRu, 10 * kRu});
  budget.take(60 * kRu, {.region = 0});
  budget.take(70 * kRu, {.region = 1});
  SecondUse use = budget.close_second();
  CHECK(use.consumed_mru == 70 * kRu);
  CHECK(use.share_mru_per_s == 100 * kRu);
  budget.take(70 * kRu, {.region = 1});
  budget.take(8 * kRu, kWrite);
  use = budget.close_second();
  CHECK(use.consumed_mru == 8 * kRu);
  CHECK(use.share_mru_per_s == 10 * kRu);
  CHECK(budget.close_second().consumed_mru == 0);
}

TEST_CASE("Demand counts attempts of each kind since it was last asked", "[service]") {
  CapacityRules rules;
  rules.units_apart = true;
  CapacityBudget budget = budget_of(rules, {100 * kRu, 10 * kRu});
  budget.note_demand(5 * kRu, kHigh);
  budget.note_demand(7 * kRu, kHigh);
  budget.note_demand(3 * kRu, kWrite);
  CHECK(budget.demanded() == Share{12 * kRu, 3 * kRu});
  CHECK(budget.demanded() == Share{});
}

TEST_CASE("Rules are those of the scenario's parameters", "[service]") {
  Scenario scenario;
  scenario.parameters = profile_parameters(Provider::dynamodb);
  scenario.regions = {"a", "b"};
  scenario.containers.resize(1);
  scenario.containers[0].bucket_ppm[2] = 300'000;
  PoolSpec pool;
  pool.containers = {0};
  const CapacityRules rules = capacity_rules(scenario, pool);
  CHECK(rules.units_apart);
  CHECK(rules.regions == 2);
  CHECK(rules.burst);
  CHECK(rules.burst_max_mru_per_s == 3'000 * kRu);
  CHECK(rules.burst_max_write_mru_per_s == 1'000 * kRu);
  CHECK(rules.bucket_ppm[2] == 300'000);
  pool.is_database = true;
  CHECK(capacity_rules(scenario, pool).bucket_ppm[2] == 0);
}
