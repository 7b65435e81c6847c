#include "request_join.hpp"

#include <algorithm>

#include "text.hpp"
#include "trace_values.hpp"

namespace partsim {

RequestJoin::RequestJoin(const std::string& path, bool skip_bad_rows)
    : reader_(path),
      header_(read_header(reader_)),
      skip_bad_rows_(skip_bad_rows),
      entries_(kKnown),
      heads_(kPlaces, 0) {
  if (header_.activity == TraceHeader::kNone) {
    bad_content(reader_, "no column 'ActivityId', by which requests are found");
  }
}

Hash128 RequestJoin::id_of(std::string_view text) {
  lower_.assign(text);
  for (char& c : lower_) {
    const bool is_upper = static_cast<unsigned char>(c - 'A') < 26;
    c = static_cast<char>(c | (is_upper ? 0x20 : 0));  // no jump: a loop of vectors
  }
  return murmur3_x64_128(lower_);
}

/// What is wrong with the row, or nothing.
std::string RequestJoin::read_fields(Entry& entry) {
  const auto& fields = reader_.fields();
  if (!reader_.fault().empty()) {
    return reader_.fault();
  }
  if (fields.size() != header_.names.size()) {
    return std::to_string(fields.size()) + " fields, expected " +
           std::to_string(header_.names.size()) + " as in the first line";
  }
  const auto time = clock_.read(fields[header_.time]);
  if (!time) {
    return "the time is " + quoted(fields[header_.time]) +
           ", expected seconds or an instant such as 2024-01-31T16:05:06.789Z";
  }
  entry = {id_of(fields[header_.activity]), *time, {}, 0};
  Request& request = entry.request;
  const auto number = [&](std::size_t column, std::int32_t& value) {
    if (column == TraceHeader::kNone || fields[column].empty()) {
      return true;
    }
    const auto read = trace_number(fields[column]);
    value = static_cast<std::int32_t>(
        std::min<std::int64_t>(read.value_or(RequestJoin::kUnknown), INT32_MAX));
    return read.has_value();
  };
  if (!number(header_.status, request.status)) {
    return "the status is " + quoted(fields[header_.status]) + ", expected a number such as 429";
  }
  if (!number(header_.request_length, request.sent_bytes) ||
      !number(header_.response_length, request.received_bytes)) {
    return "a length is no number of bytes";
  }
  return {};
}

void RequestJoin::read_one() {
  if (!reader_.next()) {
    ended_ = true;
    return;
  }
  Entry read;
  const std::string wrong = read_fields(read);
  if (!wrong.empty()) {
    if (!skip_bad_rows_) {
      bad_content(reader_, wrong);
    }
    ++bad_rows_;
    return;
  }
  if (end_ > 1 && read.time_ns < entry(end_ - 1).time_ns) {
    bad_content(reader_, "earlier than the row before; sort the file by time");
  }
  std::uint32_t& head = heads_[read.id.h1 % kPlaces];
  read.older = head;
  head = static_cast<std::uint32_t>(end_);
  entry(end_++) = read;
}

/// The newest request with this id up to the row's time, else the oldest of those read after it.
const RequestJoin::Request* RequestJoin::known_request(const Hash128& id) {
  const Request* found = nullptr;
  std::uint64_t newer = end_;
  std::uint32_t low = heads_[id.h1 % kPlaces];
  for (;;) {
    const std::uint32_t distance = static_cast<std::uint32_t>(newer) - low;
    if (distance == 0 || distance > newer - oldest_) {
      return found;
    }
    newer -= distance;
    const Entry& known = entry(newer);
    if (known.id == id) {
      found = &known.request;
      if (newer < later_) {
        return found;
      }
    }
    low = known.older;
  }
}

const RequestJoin::Request* RequestJoin::find(std::string_view activity_id, Nanoseconds time_ns) {
  for (;;) {
    while (later_ < end_ && entry(later_).time_ns <= time_ns) {
      ++later_;
    }
    oldest_ = later_ - oldest_ > kWindow ? later_ - kWindow : oldest_;
    if (later_ < end_ || ended_) {
      break;
    }
    read_one();
  }
  // Most are there by now; what is read no sooner than it is needed is still in the caches.
  const Hash128 id = id_of(activity_id);
  const Request* found = known_request(id);
  while (found == nullptr && !ended_ && end_ - later_ < kWindow) {
    const std::uint64_t before = end_;
    read_one();
    if (end_ > before && entry(before).id == id) {
      found = &entry(before).request;
    }
  }
  return found;
}

}  // namespace partsim
