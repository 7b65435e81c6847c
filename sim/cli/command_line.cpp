#include "partsim/cli/command_line.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <sstream>
#include <system_error>
#include <thread>
#include <utility>

#include <boost/program_options.hpp>

#include "partsim/cli/descriptor.hpp"
#include "partsim/cli/exit_code.hpp"

namespace partsim {
namespace {

namespace po = boost::program_options;

constexpr unsigned kHelpColumns = 80;
constexpr std::uint32_t kMaxRoutePartitions = 1U << 20U;

enum class Takes : std::uint8_t { nothing, one_value, many_values };

struct FlagRow {
  Flag flag;
  const char* spelling;    // as Boost wants it: "long,short"
  const char* value_name;  // for the help
  Takes takes;
  const char* help;
};

constexpr std::array kFlagTable{
    FlagRow{Flag::output, "output,o", "DIR", Takes::one_value,
            "write results to DIR instead of partsim-out/<name>; with several files to DIR/<name>"},
    FlagRow{
        Flag::charts, "charts", "gnuplot|matplot|none", Takes::one_value,
        "who draws the charts, or none (default: gnuplot; matplot needs a build with Matplot++)"},
    FlagRow{Flag::seed, "seed", "N", Takes::one_value, "use this seed instead of the file's"},
    FlagRow{Flag::set, "set", "PATH=VALUE", Takes::many_values,
            "replace one value of the scenario in every variant; may be repeated"},
    FlagRow{Flag::variant, "variant", "NAME", Takes::many_values,
            "only this variant; may be repeated"},
    FlagRow{Flag::jobs, "jobs", "N", Takes::one_value,
            "threads, 1 to 1024; results never depend on it (default: one a processor)"},
    FlagRow{Flag::max_events, "max-events", "N", Takes::one_value,
            "refuse a scenario of more estimated requests (default: 10000000000)"},
    FlagRow{Flag::format, "format", "text|json", Takes::one_value,
            "what standard output gets (default: text)"},
    FlagRow{Flag::summary, "summary", "short|full|none", Takes::one_value,
            "how much text: at most 40 lines, all there is, or nothing (default: short)"},
    FlagRow{Flag::quiet, "quiet", "", Takes::nothing, "no progress and no notes on standard error"},
    FlagRow{Flag::color, "color", "auto|always|never", Takes::one_value,
            "colours in the text (default: auto)"},
    FlagRow{Flag::force, "force", "", Takes::nothing,
            "replace what partsim did not make, compare what is not alike"},
    FlagRow{Flag::skip_bad_rows, "skip-bad-rows", "", Takes::nothing,
            "leave out and count rows of a trace that cannot be read"},
    FlagRow{Flag::hash, "hash", "v1|v2|multihash", Takes::one_value,
            "the hash of the container (default: v2)"},
    FlagRow{Flag::partitions, "partitions", "N", Takes::one_value,
            "physical partitions, 1 to 1048576 (default: 1)"},
    FlagRow{Flag::jsonl, "jsonl", "", Takes::nothing,
            "read one JSON array of key components a line from standard input"},
    FlagRow{Flag::vary, "vary", "PATH=VALUES", Takes::many_values,
            "vary a value: A,B,C or LO..HI/STEP or LO..HI/xFACTOR or a YAML list; may be repeated"},
    FlagRow{Flag::seeds, "seeds", "N", Takes::one_value,
            "repetitions of every run, the first with the file's own seed"},
    FlagRow{Flag::precision, "precision", "SHARE", Takes::one_value,
            "end a point when its metric is known this well, such as 1%; at least 5 repetitions"},
    FlagRow{Flag::metric, "metric", "NAME", Takes::many_values,
            "keep this metric; the first one ranks (default: all, by latency_ms.p99)"},
    FlagRow{Flag::shard, "shard", "K/N", Takes::one_value, "only part K of N, for 'partsim merge'"},
    FlagRow{Flag::resume, "resume", "", Takes::nothing,
            "carry on where an interrupted sweep stopped"},
    FlagRow{Flag::max_points, "max-points", "N", Takes::one_value,
            "refuse a sweep of more runs (default: 100000)"},
    FlagRow{Flag::target, "target", "RULES", Takes::one_value,
            "what must hold, such as 'throttled_share < 1%, latency_ms.p99 < 20ms' (default: the "
            "file's expect:)"},
    FlagRow{Flag::find, "find", "WHAT", Takes::one_value,
            "throughput, autoscale, suffixes or partitions (default: as the file buys)"},
    FlagRow{Flag::range, "range", "LO..HI", Takes::one_value, "where to search"},
    FlagRow{
        Flag::key, "key", "KEY", Takes::many_values,
        "judge this key, written as in a scenario; may be repeated (default: keys made from the "
        "fields)"},
    FlagRow{Flag::sample, "sample", "DATA.csv", Takes::one_value,
            "judge keys on these items, one a row, plain or gzipped; the first line names fields"},
    FlagRow{Flag::suffixes, "suffixes", "FIELD|random", Takes::one_value,
            "how many suffixes does the current key need, by the hash of FIELD or at random"},
    FlagRow{Flag::simulate, "simulate", "N", Takes::one_value,
            "simulate the N best keys and the current one, 0 to 24; 0 simulates none (default: 3)"},
    FlagRow{Flag::container, "container", "NAME", Takes::one_value,
            "the container whose key it is; needed where there are several"},
    FlagRow{Flag::filter, "filter", "TEXT", Takes::one_value,
            "only scenarios whose name has TEXT in it; * and ? stand for any text and character"},
    FlagRow{Flag::junit, "junit", "FILE", Takes::one_value, "write the verdicts as JUnit XML"},
    FlagRow{Flag::markdown, "markdown", "FILE", Takes::one_value, "write a summary as Markdown"},
    FlagRow{Flag::save_baseline, "save-baseline", "NAME", Takes::one_value,
            "keep all metrics in partsim-baselines/NAME for 'partsim compare'"},
    FlagRow{Flag::fail_on, "fail-on", "RULE", Takes::many_values,
            "end with 1 if a metric changed like this: 'p99 > +5%'; may be repeated"},
    FlagRow{Flag::help, "help,h", "", Takes::nothing, "print this help"},
};

const FlagRow& row_of(Flag flag) {
  return *std::find_if(kFlagTable.begin(), kFlagTable.end(),
                       [flag](const FlagRow& row) { return row.flag == flag; });
}

std::string long_name(const FlagRow& row) {
  const std::string_view spelling = row.spelling;
  return std::string(spelling.substr(0, spelling.find(',')));
}

/// Boost splits the words; what they mean is decided here. So values stay text, and only the name
/// that the help shows for them is ours.
class NamedText : public po::untyped_value {
 public:
  explicit NamedText(const char* name) : name_(name) {}
  [[nodiscard]] std::string name() const override { return name_; }

