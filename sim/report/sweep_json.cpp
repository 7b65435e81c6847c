#include <algorithm>
#include <array>
#include <string>

#include <fmt/format.h>

#include "partsim/report/sweep_report.hpp"

#include "json_writer.hpp"

namespace partsim {
namespace {

Json texts(const std::vector<std::string>& values) {
  return array_json(values, [](const std::string& value) { return Json(value); });
}

/// Without repetitions nothing is known of the bounds.
Json bounds(Json json, const Interval& interval) {
  json["low"] = interval.is_known() ? fraction(interval.low()) : Json(nullptr);
  json["high"] = interval.is_known() ? fraction(interval.high()) : Json(nullptr);
  return json;
}

Json metrics_json(const SweepDesign& design, const SweepCell& cell) {
  Json json = Json::object();
  for (std::size_t metric = 0; metric < design.metrics.size(); ++metric) {
    const auto interval = interval_of(cell, metric);
    json[design.metrics[metric]] =
        interval ? bounds({{"mean", fraction(interval->mean)}}, *interval) : Json(nullptr);
  }
  return json;
}

Json cell_json(const SweepResult& result, const SweepChoice& choice,
               const std::vector<SweepChoice>& frontier) {
  const SweepCell& cell = result.points[choice.point].variants[choice.variant];
  Json json;
  json["variant"] = result.design.variants[choice.variant];
  json["replications"] = cell.replications.size();
  json["frontier"] = std::find(frontier.begin(), frontier.end(), choice) != frontier.end();
  json["loses_operations"] = loses_operations(result, choice);
  json["metrics"] = metrics_json(result.design, cell);
  return json;
}

Json difference_json(const SweepDesign& design, const SweepPoint& point, std::size_t variant) {
  static constexpr std::array kVerdicts{"better", "worse", "same", "inconclusive"};
  Json json{{"variant", design.variants[variant]}, {"against", design.variants.front()}};
  json["metrics"] = Json::object();
  for (std::size_t metric = 0; metric < design.metrics.size(); ++metric) {
    const auto difference = difference_of(point.variants.front(), point.variants[variant], metric);
    if (!difference) {
      continue;
    }
    const auto direction = preferred_direction(design.metrics[metric]);
    Json entry = bounds({{"mean", fraction(difference->mean)}}, *difference);
    if (direction) {
      entry["verdict"] =
          kVerdicts.at(static_cast<std::size_t>(verdict_of(*difference, *direction)));
    }
    json["metrics"][design.metrics[metric]] = std::move(entry);
  }
  return json;
}

Json point_json(const SweepResult& result, std::size_t index,
                const std::vector<SweepChoice>& frontier) {
  const SweepDesign& design = result.design;
  const SweepPoint& point = result.points[index];
  const std::vector<std::size_t> chosen = values_at(design, point.number);
  Json json{{"point", point.number}};
  json["values"] = Json::object();
  for (std::size_t axis = 0; axis < chosen.size(); ++axis) {
    json["values"][design.axes[axis].path] = design.axes[axis].values[chosen[axis]];
  }
  json["variants"] = Json::array();
  json["differences"] = Json::array();
  for (std::size_t variant = 0; variant < point.variants.size(); ++variant) {
    json["variants"].push_back(cell_json(result, {index, variant}, frontier));
    if (variant > 0) {
      json["differences"].push_back(difference_json(design, point, variant));
    }
  }
  return json;
}

}  // namespace

std::string sweep_json(const SweepResult& result) {
  const SweepDesign& design = result.design;
  const SweepRanking ranking = rank(result);
  Json json;
  json["format_version"] = "1.0";
  json["generator"] = "partsim " PARTSIM_VERSION;
  json["model"] = kModelVersion;
  json["scenario"] = {{"name", design.name}, {"title", design.title}, {"seed", design.seed}};
  json["varied"] = array_json(design.axes, [](const SweepAxis& axis) {
    return Json{{"path", axis.path}, {"values", texts(axis.values)}};
  });
  json["variants"] = texts(design.variants);
  json["metrics"] = texts(design.metrics);
  json["target"] = design.metrics[design.target];
  json["seeds"] = design.seeds;
  json["precision"] = design.precision > 0 ? fraction(design.precision) : Json(nullptr);
  json["confidence"] = fraction(kConfidence);
  if (!ranking.order.empty()) {
    const SweepChoice& best = ranking.order.front();
    json["best"] = {{"point", result.points[best.point].number},
                    {"variant", design.variants[best.variant]}};
  }
  json["points"] = Json::array();
  for (std::size_t index = 0; index < result.points.size(); ++index) {
    json["points"].push_back(point_json(result, index, ranking.frontier));
  }
  return json_file(json);
}

}  // namespace partsim
