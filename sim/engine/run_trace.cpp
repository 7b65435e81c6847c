// Clients that replay a trace. docs/WORKLOAD.md section 7.
#include "run.hpp"

namespace partsim {

/// How far a step may go: rows are read in blocks, and a step sends at most a block or what falls
/// on one instant.
Nanoseconds Run::trace_horizon_ns() {
  Nanoseconds horizon = kNever;
  for (const auto& feed : feeds_) {
    if (feed) {
      horizon = std::min(horizon, feed->read_ahead(now_ns_));
    }
  }
  return horizon;
}

/// Rows that something may still ask for: what waits, and what hot and large keys are known by.
std::vector<std::uint64_t> Run::live_rows(std::uint32_t client) const {
  std::vector<std::uint64_t> rows;
  const auto keep = [&](std::uint64_t id) {
    if (RequestId::client(id) == client) {
      rows.push_back(RequestId::operation(id));
    }
  };
  rows.insert(rows.end(), agents_[client].waiting.begin(), agents_[client].waiting.end());
  answers_.for_each([&](const Answer& answer) { keep(answer.sent.id); });
  const std::uint32_t container = scenario_.clients[client].container;
  const bool by_row = feeds_[client]->holds_keys();
  for (const std::uint32_t id : alive_) {
    PartitionLoop& loop = *partitions_[id].loop;
    loop.waiting().for_each([&](const WaitingRetry& retry) { keep(retry.id); });
    if (by_row) {
      loop.expiring().for_each([&](const ExpiringItems& items) {
        if (items.container == container) {
          keep(items.key.witness.first);
        }
      });
    }
  }
  if (by_row) {
    const auto keep_witness = [&](const HeavyHitters::Witness& witness) { keep(witness.first); };
    containers_[container]->router.for_each_witness(keep_witness);
    if (containers_[container]->book) {
      containers_[container]->book->for_each_witness(keep_witness);
    }
  }
  return rows;
}

void Run::sweep_traces() {
  for (std::uint32_t i = 0; i < feeds_.size(); ++i) {
    if (feeds_[i] && feeds_[i]->wants_sweep()) {
      feeds_[i]->sweep(live_rows(i));
    }
  }
}

}  // namespace partsim
