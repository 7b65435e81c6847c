/// What every partition's share was at every instant, put together again from what was bought and
/// from the layout events of a run, by the rules of docs/MODEL.md sections 4, 10 and 11.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "partsim/metrics/run_result.hpp"
#include "partsim/scenario/pools.hpp"
#include "partsim/scenario/scenario.hpp"

namespace partsim {

struct ShareHistory {
  /// (from, share) of every partition that ever was.
  std::map<std::uint32_t, std::vector<std::pair<Nanoseconds, Share>>> shares;
  /// The first event after which the shares of a pool were neither what was bought for it nor short
  /// of it for a reason that has a name, or that contradicts an earlier one; "" if there is none.
  std::string complaint;
  int changes = 0;        // events after which all of that was looked at
  int capped = 0;         // ... after which a redistributed pool had a partition at its limit
  int rounded = 0;        // ... after which its shares missed less than one mRU each
  int split_targets = 0;  // ... that doubled what a partition may have, by splitting it

  [[nodiscard]] Share at(std::uint32_t partition, Nanoseconds t) const;
};

[[nodiscard]] ShareHistory share_history(const Scenario& scenario, const RunResult& result);

}  // namespace partsim
