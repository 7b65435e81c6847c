/// Flags to values. One table of flags for all commands; a command says which of them it takes.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "partsim/keys/epk.hpp"
#include "partsim/loader/loader.hpp"

namespace partsim {

enum class Flag : std::uint8_t {
  help,
  seed,
  set,
  variant,
  jobs,
  format,
  quiet,
  color,
  force,
  output,
  charts,
  max_events,
  hash,
  partitions,
  jsonl,
  skip_bad_rows,
  summary,
  vary,
  seeds,
  precision,
  metric,
  shard,
  resume,
  max_points,
  target,
  find,
  range,
  key,
  sample,
  suffixes,
  simulate,
  container,
  filter,
  junit,
  markdown,
  save_baseline,
  fail_on,
};

enum class OutputFormat : std::uint8_t { text, json };
enum class ChartChoice : std::uint8_t { gnuplot, matplot, none };
enum class SummaryChoice : std::uint8_t { brief, full, none };
enum class ColorMode : std::uint8_t { automatic, always, never };

inline constexpr unsigned kMaxJobs = 1'024;
inline constexpr std::uint64_t kMaxSeeds = 100'000;
/// Runs of one sweep, unless the caller raises it.
inline constexpr std::uint64_t kDefaultMaxPoints = 100'000;

/// What only `advise` is told.
struct AdviseFlags {
  std::vector<std::string> keys;
  std::optional<std::string> sample;
  std::optional<std::string> suffixes;
  std::uint32_t simulate = 3;
  std::optional<std::string> container;
};

struct Flags {
  std::vector<std::string> arguments;  // what is no flag, in order
  bool help = false;
  LoadOptions load;  // --seed, --set, --variant, --max-events
  unsigned jobs = 1;
  OutputFormat format = OutputFormat::text;
  bool quiet = false;
  ColorMode color = ColorMode::automatic;
  bool force = false;
  std::optional<std::string> output;
  ChartChoice charts = ChartChoice::gnuplot;
  HashVersion hash = HashVersion::v2;
  std::uint32_t partitions = 1;
  bool jsonl = false;
  bool skip_bad_rows = false;
  SummaryChoice summary = SummaryChoice::brief;
  // sweep and plan; their commands read the texts
  std::vector<std::string> vary;
  std::vector<std::string> metrics;
  std::optional<std::uint32_t> seeds;
  std::optional<std::string> precision;
  std::optional<std::string> shard;
  bool resume = false;
  std::uint64_t max_points = kDefaultMaxPoints;
  std::optional<std::string> target;
  std::optional<std::string> find;
  std::optional<std::string> range;
  AdviseFlags advise;
  std::optional<std::string> filter;
  std::optional<std::string> junit;
  std::optional<std::string> markdown;
  std::optional<std::string> save_baseline;
  std::vector<std::string> fail_on;
};

/// How one command is called.
struct CommandSyntax {
  std::string_view name;
  std::string_view arguments;  // "FILE..."
  std::string_view summary;    // one line
  std::string_view details;    // paragraphs for its help, may be empty
  std::string_view examples;   // lines, each ending in \n
  std::vector<Flag> flags;     // shown in the help, in this order
  /// Taken without effect, so that one set of flags serves `run` and `validate` alike.
  std::vector<Flag> also_accepted = {};
  std::size_t arguments_min = 0;
  std::size_t arguments_max = SIZE_MAX;
};

/// Throws UsageError. Flags must be written in full and, unless they collect, once.
[[nodiscard]] Flags parse_flags(const CommandSyntax& syntax, std::span<const std::string> words);

/// Usage, what it does, flags, examples; at most 80 columns.
[[nodiscard]] std::string help_text(const CommandSyntax& syntax);

/// Digits only, without sign, exponent or spaces, between the limits; otherwise UsageError.
[[nodiscard]] std::uint64_t parse_whole_number(std::string_view flag, std::string_view text,
                                               std::uint64_t min, std::uint64_t max);

}  // namespace partsim
