#include "study_view.hpp"

#include <cmath>
#include <limits>
#include <numeric>

#include <fmt/format.h>

#include "partsim/report/text.hpp"

#include "axes.hpp"
#include "numbers.hpp"
#include "provider_words.hpp"

namespace partsim {
namespace {

constexpr std::size_t kNameWidth = 32;
constexpr std::size_t kBriefNameWidth = 22;
constexpr std::size_t kMaxMarks = 24;   // more would hide what they mark
constexpr std::size_t kMaxLabels = 3;   // more would run into each other
constexpr double kLabelDistance = 0.2;  // of the time axis

double in_s(Nanoseconds ns) {
  return static_cast<double>(ns) / static_cast<double>(kSecond);
}

std::string_view word_of(LayoutEventKind kind) {
  switch (kind) {
    case LayoutEventKind::split:
      return "split";
    case LayoutEventKind::merge:
      return "merge";
    case LayoutEventKind::scale:
      return "new throughput";
    case LayoutEventKind::redistribute:
      return "redistribution";
    case LayoutEventKind::refused:
      break;
  }
  return "refused";
}

/// When the layout or a share changed, each instant once; of very many only some.
std::vector<Mark> changes_of(const RunResult& run, double unit_s) {
  std::vector<Mark> all;
  for (const LayoutEvent& event : run.layout_events) {
    const double at = in_s(event.at_ns) / unit_s;
    if (event.kind != LayoutEventKind::refused && (all.empty() || all.back().x < at)) {
      all.push_back({at, std::string(word_of(event.kind))});
    }
  }
  const std::size_t step = (all.size() + kMaxMarks - 1) / kMaxMarks;
  std::vector<Mark> marks;
  for (std::size_t i = 0; i < all.size(); i += step) {
    marks.push_back(all[i]);
  }
  const double length = simulated_s(run) / unit_s;
  for (std::size_t i = 0; i < marks.size(); ++i) {
    if (marks.size() > kMaxLabels ||
        (i > 0 && marks[i].x - marks[i - 1].x < kLabelDistance * length)) {
      marks[i].label.clear();
    }
  }
  return marks;
}

/// Splits and merges under way, overlapping ones as one.
std::vector<Phase> swaps_of(const RunResult& run, double unit_s) {
  std::vector<Phase> phases;
  for (const LayoutEvent& event : run.layout_events) {
    const bool swap = event.kind == LayoutEventKind::split || event.kind == LayoutEventKind::merge;
    if (!swap || event.asked_ns >= event.at_ns) {
      continue;
    }
    const Phase phase{in_s(event.asked_ns) / unit_s, in_s(event.at_ns) / unit_s, {}};
    if (!phases.empty() && phase.from <= phases.back().to) {
      phases.back().from = std::min(phases.back().from, phase.from);
      phases.back().to = std::max(phases.back().to, phase.to);
    } else if (phases.size() < kMaxMarks) {
      phases.push_back(phase);
    }
  }
  return phases;
}

}  // namespace

std::size_t panels_of(const StudyResult& study) noexcept {
  return std::min(study.runs.size(), kMaxPanels);
}

std::uint32_t columns_for(std::size_t panels) noexcept {
  return panels > 4 ? 2 : 1;
}

std::string left_out(std::size_t shown, std::size_t all) {
  return shown < all ? fmt::format(" (the first {} of {} variants)", shown, all) : "";
}

std::string name_of(const StudyResult& study, std::size_t run) {
  const std::string& variant = study.runs[run].variant;
  return study.runs.size() == 1 && variant == "base" ? study.name : variant;
}

std::string short_name(const StudyResult& study, std::size_t run) {
  return shorten(visible_text(name_of(study, run)), kNameWidth);
}

std::string outcome_of(const RunResult& run, bool brief) {
  const ClientResult total = run.total();
  if (total.attempts == 0) {
    return "no attempt was counted";
  }
  const double failed = failed_share(total);
  if (total.throttled == 0 && failed <= 0) {
    return brief ? "none throttled or failed" : "nothing throttled, nothing failed";
  }
  std::string text = total.throttled == 0 ? (brief ? "none throttled" : "no attempt throttled")
                                          : in_percent(throttled_share(total)) +
                                                (brief ? " throttled" : " of attempts throttled");
  if (failed > 0) {
    text += fmt::format(", {}{} failed", in_percent(failed), brief ? "" : " of operations");
  }
  if (total.refused > 0) {
    text += " (400)";
  } else if (total.forbidden > 0) {
    text += " (403)";
  }
  return text;
}

Chart new_chart(const StudyResult& study, std::string_view name) {
  Chart chart;
  chart.name = name;
  chart.subject = study.title.empty() ? study.name : study.title;
  return chart;
}

Panel new_time_panel(const StudyResult& study, std::size_t run) {
  const RunResult& result = study.runs[run].run;
  Panel panel;
  panel.variant = study.runs[run].variant;
  const bool brief = columns_for(panels_of(study)) > 1;
  // a long name must not push out what happened
  panel.heading = fmt::format(
      "{}: {}",
      brief ? shorten(visible_text(name_of(study, run)), kBriefNameWidth) : short_name(study, run),
      outcome_of(result, brief));
  panel.x = time_axis(study);
  const double unit_s = time_unit(longest_s(study)).seconds;
  panel.phases = swaps_of(result, unit_s);
  if (result.warm_up_ns > 0) {
    panel.phases.push_back(
        {0, std::min(in_s(result.warm_up_ns) / unit_s, panel.x.high), "warm-up"});
  }
  panel.marks = changes_of(result, unit_s);
  return panel;
}

std::string phase_words(const StudyResult& study) {
  bool warm_up = false;
  bool swap = false;
  for (std::size_t i = 0; i < panels_of(study); ++i) {
    for (const Phase& phase : new_time_panel(study, i).phases) {
      (phase.label.empty() ? swap : warm_up) = true;
    }
  }
  return warm_up && swap ? "; grey: warm-up, a split under way"
         : warm_up       ? "; grey: warm-up"
         : swap          ? "; grey: a split under way"
                         : "";
}

Steps steps_of(const RunResult& run, Eigen::Index most) {
  Steps steps;
  steps.rows = run.series.consumed_mru.rows();
  steps.step = std::max<Eigen::Index>(1, (steps.rows + most - 1) / most);
  steps.interval_s = static_cast<double>(std::max<std::int64_t>(run.series.interval_s, 1));
  const double whole_s = static_cast<double>(steps.rows) * steps.interval_s;
  steps.end_s = run.simulated_ns > 0 ? std::min(whole_s, std::ceil(simulated_s(run))) : whole_s;
  return steps;
}

Line new_time_line(const Steps& steps, double unit_s) {
  Line line;
  line.stepped = true;
  for (Eigen::Index i = 0; i <= steps.count(); ++i) {
    line.x.push_back(steps.begin_s(i) / unit_s);
  }
  line.y.reserve(line.x.size());
  return line;
}

void close_line(Line& line) {
  line.y.push_back(line.y.empty() ? std::numeric_limits<double>::quiet_NaN() : line.y.back());
}

std::vector<std::size_t> busiest_partitions(const RunResult& run, std::size_t most) {
  std::vector<std::size_t> order(run.partitions.size());
  std::iota(order.begin(), order.end(), 0U);
  std::stable_sort(order.begin(), order.end(), [&run](std::size_t a, std::size_t b) {
    return run.partitions[a].demand_mru > run.partitions[b].demand_mru;
  });
  order.resize(std::min(order.size(), most));
  // of those that nobody asked for anything one is enough
  const auto idle = [&run](std::size_t p) {
    const auto column = static_cast<Eigen::Index>(p);
    return run.partitions[p].demand_mru == 0 && run.series.attempts.col(column).sum() == 0;
  };
  while (order.size() > 1 && idle(order.back())) {
    order.pop_back();
  }
  return order;
}

std::string partition_name(const PartitionResult& partition) {
  return fmt::format("partition {}", partition.id);
}

}  // namespace partsim
