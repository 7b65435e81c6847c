#include "gnuplot_script.hpp"

#include <algorithm>

#include "partsim/plots/theme.hpp"
#include "partsim/report/text.hpp"

#include "gnuplot_panel.hpp"
#include "sheet.hpp"

namespace partsim {
namespace {

void add_label(Script& script, const std::string& text, const PlacedText& at, const Page& page,
               std::string_view style) {
  script.add("set label {} at screen {:.5f},{:.5f} left {}", text, page.x(at.x), page.y(at.y),
             style);
}

std::string soft() {
  return fmt::format("textcolor '{}'", hex_text(kSoftInk));
}

void add_header(Script& script, Texts& texts, const Sheet& sheet, const Page& page) {
  add_label(script, texts.add(sheet.subject.text), sheet.subject, page, "font small " + soft());
  for (const PlacedText& line : sheet.title) {
    add_label(script, texts.add(line.text), line, page, "font large");
  }
  for (const PlacedText& line : sheet.explanation) {
    add_label(script, texts.add(line.text), line, page, soft());
  }
}

void add_legend(Script& script, Texts& texts, const Sheet& sheet, const Page& page) {
  constexpr double kSample = 20;
  constexpr double kGap = 6;
  for (const LegendEntry& entry : sheet.legend) {
    const Line& line = *entry.line;
    script.add(
        "set arrow from screen {:.5f},{:.5f} to screen {:.5f},{:.5f} nohead front linecolor rgb "
        "'{}' linewidth {} dashtype {}",
        page.x(entry.name.x - kGap - kSample), page.y(entry.name.y), page.x(entry.name.x - kGap),
        page.y(entry.name.y), hex_text(color_of(line.meaning, line.number)),
        line.meaning == Meaning::limit ? 1.2 : 2.5,
        line.dashed ? 2 : dash_of(line.meaning, line.number) + 10);
    add_label(script, texts.add(entry.name.text), entry.name, page, soft());
  }
}

/// The colours of heat maps, from nothing to the limit, and what breaks it.
void add_scale(Script& script, const Sheet& sheet, const Page& page) {
  constexpr int kSteps = 50;
  constexpr double kBreak = 12;  // pixels of the part that stands for refusals
  constexpr double kSpace = 3;
  const Rectangle& place = sheet.scale;
  const double top = place.top + kBreak + kSpace;
  const double height = place.height - kBreak - kSpace;
  const auto add_box = [&](double from, double to, Color color) {
    script.add(
        "set object rectangle from screen {:.5f},{:.5f} to screen {:.5f},{:.5f} front fillstyle "
        "solid 1 noborder fillcolor rgb '{}'",
        page.x(place.left), page.y(from), page.x(place.left + place.width), page.y(to),
        hex_text(color));
  };
  const auto add_text = [&](double at, std::string_view text) {
    script.add("set label '{}' at screen {:.5f},{:.5f} left {}", text,
               page.x(place.left + place.width + 6), page.y(at), soft());
  };
  add_box(place.top + kBreak, place.top, heat_color(1, true));
  add_text(place.top + kBreak / 2, "limit");
  for (int i = 0; i < kSteps; ++i) {
    const double step = height / kSteps;
    const double from = top + height - i * step;
    add_box(from, std::max(from - step - 0.5, top), heat_color((i + 0.5) / kSteps, false));
  }
  for (const int percent : {25, 50, 75}) {
    add_text(top + height * (1 - percent / 100.0), fmt::format("{} %", percent));
  }
  add_text(top + height - 5, "0 %");
}

void add_chart(Script& commands, Script& data, Texts& texts, const Chart& chart,
               std::size_t number) {
  const Sheet sheet = lay_out(chart);
  const Page page{sheet.height};
  commands.add("set multiplot");
  for (std::size_t i = 0; i < chart.panels.size(); ++i) {
    commands.add("unset label; unset arrow; unset object");
    if (i == 0) {
      add_header(commands, texts, sheet, page);
      add_legend(commands, texts, sheet, page);
      if (sheet.has_scale) {
        add_scale(commands, sheet, page);
      }
    }
    PanelOutput out{commands, data, texts, fmt::format("$c{}p{}", number, i)};
    add_panel(out, chart.panels[i], sheet.panels[i], page);
  }
  commands.add("unset multiplot");
}

void add_preamble(Script& script, std::size_t texts) {
  script.add("set encoding utf8");
  script.add(R"(set datafile separator "\t")");
  script.add("set datafile commentschars ''");
  script.add("array T[{}]", std::max<std::size_t>(texts, 1));
  script.add("set table $ignored");
  script.add("plot '{}' using (T[int($0)+1]=strcol(1), 0) with table", kTextsFile);
  script.add("unset table");
  script.add("set datafile separator whitespace");
}

/// Everything a chart starts from; sizes of fonts are pixels in one format and points in the other.
void begin_chart(Script& script, const Chart& chart, double height, bool svg) {
  script.add("reset");
  if (svg) {
    script.add(
        "set terminal svg size {:.0f},{:.0f} noenhanced font 'Arial,13' background '#FFFFFF' "
        "standalone",
        kPageWidth, height);
  } else {
    script.add(
        "set terminal pngcairo size {:.0f},{:.0f} noenhanced font 'Sans,9.6' background '#FFFFFF'",
        kPageWidth, height);
  }
  script.add("small = ',{}'; middle = ',{}'; large = ',{}'", svg ? "12" : "9", svg ? "14" : "10.5",
             svg ? "17" : "12.5");
  script.add("set output '{}.{}'", chart.name, svg ? "svg" : "png");
  script.add("set border 3 linecolor '{}' linewidth 1", hex_text(kSoftInk));
  script.add("set tics nomirror out scale 0.5 textcolor '{}'", hex_text(kSoftInk));
  script.add("set style line 9 linecolor '{}' linewidth 1", hex_text(kGridColor));
  script.add("set style fill solid 1 noborder");
  script.add("set dashtype 10 solid; set dashtype 11 (4,2); set dashtype 12 (1,2)");
  script.add("unset key");
}

}  // namespace

std::string data_text(std::string_view text) {
  std::string field = "\"";
  for (const char c : visible_text(text)) {
    if (c == '"') {
      field += "”";  // the reader has no way to write a quote inside quotes
    } else if (c == '\\') {
      field += "\\\\";  // the reader turns \n and \101 into characters
    } else {
      field += c;
    }
  }
  return field + '"';
}

std::string Texts::add(std::string_view text) {
  const auto [place, is_new] = places_.try_emplace(std::string(text), rows_.size() + 1);
  if (is_new) {
    rows_.push_back(data_text(text));
  }
  return fmt::format("T[{}]", place->second);
}

std::string Texts::add_tick(std::string_view text) {
  std::string doubled;
  for (const char c : text) {
    doubled += c == '%' ? "%%" : std::string(1, c);
  }
  return add(doubled);
}

std::string Texts::content() const {
  std::string content;
  for (const std::string& row : rows_) {
    content += row + '\n';
  }
  return content;
}

GnuplotInput gnuplot_input(const std::vector<Chart>& charts) {
  Texts texts;
  Script data;
  std::vector<std::string> bodies;
  std::vector<double> heights;
  for (std::size_t i = 0; i < charts.size(); ++i) {
    Script commands;
    add_chart(commands, data, texts, charts[i], i);
    bodies.push_back(commands.text());
    heights.push_back(lay_out(charts[i]).height);
  }
  Script script;
  add_preamble(script, texts.size());
  script.append(data.text());
  for (const bool svg : {true, false}) {
    for (std::size_t i = 0; i < charts.size(); ++i) {
      begin_chart(script, charts[i], heights[i], svg);
      script.append(bodies[i]);
      script.add("set output");
    }
  }
  return {script.text(), texts.content()};
}

}  // namespace partsim
