// The tables of one variant.
#include <algorithm>
#include <numeric>
#include <string>
#include <tuple>
#include <vector>

#include <fmt/format.h>

#include "partsim/metrics/derived.hpp"
#include "partsim/report/report_table.hpp"

#include "layout_text.hpp"
#include "numbers.hpp"
#include "provider_words.hpp"

namespace partsim {
namespace {

constexpr double kBurning = 0.05;  // more 429s than the vendor calls healthy

std::vector<std::size_t> by_pain(const RunResult& run) {
  std::vector<std::size_t> order(run.partitions.size());
  std::iota(order.begin(), order.end(), 0U);
  std::stable_sort(order.begin(), order.end(), [&run](std::size_t a, std::size_t b) {
    const PartitionResult& left = run.partitions[a];
    const PartitionResult& right = run.partitions[b];
    return std::tuple(left.throttled, mean_utilization(run, left)) >
           std::tuple(right.throttled, mean_utilization(run, right));
  });
  return order;
}

/// "4 s to 60 s, in 55 of 56 s": the time in which a partition refused attempts.
std::string refused_when(const RunResult& run, std::size_t index) {
  const LoadSeries& series = run.series;
  const auto column = static_cast<Eigen::Index>(index);
  const std::int64_t interval_ns = series.interval_s * kSecond;
  Eigen::Index first = -1;
  Eigen::Index last = -1;
  std::int64_t refusing = 0;
  for (Eigen::Index row = 0; column < series.throttled.cols() && row < series.throttled.rows();
       ++row) {
    const bool counted = (row + 1) * interval_ns > run.warm_up_ns;
    if (counted && series.throttled(row, column) > 0) {
      first = first < 0 ? row : first;
      last = row;
      ++refusing;
    }
  }
  if (first < 0) {
    return {};
  }
  const std::int64_t from_ns = std::max(first * interval_ns, run.warm_up_ns);
  const std::int64_t to_ns = std::min((last + 1) * interval_ns, run.simulated_ns);
  std::string text = fmt::format("{} to {}", in_clock(from_ns), in_clock(to_ns));
  if (refusing < last - first + 1) {
    text += fmt::format(", {} of {} of it", in_clock(refusing * interval_ns),
                        in_clock(to_ns - from_ns));
  }
  return text;
}

std::string life_of(const PartitionResult& partition) {
  std::string text = throttled_share(partition) <= kBurning ? ""
                     : partition.alive()                    ? "burns"
                                                            : "burned";
  const auto add = [&text](const std::string& words) {
    text += (text.empty() ? "" : ", ") + words;
  };
  if (partition.born_ns > 0) {
    add("from " + in_clock(partition.born_ns));
  }
  if (!partition.alive()) {
    add("until " + in_clock(*partition.retired_ns));
  } else if (partition.single_key_full) {
    add("one key fills it");
  }
  return text;
}

std::vector<ReportCell> partition_row(const RunResult& run, std::size_t index,
                                      double total_demand) {
  const PartitionResult& partition = run.partitions[index];
  const double used = mean_utilization(run, partition);
  const double refused = throttled_share(partition);
  const double load =
      total_demand > 0 ? static_cast<double>(partition.demand_mru) / total_demand : 0.0;
  const Severity pain = refused > kBurning ? Severity::bad
                        : refused > 0      ? Severity::warning
                                           : Severity::good;
  const auto ru_per_s = static_cast<double>(partition.share_mru_per_s) / kMilliPerRu;
  return {{fmt::format("{}", partition.id), partition.id, pain},
          {life_of(partition), std::nullopt, pain},
          {in_percent(refused), refused, pain},
          {refused_when(run, index), std::nullopt},
          {in_percent(used), used, pain, std::clamp(used, 0.0, 1.0)},
          {in_percent(peak_utilization(partition)), peak_utilization(partition)},
          {in_percent(load), load},
          {in_keys(partition.width_q32), static_cast<double>(partition.width_q32)},
          {grouped(static_cast<std::uint64_t>(std::max(ru_per_s, 0.0))), ru_per_s},
          {partition.storage_bytes > 0 ? in_bytes(partition.storage_bytes) : "",
           static_cast<double>(partition.storage_bytes)}};
}

/// A column without a single text says nothing.
void drop_empty_columns(ReportTable& table) {
  for (std::size_t column = table.columns.size(); column-- > 0;) {
    const bool empty = std::all_of(
        table.rows.begin(), table.rows.end(),
        [column](const std::vector<ReportCell>& row) { return row[column].text.empty(); });
    if (empty) {
      const auto at = static_cast<std::ptrdiff_t>(column);
      table.columns.erase(table.columns.begin() + at);
      for (std::vector<ReportCell>& row : table.rows) {
        row.erase(row.begin() + at);
      }
    }
  }
}

}  // namespace

ReportTable partitions_table(const VariantResult& result, std::size_t most_rows) {
  const RunResult& run = result.run;
  const ProviderWords& words = words_of(run);
  ReportTable table;
  table.caption = fmt::format("Partitions of {}, those that refuse most first", result.variant);
  table.columns = {{"partition", "", true},
                   {"state", "burns: more than 5 % of its attempts are refused"},
                   {std::string(words.refusals), "attempts refused, of all attempts at it", true},
                   {"when it refused", ""},
                   {"used", fmt::format("consumed, of its share of the {}", words.rate), true},
                   {"peak", "most consumed of its share in any second", true},
                   {"load", "its part of all demand", true},
                   {"keys", "its part of the key space", true},
                   {std::string(words.rate), "its share", true},
                   {"stored", "at the end", true}};
  double demand = 0;
  for (const PartitionResult& partition : run.partitions) {
    demand += static_cast<double>(partition.demand_mru);
  }
  for (const std::size_t index : by_pain(run)) {
    if (table.rows.size() == most_rows) {
      table.rest = fmt::format("{} more are in partitions.csv.", run.partitions.size() - most_rows);
      break;
    }
    table.rows.push_back(partition_row(run, index, demand));
  }
  drop_empty_columns(table);
  return table;
}

ReportTable layout_table(const VariantResult& result, std::size_t most_rows) {
  ReportTable table;
  const std::string counts = layout_counts(result.run);
  table.caption =
      fmt::format("Layout of {}{}{}", result.variant, counts.empty() ? "" : ": ", counts);
  table.columns = {{"when", ""}, {"what happened", ""}};
  std::size_t told = 0;
  for (const LayoutLine& line : layout_lines(result.run)) {
    if (table.rows.size() == most_rows) {
      table.rest =
          fmt::format("{} more are in results.json.", result.run.layout_events.size() - told);
      break;
    }
    table.rows.push_back({{line.when}, {line.what}});
    told += line.events;
  }
  return table;
}

ReportTable hot_keys_table(const VariantResult& result) {
  const RunResult& run = result.run;
  const ProviderWords& words = words_of(run);
  ReportTable table;
  table.caption = fmt::format("Busiest keys of {}", result.variant);
  table.columns = {{fmt::format("value of the {}", words.partition_key), ""},
                   {"partition", "", true},
                   {"of all demand", "", true}};
  for (const HotKey& key : run.hot_keys) {
    const double share = run.total_demand_mru > 0 ? static_cast<double>(key.demand_mru) /
                                                        static_cast<double>(run.total_demand_mru)
                                                  : 0.0;
    table.rows.push_back({{key.key},
                          {fmt::format("{}", key.partition), key.partition},
                          {in_percent(share), share, Severity::good, std::clamp(share, 0.0, 1.0)}});
  }
  return table;
}

ReportTable large_keys_table(const VariantResult& result) {
  const ProviderWords& words = words_of(result.run);
  ReportTable table;
  table.caption = fmt::format("Largest keys of {}", result.variant);
  table.columns = {{fmt::format("value of the {}", words.partition_key), ""},
                   {"partition", "", true},
                   {"stored", "", true},
                   {"state", ""}};
  for (const LargeKey& key : result.run.large_keys) {
    table.rows.push_back({{key.key},
                          {fmt::format("{}", key.partition), key.partition},
                          {in_bytes(key.bytes), static_cast<double>(key.bytes)},
                          {key.full ? "full: writes are refused" : "", std::nullopt,
                           key.full ? Severity::bad : Severity::good}});
  }
  drop_empty_columns(table);
  return table;
}

}  // namespace partsim
