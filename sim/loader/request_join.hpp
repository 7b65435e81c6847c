/// CDBDataPlaneRequests beside a trace: status and sizes of its rows, found by ActivityId.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "partsim/core/units.hpp"
#include "partsim/keys/murmur3.hpp"

#include "csv_reader.hpp"
#include "trace_columns.hpp"
#include "trace_values.hpp"

namespace partsim {

/// Both logs are in order of time, but the two rows of a request may differ by a moment. So the
/// 65,536 requests after a row's time are looked at, and as many before it; memory stays bounded.
/// Of several with one id it is the newest up to the row's time, else the first after it.
class RequestJoin {
 public:
  static constexpr std::size_t kWindow = 65'536;
  static constexpr std::int32_t kUnknown = -1;

  /// Lengths above two thousand million are that: no item comes near.
  struct Request {
    std::int32_t status = kUnknown;
    std::int32_t sent_bytes = kUnknown;
    std::int32_t received_bytes = kUnknown;
  };

  RequestJoin(const std::string& path, bool skip_bad_rows);
  /// The request with this id, or nullptr. Times never fall.
  [[nodiscard]] const Request* find(std::string_view activity_id, Nanoseconds time_ns);
  [[nodiscard]] std::uint64_t bad_rows() const noexcept { return bad_rows_; }

 private:
  struct Entry {
    Hash128 id{};
    Nanoseconds time_ns = 0;
    Request request;
    std::uint32_t older = 0;  // the low bits of the number of one with the same place in heads_
  };
  /// Never more are known: a window before the last row's time, a window after it.
  static constexpr std::size_t kKnown = 2 * kWindow;
  static constexpr std::size_t kPlaces = 4 * kWindow;
  [[nodiscard]] Entry& entry(std::uint64_t number) { return entries_[number % kKnown]; }

  /// Ids are compared by a hash of 128 bits, in any case.
  [[nodiscard]] Hash128 id_of(std::string_view text);
  [[nodiscard]] const Request* known_request(const Hash128& id);
  void read_one();
  [[nodiscard]] std::string read_fields(Entry& entry);

  CsvReader reader_;
  TraceHeader header_;
  TraceClock clock_;
  bool skip_bad_rows_;
  bool ended_ = false;
  // Requests are numbered from 1 as they are read; a chain ends at a number that was forgotten, so
  // forgetting is only to count up. Chains hold the low bits of numbers, so that they stay in the
  // caches; a number that has come round names a known request of another id, which does no harm.
  std::vector<Entry> entries_;
  std::vector<std::uint32_t> heads_;  // newest of each chain, by the id's hash
  std::uint64_t oldest_ = 1;          // that is known
  std::uint64_t later_ = 1;           // first that is after the last row's time
  std::uint64_t end_ = 1;
  std::uint64_t bad_rows_ = 0;
  std::string lower_;  // scratch
};

}  // namespace partsim
