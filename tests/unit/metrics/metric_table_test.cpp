#include "partsim/metrics/metric_table.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "partsim/report/report.hpp"

#include "hand_made_run.hpp"
#include "support/catch.hpp"

namespace partsim {
namespace {

using Json = nlohmann::json;
using testing::hand_made_run;
using testing::hand_made_study;

std::string for_client(std::string path, const std::string& client) {
  const std::size_t star = path.find('*');
  return star == std::string::npos ? path : path.replace(star, 1, client);
}

/// The number of results.json that a path names. Most paths are the names themselves; the few that
/// pick one of a list are spelt out.
double number_of(const Json& run, const std::string& path, const std::string& client) {
  const std::string hottest = "partitions.hottest.";
  if (path == "partitions.count") {
    return run.at("layout").at("partitions").get<double>();
  }
  if (path == "hot_keys.top_share") {
    return run.at("hot_keys").at(0).at("ru_share").get<double>();
  }
  if (path.starts_with(hottest)) {
    return run.at("partitions").at(0).at(path.substr(hottest.size())).get<double>();
  }
  std::string pointer = "/" + path;
  std::replace(pointer.begin(), pointer.end(), '.', '/');
  const std::size_t star = pointer.find('*');
  if (star != std::string::npos) {
    pointer.replace(star, 1, client);
  }
  return run.at(Json::json_pointer(pointer)).get<double>();
}

TEST_CASE("Every path of the table has a value, and it is the number in results.json",
          "[metrics]") {
  const RunResult run = hand_made_run();
  const Json json = Json::parse(results_json(hand_made_study())).at("runs").at(0);
  REQUIRE(metric_table().size() > 40);
  for (const Metric& metric : metric_table()) {
    for (const ClientResult& client : run.clients) {
      const std::string path = for_client(metric.path, client.name);
      INFO(path);
      const std::optional<double> value = metric_value(run, path);
      REQUIRE(value.has_value());
      // results.json rounds to six places
      CHECK(std::abs(*value - number_of(json, metric.path, client.name)) <= 0.5000001e-6);
      CHECK(metric_unit(path) == metric.unit);
    }
  }
}

TEST_CASE("Every number of a run and of a client in results.json can be asked for", "[metrics]") {
  const std::set<std::string> not_measured{"seed", "simulated_s", "warm_up_s", "model", "regions"};
  const Json json = Json::parse(results_json(hand_made_study())).at("runs").at(0);
  const RunResult run = hand_made_run();
  const auto check = [&](const Json& object, const std::string& prefix) {
    for (const auto& [name, value] : object.items()) {
      if (value.is_number() && !not_measured.contains(name)) {
        INFO(prefix + name);
        CHECK(metric_value(run, prefix + name).has_value());
      }
      if (value.is_object() && name != "clients") {
        for (const auto& [inner, number] : value.items()) {
          if (number.is_number()) {
            std::string path = prefix + name;
            path.append(".").append(inner);
            INFO(path);
            CHECK(metric_value(run, path).has_value());
          }
        }
      }
    }
  };
  check(json, "");
  check(json.at("clients").at("reader.eu"), "clients.reader.eu.");
}

TEST_CASE("Metrics have the values that pencil and paper give", "[metrics]") {
  const RunResult run = hand_made_run();
  CHECK(metric_value(run, "throttled_share") == 10.0 / 34.0);
  CHECK(metric_value(run, "failed_share") == 2.0 / 12.0);
  CHECK(metric_value(run, "attempts") == 34.0);
  CHECK(metric_value(run, "operations.in_flight") == 2.0);
  CHECK(metric_value(run, "ru.consumed") == 52.0);
  CHECK(metric_value(run, "ru.per_operation") == 4.0);
  CHECK(metric_value(run, "ru.provisioned_per_s") == 2000.0);
  CHECK(metric_value(run, "ru.utilization") == 0.35);
  CHECK(metric_value(run, "ru.normalized_peak") == 1.25);
  CHECK(metric_value(run, "imbalance") == 1.5);
  CHECK(metric_value(run, "partitions.count") == 2.0);
  CHECK(metric_value(run, "partitions.hottest.throttled_share") == 0.45);
  CHECK(metric_value(run, "partitions.hottest.peak_utilization") == 0.9);
  CHECK(metric_value(run, "hot_keys.top_share") == 0.625);
  CHECK(metric_value(run, "cost.per_hour") == 0.16);
  CHECK(metric_value(run, "cost.per_month") == 116.8);
  CHECK(metric_value(run, "clients.writer.throttled_share") == 0.4);
  CHECK(metric_value(run, "clients.writer.ru_per_operation") == 5.0);
  CHECK(metric_value(run, "gone") == 4.0);
  CHECK(metric_value(run, "forbidden") == 2.0);
  CHECK(metric_value(run, "clients.writer.gone") == 1.0);
  CHECK(metric_value(run, "ru.burst") == 75.0);
  CHECK(metric_value(run, "storage.bytes") == 12288.0);
  CHECK(metric_value(run, "storage.largest_partition_bytes") == 8192.0);
  CHECK(metric_value(run, "storage.largest_key_bytes") == 3000.0);
  CHECK(metric_value(run, "cost.total") == 0.32);
  CHECK(metric_value(run, "cost.throughput") == 0.3);
  CHECK(metric_value(run, "cost.hours") == 2.0);
  CHECK(metric_value(run, "layout.splits") == 0.0);
}

TEST_CASE("A partition can be asked for by its id, whether it is alive or not", "[metrics]") {
  RunResult run = hand_made_run();
  run.partitions[1].id = 7;
  CHECK(metric_value(run, "partitions.0.attempts") == 20.0);
  CHECK(metric_value(run, "partitions.7.attempts") == 14.0);
  CHECK(metric_value(run, "partitions.7.ttl_ru") == 9.0);
  CHECK(metric_value(run, "partitions.7.key_space") == 0.5);
  run.partitions[1].retired_ns = 5 * kSecond;
  CHECK(metric_value(run, "partitions.7.ru_consumed") == 1600.0);
  CHECK_FALSE(metric_value(run, "partitions.1.attempts").has_value());
  CHECK(metric_unit("partitions.1.attempts") == MetricUnit::count);  // an id, not yet a partition
  CHECK(metric_unit("partitions.1.born_s") == MetricUnit::seconds);
}

TEST_CASE("The layout is counted by what happened to it, and by who is left", "[metrics]") {
  RunResult run = hand_made_run();
  run.partitions[0].retired_ns = 4 * kSecond;
  for (const LayoutEventKind kind :
       {LayoutEventKind::split, LayoutEventKind::split, LayoutEventKind::merge,
        LayoutEventKind::scale, LayoutEventKind::refused, LayoutEventKind::refused,
        LayoutEventKind::refused}) {
    run.layout_events.emplace_back().kind = kind;
  }
  CHECK(metric_value(run, "layout.splits") == 2.0);
  CHECK(metric_value(run, "layout.merges") == 1.0);
  CHECK(metric_value(run, "layout.refused") == 3.0);
  CHECK(metric_value(run, "layout.partitions") == 1.0);
  CHECK(metric_value(run, "partitions.count") == 1.0);
  CHECK(metric_value(run, "storage.bytes") == 8192.0);  // a retired partition stores nothing
}

TEST_CASE("A client may have dots in its name, and the words of a metric", "[metrics]") {
  RunResult run = hand_made_run();
  CHECK(metric_value(run, "clients.reader.eu.partitions_per_operation") == 3.0);
  run.clients[1].name = "latency_ms.p99.attempts";
  CHECK(metric_value(run, "clients.latency_ms.p99.attempts.attempts") == 20.0);
  CHECK(metric_value(run, "clients.latency_ms.p99.attempts.operations.failed") == 2.0);
}

TEST_CASE("An unknown path has no value and no unit", "[metrics]") {
  const RunResult run = hand_made_run();
  for (const char* path : {"",
                           ".",
                           "throttled_shares",
                           "throttled_share.",
                           ".throttled_share",
                           "Throttled_share",
                           "latency_ms",
                           "latency_ms.p98",
                           "ru",
                           "clients",
                           "clients.",
                           "clients.writer",
                           "clients.writer.",
                           "clients..attempts",
                           "clients.attempts",
                           "clients.writer.imbalance",
                           "ru_per_operation",
                           "partitions.hottest",
                           "partitions.hottest.",
                           "partitions.0",
                           "partitions.0.",
                           "partitions..attempts",
                           "partitions.00.attempts",
                           "partitions.-1.attempts",
                           "partitions.4294967296.attempts",
                           "partitions.x.attempts",
                           "partitions.0.imbalance",
                           "partitions.0.retired_s",
                           "layout",
                           "storage.largest",
                           "clients.*"}) {
    INFO(path);
    CHECK_FALSE(metric_value(run, path).has_value());
    CHECK_FALSE(metric_unit(path).has_value());
  }
  CHECK_FALSE(metric_value(run, "clients.nobody.attempts").has_value());
  CHECK(metric_unit("clients.nobody.attempts") == MetricUnit::count);  // a name, not yet a client
}

TEST_CASE("The table names no path twice and explains each in one line", "[metrics]") {
  std::set<std::string> paths;
  for (const Metric& metric : metric_table()) {
    INFO(metric.path);
    CHECK(paths.insert(metric.path).second);
    CHECK_FALSE(metric.description.empty());
    CHECK(metric.description.find('\n') == std::string::npos);
  }
}

TEST_CASE("No value of a run is outside what the table says it can be", "[metrics]") {
  RunResult idle;
  idle.clients.resize(1);
  idle.clients[0].name = "writer";
  for (const RunResult& run : {hand_made_run(), idle}) {
    for (const Metric& metric : metric_table()) {
      INFO(metric.path);
      const double value = metric_value(run, for_client(metric.path, "writer")).value();
      CHECK(metric.lowest <= value);
      CHECK(value <= metric.highest);
    }
  }
}

TEST_CASE("The table knows which way is good", "[metrics]") {
  CHECK(find_metric("throttled_share")->good == GoodDirection::lower);
  CHECK(find_metric("clients.reader.eu.latency_ms.p99")->good == GoodDirection::lower);
  CHECK(find_metric("operations.succeeded")->good == GoodDirection::higher);
  CHECK(find_metric("attempts")->good == GoodDirection::neither);
  CHECK(find_metric("partitions.3.throttled")->good == GoodDirection::lower);
}

TEST_CASE("Any and all partitions have a unit, but no single value", "[metrics]") {
  CHECK(metric_unit("partitions.any.attempts") == MetricUnit::count);
  CHECK_FALSE(metric_value(hand_made_run(), "partitions.all.attempts").has_value());
  CHECK(partition_path("partitions.all.attempts").scope == PartitionScope::all);
  CHECK(partition_path("partitions.7.attempts").id == 7U);
  CHECK(partition_path("partitions.hottest.attempts").is_hottest);
  CHECK(partition_path("attempts").metric.empty());
  CHECK_FALSE(metric_unit("partitions.any.imbalance").has_value());
}

TEST_CASE("Metrics of a run without traffic are numbers", "[metrics]") {
  RunResult run;
  run.clients.resize(1);
  run.clients[0].name = "c";
  for (const Metric& metric : metric_table()) {
    INFO(metric.path);
    const std::optional<double> value = metric_value(run, for_client(metric.path, "c"));
    REQUIRE(value.has_value());
    CHECK(std::isfinite(*value));
  }
}

}  // namespace
}  // namespace partsim
