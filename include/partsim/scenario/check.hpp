/// Checks that need more than one value of the scenario. The loader adds the place in the file.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "partsim/scenario/scenario.hpp"

namespace partsim {

struct Problem {
  /// YAML path of the value to point at: "container.partition_key",
  /// "clients.lookup.operations.0.charge". Members of a list of names go by their text
  /// ("...given.vin"), since the spec keeps them sorted. Containers go by "containers.NAME", but
  /// the only one, if it is called "main", by "container".
  std::string path;
  std::string message;
  std::string hint;         // may be empty
  bool over_limit = false;  // exit code 4 instead of 2
};

/// More estimated requests than this are refused before the run, unless the caller raises it.
inline constexpr std::uint64_t kDefaultMaxRequests = 10'000'000'000;
inline constexpr std::uint32_t kMaxPartitions = 10'000;
/// Requests carry their charge in 32 bits and their operation in 16.
inline constexpr MilliRu kMaxChargeMilliRu = 4'000'000 * kMilliPerRu;
inline constexpr std::size_t kMaxOperationPlans = 65'535;
/// The dearest request at the slowest pace still ends within 63 bits of nanoseconds.
inline constexpr Nanoseconds kMaxNanosecondsPerRu = kSecond;
inline constexpr Nanoseconds kMaxServiceTime = kHour;
/// Ten years, leap days included.
inline constexpr Nanoseconds kMaxDuration = 3'653 * kDay;

/// All problems of a scenario; empty means `run` accepts it. Never throws.
[[nodiscard]] std::vector<Problem> check(const Scenario& scenario,
                                         std::uint64_t max_requests = kDefaultMaxRequests);

/// Attempts the run will make, roughly: arrivals times the requests of each, before retries.
[[nodiscard]] double estimated_requests(const Scenario& scenario);

}  // namespace partsim
