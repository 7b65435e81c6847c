#include "csv_reader.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <utility>
#include <zlib.h>

#include "partsim/workload/trace_rows.hpp"

#include "text.hpp"

namespace partsim {
namespace {

/// Where the field at `at` ends: at the next comma or line end, or at `end`. Eight bytes at a time:
/// a byte of `word ^ repeated(c)` is zero where the text has c, and what is borrowed from above the
/// lowest zero byte does not matter.
char* field_end(char* at, char* end) {
  constexpr std::uint64_t kOnes = 0x0101'0101'0101'0101U;
  constexpr std::uint64_t kHighs = 0x8080'8080'8080'8080U;
  const auto zero_bytes = [](std::uint64_t word) { return (word - kOnes) & ~word & kHighs; };
  if constexpr (std::endian::native == std::endian::little) {
    for (; end - at >= 8; at += 8) {
      std::uint64_t word = 0;
      std::memcpy(&word, at, sizeof word);
      const std::uint64_t found =
          zero_bytes(word ^ (kOnes * ',')) | zero_bytes(word ^ (kOnes * '\n'));
      if (found != 0) {
        return at + std::countr_zero(found) / 8;
      }
    }
  }
  while (at != end && *at != ',' && *at != '\n') {
    ++at;
  }
  return at;
}

/// Room for the longest record, and how much is read at once.
constexpr std::size_t kLongestRecord = std::size_t{1} << 20;
constexpr std::size_t kBlockBytes = std::size_t{1} << 18;

[[noreturn]] void cannot_read(const std::string& path, const std::string& why) {
  throw TraceError(TraceError::Kind::file, "cannot read " + partsim::quoted(path) + ": " + why);
}

}  // namespace

/// The library looks at the first bytes, not at the name: a plain file comes through as it is.
struct CsvReader::Stream {
  gzFile file = nullptr;
  Stream() = default;
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;
  ~Stream() {
    if (file != nullptr) {
      gzclose_r(file);
    }
  }
};

CsvReader::CsvReader(std::string path)
    : path_(std::move(path)),
      stream_(std::make_unique<Stream>()),
      buffer_(kLongestRecord + kBlockBytes) {
  open();
  begin_ = buffer_.data();
  end_ = begin_;
  fill();
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  if (std::string_view(begin_, static_cast<std::size_t>(end_ - begin_))
          .starts_with(kByteOrderMark)) {
    begin_ += kByteOrderMark.size();
  }
}

CsvReader::~CsvReader() = default;

void CsvReader::open() {
  std::error_code error;
  const std::filesystem::file_status status = std::filesystem::status(path_, error);
  if (!std::filesystem::exists(status)) {
    cannot_read(path_, "there is no such file");
  }
  // A pipe that nobody writes to would be waited for without end.
  if (!std::filesystem::is_regular_file(status)) {
    cannot_read(path_, "it is not a regular file");
  }
  stream_->file = gzopen(path_.c_str(), "rb");
  if (stream_->file == nullptr) {
    cannot_read(path_, std::generic_category().message(errno));
  }
  gzbuffer(stream_->file, kBlockBytes);
}

void CsvReader::fill() {
  std::memmove(buffer_.data(), begin_, static_cast<std::size_t>(end_ - begin_));
  end_ = buffer_.data() + (end_ - begin_);
  begin_ = buffer_.data();
  const int got = gzread(stream_->file, end_, kBlockBytes);
  int code = Z_OK;
  const std::string why = got < static_cast<int>(kBlockBytes) ? gzerror(stream_->file, &code) : "";
  if (code == Z_BUF_ERROR) {
    cannot_read(path_, "the compressed data end too soon");
  }
  if (got < 0 || code != Z_OK) {
    const bool is_data = code == Z_DATA_ERROR;
    cannot_read(path_, is_data ? "the compressed data are damaged" : why);
  }
  end_ += got;
  at_end_ = got == 0;
}

bool CsvReader::next() {
  for (;;) {
    if (at_end_ && begin_ == end_) {
      return false;
    }
    if (split() == Found::more_needed) {
      if (static_cast<std::size_t>(end_ - begin_) >= kLongestRecord) {
        line_ = next_line_;
        throw TraceError(TraceError::Kind::content,
                         place() +
                             ": error: a row of more than 1 MiB, expected a line end or a "
                             "closing quote before");
      }
      fill();
    } else if (fields_.size() > 1 || !fields_.front().empty() || !fault_.empty()) {
      unescape();
      return true;
    }
  }
}

/// Looks for the end of a record; takes nothing unless it is found.
CsvReader::Found CsvReader::split() {
  fields_.clear();
  escaped_.clear();
  fault_.clear();
  lines_inside_ = 0;
  char* at = begin_;
  for (;;) {
    if (at != end_ && *at == '"') {
      if (!split_quoted(at)) {
        return Found::more_needed;
      }
    } else {
      char* const field = at;
      at = field_end(at, end_);
      if (at == end_ && !at_end_) {
        return Found::more_needed;
      }
      const bool ends_line = at == end_ || *at == '\n';
      const bool has_return = ends_line && at != field && at[-1] == '\r';
      fields_.emplace_back(field, static_cast<std::size_t>(at - field) - (has_return ? 1 : 0));
    }
    if (at == end_ || *at == '\n') {
      end_record(at == end_ ? at : at + 1);
      return Found::record;
    }
    ++at;
  }
}

/// A field in quotes; `at` is left at the comma or line end behind it. False if its end is not
/// there.
bool CsvReader::split_quoted(char*& at) {
  char* const field = at + 1;
  char* quote = field;
  for (bool escaped = false;;) {
    quote = static_cast<char*>(std::memchr(quote, '"', static_cast<std::size_t>(end_ - quote)));
    if (quote == nullptr || quote + 1 == end_) {
      if (!at_end_) {
        return false;
      }
      if (quote == nullptr) {
        fault_ = "a quoted field without its closing quote";
        quote = end_;
      }
    }
    if (quote + 1 < end_ && quote[1] == '"') {
      quote += 2;
      escaped = true;
      continue;
    }
    if (escaped) {
      escaped_.push_back(fields_.size());
    }
    break;
  }
  fields_.emplace_back(field, static_cast<std::size_t>(quote - field));
  lines_inside_ += static_cast<std::uint64_t>(std::count(field, quote, '\n'));
  at = quote == end_ ? end_ : quote + 1;
  char* const behind = at;
  at = field_end(at, end_);
  if (at == end_ && !at_end_) {
    return false;
  }
  const std::string_view rest(behind, static_cast<std::size_t>(at - behind));
  if (!rest.empty() && rest != "\r") {
    fault_ = "unexpected " + quoted(rest) + " behind a quoted field, expected a comma";
  }
  return true;
}

void CsvReader::end_record(char* after) {
  line_ = next_line_;
  next_line_ += lines_inside_ + 1;
  begin_ = after;
}

void CsvReader::unescape() {
  for (const std::size_t index : escaped_) {
    // the text is ours, and gets shorter
    auto* const text = const_cast<char*>(fields_[index].data());  // NOLINT
    char* to = text;
    for (std::size_t i = 0; i < fields_[index].size(); ++i) {
      *to++ = text[i];
      i += text[i] == '"' ? 1 : 0;
    }
    fields_[index] = {text, static_cast<std::size_t>(to - text)};
  }
}

std::string CsvReader::place() const {
  return path_ + ":" + std::to_string(line_);
}

}  // namespace partsim
