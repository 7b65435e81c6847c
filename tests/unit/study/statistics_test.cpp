// Against printed tables and sums done by hand.
#include "partsim/study/statistics.hpp"

#include <cmath>
#include <vector>

#include "support/catch.hpp"

namespace partsim {
namespace {

constexpr double kPi = 3.14159265358979323846;

TEST_CASE("Student's t is that of the printed tables", "[statistics]") {
  struct Row {
    std::uint64_t degrees;
    double p90;
    double p975;
    double p995;
  };
  // Six decimals, as in the NIST/SEMATECH handbook and Abramowitz and Stegun, table 26.10.
  const std::vector<Row> rows = {
      {1, 3.077684, 12.706205, 63.656741}, {2, 1.885618, 4.302653, 9.924843},
      {3, 1.637744, 3.182446, 5.840909},   {4, 1.533206, 2.776445, 4.604095},
      {5, 1.475884, 2.570582, 4.032143},   {9, 1.383029, 2.262157, 3.249836},
      {10, 1.372184, 2.228139, 3.169273},  {29, 1.311434, 2.045230, 2.756386},
      {30, 1.310415, 2.042272, 2.749996},  {60, 1.295821, 2.000298, 2.660283},
      {120, 1.288646, 1.979930, 2.617421}, {1000, 1.282399, 1.962339, 2.580755}};
  for (const Row& row : rows) {
    INFO("degrees " << row.degrees);
    CHECK(student_t_quantile(0.9, row.degrees) == Approx(row.p90).margin(1e-6));
    CHECK(student_t_quantile(0.975, row.degrees) == Approx(row.p975).margin(1e-6));
    CHECK(student_t_quantile(0.995, row.degrees) == Approx(row.p995).margin(1e-6));
  }
}

TEST_CASE("Student's t agrees with its closed forms for one and two degrees", "[statistics]") {
  for (const double p : {0.01, 0.2, 0.5, 0.6, 0.9, 0.99, 0.9995}) {
    INFO("p " << p);
    CHECK(student_t_quantile(p, 1) == Approx(std::tan(kPi * (p - 0.5))).epsilon(1e-9).margin(1e-9));
    const double two = (2 * p - 1) / std::sqrt(2 * p * (1 - p));
    CHECK(student_t_quantile(p, 2) == Approx(two).epsilon(1e-9).margin(1e-9));
  }
}

TEST_CASE("The sum and the expansion of Student's t meet where one takes over", "[statistics]") {
  for (const double p : {0.6, 0.9, 0.975, 0.9995}) {
    const double before = student_t_quantile(p, 199);
    const double at = student_t_quantile(p, 200);
    const double after = student_t_quantile(p, 201);
    // The second difference of 1/n at 200 is 2.5e-7 of the quantile's slope in 1/n, at most 11.
    CHECK(after - at == Approx(at - before).margin(3e-6));
    CHECK(before > at);
    CHECK(at > after);
  }
}

TEST_CASE("Mean and variance are those of a sum by hand, also far from zero", "[statistics]") {
  const std::vector<double> small = {2, 4, 4, 4, 5, 5, 7, 9};
  CHECK(moments(small).mean == Approx(5));
  CHECK(moments(small).variance == Approx(32.0 / 7));
  // A naive sum of squares loses all digits here.
  const std::vector<double> far = {1e9 + 4, 1e9 + 7, 1e9 + 13, 1e9 + 16};
  CHECK(moments(far).mean == Approx(1e9 + 10).epsilon(1e-15));
  CHECK(moments(far).variance == Approx(30).epsilon(1e-12));
  CHECK(moments(std::vector<double>{}).count == 0);
  CHECK(moments(std::vector<double>{3}).mean == 3);
  CHECK(moments(std::vector<double>{3}).variance == 0);
}

TEST_CASE("Equal values have no spread, not even a rounded one", "[statistics]") {
  const std::vector<double> equal(7, 0.1);
  CHECK(moments(equal).variance == 0.0);
  CHECK(confidence_interval(equal).half_width == 0.0);
}

TEST_CASE("An interval by hand: five values, four degrees of freedom", "[statistics]") {
  // mean 12, variance 10 / 4, t 2.776445: half width 2.776445 sqrt(2.5 / 5).
  const Interval interval = confidence_interval(std::vector<double>{10, 11, 12, 13, 14});
  CHECK(interval.count == 5);
  CHECK(interval.mean == Approx(12));
  CHECK(interval.half_width == Approx(2.776445 * std::sqrt(0.5)).epsilon(1e-6));
  CHECK(interval.low() == Approx(12 - 1.963243).epsilon(1e-6));
  const Interval wider = confidence_interval(std::vector<double>{10, 11, 12, 13, 14}, 0.99);
  CHECK(wider.half_width == Approx(4.604095 * std::sqrt(0.5)).epsilon(1e-6));
}

TEST_CASE("One value alone proves nothing", "[statistics]") {
  const Interval interval = confidence_interval(std::vector<double>{42});
  CHECK(interval.mean == 42);
  CHECK_FALSE(interval.is_known());
  CHECK(std::isinf(interval.half_width));
  CHECK_FALSE(is_precise(interval, 1.0));
  CHECK(verdict_of(interval, Direction::lower_is_better) == Verdict::inconclusive);
}

TEST_CASE("A paired difference sees through what both runs met alike", "[statistics]") {
  const std::vector<double> a = {100, 220, 140, 310};
  const std::vector<double> b = {99, 218.5, 139, 309.5};
  // Differences -1, -1.5, -1, -0.5: mean -1, variance 0.5 / 3, t(3) 3.182446.
  const Interval difference = paired_difference(a, b);
  CHECK(difference.mean == Approx(-1));
  CHECK(difference.half_width == Approx(3.182446 * std::sqrt(0.5 / 12)).epsilon(1e-6));
  CHECK(verdict_of(difference, Direction::lower_is_better) == Verdict::better);
  CHECK(verdict_of(difference, Direction::higher_is_better) == Verdict::worse);
  // Side by side the two intervals overlap almost wholly.
  CHECK(confidence_interval(a).low() < confidence_interval(b).high());
}

TEST_CASE("No difference in any pair is the same; zero inside the interval is open",
          "[statistics]") {
  const std::vector<double> a = {1, 2, 3};
  CHECK(verdict_of(paired_difference(a, a), Direction::lower_is_better) == Verdict::same);
  const std::vector<double> b = {2, 1, 3.5};
  CHECK(verdict_of(paired_difference(a, b), Direction::lower_is_better) == Verdict::inconclusive);
  const std::vector<double> always_one_more = {2, 3, 4};
  CHECK(verdict_of(paired_difference(a, always_one_more), Direction::lower_is_better) ==
        Verdict::worse);
}

TEST_CASE("Precision is the half width over the mean, at its limit from both sides",
          "[statistics]") {
  CHECK(is_precise({5, 100, 1}, 0.01));
  CHECK_FALSE(is_precise({5, 100, 1.001}, 0.01));
  CHECK(is_precise({5, -100, 1}, 0.01));
  CHECK(is_precise({5, 0, 0}, 0.01));
  CHECK_FALSE(is_precise({5, 0, 0.001}, 0.01));
}

}  // namespace
}  // namespace partsim
