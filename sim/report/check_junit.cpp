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
  std::string head =
      fmt::format(R"(    <testcase classname="{}" name="{}" file="{}")", markup_text(scenario.name),
                  markup_text(name), markup_text(scenario.file));
  if (line > 0) {
    head += fmt::format(R"( line="{}")", line);
  }
  return inside.empty() ? head + "/>\n" : head + ">\n" + inside + "    </testcase>\n";
}

std::string rule_case(const CheckedScenario& scenario, const ExpectationResult& verdict) {
  std::string inside;
  if (!verdict.passed) {
    const std::string place = broken_place(verdict);
    inside = fmt::format("      <failure type=\"expectation\" message=\"{}\">{}</failure>\n",
                         markup_text(broken_rule(verdict)),
                         markup_text(verdict.rule + ": " + broken_rule(verdict) +
                                     (place.empty() ? "" : "; " + place)));
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
      errors +=
          fmt::format("{}{}:{}:{}: {}", errors.empty() ? "" : "\n", markup_text(scenario.file),
                      problem.line, problem.column, markup_text(problem.message));
    }
    const std::string message =
        scenario.problems.empty() ? "it cannot be run" : scenario.problems.front().message;
    text += test_case(scenario, "valid", 0,
                      fmt::format("      <error type=\"scenario\" message=\"{}\">{}</error>\n",
                                  markup_text(message), errors));
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
    suites += fmt::format("  <testsuite name=\"{}\" {}>\n{}  </testsuite>\n",
                          markup_text(scenario.name), counts.attributes(), cases);
    all.add(counts);
  }
  return fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
      "<testsuites name=\"partsim check\" {}>\n{}</testsuites>\n",
      all.attributes(), suites);
}

}  // namespace partsim
