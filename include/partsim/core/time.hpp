/// Amounts of the model: all integers, the unit at the end of the name.
///
/// `_ns` nanoseconds since the run began (or a length), `_mru` milli-RU, `_bytes` bytes,
/// `_ppm` parts per million. Floating point appears only in sampling and in reports.
#pragma once

#include <cstdint>

namespace partsim {

using Nanoseconds = std::int64_t;
using MilliRu = std::int64_t;
using Bytes = std::int64_t;

inline constexpr Nanoseconds kMicrosecond = 1'000;
inline constexpr Nanoseconds kMillisecond = 1'000'000;
inline constexpr Nanoseconds kSecond = 1'000'000'000;
inline constexpr Nanoseconds kMinute = 60 * kSecond;
inline constexpr Nanoseconds kHour = 60 * kMinute;
inline constexpr Nanoseconds kDay = 24 * kHour;
/// Farther than any simulated instant; safe to add a century to.
inline constexpr Nanoseconds kNever = INT64_MAX / 2;

inline constexpr std::int64_t kMilliPerRu = 1'000;
inline constexpr std::int64_t kMillion = 1'000'000;
inline constexpr Bytes kKilobyte = 1024;
inline constexpr Bytes kGigabyte = kKilobyte * kKilobyte * kKilobyte;

}  // namespace partsim
