#include "sheet.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "partsim/report/text.hpp"

namespace partsim {
namespace {

constexpr double kColumnWidth = 7.7;  // of a character in the small font, wide fonts included
constexpr double kTitleColumnWidth = 9.8;
constexpr double kColumnGap = 28;
constexpr double kRowGap = 16;
constexpr double kTickRow = 24;
constexpr double kTitleRow = 22;
constexpr double kHeadingRow = 24;
constexpr double kMarkRow = 15;
constexpr double kScaleWidth = 92;
constexpr double kLegendSample = 28;
constexpr double kLegendGap = 18;
constexpr double kBarRow = 30;

const std::vector<Line>* lines_of(const Panel& panel) {
  return std::get_if<std::vector<Line>>(&panel.content);
}

std::vector<std::string> first_lines(std::vector<std::string> lines, std::size_t most) {
  if (lines.size() > most) {
    lines.resize(most);
    lines.back() += " …";
  }
  return lines;
}

/// The lines of a panel that a legend has to name.
std::vector<const Line*> named_lines(const Panel& panel) {
  std::vector<const Line*> named;
  if (const std::vector<Line>* lines = lines_of(panel)) {
    for (const Line& line : *lines) {
      // a dashed line of a series belongs to the solid one of its number
      if (!line.name.empty() && !(line.dashed && line.meaning == Meaning::series)) {
        named.push_back(&line);
      }
    }
  }
  return named;
}

bool same_legend(const Panel& a, const Panel& b) {
  const std::vector<const Line*> left = named_lines(a);
  const std::vector<const Line*> right = named_lines(b);
  return std::equal(left.begin(), left.end(), right.begin(), right.end(),
                    [](const Line* x, const Line* y) {
                      return x->name == y->name && x->meaning == y->meaning &&
                             x->number == y->number && x->dashed == y->dashed;
                    });
}

double entry_width(const Line& line) {
  return kLegendSample + text_width(visible_text(line.name)) + kLegendGap;
}

double legend_width(const Panel& panel) {
  double width = 0;
  for (const Line* line : named_lines(panel)) {
    width += entry_width(*line);
  }
  return width;
}

/// Rows that the entries need when they flow like words.
double legend_rows(const Panel& panel, double width) {
  double rows = 0;
  double x = width;
  for (const Line* line : named_lines(panel)) {
    const double entry = std::min(entry_width(*line), width);
    if (x + entry > width + kLegendGap) {
      ++rows;
      x = 0;
    }
    x += entry;
  }
  return rows;
}

void flow_legend(Sheet& sheet, const Panel& panel, std::size_t index, const Rectangle& place) {
  double x = 0;
  double y = place.top + kLineHeight / 2;
  for (const Line* line : named_lines(panel)) {
    const double entry = std::min(entry_width(*line), place.width);
    if (x > 0 && x + entry > place.width + kLegendGap) {
      x = 0;
      y += kLineHeight;
    }
    sheet.legend.push_back(
        {{fitted(line->name, entry - kLegendSample), place.left + x + kLegendSample, y},
         line,
         index});
    x += entry;
  }
}

double widest(const std::vector<std::string>& texts) {
  double width = 0;
  for (const std::string& text : texts) {
    width = std::max(width, text_width(visible_text(text)));
  }
  return width;
}

double tick_width(const Panel& panel) {
  if (const auto* map = std::get_if<HeatMap>(&panel.content)) {
    return widest(map->row_labels);
  }
  double width = 0;
  for (const Axis::Tick& tick : panel.y.ticks) {
    width = std::max(width, text_width(tick.text));
  }
  return panel.y.ticks.empty() ? 40 : width;
}

bool has_bars(const Panel& panel) {
  return std::holds_alternative<std::vector<BarGroup>>(panel.content);
}

double bars_height(const Panel& panel) {
  const std::size_t groups =
      std::max<std::size_t>(std::get<std::vector<BarGroup>>(panel.content).size(), 1);
  return kBarRow *
         static_cast<double>(std::max<std::size_t>(panel.x.categories.size() * groups, 1));
}

/// What the panels of one chart have in common.
class Layout {
 public:
  explicit Layout(const Chart& chart) : chart_(chart) {
    columns_ = std::clamp<std::size_t>(chart.columns, 1, std::max<std::size_t>(count(), 1));
    rows_ = (count() + columns_ - 1) / columns_;
    shared_legend_ = count() > 0;
    for (const Panel& panel : chart.panels) {
      shared_legend_ = shared_legend_ && same_legend(panel, chart.panels.front());
      has_heading_ = has_heading_ || !panel.heading.empty();
      sheet_.has_scale = sheet_.has_scale || std::holds_alternative<HeatMap>(panel.content);
      for (const Mark& mark : panel.marks) {
        has_mark_texts_ = has_mark_texts_ || !mark.label.empty();
      }
    }
    measure_columns();
  }

