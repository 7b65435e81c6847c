#include "partsim/metrics/metric_table.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <string>

#include "partsim/metrics/derived.hpp"

namespace partsim {
namespace {

constexpr std::string_view kClients = "clients.";

double count_of(std::uint64_t value) noexcept {
  return static_cast<double>(value);
}

double ru_of(MilliRu value) noexcept {
  return static_cast<double>(value) / static_cast<double>(kMilliPerRu);
}

double usd_of(std::int64_t micro) noexcept {
  return static_cast<double>(micro) / static_cast<double>(kMillion);
}

/// A metric of one client; the same of all clients together stands at the top level of a run.
struct ClientMetric {
  std::string_view suffix;
  MetricUnit unit;
  std::string_view description;
  double (*value)(const ClientResult&);
};

constexpr std::array kSharedMetrics{
    ClientMetric{"throttled_share", MetricUnit::share, "throttled attempts (429) over attempts",
                 [](const ClientResult& c) { return throttled_share(c); }},
    ClientMetric{"failed_share", MetricUnit::share, "failed operations over ended ones",
                 [](const ClientResult& c) { return failed_share(c); }},
    ClientMetric{"attempts", MetricUnit::count, "sends of requests, retries included",
                 [](const ClientResult& c) { return count_of(c.attempts); }},
    ClientMetric{"throttled", MetricUnit::count, "attempts refused with 429",
                 [](const ClientResult& c) { return count_of(c.throttled); }},
    ClientMetric{"operations.offered", MetricUnit::count, "operations first sent",
                 [](const ClientResult& c) { return count_of(c.operations.offered); }},
    ClientMetric{"operations.succeeded", MetricUnit::count, "operations that succeeded",
                 [](const ClientResult& c) { return count_of(c.operations.succeeded); }},
    ClientMetric{"operations.failed", MetricUnit::count, "operations that failed for good",
                 [](const ClientResult& c) { return count_of(c.operations.failed); }},
    ClientMetric{"operations.in_flight", MetricUnit::count,
                 "operations without an answer at the end",
                 [](const ClientResult& c) { return count_of(c.operations.in_flight); }},
    ClientMetric{"latency_ms.mean", MetricUnit::milliseconds,
                 "mean latency of succeeded operations",
                 [](const ClientResult& c) { return latency_ms(c.latency_ns).mean; }},
    ClientMetric{"latency_ms.p50", MetricUnit::milliseconds, "median latency",
                 [](const ClientResult& c) { return latency_ms(c.latency_ns).p50; }},
    ClientMetric{"latency_ms.p90", MetricUnit::milliseconds, "90 % are at least this fast",
                 [](const ClientResult& c) { return latency_ms(c.latency_ns).p90; }},
    ClientMetric{"latency_ms.p95", MetricUnit::milliseconds, "95 % are at least this fast",
                 [](const ClientResult& c) { return latency_ms(c.latency_ns).p95; }},
    ClientMetric{"latency_ms.p99", MetricUnit::milliseconds, "99 % are at least this fast",
                 [](const ClientResult& c) { return latency_ms(c.latency_ns).p99; }},
    ClientMetric{"latency_ms.p999", MetricUnit::milliseconds, "99.9 % are at least this fast",
                 [](const ClientResult& c) { return latency_ms(c.latency_ns).p999; }},
    ClientMetric{"latency_ms.max", MetricUnit::milliseconds, "slowest succeeded operation",
                 [](const ClientResult& c) { return latency_ms(c.latency_ns).max; }},
    ClientMetric{"latency_parts_ms.service", MetricUnit::milliseconds, "mean time being served",
                 [](const ClientResult& c) { return latency_parts_ms(c).service; }},
    ClientMetric{"latency_parts_ms.queue", MetricUnit::milliseconds,
                 "mean time queueing for a worker",
                 [](const ClientResult& c) { return latency_parts_ms(c).queue; }},
    ClientMetric{"latency_parts_ms.retry_wait", MetricUnit::milliseconds,
                 "mean time lost to 429s and the waits between retries",
                 [](const ClientResult& c) { return latency_parts_ms(c).retry_wait; }},
};

constexpr std::array kClientMetrics{
    ClientMetric{"ru_per_operation", MetricUnit::ru, "cost of a succeeded operation",
                 [](const ClientResult& c) { return ru_per_operation(c); }},
    ClientMetric{"partitions_per_operation", MetricUnit::ratio,
                 "physical partitions an operation visits",
                 [](const ClientResult& c) { return partitions_per_operation(c); }},
};

struct RunMetric {
  std::string_view path;
  MetricUnit unit;
  std::string_view description;
  double (*value)(const RunResult&);
};

template <class Value>
double of_hottest(const RunResult& run, Value value) {
  const std::optional<std::size_t> hottest = hottest_partition(run);
  return hottest ? value(run.partitions[*hottest]) : 0.0;
}

double top_key_share(const RunResult& run) {
  if (run.hot_keys.empty() || run.total_demand_mru <= 0) {
    return 0.0;
  }
  return static_cast<double>(run.hot_keys.front().demand_mru) /
         static_cast<double>(run.total_demand_mru);
}

constexpr std::array kRunMetrics{
    RunMetric{"events", MetricUnit::count, "attempts handled, warm-up included",
              [](const RunResult& r) { return count_of(r.events); }},
    RunMetric{"ru.consumed", MetricUnit::ru, "RU charged by admitted attempts",
              [](const RunResult& r) { return ru_of(r.total().consumed_mru); }},
    RunMetric{"ru.per_operation", MetricUnit::ru, "cost of a succeeded operation",
              [](const RunResult& r) { return ru_per_operation(r.total()); }},
    RunMetric{"ru.provisioned_per_s", MetricUnit::ru_per_second, "throughput that was bought",
              [](const RunResult& r) { return ru_of(r.provisioned_mru_per_s); }},
    RunMetric{"ru.utilization", MetricUnit::share, "consumed over provisioned RU",
              [](const RunResult& r) { return r.utilization(); }},
    RunMetric{"ru.normalized_peak", MetricUnit::share,
              "largest consumed over share of any partition in any second",
              [](const RunResult& r) { return r.normalized_peak(); }},
    RunMetric{"imbalance", MetricUnit::ratio, "hottest partition's RU demand over the mean",
              [](const RunResult& r) { return r.imbalance(); }},
    RunMetric{"partitions.count", MetricUnit::count, "physical partitions",
              [](const RunResult& r) { return static_cast<double>(r.partitions.size()); }},
    RunMetric{"partitions.hottest.throttled_share", MetricUnit::share,
              "throttled share of the partition with most demand",
              [](const RunResult& r) {
                return of_hottest(r, [](const PartitionResult& p) { return throttled_share(p); });
              }},
    RunMetric{"partitions.hottest.peak_utilization", MetricUnit::share,
              "most used of its share in one second by the partition with most demand",
              [](const RunResult& r) {
                return of_hottest(r, [](const PartitionResult& p) { return peak_utilization(p); });
              }},
    RunMetric{"partitions.hottest.ru_consumed", MetricUnit::ru,
              "RU consumed on the partition with most demand",
              [](const RunResult& r) {
                return of_hottest(r,
                                  [](const PartitionResult& p) { return ru_of(p.consumed_mru); });
              }},
    RunMetric{"partitions.hottest.attempts", MetricUnit::count,
              "attempts on the partition with most demand",
              [](const RunResult& r) {
                return of_hottest(r, [](const PartitionResult& p) { return count_of(p.attempts); });
              }},
    RunMetric{"hot_keys.top_share", MetricUnit::share, "the heaviest key's share of the RU demand",
              top_key_share},
    RunMetric{"cost.per_hour", MetricUnit::usd,
              "price of the provisioned throughput and the storage",
              [](const RunResult& r) { return usd_of(r.cost.per_hour_micro); }},
    RunMetric{"cost.per_month", MetricUnit::usd, "price of a month",
              [](const RunResult& r) { return usd_of(r.cost.per_month_micro); }},
};

std::vector<Metric> build_table() {
  std::vector<Metric> table;
  table.reserve(2 * kSharedMetrics.size() + kRunMetrics.size());
  for (const ClientMetric& metric : kSharedMetrics) {
    table.push_back({std::string(metric.suffix), metric.unit, std::string(metric.description)});
  }
  for (const RunMetric& metric : kRunMetrics) {
    table.push_back({std::string(metric.path), metric.unit, std::string(metric.description)});
  }
  const auto add_client_metric = [&table](const ClientMetric& metric) {
    table.push_back({std::string(kClients) + "*." + std::string(metric.suffix), metric.unit,
                     std::string(metric.description)});
  };
  std::for_each(kSharedMetrics.begin(), kSharedMetrics.end(), add_client_metric);
  std::for_each(kClientMetrics.begin(), kClientMetrics.end(), add_client_metric);
  return table;
}

/// Where a path leads; exactly one of the pointers is set.
struct Target {
  const RunMetric* run;
  const ClientMetric* client;
  std::string_view client_name;  // empty: all clients together
};

/// `rest` is `NAME.SUFFIX`. No suffix is the tail of another after a dot, so at most one fits even
/// when names contain dots.
template <std::size_t N>
std::optional<Target> find_client_metric(const std::array<ClientMetric, N>& metrics,
                                         std::string_view rest) {
  for (const ClientMetric& metric : metrics) {
    const std::size_t tail = metric.suffix.size() + 1;
    if (rest.size() > tail && rest.ends_with(metric.suffix) && rest[rest.size() - tail] == '.') {
      return Target{
          .run = nullptr, .client = &metric, .client_name = rest.substr(0, rest.size() - tail)};
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
      return Target{.run = nullptr, .client = &metric, .client_name = {}};
    }
  }
  for (const RunMetric& metric : kRunMetrics) {
    if (metric.path == path) {
      return Target{.run = &metric, .client = nullptr, .client_name = {}};
    }
  }
  return std::nullopt;
}

}  // namespace

const std::vector<Metric>& metric_table() {
  static const std::vector<Metric> kTable = build_table();
  return kTable;
}

std::optional<MetricUnit> metric_unit(std::string_view path) {
  const std::optional<Target> target = find_target(path);
  if (!target) {
    return std::nullopt;
  }
  return target->run != nullptr ? target->run->unit : target->client->unit;
}

std::optional<double> metric_value(const RunResult& run, std::string_view path) {
  const std::optional<Target> target = find_target(path);
  if (!target) {
    return std::nullopt;
  }
  if (target->run != nullptr) {
    return target->run->value(run);
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
