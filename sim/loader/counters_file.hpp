/// Per-minute counters of a container (Azure Monitor) from text to numbers. Private to the loader.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "partsim/core/units.hpp"

#include "tree.hpp"

namespace partsim {

/// RU of a time span for each partition, or how much of its throughput was used in its busiest
/// second.
struct Counters {
  bool is_normalized = false;           // then amounts are millionths of 1 %, else of 1 RU
  Nanoseconds span_ns = 60 * kSecond;   // each entry covers so long: the least gap of two
  std::vector<std::string> partitions;  // ids, numbers by value; empty: no such column
  std::vector<Nanoseconds> times_ns;    // since the first, rising
  std::vector<std::vector<std::int64_t>> amounts;  // a time: one number a partition, or one
};

inline constexpr std::size_t kMaxCounterTimes = 50'000;
inline constexpr std::size_t kMaxCounterPartitions = 10'000;
inline constexpr std::size_t kMaxCounterValues = 10'000'000;

/// What is wrong is added to `faults`, at its place in the file.
[[nodiscard]] Counters read_counters(std::string_view text, std::uint32_t origin,
                                     std::vector<Fault>& faults);

}  // namespace partsim
