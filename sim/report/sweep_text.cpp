#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "partsim/report/next_step.hpp"
#include "partsim/report/sweep_report.hpp"
#include "partsim/report/text.hpp"

#include "metric_text.hpp"
#include "numbers.hpp"
#include "paragraph.hpp"
#include "table.hpp"

namespace partsim {
namespace {

constexpr std::size_t kMostRows = 40;
constexpr std::size_t kIndent = 6;
constexpr unsigned kRoomForIntervals = 60;  // columns
constexpr std::string_view kSpeed = "latency_ms.p99";

class SweepSummary {
 public:
  SweepSummary(const SweepResult& result, const ScenarioWords& scenario, const TextStyle& style)
      : result_(result),
        design_(result.design),
        scenario_(scenario),
        style_(style),
        ranking_(rank(result)) {
    style_.width = std::clamp(style_.width, 40U, 120U);
  }

  std::string text() {
    append_best();
    append_points();
    append_differences();
    append_next_step();
    return std::move(out_);
  }

 private:
  void append(std::string_view label, std::string_view text, Tone tone = Tone::strong) {
    out_ += paragraph(
        {.label = std::string(label), .tone = tone, .text = visible(text), .indent = kIndent},
        style_);
  }
  [[nodiscard]] std::string visible(std::string_view text) const {
    return visible_text(text, style_.unicode);
  }
  [[nodiscard]] const SweepCell& cell(const SweepChoice& choice) const {
    return result_.points[choice.point].variants[choice.variant];
  }
  [[nodiscard]] std::string value(const SweepChoice& choice, std::string_view path) const {
    const auto metric = metric_index(design_, path);
    const auto interval = metric ? interval_of(cell(choice), *metric) : std::optional<Interval>();
    return interval ? interval_text(*interval, unit_or_ratio(path), style_.unicode) : "-";
  }
  [[nodiscard]] std::string mean(const SweepChoice& choice, std::string_view path) const {
    const auto metric = metric_index(design_, path);
    const auto interval = metric ? interval_of(cell(choice), *metric) : std::optional<Interval>();
    return interval ? metric_text(interval->mean, unit_or_ratio(path)) : "-";
  }
  [[nodiscard]] std::string name_of(const SweepChoice& choice) const {
    const std::string point = point_label(design_, result_.points[choice.point].number);
    const std::string& variant = design_.variants[choice.variant];
    const bool is_only = design_.variants.size() == 1 && variant == "base";
    return is_only ? point : point.empty() ? variant : variant + " at " + point;
  }
  [[nodiscard]] const std::string& target() const { return design_.metrics[design_.target]; }

  void append_best() {
    std::size_t runs = 0;
    for (const SweepPoint& point : result_.points) {
      for (const SweepCell& each : point.variants) {
        runs += each.replications.size();
      }
    }
    if (ranking_.order.empty()) {
      append("Best", "Nothing was run.");
      return;
    }
    const SweepChoice& best = ranking_.order.front();
    const std::string lead =
        loses_operations(result_, best) ? "No choice holds; the fewest operations fail with " : "";
    std::string text = fmt::format("{}{}: {} {}, {} of attempts throttled, {} a month.", lead,
                                   name_of(best), metric_heading(target()), value(best, target()),
                                   mean(best, "throttled_share"), mean(best, "cost.per_month"));
    append("Best", text, loses_operations(result_, best) ? Tone::bad : Tone::good);
    append("", fmt::format("{} runs: {} {}, {} {}{}.", grouped(runs), result_.points.size(),
                           result_.points.size() == 1 ? "point" : "points", design_.variants.size(),
                           design_.variants.size() == 1 ? "variant" : "variants", repetitions()));
  }

  [[nodiscard]] std::string repetitions() const {
    if (design_.precision > 0) {
      return fmt::format(", up to {} seeds until {} is within {}; intervals hold 95 %",
                         design_.seeds, metric_heading(target()), in_percent(design_.precision));
    }
    return design_.seeds == 1 ? ", one seed: no intervals"
                              : fmt::format(", {} seeds; intervals hold 95 %", design_.seeds);
  }

