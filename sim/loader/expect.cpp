#include "expect.hpp"

#include <algorithm>
#include <array>
#include <optional>

#include "partsim/loader/loader.hpp"
#include "partsim/metrics/metric_table.hpp"

#include "scalar.hpp"

namespace partsim {
namespace {

constexpr std::string_view kClients = "clients.";

struct Split {
  std::string_view path;
  Comparison comparison = Comparison::less;
  std::string_view value;
};

std::string_view trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(' ');
  if (begin == std::string_view::npos) {
    return {};
  }
  return text.substr(begin, text.find_last_not_of(' ') - begin + 1);
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
      const Split result{trimmed(rule.substr(0, at)), comparison,
                         trimmed(rule.substr(at + sign.size()))};
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

/// Clients a rule may name: those of its variant, or those every variant has.
std::vector<std::string> clients_of(std::string_view variant,
                                    const std::vector<VariantNames>& variants) {
  std::vector<std::string> common;
  bool is_first = true;
  for (const VariantNames& names : variants) {
    if (!variant.empty() && names.variant != variant) {
      continue;
    }
    if (is_first) {
      common = names.clients;
      is_first = false;
      continue;
    }
    const auto is_missing = [&names](const std::string& client) {
      return std::find(names.clients.begin(), names.clients.end(), client) == names.clients.end();
    };
    common.erase(std::remove_if(common.begin(), common.end(), is_missing), common.end());
  }
  return common;
}

/// The client a path names, the longest first; empty if it names none.
std::string client_in(std::string_view path, const std::vector<std::string>& clients) {
  std::string longest;
  for (const std::string& client : clients) {
    const std::string prefix = std::string(kClients) + client + ".";
    if (path.starts_with(prefix) && client.size() > longest.size()) {
      longest = client;
    }
  }
  return longest;
}

std::optional<MetricUnit> unit_of(std::string_view path, const std::vector<std::string>& clients) {
  if (path.starts_with(kClients) && client_in(path, clients).empty()) {
    return std::nullopt;
  }
  return metric_unit(path);
}

/// Every path a rule about this variant could hold; only built when a suggestion is needed.
std::vector<std::string> known_paths(std::string_view path,
                                     const std::vector<std::string>& clients) {
  std::vector<std::string> paths;
  const std::string client = client_in(path, clients);
  for (const Metric& metric : metric_table()) {
    const std::size_t star = metric.path.find('*');
    if (star == std::string::npos) {
      paths.push_back(metric.path);
    } else if (!client.empty()) {
      paths.push_back(std::string(metric.path).replace(star, 1, client));
    }
  }
  return paths;
}

Fault unknown_path(std::string_view path, const std::vector<VariantNames>& variants) {
  // What was meant: a known variant before the first dot that fits, else no variant at all.
  std::string_view variant;
  for (const VariantNames& names : variants) {
    if (path.starts_with(names.variant + ".") && names.variant.size() > variant.size()) {
      variant = names.variant;
    }
  }
  const std::string_view metric = variant.empty() ? path : path.substr(variant.size() + 1);
  const std::vector<std::string> clients = clients_of(variant, variants);
  if (metric.starts_with(kClients) && client_in(metric, clients).empty()) {
    const std::string_view name = metric.substr(kClients.size());
    const std::string_view client = name.substr(0, name.find('.'));
    return {{},
            "unknown client " + quoted(client) + ", expected one of " + joined(clients),
            suggestion(client, clients)};
  }
  const std::vector<std::string> paths = known_paths(metric, clients);
  if (std::string hint = suggestion(metric, paths); !hint.empty()) {
    return {{}, "unknown metric " + quoted(metric), std::move(hint)};
  }
  const std::size_t dot = path.find('.');
  const bool rest_is_metric =
      dot != std::string_view::npos && unit_of(path.substr(dot + 1), clients_of({}, variants));
  std::vector<std::string> names;
  names.reserve(variants.size());
  for (const VariantNames& known : variants) {
    names.push_back(known.variant);
  }
  const std::string_view first = path.substr(0, dot);
  if (rest_is_metric || (dot != std::string_view::npos && !suggestion(first, names).empty())) {
    return {{},
            "unknown variant " + quoted(first) + ", expected one of " + joined(names),
            suggestion(first, names)};
  }
  return {{}, "unknown metric " + quoted(metric), "partsim list names all metrics"};
}

struct Target {
  std::string variant;
  std::string_view metric;
  MetricUnit unit = MetricUnit::count;
};

/// Variants may be named like the beginning of a metric; the longest reading that exists is meant.
std::optional<Target> find_target(std::string_view path,
                                  const std::vector<VariantNames>& variants) {
  std::optional<Target> best;
  for (const VariantNames& names : variants) {
    if (!path.starts_with(names.variant + ".") ||
        (best && names.variant.size() < best->variant.size())) {
      continue;
    }
    const std::string_view metric = path.substr(names.variant.size() + 1);
    if (const auto unit = unit_of(metric, names.clients)) {
      best = Target{names.variant, metric, *unit};
    }
  }
  if (!best) {
    if (const auto unit = unit_of(path, clients_of({}, variants))) {
      best = Target{{}, path, *unit};
    }
  }
  return best;
}

}  // namespace

std::variant<Expectation, Fault> parse_expectation(std::string_view rule,
                                                   const std::vector<VariantNames>& variants) {
  const std::optional<Split> parts = split(rule);
  if (!parts) {
    return Fault{{},
                 "cannot read the rule, expected METRIC, one of < <= > >= == != and a value, got " +
                     quoted(rule),
                 {}};
  }
  const std::optional<Target> target = find_target(parts->path, variants);
  if (!target) {
    return unknown_path(parts->path, variants);
  }
  const std::optional<double> value = value_in(target->unit, parts->value);
  if (!value) {
    return Fault{{},
                 "bad value of " + quoted(target->metric) + ", expected " +
                     std::string(form_of(target->unit)) + ", got " + quoted(parts->value),
                 {}};
  }
  return Expectation{std::string(rule), target->variant, std::string(target->metric),
                     parts->comparison, *value};
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
