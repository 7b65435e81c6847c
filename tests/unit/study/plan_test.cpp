// Answers that are known beforehand, and each answer proved by running just below and at it.
#include "partsim/study/plan.hpp"

#include <algorithm>

#include "partsim/study/study.hpp"
#include "partsim/study/sweep.hpp"

#include "support/catch.hpp"
#include "support/scenario_builder.hpp"

namespace partsim {
namespace {

using namespace testing;

Expectation throttled_below(double share) {
  return {"throttled_share < limit", "", "throttled_share", Comparison::less, share};
}

StudyFile study_of(Scenario scenario) {
  StudyFile study;
  study.name = "made-up";
  study.variants = {{"base", std::move(scenario)}};
  return study;
}

/// 100 creates of 7.3 RU every second on one partition: 730 RU/s.
Scenario steady(MilliRu ru_per_s) {
  OperationSpec operation = create(0);
  operation.charge_mru = 7'300;
  ClientSpec client = evenly("app", 100, operation);
  client.retry = no_retry();
  return scenario(20 * kSecond, container(ru_per_s), client);
}

bool holds_in_all(const Scenario& scenario, const Expectation& rule, std::uint32_t seeds) {
  for (std::uint32_t i = 0; i < seeds; ++i) {
    Scenario each = scenario;
    each.seed = replication_seed(scenario.seed, i);
    std::vector<VariantResult> runs(1);
    runs[0].variant = "base";
    runs[0].run = run(each);
    if (!judge({rule}, runs)[0].passed) {
      return false;
    }
  }
  return true;
}

/// Runs the answer and one step less by hand.
void prove(const StudyFile& study, const Expectation& rule, const PlanResult& result) {
  const PlanAnswer& answer = result.answers.at(0);
  REQUIRE(answer.found);
  const Scenario& base = study.variants[0].scenario;
  CHECK(holds_in_all(with_amount(base, result.lever, answer.found->amount), rule, result.seeds));
  if (answer.below) {
    CHECK(answer.below->amount == answer.found->amount - result.step);
    CHECK_FALSE(
        holds_in_all(with_amount(base, result.lever, answer.below->amount), rule, result.seeds));
  }
}

TEST_CASE("The smallest throughput is the demand, rounded up to what is sold", "[plan]") {
  for (const MilliRu start : {400, 700, 800, 5'000, 60'000}) {
    INFO("from " << start);
    const StudyFile study = study_of(steady(start));
    const Expectation rule = throttled_below(0.001);
    const PlanResult result = plan(study, {rule}, {});
    prove(study, rule, result);
    // 730 RU/s are asked for.
    CHECK(result.answers[0].found->amount == 800 * kMilliPerRu);
    CHECK(result.answers[0].found->partitions == 1);
    // 8 x 100 RU/s for 730 hours at $0.008, and next to nothing for what is stored.
    const auto price = static_cast<double>(result.answers[0].found->per_month_micro);
    CHECK(price / 1e6 == Approx(46.72).epsilon(1e-4));
  }
}

TEST_CASE("An autoscale maximum is found on its own grid", "[plan]") {
  const StudyFile study = study_of(steady(400));
  const Expectation rule = throttled_below(0.001);
  PlanOptions options;
  options.lever = Lever::autoscale;
  const PlanResult result = plan(study, {rule}, options);
  prove(study, rule, result);
  CHECK(result.step == 1'000 * kMilliPerRu);
  CHECK(result.answers[0].found->amount == 1'000 * kMilliPerRu);
}

TEST_CASE("A range bounds the search on both sides", "[plan]") {
  const StudyFile study = study_of(steady(400));
  PlanOptions options;
  options.range = {1'000 * kMilliPerRu, 4'000 * kMilliPerRu};
  CHECK(plan(study, {throttled_below(0.001)}, options).answers[0].found->amount ==
        1'000 * kMilliPerRu);
  options.range = {400 * kMilliPerRu, 700 * kMilliPerRu};
  const PlanAnswer answer = plan(study, {throttled_below(0.001)}, options).answers[0];
  CHECK_FALSE(answer.found);
  CHECK(answer.trials.back().amount == 700 * kMilliPerRu);
}

/// One key that asks for 12,000 RU/s.
Scenario one_hot_key(std::uint32_t partitions) {
  ContainerSpec spec = container(6'000, partitions);
  spec.fields = {choose("k", 1)};
  ClientSpec client = evenly("app", 1'200, create(10));
  client.retry = no_retry();
  return scenario(4 * kSecond, spec, client);
}

TEST_CASE("No throughput helps one key that asks for more than a partition may have", "[plan]") {
  const PlanResult result = plan(study_of(one_hot_key(4)), {throttled_below(0.01)}, {});
  const PlanAnswer& answer = result.answers.at(0);
  CHECK_FALSE(answer.found);
  CHECK(answer.limit == PlanLimit::one_key);
  CHECK(answer.hot_key.share == 1.0);
  CHECK(answer.hot_key.demand_mru_per_s == 12'000 * kMilliPerRu);
  CHECK(answer.hot_key.ceiling_mru_per_s == 10'000 * kMilliPerRu);
}

TEST_CASE("A key below the limit of a partition finds the layout that gives it all of that",
          "[plan]") {
  // 10,000 RU/s for one partition of four: only 40,000 RU/s give it 9,500, and one step more
  // would split them. Doubling from 6,000 alone would pass by.
  Scenario hot = one_hot_key(4);
  std::get<OpenLoop>(hot.clients[0].arrivals).rate = per_second(980);
  const StudyFile study = study_of(hot);
  const Expectation rule = throttled_below(0.001);
  const PlanResult result = plan(study, {rule}, {});
  prove(study, rule, result);
  const PlanAnswer& answer = result.answers[0];
  CHECK(answer.found->amount == 39'200 * kMilliPerRu);
  REQUIRE_FALSE(answer.broken_above.empty());
  CHECK(answer.broken_above.front().amount == 40'100 * kMilliPerRu);
  CHECK(answer.broken_above.front().partitions == 8);
}

TEST_CASE("A new container with a partition less may do with less, and the plan finds it",
          "[plan]") {
  // The creation rule gives one partition up to 6,000 RU/s and two from there on.
  Scenario hot = one_hot_key(1);
  hot.containers[0].throughput.partitions.reset();
  hot.containers[0].throughput.mru_per_s = 30'000 * kMilliPerRu;
  std::get<OpenLoop>(hot.clients[0].arrivals).rate = per_second(555);
  const StudyFile study = study_of(hot);
  const Expectation rule = throttled_below(0.001);
  const PlanResult result = plan(study, {rule}, {});
  prove(study, rule, result);
  const PlanAnswer& answer = result.answers[0];
  CHECK(answer.found->amount == 5'600 * kMilliPerRu);
  REQUIRE_FALSE(answer.broken_above.empty());
  CHECK(answer.broken_above.front().amount == 6'100 * kMilliPerRu);
}

TEST_CASE("More than the partitions can have grows by even splits, and leaves a floor", "[plan]") {
  // 1,000 keys ask evenly for about 25,000 RU/s of two partitions.
  ContainerSpec spec = container(10'000, 2);
  ClientSpec client = evenly("app", 2'500, create(10));
  client.retry = no_retry();
  const StudyFile study = study_of(scenario(4 * kSecond, spec, client));
  const Expectation rule = throttled_below(0.02);
  const PlanResult result = plan(study, {rule}, {});
  prove(study, rule, result);
  const PlanAnswer& answer = result.answers[0];
  CHECK(answer.found->amount > 24'000 * kMilliPerRu);
  CHECK(answer.found->amount < 40'000 * kMilliPerRu);
  CHECK(answer.found->partitions == 4);
  CHECK(answer.grows_from == 2);
  // 10,000 x 2 x 2^ceil(log2(25,000 / 20,000)), and a hundredth of it as the floor.
  CHECK(answer.even_target_mru_per_s == 40'000 * kMilliPerRu);
  CHECK(answer.floor_mru_per_s == 400 * kMilliPerRu);
}

TEST_CASE("A rule that throughput does not decide is told as such", "[plan]") {
  const Expectation fast{"latency_ms.p99 < 1ms", "", "latency_ms.p99", Comparison::less, 1.0};
  const PlanAnswer answer = plan(study_of(steady(2'000)), {fast}, {}).answers.at(0);
  CHECK_FALSE(answer.found);
  CHECK(answer.limit == PlanLimit::not_throttled);
}

TEST_CASE("The smallest number of suffixes spreads one date far enough", "[plan]") {
  ContainerSpec spec = container(10'000, 4);
  spec.fields = {choose("k", 1)};
  spec.partition_key = {key("{k}.{random 1..400}")};
  ClientSpec client = evenly("app", 600, create(10));
  client.retry = no_retry();
  const StudyFile study = study_of(scenario(4 * kSecond, spec, client));
  const Expectation rule = throttled_below(0.05);
  PlanOptions options;
  options.lever = Lever::suffixes;
  options.seeds = 2;
  const PlanResult result = plan(study, {rule}, options);
  prove(study, rule, result);
  // 6,000 RU/s do not fit into fewer than three partitions of 2,500.
  CHECK(result.answers[0].found->amount >= 3);
  CHECK(result.answers[0].found->amount < 400);
  CHECK(with_amount(study.variants[0].scenario, Lever::suffixes, 7)
            .containers[0]
            .partition_key[0]
            .text == "{k}.{random 1..7}");
  CHECK(plan_objection(steady(400), Lever::suffixes).find("{random") != std::string::npos);
}

TEST_CASE("Threads change no answer, and every variant has its own", "[plan]") {
  StudyFile study = study_of(steady(2'000));
  Scenario twice = steady(2'000);
  std::get<OpenLoop>(twice.clients[0].arrivals).rate = per_second(200);
  study.variants.push_back({"twice", twice});
  PlanOptions options;
  const PlanResult one = plan(study, {throttled_below(0.001)}, options);
  options.jobs = 4;
  const PlanResult four = plan(study, {throttled_below(0.001)}, options);
  REQUIRE(one.answers.size() == 2);
  CHECK(one.answers[0].found->amount == 800 * kMilliPerRu);
  CHECK(one.answers[1].found->amount == 1'500 * kMilliPerRu);
  for (std::size_t i = 0; i < 2; ++i) {
    REQUIRE(one.answers[i].trials.size() == four.answers[i].trials.size());
    CHECK(one.answers[i].found->amount == four.answers[i].found->amount);
  }
}

TEST_CASE("A variant that no rule is about has no answer, not even an empty one", "[plan]") {
  StudyFile study = study_of(steady(2'000));
  study.variants.push_back({"other", steady(2'000)});
  Expectation rule = throttled_below(0.001);
  rule.variant = "other";
  const PlanResult result = plan(study, {rule}, {});
  REQUIRE(result.answers.size() == 1);
  CHECK(result.answers[0].variant == "other");
}

}  // namespace
}  // namespace partsim
