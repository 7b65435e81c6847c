/// Rules of `expect:`, such as `vin-suffix.clients.lookup.ru_per_operation < 1.1`.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "partsim/scenario/study_file.hpp"

#include "tree.hpp"

namespace partsim {

/// One variant and its clients, as far as rules name them.
struct VariantNames {
  std::string variant;
  std::vector<std::string> clients;
};

/// The rule, or what is wrong with it (without its place).
[[nodiscard]] std::variant<Expectation, Fault> parse_expectation(
    std::string_view rule, const std::vector<VariantNames>& variants);

}  // namespace partsim
