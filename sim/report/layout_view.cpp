#include "layout_view.hpp"

#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "partsim/report/text.hpp"

#include "layout_text.hpp"
#include "paragraph.hpp"
#include "table.hpp"

namespace partsim {
namespace {

constexpr std::size_t kMaxLines = 8;     // of a variant that is alone
constexpr std::size_t kMaxVariants = 8;  // more get their counts only

std::string counts_of_each(const StudyResult& study, const TextStyle& style) {
  std::string text;
  for (const VariantResult& result : study.runs) {
    const std::string counts = layout_counts(result.run);
    if (!counts.empty()) {
      text += paragraph(
          {.label = "  " + shorten(visible_text(result.variant, style.unicode), 24, style.unicode),
           .text = counts,
           .indent = 28},
          style);
    }
  }
  return text;
}

std::string lines_of(const RunResult& run, std::size_t most, const TextStyle& style) {
  const std::vector<LayoutLine> lines = layout_lines(run);
  const std::size_t shown = lines.size() <= most ? lines.size() : most;
  std::size_t indent = 0;
  for (std::size_t i = 0; i < shown; ++i) {
    indent = std::max(indent, display_width(lines[i].when) + 4);
  }
  std::string text;
  std::size_t told = 0;
  for (std::size_t i = 0; i < shown; ++i) {
    text += paragraph({.label = "  " + lines[i].when,
                       .tone = Tone::dim,
                       .text = visible_text(lines[i].what, style.unicode),
                       .indent = indent},
                      style);
    told += lines[i].events;
  }
  if (shown < lines.size()) {
    text += paint(fmt::format("  ... and {} more in results.json", run.layout_events.size() - told),
                  Tone::dim, style) +
            "\n";
  }
  return text;
}

}  // namespace

std::string layout_view(const StudyResult& study, const TextStyle& style) {
  const auto changed = static_cast<std::size_t>(
      std::count_if(study.runs.begin(), study.runs.end(),
                    [](const VariantResult& result) { return !result.run.layout_events.empty(); }));
  if (changed == 0) {
    return {};
  }
  if (changed > kMaxVariants) {
    return heading("How the layouts changed", "all in results.json", style) +
           counts_of_each(study, style);
  }
  const std::size_t most = changed == 1 ? kMaxLines : changed <= 3 ? kMaxLines / 2 : 2;
  std::string text;
  for (const VariantResult& result : study.runs) {
    if (!result.run.layout_events.empty()) {
      text += heading("Layout of " + visible_text(result.variant, style.unicode),
                      layout_counts(result.run), style);
      text += lines_of(result.run, most, style);
    }
  }
  return text;
}

}  // namespace partsim