 private:
  const char* name_;
};

void add_flag(po::options_description& description, const FlagRow& row) {
  if (row.takes == Takes::nothing) {
    description.add_options()(row.spelling, row.help);
  } else {
    // The description owns its values.
    description.add_options()(row.spelling, new NamedText(row.value_name), row.help);
  }
}

po::options_description describe(const std::vector<Flag>& flags) {
  po::options_description description("Flags", kHelpColumns, kHelpColumns / 2);
  for (const Flag flag : flags) {
    add_flag(description, row_of(flag));
  }
  return description;
}

template <class T>
T parse_word(std::string_view flag, const std::string& text,
             const std::vector<std::pair<std::string, T>>& words) {
  std::string list;
  std::vector<std::string> names;
  for (const auto& [name, value] : words) {
    if (name == text) {
      return value;
    }
    list += (list.empty() ? "" : ", ") + name;
    names.push_back(name);
  }
  const std::optional<std::string> meant = nearest_word(text, names);
  throw UsageError(
      "--" + std::string(flag) + " is " + in_quotes(text) + ", expected one of " + list,
      meant ? "did you mean '" + *meant + "'?" : "");
}

Override parse_override(const std::string& text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0) {
    throw UsageError("--set is " + in_quotes(text) +
                     ", expected PATH=VALUE such as clients.shop.rate=900/s");
  }
  return {text.substr(0, equals), text.substr(equals + 1)};
}

unsigned default_jobs() {
  return std::clamp(std::thread::hardware_concurrency(), 1U, kMaxJobs);
}

/// What the user wrote, by flag; the meaning comes after the spelling is known to be right.
class Given {
 public:
  /// Throws UsageError for a flag given twice that does not collect.
  explicit Given(const std::vector<po::option>& options) {
    for (const po::option& option : options) {
      if (option.position_key >= 0) {
        arguments_.insert(arguments_.end(), option.value.begin(), option.value.end());
        continue;
      }
      std::vector<std::string>& values = values_[option.string_key];
      const auto row = std::find_if(kFlagTable.begin(), kFlagTable.end(), [&](const FlagRow& each) {
        return long_name(each) == option.string_key;
      });
      if (!values.empty() && row->takes != Takes::many_values) {
        throw UsageError("--" + option.string_key + " is given more than once");
      }
      values.push_back(option.value.empty() ? std::string() : option.value.front());
    }
  }

