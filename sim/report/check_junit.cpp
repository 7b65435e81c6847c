#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "partsim/report/check_report.hpp"
#include "partsim/report/text.hpp"

#include "check_tally.hpp"
#include "expectation_text.hpp"

namespace partsim {
namespace {

/// For attributes and text. XML has no way to write most control characters, not even escaped, so
/// they become visible first.
std::string xml(std::string_view text) {
  std::string out;
  for (const char c : visible_text(text)) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      case '\'':
        out += "&apos;";
        break;
      default:
        out += c;
    }
  }
  return out;
}

struct Counts {
  std::size_t tests = 0;
  std::size_t failures = 0;
  std::size_t errors = 0;
  std::size_t skipped = 0;

  void add(const Counts& other) {
    tests += other.tests;
    failures += other.failures;
    errors += other.errors;
    skipped += other.skipped;
  }
  [[nodiscard]] std::string attributes() const {
    return fmt::format(R"(tests="{}" failures="{}" errors="{}" skipped="{}")", tests, failures,
                       errors, skipped);
  }
};

/// One test case; `inside` is empty or lines with their indent.
std::string test_case(const CheckedScenario& scenario, std::string_view name, std::uint32_t line,
                      const std::string& inside) {
  std::string head = fmt::format(R"(    <testcase classname="{}" name="{}" file="{}")",
                                 xml(scenario.name), xml(name), xml(scenario.file));
  if (line > 0) {
    head += fmt::format(R"( line="{}")", line);
  }
  return inside.empty() ? head + "/>\n" : head + ">\n" + inside + "    </testcase>\n";
}

std::string rule_case(const CheckedScenario& scenario, const ExpectationResult& verdict) {
  std::string inside;
  if (!verdict.passed) {
    const std::string place = broken_place(verdict);
    inside = fmt::format(
        "      <failure type=\"expectation\" message=\"{}\">{}</failure>\n",
        xml(broken_rule(verdict)),
        xml(verdict.rule + ": " + broken_rule(verdict) + (place.empty() ? "" : "; " + place)));
  }
  if (!verdict.can_fail) {
    inside += "      <system-out>this rule can never fail</system-out>\n";
  }
  return test_case(scenario, named_rule(verdict, scenario.variants > 1), verdict.line, inside);
}

std::string cases_of(const CheckedScenario& scenario, Counts& counts) {
  std::string text;
  for (const ExpectationResult& verdict : scenario.expectations) {
    text += rule_case(scenario, verdict);
    ++counts.tests;
    counts.failures += verdict.passed ? 0U : 1U;
  }
  const auto add_skipped = [&](std::string_view name, std::string_view why) {
    text += test_case(scenario, name, 0, fmt::format("      <skipped message=\"{}\"/>\n", why));
    ++counts.tests;
    ++counts.skipped;
  };
  if (scenario.status == CheckStatus::no_rules) {
    add_skipped("expect", "the scenario has no rules");
  } else if (scenario.status == CheckStatus::stopped) {
    add_skipped("expect", "stopped before the end");
  } else if (scenario.status == CheckStatus::invalid) {
    std::string errors;
    for (const CheckProblem& problem : scenario.problems) {
      errors += fmt::format("{}{}:{}:{}: {}", errors.empty() ? "" : "\n", xml(scenario.file),
                            problem.line, problem.column, xml(problem.message));
    }
    const std::string message =
        scenario.problems.empty() ? "it cannot be run" : scenario.problems.front().message;
    text += test_case(scenario, "valid", 0,
                      fmt::format("      <error type=\"scenario\" message=\"{}\">{}</error>\n",
                                  xml(message), errors));
    ++counts.tests;
    ++counts.errors;
  }
  return text;
}

}  // namespace

std::string check_junit(const std::vector<CheckedScenario>& scenarios) {
  Counts all;
  std::string suites;
  for (const CheckedScenario& scenario : scenarios) {
    Counts counts;
    const std::string cases = cases_of(scenario, counts);
    suites += fmt::format("  <testsuite name=\"{}\" {}>\n{}  </testsuite>\n", xml(scenario.name),
                          counts.attributes(), cases);
    all.add(counts);
  }
  return fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
      "<testsuites name=\"partsim check\" {}>\n{}</testsuites>\n",
      all.attributes(), suites);
}

}  // namespace partsim
