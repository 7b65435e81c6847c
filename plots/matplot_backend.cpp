#include "matplot_backend.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <memory>
#include <string_view>
#include <variant>

#include <fmt/format.h>
#include <matplot/matplot.h>

#include "partsim/plots/theme.hpp"
#include "partsim/report/text.hpp"

#include "sheet.hpp"

namespace partsim {
namespace {

/// Keeps the commands. Matplot++'s own backend pipes them to a gnuplot it starts through a shell,
/// dies of SIGPIPE if there is none, and returns before a picture exists; so partsim runs them as
/// it runs its own.
class KeptCommands final : public matplot::backend::backend_interface {
 public:
  void draw_to(std::string file, std::string terminal) {
    output_ = std::move(file);
    terminal_ = std::move(terminal);
  }
  [[nodiscard]] const std::string& script() const { return script_; }

  bool consumes_gnuplot_commands() override { return true; }
  bool is_interactive() override { return false; }
  bool new_frame() override { return true; }
  bool render_data() override { return true; }
  bool supports_fonts() override { return true; }
  const std::string& output() override { return output_; }
  const std::string& output_format() override { return terminal_; }
  unsigned int width() override { return static_cast<unsigned>(kPageWidth); }
  unsigned int height() override { return height_; }
  void width(unsigned int /*width*/) override {}
  void height(unsigned int height) override { height_ = height; }
  void include_comment(const std::string& /*text*/) override {}
  void run_command(const std::string& text) override { script_ += text + '\n'; }

