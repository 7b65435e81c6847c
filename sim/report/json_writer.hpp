/// JSON files: numbers as exact decimal texts, keys in the order they were set.
#pragma once

#include <cstdint>
#include <string>

#include <nlohmann/json.hpp>

namespace partsim {

/// Field order is part of the formats, so files of two runs can be compared line by line.
using Json = nlohmann::ordered_json;

/// A number as the decimal text that goes into the file. JSON values hold doubles, which would come
/// out as 1e-06 or lose digits of large amounts; a binary value, which the formats have no other
/// use for, carries the text to `json_file`.
[[nodiscard]] Json number(const std::string& text);
/// At most six places.
[[nodiscard]] Json fraction(double value);
/// An amount kept as an integer of `scale`-ths.
[[nodiscard]] Json amount(std::int64_t value, std::int64_t scale);

template <class Items, class Convert>
[[nodiscard]] Json array_json(const Items& items, Convert convert) {
  Json array = Json::array();
  for (const auto& item : items) {
    array.push_back(convert(item));
  }
  return array;
}

/// The layout of `dump(2)`, numbers from their texts, ending in a line feed.
[[nodiscard]] std::string json_file(const Json& json);

}  // namespace partsim
