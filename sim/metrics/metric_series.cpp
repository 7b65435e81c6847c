#include "partsim/metrics/metric_series.hpp"

#include <algorithm>
#include <array>
#include <limits>

#include "partsim/metrics/derived.hpp"

namespace partsim {
namespace {

constexpr double kNothing = std::numeric_limits<double>::quiet_NaN();

enum class Quantity : std::uint8_t { throttled_share, attempts, throttled, consumed, utilization };

struct Followed {
  std::string_view path;  // of a run, or behind `partitions.WHICH.`
  Quantity quantity;
  MetricUnit unit;
};

constexpr std::array kOfRun{
    Followed{"throttled_share", Quantity::throttled_share, MetricUnit::share},
    Followed{"attempts", Quantity::attempts, MetricUnit::count},
    Followed{"throttled", Quantity::throttled, MetricUnit::count},
    Followed{"ru.consumed", Quantity::consumed, MetricUnit::ru_per_second},
    Followed{"ru.utilization", Quantity::utilization, MetricUnit::share},
};
constexpr std::array kOfPartition{
    Followed{"throttled_share", Quantity::throttled_share, MetricUnit::share},
    Followed{"attempts", Quantity::attempts, MetricUnit::count},
    Followed{"throttled", Quantity::throttled, MetricUnit::count},
    Followed{"ru_consumed", Quantity::consumed, MetricUnit::ru_per_second},
    Followed{"utilization", Quantity::utilization, MetricUnit::share},
};

struct FollowedLatency {
  std::string_view path;
  std::uint64_t LatencySeries::Row::*ns;
};
constexpr std::array kLatency{
    FollowedLatency{"latency_ms.p50", &LatencySeries::Row::p50_ns},
    FollowedLatency{"latency_ms.p95", &LatencySeries::Row::p95_ns},
    FollowedLatency{"latency_ms.p99", &LatencySeries::Row::p99_ns},
    FollowedLatency{"latency_ms.max", &LatencySeries::Row::max_ns},
};

template <class Row, std::size_t N>
const Row* find(const std::array<Row, N>& rows, std::string_view path) {
  const auto found =
      std::find_if(rows.begin(), rows.end(), [path](const Row& row) { return row.path == path; });
  return found == rows.end() ? nullptr : &*found;
}

const Followed* followed(std::string_view path) {
  const std::string_view of_partition = partition_path(path).metric;
  return of_partition.empty() ? find(kOfRun, path) : find(kOfPartition, of_partition);
}

/// What happened in one row, on one partition or on all.
struct Row {
  std::int64_t attempts = 0;
  std::int64_t throttled = 0;
  std::int64_t consumed_mru = 0;
  std::int64_t share_mru = 0;

