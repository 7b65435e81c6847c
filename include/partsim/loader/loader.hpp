/// YAML text to a study, or to a list of diagnostics; and the JSON Schema of the same table.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "partsim/scenario/check.hpp"
#include "partsim/scenario/study_file.hpp"
#include "partsim/workload/trace_rows.hpp"

namespace partsim {

struct Diagnostic {
  std::string file;
  std::uint32_t line = 0;    // 1-based; 0 when the mistake is not in a file (a flag)
  std::uint32_t column = 0;  // 1-based, in code points; 0 where a line is all there is to tell
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

/// A file that a scenario names (`values_file`, `rate_file`).
struct FileText {
  std::string path;     // for messages
  std::string text;     // all of it
  std::string trouble;  // why it could not be read; empty if it was
};
/// By the name as it is written.
using FileReader = std::function<FileText(const std::string& name)>;
/// Regular files of at most 64 MiB, by their path from the folder of a scenario.
[[nodiscard]] FileReader files_beside(const std::string& scenario_path);

/// Traces by their path from the folder of a scenario, as CSV, plain or gzipped. A row that is
/// wrong ends the run with a TraceError, or is counted and left out.
[[nodiscard]] TraceOpener traces_beside(const std::string& scenario_path, bool skip_bad_rows);

/// Reads up to so many rows of every trace of a study before it runs. A container without a
/// `partition_key` whose rows have keys of several levels is a hierarchical one from then on.
/// Throws the TraceError that a run would end with.
void look_into_traces(StudyFile& study, const TraceOpener& open, std::uint64_t rows);

struct LoadOptions {
  std::optional<std::uint64_t> seed;                 // --seed
  std::vector<Override> overrides;                   // --set, applied over every variant
  std::vector<std::string> only_variants;            // --variant; empty means all
  std::uint64_t max_requests = kDefaultMaxRequests;  // --max-events, for each variant
  FileReader read_file;  // without it a scenario that names a file is refused
};

struct LoadResult {
  std::optional<StudyFile> study;       // empty exactly when there are diagnostics
  std::optional<Scenario> base;         // the scenario without any variant, likewise
  std::vector<Diagnostic> diagnostics;  // all of them, in file order
};

/// Never throws on bad text. `file_name` only labels messages.
[[nodiscard]] LoadResult load_study(std::string_view text, std::string_view file_name,
                                    const LoadOptions& options = {});

/// Rules as `expect:` has them, from a command line: separated by commas.
struct RuleList {
  std::vector<Expectation> rules;
  std::string error;  // of the first that cannot be read, one line; empty: none
  std::string hint;   // "did you mean 'latency_ms.p99'?", may be empty
};
[[nodiscard]] RuleList parse_rules(std::string_view text, const StudyFile& study);

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

/// The metric among `paths` that was meant: the only one that ends in `.word`, one of the whole run
/// before those of clients and partitions, or else the nearest.
[[nodiscard]] std::optional<std::string> meant_metric(std::string_view word,
                                                      const std::vector<std::string>& paths);

}  // namespace partsim
