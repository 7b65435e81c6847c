#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include <fmt/format.h>

#include "partsim/metrics/derived.hpp"

#include "axes.hpp"
#include "describers.hpp"
#include "numbers.hpp"
#include "study_view.hpp"

namespace partsim {
namespace {

constexpr Eigen::Index kMaxSteps = 240;
constexpr std::size_t kMaxLines = 5;
constexpr double kGrown = 1.05;  // of what was there at first: less is not worth a picture
/// Far below any limit of a partition nobody asks how fast it fills.
constexpr double kNoticed = 1024.0 * 1024.0 * 1024.0;
constexpr double kGigabyte = 1024.0 * 1024.0 * 1024.0;

/// All partitions together, at the end of a row.
double bytes_at(const RunResult& run, Eigen::Index row) {
  return static_cast<double>(run.series.storage_bytes.row(row).sum());
}

bool has_grown(const RunResult& run) {
  const Eigen::Index rows = run.series.storage_bytes.rows();
  return rows > 1 && bytes_at(run, rows - 1) > bytes_at(run, 0) * kGrown &&
         bytes_at(run, rows - 1) >= kNoticed;
}

/// A split for storage, or a key at its limit: then storage matters although it did not grow.
bool matters(const RunResult& run) {
  return std::any_of(
             run.layout_events.begin(), run.layout_events.end(),
             [](const LayoutEvent& event) { return event.cause == LayoutCause::storage; }) ||
         std::any_of(run.large_keys.begin(), run.large_keys.end(),
                     [](const LargeKey& key) { return key.full; });
}

/// The unit in which the largest number is short.
struct ByteUnit {
  double bytes = 1;
  std::string name = "B";
};

ByteUnit byte_unit(double largest) {
  return largest >= kGigabyte         ? ByteUnit{kGigabyte, "GB"}
         : largest >= 1024.0 * 1024.0 ? ByteUnit{1024.0 * 1024.0, "MB"}
                                      : ByteUnit{1024.0, "KB"};
}

/// The partitions that were largest at any time.
std::vector<std::size_t> largest_partitions(const RunResult& run) {
  std::vector<std::size_t> order(run.partitions.size());
  std::iota(order.begin(), order.end(), 0U);
  const auto most = [&run](std::size_t p) {
    return run.series.storage_bytes.col(static_cast<Eigen::Index>(p)).maxCoeff();
  };
  std::stable_sort(order.begin(), order.end(),
                   [&most](std::size_t a, std::size_t b) { return most(a) > most(b); });
  order.resize(std::min(order.size(), kMaxLines));
  std::sort(order.begin(), order.end());
  return order;
}

/// What a partition held at the end of each step, in bytes.
Line storage_line(const RunResult& run, std::size_t index, const Steps& steps, double unit_s) {
  const auto column = static_cast<Eigen::Index>(index);
  Line line;
  line.name = partition_name(run.partitions[index]);
  line.number = run.partitions[index].id;
  for (Eigen::Index i = 0; i < steps.count(); ++i) {
    const Eigen::Index row = steps.first_row(i) + steps.rows_in(i) - 1;
    const std::int64_t bytes = run.series.storage_bytes(row, column);
    if (bytes > 0 && (line.y.empty() || std::isnan(line.y.back()))) {
      line.x.push_back(steps.begin_s(i) / unit_s);  // what it begins with is not known better
      line.y.push_back(static_cast<double>(bytes));
    }
    line.x.push_back(steps.begin_s(i + 1) / unit_s);
    line.y.push_back(bytes > 0 ? static_cast<double>(bytes)
                               : std::numeric_limits<double>::quiet_NaN());
  }
  return line;
}

std::string storage_finding(const StudyResult& study, std::size_t index) {
  const RunResult& run = study.runs[index].run;
  const Eigen::Index last = run.series.storage_bytes.rows() - 1;
  const std::string first = in_bytes(static_cast<std::int64_t>(bytes_at(run, 0)));
  const std::string now = in_bytes(static_cast<std::int64_t>(bytes_at(run, last)));
  std::string text =
      fmt::format("{} {}, at most {} on one partition", short_name(study, index),
                  first == now ? "holds " + now : "goes from " + first + " to " + now,
                  in_bytes(run.series.storage_bytes.maxCoeff()));
  const auto full = std::count_if(run.large_keys.begin(), run.large_keys.end(),
                                  [](const LargeKey& key) { return key.full; });
  if (full > 0) {
    text += fmt::format("; {} logical partition{} full", full, full == 1 ? " is" : "s are");
  }
  return text;
}

/// Bytes to the unit of the axis.
void scale(std::vector<Line>& lines, double unit) {
  for (Line& line : lines) {
    for (double& y : line.y) {
      y /= unit;
    }
  }
}

}  // namespace

std::optional<Chart> describe_storage(const StudyResult& study) {
  std::size_t largest = 0;
  double most_bytes = 0;
  bool shown = false;
  for (std::size_t i = 0; i < panels_of(study); ++i) {
    const RunResult& run = study.runs[i].run;
    const LoadMatrix& storage = run.series.storage_bytes;
    shown = shown || has_grown(run) || (storage.rows() > 0 && matters(run));
    const double here = storage.size() > 0 ? static_cast<double>(storage.maxCoeff()) : 0.0;
    if (here > most_bytes) {
      most_bytes = here;
      largest = i;
    }
  }
  if (!shown || most_bytes <= 0) {
    return std::nullopt;
  }
  Chart chart = new_chart(study, "storage");
  chart.title = storage_finding(study, largest);
  chart.explanation = "What the largest partitions hold, index included" + phase_words(study) +
                      left_out(panels_of(study), study.runs.size());
  const ByteUnit unit = byte_unit(most_bytes);
  for (std::size_t i = 0; i < panels_of(study); ++i) {
    const RunResult& run = study.runs[i].run;
    if (run.partitions.empty() || run.series.storage_bytes.rows() == 0) {
      continue;
    }
    const Steps steps = steps_of(run, kMaxSteps);
    std::vector<Line> lines;
    for (const std::size_t p : largest_partitions(run)) {
      lines.push_back(storage_line(run, p, steps, time_unit(longest_s(study)).seconds));
    }
    scale(lines, unit.bytes);
    Panel panel = new_time_panel(study, i);
    panel.y = value_axis("storage", unit.name, most_bytes * 1.04 / unit.bytes);
    panel.content = std::move(lines);
    chart.panels.push_back(std::move(panel));
  }
  chart.columns = columns_for(chart.panels.size());
  return chart;
}

}  // namespace partsim
