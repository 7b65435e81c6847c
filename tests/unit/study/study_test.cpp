#include "partsim/study/study.hpp"

#include <algorithm>
#include <atomic>
#include <stdexcept>
#include <string>
#include <vector>

#include "support/catch.hpp"
#include "support/scenario_builder.hpp"

namespace partsim {
namespace {

using testing::container;
using testing::create;
using testing::poisson;
using testing::scenario;

/// Variants of different length and load, so that they do not end in the order they start.
StudyFile study_of(std::size_t variants) {
  StudyFile study;
  study.name = "sample";
  study.title = "A sample";
  for (std::size_t i = 0; i < variants; ++i) {
    const auto seconds = static_cast<Nanoseconds>(2 * (variants - i));
    const double rate = 2'000.0 + 500.0 * static_cast<double>(i);
    study.variants.push_back(
        {"v" + std::to_string(i),
         scenario(seconds * kSecond, container(10'000, 4), poisson("app", rate, create(5)))});
  }
  return study;
}

Expectation rule(std::string variant, std::string metric, Comparison comparison, double value) {
  return {"the rule", std::move(variant), std::move(metric), comparison, value};
}

/// A result with `throttled` of 100 attempts refused.
VariantResult hand_made(std::string variant, std::uint64_t throttled) {
  VariantResult result;
  result.variant = std::move(variant);
  ClientResult client;
  client.name = "app";
  client.attempts = 100;
  client.throttled = throttled;
  result.run.clients = {client};
  return result;
}

}  // namespace

TEST_CASE("A study gives the same results in file order with any number of threads", "[study]") {
  const StudyFile study = study_of(6);
  std::vector<std::uint64_t> digests;
  for (const Variant& variant : study.variants) {
    digests.push_back(run(variant.scenario).digest);
  }
  for (const unsigned jobs : {1U, 2U, 3U, 6U, 64U}) {
    const StudyResult result =
        run_study(study, {.jobs = jobs, .stop = nullptr, .progress = {}, .open_trace = {}});
    INFO(jobs << " jobs");
    CHECK(result.name == "sample");
    CHECK(result.title == "A sample");
    CHECK(result.seed == 2018);
    CHECK_FALSE(result.partial);
    REQUIRE(result.runs.size() == 6);
    for (std::size_t i = 0; i < digests.size(); ++i) {
      CHECK(result.runs[i].variant == study.variants[i].name);
      CHECK(result.runs[i].run.digest == digests[i]);
    }
  }
}

TEST_CASE("A study without permission for any job still runs", "[study]") {
  CHECK(run_study(study_of(2), {.jobs = 0, .stop = nullptr, .progress = {}, .open_trace = {}})
            .runs.size() == 2);
}

TEST_CASE("A stop before the start leaves no run, a partial study and no verdict", "[study]") {
  StudyFile study = study_of(3);
  study.expectations = {rule("", "attempts", Comparison::greater, 0)};
  const std::atomic<bool> stop{true};
  const StudyResult result =
      run_study(study, {.jobs = 2, .stop = &stop, .progress = {}, .open_trace = {}});
  CHECK(result.runs.empty());
  CHECK(result.partial);
  CHECK(result.expectations.empty());
}

TEST_CASE("A stop in the middle keeps what is done and marks the run it cut", "[study]") {
  StudyFile study = study_of(3);
  study.expectations = {rule("", "attempts", Comparison::greater, 0)};
  study.variants[1].scenario.duration_ns = 3'600 * kSecond;
  std::atomic<bool> stop{false};
  // By then the first variant, a thousandth of all simulated time, has ended.
  const auto stop_soon = [&stop](const StudyProgress& at) { stop = at.share > 0.01; };
  const StudyResult result =
      run_study(study, {.jobs = 1, .stop = &stop, .progress = stop_soon, .open_trace = {}});
  REQUIRE(result.runs.size() == 2);
  CHECK_FALSE(result.runs[0].run.partial);
  CHECK(result.runs[1].run.partial);
  CHECK(result.runs[1].run.simulated_ns < 3'600 * kSecond);
  CHECK(result.partial);
  CHECK(result.expectations.empty());
}

TEST_CASE("A stop after the last run changes nothing", "[study]") {
  StudyFile study = study_of(1);
  study.expectations = {rule("", "attempts", Comparison::greater, 0)};
  std::atomic<bool> stop{false};
  const auto stop_at_end = [&stop](const StudyProgress& at) { stop = at.share >= 1.0; };
  const StudyResult result =
      run_study(study, {.jobs = 1, .stop = &stop, .progress = stop_at_end, .open_trace = {}});
  CHECK_FALSE(result.partial);
  CHECK(result.expectations.size() == 1);
}

TEST_CASE("Progress rises from thread to thread, one call at a time, and ends at one", "[study]") {
  const StudyFile study = study_of(5);
  std::atomic<int> callers{0};
  bool overlapped = false;
  std::vector<double> shares;
  std::vector<std::uint64_t> attempts;
  StudyProgress last;
  const auto note = [&](const StudyProgress& at) {
    overlapped = overlapped || callers.fetch_add(1) != 0;
    shares.push_back(at.share);
    attempts.push_back(at.attempts);
    last = at;
    callers.fetch_sub(1);
  };
  const StudyResult result =
      run_study(study, {.jobs = 4, .stop = nullptr, .progress = note, .open_trace = {}});
  CHECK_FALSE(overlapped);
  REQUIRE(shares.size() >= 5);
  CHECK(std::is_sorted(shares.begin(), shares.end()));
  CHECK(shares.front() > 0.0);
  CHECK(shares.back() == Approx(1.0));
  CHECK(std::is_sorted(attempts.begin(), attempts.end()));
  std::uint64_t events = 0;
  for (const VariantResult& each : result.runs) {
    events += each.run.events;
  }
  CHECK(last.attempts == events);
  CHECK(last.simulated_ns == last.total_ns);
  Nanoseconds all_ns = 0;
  for (const Variant& variant : study.variants) {
    all_ns += variant.scenario.duration_ns;
  }
  CHECK(last.total_ns == all_ns);
}

TEST_CASE("What a run throws reaches the caller, whichever thread it happened on", "[study]") {
  const StudyFile study = study_of(4);
  const auto fail = [](const StudyProgress& /*at*/) { throw std::runtime_error("no more"); };
  for (const unsigned jobs : {1U, 3U}) {
    CHECK_THROWS_WITH(
        static_cast<void>(
            run_study(study, {.jobs = jobs, .stop = nullptr, .progress = fail, .open_trace = {}})),
        has_text("no more"));
  }
}

TEST_CASE("Every comparison is judged at its limit and on both sides of it", "[study]") {
  struct Case {
    Comparison comparison;
    bool below;
    bool at;
    bool above;
  };
  const std::vector<Case> cases = {
      {Comparison::less, true, false, false},    {Comparison::less_equal, true, true, false},
      {Comparison::greater, false, false, true}, {Comparison::greater_equal, false, true, true},
      {Comparison::equal, false, true, false},   {Comparison::not_equal, true, false, true}};
  const std::vector<VariantResult> runs = {hand_made("below", 4), hand_made("at", 5),
                                           hand_made("above", 6)};
  for (const Case& each : cases) {
    const auto verdicts = judge({rule("", "throttled_share", each.comparison, 0.05)}, runs);
    INFO("comparison " << static_cast<int>(each.comparison));
    REQUIRE(verdicts.size() == 3);
    CHECK(verdicts[0].passed == each.below);
    CHECK(verdicts[1].passed == each.at);
    CHECK(verdicts[2].passed == each.above);
    CHECK(verdicts[1].value == 0.05);
  }
}

TEST_CASE("Equal means equal in the six decimals of results.json", "[study]") {
  // 33 of 100 attempts; a third of the key space is no shorter number than this either
  const auto passes = [](Comparison comparison, double value) {
    const std::vector<VariantResult> runs{hand_made("a", 33)};
    return judge({rule("", "throttled_share", comparison, value)}, runs).front().passed;
  };
  CHECK(passes(Comparison::equal, 0.33));
  CHECK(passes(Comparison::equal, 0.3300004));
  CHECK(passes(Comparison::equal, 0.3299996));
  CHECK_FALSE(passes(Comparison::equal, 0.330001));
  CHECK_FALSE(passes(Comparison::equal, 0.329999));
  CHECK_FALSE(passes(Comparison::not_equal, 0.3300004));
  CHECK(passes(Comparison::not_equal, 0.330001));
  CHECK_FALSE(passes(Comparison::equal, 1e13));
}

TEST_CASE("A rule that names a variant is about that one, others are about all", "[study]") {
  const std::vector<VariantResult> runs = {hand_made("a", 0), hand_made("b", 10)};
  const auto verdicts = judge(
      {rule("b", "throttled", Comparison::equal, 10), rule("", "throttled", Comparison::equal, 0),
       rule("left-out", "throttled", Comparison::equal, 0)},
      runs);
  REQUIRE(verdicts.size() == 3);
  CHECK(verdicts[0].variant == "b");
  CHECK(verdicts[0].passed);
  CHECK(verdicts[1].variant == "a");
  CHECK(verdicts[1].passed);
  CHECK(verdicts[2].variant == "b");
  CHECK_FALSE(verdicts[2].passed);
  CHECK(verdicts[2].value == 10);
}

TEST_CASE("A rule about a client that a run does not have never passes", "[study]") {
  const std::vector<VariantResult> runs = {hand_made("a", 0)};
  for (const Comparison comparison : {Comparison::less, Comparison::not_equal}) {
    const auto verdicts = judge({rule("", "clients.nobody.attempts", comparison, 1)}, runs);
    REQUIRE(verdicts.size() == 1);
    CHECK_FALSE(verdicts[0].passed);
  }
}

}  // namespace partsim