  [[nodiscard]] const std::vector<std::string>& arguments() const { return arguments_; }
  [[nodiscard]] bool has(Flag flag) const { return values_.contains(long_name(row_of(flag))); }
  [[nodiscard]] std::vector<std::string> all(Flag flag) const {
    const auto found = values_.find(long_name(row_of(flag)));
    return found == values_.end() ? std::vector<std::string>{} : found->second;
  }
  [[nodiscard]] std::string value(Flag flag) const { return all(flag).at(0); }
  /// Throws UsageError if it is empty.
  [[nodiscard]] std::optional<std::string> text(Flag flag, std::string_view expected) const {
    if (!has(flag)) {
      return std::nullopt;
    }
    if (value(flag).empty()) {
      throw UsageError("--" + long_name(row_of(flag)) + " is empty, expected " +
                       std::string(expected));
    }
    return value(flag);
  }
  [[nodiscard]] std::optional<std::uint64_t> number(Flag flag, std::uint64_t min,
                                                    std::uint64_t max) const {
    if (!has(flag)) {
      return std::nullopt;
    }
    return parse_whole_number(long_name(row_of(flag)), value(flag), min, max);
  }

 private:
  std::vector<std::string> arguments_;
  std::map<std::string, std::vector<std::string>> values_;
};

void read_words(const Given& given, Flags& flags) {
  if (given.has(Flag::format)) {
    flags.format =
        parse_word<OutputFormat>("format", given.value(Flag::format),
                                 {{"text", OutputFormat::text}, {"json", OutputFormat::json}});
  }
  if (given.has(Flag::charts)) {
    flags.charts = parse_word<ChartChoice>("charts", given.value(Flag::charts),
                                           {{"gnuplot", ChartChoice::gnuplot},
                                            {"matplot", ChartChoice::matplot},
                                            {"none", ChartChoice::none}});
  }
  if (given.has(Flag::color)) {
    flags.color = parse_word<ColorMode>("color", given.value(Flag::color),
                                        {{"auto", ColorMode::automatic},
                                         {"always", ColorMode::always},
                                         {"never", ColorMode::never}});
  }
  if (given.has(Flag::summary)) {
    flags.summary = parse_word<SummaryChoice>("summary", given.value(Flag::summary),
                                              {{"short", SummaryChoice::brief},
                                               {"full", SummaryChoice::full},
                                               {"none", SummaryChoice::none}});
    if (flags.format == OutputFormat::json) {
      throw UsageError("--summary is for text, and --format json prints none",
                       "leave one of the two out");
    }
  }
  if (given.has(Flag::hash)) {
    flags.hash = parse_word<HashVersion>(
        "hash", given.value(Flag::hash),
        {{"v1", HashVersion::v1}, {"v2", HashVersion::v2}, {"multihash", HashVersion::multihash}});
  }
}

std::optional<std::string> text_of(const Given& given, Flag flag) {
  return given.has(flag) ? std::optional(given.value(flag)) : std::nullopt;
}

/// Of sweep and plan.
void read_study_flags(const Given& given, Flags& flags) {
  flags.vary = given.all(Flag::vary);
  flags.metrics = given.all(Flag::metric);
  if (const auto seeds = given.number(Flag::seeds, 1, kMaxSeeds)) {
    flags.seeds = static_cast<std::uint32_t>(*seeds);
  }
  flags.precision = text_of(given, Flag::precision);
  flags.shard = text_of(given, Flag::shard);
  flags.resume = given.has(Flag::resume);
  flags.max_points = given.number(Flag::max_points, 1, UINT64_MAX).value_or(kDefaultMaxPoints);
  flags.target = text_of(given, Flag::target);
  flags.find = text_of(given, Flag::find);
  flags.range = text_of(given, Flag::range);
}

AdviseFlags read_advise_flags(const Given& given) {
  AdviseFlags flags;
  flags.keys = given.all(Flag::key);
  flags.sample = text_of(given, Flag::sample);
  flags.suffixes = text_of(given, Flag::suffixes);
  flags.simulate = static_cast<std::uint32_t>(given.number(Flag::simulate, 0, 24).value_or(3));
  flags.container = text_of(given, Flag::container);
  return flags;
}

Flags read_flags(const Given& given) {
  Flags flags;
  flags.arguments = given.arguments();
  flags.help = given.has(Flag::help);
  flags.quiet = given.has(Flag::quiet);
  flags.force = given.has(Flag::force);
  flags.jsonl = given.has(Flag::jsonl);
  flags.skip_bad_rows = given.has(Flag::skip_bad_rows);
  flags.load.seed = given.number(Flag::seed, 0, UINT64_MAX);
  flags.load.only_variants = given.all(Flag::variant);
  for (const std::string& text : given.all(Flag::set)) {
    flags.load.overrides.push_back(parse_override(text));
  }
  flags.jobs =
      static_cast<unsigned>(given.number(Flag::jobs, 1, kMaxJobs).value_or(default_jobs()));
  flags.load.max_requests =
      given.number(Flag::max_events, 1, UINT64_MAX).value_or(kDefaultMaxRequests);
  flags.partitions = static_cast<std::uint32_t>(
      given.number(Flag::partitions, 1, kMaxRoutePartitions).value_or(1));
  flags.output = given.text(Flag::output, "a folder");
  read_study_flags(given, flags);
  flags.advise = read_advise_flags(given);
  flags.fail_on = given.all(Flag::fail_on);
  flags.filter = given.text(Flag::filter, "a part of a name");
  flags.junit = given.text(Flag::junit, "a file");
  flags.markdown = given.text(Flag::markdown, "a file");
  flags.save_baseline = given.text(Flag::save_baseline, "a name");
  read_words(given, flags);
  return flags;
}

std::string meant_flag(const std::string& written, const CommandSyntax& syntax) {
  std::vector<std::string> names;
  for (const std::vector<Flag>* list : {&syntax.flags, &syntax.also_accepted}) {
    for (const Flag flag : *list) {
      names.push_back("--" + long_name(row_of(flag)));
    }
  }
  // An abbreviation is refused, but what it stands for is worth a word.
  const auto longer = std::find_if(names.begin(), names.end(), [&](const std::string& name) {
    return written.size() > 2 && name.compare(0, written.size(), written) == 0;
  });
  const std::optional<std::string> meant =
      longer != names.end() ? std::optional(*longer) : nearest_word(written, names);
  return meant ? "did you mean '" + *meant + "'?" : "";
}

void check_argument_count(const CommandSyntax& syntax, const Flags& flags) {
  if (flags.arguments.size() < syntax.arguments_min) {
    throw UsageError("'partsim " + std::string(syntax.name) + "' needs " +
                     (syntax.arguments_max > 1 ? "at least one " : "a ") +
                     std::string(syntax.arguments.substr(0, syntax.arguments.find('.'))));
  }
  if (flags.arguments.size() > syntax.arguments_max) {
    throw UsageError("'partsim " + std::string(syntax.name) + "' does not take " +
                     in_quotes(flags.arguments[syntax.arguments_max]));
  }
}

}  // namespace

