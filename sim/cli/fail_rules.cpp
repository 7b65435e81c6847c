#include "partsim/cli/fail_rules.hpp"

#include <algorithm>
#include <optional>
#include <set>
#include <string_view>

#include "partsim/cli/descriptor.hpp"
#include "partsim/cli/exit_code.hpp"
#include "partsim/core/units.hpp"
#include "partsim/loader/loader.hpp"

namespace partsim {
namespace {

constexpr std::string_view kClients = "clients.";
constexpr std::string_view kAny = "any";

std::string trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(' ');
  return begin == std::string_view::npos
             ? std::string()
             : std::string(text.substr(begin, text.find_last_not_of(' ') - begin + 1));
}

/// What the compared runs have, as far as rules name it.
struct Names {
  std::set<std::string> variants;
  std::set<std::string> paths;
};

Names names_of(const std::vector<MeasuredStudy>& studies) {
  Names names;
  for (const MeasuredStudy& study : studies) {
    for (const MeasuredRun& run : study.runs) {
      names.variants.insert(run.variant);
      for (const auto& [path, value] : run.metrics) {
        names.paths.insert(path);
      }
    }
  }
  return names;
}

/// The only one, if there is only one.
std::optional<std::string> single(const std::set<std::string>& found) {
  return found.size() == 1 ? std::optional(*found.begin()) : std::nullopt;
}

/// `clients.lookup.p99` is `clients.lookup.latency_ms.p99`.
std::optional<std::string> path_of_client(const std::string& name, const Names& names) {
  const std::size_t dot = name.rfind('.');
  const std::string head = name.substr(0, dot + 1);
  const std::string tail = name.substr(dot);
  std::set<std::string> found;
  for (const std::string& path : names.paths) {
    if (path.size() > name.size() && path.starts_with(head) && path.ends_with(tail)) {
      found.insert(path);
    }
  }
  return single(found);
}

/// The metric that has this path, or the only one that ends so: `p99` is `latency_ms.p99`.
std::optional<std::string> full_path(const std::string& name, const Names& names) {
  constexpr std::string_view kEachClient = "clients.*.";
  if (names.paths.contains(name)) {
    return name;
  }
  if (name.starts_with(kClients)) {
    return path_of_client(name, names);
  }
  std::set<std::string> found;
  for (const Metric& metric : metric_table()) {
    const bool is_of_run =
        !metric.path.starts_with(kClients) && !metric.path.starts_with("partitions.hottest.");
    if (is_of_run && metric.path.ends_with("." + name)) {
      found.insert(metric.path);
    }
    if (metric.path == std::string(kEachClient) + name) {
      return name;  // only clients have it; those that runs have too were found above
    }
  }
  return single(found);
}

/// Every name that would have been right, for what was meant.
std::vector<std::string> known_names(const Names& names) {
  std::vector<std::string> known(names.paths.begin(), names.paths.end());
  known.emplace_back(kAny);
  for (const std::string& path : names.paths) {
    const std::string last = path.substr(path.rfind('.') + 1);
    if (full_path(last, names)) {
      known.push_back(last);
    }
  }
  return known;
}

class FailRuleReader {
 public:
  FailRuleReader(std::string text, const Names& names) : names_(names) {
    rule_.text = std::move(text);
  }

  FailRule read() {
    const std::size_t sign = rule_.text.find_first_of("<>");
    if (sign == std::string::npos || sign == 0) {
      throw wrong("expected a metric, > or <, and a change");
    }
    read_way(sign);
    read_metric(trimmed(rule_.text.substr(0, sign)));
    read_amount();
    return rule_;
  }

 private:
  [[nodiscard]] UsageError wrong(const std::string& what, std::string hint = {}) const {
    return UsageError("--fail-on is " + in_quotes(rule_.text) + ": " + what,
                      hint.empty() ? "such as 'p99 > +5%', 'operations.succeeded < -1%' or "
                                     "'any > 10%'"
                                   : std::move(hint));
  }

  void read_way(std::size_t sign) {
    const bool is_rise = rule_.text[sign] == '>';
    amount_ = trimmed(rule_.text.substr(sign + 1));
    const char first = amount_.empty() ? ' ' : amount_.front();
    if (first == '+' || first == '-') {
      if ((first == '+') != is_rise) {
        throw wrong("a rise is written > +5%, a fall < -5%");
      }
      amount_ = trimmed(amount_.substr(1));
      rule_.way = is_rise ? FailRule::Way::rises : FailRule::Way::falls;
    } else if (is_rise) {
      rule_.way = FailRule::Way::worsens;
    } else {
      throw wrong("a fall is written < -5%");
    }
  }

