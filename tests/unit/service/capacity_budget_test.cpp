// The general budget against the plain ones, against the vendors' worked examples, and against its
// own promises over random attempts.
#include "partsim/service/capacity_budget.hpp"

#include <functional>
#include <map>
#include <sstream>

#include <rapidcheck.h>

#include "support/catch.hpp"

using namespace partsim;

namespace {

constexpr MilliRu kRu = kMilliPerRu;
constexpr AttemptClass kAny{};
constexpr AttemptClass kWrite{.is_write = true};

/// Checks a property 3,000 times, always the same ones; a counterexample is shrunk and printed.
void for_all(const std::function<void()>& property) {
  rc::detail::TestParams params;
  params.seed = 2018;
  params.maxSuccess = 3'000;
  const auto result = rc::detail::checkTestable(property, rc::detail::TestMetadata{}, params);
  std::ostringstream message;
  rc::detail::printResultMessage(result, message);
  INFO(message.str());
  CHECK(result.is<rc::detail::SuccessResult>());
}

CapacityRules plain_rules(ThrottleModel model, Nanoseconds window_ns = kSecond) {
  CapacityRules rules;
  rules.model = model;
  rules.window_ns = window_ns;
  return rules;
}

CapacityRules burst_rules(Nanoseconds window_ns = kSecond) {
  CapacityRules rules = plain_rules(ThrottleModel::window_debt, window_ns);
  rules.burst = true;
  rules.burst_max_mru_per_s = 3'000 * kRu;
  rules.burst_max_write_mru_per_s = 1'000 * kRu;
  rules.burst_eligible_below_mru_per_s = 3'000 * kRu;
  return rules;
}

CapacityBudget budget_of(const CapacityRules& rules, MilliRu ru_per_s) {
  const Share share{ru_per_s * kRu, rules.units_apart ? ru_per_s * kRu : 0};
  return {rules, share, share, 0};
}

/// One attempt after the other, each `gap_ns` later.
struct Pace {
  Nanoseconds from_ns;
  Nanoseconds gap_ns;
  MilliRu charge_mru;
};

/// How long the pace is kept up before the first refusal.
Nanoseconds lasts_ns(CapacityBudget& budget, const Pace& pace, const AttemptClass& attempt = kAny) {
  for (Nanoseconds t = pace.from_ns;; t += pace.gap_ns) {
    budget.advance(t);
    if (!budget.admits(pace.charge_mru, attempt)) {
      return t - pace.from_ns;
    }
    budget.take(pace.charge_mru, attempt);
  }
}

/// What is admitted at one instant, one RU after the other.
MilliRu drain(CapacityBudget& budget, Nanoseconds t, const AttemptClass& attempt = kAny) {
  budget.advance(t);
  MilliRu drained = 0;
  for (; budget.admits(kRu, attempt); drained += kRu) {
    budget.take(kRu, attempt);
  }
  return drained;
}

template <class Plain>
void behaves_like(ThrottleModel model) {
  for_all([model] {
    const auto window_ns = *rc::gen::element<Nanoseconds>(7, 1'000, kSecond / 10, kSecond);
    const auto share = *rc::gen::inRange<MilliRu>(0, 2'000);
    const auto steps = *rc::gen::container<std::vector<std::pair<int, int>>>(
        rc::gen::pair(rc::gen::inRange(0, 1'000), rc::gen::inRange(0, 6'000)));
    Plain plain(BudgetSpec{share_per_window(share, window_ns), window_ns, true});
    CapacityBudget general(plain_rules(model, window_ns), {share, 0}, {share, 0}, 0);
    Nanoseconds t = 0;
    for (const auto& [gap, charge] : steps) {
      t += gap * (window_ns / 7) / (gap % 3 == 0 ? 1 : 1'000);
      if (gap % 11 == 0) {
        t = (t / window_ns + 1) * window_ns;
        plain.set_share(t, share_per_window(charge, window_ns));
        general.set_share(t, {charge, 0}, {charge, 0});
      }
      plain.advance(t);
      general.advance(t);
      RC_ASSERT(general.window_end_ns() == plain.window_end_ns());
      const bool admitted = plain.admits(charge);
      RC_ASSERT(general.admits(charge, kAny) == admitted);
      if (admitted) {
        plain.take(charge);
        general.take(charge, kAny);
      } else {
        RC_ASSERT(general.ready_ns(t, charge, kAny) == plain.ready_ns(t, charge));
        plain.take(charge / 8);
        general.take_refusal(charge / 8, kAny);
      }
    }
  });
}

}  // namespace

TEST_CASE("With every feature off the general budget is the debt budget", "[service]") {
  behaves_like<WindowDebtBudget>(ThrottleModel::window_debt);
}

TEST_CASE("With every feature off the general budget is the strict budget", "[service]") {
  behaves_like<WindowStrictBudget>(ThrottleModel::window_strict);
}

TEST_CASE("With every feature off the general budget is the token bucket", "[service]") {
  behaves_like<TokenBucketBudget>(ThrottleModel::token_bucket);
}

// ---- burst: the vendors' worked examples --------------------------------------------------------

TEST_CASE("V13, G9: 100 RU/s idle for 300 s have saved 30,000 RU", "[service]") {
  CapacityBudget budget = budget_of(burst_rules(), 100);
  // beside the share of the second that begins
  budget.advance(300 * kSecond);
  CHECK(budget.balance_mru(kAny) == 30'000 * kRu + 100 * kRu);
  budget.advance(3'000 * kSecond);
  CHECK(budget.balance_mru(kAny) == 30'000 * kRu + 100 * kRu);
  CapacityRules gross = burst_rules();
  gross.burst_net_of_share = false;
  CapacityBudget by_vendor = budget_of(gross, 100);
  by_vendor.advance(300 * kSecond);
  CHECK(by_vendor.balance_mru(kAny) == 30'000 * kRu);
}

TEST_CASE("V13, G9: 30,000 saved RU last exactly 10 s at 3,000 RU/s by the vendor's arithmetic",
          "[service]") {
  CapacityRules rules = burst_rules();
  rules.burst_net_of_share = false;
  CapacityBudget budget = budget_of(rules, 100);
  CHECK(lasts_ns(budget, {300 * kSecond, kMillisecond, 3 * kRu}) == 10 * kSecond);
}

TEST_CASE("V13: 30,000 saved RU last 10.34 s at 3,000 RU/s while the share keeps flowing in",
          "[service]") {
  // 30,000 / (3,000 - 100) s, to the millisecond in which the store runs dry
  CapacityBudget budget = budget_of(burst_rules(kMillisecond), 100);
  CHECK(lasts_ns(budget, {300 * kSecond, kMillisecond, 3 * kRu}) == 10'345 * kMillisecond);
  // by whole seconds eleven shares count, that of the last second too: 31,100 RU
  CapacityBudget by_seconds = budget_of(burst_rules(), 100);
  CHECK(lasts_ns(by_seconds, {300 * kSecond, kMillisecond, 3 * kRu}) == 10'367 * kMillisecond);
}

TEST_CASE("A burst never spends more than 3,000 RU in a second", "[service]") {
  CapacityBudget budget = budget_of(burst_rules(), 2'999);
  CHECK(drain(budget, 300 * kSecond) == 3'000 * kRu);
  CHECK(budget.ready_ns(300 * kSecond, kRu, kAny) == 301 * kSecond);
  CHECK(budget.burst_mru() == 1 * kRu);
}

TEST_CASE("V13: Partitions at or above 3,000 RU/s do not burst", "[service]") {
  CapacityBudget budget = budget_of(burst_rules(), 3'000);
  budget.advance(300 * kSecond);
  CHECK(budget.balance_mru(kAny) == 3'000 * kRu);
  CHECK(drain(budget, 300 * kSecond) == 3'000 * kRu);
  CHECK(budget.burst_mru() == 0);
}

TEST_CASE("What is paid from the store is reported as burst, an overdraft is not", "[service]") {
  CapacityBudget budget = budget_of(burst_rules(), 100);
  budget.advance(kSecond);  // two shares
  CHECK(budget.balance_mru(kAny) == 200 * kRu);
  budget.take(60 * kRu, kAny);
  CHECK(budget.burst_mru() == 0);
  budget.take(90 * kRu, kAny);
  CHECK(budget.burst_mru() == 50 * kRu);
  budget.take(500 * kRu, kAny);  // 50 are left
  CHECK(budget.burst_mru() == 100 * kRu);
}

TEST_CASE("An overdraft beyond the burst rate waits for balance and rate", "[service]") {
  CapacityBudget budget = budget_of(burst_rules(), 100);
  budget.advance(300 * kSecond);
  budget.take(9'000 * kRu, kAny);  // three seconds of the rate, 21,000 RU are left
  CHECK_FALSE(budget.admits(1, kAny));
  CHECK(budget.ready_ns(300 * kSecond, 1, kAny) == 303 * kSecond);
  budget.advance(303 * kSecond - 1);
  CHECK_FALSE(budget.admits(1, kAny));
  budget.advance(303 * kSecond);
  CHECK(budget.admits(1, kAny));
}

TEST_CASE("A strict budget bursts within its store and never into debt", "[service]") {
  CapacityRules rules = burst_rules();
  rules.model = ThrottleModel::window_strict;
  CapacityBudget budget = budget_of(rules, 100);
  budget.advance(2 * kSecond);
  CHECK(budget.admits(300 * kRu, kAny));
  CHECK_FALSE(budget.admits(300 * kRu + 1, kAny));
  budget.take(250 * kRu, kAny);
  budget.advance(3 * kSecond);
  CHECK(budget.admits(150 * kRu, kAny));
  CHECK_FALSE(budget.admits(150 * kRu + 1, kAny));
}

TEST_CASE("V13, G21: 150 read units idle for 300 s last 900 s at 200 units/s", "[service]") {
  CapacityRules rules = burst_rules(kMillisecond);
  rules.units_apart = true;
  CapacityBudget budget = budget_of(rules, 150);
  budget.advance(300 * kSecond);
  CHECK(budget.balance_mru(kAny) == 45'000 * kRu + 150);
  // then the store is empty, and the share of that very window admits one more
  const Pace pace{300 * kSecond, 5 * kMillisecond, kRu};
  CHECK(lasts_ns(budget, pace) == 900 * kSecond + pace.gap_ns);
}

TEST_CASE("G21: By windows of a second, 200 units/s are met in full for exactly 900 s",
          "[service]") {
  CapacityRules rules = burst_rules();
  rules.units_apart = true;
  CapacityBudget budget = budget_of(rules, 150);
  const auto met = [&budget](Nanoseconds second) {
    int admitted = 0;
    for (Nanoseconds i = 0; i < 200; ++i) {
      budget.advance((300 + second) * kSecond + 5 * i * kMillisecond);
      if (budget.admits(kRu, kAny)) {
        budget.take(kRu, kAny);
        ++admitted;
      }
    }
    return admitted;
  };
  for (Nanoseconds second = 0; second < 900; ++second) {
    INFO("second " << second);
    REQUIRE(met(second) == 200);
  }
  for (Nanoseconds second = 900; second < 1'000; ++second) {
    REQUIRE(met(second) == 150);  // what flows in
  }
}

TEST_CASE(
    "V15: A share of 100 write units under a load of 150 admits 100 once 600 s of burst are gone",
    "[service]") {
  CapacityRules rules = burst_rules(kMillisecond);
  rules.units_apart = true;
  CapacityBudget budget = budget_of(rules, 100);
  const Pace pace{300 * kSecond, 20 * kMillisecond, 3 * kRu};
  CHECK(lasts_ns(budget, pace, kWrite) == 600 * kSecond + pace.gap_ns);
  MilliRu admitted = pace.charge_mru;  // at 900 s, out of the share of that very window
  for (Nanoseconds t = 900 * kSecond + pace.gap_ns; t < 1'000 * kSecond; t += pace.gap_ns) {
    budget.advance(t);
    if (budget.admits(pace.charge_mru, kWrite)) {
      budget.take(pace.charge_mru, kWrite);
      admitted += pace.charge_mru;
    }
  }
  // what the share brought until the last attempt, window by window, and at most one overdraft
  const MilliRu flown_in = 9'998 * kRu + kRu / 10;
  CHECK(admitted >= flown_in);
  CHECK(admitted < flown_in + pace.charge_mru);
}

TEST_CASE("No window grants more than its share, what was stored, and one overdraft", "[service]") {
  for_all([] {
    CapacityRules rules = burst_rules();
    rules.burst_net_of_share = *rc::gen::arbitrary<bool>();
    rules.model = *rc::gen::element(ThrottleModel::window_debt, ThrottleModel::window_strict);
    rules.burst_window_s = *rc::gen::inRange<std::int64_t>(1, 20);
    const auto share = *rc::gen::inRange<MilliRu>(1, 3'500 * kRu);
    const auto steps = *rc::gen::container<std::vector<std::pair<int, int>>>(
        rc::gen::pair(rc::gen::inRange(0, 3'000), rc::gen::inRange(1, 2'000'000)));
    CapacityBudget budget(rules, {share, 0}, {share, 0}, 0);
    std::map<std::int64_t, std::pair<MilliRu, MilliRu>> windows;  // granted, largest charge
    MilliRu granted = 0;
    Nanoseconds t = 0;
    MilliRu largest = 0;
    for (const auto& [gap, charge] : steps) {
      t += gap * kMillisecond;
      budget.advance(t);
      if (budget.admits(charge, kAny)) {
        budget.take(charge, kAny);
        auto& [window, overdraft] = windows[t / kSecond];
        window += charge;
        overdraft = std::max<MilliRu>(overdraft, charge);
        granted += charge;
        largest = std::max<MilliRu>(largest, charge);
      }
    }
    const bool bursts = share < 3'000 * kRu;
    const bool debt = rules.model == ThrottleModel::window_debt;
    const MilliRu own = rules.burst_net_of_share ? share : 0;  // of the window, beside the store
    const MilliRu store = bursts ? share * rules.burst_window_s + own : share;
    const MilliRu rate = bursts ? std::max(share, 3'000 * kRu) : share;
    for (const auto& [second, window] : windows) {
      RC_ASSERT(window.first <= std::min(store, rate) + (debt ? window.second : 0));
    }
    // all that ever flowed in, and one overdraft
    RC_ASSERT(granted <= (t / kSecond + 1) * share + (debt ? largest : 0));
  });
}

// ---- RU per minute ------------------------------------------------------------------------------

TEST_CASE("G17: The RU-per-minute trace of 2017 is reproduced", "[service]") {
  // 10,000 RU/s with 100,000 RU a minute: 98,990 left after second 3, 55,403 after second 29 that
  // began with 92,323, full again in second 61
  CapacityRules rules = plain_rules(ThrottleModel::window_debt);
  rules.ru_per_minute = true;
  rules.ru_per_minute_max_mru_per_s = 10'000 * kRu;
  CapacityBudget budget = budget_of(rules, 10'000);
  const std::map<int, MilliRu> uses{{3, 11'010}, {10, 16'667}, {29, 46'920}};
  std::map<int, MilliRu> left;
  for (int second = 1; second <= 61; ++second) {
    budget.advance((second - 1) * kSecond);
    const MilliRu use = uses.contains(second) ? uses.at(second) : 9'999;
    bool all_admitted = true;
    for (MilliRu used = 0; used < use; ++used) {
      all_admitted = all_admitted && budget.admits(kRu, kAny);
      budget.take(kRu, kAny);
    }
    CHECK(all_admitted);
    left[second] = budget.minute_store_mru(kAny);
  }
  CHECK(left[2] == 100'000 * kRu);
  CHECK(left[3] == 98'990 * kRu);
  CHECK(left[28] == 92'323 * kRu);
  CHECK(left[29] == 55'403 * kRu);
  CHECK(left[60] == 55'403 * kRu);
  CHECK(left[61] == 100'000 * kRu);
}

TEST_CASE("The store of a minute fills at whole minutes of UTC and pays debts off", "[service]") {
  CapacityRules rules = plain_rules(ThrottleModel::window_debt);
  rules.ru_per_minute = true;
  rules.ru_per_minute_max_mru_per_s = 5'000 * kRu;
  rules.start_unix_s = 1'704'067'200 + 57;  // three seconds before a minute
  CapacityBudget budget = budget_of(rules, 100);
  budget.take(2'000 * kRu, kAny);  // 100 of the share, 1,000 of the store, 900 of debt
  CHECK(budget.minute_store_mru(kAny) == 0);
  CHECK(budget.balance_mru(kAny) == -900 * kRu);
  CHECK_FALSE(budget.admits(1, kAny));
  CHECK(budget.ready_ns(0, 1, kAny) == 3 * kSecond);
  budget.advance(3 * kSecond);
  CHECK(budget.balance_mru(kAny) == 0);  // -900 + 3 shares, the rest from the new store
  CHECK(budget.minute_store_mru(kAny) == 400 * kRu);
  CHECK(budget.admits(1, kAny));
}

TEST_CASE("Partitions above the limit of RU per minute have no store", "[service]") {
  CapacityRules rules = plain_rules(ThrottleModel::window_debt);
  rules.ru_per_minute = true;
  rules.ru_per_minute_max_mru_per_s = 5'000 * kRu;
  CapacityBudget at_limit = budget_of(rules, 5'000);
  CapacityBudget above = budget_of(rules, 5'001);
  CHECK(drain(at_limit, 0) == 55'000 * kRu);
  CHECK(drain(above, 0) == 5'001 * kRu);
}
