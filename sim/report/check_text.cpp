#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "partsim/report/check_report.hpp"
#include "partsim/report/text.hpp"

#include "check_tally.hpp"
#include "expectation_json.hpp"
#include "expectation_text.hpp"
#include "json_writer.hpp"
#include "paragraph.hpp"
#include "table.hpp"

namespace partsim {
namespace {

std::string_view word_of(CheckStatus status) {
  switch (status) {
    case CheckStatus::passed:
      return "ok";
    case CheckStatus::failed:
      return "FAILED";
    case CheckStatus::no_rules:
      return "no rules";
    case CheckStatus::invalid:
      return "INVALID";
    case CheckStatus::stopped:
      return "stopped";
  }
  return "";
}

Tone tone_of(CheckStatus status) {
  switch (status) {
    case CheckStatus::passed:
      return Tone::good;
    case CheckStatus::failed:
    case CheckStatus::invalid:
      return Tone::bad;
    case CheckStatus::no_rules:
    case CheckStatus::stopped:
      break;
  }
  return Tone::warning;
}

std::string place_of(const CheckedScenario& scenario, std::uint32_t line) {
  return line == 0 ? scenario.file : fmt::format("{}:{}", scenario.file, line);
}

class Details {
 public:
  explicit Details(const TextStyle& style) : style_(style) {}

  void add_failures(const CheckedScenario& scenario) {
    if (scenario.status != CheckStatus::failed) {
      return;
    }
    out_ += "\n" + paint("FAILED", Tone::bad, style_) + " " +
            visible_text(scenario.name, style_.unicode) + "\n";
    for (const ExpectationResult& each : scenario.expectations) {
      if (each.passed) {
        continue;
      }
      add_line(2, named_rule(each, scenario.variants > 1), Tone::strong);
      add_line(4, broken_rule(each), Tone::plain);
      if (const std::string place = broken_place(each); !place.empty()) {
        add_line(4, place, Tone::plain);
      }
      add_line(4, place_of(scenario, each.line), Tone::dim);
    }
  }

  void add_problems(const CheckedScenario& scenario) {
    if (scenario.status != CheckStatus::invalid) {
      return;
    }
    out_ += "\n" + paint("INVALID", Tone::bad, style_) + " " +
            visible_text(scenario.name, style_.unicode) + "\n";
    for (const CheckProblem& problem : scenario.problems) {
      add_line(2, problem.message, Tone::plain);
      add_line(4, place_of(scenario, problem.line), Tone::dim);
    }
  }

  void add_vacuous(const std::vector<CheckedScenario>& scenarios) {
    std::string lines;
    std::swap(lines, out_);
    for (const CheckedScenario& scenario : scenarios) {
      for (const std::string& rule : vacuous_rules(scenario)) {
        add_line(2, rule, Tone::plain);
        add_line(4, scenario.file, Tone::dim);
      }
    }
    std::swap(lines, out_);
    if (!lines.empty()) {
      out_ += "\n" + paint("These rules can never fail:", Tone::warning, style_) + "\n" + lines;
    }
  }

  [[nodiscard]] std::string take() { return std::move(out_); }

 private:
  void add_line(std::size_t indent, std::string_view text, Tone tone) {
    const std::string visible = visible_text(text, style_.unicode);
    for (const std::string& line : wrap(visible, style_.width - indent)) {
      out_ += std::string(indent, ' ') + paint(line, tone, style_) + "\n";
    }
  }

