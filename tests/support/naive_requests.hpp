/// The first half of the naive model, sections 1 to 5 of docs/MODEL.md: every operation of a run,
/// the partitions it visits and what each request costs. Nothing here depends on what happens to
/// them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "partsim/scenario/scenario.hpp"

namespace partsim {

struct NaiveRequest {
  std::uint32_t partition = 0;
  MilliRu charge_mru = 0;
};

struct NaiveOperation {
  std::uint32_t client = 0;
  std::uint64_t number = 0;
  Nanoseconds sent_ns = 0;
  const OperationSpec* spec = nullptr;
  bool fan_out = false;                // routed as one, even if one partition is visited
  std::vector<NaiveRequest> requests;  // in range order
};

struct NaiveShare {
  const ContainerSpec* container = nullptr;
  MilliRu share_mru_per_s = 0;
};

struct NaivePlan {
  std::vector<NaiveShare> partitions;  // by id
  std::vector<NaiveOperation> operations;
};

/// Points into the scenario.
[[nodiscard]] NaivePlan naive_plan(const Scenario& scenario);

/// The draw of an operation from one of its client's streams.
[[nodiscard]] std::uint64_t naive_draw(const Scenario& scenario, const NaiveOperation& operation,
                                       const std::string& purpose);

}  // namespace partsim
