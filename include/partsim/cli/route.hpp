/// `partsim route`: key values in, effective partition key and owner out, one line each.
///
/// A key is one JSON array of components a line, `["contoso", 5, null]`; undefined is written
/// `{"undefined":true}` or, as on the wire, `{}`. The answer is `{"epk":"…","partition":3}`.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "partsim/keys/epk.hpp"

namespace partsim {

/// A longer line is refused, so that a file without line ends cannot eat the memory.
inline constexpr std::size_t kRouteLineMax = std::size_t{1} << 20;

struct RouteOptions {
  HashVersion hash = HashVersion::v2;
  std::uint32_t partitions = 1;  // 1 .. kMaxRanges, laid out by `initial_ranges`
  /// Once set, what has been read is answered and the stream ends as `stopped`.
  const std::atomic<bool>* stop = nullptr;
};

enum class RouteStatus : std::uint8_t {
  ok,
  bad_input,
  over_limit,
  cannot_read,
  cannot_write,
  stopped
};

/// 0, 2, 4, 3, 3, 130: the program's exit codes. Who knows the signal that stopped it knows better.
[[nodiscard]] int route_exit_code(RouteStatus status) noexcept;

/// Fills a part of the buffer and returns how much; 0 at the end, negative if reading failed.
using RouteReader = std::function<std::ptrdiff_t(std::span<char>)>;
/// Takes all of the text, or returns false.
using RouteWriter = std::function<bool(std::string_view)>;

/// Plain read() and write() of a file descriptor, carried on after a short write or a signal. With
/// `stop`, waiting for input ends soon after it is set.
[[nodiscard]] RouteReader descriptor_reader(int descriptor,
                                            const std::atomic<bool>* stop = nullptr);
[[nodiscard]] RouteWriter descriptor_writer(int descriptor);

struct RouteResult {
  RouteStatus status = RouteStatus::ok;
  std::uint64_t keys = 0;  // answers given
  /// One line without its end, `LINE:COLUMN: error: what, expected`; empty when all went well.
  /// Columns count characters, from 1; a failure of the world has no place: `error: what`.
  std::string error;
};

/// Answers line by line until the input ends or a line is wrong; answers before that line stay
/// written. All complete lines that one read brought are answered before the next read, so the
/// program also serves as a co-process.
[[nodiscard]] RouteResult route_stream(const RouteOptions& options, const RouteReader& read,
                                       const RouteWriter& write);

/// Keys from the command line. An argument that begins with `[` is a JSON array as in a stream;
/// any other is one string component, taken as it is (`5` is the text "5", `[5]` the number).
/// Errors name the argument, from 1: `argument 2:5: error: what, expected`.
[[nodiscard]] RouteResult route_arguments(const RouteOptions& options,
                                          std::span<const std::string> keys,
                                          const RouteWriter& write);

}  // namespace partsim
