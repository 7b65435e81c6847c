#include "expect.hpp"

#include <algorithm>
#include <array>
#include <optional>

#include "partsim/loader/loader.hpp"
#include "partsim/metrics/metric_series.hpp"
#include "partsim/metrics/metric_table.hpp"

#include "scalar.hpp"

namespace partsim {
namespace {

constexpr std::string_view kFor = " for ";
constexpr std::string_view kPlusMinus = "+-";

struct Split {
  std::string_view path;
  Comparison comparison = Comparison::less;
  std::string_view value;
  std::optional<std::string_view> tolerance;
  std::optional<std::string_view> lasting;
};

std::string_view trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(' ');
  if (begin == std::string_view::npos) {
    return {};
  }
  return text.substr(begin, text.find_last_not_of(' ') - begin + 1);
}

/// What stands behind `mark`, which goes with it; nullopt if there is no mark.
std::optional<std::string_view> cut_off(std::string_view& text, std::string_view mark) {
  const std::size_t at = text.find(mark);
  if (at == std::string_view::npos) {
    return std::nullopt;
  }
  const std::string_view rest = trimmed(text.substr(at + mark.size()));
  text = text.substr(0, at);
  return rest;
}

std::optional<Split> split(std::string_view rule) {
  using Sign = std::pair<std::string_view, Comparison>;
  // Two-character signs first: `<=` begins with `<`.
  static constexpr std::array<Sign, 6> kSigns{{{"<=", Comparison::less_equal},
                                               {">=", Comparison::greater_equal},
                                               {"==", Comparison::equal},
                                               {"!=", Comparison::not_equal},
                                               {"<", Comparison::less},
                                               {">", Comparison::greater}}};
  const std::size_t at = rule.find_first_of("<>=!");
  if (at == std::string_view::npos) {
    return std::nullopt;
  }
  for (const auto& [sign, comparison] : kSigns) {
    if (rule.substr(at).starts_with(sign)) {
      Split result{trimmed(rule.substr(0, at)), comparison, rule.substr(at + sign.size()), {}, {}};
      result.lasting = cut_off(result.value, kFor);
      result.tolerance = cut_off(result.value, kPlusMinus);
      result.value = trimmed(result.value);
      const bool is_whole = !result.path.empty() && !result.value.empty();
      return is_whole ? std::optional(result) : std::nullopt;
    }
  }
  return std::nullopt;
}

/// A rule's value in the unit of its metric.
std::optional<double> value_in(MetricUnit unit, std::string_view text) {
  const auto scaled = [](const Parsed<std::int64_t>& parsed, double scale) {
    return parsed ? std::optional(static_cast<double>(*parsed.value) / scale) : std::nullopt;
  };
  if (const auto number = parse_plain_number(text)) {
    return number;
  }
  switch (unit) {
    case MetricUnit::share:
      // Not parse_percent: a normalised peak may be told to stay below 150%.
      if (text.ends_with('%')) {
        const auto percent = parse_plain_number(text.substr(0, text.size() - 1));
        return percent ? std::optional(*percent / 100) : std::nullopt;
      }
      return std::nullopt;
    case MetricUnit::milliseconds:
      return scaled(parse_duration(text), static_cast<double>(kMillisecond));
    case MetricUnit::seconds:
      return scaled(parse_duration(text), static_cast<double>(kSecond));
    case MetricUnit::ru:
      return scaled(parse_ru(text), static_cast<double>(kMilliPerRu));
    case MetricUnit::ru_per_second:
      return scaled(parse_throughput(text), static_cast<double>(kMilliPerRu));
    case MetricUnit::bytes:
      return scaled(parse_size(text), 1);
    case MetricUnit::count:
    case MetricUnit::ratio:
    case MetricUnit::usd:
      break;
  }
  return std::nullopt;
}

std::string_view form_of(MetricUnit unit) {
  switch (unit) {
    case MetricUnit::share:
      return "a share such as 5% or 0.05";
    case MetricUnit::milliseconds:
      return "a time such as 20ms, or a number of ms";
    case MetricUnit::seconds:
      return "a time such as 3s, or a number of seconds";
    case MetricUnit::ru:
      return "a charge such as 5 RU, or a number of RU";
    case MetricUnit::ru_per_second:
      return "throughput such as 400 RU/s, or a number of RU/s";
    case MetricUnit::bytes:
      return "a size such as 10 MB, or a number of bytes";
    case MetricUnit::count:
    case MetricUnit::ratio:
    case MetricUnit::usd:
      break;
  }
  return "a plain number";
}

/// `7/s`, or a plain number: what a count is in an interval.
std::optional<double> rate_in(std::string_view text) {
  constexpr std::string_view kEachSecond = "/s";
  if (text.ends_with(kEachSecond)) {
    text.remove_suffix(kEachSecond.size());
  }
  return parse_plain_number(text);
}

class RuleReader {
 public:
  RuleReader(std::string_view rule, const std::vector<VariantNames>& variants)
      : text_(rule), variants_(variants) {}

  std::variant<Expectation, Fault> read() {
    const std::optional<Split> parts = split(text_);
    if (!parts) {
      return fault(
          "cannot read the rule, expected METRIC, one of < <= > >= == != and a value, got " +
          quoted(text_));
    }
    parts_ = *parts;
    const std::optional<RuleTarget> target = find_rule_target(parts_.path, variants_);
    if (!target) {
      return unknown_path(parts_.path, variants_);
    }
    metric_ = target->metric;
    unit_ = metric_.unit;
    rule_ = Expectation{std::string(text_), target->variant, metric_.path, parts_.comparison, 0};
    for (const auto step :
         {&RuleReader::read_lasting, &RuleReader::read_limit, &RuleReader::read_tolerance}) {
      if (auto wrong = (this->*step)()) {
        return *wrong;
      }
    }
    return rule_;
  }

