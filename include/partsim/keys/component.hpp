/// One value of a partition key, by the types the services know.
#pragma once

#include <string>
#include <variant>

namespace partsim {

struct Undefined {
  [[nodiscard]] bool operator==(const Undefined&) const = default;
};
struct Null {
  [[nodiscard]] bool operator==(const Null&) const = default;
};

/// Numbers are IEEE doubles: 5 and 5.0 are one key, integers beyond 2^53 collide as they really do.
using KeyComponent = std::variant<Undefined, Null, bool, double, std::string>;

}  // namespace partsim
