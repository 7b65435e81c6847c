#include "page_sections.hpp"

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "partsim/report/page_words.hpp"

namespace partsim {
namespace {

constexpr std::size_t kMaxRows = 1'200;  // of the partitions of all variants together

/// Rows of each table, if every variant has one.
std::size_t rows_each(const StudyResult& study) {
  return std::clamp<std::size_t>(kMaxRows / std::max<std::size_t>(1, study.runs.size()), 8, 200);
}

std::string_view class_of(Severity severity) {
  return severity == Severity::good ? "good" : severity == Severity::warning ? "warning" : "bad";
}

/// Said in a word: colour alone is not for everybody.
std::string_view word_of(Severity severity) {
  return severity == Severity::good      ? "holds"
         : severity == Severity::warning ? "warning"
                                         : "danger";
}

/// Whether some variant can be used, and everything is as expected.
Severity severity_of(const StudyResult& study, const std::vector<VariantFindings>& findings) {
  const bool failed = std::any_of(study.expectations.begin(), study.expectations.end(),
                                  [](const ExpectationResult& each) { return !each.passed; });
  Severity best = findings.empty() ? Severity::warning : Severity::bad;
  for (const VariantFindings& each : findings) {
    best = std::min(best, each.severity);
  }
  return failed ? Severity::bad : best;
}

bool any_layout_event(const StudyResult& study) {
  return std::any_of(study.runs.begin(), study.runs.end(),
                     [](const VariantResult& each) { return !each.run.layout_events.empty(); });
}

}  // namespace

void PageWriter::add_verdict() {
  open_section("verdict", "Verdict");
  html.add("p", verdict_sentence(study),
           {{"class", fmt::format("verdict {}", class_of(severity_of(study, findings)))}});
  html.end_line();
  const std::string stopped = stopped_sentence(study);
  if (!stopped.empty()) {
    html.add("p", stopped, {{"class", "notice warning"}});
    html.end_line();
  }
  add_table("expectations", expectations_table(study));
  close_section();
}

void PageWriter::add_findings() {
  if (findings.empty()) {
    return;
  }
  open_section("findings", "What was found");
  for (const VariantFindings& each : findings) {
    html.open("article", {{"class", fmt::format("finding {}", class_of(each.severity))},
                          {"data-variant", each.variant}});
    html.open("h3");
    html.add("span", word_of(each.severity), {{"class", "badge"}});
    html.add_text(" " + each.variant);
    html.close();
    html.add("p", each.sentence);
    if (!each.notes.empty()) {
      html.open("ul");
      for (const std::string& note : each.notes) {
        html.add("li", note);
      }
      html.close();
    }
    html.close();
    html.end_line();
  }
  close_section();
}

void PageWriter::add_heat_map() {
  if (has_chart({"heatmap", "utilization", "throttled"})) {
    open_section("load", "Which partition, and when");
    add_charts({"heatmap", "utilization", "throttled"});
    close_section();
  }
}

void PageWriter::add_variants() {
  if (study.runs.empty()) {
    return;
  }
  open_section("variants",
               study.runs.size() == 1 ? "What it comes to" : "The variants side by side");
  add_table("variants", variants_table(study));
  add_charts({"variants"});
  add_table("clients", clients_table(study));
  add_table("refusals", refusals_table(study));
  close_section();
}

void PageWriter::add_partitions() {
  if (study.runs.empty()) {
    return;
  }
  open_section("partitions", "Partition by partition");
  for (const VariantResult& result : study.runs) {
    add_table("partitions", partitions_table(result, rows_each(study)), result.variant);
  }
  close_section();
}

void PageWriter::add_latency() {
  if (study.runs.empty()) {
    return;
  }
  open_section("latency", "Where the time goes");
  html.open("dl");
  for (const VariantResult& each : study.runs) {
    html.open("div", {{"data-variant", each.variant}});
    html.add("dt", each.variant);
    html.add("dd", latency_sentence(each.run));
    html.close();
  }
  html.close();
  html.end_line();
  add_charts({"latency", "latency-time"});
  add_table("latency", latency_table(study));
  close_section();
}

void PageWriter::add_layout() {
  if (!any_layout_event(study) && !has_chart({"layout", "storage"})) {
    return;
  }
  open_section("layout", "How the layout changed");
  for (const VariantResult& result : study.runs) {
    add_table("layout", layout_table(result, rows_each(study)), result.variant);
  }
  add_charts({"layout", "storage"});
  close_section();
}

void PageWriter::add_keys() {
  const bool any = std::any_of(study.runs.begin(), study.runs.end(), [](const VariantResult& each) {
    return !each.run.hot_keys.empty() || !each.run.large_keys.empty();
  });
  if (!any && !has_chart({"hot-keys"})) {
    return;
  }
  open_section("keys", "Hot keys");
  add_charts({"hot-keys"});
  for (const VariantResult& result : study.runs) {
    add_table("hot-keys", hot_keys_table(result), result.variant);
    add_table("large-keys", large_keys_table(result), result.variant);
  }
  close_section();
}

void PageWriter::add_cost() {
  const ReportTable table = cost_table(study);
  if (table.rows.empty() && !has_chart({"cost"})) {
    return;
  }
  open_section("cost", "Cost");
  add_table("cost", table);
  add_charts({"cost"});
  close_section();
}

void PageWriter::add_other_charts() {
  if (std::find(placed.begin(), placed.end(), false) == placed.end()) {
    return;
  }
  open_section("more", "More charts");
  for (std::size_t i = 0; i < charts.size(); ++i) {
    if (!placed[i]) {
      add_chart(i);
    }
  }
  close_section();
}

void PageWriter::add_reproduction() {
  open_section("reproduce", "How to get the same again");
  html.add("p", "With partsim " PARTSIM_VERSION " and the scenario below:");
  html.open("pre", {{"class", "command"}, {"tabindex", "0"}});
  html.add("code", context.command);
  html.close();
  html.end_line();
  add_table("runs", runs_table(study));
  html.add("h3", context.file_name);
  html.open("pre", {{"id", "scenario-text"}, {"data-file", context.file_name}, {"tabindex", "0"}});
  html.add_lines(context.scenario_text);
  html.close();
  html.end_line();
  close_section();
}

}  // namespace partsim
