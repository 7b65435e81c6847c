#include <algorithm>
#include <array>
#include <string>

#include <fmt/format.h>

#include "partsim/report/sweep_report.hpp"

#include "json_writer.hpp"
#include "numbers.hpp"

namespace partsim {
namespace {

Json texts(const std::vector<std::string>& values) {
  return array_json(values, [](const std::string& value) { return Json(value); });
}

/// `"mean": 9.5, "low": 9.3, "high": 9.7`. Without repetitions nothing is known of the bounds.
std::string bounds(const Interval& interval) {
  const bool is_known = interval.is_known();
  return fmt::format(R"("mean": {}, "low": {}, "high": {})", decimal(interval.mean),
                     is_known ? decimal(interval.low()) : "null",
                     is_known ? decimal(interval.high()) : "null");
}

/// A line for each: large sweeps have millions of them.
Json metrics_json(const SweepDesign& design, const SweepCell& cell) {
  Json json = Json::object();
  for (std::size_t metric = 0; metric < design.metrics.size(); ++metric) {
    const auto interval = interval_of(cell, metric);
    json[design.metrics[metric]] = interval ? number("{" + bounds(*interval) + "}") : Json(nullptr);
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
    std::string text = "{" + bounds(*difference);
    if (direction) {
      const auto verdict = static_cast<std::size_t>(verdict_of(*difference, *direction));
      text += fmt::format(R"(, "verdict": "{}")", kVerdicts.at(verdict));
    }
    json["metrics"][design.metrics[metric]] = number(text + "}");
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
  // Point by point: the whole as values would take many times the memory of its text.
  std::string text = json_text(json, 0);
  text.resize(text.size() - 2);  // "\n}"
  text += ",\n  \"points\": [";
  for (std::size_t index = 0; index < result.points.size(); ++index) {
    text += (index == 0 ? "\n    " : ",\n    ") +
            json_text(point_json(result, index, ranking.frontier), 4);
  }
  return text + "\n  ]\n}\n";
}

}  // namespace partsim
