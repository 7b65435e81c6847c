// The pieces that the sections of the report page are made of.
#include <algorithm>
#include <cstddef>
#include <string_view>

#include <fmt/format.h>

#include "base64.hpp"
#include "page_sections.hpp"

namespace partsim {
namespace {

std::string_view class_of(const ReportCell& cell, const ReportColumn& column) {
  switch (cell.severity) {
    case Severity::bad:
      return column.number ? "number bad" : "bad";
    case Severity::warning:
      return column.number ? "number warning" : "warning";
    case Severity::good:
      break;
  }
  return column.number ? "number" : "";
}

void add_head(Html& html, const ReportTable& table) {
  html.open("thead");
  html.open("tr");
  for (const ReportColumn& column : table.columns) {
    html.open("th", {{"scope", "col"}, {"class", column.number ? "number" : "text"}});
    if (column.hint.empty()) {
      html.add_text(column.header);
    } else {
      html.add("abbr", column.header, {{"title", column.hint}});
    }
    html.close();
  }
  html.close();
  html.close();
  html.end_line();
}

/// A bar as wide as the value: attributes of SVG are no styles, which the policy forbids.
void add_bar(Html& html, double share) {
  html.open("svg", {{"class", "bar"},
                    {"viewBox", "0 0 100 10"},
                    {"preserveAspectRatio", "none"},
                    {"aria-hidden", "true"}});
  html.add_void("rect", {{"width", fmt::format("{:.1f}", std::clamp(share, 0.0, 1.0) * 100)},
                         {"height", "10"}});
  html.close();
}

void add_cell(Html& html, const ReportCell& cell, const ReportColumn& column, bool names_row) {
  const std::string kind(class_of(cell, column));
  const std::string_view name = names_row ? "th" : "td";
  const std::string sort = cell.number ? fmt::format("{:.9g}", *cell.number) : "";
  if (names_row) {
    html.open(name, {{"scope", "row"}, {"class", kind}, {"data-sort", sort}});
  } else {
    html.open(name, {{"class", kind}, {"data-sort", sort}});
  }
  if (cell.bar) {
    add_bar(html, *cell.bar);
  }
  html.add_text(cell.text);
  html.close();
}

const StaticChart* static_chart(const ReportContext& context, std::string_view name) {
  const auto found = std::find_if(context.static_charts.begin(), context.static_charts.end(),
                                  [name](const StaticChart& each) { return each.name == name; });
  return found == context.static_charts.end() ? nullptr : &*found;
}

}  // namespace

void PageWriter::open_section(const std::string& id, const std::string& title) {
  html.open("section", {{"id", id}, {"aria-labelledby", id + "-title"}});
  html.end_line();
  html.add("h2", title, {{"id", id + "-title"}});
  html.end_line();
}

void PageWriter::close_section() {
  html.close();
  html.end_line();
}

void PageWriter::add_table(const std::string& name, const ReportTable& table,
                           const std::string& variant) {
  if (table.rows.empty()) {
    return;
  }
  if (variant.empty()) {
    html.open("div", {{"class", "scroll"}, {"tabindex", "0"}});
  } else {
    html.open("div", {{"class", "scroll"}, {"tabindex", "0"}, {"data-variant", variant}});
  }
  html.open("table", {{"data-name", variant.empty() ? name : name + "-" + variant}});
  html.add("caption", table.caption);
  html.end_line();
  add_head(html, table);
  html.open("tbody");
  html.end_line();
  for (const std::vector<ReportCell>& row : table.rows) {
    html.open("tr");
    for (std::size_t i = 0; i < row.size(); ++i) {
      add_cell(html, row[i], table.columns[i], i == 0);
    }
    html.close();
    html.end_line();
  }
  html.close();
  html.close();
  if (!table.rest.empty()) {
    html.add("p", table.rest, {{"class", "rest"}});
  }
  html.close();
  html.end_line();
}

bool PageWriter::has_chart(std::initializer_list<std::string_view> names) const {
  return std::any_of(charts.begin(), charts.end(), [names](const Chart& chart) {
    return std::find(names.begin(), names.end(), chart.name) != names.end();
  });
}

void PageWriter::add_charts(std::initializer_list<std::string_view> names) {
  for (const std::string_view name : names) {
    for (std::size_t i = 0; i < charts.size(); ++i) {
      if (charts[i].name == name) {
        add_chart(i);
      }
    }
  }
}

void PageWriter::add_chart(std::size_t index) {
  placed[index] = true;
  const Chart& chart = charts[index];
  const StaticChart* drawn = static_chart(context, chart.name);
  if (!assets.interactive() && drawn == nullptr) {
    return;  // neither a script to draw it nor a drawing
  }
  html.open("figure", {{"id", "chart-" + chart.name}, {"data-chart", fmt::format("{}", index)}});
  // a drawing has its title and explanation in it; those who listen need them all the same
  html.open("figcaption", {{"class", assets.interactive() ? "shown" : "spoken"}});
  html.add("h3", chart.title);
  html.add("p", chart.explanation);
  html.close();
  if (assets.interactive()) {
    html.open("noscript");
    html.add("p", "This chart needs scripts; the folder charts/ has it as a picture.");
    html.close();
  } else {
    // an image cannot run anything, whatever its text says
    html.add_void("img", {{"src", "data:image/svg+xml;base64," + base64(drawn->svg)},
                          {"alt", chart.title + ". " + chart.explanation}});
  }
  html.close();
  html.end_line();
}

}  // namespace partsim