 private:
  using Finding = std::optional<Fault>;

  static Fault fault(std::string message, std::string hint = {}) {
    return {{}, std::move(message), std::move(hint)};
  }

  [[nodiscard]] bool is_over_time() const { return parts_.lasting.has_value(); }

  [[nodiscard]] std::optional<double> value(std::string_view text) const {
    return is_over_time() && unit_ == MetricUnit::count ? rate_in(text) : value_in(unit_, text);
  }

  [[nodiscard]] std::string form() const {
    return is_over_time() && unit_ == MetricUnit::count ? "a number a second such as 10/s"
                                                        : std::string(form_of(unit_));
  }

  Finding read_lasting() {
    if (!is_over_time()) {
      return std::nullopt;
    }
    const Parsed<Nanoseconds> lasting = parse_duration(*parts_.lasting);
    if (!lasting || *lasting.value <= 0) {
      return fault("'for' needs a duration above 0 such as 10s, got " + quoted(*parts_.lasting));
    }
    const std::optional<MetricUnit> unit = series_unit(metric_.path);
    if (!unit) {
      return fault(quoted(metric_.path) + " is not followed over time, so its rule takes no 'for'",
                   "throttled_share, throttled, attempts, ru.consumed, ru.utilization, the same of "
                   "a partition, and latency_ms are");
    }
    unit_ = *unit;
    rule_.lasting_ns = *lasting.value;
    return std::nullopt;
  }

  Finding read_limit() {
    if (const auto number = value(parts_.value)) {
      rule_.value = *number;
      return std::nullopt;
    }
    const std::size_t sign = parts_.value.find_first_of("*/");
    const std::string_view path = trimmed(parts_.value.substr(0, sign));
    const std::optional<RuleTarget> other = find_rule_target(path, variants_);
    if (!other) {
      return wrong_limit(path);
    }
    if (is_over_time()) {
      return fault("a rule with 'for' compares with a value, not with " + quoted(path));
    }
    if (partition_path(other->metric.path).scope != PartitionScope::one) {
      return fault(quoted(path) + " has many values, expected one to compare with",
                   "partitions.any and partitions.all stand on the left");
    }
    if (other->metric.unit != unit_) {
      return fault("cannot compare " + quoted(metric_.path) + " with " + quoted(path) +
                   ", which has another unit");
    }
    rule_.against = MetricReference{other->variant, other->metric.path};
    return sign == std::string_view::npos ? std::nullopt : read_factor(sign);
  }

  Finding read_factor(std::size_t sign) {
    const std::string_view text = trimmed(parts_.value.substr(sign + 1));
    const std::optional<double> number = parse_plain_number(text);
    if (!number || *number <= 0) {
      return fault("bad factor, expected * or / and a number above 0, got " +
                   quoted(parts_.value.substr(sign)));
    }
    (parts_.value[sign] == '*' ? rule_.against->times : rule_.against->over) = *number;
    return std::nullopt;
  }

  /// Neither an amount nor a path: what it was meant to be decides what is told.
  [[nodiscard]] Fault wrong_limit(std::string_view path) const {
    const bool is_word =
        !path.empty() && ((path[0] >= 'a' && path[0] <= 'z') || (path[0] >= 'A' && path[0] <= 'Z'));
    if (is_word) {
      Fault unknown = unknown_path(path, variants_);
      if (path.find('.') != std::string_view::npos || unknown.hint.starts_with("did you mean")) {
        return unknown;
      }
    }
    return fault("bad value of " + quoted(metric_.path) + ", expected " + form() + ", got " +
                 quoted(parts_.value));
  }

  Finding read_tolerance() {
    if (!parts_.tolerance) {
      return std::nullopt;
    }
    const std::string_view text = *parts_.tolerance;
    if (rule_.comparison != Comparison::equal) {
      return fault("only == takes a tolerance, got " + quoted(text_));
    }
    std::optional<double> tolerance = value(text);
    if (!tolerance && text.ends_with('%')) {
      tolerance = parse_plain_number(text.substr(0, text.size() - 1));
      rule_.tolerance_is_relative = true;
    }
    if (!tolerance) {
      return fault("bad tolerance, expected a part such as 1%, or " + form() + ", got " +
                   quoted(text));
    }
    rule_.tolerance = rule_.tolerance_is_relative ? *tolerance / 100 : *tolerance;
    return std::nullopt;
  }

  std::string_view text_;
  const std::vector<VariantNames>& variants_;
  Split parts_;
  Metric metric_;
  MetricUnit unit_ = MetricUnit::count;
  Expectation rule_;
};

}  // namespace

std::variant<Expectation, Fault> parse_expectation(std::string_view rule,
                                                   const std::vector<VariantNames>& variants) {
  return RuleReader(rule, variants).read();
}

RuleList parse_rules(std::string_view text, const StudyFile& study) {
  std::vector<VariantNames> variants;
  for (const Variant& variant : study.variants) {
    variants.push_back({variant.name, {}});
    for (const ClientSpec& client : variant.scenario.clients) {
      variants.back().clients.push_back(client.name);
    }
  }
  RuleList list;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    auto parsed = parse_expectation(trimmed(text.substr(begin, end - begin)), variants);
    if (auto* fault = std::get_if<Fault>(&parsed)) {
      return {{}, fault->message, fault->hint};
    }
    list.rules.push_back(std::move(std::get<Expectation>(parsed)));
    begin = end + 1;
  }
  return list;
}

}  // namespace partsim
