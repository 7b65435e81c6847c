// How good is good: the thresholds of docs/ADVISE.md.
#include <algorithm>
#include <array>

#include "partsim/study/advise.hpp"

namespace partsim {
namespace {

/// The most (or with `more_is_better` the least) for A, B, C and D.
struct Thresholds {
  std::array<double, 4> limit{};
  bool more_is_better = false;
};

Thresholds thresholds(Criterion criterion) noexcept {
  switch (criterion) {
    case Criterion::throttled:
      return {{0.001, 0.01, 0.05, 0.20}};
    case Criterion::failed:
      return {{0.0, 0.001, 0.01, 0.05}};
    case Criterion::latency:
      return {{20, 50, 200, 1'000}};
    case Criterion::hottest:
      return {{0.75, 0.90, 1.00, 1.50}};
    case Criterion::hot_key:
      return {{4, 2, 1, 0.5}, true};
    case Criterion::reads:
      return {{0.01, 0.05, 0.15, 0.40}};
    case Criterion::storage:
      return {{3'650, 1'095, 365, 90}, true};
    case Criterion::transactions:
      return {{0, 0, 0, 0}};
    case Criterion::key:
      break;
  }
  return {{-1, -1, -1, -1}};
}

}  // namespace

CriterionGrade graded(Criterion criterion, double value) noexcept {
  CriterionGrade result{criterion, Grade::a, value};
  const Thresholds rule = thresholds(criterion);
  if (rule.more_is_better && value < 0) {
    return result;  // there is no limit to meet
  }
  const auto holds = [&](double limit) {
    return rule.more_is_better ? value >= limit : value <= limit;
  };
  const auto met = std::find_if(rule.limit.begin(), rule.limit.end(), holds);
  result.grade = static_cast<Grade>(met - rule.limit.begin());
  return result;
}

Grade worst_of(const std::vector<CriterionGrade>& criteria) noexcept {
  Grade worst = Grade::a;
  for (const CriterionGrade& each : criteria) {
    worst = std::max(worst, each.grade);
  }
  return worst;
}

}  // namespace partsim
