// What a run keeps of its course: storage and latency over time.
#include <algorithm>
#include <cmath>
#include <map>
#include <vector>

#include "partsim/engine/engine.hpp"

#include "support/catch.hpp"
#include "support/scenario_builder.hpp"

using namespace partsim;
using namespace partsim::testing;

namespace {

constexpr Bytes kStored = kKilobyte * 1'150'000 / kMillion;  // data and index of 1 KB

/// The smallest value that at least `share` of the sorted samples do not exceed.
double exact_quantile(const std::vector<double>& sorted, double share) {
  const auto rank = static_cast<std::size_t>(std::ceil(share * static_cast<double>(sorted.size())));
  return sorted[std::max<std::size_t>(rank, 1) - 1];
}

}  // namespace

TEST_CASE("Storage over time is all that was written until then, through a split", "[engine]") {
  Scenario s = scenario(8 * kSecond, container(10'000, 1), evenly("app", 100, create(5)));
  s.parameters.split_duration_ns = 2 * kSecond;
  s.timeline.push_back({kSecond, 0, SetThroughput{20'000 * kMilliPerRu}});
  const RunResult result = run(s);
  REQUIRE(result.total().throttled == 0);
  const LoadMatrix& stored = result.series.storage_bytes;
  REQUIRE(stored.rows() == 8);
  REQUIRE(stored.cols() == 3);
  for (Eigen::Index row = 0; row < stored.rows(); ++row) {
    INFO("second " << row);
    CHECK(stored.row(row).sum() == result.series.attempts.topRows(row + 1).sum() * kStored);
    CHECK((stored(row, 0) > 0) == (row < 3));  // the split ends with the third second
    CHECK((stored(row, 1) > 0) == (row >= 3));
  }
  for (Eigen::Index column = 1; column < stored.cols(); ++column) {
    CHECK(stored(7, column) == result.partitions[static_cast<std::size_t>(column)].storage_bytes);
  }
}

TEST_CASE("A partition that nobody writes to keeps what it began with", "[engine]") {
  ContainerSpec spec = container(10'000, 4);
  spec.fields = {choose("k", 1)};  // one key, so one partition takes it all
  spec.initial_storage_bytes = 4 * 1024 * kKilobyte;
  OperationSpec read = create(1);
  read.kind = OperationKind::read;
  read.given = {"k"};
  Scenario s = scenario(5 * kSecond, spec, evenly("app", 10, read));
  const RunResult result = run(s);
  for (Eigen::Index row = 0; row < 5; ++row) {
    for (Eigen::Index column = 0; column < 4; ++column) {
      CHECK(result.series.storage_bytes(row, column) ==
            result.partitions[static_cast<std::size_t>(column)].storage_bytes);
    }
  }
  CHECK(result.series.storage_bytes.row(4).sum() > 0);
}

TEST_CASE("Latency over time is that of the operations first sent in each interval", "[engine]") {
  // twice as much as the share from second 4 on: whoever is refused comes again
  Scenario s = scenario(12 * kSecond, container(1'000, 1), poisson("app", 100, create(5)));
  s.warm_up_ns = 2 * kSecond;
  std::get<OpenLoop>(s.clients[0].arrivals).changes = {{4 * kSecond, per_second(400), 0}};
  std::vector<AttemptRecord> attempts;
  RunOptions options;
  options.attempts = &attempts;
  const RunResult result = run(s, options);

  std::sort(attempts.begin(), attempts.end());
  std::map<std::uint64_t, Nanoseconds> first_sends;
  std::vector<std::vector<double>> latency_ns(12);
  for (const AttemptRecord& attempt : attempts) {
    const Nanoseconds first = first_sends.emplace(attempt.operation, attempt.time_ns).first->second;
    if (attempt.outcome == AttemptOutcome::admitted && attempt.next_ns < s.duration_ns &&
        first >= s.warm_up_ns) {
      latency_ns[static_cast<std::size_t>(first / kSecond)].push_back(
          static_cast<double>(attempt.next_ns - first));
    }
  }
  const LatencySeries& series = result.latency_series;
  REQUIRE(series.interval_s == 1);
  REQUIRE(series.rows.size() == 12);
  for (std::size_t row = 0; row < 12; ++row) {
    INFO("second " << row);
    std::vector<double>& samples = latency_ns[row];
    std::sort(samples.begin(), samples.end());
    CHECK(series.rows[row].succeeded == samples.size());
    if (row < 9) {  // of those sent later nobody may be done in time
      CHECK(samples.empty() == (row < 2));
    }
    if (samples.empty()) {
      continue;
    }
    constexpr double kPrecision = 1.0 / 64 + 1e-3;  // half a cell of 32 an octave, and 1 us
    const auto close_to = [](std::uint64_t got, double exact) {
      return std::abs(static_cast<double>(got) - exact) <= exact * kPrecision;
    };
    CHECK(close_to(series.rows[row].p50_ns, exact_quantile(samples, 0.50)));
    CHECK(close_to(series.rows[row].p95_ns, exact_quantile(samples, 0.95)));
    CHECK(close_to(series.rows[row].p99_ns, exact_quantile(samples, 0.99)));
    CHECK(static_cast<double>(series.rows[row].max_ns) == samples.back());
  }
  CHECK(series.rows[8].p50_ns > 20 * series.rows[3].p50_ns);
}

TEST_CASE("A long run has at most 512 intervals of latency, and none is lost", "[engine]") {
  const RunResult result =
      run(scenario(2'000 * kSecond, container(1'000, 1), evenly("app", 1, create(5))));
  CHECK(result.latency_series.interval_s == 4);
  CHECK(result.latency_series.rows.size() == 500);
  std::uint64_t succeeded = 0;
  for (const LatencySeries::Row& row : result.latency_series.rows) {
    succeeded += row.succeeded;
  }
  CHECK(succeeded == result.total().operations.succeeded);
}
