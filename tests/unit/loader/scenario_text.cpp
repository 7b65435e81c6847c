#include "scenario_text.hpp"

#include <algorithm>
#include <stdexcept>

#include "support/catch.hpp"

namespace partsim::testing {
namespace {

std::string place_of(const Diagnostic& diagnostic) {
  return std::to_string(diagnostic.line) + ":" + std::to_string(diagnostic.column);
}

bool fits(const BadInput& row, const Diagnostic& diagnostic) {
  const std::string text = brief(diagnostic);
  return (row.place.empty() || place_of(diagnostic) == row.place) &&
         diagnostic.over_limit == row.over_limit &&
         std::all_of(row.words.begin(), row.words.end(),
                     [&text](const auto& word) { return text.find(word) != std::string::npos; });
}

/// What the contract says of every message: one line, short, and safe to print.
void check_form(const Diagnostic& diagnostic, std::string_view source) {
  const std::string whole = format_diagnostic(diagnostic, source);
  const std::string line = whole.substr(0, whole.find('\n'));
  INFO(line);
  CHECK(line.size() <= 200);
  CHECK(diagnostic.file == "bad.yaml");
  CHECK(std::all_of(whole.begin(), whole.end(), [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte == '\n' || (byte >= 0x20 && byte != 0x7F);
  }));
}

LoadResult load_twice(std::string_view text) {
  LoadResult result = load_study(text, "bad.yaml");
  const LoadResult again = load_study(text, "bad.yaml");
  CHECK(result.diagnostics.size() == again.diagnostics.size());
  for (std::size_t i = 0; i < result.diagnostics.size() && i < again.diagnostics.size(); ++i) {
    CHECK(brief(result.diagnostics[i]) == brief(again.diagnostics[i]));
    if (i < 20) {
      check_form(result.diagnostics[i], text);
    }
  }
  CHECK_FALSE(result.study.has_value());
  return result;
}

std::string listed(const std::vector<Diagnostic>& diagnostics) {
  std::string text;
  for (std::size_t i = 0; i < diagnostics.size() && i < 5; ++i) {
    text += brief(diagnostics[i]) + "\n";
  }
  return text;
}

std::string wanted(const BadInput& row) {
  std::string text = row.place + (row.over_limit ? " (limit)" : "");
  for (const std::string& word : row.words) {
    text += " ~ " + word;
  }
  return text;
}

}  // namespace

std::string with(std::string_view line, std::string_view replacement) {
  const std::string whole = std::string(line) + "\n";
  std::string text(kSmallest);
  const std::size_t at = text.find(whole);
  if (at == std::string::npos || (at > 0 && text[at - 1] != '\n')) {
    throw std::logic_error("the smallest scenario has no line " + std::string(line));
  }
  return text.replace(at, whole.size(), std::string(replacement) + "\n");
}

std::string and_then(std::string_view lines) {
  return std::string(kSmallest) + std::string(lines);
}

std::string filled(const Slot& slot, std::string_view value) {
  std::string replacement = slot.replacement;
  return with(slot.line, replacement.replace(replacement.find('$'), 1, value));
}

namespace {

std::string place_before(const Slot& slot, std::size_t columns) {
  const std::string text = with(slot.line, slot.replacement);
  const std::string before = text.substr(0, text.find('$'));
  const auto line = std::count(before.begin(), before.end(), '\n') + 1;
  // Without a line end before it, npos + 1 is the beginning of the text.
  const std::size_t column = before.size() - (before.rfind('\n') + 1) + 1 - columns;
  return std::to_string(line) + ":" + std::to_string(column);
}

}  // namespace

std::string place_of(const Slot& slot) {
  return place_before(slot, 0);
}

std::string place_behind_colon(const Slot& slot) {
  return place_before(slot, 1);
}

std::string brief(const Diagnostic& diagnostic) {
  return place_of(diagnostic) + " " + diagnostic.message +
         (diagnostic.hint.empty() ? "" : " | " + diagnostic.hint);
}

std::vector<std::string> findings(std::string_view text, const LoadOptions& options) {
  std::vector<std::string> result;
  for (const Diagnostic& diagnostic : load_study(text, "bad.yaml", options).diagnostics) {
    result.push_back(brief(diagnostic));
  }
  return result;
}

void check_refused(const BadInput& row) {
  const LoadResult result = load_twice(row.text);
  INFO(row.id << " wants " << wanted(row) << "\n" << listed(result.diagnostics));
  REQUIRE(result.diagnostics.size() == 1);
  CHECK(fits(row, result.diagnostics.front()));
}

void check_refused_among_others(const BadInput& row) {
  const LoadResult result = load_twice(row.text);
  INFO(row.id << " wants " << wanted(row) << "\n" << listed(result.diagnostics));
  CHECK(std::any_of(result.diagnostics.begin(), result.diagnostics.end(),
                    [&row](const Diagnostic& diagnostic) { return fits(row, diagnostic); }));
}

StudyFile check_accepted(std::string_view id, std::string_view text, const LoadOptions& options) {
  const LoadResult result = load_study(text, "good.yaml", options);
  INFO(id << "\n" << listed(result.diagnostics));
  REQUIRE(result.diagnostics.empty());
  REQUIRE(result.study.has_value());
  return result.study.value_or(StudyFile{});
}

Scenario check_scenario(std::string_view id, std::string_view text, const LoadOptions& options) {
  const StudyFile study = check_accepted(id, text, options);
  REQUIRE(study.variants.size() == 1);
  return study.variants.front().scenario;
}

std::string check_round_trip(std::string_view text, const LoadOptions& options) {
  const auto explained = [&options](std::string_view source) {
    LoadResult result;
    std::string view = explain_study(source, "a.yaml", options, result);
    for (const Diagnostic& diagnostic : result.diagnostics) {
      FAIL_CHECK(brief(diagnostic));
    }
    static const std::string kMark = "  # default";
    for (std::size_t at = view.find(kMark); at != std::string::npos; at = view.find(kMark)) {
      view.erase(at, kMark.size());
    }
    return view;
  };
  std::string first = explained(text);
  INFO(first);
  CHECK(explained(first) == first);
  return first;
}

}  // namespace partsim::testing
