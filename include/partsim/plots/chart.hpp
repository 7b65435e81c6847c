/// A chart as a plain value: what it shows and what that means, nothing of how it is drawn. Charts
/// are described from results; backends (gnuplot, Matplot++, the report page) draw any description.
/// Text of users stands in it as it is; a backend makes it safe in its own language.
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

namespace partsim {

/// What a colour stands for, the same in every chart. `series` is told apart by its number only.
enum class Meaning : std::uint8_t { series, ok, throttled, retried, failed, limit };

enum class AxisScale : std::uint8_t { linear, logarithmic };

struct Axis {
  std::string title;  // "time", "of its share"
  std::string unit;   // "s", "%", "RU/s", "ms"; may be empty
  AxisScale scale = AxisScale::linear;
  double low = 0;  // both ends are always given: small multiples have equal axes
  double high = 1;
  std::vector<std::string> categories;  // bars stand on these, at 0, 1, 2, ...; else empty
  /// Marked places and their texts; empty: round numbers. A percentile axis is logarithmic in
  /// 1 / (1 - p) and has "50 %", "99 %", "99.9 %" here.
  struct Tick {
    double at = 0;
    std::string text;
  };
  std::vector<Tick> ticks;
};

/// Values along x; NaN leaves a gap.
struct Line {
  std::string name;
  Meaning meaning = Meaning::series;
  std::uint32_t number =
      0;  // tells lines of Meaning::series apart; the same thing has it everywhere
  std::vector<double> x;
  std::vector<double> y;
  bool stepped = false;  // holds each value until the next x
  bool dashed = false;   // beside the solid line of its number: what that may reach, say
};

/// One value for each category of the x axis; several groups stand beside each other. A backend may
/// lay the bars on their side, the first category on top, and share names between panels.
struct BarGroup {
  std::string name;
  Meaning meaning = Meaning::series;
  std::vector<double> values;
  std::vector<std::string> texts;     // stand at the bars
  std::vector<std::uint32_t> colors;  // numbers of series, one a bar; empty: by `meaning`
};

/// Rows along y, columns along x. Values are fractions of a limit, on one scale from 0 to 1 for all
/// panels. The colours break where the limit is: at 1 and more, and wherever something was refused.
/// NaN: nothing there.
struct HeatMap {
  std::vector<double> x_edges;          // columns + 1
  std::vector<std::string> row_labels;  // from the bottom
  std::vector<double> values;           // row by row
  std::vector<bool> refused;            // likewise: something was refused there
};

/// Rectangles, such as the part of the key space that a partition owns for some time.
struct Band {
  double x_low = 0;
  double x_high = 0;
  double y_low = 0;
  double y_high = 0;
  std::uint32_t color = 0;
  std::string label;
};
struct Bands {
  std::vector<Band> bands;
};

struct LimitLine {
  double y = 0;
  std::string label;  // may be empty
};
/// A shaded stretch of time, such as the warm-up or a split under way.
struct Phase {
  double from = 0;
  double to = 0;
  std::string label;
};
/// A thin vertical line: a split, a change of throughput.
struct Mark {
  double x = 0;
  std::string label;
};

struct Panel {
  std::string heading;  // the variant, and what befell it
  std::string variant;  // empty: of several
  Axis x;
  Axis y;
  std::variant<std::vector<Line>, std::vector<BarGroup>, HeatMap, Bands> content;
  std::vector<LimitLine> limits;
  std::vector<Phase> phases;
  std::vector<Mark> marks;
};

struct Chart {
  std::string name;         // of its file: "utilization"
  std::string subject;      // the scenario's title
  std::string title;        // the finding, as a sentence
  std::string explanation;  // how to read it, one line
  std::vector<Panel> panels;
  std::uint32_t columns = 1;  // panels side by side where there is room: they belong together
};

}  // namespace partsim
