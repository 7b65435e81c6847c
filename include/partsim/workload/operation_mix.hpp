/// Which operation of a client's mix an operation number is.
#pragma once

#include <cstdint>
#include <vector>

#include "partsim/core/rng.hpp"
#include "partsim/core/time.hpp"
#include "partsim/scenario/scenario.hpp"

namespace partsim {

class OperationMix {
 public:
  OperationMix() = default;
  OperationMix(const ClientSpec& client, std::uint64_t seed)
      : stream_(seed, client.name, "operation") {
    std::uint32_t until = 0;
    for (const OperationSpec& operation : client.operations) {
      until += static_cast<std::uint32_t>(operation.share_ppm);
      until_ppm_.push_back(until);
    }
  }

  /// Index into the client's operations.
  [[nodiscard]] std::uint32_t pick(std::uint64_t operation) const noexcept {
    if (until_ppm_.size() == 1) {
      return 0;
    }
    const std::uint64_t u = bounded(stream_.draw(operation), kMillion);
    std::uint32_t pick = 0;
    while (u >= until_ppm_[pick]) {
      ++pick;
    }
    return pick;
  }

 private:
  RngStream stream_;
  std::vector<std::uint32_t> until_ppm_;  // running sums of the shares
};

}  // namespace partsim
