#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <optional>
#include <tuple>

#include <fmt/format.h>

#include "partsim/metrics/derived.hpp"

#include "axes.hpp"
#include "describers.hpp"
#include "numbers.hpp"
#include "provider_words.hpp"
#include "study_view.hpp"

namespace partsim {
namespace {

constexpr std::size_t kMaxLayouts = 6;
constexpr Eigen::Index kMaxSteps = 400;   // along time
constexpr double kLabelledHeight = 0.08;  // of the axis; thinner bands have no room for a number
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

double in_s(Nanoseconds ns) {
  return static_cast<double>(ns) / static_cast<double>(kSecond);
}

bool was_there(const PartitionResult& partition, Nanoseconds at_ns) {
  return partition.born_ns <= at_ns && partition.retired_ns.value_or(kNever) > at_ns;
}

/// A partition keeps its part of the key space for all its life: one band each. Containers stand
/// above each other, each with its own key space.
Bands key_bands(const RunResult& run, const std::vector<std::size_t>& order, double unit_s) {
  std::map<std::string_view, int> containers;
  for (const PartitionResult& partition : run.partitions) {
    containers[partition.container] = 1;
  }
  const double scale = 100.0 / static_cast<double>(std::max<std::size_t>(containers.size(), 1));
  Bands bands;
  for (const std::size_t p : order) {
    const PartitionResult& partition = run.partitions[p];
    Band band{in_s(partition.born_ns) / unit_s,
              in_s(partition.retired_ns.value_or(run.simulated_ns)) / unit_s,
              0,
              0,
              partition.id,
              {}};
    for (const std::size_t below : order) {
      if (below == p) {
        break;
      }
      if (was_there(run.partitions[below], partition.born_ns)) {
        band.y_low += key_space(run.partitions[below].width_q32) * scale;
      }
    }
    band.y_high = band.y_low + key_space(partition.width_q32) * scale;
    if (band.y_high - band.y_low >= kLabelledHeight * 100 &&
        band.x_high - band.x_low >= kLabelledLength * simulated_s(run) / unit_s) {
      band.label = fmt::format("{}", partition.id);
    }
    bands.bands.push_back(std::move(band));
  }
  return bands;
}

/// RU/s of each partition in one step of the time axis.
std::vector<double> rates_in(const RunResult& run, const Steps& steps, Eigen::Index step) {
  std::vector<double> rates(run.partitions.size(), 0.0);
  for (std::size_t p = 0; p < rates.size(); ++p) {
    const auto granted_mru =
        static_cast<double>(run.series.share_mru.col(static_cast<Eigen::Index>(p))
                                .segment(steps.first_row(step), steps.rows_in(step))
                                .sum());
    rates[p] = granted_mru / static_cast<double>(kMilliPerRu) / std::max(steps.length_s(step), 1.0);
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
      const bool moved = open && (open->y_low != low || open->y_high != high);
      if (open && (moved || rates[p] <= 0)) {
        close(p);
      }
      if (rates[p] > 0) {
        const double from = open ? open->x_low : begin;
        open = Band{from, end, low, high, run_.partitions[p].id, {}};
      }
      low = high;
    }
    highest_ = std::max(highest_, low);
  }

  /// To be called once, at the end.
  Bands finish(double unit_s) {
    for (std::size_t p = 0; p < open_.size(); ++p) {
      if (open_[p]) {
        close(p);
      }
    }
    for (Band& band : bands_.bands) {
      const bool room = band.y_high - band.y_low >= kLabelledHeight * highest_ &&
                        band.x_high - band.x_low >= kLabelledLength * simulated_s(run_);
      band.label = room ? fmt::format("{}", band.color) : "";
      band.x_low /= unit_s;
      band.x_high /= unit_s;
    }
    return std::move(bands_);
  }

  [[nodiscard]] double highest() const { return highest_; }

 private:
  void close(std::size_t p) {
    bands_.bands.push_back(*open_[p]);
    open_[p].reset();
  }