  void read_metric(const std::string& name) {
    std::string metric = name;
    for (const std::string& variant : names_.variants) {
      const bool is_longer = variant.size() > rule_.variant.size();
      if (name.starts_with(variant + ".") && is_longer &&
          (name.substr(variant.size() + 1) == kAny ||
           full_path(name.substr(variant.size() + 1), names_))) {
        rule_.variant = variant;
        metric = name.substr(variant.size() + 1);
      }
    }
    if (metric == kAny) {
      rule_.way = FailRule::Way::worsens;
      return;
    }
    const std::optional<std::string> path = full_path(metric, names_);
    if (!path) {
      const std::optional<std::string> meant = nearest_word(metric, known_names(names_));
      throw wrong("unknown metric " + in_quotes(metric),
                  meant ? "did you mean '" + *meant + "'?" : "'partsim list metrics' names all");
    }
    rule_.metric = *path;
    if (rule_.way == FailRule::Way::worsens && row().good == GoodDirection::neither) {
      throw wrong(in_quotes(metric) + " has no good direction, expected > +X or < -X");
    }
  }

  /// Of the rule's metric, which may be one that only clients have.
  [[nodiscard]] Metric row() const {
    const std::optional<Metric> own = find_metric(rule_.metric);
    return own ? *own : find_metric("clients.any." + rule_.metric).value_or(Metric{});
  }

  void read_amount() {
    if (const auto part = number_before("%")) {
      rule_.amount = *part / 100;
      return;
    }
    rule_.is_relative = false;
    if (rule_.metric.empty()) {
      throw wrong("'any' compares parts, expected a percentage such as 10%");
    }
    const std::optional<double> amount = absolute(row().unit);
    if (!amount) {
      throw wrong("bad change " + in_quotes(amount_) + ", expected a percentage such as 5%, or " +
                  std::string(form_of(row().unit)));
    }
    rule_.amount = *amount;
  }

  [[nodiscard]] std::optional<double> number_before(std::string_view suffix) const {
    if (!amount_.ends_with(suffix)) {
      return std::nullopt;
    }
    const std::string digits = trimmed(amount_.substr(0, amount_.size() - suffix.size()));
    const Parsed<std::int64_t> parsed = parse_decimal_micro(digits);
    return parsed
               ? std::optional(static_cast<double>(*parsed.value) / static_cast<double>(kMillion))
               : std::nullopt;
  }

  static std::string_view form_of(MetricUnit unit) {
    switch (unit) {
      case MetricUnit::share:
        return "points such as 0.5pp";
      case MetricUnit::milliseconds:
      case MetricUnit::seconds:
        return "a time such as 2ms";
      case MetricUnit::ru:
        return "a charge such as 5 RU";
      case MetricUnit::ru_per_second:
        return "throughput such as 400 RU/s";
      case MetricUnit::bytes:
        return "a size such as 10 MB";
      case MetricUnit::count:
      case MetricUnit::ratio:
      case MetricUnit::usd:
        break;
    }
    return "a plain number";
  }

  [[nodiscard]] std::optional<double> absolute(MetricUnit unit) const {
    const auto scaled = [](const Parsed<std::int64_t>& parsed, std::int64_t scale) {
      return parsed ? std::optional(static_cast<double>(*parsed.value) / static_cast<double>(scale))
                    : std::nullopt;
    };
    switch (unit) {
      case MetricUnit::share: {
        const std::optional<double> points = number_before("pp");
        return points ? std::optional(*points / 100) : std::nullopt;
      }
      case MetricUnit::milliseconds:
        return scaled(parse_duration(amount_), kMillisecond);
      case MetricUnit::seconds:
        return scaled(parse_duration(amount_), kSecond);
      case MetricUnit::ru:
        return scaled(parse_ru(amount_), kMilliPerRu);
      case MetricUnit::ru_per_second:
        return scaled(parse_throughput(amount_), kMilliPerRu);
      case MetricUnit::bytes:
        return scaled(parse_size(amount_), 1);
      case MetricUnit::count:
      case MetricUnit::ratio:
      case MetricUnit::usd:
        break;
    }
    return number_before("");
  }

  const Names& names_;
  FailRule rule_;
  std::string amount_;
};

}  // namespace

std::vector<FailRule> parse_fail_rules(const std::vector<std::string>& texts,
                                       const std::vector<MeasuredStudy>& studies) {
  const Names names = names_of(studies);
  std::vector<FailRule> rules;
  for (const std::string& text : texts) {
    for (std::size_t begin = 0; begin <= text.size();) {
      const std::size_t end = std::min(text.find(',', begin), text.size());
      rules.push_back(FailRuleReader(trimmed(text.substr(begin, end - begin)), names).read());
      begin = end + 1;
    }
  }
  return rules;
}

}  // namespace partsim