std::uint64_t parse_whole_number(std::string_view flag, std::string_view text, std::uint64_t min,
                                 std::uint64_t max) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || value < min || value > max) {
    throw UsageError("--" + std::string(flag) + " is " + in_quotes(text) +
                     ", expected a whole number from " + std::to_string(min) + " to " +
                     std::to_string(max));
  }
  return value;
}

Flags parse_flags(const CommandSyntax& syntax, std::span<const std::string> words) {
  po::options_description accepted = describe(syntax.flags);
  for (const Flag flag : syntax.also_accepted) {
    add_flag(accepted, row_of(flag));
  }
  try {
    // Guessing would make every new flag a possible break of somebody's script.
    const int style = po::command_line_style::unix_style & ~po::command_line_style::allow_guessing;
    const po::parsed_options parsed =
        po::command_line_parser(std::vector<std::string>(words.begin(), words.end()))
            .options(accepted)
            .style(style)
            .run();
    Flags flags = read_flags(Given(parsed.options));
    if (!flags.help) {
      check_argument_count(syntax, flags);
    }
    return flags;
  } catch (const po::unknown_option& error) {
    const std::string written = error.get_option_name();
    const std::string name = written.substr(0, written.find('='));
    throw UsageError("unknown flag " + in_quotes(name), meant_flag(name, syntax));
  } catch (const po::error& error) {
    throw UsageError(error.what());
  }
}

std::string help_text(const CommandSyntax& syntax) {
  std::ostringstream text;
  text << "Usage: partsim " << syntax.name << " [flags]";
  if (!syntax.arguments.empty()) {
    text << ' ' << syntax.arguments;
  }
  text << "\n\n" << syntax.summary << "\n\n";
  if (!syntax.details.empty()) {
    text << syntax.details << '\n';
  }
  text << describe(syntax.flags) << "\nExamples:\n" << syntax.examples;
  // Boost leaves the space at which it broke a line.
  std::string trimmed;
  for (const char c : text.str()) {
    if (c == '\n') {
      trimmed.erase(trimmed.find_last_not_of(' ') + 1);
    }
    trimmed += c;
  }
  return trimmed;
}

}  // namespace partsim
