// A trace as a file: plain CSV, or an export of the service's logs. docs/TRACES.md.
#include <filesystem>
#include <memory>
#include <utility>

#include "partsim/keys/key_line.hpp"
#include "partsim/keys/utf8.hpp"
#include "partsim/loader/loader.hpp"

#include "csv_reader.hpp"
#include "request_join.hpp"
#include "text.hpp"
#include "trace_columns.hpp"
#include "trace_values.hpp"

namespace partsim {
namespace {

constexpr std::int64_t kThrottled = 429;
constexpr std::size_t kLongestKey = 2'048;

bool is_utf8(std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t length =
        static_cast<unsigned char>(text[at]) < 0x80 ? 1 : utf8_length(text.substr(at));
    if (length == 0) {
      return false;
    }
    at += length;
  }
  return true;
}

bool is_read(OperationKind kind) {
  return kind == OperationKind::read || kind == OperationKind::query ||
         kind == OperationKind::read_feed;
}

class TraceFile final : public TraceRows {
 public:
  struct Setup {
    std::string path;
    std::string requests_path;  // may be empty
    TraceColumns wanted;
    bool skip_bad_rows = false;
  };
  explicit TraceFile(const Setup& setup)
      : reader_(setup.path),
        header_(read_header(reader_)),
        levels_(setup.wanted.key_levels),
        skip_bad_rows_(setup.skip_bad_rows) {
    if (!setup.requests_path.empty()) {
      if (header_.activity == TraceHeader::kNone) {
        bad_content(reader_, "no column 'ActivityId', by which requests are found");
      }
      join_ = std::make_unique<RequestJoin>(setup.requests_path, skip_bad_rows_);
    }
    if (levels_ > 0 && header_.key == TraceHeader::kNone) {
      bad_content(reader_,
                  "no column 'key', and the container has no 'partition_key' to build one from "
                  "other columns");
    }
    for (const std::string& name : setup.wanted.names) {
      columns_.push_back(header_.find(name));
      if (columns_.back() == TraceHeader::kNone) {
        const auto meant = nearest_word(name, header_.names);
        bad_content(reader_, "no column " + partsim::quoted(name) +
                                 (meant ? ", did you mean " + partsim::quoted(*meant) + "?" : ""));
      }
    }
    texts_.resize(columns_.size());
  }

  const TraceRow* next() override {
    while (reader_.next()) {
      wrong_.clear();
      if (!read_row()) {
        if (!skip_bad_rows_) {
          bad_content(reader_, wrong_);
        }
        ++left_out_.bad;
        continue;
      }
      if (row_.time_ns < last_ns_) {
        // not a bad row: leaving out every row that is late would leave a recording of nothing
        bad_content(reader_, "earlier than the row before; sort the file by time");
      }
      last_ns_ = row_.time_ns;
      if (status_ == kThrottled) {
        ++left_out_.throttled;
        continue;
      }
      return &row_;
    }
    return nullptr;
  }

  [[nodiscard]] TraceCounts left_out() const override {
    TraceCounts counts = left_out_;
    counts.bad += join_ ? join_->bad_rows() : 0;
    return counts;
  }

 private:
  bool fail(std::string message) {
    wrong_ = std::move(message);
    return false;
  }
  [[nodiscard]] std::string_view field(std::size_t column) const {
    return column == TraceHeader::kNone ? std::string_view() : reader_.fields()[column];
  }

  bool read_row() {
    if (!reader_.fault().empty()) {
      return fail(reader_.fault());
    }
    if (reader_.fields().size() != header_.names.size()) {
      return fail(std::to_string(reader_.fields().size()) + " fields, expected " +
                  std::to_string(header_.names.size()) + " as in the first line");
    }
    const auto time = clock_.read(field(header_.time));
    if (!time) {
      return fail("the time is " + partsim::quoted(field(header_.time)) +
                  ", expected seconds or an instant such as 2024-01-31T16:05:06.789Z");
    }
    row_.time_ns = *time;
    return read_operation() && read_amounts() && read_lengths() && read_key() && read_columns();
  }

  /// Most rows have the operation of the row before.
  bool read_operation() {
    const std::string_view text = field(header_.operation);
    if (text == operation_) {
      return true;
    }
    const auto kind = text.empty() ? std::nullopt : trace_operation(text);
    if (!text.empty() && !kind) {
      return fail("the operation is " + partsim::quoted(text) +
                  ", expected one such as create, read, query or SqlQuery");
    }
    operation_ = text;
    row_.kind = kind;
    return true;
  }

