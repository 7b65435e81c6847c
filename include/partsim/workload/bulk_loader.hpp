/// A bulk load: as many operations at a time as the partitions take without throttling.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <vector>

#include "partsim/scenario/scenario.hpp"
#include "partsim/workload/pacer.hpp"

namespace partsim {

/// The congestion control of the .NET SDK's bulk mode: each physical partition has a degree of
/// concurrency that is looked at once a second. It grows by one after a second without throttling
/// and shrinks by up to five after one with.
class BulkLoader final : public Pacer {
 public:
  /// The partition that owns an operation's key now.
  using OwnerOf = std::function<std::uint32_t(std::uint64_t operation)>;

  BulkLoader(const BulkLoad& load, OwnerOf owner_of);

  [[nodiscard]] Nanoseconds next_ns() override { return next_look_ns_; }
  [[nodiscard]] bool acts_before_answers() const noexcept override { return true; }
  void act(Nanoseconds now, SendList& send) override;
  void ended(const End& end, SendList& send) override;
  void throttled(std::uint64_t operation) override;
  void relayout(SendList& send) override;

 private:
  struct Lane {                        // of one partition
    std::vector<std::uint64_t> queue;  // highest number first: the next is at the back
    std::uint32_t degree = 1;
    std::uint64_t under_way = 0;
    bool was_throttled = false;  // since the last look
    bool has_ended = false;
  };

  void fill_queues();
  void send_what_fits(SendList& send);
  void send_from(std::uint32_t partition, Lane& lane, SendList& send);

  BulkLoad load_;
  OwnerOf owner_of_;
  Nanoseconds next_look_ns_;
  std::uint64_t left_;  // operations that have not ended
  std::map<std::uint32_t, Lane> lanes_;
  std::map<std::uint64_t, std::uint32_t> lane_of_;  // of what is under way
};

}  // namespace partsim