 private:
  std::string output_;
  std::string terminal_ = "svg";
  std::string script_;
  unsigned int height_ = 1;
};

/// Matplot++ writes its texts into a gnuplot script between double quotes, where gnuplot runs what
/// stands in backticks. So only characters that mean nothing there get through.
std::string harmless(std::string_view text) {
  std::string label;
  for (const char c : text) {
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    const bool other =
        (c >= '0' && c <= '9') || std::string_view(" .,:;()+-/").find(c) != std::string_view::npos;
    if (c == '%') {
      label += "percent";  // % alone would be a format at an axis
    } else {
      label += letter || other ? c : ' ';
    }
  }
  return label;
}

/// Alpha first, where 0 is opaque.
matplot::color_array parts_of(Color color) {
  constexpr float kFull = 255;
  return {0, static_cast<float>((color >> 16U) & 0xFFU) / kFull,
          static_cast<float>((color >> 8U) & 0xFFU) / kFull,
          static_cast<float>(color & 0xFFU) / kFull};
}

struct Box {
  double left;
  double right;
  double low;
  double high;
};

void fill_box(matplot::axes_handle& axes, const Box& box, Color color) {
  axes->fill({box.left, box.right, box.right, box.left, box.left},
             {box.low, box.low, box.high, box.high, box.low})
      ->color(parts_of(color))
      .line_width(0.1F);
}

void draw_text(matplot::axes_handle& axes, double x, double y, std::string_view text) {
  const std::string shown = harmless(text);
  if (shown.find_first_not_of(' ') != std::string::npos) {
    axes->text(x, y, shown);
  }
}

/// A stepped line as the corners of its steps; a gap ends one piece and begins the next.
void draw_line(matplot::axes_handle& axes, const Line& line) {
  std::vector<double> x;
  std::vector<double> y;
  const auto finish = [&] {
    if (x.size() > 1) {
      axes->plot(x, y)
          ->color(parts_of(color_of(line.meaning, line.number)))
          .line_width(line.dashed ? 1.0F : 2.0F)
          .line_style(line.dashed ? "--" : "-");
    }
    x.clear();
    y.clear();
  };
  for (std::size_t i = 0; i < std::min(line.x.size(), line.y.size()); ++i) {
    const bool there = !std::isnan(line.y[i]);
    if (line.stepped && !y.empty()) {
      x.push_back(line.x[i]);
      y.push_back(y.back());
    }
    if (there) {
      x.push_back(line.x[i]);
      y.push_back(line.y[i]);
    } else {
      finish();
    }
  }
  finish();
}

void draw_heat_map(matplot::axes_handle& axes, const HeatMap& map) {
  const std::size_t rows = map.row_labels.size();
  const std::size_t columns = map.x_edges.empty() ? 0 : map.x_edges.size() - 1;
  for (std::size_t r = 0; r < rows; ++r) {
    std::size_t begin = 0;
    while (begin < columns) {  // neighbours of one colour are one box
      const auto color_at = [&](std::size_t column) {
        const std::size_t cell = r * columns + column;
        return std::isnan(map.values[cell]) ? kPaper
                                            : heat_color(map.values[cell], map.refused[cell]);
      };
      std::size_t end = begin + 1;
      while (end < columns && color_at(end) == color_at(begin)) {
        ++end;
      }
      if (color_at(begin) != kPaper) {
        const auto low = static_cast<double>(r);
        fill_box(axes, {map.x_edges[begin], map.x_edges[end], low, low + 1}, color_at(begin));
      }
      begin = end;
    }
  }
}

void draw_bars(matplot::axes_handle& axes, const Panel& panel) {
  const auto& groups = std::get<std::vector<BarGroup>>(panel.content);
  const double last = static_cast<double>(panel.x.categories.size()) - 1;
  for (std::size_t g = 0; g < groups.size(); ++g) {
    const double width = 0.64 / static_cast<double>(groups.size());
    for (std::size_t c = 0; c < groups[g].values.size(); ++c) {
      const Color color = c < groups[g].colors.size()
                              ? color_of(Meaning::series, groups[g].colors[c])
                              : color_of(groups[g].meaning, 0);
      const double high = last - static_cast<double>(c) + 0.32 - static_cast<double>(g) * width;
      fill_box(axes, {0, groups[g].values[c], high - width, high}, color);
      if (c < groups[g].texts.size()) {
        draw_text(axes, groups[g].values[c] + panel.y.high * 0.04, high - width / 2,
                  groups[g].texts[c]);
      }
    }
  }
}

void set_axis(matplot::axis_type& axis, const Axis& described, bool texts = true) {
  axis.limits({described.low, described.high});
  if (described.scale == AxisScale::logarithmic) {
    axis.scale(matplot::axis_type::axis_scale::log);
  }
  std::vector<double> places;
  std::vector<std::string> marks;
  for (const Axis::Tick& tick : described.ticks) {
    places.push_back(tick.at);
    marks.push_back(texts ? harmless(tick.text) : "");
  }
  axis.tick_values(places);
  axis.ticklabels(marks);
  const std::string_view comma = described.title.empty() || described.unit.empty() ? "" : ", ";
  axis.label(texts ? harmless(fmt::format("{}{}{}", described.title, comma, described.unit)) : "");
}

/// The names of rows or of bars, upwards, as marks of the y axis.
Axis name_axis(const std::vector<std::string>& names, double first, double low, std::string title) {
  constexpr std::size_t kMost = 12;
  Axis axis;
  axis.title = std::move(title);
  axis.low = low;
  axis.high = low + static_cast<double>(std::max<std::size_t>(names.size(), 1));
  const std::size_t step = (names.size() + kMost - 1) / kMost;
  for (std::size_t i = 0; i < names.size(); i += std::max<std::size_t>(step, 1)) {
    axis.ticks.push_back({static_cast<double>(i) + first, names[i]});
  }
  return axis;
}

void draw_over_time(matplot::axes_handle& axes, const Panel& panel) {
  for (const Mark& mark : panel.marks) {
    axes->plot({mark.x, mark.x}, {panel.y.low, panel.y.high})
        ->color(parts_of(kInk))
        .line_style("--");
  }
  for (const LimitLine& limit : panel.limits) {
    axes->plot({panel.x.low, panel.x.high}, {limit.y, limit.y})
        ->color(parts_of(color_of(Meaning::limit, 0)))
        .line_style("--");
  }
}

void draw_panel(matplot::figure_handle& figure, const Panel& panel, const PlacedPanel& placed,
                double page_height) {
  const Rectangle& plot = placed.plot;
  matplot::axes_handle axes = figure->add_axes(
      {static_cast<float>(plot.left / kPageWidth),
       static_cast<float>(1 - (plot.top + plot.height) / page_height),
       static_cast<float>(plot.width / kPageWidth), static_cast<float>(plot.height / page_height)});
  axes->hold(true);
  if (const auto* lines = std::get_if<std::vector<Line>>(&panel.content)) {
    for (const Phase& phase : panel.phases) {
      fill_box(axes, {phase.from, phase.to, panel.y.low, panel.y.high}, kPhaseColor);
    }
    std::for_each(lines->begin(), lines->end(), [&](const Line& line) { draw_line(axes, line); });
  } else if (const auto* map = std::get_if<HeatMap>(&panel.content)) {
    draw_heat_map(axes, *map);
  } else if (const auto* bands = std::get_if<Bands>(&panel.content)) {
    for (const Band& band : bands->bands) {
      fill_box(axes, {band.x_low, band.x_high, band.y_low, band.y_high},
               pale(color_of(Meaning::series, band.color)));
    }
    for (const Band& band : bands->bands) {
      draw_text(axes, (band.x_low + band.x_high) / 2, (band.y_low + band.y_high) / 2, band.label);
    }
  } else {
    draw_bars(axes, panel);
    Axis values = panel.y;
    values.title.clear();
    values.ticks.clear();  // the number stands behind each bar
    values.high *= placed.plot.width < 300 ? 2.0 : 1.4;
    set_axis(axes->x_axis(), values);
    std::vector<std::string> names(panel.x.categories.rbegin(), panel.x.categories.rend());
    set_axis(
        axes->y_axis(),
        name_axis(placed.y_labels ? names : std::vector<std::string>(names.size()), 0, -0.5, ""));
    return;
  }
  draw_over_time(axes, panel);
  set_axis(axes->x_axis(), panel.x, placed.x_labels);
  const auto* map = std::get_if<HeatMap>(&panel.content);
  set_axis(axes->y_axis(),
           map != nullptr ? name_axis(map->row_labels, 0.5, 0, panel.y.title) : panel.y);
  axes->box(false);
}

/// Titles and legends in an axes of their own, as large as the page and measured in pixels.
void draw_texts(matplot::figure_handle& figure, const Sheet& sheet) {
  constexpr double kSample = 20;
  constexpr double kGap = 6;
  matplot::axes_handle axes = figure->add_axes({0.F, 0.F, 1.F, 1.F});
  axes->hold(true);
  axes->visible(false);
  const auto put = [&](const PlacedText& text) {
    draw_text(axes, text.x, sheet.height - text.y, text.text);
  };
  put(sheet.subject);
  std::for_each(sheet.title.begin(), sheet.title.end(), put);
  std::for_each(sheet.explanation.begin(), sheet.explanation.end(), put);
  for (const PlacedPanel& panel : sheet.panels) {
    put(panel.heading);
  }
  for (const LegendEntry& entry : sheet.legend) {
    const double y = sheet.height - entry.name.y;
    Line sample = *entry.line;
    sample.x = {entry.name.x - kGap - kSample, entry.name.x - kGap};
    sample.y = {y, y};
    draw_line(axes, sample);
    put(entry.name);
  }
  axes->xlim({0, kPageWidth});
  axes->ylim({0, sheet.height});
}

}  // namespace

bool has_matplot() noexcept {
  return true;
}

std::string matplot_script(const std::vector<Chart>& charts) {
  const auto commands = std::make_shared<KeptCommands>();
  matplot::figure_handle figure = matplot::figure_no_backend(true);  // one for all charts
  figure->backend(commands);
  for (const Chart& chart : charts) {
    const Sheet sheet = lay_out(chart);
    figure->children({});
    figure->size(static_cast<unsigned>(kPageWidth), static_cast<unsigned>(sheet.height));
    for (std::size_t i = 0; i < chart.panels.size(); ++i) {
      draw_panel(figure, chart.panels[i], sheet.panels[i], sheet.height);
    }
    draw_texts(figure, sheet);
    for (const auto& [ending, terminal] : {std::pair("svg", "svg"), std::pair("png", "pngcairo")}) {
      commands->run_command("reset");
      commands->draw_to(fmt::format("{}.{}", chart.name, ending), terminal);
      figure->draw();
      commands->run_command("set output");
    }
  }
  return commands->script();
}

}  // namespace partsim