  Sheet make() {
    double y = add_header();
    if (shared_legend_ && count() > 0) {
      const Rectangle place{kPageEdge, y, kPageWidth - 2 * kPageEdge, 0};
      flow_legend(sheet_, chart_.panels.front(), 0, place);
      y += legend_rows(chart_.panels.front(), place.width) * kLineHeight;
    }
    y += 6;
    const double height = plot_height();
    for (std::size_t row = 0; row < rows_; ++row) {
      y += add_row(row, y, height);
    }
    sheet_.height = std::ceil(y + 8);
    if (sheet_.has_scale) {
      const Rectangle& first = sheet_.panels.front().plot;
      sheet_.scale = {kPageWidth - kScaleWidth + 20, first.top, 14, std::max(first.height, 130.0)};
      sheet_.height = std::max(sheet_.height, sheet_.scale.top + sheet_.scale.height + 16);
    }
    return std::move(sheet_);
  }

 private:
  [[nodiscard]] std::size_t count() const { return chart_.panels.size(); }

  [[nodiscard]] bool differs(std::size_t index) const {
    if (index % columns_ == 0) {
      return true;
    }
    const Panel& left = chart_.panels[index - 1];
    const Panel& panel = chart_.panels[index];
    return left.y.title != panel.y.title || left.y.unit != panel.y.unit;
  }

  [[nodiscard]] bool own_names(std::size_t index) const {
    return index % columns_ == 0 ||
           chart_.panels[index - 1].x.categories != chart_.panels[index].x.categories;
  }

  /// The last mark of an axis may stand out by half of its text.
  [[nodiscard]] double right_edge() const {
    double edge = kPageEdge;
    for (const Panel& panel : chart_.panels) {
      if (!panel.x.ticks.empty()) {
        edge = std::max(edge, text_width(panel.x.ticks.back().text) / 2 + 6);
      }
    }
    return edge;
  }

  /// Room for names or numbers on the left of each column.
  void measure_columns() {
    insets_.assign(columns_, 0.0);
    const double most_names = columns_ > 3 ? 170 : columns_ > 1 ? 210 : 320;
    for (std::size_t i = 0; i < count(); ++i) {
      const Panel& panel = chart_.panels[i];
      double& inset = insets_[i % columns_];
      if (has_bars(panel)) {
        const double names = std::min(widest(panel.x.categories), most_names) + 8;
        inset = std::max(inset, own_names(i) ? names : 0.0);
      } else {
        inset = std::max(inset, tick_width(panel) + 10 + (differs(i) ? kTitleRow : 0));
      }
    }
    double taken = kPageEdge + right_edge() + kColumnGap * static_cast<double>(columns_ - 1) +
                   (sheet_.has_scale ? kScaleWidth - kPageEdge : 0);
    for (const double inset : insets_) {
      taken += inset;
    }
    width_ = (kPageWidth - taken) / static_cast<double>(columns_);
    legend_beside_heading_ = !shared_legend_;
    for (const Panel& panel : chart_.panels) {
      const double both = text_width(visible_text(panel.heading)) + legend_width(panel) + 24;
      legend_beside_heading_ = legend_beside_heading_ && both <= width_;
    }
  }

