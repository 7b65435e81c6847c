/// A sweep by hand: two points, two variants, two repetitions.
#pragma once

#include "partsim/study/sweep.hpp"

namespace partsim::testing {

inline SweepCell sample_cell(double p99_a, double p99_b, double price, double failed = 0) {
  SweepCell cell;
  cell.replications.push_back({7, 0xABC, {p99_a, price, failed, 100, 0.25, 5.5}});
  cell.replications.push_back({8, 0xDEF, {p99_b, price, failed, 100, 0.25, 5.5}});
  return cell;
}

inline SweepResult sample_sweep() {
  SweepResult result;
  result.design.name = "sample";
  result.design.title = "A sample";
  result.design.seed = 7;
  result.design.axes = {{"container.throughput", {"1000 RU/s", "2000 RU/s"}}};
  result.design.variants = {"date", "vin"};
  result.design.metrics = {"latency_ms.p99",       "cost.per_month",  "failed_share",
                           "operations.succeeded", "throttled_share", "ru.per_operation"};
  result.design.seeds = 2;
  // Halves of differences times 12.706: t of one degree of freedom.
  result.points = {{0, {sample_cell(40, 42, 58), sample_cell(20, 21, 58)}},
                   {1, {sample_cell(30, 30, 117), sample_cell(10, 10, 117)}}};
  return result;
}

}  // namespace partsim::testing