  bool read_amounts() {
    row_.charge_mru.reset();
    row_.size_bytes.reset();
    status_ = 0;
    if (const std::string_view text = field(header_.charge); !text.empty()) {
      row_.charge_mru = trace_charge(text);
      if (!row_.charge_mru) {
        return fail("the charge is " + partsim::quoted(text) + ", expected RU from 0 to 4000000");
      }
    }
    if (const std::string_view text = field(header_.size); !text.empty()) {
      row_.size_bytes = trace_number(text);
      if (!row_.size_bytes) {
        return fail("the size is " + partsim::quoted(text) + ", expected a number of bytes");
      }
    }
    if (const std::string_view text = field(header_.status); !text.empty()) {
      const auto status = trace_number(text);
      if (!status) {
        return fail("the status is " + partsim::quoted(text) + ", expected a number such as 429");
      }
      status_ = *status;
    }
    return true;
  }

  /// The size of an item, if nothing else tells it, is that of the message that carries it.
  bool read_lengths() {
    Bytes sent = RequestJoin::kUnknown;
    Bytes received = RequestJoin::kUnknown;
    const auto number = [&](std::size_t column, Bytes& value) {
      if (!field(column).empty()) {
        value = trace_number(field(column)).value_or(-2);
      }
      return value != -2;
    };
    if (!number(header_.request_length, sent) || !number(header_.response_length, received)) {
      return fail("a length is no number of bytes");
    }
    if (join_) {
      if (const auto* found = join_->find(field(header_.activity), row_.time_ns)) {
        sent = found->sent_bytes;
        received = found->received_bytes;
        status_ = found->status == RequestJoin::kUnknown ? status_ : found->status;
      }
    }
    const bool reads = row_.kind && is_read(*row_.kind);
    const Bytes length = reads ? received : sent;
    if (!row_.size_bytes && row_.kind && length > 0) {
      row_.size_bytes = length;
    }
    return true;
  }

  bool read_key() {
    if (levels_ == 0) {
      return true;
    }
    const std::string_view text = field(header_.key);
    const bool is_json = text.starts_with('[');
    if (!(is_json ? key_.parse(text, 0) : key_.set_text(text))) {
      return fail("the key is " + partsim::quoted(text) + ": " + key_.error().message);
    }
    row_.key = key_.components();
    if (row_.key.empty() || row_.key.size() > levels_) {
      return fail("the key " + partsim::quoted(text) + " has " + std::to_string(row_.key.size()) +
                  " components, expected " + (levels_ == 1 ? "one" : "one to three"));
    }
    return text.size() <= kLongestKey || fail("a key of more than 2048 bytes");
  }

  bool read_columns() {
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      texts_[i] = field(columns_[i]);
      if (!is_utf8(texts_[i])) {
        return fail(partsim::quoted(header_.names[columns_[i]]) + " is not UTF-8 text");
      }
    }
    row_.columns = texts_;
    return true;
  }

  CsvReader reader_;
  TraceHeader header_;
  TraceClock clock_;
  std::size_t levels_;
  bool skip_bad_rows_;
  std::unique_ptr<RequestJoin> join_;
  std::vector<std::size_t> columns_;  // that were asked for
  std::vector<std::string_view> texts_;
  TraceRow row_;
  KeyLine key_;
  std::string operation_;  // of the row before
  std::int64_t status_ = 0;
  Nanoseconds last_ns_ = 0;
  TraceCounts left_out_;
  std::string wrong_;
};

}  // namespace

TraceOpener traces_beside(const std::string& scenario_path, bool skip_bad_rows) {
  const std::filesystem::path folder = std::filesystem::path(scenario_path).parent_path();
  return [folder, skip_bad_rows](const TraceReplay& replay, const TraceColumns& wanted) {
    TraceFile::Setup setup;
    setup.path = (folder / replay.file).string();
    if (!replay.requests_file.empty()) {
      setup.requests_path = (folder / replay.requests_file).string();
    }
    setup.wanted = wanted;
    setup.skip_bad_rows = skip_bad_rows;
    return std::make_unique<TraceFile>(setup);
  };
}

}  // namespace partsim
