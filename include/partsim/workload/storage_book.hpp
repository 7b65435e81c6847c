/// How many bytes every logical partition of a container holds, in bounded memory.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "partsim/core/heavy_hitters.hpp"
#include "partsim/workload/router.hpp"

namespace partsim {

/// Exact for up to 2^20 keys. Beyond that a sketch that understates a key by at most
/// total / 2^19 bytes: it never misses one above a hundredth of a 20 GB limit until the container
/// holds 100 TB.
class StorageBook {
 public:
  /// `streams_of` gives the key streams of every client of the scenario, by its index; both must
  /// outlive the book.
  StorageBook(Router& router, std::span<const KeyStreams> streams_of)
      : router_(&router), streams_of_(streams_of), bytes_(1U << 20) {}

  /// Spreads what is stored at the start by the popularity of the keys. Returns what belongs to no
  /// key that will be written again.
  [[nodiscard]] Bytes store_initially(Bytes bytes);

  /// The logical partition of a request.
  [[nodiscard]] Router::KeyRef key_of(std::uint64_t request_id, Nanoseconds first_send_ns);
  [[nodiscard]] Bytes bytes_of(const Router::KeyRef& key) const noexcept {
    return static_cast<Bytes>(bytes_.weight(key.hash));
  }
  void add(const Router::KeyRef& key, Bytes bytes) {
    bytes_.add(key.hash, static_cast<std::uint64_t>(bytes), key.witness);
  }

  /// Takes at most what the key holds; returns how much that was.
  Bytes subtract(const Router::KeyRef& key, Bytes bytes) noexcept {
    return static_cast<Bytes>(bytes_.subtract(key.hash, static_cast<std::uint64_t>(bytes)));
  }
  /// Who owns a key now.
  [[nodiscard]] std::uint32_t owner(const Router::KeyRef& key) {
    return router_->owner(router_->choice_of(key.witness, streams_of_), 0, 0);
  }

  struct Key {
    HashPoint point;
    Bytes bytes;
  };
  /// Keys in a range that hold bytes, by point.
  [[nodiscard]] std::vector<Key> keys_in(const HashRange& range);

  /// What finds each of its keys again.
  template <class Handle>
  void for_each_witness(Handle&& handle) const {
    bytes_.for_each([&](const HeavyHitters::Entry& entry) { handle(entry.witness); });
  }

  struct Large {
    std::string key;
    std::uint32_t partition;
    Bytes bytes;
  };
  [[nodiscard]] std::vector<Large> largest(std::size_t limit);

 private:
  Router* router_;
  std::span<const KeyStreams> streams_of_;
  HeavyHitters bytes_;
  KeyChoice choice_;  // scratch
};

/// Where the data of a range halve best: at one of its keys or at `middle`. `old_bytes` belong to
/// no key and are spread evenly. Nothing if no cut leaves data on both sides.
[[nodiscard]] std::optional<HashPoint> data_median(HashVersion hash, const HashRange& range,
                                                   const HashPoint& middle,
                                                   std::span<const StorageBook::Key> keys,
                                                   Bytes old_bytes);

/// Bytes below a cut: those of keys, and old data by the width of the key space.
[[nodiscard]] Bytes bytes_below(HashVersion hash, const HashRange& range, const HashPoint& cut,
                                std::span<const StorageBook::Key> keys, Bytes old_bytes);

}  // namespace partsim
