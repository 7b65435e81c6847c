/// Which column of a trace has what. Private to the loader.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "csv_reader.hpp"

namespace partsim {

/// A place among the columns; kNone if the file has none for it.
struct TraceHeader {
  static constexpr std::size_t kNone = SIZE_MAX;
  std::size_t time = kNone;
  std::size_t operation = kNone;
  std::size_t key = kNone;
  std::size_t charge = kNone;
  std::size_t size = kNone;
  std::size_t status = kNone;
  std::size_t activity = kNone;
  std::size_t request_length = kNone;
  std::size_t response_length = kNone;
  std::vector<std::string> names;  // of all columns, as they are written

  /// A column by its name, whatever its case.
  [[nodiscard]] std::size_t find(const std::string& name) const;
};

/// The first record of a file. Throws TraceError if there is none, two columns mean the same or
/// there is no time.
[[nodiscard]] TraceHeader read_header(CsvReader& reader);

/// Throws TraceError if the first line is that of another kind of table: one column, with
/// semicolons or tabs in it.
void refuse_other_separator(const CsvReader& reader);

/// Throws TraceError: what is wrong at the reader's place.
[[noreturn]] void bad_content(const CsvReader& reader, const std::string& message);

}  // namespace partsim
