#include <algorithm>
#include <numeric>

#include "partsim/loader/loader.hpp"

#include "text.hpp"

namespace partsim {
namespace {

constexpr std::size_t kMaxLineBytes = 200;
constexpr std::size_t kMinMessageBytes = 80;
constexpr std::size_t kSourceColumns = 100;  // shown of the line at fault

/// The characters of one line from a column on, tabs as spaces, so that a caret lines up below.
std::string visible_part(std::string_view line, std::size_t from, std::size_t count) {
  std::string out;
  std::size_t column = 0;
  for (std::size_t at = 0; at < line.size() && column < from + count; ++column) {
    std::size_t end = at + 1;
    while (end < line.size() && (static_cast<unsigned char>(line[end]) & 0xC0U) == 0x80U) {
      ++end;
    }
    if (column >= from) {
      // A control character would take four columns as \xNN and push the caret aside.
      const std::string shown = escaped(line.substr(at, end - at));
      out += shown.size() == end - at ? shown : "?";
    }
    at = end;
  }
  return out;
}

std::string_view line_of(std::string_view source, std::uint32_t line) {
  for (std::uint32_t i = 1; i < line; ++i) {
    const std::size_t end = source.find('\n');
    if (end == std::string_view::npos) {
      return {};
    }
    source.remove_prefix(end + 1);
  }
  source = source.substr(0, source.find('\n'));
  return source.ends_with('\r') ? source.substr(0, source.size() - 1) : source;
}

/// Edits to turn one word into another, a swap of neighbours counting once; `limit` + 1 for "more".
std::size_t edit_distance(std::string_view a, std::string_view b, std::size_t limit) {
  const std::size_t gap = a.size() > b.size() ? a.size() - b.size() : b.size() - a.size();
  if (gap > limit) {
    return limit + 1;
  }
  std::vector<std::size_t> before(b.size() + 1);
  std::vector<std::size_t> last(b.size() + 1);
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(last.begin(), last.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t change = last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, change});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        row[j] = std::min(row[j], before[j - 2] + 1);
      }
    }
    before.swap(last);
    last.swap(row);
  }
  return last[b.size()];
}

}  // namespace

std::string format_diagnostic(const Diagnostic& diagnostic, std::string_view source) {
  std::string text = escaped(diagnostic.file);
  if (diagnostic.line > 0) {
    text += ":" + std::to_string(diagnostic.line);
    text += diagnostic.column > 0 ? ":" + std::to_string(diagnostic.column) : "";
  }
  text += ": error: ";
  const std::size_t room = kMaxLineBytes > text.size() ? kMaxLineBytes - text.size() : 0;
  text += shortened(diagnostic.message, std::max(room, kMinMessageBytes)) + "\n";
  if (source.starts_with("\xEF\xBB\xBF")) {
    source.remove_prefix(3);
  }
  const std::string_view line = diagnostic.line > 0 ? line_of(source, diagnostic.line) : "";
  if (!line.empty() && diagnostic.column > 0) {
    const std::size_t column = diagnostic.column - 1;
    const std::size_t from = column < kSourceColumns - 20 ? 0 : column - kSourceColumns / 2;
    text += "  " + visible_part(line, from, kSourceColumns) + "\n";
    text += "  " + std::string(column - from, ' ') + "^\n";
  }
  if (!diagnostic.hint.empty()) {
    text += "  hint: " + diagnostic.hint + "\n";
  }
  return text;
}

std::optional<std::string> nearest_word(std::string_view word,
                                        const std::vector<std::string>& words) {
  static constexpr std::size_t kLongestMeant = 64;
  if (word.empty() || word.size() > kLongestMeant) {
    return std::nullopt;
  }
  const std::string lower = lower_case(word);
  // One slip in three letters is a slip; more is another word, and so is another single letter.
  std::size_t best = lower.size() == 1 ? 1 : std::min<std::size_t>(3, (lower.size() + 2) / 3) + 1;
  std::optional<std::string> nearest;
  for (const std::string& candidate : words) {
    const std::size_t distance = edit_distance(lower, lower_case(candidate), best - 1);
    if (distance < best) {
      best = distance;
      nearest = candidate;
    }
    if (best == 0) {
      break;
    }
  }
  return nearest;
}

std::optional<std::string> meant_metric(std::string_view word,
                                        const std::vector<std::string>& paths) {
  std::vector<std::string> all;
  std::vector<std::string> of_run;
  for (const std::string& path : paths) {
    if (!word.empty() && path.ends_with("." + std::string(word))) {
      all.push_back(path);
      if (!path.starts_with("clients.") && !path.starts_with("partitions.")) {
        of_run.push_back(path);
      }
    }
  }
  const std::vector<std::string>& found = of_run.empty() ? all : of_run;
  return found.size() == 1 ? std::optional(found.front()) : nearest_word(word, paths);
}

}  // namespace partsim
