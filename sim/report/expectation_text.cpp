#include "expectation_text.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <string>
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

MetricUnit unit_of(const ExpectationResult& expectation) {
  const RuleText rule = split_rule(expectation.rule);
  return unit_of(rule.path, expectation).value_or(MetricUnit::ratio);
}

/// A number in percents where the unit has them.
double scaled(double value, MetricUnit unit) {
  return unit == MetricUnit::share ? value * 100 : value;
}

std::string with_unit(const std::string& number, MetricUnit unit, bool is_rate) {
  switch (unit) {
    case MetricUnit::share:
      return number + "%";
    case MetricUnit::milliseconds:
      return number + " ms";
    case MetricUnit::seconds:
      return number + " s";
    case MetricUnit::ru:
      return number + (is_rate ? " RU/s" : " RU");
    case MetricUnit::ru_per_second:
      return number + " RU/s";
    case MetricUnit::bytes:
      return number + " B";
    case MetricUnit::usd:
      return "$" + number;
    case MetricUnit::count:
      return is_rate ? number + "/s" : number;
    case MetricUnit::ratio:
      break;
  }
  return number;
}

/// What the rule says behind its comparison, or the number that it stood for.
std::string limit_text(const ExpectationResult& expectation, MetricUnit unit) {
  const std::string_view text = split_rule(expectation.rule).limit;
  const std::size_t begin = text.find_first_not_of("<>=! ");
  const bool is_number =
      begin != std::string_view::npos && text[begin] >= '0' && text[begin] <= '9';
  return is_number ? std::string(text) : decimal(scaled(expectation.limit, unit));
}

std::string margin_text(const ExpectationResult& expectation) {
  if (expectation.margin == 0) {
    return "just at it";
  }
  const double distance = std::abs(expectation.margin);
  const MetricUnit unit = unit_of(expectation);
  return expectation.limit == 0
             ? "missed by " + with_unit(with_digits(scaled(distance, unit), kDigits), unit,
                                        expectation.over_time)
             : "missed by " + with_digits(distance * 100, kDigits) + "% of it";
}

}  // namespace

std::string measured_value(const ExpectationResult& expectation) {
  if (!expectation.measured) {
    return "not in this run";
  }
  const MetricUnit unit = unit_of(expectation);
  return with_unit(readable(scaled(expectation.value, unit), limit_text(expectation, unit)), unit,
                   expectation.over_time);
}

std::string limit_value(const ExpectationResult& expectation) {
  const MetricUnit unit = unit_of(expectation);
  return with_unit(with_digits(scaled(expectation.limit, unit), kDigits), unit,
                   expectation.over_time);
}

std::string broken_rule(const ExpectationResult& expectation) {
  if (!expectation.measured) {
    return "not in this run: the client or partition is not there";
  }
  return measured_value(expectation) + ", limit " + limit_value(expectation) + ": " +
         margin_text(expectation);
}

std::string broken_place(const ExpectationResult& expectation) {
  std::string text;
  if (expectation.first_broken_s) {
    text = "first broken at " + decimal(*expectation.first_broken_s) + " s";
  }
  if (expectation.partition) {
    text += (text.empty() ? "on partition " : ", on partition ") +
            std::to_string(*expectation.partition);
  }
  return text;
}

std::string named_rule(const ExpectationResult& expectation, bool has_variants) {
  const bool says_variant = expectation.rule.starts_with(expectation.variant + ".");
  return has_variants && !says_variant ? expectation.rule + " [" + expectation.variant + "]"
                                       : expectation.rule;
}

std::string short_percent(double part) {
  return with_digits(part * 100, kDigits) + "%";
}

std::pair<std::string, std::string> amounts_that_differ(const ComparedMetric& metric) {
  std::pair<std::string, std::string> texts;
  for (int digits = kDigits; digits <= kMostDigits; ++digits) {
    const auto text = [&](double value) {
      return with_unit(with_digits(scaled(value, metric.unit), digits), metric.unit, false);
    };
    texts = {text(metric.base), text(metric.next)};
    if (texts.first != texts.second) {
      break;
    }
  }
  return texts;
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
