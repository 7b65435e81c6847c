#include "partition_view.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "partsim/metrics/derived.hpp"
#include "partsim/report/text.hpp"

#include "numbers.hpp"
#include "table.hpp"

namespace partsim {
namespace {

constexpr double kBurning = 0.05;  // more 429s than the vendor calls healthy
constexpr std::size_t kMaxTables = 8;
constexpr unsigned kWide = 72;  // columns that a long bar needs

bool burns(const PartitionResult& partition) {
  return throttled_share(partition) > kBurning;
}

/// Eighths of a column in Unicode, whole columns in ASCII; anything above zero shows.
std::string bar(double share, std::size_t width, bool unicode) {
  constexpr std::array<std::string_view, 8> kEighths{"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
  const std::size_t steps = unicode ? 8 : 1;
  const double filled = std::clamp(share, 0.0, 1.0) * static_cast<double>(width * steps);
  auto full = static_cast<std::size_t>(std::lround(filled));
  full = share > 0 ? std::max<std::size_t>(full, 1) : full;
  std::string text;
  for (std::size_t i = 0; i < full / steps; ++i) {
    text += unicode ? "█" : "#";
  }
  text += kEighths[full % steps];
  for (std::size_t used = (full + steps - 1) / steps; used < width; ++used) {
    text += unicode ? "·" : ".";
  }
  return text;
}

std::string_view used_header(const TextStyle& style) {
  return style.width >= kWide ? "used of its share" : "used";
}

/// Everything behind the partition's id.
std::vector<Cell> cells_of(const RunResult& run, const PartitionResult& partition,
                           double demand_mru, const TextStyle& style) {
  const double used = mean_utilization(run, partition);
  const Tone tone = burns(partition) ? Tone::bad : Tone::plain;
  const double load = demand_mru > 0 ? static_cast<double>(partition.demand_mru) / demand_mru : 0.0;
  return {{bar(used, style.width >= kWide ? 26 : 8, style.unicode), tone},
          {in_percent(used), tone},
          {in_percent(peak_utilization(partition))},
          {in_percent(throttled_share(partition)), tone},
          {in_percent(load)},
          {burns(partition) ? (style.unicode ? "← burns" : "<- burns") : "", tone}};
}

double demand_of(const RunResult& run) {
  double demand_mru = 0;
  for (const PartitionResult& partition : run.partitions) {
    demand_mru += static_cast<double>(partition.demand_mru);
  }
  return demand_mru;
}

std::string note_of(const RunResult& run) {
  std::string note =
      fmt::format("{} partition{}", run.partitions.size(), run.partitions.size() == 1 ? "" : "s");
  if (!run.partitions.empty()) {
    const auto [least, most] =
        std::minmax_element(run.partitions.begin(), run.partitions.end(),
                            [](const PartitionResult& a, const PartitionResult& b) {
                              return a.share_mru_per_s < b.share_mru_per_s;
                            });
    const auto low = static_cast<std::uint64_t>(least->share_mru_per_s / kMilliPerRu);
    const auto high = static_cast<std::uint64_t>(most->share_mru_per_s / kMilliPerRu);
    note += low == high ? fmt::format(" of {} RU/s", grouped(low))
                        : fmt::format(" of {} to {} RU/s", grouped(low), grouped(high));
  }
  return note;
}

/// Indexes of partitions: those that burn first, then by demand, then by id.
std::vector<std::size_t> by_heat(const RunResult& run) {
  std::vector<std::size_t> order(run.partitions.size());
  std::iota(order.begin(), order.end(), 0U);
  std::stable_sort(order.begin(), order.end(), [&run](std::size_t a, std::size_t b) {
    const PartitionResult& left = run.partitions[a];
    const PartitionResult& right = run.partitions[b];
    return burns(left) != burns(right) ? burns(left) : left.demand_mru > right.demand_mru;
  });
  return order;
}

std::string rest_line(const RunResult& run, const std::vector<std::size_t>& rest,
                      const TextStyle& style) {
  double low = mean_utilization(run, run.partitions[rest.front()]);
  double high = low;
  std::size_t burning = 0;
  for (const std::size_t index : rest) {
    low = std::min(low, mean_utilization(run, run.partitions[index]));
    high = std::max(high, mean_utilization(run, run.partitions[index]));
    burning += burns(run.partitions[index]) ? 1U : 0U;
  }
  const std::string range = in_percent(low) == in_percent(high)
                                ? "at " + in_percent(low)
                                : fmt::format("at {} to {}", in_percent(low), in_percent(high));
  const std::string burn = burning == rest.size() ? ", all of them burn"
                           : burning == 1         ? ", 1 of them burns"
                           : burning > 0          ? fmt::format(", {} of them burn", burning)
                                                  : "";
  return paint(fmt::format("  and {} more {}{}", rest.size(), range, burn),
               burning > 0 ? Tone::bad : Tone::dim, style) +
         "\n";
}

std::string table_of(const VariantResult& result, std::size_t most_rows, const TextStyle& style) {
  const RunResult& run = result.run;
  std::string text = heading(visible_text(result.variant, style.unicode), note_of(run), style);
  if (run.partitions.empty()) {
    return text;
  }
  std::vector<std::size_t> shown = by_heat(run);
  std::vector<std::size_t> rest;
  if (shown.size() > most_rows) {
    const auto cut = shown.begin() + static_cast<std::ptrdiff_t>(most_rows);
    rest.assign(cut, shown.end());
    shown.erase(cut, shown.end());
  } else {
    std::sort(shown.begin(), shown.end());  // all are here: the order of the key space is clearer
  }
  Table table({{"partition"},
               {std::string(used_header(style)), ColumnKind::bar, 3},
               {"mean"},
               {"peak", ColumnKind::number, 1},
               {"429s"},
               {"load"},
               {"", ColumnKind::text, 2}});
  const double demand_mru = demand_of(run);
  for (const std::size_t index : shown) {
    const PartitionResult& partition = run.partitions[index];
    std::vector<Cell> row = cells_of(run, partition, demand_mru, style);
    row.insert(row.begin(),
               {fmt::format("{}", partition.id), burns(partition) ? Tone::bad : Tone::plain});
    table.add_row(std::move(row));
  }
  text += table.render(style);
  return rest.empty() ? text : text + rest_line(run, rest, style);
}

std::string worst_of_each(const StudyResult& study, const TextStyle& style) {
  Table table({{"variant", ColumnKind::text},
               {"partition"},
               {std::string(used_header(style)), ColumnKind::bar, 3},
               {"mean"},
               {"peak", ColumnKind::number, 1},
               {"429s"},
               {"load"},
               {"", ColumnKind::text, 2}});
  for (const VariantResult& result : study.runs) {
    const RunResult& run = result.run;
    if (run.partitions.empty()) {
      continue;
    }
    const PartitionResult& worst = run.partitions[by_heat(run).front()];
    std::vector<Cell> row = cells_of(run, worst, demand_of(run), style);
    row.insert(row.begin(), {{visible_text(result.variant, style.unicode)},
                             {fmt::format("{} of {}", worst.id, run.partitions.size())}});
    table.add_row(std::move(row));
  }
  return heading("The worst partition of each variant", "", style) + table.render(style);
}

}  // namespace

std::string partition_view(const StudyResult& study, const TextStyle& style) {
  if (study.runs.size() > kMaxTables) {
    return worst_of_each(study, style);
  }
  const std::size_t most_rows = study.runs.size() <= 3 ? 12 : 3;
  std::string text;
  for (const VariantResult& result : study.runs) {
    text += table_of(result, most_rows, style);
  }
  return text;
}

}  // namespace partsim
