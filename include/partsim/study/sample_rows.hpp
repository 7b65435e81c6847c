/// A sample of real items, row by row. Who asks for advice brings it; the library reads no file.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "partsim/core/units.hpp"

namespace partsim {

/// What it points to is good until the next row is read.
struct SampleRow {
  std::span<const std::string_view> fields;  // one a name
  std::optional<Bytes> size_bytes;
  std::optional<Nanoseconds> time_ns;
};

class SampleRows {
 public:
  SampleRows() = default;
  SampleRows(const SampleRows&) = delete;
  SampleRows& operator=(const SampleRows&) = delete;
  virtual ~SampleRows() = default;

  /// Columns that a key can use, as they are named.
  [[nodiscard]] virtual const std::vector<std::string>& names() const = 0;
  /// The next row, nullptr after the last. Throws TraceError.
  [[nodiscard]] virtual const SampleRow* next() = 0;
};

/// Begins to read a sample from its first row; called more than once.
using SampleOpener = std::function<std::unique_ptr<SampleRows>()>;

}  // namespace partsim
