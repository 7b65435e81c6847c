/// Recorded requests, row by row. Who calls run() brings them; the run itself reads no file.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "partsim/core/units.hpp"
#include "partsim/keys/component.hpp"
#include "partsim/scenario/scenario.hpp"

namespace partsim {

/// One recorded request. What it points to is good until the next row is read.
struct TraceRow {
  Nanoseconds time_ns = 0;  // since any instant; rows come in order of it
  std::optional<OperationKind> kind;
  std::optional<MilliRu> charge_mru;  // 0 .. kMaxRowCharge
  std::optional<Bytes> size_bytes;
  std::span<const KeyComponent> key;          // if TraceColumns asked for it
  std::span<const std::string_view> columns;  // those that TraceColumns named, in its order
};

/// No request of a recording costs more; the hot loop has 32 bits for a charge.
inline constexpr MilliRu kMaxRowCharge = 4'000'000'000;

/// What a run wants to know of each row besides its time.
struct TraceColumns {
  std::size_t key_levels = 0;  // of its own key: none is wanted, one, or up to this many
  std::vector<std::string> names;
};

/// What became of the rows of a file.
struct TraceCounts {
  std::uint64_t read = 0;       // rows that were replayed
  std::uint64_t throttled = 0;  // left out: refusals (429) of the recording
  std::uint64_t bad = 0;        // left out: could not be read, and the caller said to go on
  bool complete = false;        // whether the run came to the last row
};

class TraceRows {
 public:
  TraceRows() = default;
  TraceRows(const TraceRows&) = delete;
  TraceRows& operator=(const TraceRows&) = delete;
  virtual ~TraceRows() = default;

  /// The next row, nullptr after the last. Throws TraceError.
  [[nodiscard]] virtual const TraceRow* next() = 0;
  /// Rows left out so far; `read` is counted by the run.
  [[nodiscard]] virtual TraceCounts left_out() const { return {}; }
};

/// Why a recording cannot be replayed; ends the run that reads it.
class TraceError : public std::runtime_error {
 public:
  enum class Kind : std::uint8_t { content, file };
  TraceError(Kind kind, const std::string& message) : std::runtime_error(message), kind_(kind) {}
  /// Whether what the file says is wrong, or the file cannot be read at all.
  [[nodiscard]] Kind kind() const noexcept { return kind_; }

 private:
  Kind kind_;
};

/// Begins to read a recording; called once by each run that replays it.
using TraceOpener =
    std::function<std::unique_ptr<TraceRows>(const TraceReplay&, const TraceColumns&)>;

}  // namespace partsim
