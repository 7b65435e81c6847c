#include "partsim/workload/stored_bytes.hpp"

#include "partsim/workload/trace_feed.hpp"

namespace partsim {

StoredBytes::StoredBytes(const Rule& rule, const SizeChoice& sizes, std::uint64_t seed,
                         std::string_view client)
    : rule_(rule), sizes_(sizes, seed, client), existing_(seed, client, "existing") {
  const bool never_adds = rule.items == 0 || rule.existing_ppm >= kMillion;
  varies_ = !never_adds && (sizes.varies() || rule.existing_ppm > 0);
  fixed_ = never_adds ? 0 : rule.items * with_index(sizes.smallest(), rule.index_ppm);
}

Bytes StoredBytes::row_size(std::uint64_t operation) const noexcept {
  const Bytes stated = rows_->record(operation).size_bytes;
  return stated == TraceFeed::kNotStated ? sizes_.size(operation) : stated;
}

}  // namespace partsim