  /// What the table shows of the metrics, the target first.
  [[nodiscard]] std::vector<std::string> shown_metrics() const {
    std::vector<std::string> shown{target()};
    for (const std::string_view path :
         {kSpeed, std::string_view("throttled_share"), std::string_view("failed_share"),
          std::string_view("cost.per_month")}) {
      if (path != target()) {
        shown.emplace_back(path);
      }
    }
    return shown;
  }

  void append_points() {
    const bool all = ranking_.order.size() <= kMostRows;
    std::vector<SweepChoice> rows = ranking_.order;
    if (all) {
      std::sort(rows.begin(), rows.end(), [](const SweepChoice& a, const SweepChoice& b) {
        return std::pair(a.point, a.variant) < std::pair(b.point, b.variant);
      });
    } else {
      rows.resize(kMostRows);
    }
    const std::string note = all ? ""
                                 : fmt::format("the best {} of {}; all are in sweep.csv", kMostRows,
                                               ranking_.order.size());
    out_ += heading("Points", note, style_);
    const std::vector<std::string> shown = shown_metrics();
    std::vector<Column> columns;
    for (std::size_t axis = 0; axis < design_.axes.size(); ++axis) {
      columns.push_back({visible(axis_label(design_, axis)), ColumnKind::text});
    }
    columns.push_back({"variant", ColumnKind::text});
    for (std::size_t i = 0; i < shown.size(); ++i) {
      // What is ranked stays, the price goes last.
      const bool is_price = i + 1 == shown.size();
      const auto order = static_cast<unsigned>(is_price ? shown.size()
                                               : i == 0 ? 0
                                                        : shown.size() - i);
      columns.push_back({metric_heading(shown[i]), ColumnKind::number, order});
    }
    columns.push_back({"", ColumnKind::text});
    Table table(std::move(columns));
    for (const SweepChoice& choice : rows) {
      table.add_row(row_of(choice, shown));
    }
    out_ += table.render(style_);
    if (!ranking_.frontier.empty()) {
      out_ += paragraph({.label = "  " + std::string(mark()),
                         .tone = Tone::plain,
                         .text = "nothing is both cheaper and faster (p99)",
                         .indent = 4},
                        style_);
    }
  }

  [[nodiscard]] std::string_view mark() const { return style_.unicode ? "◆" : "*"; }

  [[nodiscard]] std::vector<Cell> row_of(const SweepChoice& choice,
                                         const std::vector<std::string>& shown) const {
    std::vector<Cell> row;
    const std::vector<std::size_t> chosen = values_at(design_, result_.points[choice.point].number);
    for (std::size_t axis = 0; axis < chosen.size(); ++axis) {
      row.push_back({visible(design_.axes[axis].values[chosen[axis]])});
    }
    row.push_back({visible(design_.variants[choice.variant])});
    for (const std::string& path : shown) {
      const bool is_interval =
          style_.width >= kRoomForIntervals && (path == target() || path == kSpeed);
      row.push_back({is_interval ? value(choice, path) : mean(choice, path)});
    }
    const auto& frontier = ranking_.frontier;
    const bool is_best = choice == ranking_.order.front();
    const bool on_frontier = std::find(frontier.begin(), frontier.end(), choice) != frontier.end();
    std::string place(on_frontier ? mark() : "");
    place += is_best ? (on_frontier ? " best" : "best") : "";
    row.push_back({std::move(place), is_best ? Tone::good : Tone::plain});
    return row;
  }

  void append_differences() {
    if (design_.variants.size() < 2) {
      return;
    }
    out_ += heading("Against " + visible(design_.variants.front()),
                    metric_heading(target()) + ", same seeds on both sides", style_);
    for (std::size_t variant = 1; variant < design_.variants.size(); ++variant) {
      out_ += paragraph({.label = {},
                         .tone = Tone::plain,
                         .text = visible(design_.variants[variant] + ": " + differences(variant)),
                         .indent = 2},
                        style_);
    }
  }

