// V5 and V6: single server and Erlang formulas. Seeds are fixed, so the tests are exact; the
// intervals are 99 % ones at these run lengths (Whitt 1989), stated as relative tolerances beside
// each row.
#include <cmath>

#include "partsim/engine/engine.hpp"

#include "support/catch.hpp"
#include "support/scenario_builder.hpp"

using namespace partsim;
using namespace partsim::testing;

namespace {

/// A queue of `servers` with mean service 1 ms at an offered load in erlangs, `arrivals` long.
RunResult queue(std::uint32_t servers, double erlangs, ServiceTimeSpec::Law law, double arrivals,
                std::optional<std::uint32_t> waiting_places = {}) {
  ContainerSpec spec = container(10'000);
  spec.throughput.mru_per_s = 1'000'000'000;  // never the limit
  spec.workers = WorkersSpec{servers, waiting_places};
  spec.service = ServiceTimeSpec{law, {kMillisecond, false}};
  OperationSpec operation = create(1);
  operation.charge_mru = 1;
  const double rate = erlangs * 1'000;
  ClientSpec client = poisson("app", rate, operation);
  client.retry = no_retry();
  Scenario s = scenario(static_cast<Nanoseconds>(arrivals / rate * 1e9), spec, client);
  s.warm_up_ns = s.duration_ns / 50;
  s.parameters.throttle_response_ns = 0;
  return run(s);
}

double mean_ms(const RunResult& result) {
  return result.total().latency_ns.mean() / 1e6;
}
double quantile_ms(const RunResult& result, std::uint32_t ppm) {
  return static_cast<double>(result.total().latency_ns.quantile(ppm)) / 1e6;
}
double mean_wait_ms(const RunResult& result) {
  const ClientResult total = result.total();
  return static_cast<double>(total.parts.queue_ns) / 1e6 /
         static_cast<double>(total.operations.succeeded);
}

/// Probability of waiting in M/M/c, by the stable recursion of Erlang B.
double erlang_c(std::uint32_t servers, double erlangs) {
  double blocking = 1;
  for (std::uint32_t n = 1; n <= servers; ++n) {
    blocking = erlangs * blocking / (n + erlangs * blocking);
  }
  const double load = erlangs / servers;
  return blocking / (1 - load * (1 - blocking));
}

}  // namespace

TEST_CASE("V5: M/M/1 at load 0.8 has mean 5 ms, median 3.466, p95 14.979, p99 23.026",
          "[validation]") {
  const RunResult result = queue(1, 0.8, ServiceTimeSpec::Law::exponential, 6e6);
  CHECK(mean_ms(result) == Approx(5.0).epsilon(0.012));
  CHECK(quantile_ms(result, 500'000) == Approx(3.466).epsilon(0.015));
  CHECK(quantile_ms(result, 950'000) == Approx(14.979).epsilon(0.02));
  CHECK(quantile_ms(result, 990'000) == Approx(23.026).epsilon(0.025));
}

TEST_CASE("V5: M/M/1 at load 0.9 has mean 10 ms and p99 46.052", "[validation]") {
  const RunResult result = queue(1, 0.9, ServiceTimeSpec::Law::exponential, 6e6);
  CHECK(mean_ms(result) == Approx(10.0).epsilon(0.025));
  CHECK(quantile_ms(result, 990'000) == Approx(46.052).epsilon(0.05));
}

TEST_CASE("V5: M/D/1 has mean 3.0, 5.5 and 10.5 ms at load 0.8, 0.9 and 0.95", "[validation]") {
  CHECK(mean_ms(queue(1, 0.8, ServiceTimeSpec::Law::fixed, 3e6)) == Approx(3.0).epsilon(0.012));
  CHECK(mean_ms(queue(1, 0.9, ServiceTimeSpec::Law::fixed, 4e6)) == Approx(5.5).epsilon(0.025));
  CHECK(mean_ms(queue(1, 0.95, ServiceTimeSpec::Law::fixed, 6e6)) == Approx(10.5).epsilon(0.06));
}

TEST_CASE("V6: the recursion gives the published Erlang C values", "[validation]") {
  CHECK(erlang_c(3, 2) == Approx(0.44444).epsilon(1e-4));
  CHECK(erlang_c(5, 2.5) == Approx(0.13037).epsilon(1e-4));
  CHECK(erlang_c(10, 5) == Approx(0.03611).epsilon(1e-3));
  CHECK(erlang_c(5, 4) == Approx(0.55411).epsilon(1e-4));
  CHECK(erlang_c(10, 8) == Approx(0.40918).epsilon(1e-4));
  CHECK(erlang_c(100, 80) == Approx(0.01965).epsilon(1e-3));
}

TEST_CASE("V6: M/M/c waits as Erlang C says", "[validation]") {
  struct Row {
    std::uint32_t servers;
    double erlangs;
    double tolerance;
  };
  for (const Row row : {Row{3, 2, 0.02}, Row{5, 2.5, 0.03}, Row{10, 5, 0.05}, Row{5, 4, 0.02},
                        Row{10, 8, 0.03}, Row{100, 80, 0.12}}) {
    INFO(row.servers << " servers, " << row.erlangs << " erlangs");
    const RunResult result =
        queue(row.servers, row.erlangs, ServiceTimeSpec::Law::exponential, 3e6);
    const double expected_ms = erlang_c(row.servers, row.erlangs) / (row.servers - row.erlangs);
    CHECK(mean_wait_ms(result) == Approx(expected_ms).epsilon(row.tolerance));
  }
}

TEST_CASE("V6: without waiting places ten servers at seven erlangs lose 0.07874", "[validation]") {
  const RunResult result = queue(10, 7, ServiceTimeSpec::Law::exponential, 3e6, 0);
  CHECK(result.throttled_share() == Approx(0.07874).epsilon(0.02));
}

TEST_CASE("V6: M/M/1/10 at load 0.9 blocks 0.05081", "[validation]") {
  const RunResult result = queue(1, 0.9, ServiceTimeSpec::Law::exponential, 3e6, 9);
  CHECK(result.throttled_share() == Approx(0.05081).epsilon(0.04));
}
