#include <algorithm>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "partsim/metrics/derived.hpp"
#include "partsim/report/text.hpp"

#include "numbers.hpp"
#include "partition_view.hpp"
#include "provider_words.hpp"
#include "short_parts.hpp"
#include "sparkline.hpp"

namespace partsim {
namespace {

constexpr std::size_t kFixedLines = 4;  // an empty one, heading, names of columns, units
constexpr unsigned kRoomy = 100;

struct Pick {
  std::size_t variant = 0;
  std::size_t partition = 0;
};

/// The worst of each variant first, then the second of each, as long as it burns or is alone.
std::vector<Pick> pick(const ShortView& view, std::size_t most) {
  const std::vector<std::size_t> shown = variants_worth_showing(view, most);
  std::vector<std::vector<std::size_t>> order;
  order.reserve(shown.size());
  for (const std::size_t variant : shown) {
    order.push_back(by_heat(view.study.runs[variant].run));
  }
  std::vector<Pick> picks;
  const bool alone = view.study.runs.size() == 1;
  for (std::size_t rank = 0, added = 1; added > 0 && picks.size() < most; ++rank) {
    added = 0;
    for (std::size_t i = 0; i < shown.size() && picks.size() < most; ++i) {
      const RunResult& run = view.study.runs[shown[i]].run;
      if (rank < order[i].size() && (rank == 0 || alone || burns(run.partitions[order[i][rank]]))) {
        picks.push_back({shown[i], order[i][rank]});
        ++added;
      }
    }
  }
  std::stable_sort(picks.begin(), picks.end(),
                   [](const Pick& a, const Pick& b) { return a.variant < b.variant; });
  return picks;
}

std::string rest_of(const RunResult& run, const std::vector<Pick>& shown) {
  double low = 0;
  double high = 0;
  std::size_t rest = 0;
  std::size_t burning = 0;
  for (std::size_t p = 0; p < run.partitions.size(); ++p) {
    if (std::any_of(shown.begin(), shown.end(),
                    [p](const Pick& each) { return each.partition == p; })) {
      continue;
    }
    const double used = mean_utilization(run, run.partitions[p]);
    low = rest == 0 ? used : std::min(low, used);
    high = std::max(high, used);
    burning += burns(run.partitions[p]) ? 1U : 0U;
    ++rest;
  }
  if (rest == 0) {
    return {};
  }
  std::string text = fmt::format("  and {} more at {}", rest, in_percent(low));
  text += in_percent(low) == in_percent(high) ? "" : " to " + in_percent(high);
  return burning == 0 ? text
         : burning == rest
             ? text + ", all of them burn"
             : fmt::format("{}, {} of them burn{}", text, burning, burning == 1 ? "s" : "");
}

std::string rest_line(const ShortView& view, const std::vector<Pick>& shown) {
  if (view.study.runs.size() == 1) {
    return rest_of(view.study.runs.front().run, shown);
  }
  std::size_t burning = 0;
  for (std::size_t i = 0; i < view.study.runs.size(); ++i) {
    const std::vector<PartitionResult>& all = view.study.runs[i].run.partitions;
    for (std::size_t p = 0; p < all.size(); ++p) {
      const bool is_shown = std::any_of(shown.begin(), shown.end(), [&](const Pick& each) {
        return each.variant == i && each.partition == p;
      });
      burning += burns(all[p]) && !is_shown ? 1U : 0U;
    }
  }
  return burning == 0 ? std::string()
                      : fmt::format("  and {} more that burn{} in results.json", burning,
                                    burning == 1 ? "s" : "");
}

/// "8 of 10"; the id alone where splits made more partitions than there are.
std::string id_text(const RunResult& run, const PartitionResult& partition) {
  const std::size_t alive = alive_partitions(run);
  return alive == run.partitions.size() ? fmt::format("{} of {}", partition.id, alive)
                                        : fmt::format("{}", partition.id);
}

std::string time_axis(const StudyResult& study) {
  const RunResult& first = study.runs.front().run;
  const bool alike = std::all_of(study.runs.begin(), study.runs.end(), [&](const VariantResult& r) {
    return r.run.simulated_ns == first.simulated_ns && r.run.warm_up_ns == first.warm_up_ns;
  });
  return alike ? fmt::format("{} to {}", in_clock(first.warm_up_ns), in_clock(first.simulated_ns))
               : std::string("begin to end");
}

}  // namespace

std::string short_partitions(const ShortView& view, std::size_t most_lines) {
  const StudyResult& study = view.study;
  std::size_t partitions = 0;
  for (const VariantResult& result : study.runs) {
    partitions += result.run.partitions.size();
  }
  if (partitions == 0 || most_lines <= kFixedLines) {
    return {};
  }
  const TextStyle& style = view.style;
  const std::size_t most_rows = most_lines - kFixedLines;
  const std::size_t spark_width = style.width >= kRoomy ? 40 : style.width >= 72 ? 24 : 12;
  const bool alone = study.runs.size() == 1;
  std::vector<Pick> picks = pick(view, most_rows);
  std::string rest = rest_line(view, picks);
  if (!rest.empty() && picks.size() == most_rows) {
    picks = pick(view, std::max<std::size_t>(1, most_rows - 1));
    rest = most_rows > 1 ? rest_line(view, picks) : std::string();
  }
  std::vector<Column> heads{{"partition"},
                            {"used from " + time_axis(study), ColumnKind::bar, 3},
                            {"mean"},
                            {"peak", ColumnKind::number, 1},
                            {refusals_header(study)},
                            {"load", ColumnKind::number, 2}};
  std::vector<std::string> units{"", "", "%", "%", "%", "%"};
  if (!alone) {
    heads.insert(heads.begin(), Column{"", ColumnKind::text});
    units.insert(units.begin(), "");
  }
  Table table(std::move(heads));
  table.add_units(units);
  for (const Pick& each : picks) {
    const VariantResult& result = study.runs[each.variant];
    const PartitionResult& partition = result.run.partitions[each.partition];
    double demand_mru = 0;
    for (const PartitionResult& other : result.run.partitions) {
      demand_mru += static_cast<double>(other.demand_mru);
    }
    const double load =
        demand_mru > 0 ? static_cast<double>(partition.demand_mru) / demand_mru : 0.0;
    const Tone tone = burns(partition) ? Tone::bad : Tone::plain;
    std::vector<Cell> row{{id_text(result.run, partition), tone},
                          {sparkline(result.run, each.partition, spark_width, style.unicode), tone},
                          {percent_cell(mean_utilization(result.run, partition))},
                          {percent_cell(peak_utilization(partition))},
                          {percent_cell(throttled_share(partition)), tone},
                          {percent_cell(load)}};
    if (!alone) {
      row.insert(row.begin(), Cell{visible_text(result.variant, style.unicode)});
    }
    table.add_row(std::move(row));
  }
  const std::string scale =
      style.unicode ? "▁ 0 % to █ 100 % of its share" : "_ 0 % to # 100 % of its share";
  std::string text = heading("Worst partitions", scale, style) + table.render(style);
  return rest.empty()
             ? text
             : text + paint(shorten(rest, style.width, style.unicode), Tone::dim, style) + "\n";
}

}  // namespace partsim
