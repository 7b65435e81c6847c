/// Tables that never exceed a width: text columns shrink first, then the least needed columns go.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "partsim/report/report.hpp"

namespace partsim {

enum class Tone : std::uint8_t { plain, strong, dim, good, warning, bad };

/// Wraps text in ANSI colours if the style has them; widths are measured before painting.
[[nodiscard]] std::string paint(std::string_view text, Tone tone, const TextStyle& style);

/// A line of its own after an empty one; the note goes first if the width is too small for both.
[[nodiscard]] std::string heading(std::string_view text, std::string_view note,
                                  const TextStyle& style);

/// Numbers stand to the right, text and bars to the left; only text may be cut short.
enum class ColumnKind : std::uint8_t { number, text, bar };

struct Column {
  std::string header;
  ColumnKind kind = ColumnKind::number;
  unsigned drop_order = 0;  // 1 goes first; 0 stays
};

struct Cell {
  std::string text;  // visible text
  Tone tone = Tone::plain;
};

class Table {
 public:
  explicit Table(std::vector<Column> columns) : columns_(std::move(columns)) {}

  /// What the numbers of each column are in, as the second line of the header.
  void add_units(const std::vector<std::string>& units);
  void add_row(std::vector<Cell> cells) { rows_.push_back(std::move(cells)); }

  /// Lines with a two-column indent, each ending in \n.
  [[nodiscard]] std::string render(const TextStyle& style) const;

 private:
  [[nodiscard]] std::vector<std::size_t> natural_widths() const;
  [[nodiscard]] std::vector<std::size_t> fitted_widths(std::size_t available) const;

  std::vector<Column> columns_;
  std::vector<std::vector<Cell>> rows_;
};

}  // namespace partsim
