#include "partsim/metrics/derived.hpp"

#include <cmath>

#include "hand_made_run.hpp"
#include "support/catch.hpp"

namespace partsim {
namespace {

using testing::hand_made_run;

TEST_CASE("Shares are fractions, and nothing of nothing is nothing", "[metrics]") {
  CHECK(share_of(0, 0) == 0.0);
  CHECK(share_of(0, 5) == 0.0);
  CHECK(share_of(1, 4) == 0.25);
  CHECK(share_of(5, 5) == 1.0);
  CHECK(share_of(UINT64_MAX, UINT64_MAX) == 1.0);
}

TEST_CASE("A client's shares, cost and visits are those of its counters", "[metrics]") {
  const RunResult run = hand_made_run();
  const ClientResult& reader = run.clients[0];
  const ClientResult& writer = run.clients[1];
  CHECK(throttled_share(writer) == 8.0 / 20.0);
  CHECK(failed_share(writer) == 2.0 / 8.0);  // operations in flight have not ended
  CHECK(ru_per_operation(writer) == 5.0);    // 30 RU for 6 that succeeded, not 40 for all
  CHECK(partitions_per_operation(writer) == 1.0);
  CHECK(failed_share(reader) == 0.0);
  CHECK(ru_per_operation(reader) == 2.5);
  CHECK(partitions_per_operation(reader) == 3.0);
}

TEST_CASE("The sum over clients is exact, latencies included", "[metrics]") {
  const ClientResult total = hand_made_run().total();
  CHECK(total.operations.offered == 14);
  CHECK(total.operations.succeeded == 10);
  CHECK(total.operations.failed == 2);
  CHECK(total.operations.in_flight == 2);
  CHECK(total.requests == 22);
  CHECK(total.attempts == 34);
  CHECK(total.throttled == 10);
  CHECK(total.consumed_mru == 52'000);
  CHECK(total.succeeded_mru == 40'000);
  CHECK(total.latency_ns.count() == 10);
  CHECK(latency_ms(total.latency_ns).mean == Approx(4.0));  // (24 + 16) / 10
  CHECK(latency_ms(total.latency_ns).max == 10.0);
}

TEST_CASE("Percentiles are the smallest latency that enough operations do not exceed",
          "[metrics]") {
  const Histogram latency_ns = hand_made_run().clients[1].latency_ns;  // 1 2 3 4 5 9 ms
  const LatencySummary ms = latency_ms(latency_ns);
  constexpr double kCell = 1.0 / 128;  // what the histogram promises
  CHECK(ms.mean == Approx(4.0));
  CHECK(ms.p50 == Approx(3.0).epsilon(kCell));
  CHECK(ms.p90 == Approx(9.0).epsilon(kCell));
  CHECK(ms.p999 == Approx(9.0).epsilon(kCell));
  CHECK(ms.max == 9.0);
  CHECK(latency_ms_at(latency_ns, 0) == 1.0);
  CHECK(latency_ms_at(latency_ns, 1'000'000) == 9.0);
}

TEST_CASE("The parts of the latency add up to its mean", "[metrics]") {
  const ClientResult total = hand_made_run().total();
  const LatencyPartsSummary parts = latency_parts_ms(total);
  CHECK(parts.service == Approx(2.6));  // 26 ms over 10
  CHECK(parts.queue == Approx(0.3));
  CHECK(parts.retry_wait == Approx(1.1));
  CHECK(parts.service + parts.queue + parts.retry_wait ==
        Approx(latency_ms(total.latency_ns).mean));
}

TEST_CASE("Nothing of a run without traffic is a number that is not one", "[metrics]") {
  const RunResult run;
  const ClientResult client;
  const PartitionResult partition;
  CHECK(run.throttled_share() == 0.0);
  CHECK(run.failed_share() == 0.0);
  CHECK(run.imbalance() == 1.0);
  CHECK(run.utilization() == 0.0);
  CHECK(run.normalized_peak() == 0.0);
  CHECK(run.counted_seconds() == 0.0);
  CHECK_FALSE(hottest_partition(run).has_value());
  CHECK(latency_parts_ms(client).service == 0.0);
  CHECK(latency_ms(client.latency_ns).p99 == 0.0);
  CHECK(ru_per_operation(client) == 0.0);
  CHECK(partitions_per_operation(client) == 0.0);
  CHECK(throttled_share(partition) == 0.0);
  CHECK(peak_utilization(partition) == 0.0);
  CHECK(mean_utilization(run, partition) == 0.0);
  CHECK(utilization_by_interval(run).size() == 0);
}

TEST_CASE("Imbalance is the hottest partition's demand over the mean", "[metrics]") {
  RunResult run = hand_made_run();
  CHECK(run.imbalance() == 1.5);  // 6,000 over (6,000 + 2,000) / 2
  run.partitions[1].demand_mru = 6'000'000;
  CHECK(run.imbalance() == 1.0);
  run.partitions[1].demand_mru = 0;
  CHECK(run.imbalance() == 2.0);  // all on one of two
  run.partitions[0].demand_mru = 0;
  CHECK(run.imbalance() == 1.0);
}

TEST_CASE("Imbalance asks no more of a partition than its part of the RU/s", "[metrics]") {
  RunResult run = hand_made_run();  // demands 6,000 and 2,000 RU
  run.partitions[0].share_mru_per_s = 3'000'000;
  CHECK(run.imbalance() == 1.0);  // three quarters of the RU/s, three quarters of the demand
  run.partitions[0].share_mru_per_s = 1'000'000;
  run.partitions[1].share_mru_per_s = 3'000'000;
  CHECK(run.imbalance() == 3.0);  // 6,000 of 8,000 on a quarter: usable is a third
  // of two containers, too: what is bought for one is no use to the other
  run.partitions[1].container = "other";
  CHECK(run.imbalance() == 3.0);
  run.partitions[0].share_mru_per_s = 1'000'000;
  run.partitions[1].share_mru_per_s = 0;  // nobody says what it may have: as if all were equal
  CHECK(run.imbalance() == 1.5);
}

TEST_CASE("Utilization counts the window after the warm-up only", "[metrics]") {
  RunResult run = hand_made_run();
  CHECK(run.counted_seconds() == 8.0);
  CHECK(run.utilization() == 5'600.0 / (2'000.0 * 8));
  CHECK(mean_utilization(run, run.partitions[0]) == 4'000.0 / (1'000.0 * 8));
  run.simulated_ns = kSecond;  // stopped inside the warm-up
  run.provisioned_mru = 0;
  CHECK(run.counted_seconds() == 0.0);
  CHECK(run.utilization() == 0.0);
  CHECK(mean_utilization(run, run.partitions[0]) == 0.0);
}

TEST_CASE("The normalized peak is the fullest second of any partition", "[metrics]") {
  const RunResult run = hand_made_run();
  CHECK(peak_utilization(run.partitions[0]) == 0.9);
  CHECK(run.normalized_peak() == 1.25);  // not on the partition with most demand
}

TEST_CASE("The hottest partition is the one with most demand, the first of equals", "[metrics]") {
  RunResult run = hand_made_run();
  CHECK(hottest_partition(run) == 0U);
  run.partitions[1].demand_mru = 6'000'001;
  CHECK(hottest_partition(run) == 1U);
  run.partitions[0].demand_mru = 6'000'001;
  CHECK(hottest_partition(run) == 0U);
}

TEST_CASE("Utilization by interval divides by what the shares add up to", "[metrics]") {
  RunResult run = hand_made_run();
  run.series.interval_s = 4;
  run.series.consumed_mru = LoadMatrix::Zero(3, 2);
  run.series.consumed_mru << 4'000'000, 0, 2'000'000, 1'000'000, 1'000'000, 500'000;
  run.series.share_mru = LoadMatrix::Zero(3, 2);
  // the share of partition 1 was halved after 4 s; the last row has two seconds of the run
  run.series.share_mru << 4'000'000, 4'000'000, 4'000'000, 2'000'000, 2'000'000, 1'000'000;
  const UtilizationMatrix utilization = utilization_by_interval(run);
  REQUIRE(utilization.rows() == 3);
  REQUIRE(utilization.cols() == 2);
  CHECK(utilization(0, 0) == 1.0);
  CHECK(utilization(0, 1) == 0.0);
  CHECK(utilization(1, 0) == 0.5);
  CHECK(utilization(1, 1) == 0.5);
  CHECK(utilization(2, 0) == 0.5);
  CHECK(utilization(2, 1) == 0.5);
}

TEST_CASE("A partition without a share uses none of it", "[metrics]") {
  RunResult run = hand_made_run();
  run.series.share_mru.col(1) = 0;
  run.partitions[1].peak_share_mru = 0;
  run.series.consumed_mru(0, 1) = 5'000;
  CHECK(utilization_by_interval(run)(0, 1) == 0.0);
  CHECK(utilization_by_interval(run)(1, 1) == 0.0);
  CHECK(mean_utilization(run, run.partitions[1]) == 0.0);
  CHECK(peak_utilization(run.partitions[1]) == 0.0);
}

/// Partition 0 of `hand_made_run` splits at 6 s into 2 and 3.
RunResult split_run() {
  RunResult run = hand_made_run();
  run.partitions[0].retired_ns = 6 * kSecond;
  for (const std::uint32_t id : {2U, 3U}) {
    PartitionResult child;
    child.id = id;
    child.parent = 0;
    child.born_ns = 6 * kSecond;
    child.share_mru_per_s = 500'000;
    child.consumed_mru = 1'000'000;
    child.demand_mru = id == 2 ? 1'200'000 : 1'000'000;
    run.partitions.push_back(child);
  }
  run.series.consumed_mru = LoadMatrix::Zero(10, 4);
  run.series.share_mru = LoadMatrix::Zero(10, 4);
  run.series.share_mru.col(1) = 1'000'000;
  run.series.share_mru.col(0).head(6) = 1'000'000;
  run.series.share_mru.col(2).tail(4) = 500'000;
  run.series.share_mru.col(3).tail(4) = 500'000;
  run.series.consumed_mru.col(2).tail(4) = 250'000;
  return run;
}

TEST_CASE("A partition has no utilization before its birth and after its end", "[metrics]") {
  const UtilizationMatrix utilization = utilization_by_interval(split_run());
  for (Eigen::Index second = 0; second < 10; ++second) {
    INFO(second);
    CHECK(std::isnan(utilization(second, 0)) == (second >= 6));
    CHECK_FALSE(std::isnan(utilization(second, 1)));
    CHECK(std::isnan(utilization(second, 2)) == (second < 6));
  }
  CHECK(utilization(6, 2) == 0.5);
}

TEST_CASE("A partition that was there for a part of a row belongs to it", "[metrics]") {
  RunResult run = split_run();
  run.series.interval_s = 4;
  run.series.consumed_mru = LoadMatrix::Zero(3, 4);
  run.series.share_mru = LoadMatrix::Zero(3, 4);
  run.series.share_mru.row(1) << 2'000'000, 4'000'000, 1'000'000, 1'000'000;
  run.series.consumed_mru(1, 0) = 1'000'000;
  const UtilizationMatrix utilization = utilization_by_interval(run);
  CHECK(utilization(1, 0) == 0.5);  // of the two seconds it had
  CHECK(utilization(1, 2) == 0.0);
  CHECK(std::isnan(utilization(2, 0)));
  CHECK(std::isnan(utilization(0, 2)));
}

TEST_CASE("Mean utilization is of the shares a partition had while it counted", "[metrics]") {
  const RunResult run = split_run();
  CHECK(mean_utilization(run, run.partitions[0]) == 1.0);  // 4,000 RU of 2 s to 6 s
  CHECK(mean_utilization(run, run.partitions[1]) == 0.2);  // 1,600 RU of 8 s
  CHECK(mean_utilization(run, run.partitions[2]) == 0.5);  // 1,000 RU of 4 s at 500
  CHECK(counted_life_s(run, run.partitions[0]) == 4.0);
  CHECK(counted_life_s(run, run.partitions[2]) == 4.0);
}

TEST_CASE("A warm-up that ends inside a row counts the rest of that row", "[metrics]") {
  RunResult run = hand_made_run();
  run.series.interval_s = 4;
  run.series.share_mru = LoadMatrix::Zero(3, 2);
  run.series.share_mru.col(0) << 4'000'000, 4'000'000, 2'000'000;
  CHECK(granted_mru(run, run.partitions[0]) == 8'000'000.0);  // 2 s of 4, 4 s, 2 s
}

TEST_CASE("Utilization counts what was bought, in all regions", "[metrics]") {
  RunResult run = hand_made_run();
  run.regions = 2;
  run.provisioned_mru = 32'000'000;
  CHECK(run.utilization() == 5'600.0 / 32'000.0);
  CHECK(mean_utilization(run, run.partitions[0]) == 4'000.0 / 16'000.0);
  run.series.consumed_mru(3, 0) = 1'500'000;  // 1,000 RU/s in each of two regions
  CHECK(utilization_by_interval(run)(3, 0) == 0.75);
}

TEST_CASE("Imbalance is that of the partitions alive at the end, by demand per second",
          "[metrics]") {
  const RunResult run = split_run();
  CHECK(alive_partitions(run) == 3);
  // 1: 2,000 RU in 8 s, 2: 1,200 in 4 s, 3: 1,000 in 4 s; 0 has more, and is no more. Of 2,000 RU/s
  // the children have 500 each.
  CHECK(run.imbalance() == Approx((300.0 / 500) / ((250.0 + 300.0 + 250.0) / 2'000)));
  CHECK(hottest_partition(run) == 2U);
}

TEST_CASE("A peak is measured by the share of its own second", "[metrics]") {
  RunResult run = hand_made_run();
  run.partitions[0].peak_second_mru = 1'000'000;
  run.partitions[0].peak_share_mru = 2'000'000;  // halved since
  CHECK(peak_utilization(run.partitions[0]) == 0.5);
}

}  // namespace
}  // namespace partsim
