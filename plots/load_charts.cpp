#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "partsim/metrics/derived.hpp"
#include "partsim/report/text.hpp"

#include "axes.hpp"
#include "describers.hpp"
#include "findings.hpp"
#include "numbers.hpp"
#include "provider_words.hpp"
#include "study_view.hpp"

namespace partsim {
namespace {

constexpr double kNothing = std::numeric_limits<double>::quiet_NaN();
constexpr Eigen::Index kMaxSteps = 240;
constexpr double kHeadroom = 1.04;    // keeps a share off the upper end of its panel
constexpr std::size_t kMaxLines = 5;  // more cannot be followed; the heat map has them all

double unit_of(const StudyResult& study) {
  return time_unit(longest_s(study)).seconds;
}

// ---- heat map -----------------------------------------------------------------------------------

constexpr Eigen::Index kMaxRows = 64;
constexpr Eigen::Index kMaxCells = 24'000;  // in all panels together: keeps the .svg small

struct HeatRows {
  Eigen::Index group = 1;  // partitions a row
  Eigen::Index count = 0;
};

HeatRows heat_rows(const RunResult& run) {
  HeatRows rows;
  const auto partitions = static_cast<Eigen::Index>(run.partitions.size());
  rows.group = std::max<Eigen::Index>(1, (partitions + kMaxRows - 1) / kMaxRows);
  rows.count = (partitions + rows.group - 1) / rows.group;
  return rows;
}

/// Partition 0 on top, as in the terminal; a merged cell keeps the largest utilisation in it, so
/// that a peak never disappears.
HeatMap heat_of(const RunResult& run, std::size_t panels, double unit_s) {
  const HeatRows rows = heat_rows(run);
  const Eigen::Index columns = std::clamp<Eigen::Index>(
      kMaxCells / std::max<Eigen::Index>(1, rows.count * static_cast<Eigen::Index>(panels)), 30,
      kMaxSteps);
  const Steps steps = steps_of(run, columns);
  const UtilizationMatrix used = utilization_by_interval(run);
  HeatMap map;
  for (Eigen::Index i = 0; i <= steps.count(); ++i) {
    map.x_edges.push_back(steps.begin_s(i) / unit_s);
  }
  for (Eigen::Index row = rows.count - 1; row >= 0; --row) {
    const Eigen::Index first = row * rows.group;
    const Eigen::Index group = std::min(rows.group, used.cols() - first);
    const std::uint32_t id = run.partitions[static_cast<std::size_t>(first)].id;
    const std::uint32_t last = run.partitions[static_cast<std::size_t>(first + group - 1)].id;
    map.row_labels.push_back(id == last ? fmt::format("{}", id) : fmt::format("{}–{}", id, last));
    for (Eigen::Index i = 0; i < steps.count(); ++i) {
      const auto cell = used.block(steps.first_row(i), first, steps.rows_in(i), group);
      map.values.push_back(cell.maxCoeff<Eigen::PropagateNumbers>());
      map.refused.push_back(
          run.series.throttled.block(steps.first_row(i), first, steps.rows_in(i), group)
              .maxCoeff() > 0);
    }
  }
  return map;
}

// ---- utilisation --------------------------------------------------------------------------------

/// The largest mean of a second in each step, in RU/s.
Line used_line(const RunResult& run, std::size_t index, const Steps& steps, double unit_s) {
  const PartitionResult& partition = run.partitions[index];
  const auto column = static_cast<Eigen::Index>(index);
  const double whole_s = static_cast<double>(steps.rows) * steps.interval_s;
  Line line = new_time_line(steps, unit_s);
  line.name = partition_name(partition);
  line.number = partition.id;
  for (Eigen::Index i = 0; i < steps.count(); ++i) {
    double most = kNothing;
    for (Eigen::Index row = steps.first_row(i); row < steps.first_row(i) + steps.rows_in(i);
         ++row) {
      if (!existed_in(run, partition, row)) {
        continue;
      }
      // the run may end inside its last interval
      const bool last = row + 1 == steps.rows;
      const double length_s = last ? steps.interval_s - (whole_s - steps.end_s) : steps.interval_s;
      const double rate = static_cast<double>(run.series.consumed_mru(row, column)) /
                          static_cast<double>(kMilliPerRu) / std::max(length_s, 1.0);
      most = std::isnan(most) ? rate : std::max(most, rate);
    }
    line.y.push_back(most);
  }
  close_line(line);
  return line;
}

/// What the partition might use, in all regions; where it came or went inside a step, of the part
/// of it in which it was there.
Line share_line(const RunResult& run, std::size_t index, const Steps& steps, double unit_s) {
  const PartitionResult& partition = run.partitions[index];
  const auto column = static_cast<Eigen::Index>(index);
  const double regions = std::max(run.regions, 1U);
  Line line = new_time_line(steps, unit_s);
  line.name = "share of " + std::to_string(partition.id);
  line.number = partition.id;
  line.dashed = true;
  for (Eigen::Index i = 0; i < steps.count(); ++i) {
    const double begin_s = steps.begin_s(i);
    const double born_s = static_cast<double>(partition.born_ns) / static_cast<double>(kSecond);
    const double retired_s = static_cast<double>(partition.retired_ns.value_or(run.simulated_ns)) /
                             static_cast<double>(kSecond);
    const double lived_s = std::min(begin_s + steps.length_s(i), std::ceil(retired_s)) -
                           std::max(begin_s, std::floor(born_s));
    const auto granted = static_cast<double>(
        run.series.share_mru.col(column).segment(steps.first_row(i), steps.rows_in(i)).sum());
    line.y.push_back(lived_s > 0 && granted > 0
                         ? granted * regions / static_cast<double>(kMilliPerRu) / lived_s
                         : kNothing);
  }
  close_line(line);
  return line;
}

/// Whether two shares agree wherever both are there.
bool agree(const Line& a, const Line& b) {
  return std::equal(a.y.begin(), a.y.end(), b.y.begin(), b.y.end(), [](double x, double y) {
    return std::isnan(x) || std::isnan(y) || std::abs(x - y) <= 0.01;
  });
}

/// One line if all have the same share, else one for each.
std::vector<Line> share_lines(const RunResult& run, const std::vector<std::size_t>& shown,
                              const Steps& steps, double unit_s) {
  std::vector<Line> lines;
  Line all;
  bool same = true;
  for (const std::size_t p : shown) {
    lines.push_back(share_line(run, p, steps, unit_s));
    if (lines.size() == 1) {
      all = lines.front();
      continue;
    }
    same = same && agree(all, lines.back());
    for (std::size_t i = 0; i < all.y.size(); ++i) {
      all.y[i] = std::isnan(all.y[i]) ? lines.back().y[i] : all.y[i];
    }
  }
  if (!same || lines.empty()) {
    return lines;
  }
  all.name = lines.size() > 1 ? "share of each" : "its share";
  all.meaning = Meaning::limit;
  return {all};
}

double highest_of(const std::vector<Line>& lines) {
  double highest = 0;
  for (const Line& line : lines) {
    for (const double y : line.y) {
      highest = std::isnan(y) ? highest : std::max(highest, y);
    }
  }
  return highest;
}

std::string rate_unit(const StudyResult& study) {
  return std::string(words_of(study.runs.front().run).rate);
}

std::string used_finding(const StudyResult& study) {
  const std::optional<Place> worst = worst_place(study);
  const std::optional<Place> place = worst ? worst : fullest_place(study);
  if (!place) {
    return "No partition used anything" + other_failures(study);
  }
  const RunResult& run = study.runs[place->run].run;
  const PartitionResult& busiest = run.partitions[place->partition];
  double consumed = 0;
  double granted = 0;
  for (const PartitionResult& partition : run.partitions) {
    if (partition.id != busiest.id) {
      consumed += static_cast<double>(partition.consumed_mru);
      granted += granted_mru(run, partition);
    }
  }
  const std::string others =
      granted > 0 ? fmt::format(", the others {} of theirs", in_percent(consumed / granted)) : "";
  return fmt::format("{}: partition {} used {} of its share{}{}", short_name(study, place->run),
                     busiest.id, in_percent(mean_utilization(run, busiest)), others,
                     worst ? "" : other_failures(study));
}

// ---- throttled ----------------------------------------------------------------------------------

/// Attempts a second, of all partitions, by a count of each interval.
template <class Count>
Line rate_line(const Steps& steps, double unit_s, const Count& count) {
  Line line = new_time_line(steps, unit_s);
  for (Eigen::Index i = 0; i < steps.count(); ++i) {
    line.y.push_back(static_cast<double>(count(steps.first_row(i), steps.rows_in(i))) /
                     std::max(steps.length_s(i), 1e-9));
  }
  close_line(line);
  return line;
}

std::vector<Line> attempt_lines(const RunResult& run, double unit_s) {
  const Steps steps = steps_of(run, kMaxSteps);
  const LoadSeries& series = run.series;
  Line served = rate_line(steps, unit_s, [&series](Eigen::Index row, Eigen::Index rows) {
    return series.attempts.middleRows(row, rows).sum() -
           series.throttled.middleRows(row, rows).sum();
  });
  served.name = "served";
  served.meaning = Meaning::ok;
  Line throttled = rate_line(steps, unit_s, [&series](Eigen::Index row, Eigen::Index rows) {
    return series.throttled.middleRows(row, rows).sum();
  });
  throttled.name = "throttled (429)";
  throttled.meaning = Meaning::throttled;
  return {served, throttled};
}

/// "date: 86 % of attempts met a 429, in 60 of 60 s".
std::string throttled_finding(const StudyResult& study, std::size_t worst) {
  const RunResult& run = study.runs[worst].run;
  const auto per_row = run.series.throttled.rowwise().sum();
  Eigen::Index rows = 0;
  for (Eigen::Index row = 0; row < per_row.rows(); ++row) {
    rows += per_row(row) > 0 ? 1 : 0;
  }
  const double share = static_cast<double>(rows) /
                       static_cast<double>(std::max<Eigen::Index>(1, run.series.throttled.rows()));
  return fmt::format("{}: {} of attempts met {}, {} the time", short_name(study, worst),
                     in_percent(run.throttled_share()), words_of(run).refusal,
                     share > 0.9995 ? std::string("all") : in_percent(share) + " of");
}

}  // namespace

std::optional<Chart> describe_heat_map(const StudyResult& study) {
  Chart chart = new_chart(study, "heatmap");
  chart.title = load_finding(study);
  chart.explanation =
      "How much of its share each partition used: the stronger the colour, the more; orange where "
      "attempts were "
      "refused" +
      phase_words(study) + left_out(panels_of(study), study.runs.size());
  const double unit_s = unit_of(study);
  for (std::size_t i = 0; i < panels_of(study); ++i) {
    const RunResult& run = study.runs[i].run;
    if (run.partitions.empty() || run.series.consumed_mru.rows() == 0) {
      continue;
    }
    Panel panel = new_time_panel(study, i);
    HeatMap map = heat_of(run, panels_of(study), unit_s);
    panel.y.title = "partition";
    panel.y.high = static_cast<double>(map.row_labels.size());
    panel.content = std::move(map);
    chart.panels.push_back(std::move(panel));
  }
  chart.columns = columns_for(chart.panels.size());
  return chart.panels.empty() ? std::nullopt : std::optional(chart);
}

std::optional<Chart> describe_utilization(const StudyResult& study) {
  Chart chart = new_chart(study, "utilization");
  const double unit_s = unit_of(study);
  double highest = 0;
  bool some = false;
  bool merged = false;
  for (std::size_t i = 0; i < panels_of(study); ++i) {
    const RunResult& run = study.runs[i].run;
    if (run.partitions.empty() || run.series.consumed_mru.rows() == 0) {
      continue;
    }
    const Steps steps = steps_of(run, kMaxSteps);
    std::vector<std::size_t> shown = busiest_partitions(run, kMaxLines);
    some = some || shown.size() < run.partitions.size();
    std::sort(shown.begin(), shown.end());
    std::vector<Line> lines = share_lines(run, shown, steps, unit_s);
    for (const std::size_t p : shown) {
      lines.push_back(used_line(run, p, steps, unit_s));
    }
    highest = std::max(highest, highest_of(lines));
    merged = merged || steps.step > 1;
    Panel panel = new_time_panel(study, i);
    panel.content = std::move(lines);
    chart.panels.push_back(std::move(panel));
  }
  for (Panel& panel : chart.panels) {
    panel.y = value_axis("used", rate_unit(study), highest * kHeadroom);
  }
  chart.title = used_finding(study);
  chart.explanation = fmt::format("What {} used; dashed: its share, which is the limit{}{}{}",
                                  some ? "each of the busiest partitions" : "each partition",
                                  merged ? "; the largest of each step" : "", phase_words(study),
                                  left_out(panels_of(study), study.runs.size()));
  chart.columns = columns_for(chart.panels.size());
  return chart.panels.empty() ? std::nullopt : std::optional(chart);
}

std::optional<Chart> describe_throttled(const StudyResult& study) {
  const std::optional<Place> worst = worst_place(study);
  if (!worst) {
    return std::nullopt;
  }
  Chart chart = new_chart(study, "throttled");
  chart.title = throttled_finding(study, worst->run);
  chart.explanation = "Attempts a second by what became of them; a retry is an attempt of its own" +
                      phase_words(study) + left_out(panels_of(study), study.runs.size());
  double highest = 0;
  for (std::size_t i = 0; i < panels_of(study); ++i) {
    std::vector<Line> lines = attempt_lines(study.runs[i].run, unit_of(study));
    highest = std::max(highest, highest_of(lines));
    Panel panel = new_time_panel(study, i);
    panel.content = std::move(lines);
    chart.panels.push_back(std::move(panel));
  }
  for (Panel& panel : chart.panels) {
    panel.y = value_axis("attempts a second", "", highest);
  }
  chart.columns = columns_for(chart.panels.size());
  return chart;
}

}  // namespace partsim
