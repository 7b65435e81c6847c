/// What happened to a layout: who split, when, why, and what it had before and after.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "partsim/core/time.hpp"

namespace partsim {

enum class LayoutEventKind : std::uint8_t { split, merge, scale, redistribute, refused };
/// Why: a request for throughput, storage over its limit, sustained heat, a merge that was asked
/// for.
enum class LayoutCause : std::uint8_t { throughput, storage, heat, request };

/// A change of the layout or of the shares, or one that the service refused.
struct LayoutEvent {
  struct Slice {  // one partition before or after
    std::uint32_t partition = 0;
    std::int64_t width_q32 = 0;  // of the key space, in parts of 2^32
    MilliRu share_mru_per_s = 0;
    Bytes storage_bytes = 0;
  };
  Nanoseconds at_ns = 0;     // when it took effect
  Nanoseconds asked_ns = 0;  // when it was asked for, or became due
  LayoutEventKind kind = LayoutEventKind::split;
  LayoutCause cause = LayoutCause::throughput;
  std::string container;
  std::vector<Slice> before;  // split, merge: those that go; scale, redistribute: all, by id
  std::vector<Slice> after;
  MilliRu total_before_mru = 0;
  MilliRu total_after_mru = 0;  // bought; what the shares sum to may be less (the cap)
  std::string reason;           // refused: in the words of the service, e.g. "423: ..."
};

}  // namespace partsim