  const RunResult& run_;
  std::vector<std::optional<Band>> open_;
  Bands bands_;
  double highest_ = 0;
};

bool has_changed(const RunResult& run) {
  return !run.partitions.empty() && std::any_of(run.layout_events.begin(), run.layout_events.end(),
                                                [](const LayoutEvent& event) {
                                                  return event.kind != LayoutEventKind::refused;
                                                });
}

/// "20 min: 3 partitions own 25 % to 50 % of the keys with 10,000 RU/s each".
std::string layout_finding(const StudyResult& study, std::size_t index) {
  const RunResult& run = study.runs[index].run;
  std::size_t first = 0;
  std::int64_t least_keys = INT64_MAX;
  std::int64_t most_keys = 0;
  MilliRu least_mru = INT64_MAX;
  MilliRu most_mru = 0;
  for (const PartitionResult& partition : run.partitions) {
    first += partition.born_ns == 0 ? 1U : 0U;
    if (partition.alive()) {
      least_keys = std::min(least_keys, partition.width_q32);
      most_keys = std::max(most_keys, partition.width_q32);
      least_mru = std::min(least_mru, partition.share_mru_per_s);
      most_mru = std::max(most_mru, partition.share_mru_per_s);
    }
  }
  const ProviderWords& words = words_of(run);
  const std::string most = in_keys(most_keys);
  const bool even = in_keys(least_keys) == most;
  const std::string keys = even ? most : in_keys(least_keys) + " to " + most;
  const std::string low = grouped(static_cast<std::uint64_t>(least_mru / kMilliPerRu));
  const std::string high = in_rate(most_mru, words);
  const bool same = in_rate(least_mru, words) == high;
  const std::size_t now = alive_partitions(run);
  const std::string lead = first == now ? fmt::format("{} partitions at the end", now)
                                        : fmt::format("from {} to {} partitions", first, now);
  return fmt::format("{}: {}, with {} of the keys{} and {}", short_name(study, index), lead, keys,
                     even && !same ? " each" : "", same ? high + " each" : low + " to " + high);
}

void add_panels(Chart& chart, const StudyResult& study, std::size_t index) {
  const RunResult& run = study.runs[index].run;
  const double unit_s = time_unit(longest_s(study)).seconds;
  const std::vector<std::size_t> order = in_range_order(run);
  Panel keys = new_time_panel(study, index);
  Panel shares = keys;
  keys.heading = name_of(study, index) + ": keys owned";
  keys.y = percent_axis("of all keys", 100);
  keys.content = key_bands(run, order, unit_s);
  shares.heading = name_of(study, index) + ": shares";
  ShareBands bands(run);
  const Steps steps = steps_of(run, kMaxSteps);
  for (Eigen::Index i = 0; i < steps.count(); ++i) {
    bands.add_step(order, rates_in(run, steps, i), steps.begin_s(i), steps.begin_s(i + 1));
  }
  shares.content = bands.finish(unit_s);
  shares.y = value_axis("shares", std::string(words_of(run).rate), bands.highest());
  chart.panels.push_back(std::move(keys));
  chart.panels.push_back(std::move(shares));
}

}  // namespace

std::optional<Chart> describe_layout(const StudyResult& study) {
  Chart chart = new_chart(study, "layout");
  chart.columns = 2;
  std::size_t changed = 0;
  double highest = 0;
  for (std::size_t i = 0; i < study.runs.size(); ++i) {
    if (!has_changed(study.runs[i].run)) {
      continue;
    }
    ++changed;
    if (changed == 1) {
      chart.title = layout_finding(study, i);
    }
    if (changed <= kMaxLayouts) {
      add_panels(chart, study, i);
      highest = std::max(highest, chart.panels.back().y.high);
    }
  }
  if (changed == 0) {
    return std::nullopt;
  }
  for (std::size_t i = 1; i < chart.panels.size(); i += 2) {
    Axis& axis = chart.panels[i].y;
    axis = value_axis(axis.title, axis.unit, highest);
  }
  chart.explanation =
      "Who owned the keys, and who had the throughput, in the order of the hash ranges; one colour "
      "a partition" +
      phase_words(study) + left_out(std::min(changed, kMaxLayouts), changed);
  return chart;
}

}  // namespace partsim
