// What a pool tells of its changes.
#include <algorithm>
#include <utility>

#include "partsim/service/pool.hpp"

namespace partsim {

LayoutEvent::Slice Pool::slice(const PoolPartition& partition) const {
  return {partition.id, static_cast<std::int64_t>(range_width_q32(layout_.hash, partition.range)),
          partition.share.sum(), host_->stored_bytes(partition.id)};
}

std::vector<LayoutEvent::Slice> Pool::slices() const {
  std::vector<LayoutEvent::Slice> all;
  for (const PoolPartition& partition : partitions_) {
    all.push_back(slice(partition));
  }
  std::sort(all.begin(), all.end(), [](const LayoutEvent::Slice& a, const LayoutEvent::Slice& b) {
    return a.partition < b.partition;
  });
  return all;
}

LayoutEvent Pool::event(LayoutEventKind kind, LayoutCause cause, Nanoseconds now,
                        Nanoseconds asked) const {
  LayoutEvent result;
  result.at_ns = now;
  result.asked_ns = asked;
  result.kind = kind;
  result.cause = cause;
  result.container = spec_.name;
  result.total_before_mru = total_mru();
  result.total_after_mru = total_mru();
  return result;
}

void Pool::refuse(Nanoseconds now, Nanoseconds asked, LayoutCause cause, std::string reason) {
  LayoutEvent refused = event(LayoutEventKind::refused, cause, now, asked);
  refused.reason = std::move(reason);
  host_->record(std::move(refused));
}

}  // namespace partsim
