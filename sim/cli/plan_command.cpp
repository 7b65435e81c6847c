#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "partsim/cli/commands.hpp"
#include "partsim/cli/descriptor.hpp"
#include "partsim/cli/exit_code.hpp"
#include "partsim/cli/scenario_files.hpp"
#include "partsim/cli/signals.hpp"
#include "partsim/cli/sweep_output.hpp"
#include "partsim/cli/vary.hpp"
#include "partsim/metrics/metric_table.hpp"
#include "partsim/report/plan_report.hpp"
#include "partsim/scenario/pools.hpp"

namespace partsim {
namespace {

constexpr std::uint32_t kDefaultSeeds = 5;
constexpr std::array<std::pair<std::string_view, Lever>, 4> kLevers{
    {{"throughput", Lever::throughput},
     {"autoscale", Lever::autoscale},
     {"suffixes", Lever::suffixes},
     {"partitions", Lever::partitions}}};

Lever lever_of(const Flags& flags, const StudyFile& study) {
  if (!flags.find) {
    const std::vector<PoolSpec> pools = pools_of(study.variants.front().scenario);
    return pools.front().throughput.mode == CapacityMode::autoscale ? Lever::autoscale
                                                                    : Lever::throughput;
  }
  std::vector<std::string> names;
  for (const auto& [name, lever] : kLevers) {
    if (*flags.find == name) {
      return lever;
    }
    names.emplace_back(name);
  }
  const auto meant = nearest_word(*flags.find, names);
  throw UsageError("--find is " + in_quotes(*flags.find) +
                       ", expected one of throughput, autoscale, suffixes, partitions",
                   meant ? "did you mean '" + *meant + "'?" : "");
}

std::pair<std::int64_t, std::int64_t> range_of(const std::string& text, Lever lever) {
  constexpr std::int64_t kMicroPerMilli = 1'000;
  constexpr std::int64_t kMicro = 1'000'000;
  const bool is_bought = lever == Lever::throughput || lever == Lever::autoscale;
  const auto refuse = [&] {
    throw UsageError("--range is " + in_quotes(text) + ", expected LO..HI such as " +
                     (is_bought ? "1000..60000 RU/s" : "1..400"));
  };
  Quantity low;
  Quantity high;
  if (!parse_range(text, low, high)) {
    refuse();
  }
  const std::string unit =
      high.unit.substr(std::min(high.unit.find_first_not_of(' '), high.unit.size()));
  const std::int64_t scale = is_bought ? kMicroPerMilli : kMicro;
  if (unit != (is_bought ? "RU/s" : "") || low.micro > high.micro || low.micro % scale != 0 ||
      high.micro % scale != 0 || high.micro < scale) {
    refuse();
  }
  return {std::max<std::int64_t>(low.micro / scale, 1), high.micro / scale};
}

/// A plan turns one variant at a time, so nothing can be said of two.
void refuse_other_variants(const std::vector<Expectation>& rules) {
  for (const Expectation& rule : rules) {
    if (rule.against && !rule.against->variant.empty()) {
      throw UsageError(
          "cannot plan for " + in_quotes(rule.rule) + ", which compares with a variant of its own",
          "give other rules with --target");
    }
  }
}

/// Whether more throughput could make the rule hold: an upper bound of what should be low, a lower
/// bound of what should be high, a value to hit. `throttled_share > 50%` teaches, it asks for
/// nothing.
bool asks_for_more(const Expectation& rule) {
  const std::optional<Metric> metric = find_metric(rule.metric);
  const GoodDirection good = metric ? metric->good : GoodDirection::neither;
  switch (rule.comparison) {
    case Comparison::less:
    case Comparison::less_equal:
      return good != GoodDirection::higher;
    case Comparison::greater:
    case Comparison::greater_equal:
      return good == GoodDirection::higher;
    case Comparison::equal:
      return true;
    case Comparison::not_equal:
      break;
  }
  return false;
}

/// The file's own rules, but for those that no throughput is needed for.
std::vector<Expectation> rules_of_file(const StudyFile& study, bool quiet, Console& console) {
  std::vector<Expectation> rules;
  std::string left_out;
  for (const Expectation& rule : study.expectations) {
    if (asks_for_more(rule)) {
      rules.push_back(rule);
    } else {
      left_out += (left_out.empty() ? "" : ", ") + in_quotes(rule.rule);
    }
  }
  if (rules.empty()) {
    throw UsageError(study.expectations.empty()
                         ? "no rules to meet: the file has no expect:"
                         : "no rules to meet: more throughput helps none of those in expect:",
                     "--target 'throttled_share < 1%, latency_ms.p99 < 20ms'");
  }
  if (!quiet && !left_out.empty()) {
    console.talk("left out " + left_out + ": more throughput does not help to meet it\n");
  }
  return rules;
}

std::vector<Expectation> rules_of(const Flags& flags, const StudyFile& study, Console& console) {
  if (!flags.target) {
    std::vector<Expectation> rules = rules_of_file(study, flags.quiet, console);
    refuse_other_variants(rules);
    return rules;
  }
  RuleList list = parse_rules(*flags.target, study);
  if (!list.error.empty()) {
    throw UsageError("--target: " + list.error, list.hint);
  }
  refuse_other_variants(list.rules);
  return std::move(list.rules);
}

/// Without the variants that have nothing to turn; if that is all of them, it is a mistake.
void keep_usable(StudyFile& study, Lever lever, bool quiet, Console& console) {
  std::vector<Variant> usable;
  std::string objections;
  for (Variant& variant : study.variants) {
    const std::string objection = plan_objection(variant.scenario, lever);
    if (objection.empty()) {
      usable.push_back(std::move(variant));
    } else {
      objections += (objections.empty() ? "" : "left out ") +
                    (variant.name == "base" ? study.name : "variant " + in_quotes(variant.name)) +
                    ": " + objection + "\n";
    }
  }
  if (usable.empty()) {
    throw UsageError("cannot plan " + objections.substr(0, objections.find('\n')));
  }
  if (!quiet && !objections.empty()) {
    console.talk("left out " + objections);
  }
  study.variants = std::move(usable);
}

int plan_file(const Flags& flags, Console& console) {
  std::vector<LoadedFile> files = load_files(flags);
  tell_findings(files, console);
  const int findings = findings_exit_code(files);
  if (findings != exit_ok) {
    return findings;
  }
  const LoadedFile& file = files.front();
  StudyFile& study = *files.front().result.study;
  PlanOptions options;
  options.lever = lever_of(flags, study);
  if (flags.range) {
    options.range = range_of(*flags.range, options.lever);
  }
  options.seeds = flags.seeds.value_or(kDefaultSeeds);
  options.jobs = flags.jobs;
  options.stop = &stop_requested();
  options.open_trace = traces_beside(file.path, flags.skip_bad_rows);
  const std::vector<Expectation> rules = rules_of(flags, study, console);
  keep_usable(study, options.lever, flags.quiet, console);
  const PlanResult result = plan(study, rules, options);
  if (!result.complete) {
    console.talk("partsim: interrupted; a plan has no partial answer\n");
    return exit_signal_base + stop_signal();
  }
  console.data(flags.format == OutputFormat::json
                   ? plan_json(result)
                   : plan_summary(result, words_of(flags, file.path), text_style(flags, console)));
  const bool any = std::any_of(result.answers.begin(), result.answers.end(),
                               [](const PlanAnswer& answer) { return answer.found.has_value(); });
  return any ? exit_ok : exit_expectation_failed;
}

}  // namespace

const Command& plan_command() {
  static const Command kCommand{
      {.name = "plan",
       .arguments = "FILE",
       .summary = "the smallest throughput that meets some rules, and its price",
       .details = "Searches, for every variant, the smallest amount with which all rules hold in\n"
                  "every one of the seeds, and looks one step to both sides of it. If no amount\n"
                  "is enough, it says what is the limit and what would help. Exit code 0 if some\n"
                  "variant has an answer, 1 if none has. Without --target the file's rules count,\n"
                  "but for those that ask for no throughput, such as throttled_share > 50%.\n",
       .examples =
           "  partsim plan scenario.yaml --target 'throttled_share < 1%'\n"
           "  partsim plan scenario.yaml --target 'latency_ms.p99 < 20ms' --find autoscale\n"
           "  partsim plan scenario.yaml --find suffixes --target 'throttled_share < 1%'\n",
       .flags = {Flag::target, Flag::find, Flag::range, Flag::seeds, Flag::seed, Flag::set,
                 Flag::variant, Flag::jobs, Flag::max_events, Flag::skip_bad_rows, Flag::format,
                 Flag::quiet, Flag::color, Flag::help},
       .arguments_min = 1,
       .arguments_max = 1},
      plan_file};
  return kCommand;
}

}  // namespace partsim
