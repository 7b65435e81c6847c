#include <algorithm>
#include <string>
#include <vector>

#include "partsim/cli/baselines.hpp"
#include "partsim/cli/commands.hpp"
#include "partsim/cli/descriptor.hpp"
#include "partsim/cli/exit_code.hpp"
#include "partsim/cli/fail_rules.hpp"
#include "partsim/report/compare_report.hpp"

namespace partsim {
namespace {

struct Matched {
  const MeasuredStudy* base = nullptr;
  const MeasuredStudy* next = nullptr;
};

/// By name; a single result on each side is meant, whatever it is called.
std::vector<Matched> match(const std::vector<MeasuredStudy>& base,
                           const std::vector<MeasuredStudy>& next,
                           std::vector<std::string>& notes) {
  if (base.size() == 1 && next.size() == 1) {
    return {{&base.front(), &next.front()}};
  }
  std::vector<Matched> pairs;
  const auto find = [](const std::vector<MeasuredStudy>& studies, const std::string& name) {
    return std::find_if(studies.begin(), studies.end(),
                        [&name](const MeasuredStudy& each) { return each.name == name; });
  };
  for (const MeasuredStudy& study : next) {
    const auto known = find(base, study.name);
    if (known == base.end()) {
      notes.push_back(study.name + ": only in new");
    } else {
      pairs.push_back({&*known, &study});
    }
  }
  for (const MeasuredStudy& study : base) {
    if (find(next, study.name) == next.end()) {
      notes.push_back(study.name + ": only in base");
    }
  }
  return pairs;
}

void refuse_unlike(const Matched& pair) {
  for (const MeasuredStudy* study : {pair.base, pair.next}) {
    if (study->partial) {
      throw UsageError(in_quotes(study->place) + " is of a run that was stopped early",
                       "--force compares it anyway");
    }
  }
  if (const std::string why = other_question(*pair.base, *pair.next); !why.empty()) {
    throw UsageError("cannot compare " + in_quotes(pair.base->place) + " and " +
                         in_quotes(pair.next->place) + ": " + why,
                     "--force compares them anyway");
  }
}

int compare_places(const Flags& flags, Console& console) {
  const std::vector<MeasuredStudy> base = read_measured(flags.arguments[0]);
  const std::vector<MeasuredStudy> next = read_measured(flags.arguments[1]);
  const std::vector<FailRule> rules = parse_fail_rules(flags.fail_on, next);
  CompareReport report;
  std::transform(rules.begin(), rules.end(), std::back_inserter(report.rules),
                 [](const FailRule& rule) { return rule.text; });
  const std::vector<Matched> pairs = match(base, next, report.notes);
  if (pairs.empty()) {
    throw UsageError(in_quotes(flags.arguments[0]) + " and " + in_quotes(flags.arguments[1]) +
                     " have no scenario in common");
  }
  for (const Matched& pair : pairs) {
    if (!flags.force) {
      refuse_unlike(pair);
    }
    report.studies.push_back(compare_studies(*pair.base, *pair.next));
    if (report.studies.back().variants.empty()) {
      throw UsageError(in_quotes(pair.base->place) + " and " + in_quotes(pair.next->place) +
                       " have no variant in common");
    }
    const std::vector<RuleBreak> breaks = find_breaks(rules, report.studies.back());
    report.breaks.insert(report.breaks.end(), breaks.begin(), breaks.end());
  }
  TextStyle style;
  style.width = console.width();
  style.color =
      flags.color == ColorMode::always || (flags.color == ColorMode::automatic && console.color());
  style.unicode = console.unicode();
  console.data(flags.format == OutputFormat::json ? compare_json(report)
                                                  : compare_text(report, style));
  const bool failed = std::any_of(report.breaks.begin(), report.breaks.end(),
                                  [](const RuleBreak& each) { return each.is_certain; });
  return failed ? exit_expectation_failed : exit_ok;
}

}  // namespace

const Command& compare_command() {
  static const Command kCommand{
      {.name = "compare",
       .arguments = "BASE NEW",
       .summary = "compare two results metric by metric; fail on regressions",
       .details = "BASE and NEW are each a results.json, an output folder, or a baseline: its\n"
                  "name, file or folder. Metrics that got worse come first. --fail-on decides\n"
                  "the exit code: 1 if one of its rules is met, 0 otherwise, whatever changed.\n"
                  "A rule is METRIC > +X (rises), METRIC < -X (falls), METRIC > X (gets worse)\n"
                  "or any > X%; X is a percentage of the base, or an amount: 2ms, 0.5pp. It\n"
                  "holds for the run and each of its clients, in every variant. Results of\n"
                  "different scenarios are refused, unless --force is given.\n",
       .examples = "  partsim compare main partsim-out/telemetry\n"
                   "  partsim compare old/results.json new/results.json --fail-on 'p99 > +5%'\n"
                   "  partsim compare main now --fail-on 'any > 10%'\n",
       .flags = {Flag::fail_on, Flag::force, Flag::format, Flag::color, Flag::help},
       .also_accepted = {Flag::quiet},
       .arguments_min = 2,
       .arguments_max = 2},
      compare_places};
  return kCommand;
}

}  // namespace partsim
