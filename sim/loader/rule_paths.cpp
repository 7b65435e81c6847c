#include "rule_paths.hpp"

#include <algorithm>

#include "partsim/loader/loader.hpp"

#include "scalar.hpp"

namespace partsim {
namespace {

constexpr std::string_view kClients = "clients.";
constexpr std::string_view kPartitions = "partitions.";
constexpr std::string_view kHottest = "partitions.hottest.";

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

std::optional<Metric> metric_in(std::string_view path, const std::vector<std::string>& clients) {
  if (path.starts_with(kClients) && client_in(path, clients).empty()) {
    return std::nullopt;
  }
  return find_metric(path);
}

/// Every path a rule about this variant could hold; only built when a suggestion is needed.
std::vector<std::string> known_paths(std::string_view path,
                                     const std::vector<std::string>& clients) {
  std::vector<std::string> paths;
  const std::string client = client_in(path, clients);
  // partitions.any, .all and .3 have the metrics of partitions.hottest
  const std::size_t dot = path.starts_with(kPartitions) ? path.find('.', kPartitions.size()) : 0;
  const bool has_which = dot != 0 && dot != std::string_view::npos;
  const std::string which(has_which ? path.substr(0, dot + 1) : kHottest);
  for (const Metric& metric : metric_table()) {
    const std::size_t star = metric.path.find('*');
    if (metric.path.starts_with(kHottest)) {
      paths.push_back(which + metric.path.substr(kHottest.size()));
    } else if (star == std::string::npos) {
      paths.push_back(metric.path);
    } else if (!client.empty()) {
      paths.push_back(std::string(metric.path).replace(star, 1, client));
    }
  }
  return paths;
}

}  // namespace

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
  if (const auto meant = meant_metric(metric, paths)) {
    return {{}, "unknown metric " + quoted(metric), "did you mean " + quoted(*meant) + "?"};
  }
  const std::size_t dot = path.find('.');
  const bool rest_is_metric =
      dot != std::string_view::npos && metric_in(path.substr(dot + 1), clients_of({}, variants));
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

std::optional<RuleTarget> find_rule_target(std::string_view path,
                                           const std::vector<VariantNames>& variants) {
  std::optional<RuleTarget> best;
  for (const VariantNames& names : variants) {
    if (!path.starts_with(names.variant + ".") ||
        (best && names.variant.size() < best->variant.size())) {
      continue;
    }
    const std::string_view metric = path.substr(names.variant.size() + 1);
    if (auto found = metric_in(metric, names.clients)) {
      best = RuleTarget{names.variant, std::move(*found)};
    }
  }
  if (!best) {
    if (auto found = metric_in(path, clients_of({}, variants))) {
      best = RuleTarget{{}, std::move(*found)};
    }
  }
  return best;
}

}  // namespace partsim