  const TextStyle& style_;
  std::string out_;
};

Json problem_json(const CheckProblem& problem) {
  return {{"line", problem.line}, {"column", problem.column}, {"message", problem.message}};
}

Json scenario_json(const CheckedScenario& scenario) {
  static constexpr std::array kStatus{"passed", "failed", "no_rules", "invalid", "stopped"};
  return {{"name", scenario.name},
          {"file", scenario.file},
          {"status", kStatus.at(static_cast<std::size_t>(scenario.status))},
          {"expectations", array_json(scenario.expectations, expectation_json)},
          {"problems", array_json(scenario.problems, problem_json)}};
}

}  // namespace

CheckTally tally_of(const std::vector<CheckedScenario>& scenarios) {
  CheckTally tally;
  for (const CheckedScenario& scenario : scenarios) {
    ++tally.of_status.at(static_cast<std::size_t>(scenario.status));
    tally.rules += scenario.expectations.size();
    tally.met += rules_met(scenario);
  }
  return tally;
}

std::size_t rules_met(const CheckedScenario& scenario) {
  return static_cast<std::size_t>(
      std::count_if(scenario.expectations.begin(), scenario.expectations.end(),
                    [](const ExpectationResult& each) { return each.passed; }));
}

std::string tally_text(const std::vector<CheckedScenario>& scenarios) {
  const CheckTally tally = tally_of(scenarios);
  std::string text = fmt::format("{} {}: {} passed", scenarios.size(),
                                 scenarios.size() == 1 ? "scenario" : "scenarios",
                                 tally.count(CheckStatus::passed));
  const auto add = [&](CheckStatus status, std::string_view words) {
    if (tally.count(status) > 0) {
      text += fmt::format(", {} {}", tally.count(status), words);
    }
  };
  add(CheckStatus::failed, "failed");
  add(CheckStatus::invalid, "invalid");
  add(CheckStatus::stopped, "stopped");
  add(CheckStatus::no_rules, "without rules");
  return text + fmt::format("; {} of {} {} met", tally.met, tally.rules,
                            tally.rules == 1 ? "rule" : "rules");
}

std::vector<std::string> vacuous_rules(const CheckedScenario& scenario) {
  std::vector<std::string> rules;
  for (const ExpectationResult& each : scenario.expectations) {
    if (each.can_fail) {
      continue;
    }
    const bool is_any_other = std::any_of(
        scenario.expectations.begin(), scenario.expectations.end(),
        [&](const ExpectationResult& other) { return other.rule == each.rule && other.can_fail; });
    const std::string rule = is_any_other ? named_rule(each, true) : each.rule;
    if (std::find(rules.begin(), rules.end(), rule) == rules.end()) {
      rules.push_back(rule);
    }
  }
  return rules;
}

CheckStatus status_of(const std::vector<ExpectationResult>& expectations) {
  if (expectations.empty()) {
    return CheckStatus::no_rules;
  }
  const bool passed = std::all_of(expectations.begin(), expectations.end(),
                                  [](const ExpectationResult& each) { return each.passed; });
  return passed ? CheckStatus::passed : CheckStatus::failed;
}

std::string check_line(const CheckedScenario& scenario, std::size_t name_width,
                       const TextStyle& style) {
  constexpr std::size_t kWordWidth = 8;
  const std::string_view word = word_of(scenario.status);
  const std::string name =
      shorten(visible_text(scenario.name, style.unicode), name_width, style.unicode);
  std::string line = paint(word, tone_of(scenario.status), style) +
                     std::string(kWordWidth - word.size() + 2, ' ') + name;
  const std::size_t rules = scenario.expectations.size();
  if (rules > 0) {
    line += std::string(name_width - std::min(name_width, display_width(name)) + 2, ' ');
    const std::size_t met = rules_met(scenario);
    line += met == rules ? fmt::format("{} {}", rules, rules == 1 ? "rule" : "rules")
                         : fmt::format("{} of {} {}", met, rules, rules == 1 ? "rule" : "rules");
  }
  return line + "\n";
}

std::string check_summary(const std::vector<CheckedScenario>& scenarios, const TextStyle& style) {
  Details details(style);
  for (const CheckedScenario& scenario : scenarios) {
    details.add_failures(scenario);
    details.add_problems(scenario);
  }
  details.add_vacuous(scenarios);
  return details.take() + "\n" + tally_text(scenarios) + "\n";
}

std::string check_json(const std::vector<CheckedScenario>& scenarios) {
  const CheckTally tally = tally_of(scenarios);
  Json json;
  json["format_version"] = "1.0";
  json["generator"] = "partsim " PARTSIM_VERSION;
  json["summary"] = {{"scenarios", scenarios.size()},
                     {"passed", tally.count(CheckStatus::passed)},
                     {"failed", tally.count(CheckStatus::failed)},
                     {"no_rules", tally.count(CheckStatus::no_rules)},
                     {"invalid", tally.count(CheckStatus::invalid)},
                     {"stopped", tally.count(CheckStatus::stopped)},
                     {"rules", tally.rules},
                     {"rules_met", tally.met}};
  json["scenarios"] = array_json(scenarios, scenario_json);
  return json_file(json);
}

}  // namespace partsim
