/// Text inside a CSV file.
#pragma once

#include <string>
#include <string_view>

namespace partsim {

/// Quoted by RFC 4180, with a leading apostrophe where a spreadsheet would take it for a formula.
[[nodiscard]] std::string csv_text(std::string_view text);

}  // namespace partsim
