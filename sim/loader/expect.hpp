/// Rules of `expect:`, such as `vin-suffix.clients.lookup.ru_per_operation < 1.1` or
/// `partitions.all.throttled_share < date.throttled_share / 10`.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "partsim/scenario/study_file.hpp"

#include "rule_paths.hpp"
#include "tree.hpp"

namespace partsim {

/// The rule, or what is wrong with it (without its place).
[[nodiscard]] std::variant<Expectation, Fault> parse_expectation(
    std::string_view rule, const std::vector<VariantNames>& variants);

}  // namespace partsim
