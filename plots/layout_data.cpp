#include "layout_data.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <optional>
#include <tuple>

#include <fmt/format.h>

namespace partsim {
namespace {

constexpr Eigen::Index kMaxSteps = 400;   // along time
constexpr double kLabelledHeight = 0.05;  // of the axis; thinner bands have no room for a number
constexpr double kLabelledLength = 0.05;

/// Indexes of partitions from the lowest range to the highest, container by container.
std::vector<std::size_t> in_range_order(const RunResult& run) {
  std::vector<std::size_t> order(run.partitions.size());
  std::iota(order.begin(), order.end(), 0U);
  std::stable_sort(order.begin(), order.end(), [&run](std::size_t a, std::size_t b) {
    const PartitionResult& left = run.partitions[a];
    const PartitionResult& right = run.partitions[b];
    return std::tie(left.container, left.min_epk) < std::tie(right.container, right.min_epk);
  });
  return order;
}

double end_s(const RunResult& run, const PartitionResult& partition) {
  return static_cast<double>(partition.retired_ns.value_or(run.simulated_ns)) /
         static_cast<double>(kSecond);
}

double begin_s(const PartitionResult& partition) {
  return static_cast<double>(partition.born_ns) / static_cast<double>(kSecond);
}

bool was_there(const PartitionResult& partition, Nanoseconds at_ns) {
  return partition.born_ns <= at_ns && partition.retired_ns.value_or(kNever) > at_ns;
}

struct Band {
  double begin = 0;
  double end = 0;
  double low = 0;
  double high = 0;
};

void append(std::string& content, const Band& band, std::uint32_t id, bool labelled) {
  fmt::format_to(std::back_inserter(content), "{:.6g}\t{:.6g}\t{:.6g}\t{:.6g}\t{}\t\"{}\"\n",
                 band.begin, band.end, band.low, band.high, id,
                 labelled ? fmt::format("{}", id) : "");
}

/// A partition keeps its part of the key space for all its life: one band each. Containers stand
/// above each other, each with its own key space.
DataFile key_bands(const RunResult& run, const std::vector<std::size_t>& order, double seconds,
                   std::size_t index) {
  DataFile file{fmt::format("layout-keys-{}.dat", index), {}};
  std::map<std::string_view, int> containers;
  for (const PartitionResult& partition : run.partitions) {
    containers[partition.container] = 1;
  }
  const double scale = 100.0 / static_cast<double>(std::max<std::size_t>(containers.size(), 1));
  for (const std::size_t p : order) {
    const PartitionResult& partition = run.partitions[p];
    Band band{begin_s(partition), end_s(run, partition), 0, 0};
    for (const std::size_t below : order) {
      if (below == p) {
        break;
      }
      if (was_there(run.partitions[below], partition.born_ns)) {
        band.low += key_space(run.partitions[below].width_q32) * scale;
      }
    }
    band.high = band.low + key_space(partition.width_q32) * scale;
    append(file.content, band, partition.id,
           band.high - band.low >= kLabelledHeight * 100 &&
               band.end - band.begin >= kLabelledLength * seconds);
  }
  return file;
}

/// RU/s of each partition in one step of the time axis.
std::vector<double> rates_at(const RunResult& run, Eigen::Index row, Eigen::Index rows) {
  const LoadSeries& series = run.series;
  const Eigen::Index end = std::min(row + rows, series.share_mru.rows());
  const double reached_s =
      std::ceil(static_cast<double>(run.simulated_ns) / static_cast<double>(kSecond));
  const auto begin_of_step = static_cast<double>(row * series.interval_s);
  const double length = std::max(
      1.0, std::min(static_cast<double>(end * series.interval_s), reached_s) - begin_of_step);
  std::vector<double> rates(run.partitions.size(), 0.0);
  for (std::size_t p = 0; p < rates.size(); ++p) {
    const auto column = static_cast<Eigen::Index>(p);
    const auto granted_mru =
        static_cast<double>(series.share_mru.col(column).segment(row, end - row).sum());
    rates[p] = granted_mru / static_cast<double>(kMilliPerRu) / length;
  }
  return rates;
}

/// Bands of RU/s; a band goes on for as long as it does not move.
class ShareBands {
 public:
  explicit ShareBands(const RunResult& run) : run_(run), open_(run.partitions.size()) {}

  void add_step(const std::vector<std::size_t>& order, const std::vector<double>& rates,
                double begin, double end) {
    double low = 0;
    for (const std::size_t p : order) {
      const double high = low + rates[p];
      std::optional<Band>& open = open_[p];
      const bool moved = open && (open->low != low || open->high != high);
      if (open && (moved || rates[p] <= 0)) {
        close(p);
      }
      if (rates[p] > 0) {
        open = open ? Band{open->begin, end, low, high} : Band{begin, end, low, high};
      }
      low = high;
    }
    highest_ = std::max(highest_, low);
  }

  std::string finish() {
    for (std::size_t p = 0; p < open_.size(); ++p) {
      if (open_[p]) {
        close(p);
      }
    }
    return content_;
  }

  [[nodiscard]] double highest() const { return highest_; }

 private:
  void close(std::size_t p) {
    append(content_, *open_[p], run_.partitions[p].id, false);
    open_[p].reset();
  }

  const RunResult& run_;
  std::vector<std::optional<Band>> open_;
  std::string content_;
  double highest_ = 0;
};

LayoutPanel make_panel(const RunResult& run, std::size_t index) {
  LayoutPanel panel;
  panel.run = index;
  panel.partitions = run.partitions.size();
  panel.seconds = static_cast<double>(run.simulated_ns) / static_cast<double>(kSecond);
  panel.rate = run.provider == Provider::dynamodb ? "units/s" : "RU/s";
  panel.marks = change_times_s(run);
  const std::vector<std::size_t> order = in_range_order(run);
  panel.keys = key_bands(run, order, panel.seconds, index);
  panel.shares.name = fmt::format("layout-shares-{}.dat", index);
  ShareBands bands(run);
  const Eigen::Index rows = run.series.share_mru.rows();
  const Eigen::Index step = std::max<Eigen::Index>(1, (rows + kMaxSteps - 1) / kMaxSteps);
  for (Eigen::Index row = 0; row < rows; row += step) {
    const auto begin = static_cast<double>(row * run.series.interval_s);
    const auto end = static_cast<double>((row + step) * run.series.interval_s);
    bands.add_step(order, rates_at(run, row, step), begin, std::min(end, panel.seconds));
  }
  panel.shares.content = bands.finish();
  panel.highest = bands.highest();
  return panel;
}

}  // namespace

std::vector<LayoutPanel> layout_panels(const StudyResult& study) {
  std::vector<LayoutPanel> panels;
  for (std::size_t i = 0; i < study.runs.size() && panels.size() < kMaxLayouts; ++i) {
    const RunResult& run = study.runs[i].run;
    const bool changed = std::any_of(
        run.layout_events.begin(), run.layout_events.end(),
        [](const LayoutEvent& event) { return event.kind != LayoutEventKind::refused; });
    if (changed && !run.partitions.empty()) {
      panels.push_back(make_panel(run, i));
    }
  }
  return panels;
}

}  // namespace partsim
