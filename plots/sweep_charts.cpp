#include "partsim/plots/sweep_charts.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "partsim/metrics/metric_table.hpp"
#include "partsim/report/sweep_report.hpp"

namespace partsim {
namespace {

constexpr std::size_t kMostPanels = 12;
constexpr std::string_view kPrice = "cost.per_month";
constexpr std::string_view kSpeed = "latency_ms.p99";

/// The next round number.
double round_end(double highest) {
  if (!(highest > 0)) {
    return 1;
  }
  double power = 1;
  for (; power * 10 <= highest; power *= 10) {
  }
  for (; power > highest; power /= 10) {
  }
  for (const double factor : {1.0, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0, 6.0, 8.0}) {
    if (factor * power >= highest) {
      return factor * power;
    }
  }
  return 10 * power;
}

double power_of_ten(double value, bool up) {
  double power = 1;
  for (; power > value; power /= 10) {
  }
  for (; power * 10 <= value; power *= 10) {
  }
  return up && power < value ? power * 10 : power;
}

struct UnitText {
  std::string unit;
  double scale = 1;
};

UnitText unit_text(std::string_view path) {
  switch (metric_unit(path).value_or(MetricUnit::ratio)) {
    case MetricUnit::share:
      return {"%", 100};
    case MetricUnit::milliseconds:
      return {"ms", 1};
    case MetricUnit::seconds:
      return {"s", 1};
    case MetricUnit::ru:
      return {"RU", 1};
    case MetricUnit::ru_per_second:
      return {"RU/s", 1};
    case MetricUnit::bytes:
      return {"bytes", 1};
    case MetricUnit::usd:
      return {"USD", 1};
    case MetricUnit::count:
    case MetricUnit::ratio:
      break;
  }
  return {"", 1};
}

/// The number at the beginning of a value, and what follows it.
std::optional<std::pair<double, std::string>> number_in(const std::string& text) {
  const std::size_t end = std::min(text.find_first_not_of("0123456789."), text.size());
  const std::size_t dot = std::min(text.find('.'), end);
  if (end == 0 || dot == 0 || text.find('.', dot + 1) < end) {
    return std::nullopt;
  }
  double value = 0;
  double worth = 1;
  for (std::size_t i = 0; i < end; ++i) {
    if (i == dot) {
      continue;
    }
    value = value * 10 + (text[i] - '0');
    worth = i > dot ? worth * 10 : worth;
  }
  const std::size_t unit = std::min(text.find_first_not_of(' ', end), text.size());
  return std::pair(value / worth, text.substr(unit));
}

/// Where the values of an axis stand: as numbers if all are and have one unit, else side by side.
struct Places {
  std::vector<double> at;
  Axis axis;
};

Places places_of(const SweepDesign& design, std::size_t index) {
  const SweepAxis& varied = design.axes[index];
  Places places;
  places.axis.title = axis_label(design, index);
  for (const std::string& value : varied.values) {
    const auto number = number_in(value);
    if (!number || (!places.at.empty() && number->second != places.axis.unit)) {
      places.at.clear();
      break;
    }
    places.axis.unit = number->second;
    places.at.push_back(number->first);
  }
  if (!places.at.empty()) {
    places.axis.low = 0;
    places.axis.high = round_end(*std::max_element(places.at.begin(), places.at.end()));
    return places;
  }
  places.axis.unit.clear();
  for (std::size_t i = 0; i < varied.values.size(); ++i) {
    places.at.push_back(static_cast<double>(i));
    places.axis.ticks.push_back({static_cast<double>(i), varied.values[i]});
  }
  places.axis.low = -0.5;
  places.axis.high = static_cast<double>(varied.values.size()) - 0.5;
  return places;
}

/// The axis with most values runs along x.
std::size_t longest_axis(const SweepDesign& design) {
  const auto longest = std::max_element(
      design.axes.begin(), design.axes.end(),
      [](const SweepAxis& a, const SweepAxis& b) { return a.values.size() < b.values.size(); });
  return static_cast<std::size_t>(longest - design.axes.begin());
}

/// Points that differ only along x, in its order; by what else is varied, as text.
using Group = std::pair<std::string, std::vector<std::size_t>>;
std::vector<Group> groups_of(const SweepResult& result, std::size_t along) {
  const SweepDesign& design = result.design;
  std::vector<Group> groups;
  std::map<std::string, std::size_t> known;
  for (std::size_t index = 0; index < result.points.size(); ++index) {
    const std::vector<std::size_t> chosen = values_at(design, result.points[index].number);
    std::string name;
    for (std::size_t axis = 0; axis < chosen.size(); ++axis) {
      if (axis != along) {
        name += fmt::format("{}{} {}", name.empty() ? "" : ", ", axis_label(design, axis),
                            design.axes[axis].values[chosen[axis]]);
      }
    }
    const auto [at, is_new] = known.emplace(name, groups.size());
    if (is_new) {
      groups.push_back({name, {}});
    }
    groups[at->second].second.push_back(index);
  }
  return groups;
}

/// The mean, and dashed on both sides of it the interval if there is one.
void add_lines(const SweepResult& result, const Group& group, std::size_t along,
               std::size_t variant, const Places& places, std::vector<Line>& lines) {
  const SweepDesign& design = result.design;
  const double scale = unit_text(design.metrics[design.target]).scale;
  std::array<Line, 3> own;
  own[0].name = design.variants[variant];
  bool has_interval = false;
  for (const std::size_t index : group.second) {
    const SweepPoint& point = result.points[index];
    const auto interval = interval_of(point.variants[variant], design.target);
    if (!interval) {
      continue;
    }
    const double x = places.at[values_at(design, point.number)[along]];
    const bool known = interval->is_known();
    has_interval = has_interval || (known && interval->half_width > 0);
    const std::array values{interval->mean, known ? interval->low() : interval->mean,
                            known ? interval->high() : interval->mean};
    for (std::size_t i = 0; i < own.size(); ++i) {
      own.at(i).x.push_back(x);
      own.at(i).y.push_back(values.at(i) * scale);
    }
  }
  for (std::size_t i = 0; i < (has_interval ? own.size() : 1); ++i) {
    own.at(i).number = static_cast<std::uint32_t>(variant);
    own.at(i).dashed = i > 0;
    lines.push_back(own.at(i));
  }
}

std::string choice_name(const SweepResult& result, const SweepChoice& choice) {
  const std::string point = point_label(result.design, result.points[choice.point].number);
  const std::string& variant = result.design.variants[choice.variant];
  return result.design.variants.size() > 1 ? variant + " at " + point : point;
}

Chart target_chart(const SweepResult& result, const SweepRanking& ranking) {
  const SweepDesign& design = result.design;
  const std::size_t along = longest_axis(design);
  const Places places = places_of(design, along);
  const std::string& target = design.metrics[design.target];
  const UnitText unit = unit_text(target);
  Chart chart;
  chart.name = "sweep";
  chart.title = fmt::format("Best {}: {}", target, choice_name(result, ranking.order.front()));
  chart.explanation = design.seeds > 1
                          ? "Means over the seeds; dashed: where the true mean lies with 95 %."
                          : "One seed: nothing is known of chance.";
  double highest = 0;
  for (const Group& group : groups_of(result, along)) {
    if (chart.panels.size() == kMostPanels) {
      chart.explanation += fmt::format(" The first {} combinations.", kMostPanels);
      break;
    }
    Panel panel;
    panel.heading = group.first;
    panel.x = places.axis;
    std::vector<Line> lines;
    for (std::size_t variant = 0; variant < design.variants.size(); ++variant) {
      add_lines(result, group, along, variant, places, lines);
    }
    for (const Line& line : lines) {
      for (const double y : line.y) {
        highest = std::max(highest, y);
      }
    }
    panel.content = std::move(lines);
    chart.panels.push_back(std::move(panel));
  }
  for (Panel& panel : chart.panels) {
    panel.y.title = target;
    panel.y.unit = unit.unit;
    panel.y.high = round_end(highest);
  }
  return chart;
}

struct Offer {
  double price = 0;
  double p99 = 0;
};

std::optional<Offer> offer_of(const SweepResult& result, const SweepChoice& choice) {
  const SweepCell& cell = result.points[choice.point].variants[choice.variant];
  const auto price = interval_of(cell, metric_index(result.design, kPrice).value());
  const auto p99 = interval_of(cell, metric_index(result.design, kSpeed).value());
  const bool is_good = price && p99 && p99->mean > 0 && !loses_operations(result, choice);
  return is_good ? std::optional(Offer{price->mean, p99->mean}) : std::nullopt;
}

/// Of choices that lose no operations, by price.
Line offers_line(const SweepResult& result, const std::vector<SweepChoice>& choices) {
  std::vector<Offer> offers;
  for (const SweepChoice& choice : choices) {
    if (const auto offer = offer_of(result, choice)) {
      offers.push_back(*offer);
    }
  }
  std::stable_sort(offers.begin(), offers.end(),
                   [](const Offer& a, const Offer& b) { return a.price < b.price; });
  Line line;
  for (const Offer& offer : offers) {
    line.x.push_back(offer.price);
    line.y.push_back(offer.p99);
  }
  return line;
}

Chart price_chart(const SweepResult& result, const SweepRanking& ranking) {
  const SweepDesign& design = result.design;
  Chart chart;
  chart.name = "pareto";
  chart.title = fmt::format("{} of {} choices are beaten by none in both price and p99",
                            ranking.frontier.size(), ranking.order.size());
  chart.explanation = "Dashed: the frontier. Choices that lose operations are left out.";
  std::vector<Line> lines;
  for (std::size_t variant = 0; variant < design.variants.size(); ++variant) {
    std::vector<SweepChoice> own;
    for (std::size_t point = 0; point < result.points.size(); ++point) {
      own.push_back({point, variant});
    }
    Line line = offers_line(result, own);
    line.name = design.variants[variant];
    line.number = static_cast<std::uint32_t>(variant);
    lines.push_back(std::move(line));
  }
  Line frontier = offers_line(result, ranking.frontier);
  frontier.name = "frontier";
  frontier.meaning = Meaning::ok;
  frontier.stepped = true;
  frontier.dashed = true;
  lines.push_back(std::move(frontier));
  double dearest = 0;
  double slowest = 0;
  double fastest = 1e300;
  for (const Line& line : lines) {
    for (std::size_t i = 0; i < line.x.size(); ++i) {
      dearest = std::max(dearest, line.x[i]);
      slowest = std::max(slowest, line.y[i]);
      fastest = std::min(fastest, line.y[i]);
    }
  }
  Panel panel;
  panel.x.title = "price of a month";
  panel.x.unit = "USD";
  panel.x.high = round_end(dearest);
  panel.y.title = "latency p99";
  panel.y.unit = "ms";
  panel.y.scale = AxisScale::logarithmic;
  panel.y.low = power_of_ten(fastest, false);
  panel.y.high = std::max(power_of_ten(slowest, true), panel.y.low * 10);
  panel.content = std::move(lines);
  chart.panels.push_back(std::move(panel));
  return chart;
}

}  // namespace

std::vector<Chart> describe_sweep_charts(const SweepResult& result) {
  std::vector<Chart> charts;
  const SweepRanking ranking = rank(result);
  if (ranking.order.empty()) {
    return charts;
  }
  if (point_count(result.design) > 1) {
    charts.push_back(target_chart(result, ranking));
  }
  if (ranking.order.size() > 1 && !ranking.frontier.empty()) {
    charts.push_back(price_chart(result, ranking));
  }
  for (Chart& chart : charts) {
    chart.subject = result.design.title;
  }
  return charts;
}

}  // namespace partsim
