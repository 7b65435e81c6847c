#include <string>

#include <fmt/format.h>

#include "partsim/report/sweep_report.hpp"

#include "csv_text.hpp"
#include "numbers.hpp"

namespace partsim {
namespace {

std::string axis_headers(const SweepDesign& design) {
  std::string text;
  for (const SweepAxis& axis : design.axes) {
    text += csv_text(axis.path) + ",";
  }
  return text;
}

/// What every row of a cell begins with.
std::string cell_start(const SweepDesign& design, std::size_t point, std::size_t variant) {
  std::string text = fmt::format("{},", point);
  const std::vector<std::size_t> chosen = values_at(design, point);
  for (std::size_t axis = 0; axis < chosen.size(); ++axis) {
    text += csv_text(design.axes[axis].values[chosen[axis]]) + ",";
  }
  return text + csv_text(design.variants[variant]);
}

/// Empty if there is none: a bound without repetitions, a client that a variant does not have.
std::string number_or_nothing(bool is_known, double value) {
  return is_known ? decimal(value) : std::string();
}

}  // namespace

std::string sweep_csv(const SweepResult& result) {
  const SweepDesign& design = result.design;
  std::string text = "point," + axis_headers(design) + "variant,metric,n,mean,low,high\n";
  for (const SweepPoint& point : result.points) {
    for (std::size_t variant = 0; variant < point.variants.size(); ++variant) {
      const std::string start = cell_start(design, point.number, variant);
      for (std::size_t metric = 0; metric < design.metrics.size(); ++metric) {
        const auto interval = interval_of(point.variants[variant], metric);
        if (interval) {
          const bool known = interval->is_known();
          text += fmt::format("{},{},{},{},{},{}\n", start, csv_text(design.metrics[metric]),
                              interval->count, decimal(interval->mean),
                              number_or_nothing(known, interval->low()),
                              number_or_nothing(known, interval->high()));
        }
      }
    }
  }
  return text;
}

std::string sweep_runs_csv(const SweepResult& result) {
  const SweepDesign& design = result.design;
  std::string text = "point," + axis_headers(design) + "variant,replication,seed,digest";
  for (const std::string& metric : design.metrics) {
    text += "," + csv_text(metric);
  }
  text += "\n";
  for (const SweepPoint& point : result.points) {
    for (std::size_t variant = 0; variant < point.variants.size(); ++variant) {
      const std::string start = cell_start(design, point.number, variant);
      std::size_t number = 0;
      for (const Replication& replication : point.variants[variant].replications) {
        text +=
            fmt::format("{},{},{},{:016x}", start, number++, replication.seed, replication.digest);
        for (const double value : replication.values) {
          text += "," + number_or_nothing(value == value, value);
        }
        text += "\n";
      }
    }
  }
  return text;
}

}  // namespace partsim
