#include "diagnosis.hpp"

#include <string>
#include <vector>

#include "sample_study.hpp"
#include "support/catch.hpp"

namespace partsim {
namespace {

using samples::make_run;

bool mentions(const std::string& text, const std::string& word) {
  return text.find(word) != std::string::npos;
}

TEST_CASE("One partition that takes the load while the others idle is a hot partition",
          "[report]") {
  RunResult run = make_run({.demand_ru_per_s = {0, 0, 0, 0, 0, 0, 0, 0, 40'000, 0}});
  run.hot_keys.push_back({"2018-08-09", 8, run.total_demand_mru});
  const Diagnosis diagnosis = diagnose(run);
  CHECK(diagnosis.cause == Cause::hot_partition);
  CHECK(diagnosis.severity == Severity::bad);
  CHECK(diagnosis.finding == "burns partition 8 of 10");
  CHECK(diagnosis.needs_another_key);
  CHECK(
      diagnosis.sentence ==
      "Partition 8 was at its limit of 6,000 RU/s for 60 of 60 s; key \"2018-08-09\" caused all of "
      "it; the other nine averaged 0 %; 85 % of the operations fail.");  // 34,000 of 40,000
}

TEST_CASE("A hot partition that still copes is strained, not burning", "[report]") {
  // 6,180 asked of 6,000: 2.9 % refused
  const Diagnosis diagnosis = diagnose(make_run({.demand_ru_per_s = {500, 6'180, 500, 500}}));
  CHECK(diagnosis.cause == Cause::hot_partition);
  CHECK(diagnosis.severity == Severity::warning);
  CHECK(diagnosis.finding == "strains partition 1 of 4");
}

TEST_CASE("A key is blamed only if it lives on the hottest partition and is heavy", "[report]") {
  RunResult run = make_run({.demand_ru_per_s = {0, 40'000, 0}});
  run.hot_keys = {{"elsewhere", 0, run.total_demand_mru}};
  CHECK_FALSE(mentions(diagnose(run).sentence, "elsewhere"));
  run.hot_keys = {{"light", 1, run.total_demand_mru / 100}};
  CHECK_FALSE(mentions(diagnose(run).sentence, "light"));
  CHECK_THAT(diagnose(run).sentence, has_text("no single key stands out there"));
  run.hot_keys = {{"half", 1, run.total_demand_mru / 2}};
  CHECK_THAT(diagnose(run).sentence, has_text("key \"half\" caused 50 % of it"));
  run.hot_keys = {{std::string(2'000, 'k'), 1, run.total_demand_mru}};
  CHECK(diagnose(run).sentence.size() < 400);
}

TEST_CASE("When all partitions throttle, the container is too small and not the key to blame",
          "[report]") {
  const Diagnosis even = diagnose(make_run({.demand_ru_per_s = {18'000, 18'000, 18'000}}));
  CHECK(even.cause == Cause::overload);
  CHECK(even.severity == Severity::bad);
  CHECK_THAT(even.sentence, has_text("All three partitions were at their limit for 60 of 60 s: "));
  CHECK_THAT(even.sentence, has_text("300 % of the 18,000 RU/s provisioned, whatever the key"));
  CHECK_THAT(even.sentence, has_text("only more RU/s or fewer requests help"));
  CHECK_FALSE(even.needs_another_key);
  CHECK_FALSE(mentions(even.sentence, "hot partition"));
  CHECK_FALSE(mentions(even.sentence, "uneven"));
  const Diagnosis uneven =
      diagnose(make_run({.demand_ru_per_s = {8'000, 40'000, 8'000, 8'000}}));  // imbalance 2.5
  CHECK(uneven.cause == Cause::overload);
  CHECK_THAT(uneven.sentence, has_text("uneven as well (imbalance 2.50)"));
  CHECK_FALSE(mentions(uneven.sentence, "hot partition"));
  const Diagnosis single = diagnose(make_run({.demand_ru_per_s = {18'000}}));
  CHECK(single.cause == Cause::overload);
  CHECK_THAT(single.sentence,
             has_text("The one partition was at its limit of 6,000 RU/s for 60 of 60 s: "));
}

TEST_CASE("A hot partition beside one with room is the key's fault even under high demand",
          "[report]") {
  const Diagnosis diagnosis = diagnose(make_run({.demand_ru_per_s = {40'000, 100, 7'000}}));
  CHECK(diagnosis.cause == Cause::hot_partition);
  CHECK_THAT(diagnosis.sentence, has_text("the other two averaged 51 % (one of them hot too)"));
  CHECK_THAT(diagnosis.sentence, has_text("all the demand together is 262 %"));  // 47,100 of 18,000
}

TEST_CASE("An even load with room to spare is good news", "[report]") {
  const Diagnosis diagnosis = diagnose(make_run({.demand_ru_per_s = {3'000, 3'000, 3'000}}));
  CHECK(diagnosis.cause == Cause::calm);
  CHECK(diagnosis.severity == Severity::good);
  CHECK(diagnosis.sentence ==
        "No attempt met a 429: partition 0, the busiest of 3, uses 50 % of its 6,000 RU/s; the "
        "load is even (imbalance 1.00).");
  CHECK_THAT(diagnose(make_run({.demand_ru_per_s = {3'000}})).sentence,
             has_text("the one partition uses 50 %"));
}

TEST_CASE("Up to 5 % of 429s spread evenly is healthy, 6 % is not", "[report]") {
  const Diagnosis healthy = diagnose(make_run({.demand_ru_per_s = {6'250, 6'250}}));  // 4 %
  CHECK(healthy.cause == Cause::healthy);
  CHECK(healthy.severity == Severity::good);
  CHECK_THAT(healthy.sentence, has_text("4.0 % of the attempts met a 429"));
  const Diagnosis over = diagnose(make_run({.demand_ru_per_s = {6'400, 6'400}}));  // 6.25 %
  CHECK(over.cause == Cause::overload);
  CHECK(over.severity == Severity::bad);
}

TEST_CASE("A demand that would fit if it were spread is called uneven", "[report]") {
  // mean 4,400, so imbalance 8,000 / 4,400; a quarter of the last one's attempts refused
  const Diagnosis diagnosis = diagnose(make_run(
      {.demand_ru_per_s = {4'000, 4'000, 4'000, 4'000, 4'000, 4'000, 4'000, 4'000, 4'000, 8'000}}));
  CHECK(diagnosis.cause == Cause::uneven);
  CHECK(diagnosis.finding == "overfills partition 9 of 10");
  CHECK_THAT(diagnosis.sentence, has_text("73 % of what is provisioned"));
  CHECK_THAT(diagnosis.sentence, has_text("for 60 of 60 s, asked for 1.82 times the average"));
  CHECK_THAT(diagnosis.sentence, has_text("the other nine averaged 67 %"));
}

TEST_CASE("An even demand that fits on average but not in single seconds comes in bursts",
          "[report]") {
  RunResult run = make_run({.demand_ru_per_s = {3'000, 3'000}});
  run.clients[0].throttled = run.clients[0].attempts / 10;
  for (PartitionResult& partition : run.partitions) {
    partition.throttled = partition.attempts / 10;
    partition.peak_second_mru = partition.share_mru_per_s;
  }
  const Diagnosis diagnosis = diagnose(run);
  CHECK(diagnosis.cause == Cause::bursts);
  CHECK_THAT(diagnosis.sentence, has_text("demand is 50 % of what is provisioned"));
  CHECK_THAT(diagnosis.sentence,
             has_text("it comes in bursts, and 10 % of the attempts met a 429"));
}

TEST_CASE("Seconds at the limit are counted after the warm-up, and coarse series say so",
          "[report]") {
  RunResult run = make_run({.demand_ru_per_s = {40'000, 0}, .seconds = 20});
  run.series.throttled.col(0).segment(0, 12) = 0;  // trouble begins at 12 s
  run.warm_up_ns = 5 * kSecond;
  CHECK_THAT(diagnose(run).sentence, has_text("for 8 of 15 s"));
  run.warm_up_ns = 0;
  run.series.interval_s = 64;
  run.simulated_ns = 20 * 64 * kSecond;
  CHECK_THAT(diagnose(run).sentence, has_text("in 8 of 20 intervals of 64 s"));
}

TEST_CASE("A small partition that burns is blamed, not the large one with more demand",
          "[report]") {
  RunResult run = make_run({.demand_ru_per_s = {900, 3'000, 0, 0}});
  run.partitions[0].share_mru_per_s = 300'000;
  run.partitions[0].peak_share_mru = 300'000;
  run.partitions[0].peak_second_mru = 300'000;
  run.partitions[0].throttled = run.partitions[0].attempts * 2 / 3;
  run.series.share_mru.col(0) = 300'000;
  run.series.throttled.col(0) = 120;
  const Diagnosis diagnosis = diagnose(run);
  CHECK(diagnosis.finding == "burns partition 0 of 4");
  CHECK_THAT(diagnosis.sentence,
             has_text("Partition 0 was at its limit of 300 RU/s for 60 of 60 s"));
}

TEST_CASE("Partitions of several containers are told apart", "[report]") {
  RunResult run = make_run({.demand_ru_per_s = {100, 40'000, 100}});
  run.partitions[1].container = "orders";
  CHECK_THAT(diagnose(run).sentence, has_text("Partition 1 of orders was at its limit"));
}

TEST_CASE("A container that is too small among others is not blamed on its key", "[report]") {
  RunResult run = make_run({.demand_ru_per_s = {18'000, 100, 100, 100}});
  run.partitions[0].container = "orders";
  const Diagnosis diagnosis = diagnose(run);
  CHECK(diagnosis.cause == Cause::overload);
  CHECK_FALSE(diagnosis.needs_another_key);
  CHECK(diagnosis.finding == "overloads orders (300 % of its RU/s asked for)");
  CHECK_THAT(diagnosis.sentence, has_text("the demand on orders is 300 % of what it has"));
  run.partitions[1].container = "orders";  // has room: there another key would help
  CHECK(diagnose(run).cause == Cause::hot_partition);
}

TEST_CASE("A demand as large as what is bought has no room for its ups and downs", "[report]") {
  // 5,800 on average of 6,000; swings of up to 40 % do not fit
  const Diagnosis diagnosis =
      diagnose(make_run({.demand_ru_per_s = {5'800, 5'800}, .wiggle_percent = 40}));
  CHECK(diagnosis.cause == Cause::bursts);
  CHECK_THAT(diagnosis.sentence, has_text("there is no room for its ups and downs"));
}

TEST_CASE("Refusals while RU/s are left over are not blamed on the RU/s", "[report]") {
  RunResult run = make_run({.demand_ru_per_s = {3'000, 600}});
  run.clients[0].throttled = run.clients[0].attempts / 5;
  run.partitions[0].throttled = run.partitions[0].attempts / 4;
  CHECK_THAT(diagnose(run).sentence, has_text("no partition uses more than 50 % of its RU/s"));
  run.clients[0].parts.queue_ns = run.clients[0].operations.succeeded * 20'000'000;
  run.clients[0].parts.service_ns = run.clients[0].operations.succeeded * 5'000'000;
  const Diagnosis queueing = diagnose(run);
  CHECK(queueing.cause == Cause::queueing);
  CHECK(queueing.severity == Severity::bad);
  CHECK_THAT(queueing.sentence, has_text("The workers are the limit, not the RU/s"));
  CHECK_THAT(queueing.sentence, has_text("queues 20 ms for 5.0 ms of service"));
  CHECK_THAT(queueing.sentence, has_text("20 % of the attempts are refused"));
}

TEST_CASE("Waiting longer for a worker than being served is found without a single 429",
          "[report]") {
  RunResult run = make_run({.demand_ru_per_s = {3'000}});
  run.clients[0].parts.service_ns = run.clients[0].operations.succeeded * 5'000'000;
  run.clients[0].parts.queue_ns = run.clients[0].operations.succeeded * 5'100'000;
  CHECK(diagnose(run).cause == Cause::queueing);
  CHECK(diagnose(run).severity == Severity::warning);
  CHECK(diagnose(run).finding == "queues for workers");
  run.clients[0].parts.queue_ns = run.clients[0].operations.succeeded * 4'900'000;
  CHECK(diagnose(run).cause == Cause::calm);
  CHECK_THAT(diagnose(run).sentence, has_text("an operation queues 4.9 ms for a worker"));
  run.clients[0].parts.queue_ns = run.clients[0].operations.succeeded * 1'000'000;
  CHECK_FALSE(mentions(diagnose(run).sentence, "queues"));
}

TEST_CASE("The price of a fan-out is said, for the client that pays it", "[report]") {
  RunResult run = make_run({.demand_ru_per_s = {3'000, 3'000}});
  CHECK(diagnose(run).notes.empty());
  ClientResult lookup = samples::make_client("lookup", 100);
  lookup.requests = 1'000;
  lookup.succeeded_mru = 2'573'000;  // 25.73 RU each
  run.clients.push_back(lookup);
  CHECK(diagnose(run).notes == std::vector<std::string>{"An operation of lookup fans out to 10 "
                                                        "partitions and costs 25.7 RU."});
  run.clients.back().operations = {100, 0, 100, 0};
  CHECK(diagnose(run).notes ==
        std::vector<std::string>{"An operation of lookup fans out to 10 partitions."});
}

TEST_CASE("Retries that save every operation are not called free", "[report]") {
  RunResult run = make_run({.demand_ru_per_s = {6'250, 6'250}});
  ClientResult& client = run.clients[0];
  client.operations = {100, 90, 0, 10};
  client.parts.retry_wait_ns = 90 * 400'000'000ULL;
  const std::string sentence = diagnose(run).sentence;
  CHECK_THAT(sentence, has_text("no operation fails, but retries add 400 ms to the mean latency"));
  CHECK_THAT(sentence, has_text("10 % had no answer yet at the end"));
}

TEST_CASE("Without traffic nothing is claimed", "[report]") {
  for (const RunResult& run : {RunResult{}, make_run({.demand_ru_per_s = {0, 0}})}) {
    const Diagnosis diagnosis = diagnose(run);
    CHECK(diagnosis.cause == Cause::idle);
    CHECK(diagnosis.severity == Severity::warning);
    CHECK_THAT(diagnosis.sentence, has_text("No attempt was counted"));
  }
}

std::string verdict_of(const StudyResult& study) {
  std::vector<Diagnosis> diagnoses;
  for (const VariantResult& result : study.runs) {
    diagnoses.push_back(diagnose(result.run));
  }
  return verdict(study, diagnoses);
}

TEST_CASE("The verdict names the best variant, the others that hold, and what burns", "[report]") {
  const std::string text = verdict_of(samples::vehicle_telemetry());
  CHECK(text.starts_with("vin-suffix does best: no attempt throttled, no operation failed, p99 "));
  CHECK_THAT(text, has_text("random-suffix holds too."));
  CHECK_THAT(text, has_text("date burns partition 8 of 10."));
  CHECK_THAT(text, has_text("1 of 4 expectations failed."));
}

TEST_CASE("When no variant holds the verdict says so", "[report]") {
  StudyResult study = samples::one_run_study(make_run({.demand_ru_per_s = {18'000, 18'000}}), "a");
  study.runs.push_back({"b", make_run({.demand_ru_per_s = {9'000, 9'000}})});
  const std::string text = verdict_of(study);
  CHECK(text.starts_with("No variant holds; b comes nearest: 33 % of attempts throttled"));
  CHECK_THAT(text, has_text("a is overloaded (300 % of its RU/s asked for)"));
}

TEST_CASE("A variant in which fewer clients suffer is nearer, whatever the total says",
          "[report]") {
  // all shared: both lose a third. Ranked: one loses nearly all, the other nothing
  StudyResult study = samples::one_run_study(make_run({.demand_ru_per_s = {9'000}}), "shared");
  study.runs.push_back({"ranked", make_run({.demand_ru_per_s = {12'000}})});
  study.runs[0].run.clients = {samples::make_client("job", 200, 100),
                               samples::make_client("shop", 200, 100)};
  study.runs[1].run.clients = {samples::make_client("job", 10, 290),
                               samples::make_client("shop", 300)};
  CHECK_THAT(verdict_of(study), has_text("ranked comes nearest"));
}

TEST_CASE("A variant without traffic is never the best", "[report]") {
  StudyResult study = samples::one_run_study(make_run({.demand_ru_per_s = {0, 0}}), "idle");
  study.runs.push_back({"busy", make_run({.demand_ru_per_s = {9'000, 9'000}})});
  CHECK_THAT(verdict_of(study), has_text("busy comes nearest"));
  CHECK_THAT(verdict_of(study), has_text("idle did nothing"));
  study.runs[1].run = study.runs[0].run;
  CHECK(verdict_of(study) == "Nothing happened in any variant: no attempt was counted.");
}

TEST_CASE("A study of one run is judged under the name its reader gave it", "[report]") {
  StudyResult study = samples::one_run_study(make_run({.demand_ru_per_s = {3'000}}));
  CHECK(verdict_of(study).starts_with("sample holds: no attempt throttled"));
  study.runs[0].variant = "wide";
  CHECK(verdict_of(study).starts_with("wide holds: "));
  study.runs.clear();
  CHECK(verdict_of(study) == "No run has finished.");
}

TEST_CASE("A run in which nothing succeeded has no latency to boast of", "[report]") {
  RunResult run = make_run({.demand_ru_per_s = {18'000}});
  run.clients[0].operations = {100, 0, 100, 0};
  CHECK_THAT(verdict_of(samples::one_run_study(run)),
             has_text("100 % of operations failed, none succeeded."));
}

}  // namespace
}  // namespace partsim
