// The promise of a 95 % interval: of 1,000 experiments about 950 hold the true value. The true
// value is that of M/M/1, the experiments are runs of the engine.
#include <algorithm>
#include <thread>
#include <vector>

#include "partsim/engine/engine.hpp"
#include "partsim/study/statistics.hpp"
#include "partsim/study/work_list.hpp"

#include "support/catch.hpp"
#include "support/scenario_builder.hpp"

namespace partsim {
namespace {

using namespace testing;

constexpr std::size_t kExperiments = 1'000;
constexpr std::size_t kReplications = 10;

/// A server of mean 1 ms at load 0.3: the mean time in the system is 1 / 0.7 ms. The queue forgets
/// its empty start within some 5 ms, the warm-up is a hundred times that.
Scenario single_server() {
  ContainerSpec spec = container(10'000);
  spec.throughput.mru_per_s = 1'000'000'000;  // never the limit
  spec.workers = WorkersSpec{1, {}};
  spec.service = ServiceTimeSpec{ServiceTimeSpec::Law::exponential, {kMillisecond, false}};
  OperationSpec operation = create(1);
  operation.charge_mru = 1;
  Scenario s = scenario(6'500 * kMillisecond, spec, poisson("app", 300, operation));
  s.warm_up_ns = 500 * kMillisecond;
  s.clients[0].retry = no_retry();
  return s;
}

TEST_CASE("Of 1,000 intervals over M/M/1 runs, 93 to 97 % hold the true mean", "[statistics]") {
  const Scenario queue = single_server();
  std::vector<double> means(kExperiments * kReplications);
  const unsigned jobs = std::max(1U, std::thread::hardware_concurrency());
  work_through(means.size(), jobs, nullptr, [&](std::size_t index) {
    Scenario replication = queue;
    replication.seed = 1'000'000 + index;
    means[index] = run(replication).total().latency_ns.mean() / 1e6;
  });

  const double truth = 1.0 / 0.7;
  std::size_t holding = 0;
  for (std::size_t first = 0; first < means.size(); first += kReplications) {
    const Interval interval = confidence_interval(std::span(means).subspan(first, kReplications));
    if (interval.low() <= truth && truth <= interval.high()) {
      ++holding;
    }
  }
  const double coverage = static_cast<double>(holding) / static_cast<double>(kExperiments);
  INFO("coverage " << coverage);
  CHECK(coverage >= 0.93);
  CHECK(coverage <= 0.97);
  // All of them together are sharper than any one, and see no bias worth speaking of.
  CHECK(confidence_interval(means).mean == Approx(truth).epsilon(0.003));
}

}  // namespace
}  // namespace partsim
