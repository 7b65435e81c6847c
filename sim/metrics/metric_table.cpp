#include "partsim/metrics/metric_table.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>

#include "partsim/core/units.hpp"
#include "partsim/metrics/derived.hpp"

namespace partsim {
namespace {

constexpr std::string_view kClients = "clients.";
constexpr std::string_view kPartitions = "partitions.";
constexpr std::string_view kHottest = "partitions.hottest.";

double count_of(std::uint64_t value) noexcept {
  return static_cast<double>(value);
}

double ru_of(MilliRu value) noexcept {
  return static_cast<double>(value) / static_cast<double>(kMilliPerRu);
}

double usd_of(std::int64_t micro) noexcept {
  return static_cast<double>(micro) / static_cast<double>(kMillion);
}

/// Which way is good, and what the number can be at all.
struct Meaning {
  GoodDirection good = GoodDirection::neither;
  double lowest = 0;
  double highest = std::numeric_limits<double>::infinity();
};
constexpr Meaning kLess{.good = GoodDirection::lower};
constexpr Meaning kMore{.good = GoodDirection::higher};
constexpr Meaning kNeither{};
constexpr Meaning kLessOfAll{.good = GoodDirection::lower, .highest = 1};
constexpr Meaning kPartOfAll{.highest = 1};
constexpr Meaning kLessFromOne{.good = GoodDirection::lower, .lowest = 1};

/// A metric of one client; the same of all clients together stands at the top level of a run.
struct ClientMetric {
  std::string_view suffix;
  MetricUnit unit;
  Meaning meaning;
  std::string_view description;
  double (*value)(const ClientResult&);
};

constexpr std::array kSharedMetrics{
    ClientMetric{"throttled_share", MetricUnit::share, kLessOfAll,
                 "throttled attempts (429) over attempts",
                 [](const ClientResult& c) { return throttled_share(c); }},
    ClientMetric{"failed_share", MetricUnit::share, kLessOfAll, "failed operations over ended ones",
                 [](const ClientResult& c) { return failed_share(c); }},
    ClientMetric{"attempts", MetricUnit::count, kNeither, "sends of requests, retries included",
                 [](const ClientResult& c) { return count_of(c.attempts); }},
    ClientMetric{"throttled", MetricUnit::count, kLess, "attempts refused with 429",
                 [](const ClientResult& c) { return count_of(c.throttled); }},
    ClientMetric{"gone", MetricUnit::count, kLess,
                 "attempts that met a partition in its swap (410/1007)",
                 [](const ClientResult& c) { return count_of(c.gone); }},
    ClientMetric{"forbidden", MetricUnit::count, kLess,
                 "writes to a full logical partition (403/1014)",
                 [](const ClientResult& c) { return count_of(c.forbidden); }},
    ClientMetric{"refused", MetricUnit::count, kLess,
                 "transactions over several logical partitions (400)",
                 [](const ClientResult& c) { return count_of(c.refused); }},
    ClientMetric{"timed_out", MetricUnit::count, kLess,
                 "operations that failed because the application gave up waiting",
                 [](const ClientResult& c) { return count_of(c.timed_out); }},
    ClientMetric{"operations.offered", MetricUnit::count, kNeither, "operations first sent",
                 [](const ClientResult& c) { return count_of(c.operations.offered); }},
    ClientMetric{"operations.succeeded", MetricUnit::count, kMore, "operations that succeeded",
                 [](const ClientResult& c) { return count_of(c.operations.succeeded); }},
    ClientMetric{"operations.failed", MetricUnit::count, kLess, "operations that failed for good",
                 [](const ClientResult& c) { return count_of(c.operations.failed); }},
    ClientMetric{"operations.in_flight", MetricUnit::count, kLess,
                 "operations without an answer at the end",
                 [](const ClientResult& c) { return count_of(c.operations.in_flight); }},
    ClientMetric{"latency_ms.mean", MetricUnit::milliseconds, kLess,
                 "mean latency of succeeded operations",
                 [](const ClientResult& c) { return latency_ms(c.latency_ns).mean; }},
    ClientMetric{"latency_ms.p50", MetricUnit::milliseconds, kLess, "median latency",
                 [](const ClientResult& c) { return latency_ms(c.latency_ns).p50; }},
    ClientMetric{"latency_ms.p90", MetricUnit::milliseconds, kLess, "90 % are at least this fast",
                 [](const ClientResult& c) { return latency_ms(c.latency_ns).p90; }},
    ClientMetric{"latency_ms.p95", MetricUnit::milliseconds, kLess, "95 % are at least this fast",
                 [](const ClientResult& c) { return latency_ms(c.latency_ns).p95; }},
    ClientMetric{"latency_ms.p99", MetricUnit::milliseconds, kLess, "99 % are at least this fast",
                 [](const ClientResult& c) { return latency_ms(c.latency_ns).p99; }},
    ClientMetric{"latency_ms.p999", MetricUnit::milliseconds, kLess,
                 "99.9 % are at least this fast",
                 [](const ClientResult& c) { return latency_ms(c.latency_ns).p999; }},
    ClientMetric{"latency_ms.max", MetricUnit::milliseconds, kLess, "slowest succeeded operation",
                 [](const ClientResult& c) { return latency_ms(c.latency_ns).max; }},
    ClientMetric{"latency_parts_ms.service", MetricUnit::milliseconds, kLess,
                 "mean time being served",
                 [](const ClientResult& c) { return latency_parts_ms(c).service; }},
    ClientMetric{"latency_parts_ms.queue", MetricUnit::milliseconds, kLess,
                 "mean time queueing for a worker",
                 [](const ClientResult& c) { return latency_parts_ms(c).queue; }},
    ClientMetric{"latency_parts_ms.retry_wait", MetricUnit::milliseconds, kLess,
                 "mean time lost to 429s and the waits between retries",
                 [](const ClientResult& c) { return latency_parts_ms(c).retry_wait; }},
};

constexpr std::array kClientMetrics{
    ClientMetric{"ru_per_operation", MetricUnit::ru, kLess, "cost of a succeeded operation",
                 [](const ClientResult& c) { return ru_per_operation(c); }},
    ClientMetric{"partitions_per_operation", MetricUnit::ratio, kLess,
                 "physical partitions an operation visits",
                 [](const ClientResult& c) { return partitions_per_operation(c); }},
};

struct RunMetric {
  std::string_view path;
  MetricUnit unit;
  Meaning meaning;
  std::string_view description;
  double (*value)(const RunResult&);
};

/// A metric of one physical partition, by id or of the hottest one.
struct PartitionMetric {
  std::string_view suffix;
  MetricUnit unit;
  Meaning meaning;
  std::string_view description;
  double (*value)(const RunResult&, const PartitionResult&);
};

double seconds_of(Nanoseconds value) noexcept {
  return static_cast<double>(value) / static_cast<double>(kSecond);
}

constexpr std::array kPartitionMetrics{
    PartitionMetric{"throttled_share", MetricUnit::share, kLessOfAll,
                    "throttled share of the partition with most demand",
                    [](const RunResult&, const PartitionResult& p) { return throttled_share(p); }},
    PartitionMetric{"peak_utilization", MetricUnit::share, kLess,
                    "most used of its share in one second by that partition",
                    [](const RunResult&, const PartitionResult& p) { return peak_utilization(p); }},
    PartitionMetric{
        "ru_consumed", MetricUnit::ru, kNeither, "RU consumed on that partition",
        [](const RunResult&, const PartitionResult& p) { return ru_of(p.consumed_mru); }},
    PartitionMetric{
        "attempts", MetricUnit::count, kNeither, "attempts on that partition",
        [](const RunResult&, const PartitionResult& p) { return count_of(p.attempts); }},
    PartitionMetric{
        "throttled", MetricUnit::count, kLess, "attempts refused there with 429",
        [](const RunResult&, const PartitionResult& p) { return count_of(p.throttled); }},
    PartitionMetric{
        "utilization", MetricUnit::share, kNeither, "used of its shares while it was there",
        [](const RunResult& r, const PartitionResult& p) { return mean_utilization(r, p); }},
    PartitionMetric{
        "ru_per_s", MetricUnit::ru_per_second, kNeither, "its share at the end",
        [](const RunResult&, const PartitionResult& p) { return ru_of(p.share_mru_per_s); }},
    PartitionMetric{"ru_demand", MetricUnit::ru, kNeither, "RU that first attempts asked of it",
                    [](const RunResult&, const PartitionResult& p) { return ru_of(p.demand_mru); }},
    PartitionMetric{"storage_bytes", MetricUnit::bytes, kNeither, "what it stores at the end",
                    [](const RunResult&, const PartitionResult& p) {
                      return static_cast<double>(p.storage_bytes);
                    }},
    PartitionMetric{
        "key_space", MetricUnit::share, kPartOfAll, "part of the key space that it owns",
        [](const RunResult&, const PartitionResult& p) { return key_space(p.width_q32); }},
    PartitionMetric{
        "born_s", MetricUnit::seconds, kNeither, "when it came to be; 0: at the start",
        [](const RunResult&, const PartitionResult& p) { return seconds_of(p.born_ns); }},
    PartitionMetric{"burst_ru", MetricUnit::ru, kNeither, "RU it consumed above its share",
                    [](const RunResult&, const PartitionResult& p) { return ru_of(p.burst_mru); }},
    PartitionMetric{"ttl_ru", MetricUnit::ru, kNeither, "RU that deleted its expired items",
                    [](const RunResult&, const PartitionResult& p) { return ru_of(p.ttl_mru); }},
};

double top_key_share(const RunResult& run) {
  if (run.hot_keys.empty() || run.total_demand_mru <= 0) {
    return 0.0;
  }
  return static_cast<double>(run.hot_keys.front().demand_mru) /
         static_cast<double>(run.total_demand_mru);
}

constexpr std::array kRunMetrics{
    RunMetric{"events", MetricUnit::count, kNeither, "attempts handled, warm-up included",
              [](const RunResult& r) { return count_of(r.events); }},
    RunMetric{"ru.consumed", MetricUnit::ru, kNeither, "RU charged by admitted attempts",
              [](const RunResult& r) { return ru_of(r.total().consumed_mru); }},
    RunMetric{"ru.per_operation", MetricUnit::ru, kLess, "cost of a succeeded operation",
              [](const RunResult& r) { return ru_per_operation(r.total()); }},
    RunMetric{"ru.provisioned_per_s", MetricUnit::ru_per_second, kNeither,
              "throughput that was bought",
              [](const RunResult& r) { return ru_of(r.provisioned_mru_per_s); }},
    RunMetric{"ru.utilization", MetricUnit::share, kNeither, "consumed over provisioned RU",
              [](const RunResult& r) { return r.utilization(); }},
    RunMetric{"ru.normalized_peak", MetricUnit::share, kLess,
              "largest consumed over share of any partition in any second",
              [](const RunResult& r) { return r.normalized_peak(); }},
    RunMetric{"ru.burst", MetricUnit::ru, kNeither,
              "RU consumed above the shares, from what was saved",
              [](const RunResult& r) { return ru_of(total_burst_mru(r)); }},
    RunMetric{"imbalance", MetricUnit::ratio, kLessFromOne,
              "largest demand over share of a partition, over all demand over all shares",
              [](const RunResult& r) { return r.imbalance(); }},
    RunMetric{"partitions.count", MetricUnit::count, kNeither, "physical partitions at the end",
              [](const RunResult& r) { return count_of(alive_partitions(r)); }},
    RunMetric{"hot_keys.top_share", MetricUnit::share, kLessOfAll,
              "the heaviest key's share of the RU demand", top_key_share},
    RunMetric{"cost.per_hour", MetricUnit::usd, kLess,
              "price of the provisioned throughput and the storage",
              [](const RunResult& r) { return usd_of(r.cost.per_hour_micro); }},
    RunMetric{"cost.per_month", MetricUnit::usd, kLess, "price of a month",
              [](const RunResult& r) { return usd_of(r.cost.per_month_micro); }},
    RunMetric{"cost.total", MetricUnit::usd, kLess, "price of all clock hours that the run touched",
              [](const RunResult& r) { return usd_of(total_cost_micro(r.cost)); }},
    RunMetric{"cost.throughput", MetricUnit::usd, kLess, "its part for throughput",
              [](const RunResult& r) { return usd_of(r.cost.throughput_micro); }},
    RunMetric{"cost.storage", MetricUnit::usd, kLess, "its part for storage",
              [](const RunResult& r) { return usd_of(r.cost.storage_micro); }},
    RunMetric{"cost.hours", MetricUnit::count, kNeither, "clock hours that are billed",
              [](const RunResult& r) { return static_cast<double>(r.cost.hours); }},
    RunMetric{"layout.splits", MetricUnit::count, kNeither, "partitions that split",
              [](const RunResult& r) { return count_of(count_events(r, LayoutEventKind::split)); }},
    RunMetric{"layout.merges", MetricUnit::count, kNeither, "pairs of partitions that became one",
              [](const RunResult& r) { return count_of(count_events(r, LayoutEventKind::merge)); }},
    RunMetric{
        "layout.refused", MetricUnit::count, kLess,
        "changes of the layout that the service refused",
        [](const RunResult& r) { return count_of(count_events(r, LayoutEventKind::refused)); }},
    RunMetric{"layout.partitions", MetricUnit::count, kNeither, "physical partitions at the end",
              [](const RunResult& r) { return count_of(alive_partitions(r)); }},
    RunMetric{"storage.bytes", MetricUnit::bytes, kNeither, "stored at the end, data and index",
              [](const RunResult& r) { return static_cast<double>(total_storage_bytes(r)); }},
    RunMetric{"storage.largest_key_bytes", MetricUnit::bytes, kLess,
              "the largest logical partition, where sizes were followed",
              [](const RunResult& r) { return static_cast<double>(largest_key_bytes(r)); }},
    RunMetric{"storage.largest_partition_bytes", MetricUnit::bytes, kLess,
              "the largest physical partition at the end",
              [](const RunResult& r) { return static_cast<double>(largest_partition_bytes(r)); }},
};

template <class Row>
Metric row_of(const std::string& path, const Row& row) {
  return {.path = path,
          .unit = row.unit,
          .description = std::string(row.description),
          .good = row.meaning.good,
          .lowest = row.meaning.lowest,
          .highest = row.meaning.highest};
}

std::vector<Metric> build_table() {
  std::vector<Metric> table;
  table.reserve(2 * kSharedMetrics.size() + kRunMetrics.size() + kPartitionMetrics.size());
  for (const ClientMetric& metric : kSharedMetrics) {
    table.push_back(row_of(std::string(metric.suffix), metric));
  }
  for (const RunMetric& metric : kRunMetrics) {
    table.push_back(row_of(std::string(metric.path), metric));
  }
  for (const PartitionMetric& metric : kPartitionMetrics) {
    table.push_back(row_of(std::string(kHottest) + std::string(metric.suffix), metric));
  }
  const auto add_client_metric = [&table](const ClientMetric& metric) {
    table.push_back(row_of(std::string(kClients) + "*." + std::string(metric.suffix), metric));
  };
  std::for_each(kSharedMetrics.begin(), kSharedMetrics.end(), add_client_metric);
  std::for_each(kClientMetrics.begin(), kClientMetrics.end(), add_client_metric);
  return table;
}

/// Where a path leads; exactly one of the pointers is set.
struct Target {
  const RunMetric* run = nullptr;
  const ClientMetric* client = nullptr;
  std::string_view client_name;  // empty: all clients together
  const PartitionMetric* partition = nullptr;
  std::optional<std::uint32_t> partition_id;  // without it: the hottest, or many
  PartitionScope scope = PartitionScope::one;
};

Target to_client(const ClientMetric& metric, std::string_view name) {
  Target target;
  target.client = &metric;
  target.client_name = name;
  return target;
}

/// `path` is `partitions.WHICH.SUFFIX`: `hottest`, `any`, `all` or an id.
std::optional<Target> find_partition_metric(std::string_view path) {
  const std::string_view rest = path.substr(kPartitions.size());
  const std::size_t dot = rest.find('.');
  if (dot == std::string_view::npos) {
    return std::nullopt;
  }
  Target target;
  const std::string_view which = rest.substr(0, dot);
  if (which == "any" || which == "all") {
    target.scope = which == "any" ? PartitionScope::any : PartitionScope::all;
  } else if (which != "hottest") {
    const Parsed<std::uint64_t> id = parse_integer(which);
    if (!id || *id.value > UINT32_MAX) {
      return std::nullopt;
    }
    target.partition_id = static_cast<std::uint32_t>(*id.value);
  }
  for (const PartitionMetric& metric : kPartitionMetrics) {
    if (metric.suffix == rest.substr(dot + 1)) {
      target.partition = &metric;
      return target;
    }
  }
  return std::nullopt;
}

/// `rest` is `NAME.SUFFIX`. No suffix is the tail of another after a dot, so at most one fits even
/// when names contain dots.
template <std::size_t N>
std::optional<Target> find_client_metric(const std::array<ClientMetric, N>& metrics,
                                         std::string_view rest) {
  for (const ClientMetric& metric : metrics) {
    const std::size_t tail = metric.suffix.size() + 1;
    if (rest.size() > tail && rest.ends_with(metric.suffix) && rest[rest.size() - tail] == '.') {
      return to_client(metric, rest.substr(0, rest.size() - tail));
    }
  }
  return std::nullopt;
}

std::optional<Target> find_target(std::string_view path) {
  if (path.starts_with(kClients)) {
    const std::string_view rest = path.substr(kClients.size());
    const std::optional<Target> shared = find_client_metric(kSharedMetrics, rest);
    return shared ? shared : find_client_metric(kClientMetrics, rest);
  }
  for (const ClientMetric& metric : kSharedMetrics) {
    if (metric.suffix == path) {
      return to_client(metric, {});
    }
  }
  for (const RunMetric& metric : kRunMetrics) {
    if (metric.path == path) {
      Target target;
      target.run = &metric;
      return target;
    }
  }
  return path.starts_with(kPartitions) ? find_partition_metric(path) : std::nullopt;
}

std::optional<double> value_of_partition(const RunResult& run, const Target& target) {
  if (target.scope != PartitionScope::one) {
    return std::nullopt;
  }
  if (!target.partition_id) {
    const std::optional<std::size_t> hottest = hottest_partition(run);
    return hottest ? target.partition->value(run, run.partitions[*hottest]) : 0.0;
  }
  const auto found =
      std::lower_bound(run.partitions.begin(), run.partitions.end(), *target.partition_id,
                       [](const PartitionResult& each, std::uint32_t id) { return each.id < id; });
  if (found == run.partitions.end() || found->id != *target.partition_id) {
    return std::nullopt;
  }
  return target.partition->value(run, *found);
}

Metric metric_of(std::string_view path, const Target& target) {
  return target.run != nullptr      ? row_of(std::string(path), *target.run)
         : target.client != nullptr ? row_of(std::string(path), *target.client)
                                    : row_of(std::string(path), *target.partition);
}

}  // namespace

const std::vector<Metric>& metric_table() {
  static const std::vector<Metric> kTable = build_table();
  return kTable;
}

std::optional<Metric> find_metric(std::string_view path) {
  const std::optional<Target> target = find_target(path);
  return target ? std::optional(metric_of(path, *target)) : std::nullopt;
}

std::optional<MetricUnit> metric_unit(std::string_view path) {
  const std::optional<Metric> metric = find_metric(path);
  return metric ? std::optional(metric->unit) : std::nullopt;
}

PartitionPath partition_path(std::string_view path) {
  const std::optional<Target> target = find_target(path);
  if (!target || target->partition == nullptr) {
    return {};
  }
  return {.metric = target->partition->suffix,
          .scope = target->scope,
          .id = target->partition_id,
          .is_hottest = !target->partition_id && target->scope == PartitionScope::one};
}

std::optional<double> metric_value(const RunResult& run, std::string_view path) {
  const std::optional<Target> target = find_target(path);
  if (!target) {
    return std::nullopt;
  }
  if (target->run != nullptr) {
    return target->run->value(run);
  }
  if (target->partition != nullptr) {
    return value_of_partition(run, *target);
  }
  if (target->client_name.empty()) {
    return target->client->value(run.total());
  }
  for (const ClientResult& client : run.clients) {
    if (client.name == target->client_name) {
      return target->client->value(client);
    }
  }
  return std::nullopt;
}

}  // namespace partsim