  void add(const LoadSeries& series, Eigen::Index row, Eigen::Index column) {
    attempts += series.attempts(row, column);
    throttled += series.throttled(row, column);
    consumed_mru += series.consumed_mru(row, column);
    share_mru += series.share_mru(row, column);
  }
};

double ratio(std::int64_t part, double whole) {
  return whole > 0 ? static_cast<double>(part) / whole : kNothing;
}

double value_of(const Row& row, Quantity quantity, double seconds, std::uint32_t regions) {
  switch (quantity) {
    case Quantity::throttled_share:
      return ratio(row.throttled, static_cast<double>(row.attempts));
    case Quantity::attempts:
      return ratio(row.attempts, seconds);
    case Quantity::throttled:
      return ratio(row.throttled, seconds);
    case Quantity::consumed:
      return ratio(row.consumed_mru, seconds * static_cast<double>(kMilliPerRu));
    case Quantity::utilization:
      return ratio(row.consumed_mru, static_cast<double>(row.share_mru) * std::max(regions, 1U));
  }
  return kNothing;
}

/// The series without values, and the number of its first row in the run's own.
struct Frame {
  MetricSeries series;
  Eigen::Index first_row = 0;
};

Frame frame_of(const RunResult& run, std::int64_t interval_s) {
  Frame frame;
  frame.series.interval_ns = std::max<std::int64_t>(interval_s, 1) * kSecond;
  frame.first_row = static_cast<Eigen::Index>((run.warm_up_ns + frame.series.interval_ns - 1) /
                                              frame.series.interval_ns);
  frame.series.begin_ns = frame.first_row * frame.series.interval_ns;
  frame.series.end_ns = run.simulated_ns;
  return frame;
}

MetricSeries load_series(const RunResult& run, Quantity quantity,
                         std::optional<Eigen::Index> column) {
  auto [series, first_row] = frame_of(run, run.series.interval_s);
  const Eigen::Index rows = run.series.attempts.rows();
  for (Eigen::Index r = first_row; r < rows && r * series.interval_ns < run.simulated_ns; ++r) {
    const std::size_t place = series.values.size();
    const double seconds = static_cast<double>(series.end_of(place) - series.begin_of(place)) /
                           static_cast<double>(kSecond);
    Row row;
    bool is_there = true;
    if (column) {
      is_there = existed_in(run, run.partitions[static_cast<std::size_t>(*column)], r);
      row.add(run.series, r, *column);
    } else {
      for (Eigen::Index p = 0; p < run.series.attempts.cols(); ++p) {
        row.add(run.series, r, p);
      }
    }
    series.values.push_back(is_there ? value_of(row, quantity, seconds, run.regions) : kNothing);
  }
  return series;
}

MetricSeries latency_series(const RunResult& run, std::uint64_t LatencySeries::Row::*ns) {
  constexpr double kNsPerMs = 1e6;
  auto [series, first_row] = frame_of(run, run.latency_series.interval_s);
  const std::vector<LatencySeries::Row>& rows = run.latency_series.rows;
  for (auto r = static_cast<std::size_t>(first_row); r < rows.size(); ++r) {
    series.values.push_back(rows[r].succeeded > 0 ? static_cast<double>(rows[r].*ns) / kNsPerMs
                                                  : kNothing);
  }
  return series;
}

std::optional<std::size_t> index_of(const RunResult& run, const PartitionPath& path) {
  if (path.is_hottest) {
    return hottest_partition(run);
  }
  const auto found =
      std::lower_bound(run.partitions.begin(), run.partitions.end(), path.id.value_or(0),
                       [](const PartitionResult& each, std::uint32_t id) { return each.id < id; });
  return path.id && found != run.partitions.end() && found->id == *path.id
             ? std::optional(static_cast<std::size_t>(found - run.partitions.begin()))
             : std::nullopt;
}

}  // namespace

Nanoseconds MetricSeries::begin_of(std::size_t row) const noexcept {
  return begin_ns + static_cast<Nanoseconds>(row) * interval_ns;
}

Nanoseconds MetricSeries::end_of(std::size_t row) const noexcept {
  return std::min(begin_of(row + 1), end_ns);
}

std::optional<MetricUnit> series_unit(std::string_view path) {
  if (find(kLatency, path) != nullptr) {
    return MetricUnit::milliseconds;
  }
  const Followed* row = followed(path);
  return row == nullptr ? std::nullopt : std::optional(row->unit);
}

std::optional<MetricSeries> metric_series(const RunResult& run, std::string_view path) {
  if (const FollowedLatency* latency = find(kLatency, path)) {
    return latency_series(run, latency->ns);
  }
  const Followed* row = followed(path);
  if (row == nullptr) {
    return std::nullopt;
  }
  const PartitionPath partition = partition_path(path);
  if (partition.metric.empty()) {
    return load_series(run, row->quantity, std::nullopt);
  }
  const std::optional<std::size_t> index = index_of(run, partition);
  if (!index || static_cast<Eigen::Index>(*index) >= run.series.attempts.cols()) {
    return std::nullopt;
  }
  return load_series(run, row->quantity, static_cast<Eigen::Index>(*index));
}

}  // namespace partsim
