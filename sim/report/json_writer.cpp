#include "json_writer.hpp"

#include <cstddef>

#include "numbers.hpp"

namespace partsim {
namespace {

/// The layout of `dump(2)`, numbers from their texts.
// NOLINTNEXTLINE(misc-no-recursion): as deep as the format, which users cannot change
void write(std::string& out, const Json& json, std::size_t indent) {
  if (json.is_binary()) {
    out.append(json.get_binary().begin(), json.get_binary().end());
    return;
  }
  if (!json.is_structured() || json.empty()) {
    // broken UTF-8 becomes U+FFFD: a result must never be lost to a name
    out += json.dump(-1, ' ', false, Json::error_handler_t::replace);
    return;
  }
  const std::size_t inner = indent + 2;
  out += json.is_object() ? '{' : '[';
  for (auto item = json.begin(); item != json.end(); ++item) {
    out += (item == json.begin() ? "\n" : ",\n") + std::string(inner, ' ');
    if (json.is_object()) {
      write(out, Json(item.key()), inner);
      out += ": ";
    }
    write(out, *item, inner);
  }
  out += '\n' + std::string(indent, ' ') + (json.is_object() ? '}' : ']');
}

}  // namespace

Json number(const std::string& text) {
  return Json::binary({text.begin(), text.end()});
}

Json fraction(double value) {
  return number(decimal(value));
}

Json amount(std::int64_t value, std::int64_t scale) {
  return number(scaled_decimal(value, scale));
}

std::string json_file(const Json& json) {
  std::string text;
  write(text, json, 0);
  return text + "\n";
}

}  // namespace partsim