  [[nodiscard]] std::string differences(std::size_t variant) const {
    static constexpr std::array kWords{"better", "worse", "the same", "open"};
    std::array<std::size_t, 4> counts{};
    std::string only;
    const auto direction = preferred_direction(target()).value_or(Direction::lower_is_better);
    for (const SweepPoint& point : result_.points) {
      const auto difference =
          difference_of(point.variants.front(), point.variants[variant], design_.target);
      const Verdict verdict =
          difference ? verdict_of(*difference, direction) : Verdict::inconclusive;
      ++counts.at(static_cast<std::size_t>(verdict));
      if (result_.points.size() == 1 && difference) {
        only = interval_text(*difference, unit_or_ratio(target()), style_.unicode) + ", ";
      }
    }
    std::string text;
    for (std::size_t i = 0; i < counts.size(); ++i) {
      if (counts.at(i) > 0) {
        text += (text.empty() ? "" : ", ") + std::string(kWords.at(i));
        text += result_.points.size() == 1 ? "" : fmt::format(" at {}", counts.at(i));
      }
    }
    const std::string suffix =
        result_.points.size() == 1 ? "" : fmt::format(" of {} points", result_.points.size());
    return only + text + suffix + (design_.seeds == 1 ? " (one seed proves nothing)" : "");
  }

  void append_next_step() {
    if (ranking_.order.empty()) {
      return;
    }
    out_ += "\n";
    const SweepChoice& best = ranking_.order.front();
    out_ += next_step_text(step_after(best), style_);
  }

  [[nodiscard]] NextStep step_after(const SweepChoice& best) const {
    const bool is_lossy = loses_operations(result_, best);
    if (!is_lossy && design_.seeds == 1) {
      return {"repeat with --seeds 10 to see how far chance goes", {}};
    }
    NextStep step{is_lossy ? "every choice loses operations: see why" : "see the best choice run",
                  command_words("run", scenario_)};
    if (scenario_.file.empty()) {  // parts of a sweep do not know where it was
      step.why = "run the scenario with the settings of the best choice";
      step.command.clear();
    }
    add_settings(step.command, best);
    return step;
  }

  void add_settings(std::vector<std::string>& command, const SweepChoice& choice) const {
    const std::vector<std::size_t> chosen = values_at(design_, result_.points[choice.point].number);
    for (std::size_t axis = 0; axis < chosen.size(); ++axis) {
      command.push_back("--set " + shell_word(design_.axes[axis].path + "=" +
                                              design_.axes[axis].values[chosen[axis]]));
    }
    if (design_.variants.size() > 1) {
      add_variant(command, design_.variants[choice.variant]);
    }
  }

  const SweepResult& result_;
  const SweepDesign& design_;
  const ScenarioWords& scenario_;
  TextStyle style_;
  SweepRanking ranking_;
  std::string out_;
};

/// The last `words` of a path.
std::string path_end(std::string_view path, std::size_t words) {
  std::size_t begin = path.size();
  for (; words > 0 && begin != 0; --words) {
    const std::size_t dot = path.rfind('.', begin - 1);
    begin = dot == std::string_view::npos ? 0 : dot;
  }
  return std::string(path.substr(begin == 0 ? 0 : begin + 1));
}

}  // namespace

std::string axis_label(const SweepDesign& design, std::size_t axis) {
  const std::string& path = design.axes[axis].path;
  for (std::size_t words = 1; path_end(path, words) != path; ++words) {
    std::string label = path_end(path, words);
    const auto same =
        std::count_if(design.axes.begin(), design.axes.end(),
                      [&](const SweepAxis& each) { return path_end(each.path, words) == label; });
    if (same == 1) {
      return label;
    }
  }
  return path;
}

std::string point_label(const SweepDesign& design, std::size_t point) {
  const std::vector<std::size_t> chosen = values_at(design, point);
  std::string text;
  for (std::size_t axis = 0; axis < chosen.size(); ++axis) {
    text += fmt::format("{}{} {}", axis == 0 ? "" : ", ", axis_label(design, axis),
                        design.axes[axis].values[chosen[axis]]);
  }
  return text;
}

std::string sweep_summary(const SweepResult& result, const ScenarioWords& scenario,
                          const TextStyle& style) {
  return SweepSummary(result, scenario, style).text();
}

}  // namespace partsim
