/// `[VARIANT.]METRIC`, the paths of rules.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "partsim/metrics/metric_table.hpp"

#include "tree.hpp"

namespace partsim {

/// One variant and its clients, as far as rules name them.
struct VariantNames {
  std::string variant;
  std::vector<std::string> clients;
};

struct RuleTarget {
  std::string variant;  // empty: none is named
  Metric metric;
};

/// Variants may be named like the beginning of a metric; the longest reading that exists is meant.
[[nodiscard]] std::optional<RuleTarget> find_rule_target(std::string_view path,
                                                         const std::vector<VariantNames>& variants);

/// What is wrong with a path that has no target, and what was meant.
[[nodiscard]] Fault unknown_path(std::string_view path, const std::vector<VariantNames>& variants);

}  // namespace partsim
