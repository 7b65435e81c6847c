#include <algorithm>

#include <fmt/format.h>

#include "partsim/metrics/derived.hpp"
#include "partsim/report/text.hpp"

#include "axes.hpp"
#include "describers.hpp"
#include "numbers.hpp"
#include "study_view.hpp"

namespace partsim {
namespace {

constexpr std::size_t kMaxKeys = 10;
constexpr std::size_t kFewKeys = 5;  // where there are several variants
constexpr std::size_t kKeyWidth = 40;
constexpr double kNoticed = 0.01;  // of the demand: smaller keys are not hot

double part_of(const RunResult& run, const HotKey& key) {
  return run.total_demand_mru > 0
             ? static_cast<double>(key.demand_mru) / static_cast<double>(run.total_demand_mru)
             : 0.0;
}

/// The run whose heaviest key weighs most.
std::size_t hottest_run(const StudyResult& study) {
  std::size_t hottest = 0;
  double most = 0;
  for (std::size_t i = 0; i < study.runs.size(); ++i) {
    const RunResult& run = study.runs[i].run;
    const double part = run.hot_keys.empty() ? 0.0 : part_of(run, run.hot_keys.front());
    if (part > most) {
      most = part;
      hottest = i;
    }
  }
  return hottest;
}

}  // namespace

std::optional<Chart> describe_hot_keys(const StudyResult& study) {
  const std::size_t hottest = hottest_run(study);
  const RunResult& worst = study.runs[hottest].run;
  if (worst.hot_keys.empty() || part_of(worst, worst.hot_keys.front()) < kNoticed) {
    return std::nullopt;
  }
  Chart chart = new_chart(study, "hot-keys");
  const HotKey& top = worst.hot_keys.front();
  chart.title = fmt::format("{}: {} causes {} of the demand, all of it on partition {}",
                            short_name(study, hottest), shorten(visible_text(top.key), kKeyWidth),
                            in_percent(part_of(worst, top)), top.partition);
  chart.explanation =
      "The logical partitions with most demand, their part of it, and where they live" +
      left_out(panels_of(study), study.runs.size());
  const double highest = part_of(worst, top) * 100;
  for (std::size_t i = 0; i < panels_of(study); ++i) {
    const RunResult& run = study.runs[i].run;
    if (run.hot_keys.empty()) {
      continue;
    }
    Panel panel;
    panel.variant = study.runs[i].variant;
    panel.heading = name_of(study, i);
    panel.y = percent_axis("of the demand", highest);
    BarGroup bars;
    bars.name = "of the demand";
    for (std::size_t k = 0;
         k < std::min(run.hot_keys.size(), study.runs.size() > 1 ? kFewKeys : kMaxKeys); ++k) {
      const HotKey& key = run.hot_keys[k];
      panel.x.categories.push_back(key.key);
      bars.values.push_back(part_of(run, key) * 100);
      bars.texts.push_back(
          fmt::format("{}, partition {}", in_percent(part_of(run, key)), key.partition));
    }
    panel.x.title = "logical partition";
    panel.x.high = static_cast<double>(panel.x.categories.size());
    panel.content = std::vector<BarGroup>{std::move(bars)};
    chart.panels.push_back(std::move(panel));
  }
  chart.columns = static_cast<std::uint32_t>(std::min<std::size_t>(chart.panels.size(), 2));
  return chart;
}

}  // namespace partsim
