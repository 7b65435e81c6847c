#include <cstdint>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "partsim/metrics/derived.hpp"
#include "partsim/report/report.hpp"

#include "csv_text.hpp"
#include "numbers.hpp"

namespace partsim {
namespace {

constexpr std::string_view kAllClients = "(all)";  // no client can have this name

std::string ru(MilliRu value) {
  return scaled_decimal(value, kMilliPerRu);
}

std::string seconds(Nanoseconds value) {
  return scaled_decimal(value, kSecond);
}

std::string milliseconds(std::uint64_t latency_ns) {
  return decimal(static_cast<double>(latency_ns) / static_cast<double>(kMillisecond));
}

void append_latency_curve(std::string& csv, std::string_view prefix, const Histogram& latency_ns) {
  const auto append = [&](std::uint32_t ppm) {
    fmt::format_to(std::back_inserter(csv), "{},{},{}\n", prefix, scaled_decimal(ppm, 10'000),
                   decimal(latency_ms_at(latency_ns, ppm)));
  };
  for (std::uint32_t percent = 0; percent <= 99; ++percent) {
    append(percent * 10'000);
  }
  for (std::uint32_t tenth = 1; tenth <= 9; ++tenth) {
    append(990'000 + tenth * 1'000);
  }
  append(999'900);
  append(999'990);
  append(1'000'000);
}

void append_series(std::string& csv, const VariantResult& result) {
  const RunResult& run = result.run;
  const LoadSeries& series = run.series;
  const UtilizationMatrix utilization = utilization_by_interval(run);
  const std::string variant = csv_text(result.variant);
  for (Eigen::Index row = 0; row < series.consumed_mru.rows(); ++row) {
    for (Eigen::Index column = 0; column < series.consumed_mru.cols(); ++column) {
      const PartitionResult& partition = run.partitions[static_cast<std::size_t>(column)];
      if (!existed_in(run, partition, row)) {
        continue;
      }
      const auto attempts = static_cast<std::uint64_t>(series.attempts(row, column));
      const auto throttled = static_cast<std::uint64_t>(series.throttled(row, column));
      fmt::format_to(std::back_inserter(csv), "{},{},{},{},{},{},{},{},{},{},{}\n", variant,
                     row * series.interval_s, series.interval_s, partition.id, attempts, throttled,
                     decimal(share_of(throttled, attempts)), ru(series.consumed_mru(row, column)),
                     decimal(utilization(row, column)),
                     ru(series.share_mru(row, column) * run.regions),
                     series.storage_bytes(row, column));
    }
  }
}

void append_partition(std::string& csv, const VariantResult& result,
                      const PartitionResult& partition) {
  fmt::format_to(std::back_inserter(csv), "{},{},{},{},{},{},{},{},{},{},{},{},{},{},{}",
                 csv_text(result.variant), partition.id,
                 partition.parent ? fmt::format("{}", *partition.parent) : "",
                 csv_text(partition.container), csv_text(partition.min_epk),
                 csv_text(partition.max_epk), ru(partition.share_mru_per_s), partition.attempts,
                 partition.throttled, decimal(throttled_share(partition)),
                 ru(partition.consumed_mru), ru(partition.demand_mru),
                 decimal(mean_utilization(result.run, partition)),
                 decimal(peak_utilization(partition)), partition.storage_bytes);
  fmt::format_to(std::back_inserter(csv), ",{},{},{},{},{},{},{}\n",
                 decimal(key_space(partition.width_q32)), seconds(partition.born_ns),
                 partition.retired_ns ? seconds(*partition.retired_ns) : "",
                 ru(partition.write_share_mru_per_s), ru(partition.burst_mru),
                 ru(partition.ttl_mru), partition.single_key_full ? 1 : 0);
}

}  // namespace

std::string partitions_csv(const StudyResult& study) {
  std::string csv =
      "variant,id,parent,container,min,max,ru_per_s,attempts,throttled,throttled_share,"
      "ru_consumed,ru_demand,utilization,peak_utilization,storage_bytes,key_space,born_s,"
      "retired_s,write_ru_per_s,burst_ru,ttl_ru,single_key_full\n";
  for (const VariantResult& result : study.runs) {
    for (const PartitionResult& partition : result.run.partitions) {
      append_partition(csv, result, partition);
    }
  }
  return csv;
}

std::string timeseries_csv(const StudyResult& study) {
  std::string csv =
      "variant,second,interval_s,partition,attempts,throttled,throttled_share,ru_consumed,"
      "utilization,ru_share,storage_bytes\n";
  for (const VariantResult& result : study.runs) {
    append_series(csv, result);
  }
  return csv;
}

std::string latency_csv(const StudyResult& study) {
  std::string csv = "variant,client,percentile,latency_ms\n";
  for (const VariantResult& result : study.runs) {
    const std::string variant = csv_text(result.variant) + ",";
    append_latency_curve(csv, variant + std::string(kAllClients), result.run.total().latency_ns);
    for (const ClientResult& client : result.run.clients) {
      append_latency_curve(csv, variant + csv_text(client.name), client.latency_ns);
    }
  }
  return csv;
}

std::string latency_time_csv(const StudyResult& study) {
  std::string csv = "variant,second,interval_s,succeeded,p50_ms,p95_ms,p99_ms,max_ms\n";
  for (const VariantResult& result : study.runs) {
    const LatencySeries& series = result.run.latency_series;
    for (std::size_t row = 0; row < series.rows.size(); ++row) {
      const LatencySeries::Row& at = series.rows[row];
      fmt::format_to(std::back_inserter(csv), "{},{},{},{}", csv_text(result.variant),
                     static_cast<std::int64_t>(row) * series.interval_s, series.interval_s,
                     at.succeeded);
      for (const std::uint64_t latency_ns : {at.p50_ns, at.p95_ns, at.p99_ns, at.max_ns}) {
        // nobody waited where nobody was answered
        csv += ',' + (at.succeeded > 0 ? milliseconds(latency_ns) : std::string());
      }
      csv += '\n';
    }
  }
  return csv;
}

}  // namespace partsim
