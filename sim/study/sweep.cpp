#include "partsim/study/sweep.hpp"

#include <algorithm>
#include <limits>
#include <mutex>
#include <utility>

#include "partsim/core/rng.hpp"
#include "partsim/metrics/metric_table.hpp"
#include "partsim/study/work_list.hpp"

namespace partsim {
namespace {

/// How many replications a point has before the next look at its precision: a quarter more, at
/// least two, so that many threads find work without many replications too many.
std::uint32_t next_count(std::uint32_t count, std::uint32_t most) noexcept {
  return std::min(most, count + std::max<std::uint32_t>(2, count / 4));
}

bool is_point_precise(const SweepDesign& design, const SweepPoint& point) {
  return std::all_of(point.variants.begin(), point.variants.end(), [&](const SweepCell& cell) {
    const std::optional<Interval> interval = interval_of(cell, design.target);
    return !interval || is_precise(*interval, design.precision);
  });
}

class Sweep {
 public:
  Sweep(const SweepDesign& design, const std::vector<SweepTask>& tasks, const SweepOptions& options)
      : design_(design), tasks_(tasks), options_(options) {
    result_.design = design;
    for (const SweepTask& task : tasks) {
      result_.points.push_back({task.number, std::vector<SweepCell>(task.variants.size())});
    }
  }

  SweepResult run_all() {
    const bool adapts = design_.precision > 0;
    const std::uint32_t first =
        adapts ? std::min(kLeastReplications, design_.seeds) : design_.seeds;
    std::vector<std::size_t> open(tasks_.size());
    for (std::size_t i = 0; i < open.size(); ++i) {
      open[i] = i;
    }
    for (std::uint32_t count = first; !open.empty() && result_.complete;
         count = next_count(count, design_.seeds)) {
      run_round(open, count);
      const bool was_last = count == design_.seeds;
      const auto is_done = [&](std::size_t point) {
        return was_last || is_point_precise(design_, result_.points[point]);
      };
      open.erase(std::remove_if(open.begin(), open.end(), is_done), open.end());
    }
    return std::move(result_);
  }

 private:
  struct Piece {
    std::size_t task;
    std::size_t variant;
    std::uint32_t replication;
    bool done = false;
  };

  /// Brings these points to `count` replications.
  void run_round(const std::vector<std::size_t>& open, std::uint32_t count) {
    std::vector<Piece> pieces;
    for (const std::size_t task : open) {
      for (std::size_t variant = 0; variant < tasks_[task].variants.size(); ++variant) {
        auto& replications = result_.points[task].variants[variant].replications;
        const auto have = static_cast<std::uint32_t>(replications.size());
        replications.resize(count);
        for (std::uint32_t i = have; i < count; ++i) {
          if (!recall(task, variant, i)) {
            pieces.push_back({task, variant, i});
          }
        }
      }
    }
    work_through(pieces.size(), options_.jobs, options_.stop,
                 [&](std::size_t index) { run_piece(pieces[index]); });
    result_.complete =
        std::all_of(pieces.begin(), pieces.end(), [](const Piece& piece) { return piece.done; });
  }

  bool recall(std::size_t task, std::size_t variant, std::uint32_t replication) {
    if (!options_.recall) {
      return false;
    }
    std::optional<Replication> known = options_.recall({tasks_[task].number, variant, replication});
    if (known) {
      result_.points[task].variants[variant].replications[replication] = std::move(*known);
    }
    return known.has_value();
  }

  void run_piece(Piece& piece) {
    Scenario scenario = tasks_[piece.task].variants[piece.variant].scenario;
    scenario.seed = replication_seed(scenario.seed, piece.replication);
    RunOptions run_options;
    run_options.stop = options_.stop;
    run_options.open_trace = options_.open_trace;
    const RunResult run_result = run(scenario, run_options);
    if (run_result.partial) {
      return;
    }
    Replication replication{scenario.seed, run_result.digest,
                            metric_values(run_result, design_.metrics)};
    if (options_.remember) {
      const std::lock_guard lock(mutex_);
      options_.remember({tasks_[piece.task].number, piece.variant, piece.replication}, replication);
    }
    result_.points[piece.task].variants[piece.variant].replications[piece.replication] =
        std::move(replication);
    piece.done = true;
  }

  const SweepDesign& design_;
  const std::vector<SweepTask>& tasks_;
  const SweepOptions& options_;
  std::mutex mutex_;
  SweepResult result_;
};

}  // namespace

std::size_t point_count(const SweepDesign& design) noexcept {
  std::size_t count = 1;
  for (const SweepAxis& axis : design.axes) {
    if (__builtin_mul_overflow(count, axis.values.size(), &count)) {
      return SIZE_MAX;
    }
  }
  return count;
}

std::vector<std::size_t> values_at(const SweepDesign& design, std::size_t point) {
  std::vector<std::size_t> chosen(design.axes.size());
  for (std::size_t axis = chosen.size(); axis-- > 0;) {
    const std::size_t count = design.axes[axis].values.size();
    chosen[axis] = point % count;
    point /= count;
  }
  return chosen;
}

std::uint64_t replication_seed(std::uint64_t seed, std::uint32_t replication) noexcept {
  // 53 bits, so that every reader of JSON keeps them.
  return replication == 0 ? seed : mix64(seed + replication * kGoldenGamma) >> 11U;
}

SweepResult run_sweep(const SweepDesign& design, const std::vector<SweepTask>& tasks,
                      const SweepOptions& options) {
  return Sweep(design, tasks, options).run_all();
}

std::vector<double> metric_values(const RunResult& run, const std::vector<std::string>& metrics) {
  std::vector<double> values;
  values.reserve(metrics.size());
  for (const std::string& path : metrics) {
    values.push_back(metric_value(run, path).value_or(std::numeric_limits<double>::quiet_NaN()));
  }
  return values;
}

}  // namespace partsim
