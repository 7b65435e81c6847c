/// docs/MODEL.md a second time: one global ordered queue, maps and strings, nothing clever. It
/// shares with the engine only plain values, random streams, distributions and key hashes.
#pragma once

#include "partsim/engine/engine.hpp"

namespace partsim {

struct NaiveResult {
  std::vector<AttemptRecord> attempts;      // in the order they happened
  std::vector<ClientResult> clients;        // every member filled
  std::vector<PartitionResult> partitions;  // id, share, counters and storage filled
  std::uint64_t digest = 0;
};

[[nodiscard]] NaiveResult naive_run(const Scenario& scenario);

}  // namespace partsim
