#include "csv_text.hpp"

namespace partsim {

std::string csv_text(std::string_view text) {
  constexpr std::string_view kFormulaStarts = "=+-@\t\r";
  std::string field;
  if (!text.empty() && kFormulaStarts.find(text.front()) != std::string_view::npos) {
    field += '\'';
  }
  field += text;
  if (field.find_first_of(",\"\r\n") == std::string::npos) {
    return field;
  }
  std::string escaped = "\"";
  for (const char c : field) {
    escaped += c;
    if (c == '"') {
      escaped += '"';
    }
  }
  return escaped + '"';
}

}  // namespace partsim
