#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "partsim/report/check_report.hpp"
#include "partsim/report/text.hpp"

#include "check_tally.hpp"
#include "expectation_text.hpp"
#include "markdown.hpp"

namespace partsim {
namespace {

std::string_view sign_of(CheckStatus status) {
  switch (status) {
    case CheckStatus::passed:
      return "passed";
    case CheckStatus::failed:
      return "**failed**";
    case CheckStatus::no_rules:
      return "no rules";
    case CheckStatus::invalid:
      return "**invalid**";
    case CheckStatus::stopped:
      return "stopped";
  }
  return "";
}

std::string failures_of(const CheckedScenario& scenario) {
  std::string rows;
  for (const ExpectationResult& each : scenario.expectations) {
    if (!each.passed) {
      rows +=
          fmt::format("| {} | {} | {} | {} |\n", markdown_code(each.rule), markdown(each.variant),
                      markdown(broken_rule(each)), markdown(broken_place(each)));
    }
  }
  if (!rows.empty()) {
    rows = "| rule | variant | measured | where |\n|---|---|---|---|\n" + rows;
  }
  for (const CheckProblem& problem : scenario.problems) {
    rows += fmt::format("- line {}: {}\n", problem.line, markdown(problem.message));
  }
  return rows.empty() ? rows
                      : fmt::format("\n### {} ({})\n\n{}", markdown(scenario.name),
                                    markdown(scenario.file), rows);
}

/// The text of a workflow command ends at the line; so do its properties at a comma or colon.
std::string for_command(std::string_view text, bool is_property) {
  std::string out;
  for (const char c : visible_text(text)) {
    if (c == '%' || (is_property && (c == ':' || c == ','))) {
      out += fmt::format("%{:02X}", static_cast<unsigned char>(c));
    } else {
      out += c;
    }
  }
  return out;
}

std::string annotation(const CheckedScenario& scenario, std::uint32_t line, std::string_view title,
                       std::string_view message) {
  const std::string place = line == 0 ? std::string() : fmt::format(",line={}", line);
  return fmt::format("::error file={}{},title={}::{}\n", for_command(scenario.file, true), place,
                     for_command(title, true), for_command(message, false));
}

}  // namespace

std::string check_markdown(const std::vector<CheckedScenario>& scenarios) {
  std::string text = fmt::format("## partsim check\n\n{}\n\n", tally_text(scenarios));
  text += "| scenario | | rules met |\n|---|---|---|\n";
  std::string details;
  std::string vacuous;
  for (const CheckedScenario& scenario : scenarios) {
    const std::size_t rules = scenario.expectations.size();
    text += fmt::format("| {} | {} | {} |\n", markdown(scenario.name), sign_of(scenario.status),
                        rules == 0 ? "" : fmt::format("{} of {}", rules_met(scenario), rules));
    details += failures_of(scenario);
    for (const std::string& rule : vacuous_rules(scenario)) {
      vacuous += fmt::format("- {}: {}\n", markdown(scenario.name), markdown_code(rule));
    }
  }
  if (!vacuous.empty()) {
    details += "\n### Rules that can never fail\n\n" + vacuous;
  }
  return text + details;
}

std::string check_annotations(const std::vector<CheckedScenario>& scenarios) {
  std::string text;
  for (const CheckedScenario& scenario : scenarios) {
    for (const ExpectationResult& each : scenario.expectations) {
      if (!each.passed) {
        const std::string place = broken_place(each);
        text += annotation(scenario, each.line, scenario.name + ": expectation failed",
                           named_rule(each, scenario.variants > 1) + ": " + broken_rule(each) +
                               (place.empty() ? "" : "; " + place));
      }
    }
    for (const CheckProblem& problem : scenario.problems) {
      text +=
          annotation(scenario, problem.line, scenario.name + ": cannot be run", problem.message);
    }
  }
  return text;
}

}  // namespace partsim
