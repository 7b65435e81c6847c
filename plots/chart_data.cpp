#include "chart_data.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>

#include <fmt/format.h>

#include "partsim/report/text.hpp"

namespace partsim {
namespace {

constexpr std::size_t kMaxRows = 64;
constexpr std::size_t kMaxColumns = 240;
constexpr std::size_t kMaxCells = 24'000;  // in all panels together: keeps the .svg small
constexpr double kMaxX = 1e5;              // 99.999 %: the finest percentile of latency.csv

/// Merged cells of one variant; blocks of `times` intervals and `group` partitions.
struct Blocks {
  Eigen::Index times = 1;
  Eigen::Index group = 1;
};

Eigen::Index blocks_of(Eigen::Index size, Eigen::Index block) {
  return (size + block - 1) / block;
}

Blocks choose_blocks(const LoadMatrix& series, std::size_t panels) {
  Blocks blocks;
  blocks.group = std::max<Eigen::Index>(1, blocks_of(series.cols(), kMaxRows));
  const auto rows =
      static_cast<std::size_t>(std::max<Eigen::Index>(1, blocks_of(series.cols(), blocks.group)));
  const std::size_t columns = std::clamp<std::size_t>(kMaxCells / (rows * panels), 30, kMaxColumns);
  blocks.times =
      std::max<Eigen::Index>(1, blocks_of(series.rows(), static_cast<Eigen::Index>(columns)));
  return blocks;
}

UtilizationPanel make_panel(const RunResult& run, std::size_t index, std::size_t panels) {
  UtilizationPanel panel;
  panel.partitions = run.partitions.size();
  panel.cells.name = fmt::format("utilization-{}.dat", index);
  panel.marks = change_times_s(run);
  const LoadSeries& series = run.series;
  const UtilizationMatrix utilization = utilization_by_interval(run);
  const Blocks blocks = choose_blocks(series.consumed_mru, panels);
  const UtilizationMatrix throttled =
      (series.attempts > 0)
          .select(series.throttled.cast<double>() / series.attempts.cast<double>(), 0.0);
  panel.columns = static_cast<std::size_t>(blocks_of(utilization.rows(), blocks.times));
  panel.rows = static_cast<std::size_t>(blocks_of(utilization.cols(), blocks.group));
  const auto interval_s = static_cast<double>(series.interval_s);
  panel.seconds =
      static_cast<double>(panel.columns) * static_cast<double>(blocks.times) * interval_s;
  for (Eigen::Index p = 0; p < utilization.cols(); p += blocks.group) {
    const Eigen::Index group = std::min(blocks.group, utilization.cols() - p);
    for (Eigen::Index t = 0; t < utilization.rows(); t += blocks.times) {
      const Eigen::Index times = std::min(blocks.times, utilization.rows() - t);
      // NaN, where no partition of the block is there
      const double used = utilization.block(t, p, times, group).maxCoeff<Eigen::PropagateNumbers>();
      const double refused = throttled.block(t, p, times, group).maxCoeff();
      const bool there = !std::isnan(used);
      panel.highest = there ? std::max(panel.highest, used) : panel.highest;
      panel.throttled = panel.throttled || refused > 0;
      fmt::format_to(std::back_inserter(panel.cells.content), "{}\t{}\t{}\t{}\t{:.4f}\n",
                     static_cast<double>(t) * interval_s,
                     static_cast<double>(t + blocks.times) * interval_s,
                     run.partitions[static_cast<std::size_t>(p)].id,
                     there ? fmt::format("{:.2f}", used * 100) : "NaN", refused);
    }
    panel.cells.content += "\n\n";  // one block a row, so that lines can be drawn by index
  }
  return panel;
}

/// `date (84 % of operations failed)`: the curve shows only those that succeeded.
std::string curve_name(const VariantResult& result, const ClientResult& total) {
  constexpr std::size_t kNameWidth = 30;
  std::string name = shorten(visible_text(result.variant), kNameWidth);
  const double failed = failed_share(total) * 100;
  if (failed <= 0) {
    return name;
  }
  return failed < 0.1 ? fmt::format("{} (<0.1 % failed)", name)
                      : fmt::format("{} ({:.{}f} % failed)", name, failed, failed < 9.95 ? 1 : 0);
}

void append_point(std::string& content, const Histogram& latency_ns, double x) {
  const auto ppm = static_cast<std::uint32_t>(std::lround(1e6 - 1e6 / x));
  fmt::format_to(std::back_inserter(content), "{:.6g}\t{:.6g}\n", x,
                 std::max(latency_ms_at(latency_ns, ppm), 1e-6));
}

std::string short_ms(double ms) {
  return ms >= 999.5  ? fmt::format("{:.{}f} s", ms / 1000, ms < 9'950 ? 1 : 0)
         : ms >= 9.95 ? fmt::format("{:.0f} ms", ms)
                      : fmt::format("{:.1f} ms", ms);
}

std::string short_percent(double percent) {
  return percent > 0 && percent < 0.1 ? "<0.1 %"
                                      : fmt::format("{:.{}f} %", percent, percent < 9.95 ? 1 : 0);
}

/// The client whose operations' RU differ most between the variants: what a key costs its readers
/// disappears in the mean over all clients, most of whose operations are writes of one price.
std::size_t most_affected_client(const StudyResult& study) {
  std::size_t most = 0;
  double widest = 0;
  for (std::size_t c = 0; c < study.runs.front().run.clients.size(); ++c) {
    double low = 0;
    double high = 0;
    for (const VariantResult& result : study.runs) {
      const double ru = c < result.run.clients.size() ? ru_per_operation(result.run.clients[c]) : 0;
      low = ru > 0 && (low <= 0 || ru < low) ? ru : low;
      high = std::max(high, ru);
    }
    const double spread = low > 0 ? high / low : 0;
    if (spread > widest) {
      widest = spread;
      most = c;
    }
  }
  return most;
}

}  // namespace

std::string data_text(std::string_view text, std::size_t width) {
  std::string field = "\"";
  for (const char c : shorten(visible_text(text), width)) {
    if (c == '"') {
      field += "”";  // the reader has no way to write a quote inside quotes
    } else if (c == '\\') {
      field += "\\\\";  // the reader turns \n and \101 into characters
    } else {
      field += c;
    }
  }
  return field + '"';
}

std::vector<double> change_times_s(const RunResult& run) {
  constexpr std::size_t kMaxMarks = 24;  // more would hide what they mark
  std::vector<double> times;
  for (const LayoutEvent& event : run.layout_events) {
    const double at = static_cast<double>(event.at_ns) / static_cast<double>(kSecond);
    if (event.kind != LayoutEventKind::refused && (times.empty() || times.back() < at)) {
      times.push_back(at);
    }
  }
  const std::size_t step = (times.size() + kMaxMarks - 1) / kMaxMarks;
  std::vector<double> shown;
  for (std::size_t i = 0; i < times.size(); i += step) {
    shown.push_back(times[i]);
  }
  return shown;
}

std::vector<UtilizationPanel> utilization_panels(const StudyResult& study) {
  std::vector<UtilizationPanel> panels;
  const std::size_t count = std::min(study.runs.size(), kMaxPanels);
  for (std::size_t i = 0; i < count; ++i) {
    panels.push_back(make_panel(study.runs[i].run, i, count));
  }
  return panels;
}

LatencyCurves latency_curves(const StudyResult& study) {
  constexpr double kPointsPerDecade = 60;
  LatencyCurves result;
  for (std::size_t i = 0; i < std::min(study.runs.size(), kMaxCurves); ++i) {
    const ClientResult total = study.runs[i].run.total();
    const Histogram& latency_ns = total.latency_ns;
    if (latency_ns.count() == 0) {
      continue;
    }
    DataFile file{fmt::format("latency-{}.dat", i), {}};
    file.content = "x\t" + data_text(curve_name(study.runs[i], total), 60) + "\n";
    // a percentile that fewer than one operation lies beyond says nothing
    const double end = std::min(kMaxX, static_cast<double>(latency_ns.count()));
    for (int step = 0;; ++step) {
      const double x = std::pow(10.0, step / kPointsPerDecade);
      append_point(file.content, latency_ns, std::min(x, std::max(end, 1.0)));
      if (x >= end) {
        break;
      }
    }
    const double low = std::max(latency_ms_at(latency_ns, 0), 1e-6);
    const double high = std::max(latency_ms(latency_ns).max, low);
    const bool first = result.runs.empty();
    result.lowest_ms = first ? low : std::min(result.lowest_ms, low);
    result.highest_ms = first ? high : std::max(result.highest_ms, high);
    result.largest_x = std::max(result.largest_x, end);
    result.runs.push_back(i);
    result.curves.push_back(std::move(file));
  }
  return result;
}

VariantBars variant_bars(const StudyResult& study) {
  constexpr std::size_t kNameWidth = 26;
  VariantBars result;
  result.count = std::min(study.runs.size(), kMaxBars);
  result.largest.assign(4, 0.0);
  result.bars.name = "variants.dat";
  const std::size_t client = study.runs.empty() ? 0 : most_affected_client(study);
  if (!study.runs.empty() && client < study.runs.front().run.clients.size()) {
    result.ru_of = "client " + study.runs.front().run.clients[client].name;
  }
  for (std::size_t i = 0; i < result.count; ++i) {
    const RunResult& run = study.runs[i].run;
    const ClientResult total = run.total();
    const std::array<double, 4> values{
        throttled_share(total) * 100, latency_ms(total.latency_ns).p99,
        client < run.clients.size() ? ru_per_operation(run.clients[client]) : 0.0, run.imbalance()};
    const std::array<std::string, 4> texts{short_percent(values[0]), short_ms(values[1]),
                                           fmt::format("{:.1f} RU", values[2]),
                                           fmt::format("{:.2f}", values[3])};
    std::string& row = result.bars.content;
    fmt::format_to(std::back_inserter(row), "{}\t{}\t{}", i, i,
                   data_text(study.runs[i].variant, kNameWidth));
    for (std::size_t m = 0; m < values.size(); ++m) {
      result.largest[m] = std::max(result.largest[m], values[m]);
      fmt::format_to(std::back_inserter(row), "\t{:.6g}\t\"{}\"", values[m], texts[m]);
    }
    row += '\n';
  }
  return result;
}

}  // namespace partsim
