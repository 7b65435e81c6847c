#include "partsim/workload/bulk_loader.hpp"

#include <algorithm>
#include <functional>
#include <utility>

namespace partsim {
namespace {

constexpr Nanoseconds kLookEvery = kSecond;
constexpr std::uint32_t kMostShrink = 5;

}  // namespace

BulkLoader::BulkLoader(const BulkLoad& load, OwnerOf owner_of)
    : load_(load), owner_of_(std::move(owner_of)), next_look_ns_(load.at_ns), left_(load.count) {}

void BulkLoader::fill_queues() {
  for (std::uint64_t operation = load_.count; operation-- > 0;) {
    lanes_[owner_of_(operation)].queue.push_back(operation);
  }
}

void BulkLoader::send_from(std::uint32_t partition, Lane& lane, SendList& send) {
  const std::uint64_t most = std::uint64_t{lane.degree} * load_.batch;
  for (; lane.under_way < most && !lane.queue.empty(); ++lane.under_way) {
    lane_of_[lane.queue.back()] = partition;
    send.push_back(lane.queue.back());
    lane.queue.pop_back();
  }
}

void BulkLoader::send_what_fits(SendList& send) {
  for (auto& [partition, lane] : lanes_) {
    send_from(partition, lane, send);
  }
  std::sort(send.begin(), send.end());
}

void BulkLoader::act(Nanoseconds now, SendList& send) {
  if (now == load_.at_ns) {
    fill_queues();
  }
  for (auto& [partition, lane] : lanes_) {
    if (lane.was_throttled) {
      lane.degree -= std::min(kMostShrink, lane.degree / 2);
    } else if (lane.has_ended && lane.degree < load_.most_degrees) {
      ++lane.degree;
    }
    lane.was_throttled = false;
    lane.has_ended = false;
  }
  send_what_fits(send);
  next_look_ns_ = left_ > 0 ? now + kLookEvery : kNever;
}

void BulkLoader::ended(const End& end, SendList& send) {
  const auto found = lane_of_.find(end.operation);
  const std::uint32_t partition = found->second;
  Lane& lane = lanes_[partition];
  lane_of_.erase(found);
  --left_;
  --lane.under_way;
  lane.has_ended = lane.has_ended || end.answered;
  send_from(partition, lane, send);
}

void BulkLoader::throttled(std::uint64_t operation) {
  lanes_[lane_of_.at(operation)].was_throttled = true;
}

/// Everything goes to the lane of who owns it now. A new partition starts with the largest degree
/// of those it takes over from, and has seen nothing yet.
void BulkLoader::relayout(SendList& send) {
  std::map<std::uint32_t, Lane> old;
  old.swap(lanes_);
  const auto lane_for = [&](std::uint32_t owner, const Lane& from) -> Lane& {
    const auto [place, is_new] = lanes_.try_emplace(owner);
    Lane& lane = place->second;
    const auto before = old.find(owner);
    if (is_new && before != old.end()) {
      lane.degree = before->second.degree;
      lane.was_throttled = before->second.was_throttled;
      lane.has_ended = before->second.has_ended;
    }
    lane.degree = std::max(lane.degree, from.degree);
    return lane;
  };
  for (auto& [operation, partition] : lane_of_) {
    const Lane& from = old.at(partition);
    partition = owner_of_(operation);
    ++lane_for(partition, from).under_way;
  }
  for (const auto& [partition, lane] : old) {
    for (const std::uint64_t operation : lane.queue) {
      lane_for(owner_of_(operation), lane).queue.push_back(operation);
    }
  }
  for (auto& [partition, lane] : lanes_) {
    std::sort(lane.queue.begin(), lane.queue.end(), std::greater<>());
  }
  send_what_fits(send);
}

}  // namespace partsim
