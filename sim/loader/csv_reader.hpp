/// Comma-separated text (RFC 4180) as a stream, plain or gzipped.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace partsim {

/// Records one by one, in memory that does not grow with the file. A file that cannot be read and a
/// record that never ends are thrown as TraceError.
class CsvReader {
 public:
  explicit CsvReader(std::string path);
  CsvReader(const CsvReader&) = delete;
  CsvReader& operator=(const CsvReader&) = delete;
  ~CsvReader();

  /// The next record that is not an empty line; false at the end. Fields are good until the next
  /// call.
  [[nodiscard]] bool next();
  [[nodiscard]] const std::vector<std::string_view>& fields() const noexcept { return fields_; }
  /// What is wrong with the quotes of this record; empty if nothing is.
  [[nodiscard]] const std::string& fault() const noexcept { return fault_; }
  /// Where the record begins: `path:line`.
  [[nodiscard]] std::string place() const;
  [[nodiscard]] const std::string& path() const noexcept { return path_; }

 private:
  struct Stream;
  enum class Found : std::uint8_t { record, more_needed };

  void open();
  void fill();
  [[nodiscard]] Found split();
  [[nodiscard]] bool split_quoted(char*& at);
  void end_record(char* after);
  void unescape();

  std::string path_;
  std::unique_ptr<Stream> stream_;
  std::vector<char> buffer_;
  char* begin_ = nullptr;  // of what was not handed out yet
  char* end_ = nullptr;
  bool at_end_ = false;  // of the file; what is left is in the buffer
  std::uint64_t line_ = 0;
  std::uint64_t next_line_ = 1;
  std::uint64_t lines_inside_ = 0;  // line ends within quotes of this record
  std::vector<std::string_view> fields_;
  std::vector<std::size_t> escaped_;  // fields with doubled quotes
  std::string fault_;
};

}  // namespace partsim