  double add_header() {
    constexpr double kText = kPageWidth - 2 * kPageEdge;
    double y = 20;
    sheet_.subject = {fitted(chart_.subject, kText), kPageEdge, y};
    y += 24;
    const auto title_columns = static_cast<std::size_t>(kText / kTitleColumnWidth);
    for (std::string& line : first_lines(wrap(visible_text(chart_.title), title_columns), 2)) {
      sheet_.title.push_back({std::move(line), kPageEdge, y});
      y += 23;
    }
    const auto columns = static_cast<std::size_t>(kText / kColumnWidth);
    for (std::string& line : first_lines(wrap(visible_text(chart_.explanation), columns), 2)) {
      sheet_.explanation.push_back({std::move(line), kPageEdge, y});
      y += kLineHeight;
    }
    return y - 4;
  }

  [[nodiscard]] double plot_height() const {
    double height = 0;
    for (const Panel& panel : chart_.panels) {
      double wanted = rows_ == 1 && columns_ == 1 ? 340 : rows_ <= 3 ? 170 : 140;
      if (const auto* map = std::get_if<HeatMap>(&panel.content)) {
        const double cells = 16.0 * static_cast<double>(map->row_labels.size());
        wanted = std::clamp(cells, 110.0,
                            rows_ == 1 || columns_ == 1 ? (rows_ <= 3 ? 300.0 : 200.0) : 150.0);
      } else if (has_bars(panel)) {
        wanted = bars_height(panel);
      } else if (std::holds_alternative<Bands>(panel.content)) {
        wanted = rows_ <= 2 ? 220 : 170;
      }
      height = std::max(height, wanted);
    }
    return height;
  }

  /// Panels of one row; returns its height.
  double add_row(std::size_t row, double top, double height) {
    const std::size_t first = row * columns_;
    const std::size_t end = std::min(first + columns_, count());
    double legend_height = 0;
    for (std::size_t i = first; i < end && !shared_legend_ && !legend_beside_heading_; ++i) {
      legend_height = std::max(legend_height, legend_rows(chart_.panels[i], width_) * kLineHeight);
    }
    const double heading_height = has_heading_ ? kHeadingRow : 4;
    const double plot_top =
        top + heading_height + legend_height + (has_mark_texts_ ? kMarkRow : 0) + 2;
    bool lowest = false;
    double left = kPageEdge;
    for (std::size_t i = first; i < end; ++i) {
      const Panel& panel = chart_.panels[i];
      left += insets_[i - first];
      PlacedPanel placed;
      placed.plot = {left, plot_top, width_, height};
      if (has_bars(panel)) {
        placed.plot.height = bars_height(panel);
      }
      placed.heading = {fitted(panel.heading, width_), left, top + heading_height / 2};
      placed.x_labels = i + columns_ >= count() || has_bars(panel);
      placed.y_title = differs(i);
      placed.y_labels = !has_bars(panel) || own_names(i);
      placed.label_width = insets_[i - first] - 8;
      lowest = lowest || placed.x_labels;
      if (!shared_legend_) {
        const double beside =
            legend_beside_heading_ ? width_ - legend_width(panel) + kLegendGap : 0;
        flow_legend(sheet_, panel, i,
                    {left + beside, legend_beside_heading_ ? top + 2 : top + heading_height,
                     width_ - beside, 0});
      }
      sheet_.panels.push_back(std::move(placed));
      left += width_ + kColumnGap;
    }
    const double below = !lowest                          ? kRowGap
                         : has_bars(chart_.panels[first]) ? kTickRow + kRowGap
                                                          : kTickRow + kTitleRow + 6;
    return plot_top - top + height + below;
  }

  const Chart& chart_;
  Sheet sheet_;
  std::size_t columns_ = 1;
  std::size_t rows_ = 1;
  double width_ = 0;  // of each plot
  std::vector<double> insets_;
  bool shared_legend_ = false;
  bool legend_beside_heading_ = false;
  bool has_heading_ = false;
  bool has_mark_texts_ = false;
};

}  // namespace

double text_width(const std::string& text) {
  return kColumnWidth * static_cast<double>(display_width(text));
}

std::string fitted(const std::string& text, double width) {
  const auto columns =
      static_cast<std::size_t>(std::max(width, 3 * kColumnWidth) / kColumnWidth + 0.01);
  return shorten(visible_text(text), columns);
}

Sheet lay_out(const Chart& chart) {
  return Layout(chart).make();
}

}  // namespace partsim
