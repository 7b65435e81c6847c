/// A property over many random scenarios whose layout changes.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "partsim/engine/engine.hpp"

#include "support/catch.hpp"
#include "support/random_scenario.hpp"

namespace partsim {

inline constexpr std::uint64_t kTimelines = 600;

/// The smallest scenario found, one step at a time, that the property still complains about.
template <class Property>
Scenario shrunk(Scenario scenario, const Property& complaint) {
  for (bool smaller = true; smaller;) {
    smaller = false;
    for (Scenario& candidate : simpler_scenarios(scenario)) {
      if (!complaint(candidate).empty()) {
        scenario = std::move(candidate);
        smaller = true;
        break;
      }
    }
  }
  return scenario;
}

/// `complaint(scenario)` says what is wrong, or nothing.
template <class Property>
void for_all_timelines(Scenario (*generate)(std::uint64_t), const Property& complaint) {
  for (std::uint64_t seed = 1; seed <= kTimelines; ++seed) {
    const Scenario scenario = generate(seed);
    const std::string found = complaint(scenario);
    if (!found.empty()) {
      const Scenario small = shrunk(scenario, complaint);
      FAIL("seed " << seed << '\n'
                   << found << describe(scenario) << "shrunk to\n"
                   << describe(small) << complaint(small));
    }
  }
}

/// Knows of every attempt what it was: the log has numbers of operations, the mix is drawn again.
class Operations {
 public:
  explicit Operations(const Scenario& scenario) : scenario_(scenario) {
    for (const ClientSpec& client : scenario.clients) {
      mixes_.emplace_back(scenario.seed, client.name, "operation");
    }
  }
  [[nodiscard]] bool is_write(const AttemptRecord& record) const {
    const ClientSpec& client = scenario_.clients[record.client];
    const auto u =
        static_cast<std::int64_t>(bounded(mixes_[record.client].draw(record.operation), kMillion));
    std::int64_t below = 0;
    const auto drawn = std::find_if(
        client.operations.begin(), client.operations.end(),
        [&](const OperationSpec& operation) { return u < (below += operation.share_ppm); });
    return drawn->kind == OperationKind::create;
  }
  /// Bytes that the attempt has added to its partition.
  [[nodiscard]] Bytes stored_bytes(const AttemptRecord& record) const {
    return record.outcome == AttemptOutcome::admitted && is_write(record) ? item_bytes(record) : 0;
  }

 private:
  [[nodiscard]] Bytes item_bytes(const AttemptRecord& record) const {
    const ContainerSpec& container =
        scenario_.containers[scenario_.clients[record.client].container];
    return container.item_size_bytes *
           (kMillion + scenario_.parameters.index_storage_overhead_ppm) / kMillion;
  }

  const Scenario& scenario_;
  std::vector<RngStream> mixes_;
};

}  // namespace partsim
