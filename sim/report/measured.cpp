#include <algorithm>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "partsim/engine/engine.hpp"
#include "partsim/metrics/metric_table.hpp"
#include "partsim/report/compare_report.hpp"

#include "json_writer.hpp"
#include "numbers.hpp"

namespace partsim {
namespace {

constexpr std::string_view kStar = "clients.*.";
constexpr std::string_view kHottest = "partitions.hottest.";

/// Every path that a run has a value for, in the order of the table.
template <class Names, class Take>
void each_path(const Names& clients, Take take) {
  for (const Metric& metric : metric_table()) {
    if (!metric.path.starts_with(kStar)) {
      take(metric.path);
    }
  }
  for (const std::string& client : clients) {
    for (const Metric& metric : metric_table()) {
      if (metric.path.starts_with(kStar)) {
        take("clients." + client + "." + metric.path.substr(kStar.size()));
      }
    }
  }
}

Json run_json(const VariantResult& result) {
  std::vector<std::string> clients;
  for (const ClientResult& client : result.run.clients) {
    clients.push_back(client.name);
  }
  Json json;
  json["variant"] = result.variant;
  json["seed"] = result.run.seed;
  json["model"] = kModelVersion;
  json["digest"] = fmt::format("{:016x}", result.run.digest);
  json["fingerprint"] = fmt::format("{:016x}", result.fingerprint);
  json["metrics"] = Json::object();
  each_path(clients, [&](const std::string& path) {
    json["metrics"][path] = fraction(metric_value(result.run, path).value_or(0));
  });
  return json;
}

/// What a path of dots leads to; nullptr if there is no such thing.
const Json* find(const Json& json, std::string_view path) {
  const Json* place = &json;
  while (place != nullptr && !path.empty()) {
    const std::size_t dot = path.find('.');
    const std::string key(path.substr(0, dot));
    const auto found = place->is_object() ? place->find(key) : place->end();
    place = found == place->end() ? nullptr : &*found;
    path = dot == std::string_view::npos ? std::string_view() : path.substr(dot + 1);
  }
  return place;
}

double number_or(const Json* json, double otherwise) {
  return json != nullptr && json->is_number() ? json->get<double>() : otherwise;
}

/// The rule of hottest_partition, by the numbers of the file.
const Json* hottest_of(const Json& run) {
  const Json* partitions = find(run, "partitions");
  const Json* hottest = nullptr;
  double most = 0;
  if (partitions == nullptr || !partitions->is_array()) {
    return nullptr;
  }
  const double end_s = number_or(find(run, "simulated_s"), 0);
  const double warm_up_s = number_or(find(run, "warm_up_s"), 0);
  for (const Json& partition : *partitions) {
    const Json* retired = find(partition, "retired_s");
    const double life_s = end_s - std::max(warm_up_s, number_or(find(partition, "born_s"), 0));
    const double demand = number_or(find(partition, "ru_demand"), 0);
    const double per_s = life_s > 0 ? demand / life_s : 0;
    if ((retired == nullptr || retired->is_null()) && (hottest == nullptr || per_s > most)) {
      hottest = &partition;
      most = per_s;
    }
  }
  return hottest;
}

/// The number of a run in results.json that a metric path names; nullptr if it has none.
const Json* result_of(const Json& run, const Json* hottest, const std::string& path) {
  if (path == "partitions.count") {
    return find(run, "layout.partitions");
  }
  if (path == "hot_keys.top_share") {
    const Json* keys = find(run, "hot_keys");
    return keys != nullptr && keys->is_array() && !keys->empty() ? find(keys->front(), "ru_share")
                                                                 : nullptr;
  }
  if (path.starts_with(kHottest)) {
    return hottest == nullptr ? nullptr : find(*hottest, path.substr(kHottest.size()));
  }
  return find(run, path);
}

void read_results(const Json& json, MeasuredRun& run) {
  const Json* hottest = hottest_of(json);
  each_path(std::vector<std::string>(), [&](const std::string& path) {
    const Json* number = result_of(json, hottest, path);
    run.metrics.emplace_back(path, number_or(number, 0));
  });
  const Json* clients = find(json, "clients");
  if (clients == nullptr || !clients->is_object()) {
    return;
  }
  for (const auto& client : clients->items()) {
    for (const Metric& metric : metric_table()) {
      if (metric.path.starts_with(kStar)) {
        const std::string suffix = metric.path.substr(kStar.size());
        run.metrics.emplace_back("clients." + client.key() + "." + suffix,
                                 number_or(find(client.value(), suffix), 0));
      }
    }
  }
}

void read_baseline(const Json& metrics, MeasuredRun& run) {
  for (const auto& metric : metrics.items()) {
    if (metric.value().is_number() && find_metric(metric.key())) {
      run.metrics.emplace_back(metric.key(), metric.value().get<double>());
    }
  }
}

std::string text_or(const Json* json, const std::string& otherwise) {
  return json != nullptr && json->is_string() ? json->get<std::string>() : otherwise;
}

std::string trouble_of(const Json& json) {
  if (json.is_discarded() || !json.is_object()) {
    return "is not JSON";
  }
  const Json* version = find(json, "format_version");
  const Json* baseline = find(json, "baseline_version");
  if (version == nullptr && baseline == nullptr) {
    return "has no format_version";
  }
  if (!text_or(version != nullptr ? version : baseline, "").starts_with("1.")) {
    return "has a format that this partsim does not know";
  }
  const Json* runs = find(json, "runs");
  return runs == nullptr || !runs->is_array() || runs->empty() ? "holds no run" : "";
}

}  // namespace

std::string baseline_json(const StudyResult& study) {
  Json json;
  json["baseline_version"] = "1.0";
  json["generator"] = "partsim " PARTSIM_VERSION;
  json["scenario"] = {{"name", study.name}, {"title", study.title}};
  json["runs"] = array_json(study.runs, run_json);
  return json_file(json);
}

MeasuredStudy parse_measured(const std::string& text) {
  const Json json = Json::parse(text, nullptr, false);
  MeasuredStudy study;
  study.error = trouble_of(json);
  if (!study.error.empty()) {
    return study;
  }
  study.name = text_or(find(json, "scenario.name"), "");
  study.partial = find(json, "partial") != nullptr;
  for (const Json& each : json["runs"]) {
    MeasuredRun run;
    run.variant = text_or(find(each, "variant"), "base");
    const Json* seed = find(each, "seed");
    run.seed = seed != nullptr && seed->is_number_unsigned() ? seed->get<std::uint64_t>() : 0;
    run.fingerprint = text_or(find(each, "fingerprint"), "");
    const Json* metrics = find(each, "metrics");
    if (metrics != nullptr && metrics->is_object()) {
      read_baseline(*metrics, run);
    } else {
      read_results(each, run);
    }
    study.runs.push_back(std::move(run));
  }
  return study;
}

}  // namespace partsim
