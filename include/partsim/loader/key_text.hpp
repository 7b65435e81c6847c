/// Partition keys and samples of items from outside a scenario, as `partsim advise` is given them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "partsim/keys/key_template.hpp"
#include "partsim/study/sample_rows.hpp"

namespace partsim {

/// A key as a scenario's `partition_key` has it: `{date}`, or `["{tenant}", "{user}"]` for levels.
struct KeyText {
  std::vector<KeyTemplate> levels;
  std::string error;  // one line; empty: none
  std::string hint;   // "did you mean 'vin'?", may be empty
};
/// `fields` are those that a key may use.
[[nodiscard]] KeyText parse_key_text(std::string_view text, const std::vector<std::string>& fields);

/// Rows of a CSV file, plain or gzipped, with the names of fields in its first line. Columns `size`
/// (bytes) and `time` are not fields; columns whose names no key can use are left out. Throws
/// TraceError, then and while rows are read.
[[nodiscard]] std::unique_ptr<SampleRows> open_sample(const std::string& path);

}  // namespace partsim
