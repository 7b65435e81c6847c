#include "partsim/workload/storage_book.hpp"

#include <algorithm>

namespace partsim {
namespace {

__extension__ using Wide = __int128;

Bytes old_below(HashVersion hash, const HashRange& range, const HashPoint& cut, Bytes old_bytes) {
  const auto width = static_cast<Wide>(range_width_q32(hash, range));
  const auto below = static_cast<Wide>(range_width_q32(hash, {range.min, cut, false}));
  return width > 0 ? static_cast<Bytes>(old_bytes * below / width) : 0;
}

}  // namespace

Bytes StorageBook::store_initially(Bytes bytes) {
  const std::uint64_t combinations = router_->combinations();
  if (bytes == 0 || combinations == 0) {
    return bytes;
  }
  std::vector<std::vector<double>> probabilities;
  for (const KeyAxis& axis : router_->keys().axes()) {
    probabilities.push_back(axis.choice.probabilities());
  }
  Bytes left = bytes;
  for (std::uint64_t i = combinations; i-- > 0;) {
    const KeyChoice choice = router_->combination(i);
    double p = 1;
    for (std::size_t axis = 0; axis < probabilities.size(); ++axis) {
      p *= probabilities[axis][choice.index[axis]];
    }
    const auto part = i == 0 ? left : static_cast<Bytes>(static_cast<double>(bytes) * p);
    add(router_->key_of(choice, 0), std::min(part, left));
    left -= std::min(part, left);
  }
  return 0;
}

Router::KeyRef StorageBook::key_of(std::uint64_t request_id, Nanoseconds first_send_ns) {
  router_->keys().choose_at(streams_of_[RequestId::client(request_id)],
                            RequestId::operation(request_id), first_send_ns, choice_);
  return router_->key_of(choice_, request_id);
}

std::vector<StorageBook::Key> StorageBook::keys_in(const HashRange& range) {
  std::vector<Key> keys;
  bytes_.for_each([&](const HeavyHitters::Entry& entry) {
    const HashPoint point = router_->keys().point(router_->choice_of(entry.witness, streams_of_));
    if (range.contains(point)) {
      keys.push_back({point, static_cast<Bytes>(entry.weight)});
    }
  });
  std::sort(keys.begin(), keys.end(),
            [](const Key& a, const Key& b) { return (a.point <=> b.point) < 0; });
  return keys;
}

std::vector<StorageBook::Large> StorageBook::largest(std::size_t limit) {
  std::vector<Large> keys;
  for (const HeavyHitters::Entry& entry : bytes_.top(limit)) {
    const KeyChoice choice = router_->choice_of(entry.witness, streams_of_);
    keys.push_back({router_->keys().text(choice), router_->owner(choice, 0, 0),
                    static_cast<Bytes>(entry.weight)});
  }
  return keys;
}

Bytes bytes_below(HashVersion hash, const HashRange& range, const HashPoint& cut,
                  std::span<const StorageBook::Key> keys, Bytes old_bytes) {
  Bytes below = old_below(hash, range, cut, old_bytes);
  for (const StorageBook::Key& key : keys) {
    below += key.point < cut ? key.bytes : 0;
  }
  return below;
}

std::optional<HashPoint> data_median(HashVersion hash, const HashRange& range,
                                     const HashPoint& middle,
                                     std::span<const StorageBook::Key> keys, Bytes old_bytes) {
  Bytes all = old_bytes;
  for (const StorageBook::Key& key : keys) {
    all += key.bytes;
  }
  std::optional<HashPoint> best;
  Bytes best_difference = 0;
  const auto consider = [&](const HashPoint& cut, Bytes keys_below) {
    const Bytes below = keys_below + old_below(hash, range, cut, old_bytes);
    const bool inside = cut > range.min && range.contains(cut);
    if (!inside || below <= 0 || below >= all) {
      return;
    }
    const Bytes difference = 2 * below > all ? 2 * below - all : all - 2 * below;
    if (!best || difference < best_difference || (difference == best_difference && cut < *best)) {
      best = cut;
      best_difference = difference;
    }
  };
  Bytes keys_below = 0;
  Bytes below_middle = 0;
  const HashPoint* before = nullptr;
  for (const StorageBook::Key& key : keys) {
    // containers that share a partition may have the same key; all of it lies above the cut
    if (before == nullptr || *before != key.point) {
      consider(key.point, keys_below);
    }
    before = &key.point;
    keys_below += key.bytes;
    below_middle += key.point < middle ? key.bytes : 0;
  }
  consider(middle, below_middle);
  return best;
}

}  // namespace partsim
