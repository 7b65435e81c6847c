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
#include "provider_words.hpp"
#include "table.hpp"

namespace partsim {
namespace {

constexpr double kBurning = 0.05;  // more 429s than the vendor calls healthy
constexpr std::size_t kMaxTables = 8;
constexpr unsigned kWide = 72;  // columns that a long bar needs

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

/// What is unusual about a partition, in a few words; a retired one always says so.
std::string mark_of(const PartitionResult& partition, const TextStyle& style) {
  const std::string arrow = style.unicode ? "← " : "<- ";
  std::string words = burns(partition) ? (partition.alive() ? "burns" : "burned") : "";
  if (!partition.alive()) {
    words += fmt::format("{}until {}", words.empty() ? "" : " ", in_clock(*partition.retired_ns));
  } else if (partition.single_key_full) {
    words += fmt::format("{}one key fills it", words.empty() ? "" : ", ");
  } else if (partition.born_ns > 0) {
    words += fmt::format("{}from {}", words.empty() ? "" : ", ", in_clock(partition.born_ns));
  }
  return words.empty() ? words : arrow + words;
}

/// Whether partitions differ in what they own, or came and went: then the table says what each has.
bool has_layout(const RunResult& run) {
  return std::any_of(
      run.partitions.begin(), run.partitions.end(), [&run](const PartitionResult& partition) {
        // shares of one total are rounded to a milli-RU, those of two are two roundings apart
        constexpr MilliRu kRounding = 2;
        const MilliRu differs = partition.share_mru_per_s - run.partitions.front().share_mru_per_s;
        return !partition.alive() || partition.born_ns > 0 || differs > kRounding ||
               differs < -kRounding;
      });
}

std::size_t bar_width(bool layout, const TextStyle& style) {
  return layout || style.width < kWide ? 8 : 26;
}

std::string_view used_header(std::size_t width) {
  return width > 17 ? "used of its share" : "used";
}

/// Everything behind the partition's id.
std::vector<Cell> cells_of(const RunResult& run, const PartitionResult& partition,
                           double demand_mru, bool layout, const TextStyle& style) {
  const double used = mean_utilization(run, partition);
  const Tone tone = burns(partition) ? Tone::bad : partition.alive() ? Tone::plain : Tone::dim;
  const double load = demand_mru > 0 ? static_cast<double>(partition.demand_mru) / demand_mru : 0.0;
  return {{bar(used, bar_width(layout, style), style.unicode), tone},
          {percent_cell(used), tone},
          {percent_cell(peak_utilization(partition))},
          {percent_cell(throttled_share(partition)), tone},
          {percent_cell(load)},
          {mark_of(partition, style), tone}};
}

double demand_of(const RunResult& run) {
  double demand_mru = 0;
  for (const PartitionResult& partition : run.partitions) {
    demand_mru += static_cast<double>(partition.demand_mru);
  }
  return demand_mru;
}

std::uint64_t nearest_whole(MilliRu mru) {
  return static_cast<std::uint64_t>((mru + kMilliPerRu / 2) / kMilliPerRu);
}

/// "3 partitions of 5,000 to 10,000 RU/s, 1 retired".
std::string note_of(const RunResult& run) {
  const std::size_t alive = alive_partitions(run);
  std::string note = fmt::format("{} partition{}", alive, alive == 1 ? "" : "s");
  if (alive == 0) {
    return note;
  }
  MilliRu low_mru = INT64_MAX;
  MilliRu high_mru = 0;
  for (const PartitionResult& partition : run.partitions) {
    if (partition.alive()) {
      low_mru = std::min(low_mru, partition.share_mru_per_s);
      high_mru = std::max(high_mru, partition.share_mru_per_s);
    }
  }
  const ProviderWords& words = words_of(run);
  const std::string low = grouped(nearest_whole(low_mru));
  const std::string high = grouped(nearest_whole(high_mru));
  note += low == high ? fmt::format(" of {} {}", low, words.rate)
                      : fmt::format(" of {} to {} {}", low, high, words.rate);
  const std::size_t retired = run.partitions.size() - alive;
  return retired == 0 ? note : fmt::format("{}, {} retired", note, retired);
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

/// Headings of `cells_of`.
std::vector<Column> load_columns(const std::string& refusals, bool layout, const TextStyle& style) {
  return {{std::string(used_header(bar_width(layout, style))), ColumnKind::bar, 3},
          {"mean"},
          {"peak", ColumnKind::number, 1},
          {refusals},
          {"load"},
          {"", ColumnKind::text, 2}};
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
  const bool layout = has_layout(run);
  std::vector<Column> columns{{layout ? "id" : "partition"}};
  if (layout) {
    columns.push_back({"keys", ColumnKind::number, 5});
    columns.push_back({std::string(words_of(run).rate), ColumnKind::number, 4});
  }
  const std::vector<Column> load = load_columns(std::string(words_of(run).refusals), layout, style);
  columns.insert(columns.end(), load.begin(), load.end());
  Table table(columns);
  std::vector<std::string> units{""};
  if (layout) {
    units.insert(units.end(), {"%", ""});
  }
  units.insert(units.end(), {"", "%", "%", "%", "%", ""});
  table.add_units(units);
  const double demand_mru = demand_of(run);
  for (const std::size_t index : shown) {
    const PartitionResult& partition = run.partitions[index];
    std::vector<Cell> row = {
        {fmt::format("{}", partition.id), burns(partition) ? Tone::bad : Tone::plain}};
    if (layout) {
      row.push_back({percent_cell(rounded(key_space(partition.width_q32)))});
      row.push_back({grouped(static_cast<std::uint64_t>(partition.share_mru_per_s / kMilliPerRu))});
    }
    for (Cell& cell : cells_of(run, partition, demand_mru, layout, style)) {
      row.push_back(std::move(cell));
    }
    table.add_row(std::move(row));
  }
  text += table.render(style);
  return rest.empty() ? text : text + rest_line(run, rest, style);
}

std::string worst_of_each(const StudyResult& study, const TextStyle& style) {
  std::vector<Column> columns{{"variant", ColumnKind::text}, {"partition"}};
  const std::vector<Column> load = load_columns(refusals_header(study), false, style);
  columns.insert(columns.end(), load.begin(), load.end());
  Table table(columns);
  table.add_units({"", "", "", "%", "%", "%", "%", ""});
  for (const VariantResult& result : study.runs) {
    const RunResult& run = result.run;
    if (run.partitions.empty()) {
      continue;
    }
    const PartitionResult& worst = run.partitions[by_heat(run).front()];
    std::vector<Cell> row = cells_of(run, worst, demand_of(run), false, style);
    row.insert(row.begin(), {{visible_text(result.variant, style.unicode)},
                             {fmt::format("{} of {}", worst.id, alive_partitions(run))}});
    table.add_row(std::move(row));
  }
  return heading("The worst partition of each variant", "", style) + table.render(style);
}

}  // namespace

bool burns(const PartitionResult& partition) {
  return throttled_share(partition) > kBurning;
}

std::vector<std::size_t> by_heat(const RunResult& run) {
  std::vector<std::size_t> order(run.partitions.size());
  std::iota(order.begin(), order.end(), 0U);
  std::stable_sort(order.begin(), order.end(), [&run](std::size_t a, std::size_t b) {
    const PartitionResult& left = run.partitions[a];
    const PartitionResult& right = run.partitions[b];
    if (burns(left) != burns(right)) {
      return burns(left);
    }
    return left.alive() != right.alive() ? left.alive() : left.demand_mru > right.demand_mru;
  });
  return order;
}

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
