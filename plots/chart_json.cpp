#include "chart_json.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include <fmt/format.h>

#include "partsim/plots/theme.hpp"
#include "partsim/report/text.hpp"

namespace partsim {
namespace {

constexpr std::array<std::string_view, 6> kMeanings{"series",  "ok",     "throttled",
                                                    "retried", "failed", "limit"};

/// Of a user: visible, in quotes, without a character that HTML or JSON would act on.
std::string quoted(std::string_view text) {
  std::string out = "\"";
  for (const char c : visible_text(text)) {
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (c == '<' || c == '>' || c == '&') {
      out += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
    } else {
      out += c;
    }
  }
  return out + '"';
}

std::string place(double value) {
  return std::isfinite(value) ? fmt::format("{:.5g}", value) : "null";
}

std::string cell(double value) {
  return std::isfinite(value) ? fmt::format("{:.3g}", value) : "null";
}

std::string integer(std::uint32_t value) {
  return fmt::format("{}", value);
}

std::string meaning(Meaning value) {
  return quoted(kMeanings.at(static_cast<std::size_t>(value)));
}

template <class Items, class Convert>
std::string list(const Items& items, Convert convert) {
  std::string out = "[";
  for (const auto& item : items) {
    out += (out.size() == 1 ? "" : ",") + convert(item);
  }
  return out + "]";
}

std::string axis_json(const Axis& axis) {
  const auto tick = [](const Axis::Tick& each) {
    return fmt::format(R"({{"at":{},"text":{}}})", place(each.at), quoted(each.text));
  };
  return fmt::format(
      R"({{"title":{},"unit":{},"logarithmic":{},"low":{},"high":{},"categories":{},"ticks":{}}})",
      quoted(axis.title), quoted(axis.unit), axis.scale == AxisScale::logarithmic, place(axis.low),
      place(axis.high), list(axis.categories, quoted), list(axis.ticks, tick));
}

/// Lines often stand over the same places, so these are written once and numbered.
std::string content_json(const std::vector<Line>& lines) {
  std::vector<const std::vector<double>*> places;
  std::string text;
  for (const Line& line : lines) {
    const auto same = [&line](const std::vector<double>* xs) { return *xs == line.x; };
    const auto found = std::find_if(places.begin(), places.end(), same);
    const auto index = found - places.begin();
    if (found == places.end()) {
      places.push_back(&line.x);
    }
    text += fmt::format(
        R"({}{{"name":{},"meaning":{},"number":{},"x":{},"y":{},"stepped":{},"dash":{}}})",
        text.empty() ? "" : ",", quoted(line.name), meaning(line.meaning), line.number, index,
        list(line.y, place), line.stepped, line.dashed ? 1 : dash_of(line.meaning, line.number));
  }
  const auto xs = [](const std::vector<double>* each) { return list(*each, place); };
  return fmt::format(R"("xs":{},"lines":[{}])", list(places, xs), text);
}

std::string content_json(const std::vector<BarGroup>& groups) {
  const auto group_json = [](const BarGroup& group) {
    return fmt::format(R"({{"name":{},"meaning":{},"values":{},"texts":{},"colors":{}}})",
                       quoted(group.name), meaning(group.meaning), list(group.values, place),
                       list(group.texts, quoted), list(group.colors, integer));
  };
  return "\"bars\":" + list(groups, group_json);
}

std::string content_json(const HeatMap& map) {
  std::string refused;
  for (const bool each : map.refused) {
    refused += each ? '1' : '0';
  }
  return fmt::format(R"("heat":{{"edges":{},"labels":{},"values":{},"refused":"{}"}})",
                     list(map.x_edges, place), list(map.row_labels, quoted), list(map.values, cell),
                     refused);
}

std::string content_json(const Bands& bands) {
  const auto band_json = [](const Band& band) {
    return fmt::format(R"({{"x":[{},{}],"y":[{},{}],"color":{},"label":{}}})", place(band.x_low),
                       place(band.x_high), place(band.y_low), place(band.y_high), band.color,
                       quoted(band.label));
  };
  return "\"bands\":" + list(bands.bands, band_json);
}

std::string panel_json(const Panel& panel) {
  const auto limit = [](const LimitLine& each) {
    return fmt::format(R"({{"y":{},"label":{}}})", place(each.y), quoted(each.label));
  };
  const auto phase = [](const Phase& each) {
    return fmt::format(R"({{"from":{},"to":{},"label":{}}})", place(each.from), place(each.to),
                       quoted(each.label));
  };
  const auto mark = [](const Mark& each) {
    return fmt::format(R"({{"x":{},"label":{}}})", place(each.x), quoted(each.label));
  };
  return fmt::format(
      R"({{"heading":{},"variant":{},"x":{},"y":{},{},"limits":{},"phases":{},"marks":{}}})",
      quoted(panel.heading), quoted(panel.variant), axis_json(panel.x), axis_json(panel.y),
      std::visit([](const auto& content) { return content_json(content); }, panel.content),
      list(panel.limits, limit), list(panel.phases, phase), list(panel.marks, mark));
}

std::string chart_json(const Chart& chart) {
  return fmt::format(R"({{"name":{},"title":{},"explanation":{},"columns":{},"panels":{}}})",
                     quoted(chart.name), quoted(chart.title), quoted(chart.explanation),
                     chart.columns, list(chart.panels, panel_json));
}

std::string color_text(Color color) {
  return quoted(hex_text(color));
}

/// Colours of every meaning, so that the page has those of the other charts.
std::string colors_json() {
  constexpr int kHeatSteps = 20;
  std::vector<Color> series;
  series.reserve(kSeriesColors);
  for (std::uint32_t i = 0; i < kSeriesColors; ++i) {
    series.push_back(color_of(Meaning::series, i));
  }
  std::string text = "\"series\":" + list(series, color_text);
  for (std::size_t i = 1; i < kMeanings.size(); ++i) {
    text += fmt::format(R"(,"{}":{})", kMeanings.at(i),
                        color_text(color_of(static_cast<Meaning>(i), 0)));
  }
  std::vector<Color> heat;
  heat.reserve(kHeatSteps);
  for (int i = 0; i < kHeatSteps; ++i) {
    heat.push_back(heat_color(static_cast<double>(i) / (kHeatSteps - 1) * 0.999, false));
  }
  return text + ",\"heat\":" + list(heat, color_text);
}

}  // namespace

std::string page_data_json(const StudyResult& study, const std::vector<Chart>& charts) {
  const auto variant = [](const VariantResult& each) { return quoted(each.variant); };
  return fmt::format(R"({{"name":{},"variants":{},"colors":{{{}}},"charts":{}}})",
                     quoted(study.name), list(study.runs, variant), colors_json(),
                     list(charts, chart_json));
}

}  // namespace partsim
