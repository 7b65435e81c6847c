/// docs/MODEL.md a second time: one global ordered queue, maps and strings, nothing clever. It
/// shares with the engine only plain values, random streams, distributions and key hashes.
#pragma once

#include "partsim/engine/engine.hpp"

namespace partsim {

struct NaiveResult {
  std::vector<AttemptRecord> attempts;  // in the order they happened
  std::vector<ClientResult> clients;    // every member filled
  /// By id, retired ones included; all but the peaks, `burst_mru` and `ttl_mru` filled.
  std::vector<PartitionResult> partitions;
  std::vector<LayoutEvent> layout_events;  // all but `asked_ns` and most reasons filled
  std::uint64_t digest = 0;
};

[[nodiscard]] NaiveResult naive_run(const Scenario& scenario);

}  // namespace partsim
