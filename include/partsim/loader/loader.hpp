/// YAML text to a study, or to a list of diagnostics; and the JSON Schema of the same table.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "partsim/scenario/check.hpp"
#include "partsim/scenario/study_file.hpp"

namespace partsim {

struct Diagnostic {
  std::string file;
  std::uint32_t line = 0;    // 1-based; 0 when the mistake is not in a file (a flag)
  std::uint32_t column = 0;  // 1-based, in code points
  std::string message;       // one line, control characters as \xNN
  std::string hint;          // "did you mean 'burst'?", may be empty
  bool over_limit = false;   // a size or work limit: exit code 4
};

/// `file:line:column: error: message`, then the source line with a caret, then the hint.
[[nodiscard]] std::string format_diagnostic(const Diagnostic& diagnostic, std::string_view source);

struct Override {
  std::string path;   // `container.throughput`, `clients.ingest.rate`
  std::string value;  // YAML scalar or flow text, e.g. `9000/s`
};

struct LoadOptions {
  std::optional<std::uint64_t> seed;                 // --seed
  std::vector<Override> overrides;                   // --set, applied over every variant
  std::vector<std::string> only_variants;            // --variant; empty means all
  std::uint64_t max_requests = kDefaultMaxRequests;  // --max-events, for each variant
};

struct LoadResult {
  std::optional<StudyFile> study;       // empty exactly when there are diagnostics
  std::vector<Diagnostic> diagnostics;  // all of them, in file order
};

/// Never throws on bad text. `file_name` only labels messages.
[[nodiscard]] LoadResult load_study(std::string_view text, std::string_view file_name,
                                    const LoadOptions& options = {});

/// The resolved scenario of every variant as YAML, a `# default` mark at each value the file left
/// out.
[[nodiscard]] std::string explain_study(std::string_view text, std::string_view file_name,
                                        const LoadOptions& options, LoadResult& result);

/// JSON Schema (draft-07) of scenario files, pretty-printed, every property described.
[[nodiscard]] std::string scenario_schema();

/// Names a scenario may use, by kind ("providers", "throttle models", "operations", "parameters",
/// ...), each with its one-line description; `partsim list` prints them.
struct NamedChoice {
  std::string name;
  std::string description;
};
struct ChoiceGroup {
  std::string title;
  std::vector<NamedChoice> choices;
};
[[nodiscard]] std::vector<ChoiceGroup> scenario_choices();

/// The nearest of some words by edit distance, if it is near enough to be meant.
[[nodiscard]] std::optional<std::string> nearest_word(std::string_view word,
                                                      const std::vector<std::string>& words);

}  // namespace partsim
