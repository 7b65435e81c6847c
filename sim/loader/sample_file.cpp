// A sample of items as a file.
#include <algorithm>
#include <cstddef>
#include <memory>

#include "partsim/keys/utf8.hpp"
#include "partsim/loader/key_text.hpp"
#include "partsim/workload/trace_rows.hpp"

#include "csv_reader.hpp"
#include "text.hpp"
#include "trace_columns.hpp"
#include "trace_values.hpp"

namespace partsim {
namespace {

constexpr std::size_t kLongestValue = 2'048;  // bytes, as of a key
constexpr std::size_t kMaxColumns = 64;

bool is_utf8(std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t length = utf8_length(text.substr(at));
    if (length == 0) {
      return false;
    }
    at += length;
  }
  return true;
}

/// Whether a template can name it.
bool is_field_name(std::string_view name) {
  const auto parsed = parse_key_template("{" + std::string(name) + "}");
  const auto* key = std::get_if<KeyTemplate>(&parsed);
  return key != nullptr && key->parts.size() == 1 &&
         std::holds_alternative<FieldValue>(key->parts.front()) &&
         std::get<FieldValue>(key->parts.front()).field == name;
}

class SampleFile final : public SampleRows {
 public:
  explicit SampleFile(const std::string& path) : reader_(path) {
    if (!reader_.next()) {
      throw TraceError(TraceError::Kind::content,
                       path +
                           ":1: error: the file is empty, expected a line with the names of "
                           "fields");
    }
    if (!reader_.fault().empty()) {
      bad_content(reader_, reader_.fault());
    }
    refuse_other_separator(reader_);
    width_ = reader_.fields().size();
    for (std::size_t i = 0; i < width_; ++i) {
      std::string_view name = reader_.fields()[i];
      if (i == 0 && name.starts_with("\xEF\xBB\xBF")) {
        name.remove_prefix(3);  // spreadsheets begin a file so
      }
      add_column(std::string(name), i);
    }
    if (names_.empty()) {
      bad_content(reader_,
                  "no column is named like a field, expected a first line such as date,vin,size");
    }
    if (names_.size() > kMaxColumns) {
      bad_content(reader_, std::to_string(names_.size()) + " columns, expected at most 64");
    }
    texts_.resize(names_.size());
  }

  [[nodiscard]] const std::vector<std::string>& names() const override { return names_; }

  const SampleRow* next() override {
    if (!reader_.next()) {
      if (!has_rows_) {
        bad_content(
            reader_,
            "the sample has no rows, expected at least one behind the names of its columns");
      }
      return nullptr;
    }
    has_rows_ = true;
    if (!reader_.fault().empty()) {
      bad_content(reader_, reader_.fault());
    }
    if (reader_.fields().size() != width_) {
      bad_content(reader_, std::to_string(reader_.fields().size()) + " fields, expected " +
                               std::to_string(width_) + " as in the first line");
    }
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      texts_[i] = reader_.fields()[columns_[i]];
      if (texts_[i].size() > kLongestValue) {
        bad_content(reader_, quoted(names_[i]) + " has " + std::to_string(texts_[i].size()) +
                                 " bytes, expected at most 2048, as for a key");
      }
      if (!is_utf8(texts_[i])) {
        bad_content(reader_, quoted(names_[i]) + " is not UTF-8 text");
      }
    }
    row_.fields = texts_;
    read_size();
    read_time();
    return &row_;
  }

 private:
  static constexpr std::size_t kNone = SIZE_MAX;

  void add_column(const std::string& name, std::size_t column) {
    const auto is_same = [&](const std::string& other) { return other == name; };
    const bool twice = std::any_of(names_.begin(), names_.end(), is_same) ||
                       (name == "size" && size_ != kNone) || (name == "time" && time_ != kNone);
    if (twice) {
      bad_content(reader_, "two columns are named " + quoted(name) + ", expected one");
    }
    if (name == "size") {
      size_ = column;
    } else if (name == "time") {
      time_ = column;
    } else if (is_field_name(name)) {
      names_.push_back(name);
      columns_.push_back(column);
    }
  }

  void read_size() {
    if (size_ == kNone) {
      return;
    }
    const std::string_view text = reader_.fields()[size_];
    const auto bytes = trace_number(text);
    if (!bytes || *bytes < 1) {
      bad_content(reader_, "the size is " + quoted(text) + ", expected a number of bytes above 0");
    }
    row_.size_bytes = *bytes;
  }

  void read_time() {
    if (time_ == kNone) {
      return;
    }
    const std::string_view text = reader_.fields()[time_];
    row_.time_ns = trace_time(text);
    if (!row_.time_ns) {
      bad_content(reader_, "the time is " + quoted(text) +
                               ", expected seconds or an instant such as "
                               "2024-01-31T16:05:06.789Z");
    }
  }

  CsvReader reader_;
  std::size_t width_ = 0;
  bool has_rows_ = false;
  std::vector<std::string> names_;
  std::vector<std::size_t> columns_;  // where they are
  std::size_t size_ = kNone;
  std::size_t time_ = kNone;
  std::vector<std::string_view> texts_;
  SampleRow row_;
};

}  // namespace

std::unique_ptr<SampleRows> open_sample(const std::string& path) {
  return std::make_unique<SampleFile>(path);
}

}  // namespace partsim
