#include "partsim/service/budget.hpp"

#include "support/catch.hpp"

using namespace partsim;

namespace {
constexpr BudgetSpec kHundred{100'000, kSecond, false};
}

TEST_CASE("The debt model lets the last request overdraw and works the debt off", "[service]") {
  WindowDebtBudget budget(kHundred);
  CHECK(budget.admits(250'000));
  budget.take(250'000);  // balance -150 RU
  CHECK_FALSE(budget.admits(1));
  // +100 after one second: still -50; +100 after two: 50
  CHECK(budget.ready_ns(0, 1) == 2 * kSecond);
  budget.advance(kSecond);
  CHECK_FALSE(budget.admits(1));
  CHECK(budget.ready_ns(kSecond, 1) == 2 * kSecond);
  budget.advance(2 * kSecond);
  CHECK(budget.admits(1));
}

TEST_CASE("A balance of exactly zero is not above zero", "[service]") {
  WindowDebtBudget budget(kHundred);
  budget.take(100'000);
  CHECK_FALSE(budget.admits(1));
  CHECK(budget.ready_ns(0, 1) == kSecond);
  CHECK(budget.exhausted(1));
}

TEST_CASE("A debt of exactly one share needs two boundaries", "[service]") {
  WindowDebtBudget budget(kHundred);
  budget.take(200'000);  // balance -100 RU: zero after one boundary, above zero after two
  CHECK(budget.ready_ns(0, 1) == 2 * kSecond);
}

TEST_CASE("The balance never exceeds the share, however long a partition idles", "[service]") {
  WindowDebtBudget budget(kHundred);
  budget.advance(3'600 * kSecond);
  budget.take(100'000);
  CHECK_FALSE(budget.admits(1));
  WindowDebtBudget in_debt(kHundred);
  in_debt.take(100'000'000);  // a thousand shares
  in_debt.advance(998 * kSecond);
  CHECK_FALSE(in_debt.admits(1));
  in_debt.advance(1'000 * kSecond);
  CHECK(in_debt.admits(1));
}

TEST_CASE("The strict model admits only what fits and carries nothing over", "[service]") {
  WindowStrictBudget budget(kHundred);
  CHECK(budget.admits(100'000));
  CHECK_FALSE(budget.admits(100'001));
  budget.take(60'000);
  CHECK(budget.admits(40'000));
  CHECK_FALSE(budget.admits(40'001));
  CHECK(budget.exhausted(40'001));
  CHECK_FALSE(budget.exhausted(40'000));
  CHECK(budget.ready_ns(0, 1) == kSecond);
  budget.advance(5 * kSecond);
  CHECK(budget.admits(100'000));
}

TEST_CASE("The token bucket refills by the nanosecond", "[service]") {
  TokenBucketBudget budget(kHundred);
  budget.take(100'000);
  CHECK_FALSE(budget.admits(1'000));
  CHECK(budget.ready_ns(0, 1'000) == kSecond / 100);  // 1 RU at 100 RU/s
  budget.advance(kSecond / 100 - 1);
  CHECK_FALSE(budget.admits(1'000));
  budget.advance(kSecond / 100);
  CHECK(budget.admits(1'000));
}

TEST_CASE("A charge above the bucket waits for a full bucket and overdraws it", "[service]") {
  TokenBucketBudget budget(kHundred);
  CHECK(budget.admits(500'000));
  budget.take(500'000);  // -400 RU
  CHECK(budget.ready_ns(0, 500'000) == 5 * kSecond);
}

TEST_CASE("A window's share is the second's share in proportion", "[service]") {
  CHECK(share_per_window(6'000'000, kSecond) == 6'000'000);
  CHECK(share_per_window(6'000'000, kSecond / 10) == 600'000);
  CHECK(share_per_window(1'000'000'000, 10 * kSecond) == 10'000'000'000);
}
