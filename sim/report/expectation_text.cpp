#include "expectation_text.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <string_view>

#include "partsim/metrics/metric_table.hpp"

#include "numbers.hpp"

namespace partsim {
namespace {

constexpr int kDigits = 3;
constexpr int kMostDigits = 17;

struct RuleText {
  std::string_view path;
  std::string_view limit;
};

RuleText split_rule(std::string_view rule) {
  const std::size_t comparison = std::min(rule.find_first_of("<>=!"), rule.size());
  std::string_view path = rule.substr(0, comparison);
  while (path.ends_with(' ')) {
    path.remove_suffix(1);
  }
  return {path, rule.substr(comparison)};
}

std::optional<MetricUnit> unit_of(std::string_view path, const ExpectationResult& expectation) {
  const std::optional<MetricUnit> unit = metric_unit(path);
  if (unit || !path.starts_with(expectation.variant + ".")) {
    return unit;
  }
  return metric_unit(path.substr(expectation.variant.size() + 1));
}

/// The significant digits of the first number in `text`: 25 of `0.250 s`. Most units differ by
/// powers of ten, so these tell whether two numbers look alike whatever their units are.
std::string significant_digits(std::string_view text) {
  constexpr std::string_view kNumber = "0123456789.";
  text.remove_prefix(std::min(text.find_first_of(kNumber), text.size()));
  text = text.substr(0, text.find_first_not_of(kNumber));
  std::string digits;
  for (const char c : text) {
    if (c != '.' && (c != '0' || !digits.empty())) {
      digits += c;
    }
  }
  digits.erase(std::min(digits.find_last_not_of('0') + 1, digits.size()));
  return digits;
}

std::string with_digits(double value, int digits) {
  // whole numbers keep all their digits: 12,345 attempts are not 12,300
  const double enough = std::pow(10, digits - 1);
  double scale = 1;
  while (value != 0 && std::abs(value) * scale < enough) {
    scale *= 10;
  }
  return decimal(std::round(value * scale) / scale);
}

std::string readable(double value, std::string_view limit) {
  const std::string limit_digits = significant_digits(limit);
  const std::string text =
      with_digits(value, std::max(kDigits, static_cast<int>(limit_digits.size())));
  return significant_digits(text) == limit_digits ? with_digits(value, kMostDigits) : text;
}

}  // namespace

std::string measured_value(const ExpectationResult& expectation) {
  const RuleText rule = split_rule(expectation.rule);
  const MetricUnit unit = unit_of(rule.path, expectation).value_or(MetricUnit::ratio);
  const bool in_percents = unit == MetricUnit::share;
  std::string number =
      readable(in_percents ? expectation.value * 100 : expectation.value, rule.limit);
  switch (unit) {
    case MetricUnit::share:
      return number + "%";
    case MetricUnit::milliseconds:
      return number + " ms";
    case MetricUnit::seconds:
      return number + " s";
    case MetricUnit::ru:
      return number + " RU";
    case MetricUnit::ru_per_second:
      return number + " RU/s";
    case MetricUnit::bytes:
      return number + " B";
    case MetricUnit::usd:
      return "$" + number;
    case MetricUnit::count:
    case MetricUnit::ratio:
      break;
  }
  return number;
}

bool wants_less_of_what_throughput_lowers(const ExpectationResult& expectation) {
  const RuleText rule = split_rule(expectation.rule);
  const bool at_most = rule.limit.starts_with('<') || rule.limit == "== 0" || rule.limit == "== 0%";
  constexpr std::array<std::string_view, 7> kLowered{
      "throttled", "throttled_share", "failed",         "failed_share",
      "timed_out", "utilization",     "normalized_peak"};
  const bool lowered =
      rule.path.find("latency_ms.") != std::string_view::npos ||
      rule.path.find("latency_parts_ms.") != std::string_view::npos ||
      std::any_of(kLowered.begin(), kLowered.end(), [&rule](std::string_view name) {
        return rule.path == name ||
               (rule.path.ends_with(name) && rule.path[rule.path.size() - name.size() - 1] == '.');
      });
  return at_most && lowered;
}

}  // namespace partsim
