#include "table.hpp"

#include <algorithm>
#include <utility>

#include "partsim/core/assert.hpp"
#include "partsim/report/text.hpp"

namespace partsim {
namespace {

constexpr std::size_t kIndent = 2;
constexpr std::size_t kGap = 2;
constexpr std::size_t kComfortableText = 20;  // the first column to go, goes before that is cut
constexpr std::size_t kNarrowestText = 8;

std::size_t total_width(const std::vector<std::size_t>& widths) {
  std::size_t sum = kIndent;
  for (const std::size_t width : widths) {
    sum += width == 0 ? 0 : width + (sum == kIndent ? 0 : kGap);
  }
  return sum;
}

std::string_view ansi_code(Tone tone) {
  switch (tone) {
    case Tone::plain:
      return "";
    case Tone::strong:
      return "\x1B[1m";
    case Tone::dim:
      return "\x1B[2m";
    case Tone::good:
      return "\x1B[32m";
    case Tone::warning:
      return "\x1B[33m";
    case Tone::bad:
      return "\x1B[31m";
  }
  return "";
}

}  // namespace

std::string paint(std::string_view text, Tone tone, const TextStyle& style) {
  if (!style.color || tone == Tone::plain || text.empty()) {
    return std::string(text);
  }
  return std::string(ansi_code(tone)) + std::string(text) + "\x1B[0m";
}

std::string heading(std::string_view text, std::string_view note, const TextStyle& style) {
  constexpr std::size_t kShortestHeading = 24;
  const std::size_t note_width = note.empty() ? 0 : display_width(note) + kGap;
  const std::size_t kept = std::min(display_width(text), kShortestHeading);
  const bool has_room = style.width >= kept + note_width;
  const std::size_t room = has_room ? style.width - note_width : style.width;
  std::string line = "\n" + paint(shorten(text, room, style.unicode), Tone::strong, style);
  if (has_room && !note.empty()) {
    line += std::string(kGap, ' ') + paint(note, Tone::dim, style);
  }
  return line + "\n";
}

void Table::add_units(const std::vector<std::string>& units) {
  std::vector<Cell> cells;
  cells.reserve(units.size());
  for (const std::string& unit : units) {
    cells.push_back({unit, Tone::dim});
  }
  add_row(std::move(cells));
}

std::vector<std::size_t> Table::natural_widths() const {
  std::vector<std::size_t> widths;
  for (std::size_t column = 0; column < columns_.size(); ++column) {
    std::size_t width = display_width(columns_[column].header);
    for (const std::vector<Cell>& row : rows_) {
      PARTSIM_ASSERT(row.size() == columns_.size(), "every row has every column");
      width = std::max(width, display_width(row[column].text));
    }
    widths.push_back(width);
  }
  return widths;
}

/// A width of 0 means the column is left out.
std::vector<std::size_t> Table::fitted_widths(std::size_t available) const {
  const std::vector<std::size_t> natural = natural_widths();
  std::vector<std::size_t> widths = natural;
  while (total_width(widths) > available) {
    std::size_t widest = columns_.size();
    std::size_t dropped = columns_.size();
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      const bool shrinks = columns_[i].kind == ColumnKind::text && widths[i] > kNarrowestText;
      if (shrinks && (widest == columns_.size() || widths[i] > widths[widest])) {
        widest = i;
      }
      const bool drops = columns_[i].drop_order > 0 && widths[i] > 0;
      if (drops &&
          (dropped == columns_.size() || columns_[i].drop_order < columns_[dropped].drop_order)) {
        dropped = i;
      }
    }
    const bool comfortable = widest < columns_.size() && widths[widest] > kComfortableText;
    const bool easily_spared = dropped < columns_.size() && columns_[dropped].drop_order == 1;
    if (widest < columns_.size() && (comfortable || !easily_spared)) {
      --widths[widest];
    } else if (dropped < columns_.size()) {
      widths[dropped] = 0;
    } else {
      break;
    }
  }
  return widths;
}

std::string Table::render(const TextStyle& style) const {
  const std::vector<std::size_t> widths = fitted_widths(style.width);
  std::string out;
  const auto append_row = [&](const std::vector<Cell>& cells) {
    std::string line(kIndent, ' ');
    bool first = true;
    std::size_t trailing = 0;  // spaces owed; written only if something follows
    for (std::size_t i = 0; i < cells.size(); ++i) {
      if (widths[i] == 0) {
        continue;
      }
      const std::string text = shorten(cells[i].text, widths[i], style.unicode);
      const std::size_t padding = widths[i] - display_width(text);
      const std::size_t before = columns_[i].kind == ColumnKind::number ? padding : 0;
      if (!text.empty()) {
        line.append((first ? 0 : kGap) + trailing + before, ' ');
        line += paint(text, cells[i].tone, style);
        trailing = padding - before;
      } else {
        trailing += (first ? 0 : kGap) + widths[i];
      }
      first = false;
    }
    out += line + "\n";
  };
  std::vector<Cell> header;
  for (const Column& column : columns_) {
    header.push_back({column.header, Tone::dim});
  }
  append_row(header);
  for (const std::vector<Cell>& row : rows_) {
    append_row(row);
  }
  return out;
}

}  // namespace partsim
