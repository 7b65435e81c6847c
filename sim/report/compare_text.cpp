#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "partsim/report/compare_report.hpp"
#include "partsim/report/text.hpp"

#include "expectation_text.hpp"
#include "json_writer.hpp"
#include "paragraph.hpp"
#include "table.hpp"

namespace partsim {
namespace {

/// In the order in which they are shown.
constexpr std::array kShown{Change::worse, Change::inconclusive, Change::better, Change::other};

std::string_view word_of(Change change) {
  switch (change) {
    case Change::worse:
      return "worse";
    case Change::better:
      return "better";
    case Change::other:
      return "changed";
    case Change::same:
      return "no change";
    case Change::inconclusive:
      return "inconclusive";
  }
  return "";
}

Tone tone_of(Change change) {
  return change == Change::worse          ? Tone::bad
         : change == Change::better       ? Tone::good
         : change == Change::inconclusive ? Tone::warning
                                          : Tone::plain;
}

std::size_t count_of(const ComparedVariant& variant, Change change) {
  return static_cast<std::size_t>(
      std::count_if(variant.metrics.begin(), variant.metrics.end(),
                    [change](const ComparedMetric& each) { return each.change == change; }));
}

std::string signed_percent(double part) {
  return (part < 0 ? "-" : "+") + short_percent(std::abs(part));
}

/// By how much, of the base where that is not 0.
std::string change_text(const ComparedMetric& metric) {
  const double base = std::abs(metric.base);
  if (base == 0) {
    return metric.next == 0 ? "" : "from 0";
  }
  if (metric.low < metric.high) {
    return signed_percent(metric.low / base) + " to " + signed_percent(metric.high / base);
  }
  return signed_percent((metric.next - metric.base) / base);
}

/// Of the only client: what the run says already.
bool says_the_same(const ComparedMetric& metric, const ComparedVariant& variant) {
  constexpr std::string_view kClients = "clients.";
  if (!metric.path.starts_with(kClients)) {
    return false;
  }
  return std::any_of(
      variant.metrics.begin(), variant.metrics.end(), [&](const ComparedMetric& other) {
        return !other.path.starts_with(kClients) && metric.path.ends_with("." + other.path) &&
               metric.base == other.base && metric.next == other.next &&
               metric.change == other.change;
      });
}

class CompareText {
 public:
  explicit CompareText(const TextStyle& style) : style_(style) {}

  void add(const StudyComparison& study) {
    out_ += paint(visible_text(study.name, style_.unicode), Tone::strong, style_) + "\n";
    for (const ComparedVariant& variant : study.variants) {
      add_variant(variant);
    }
    add_notes(study.notes);
  }

  void add_notes(const std::vector<std::string>& notes) {
    for (const std::string& note : notes) {
      add_line("  note:", note, Tone::plain);
    }
  }

  void add_breaks(const CompareReport& report) {
    std::size_t certain = 0;
    for (const RuleBreak& each : report.breaks) {
      certain += each.is_certain ? 1U : 0U;
      const auto [before, after] = amounts_that_differ(each.metric);
      add_line(each.is_certain ? "FAILED" : "inconclusive",
               fmt::format("{}: {} {} {} {} -> {} ({})", each.rule, each.scenario, each.variant,
                           each.metric.path, before, after, change_text(each.metric)),
               each.is_certain ? Tone::bad : Tone::warning);
    }
    if (!report.rules.empty()) {
      out_ += certain == 0 ? "no --fail-on rule is met\n"
                           : fmt::format("{} {} met --fail-on rules\n", certain,
                                         certain == 1 ? "change" : "changes");
    }
  }

  [[nodiscard]] std::string take() { return std::move(out_); }

 private:
  void add_line(const std::string& label, const std::string& text, Tone tone) {
    out_ += paragraph({.label = label,
                       .tone = tone,
                       .text = visible_text(text, style_.unicode),
                       .indent = display_width(label) + 1},
                      style_);
  }

  void add_variant(const ComparedVariant& variant) {
    std::string counts;
    for (const Change change :
         {Change::worse, Change::inconclusive, Change::better, Change::other, Change::same}) {
      if (const std::size_t count = count_of(variant, change); count > 0) {
        counts += fmt::format("{}{} {}", counts.empty() ? "" : ", ", count, word_of(change));
      }
    }
    if (count_of(variant, Change::same) == variant.metrics.size()) {
      counts = fmt::format("no change in {} metrics", variant.metrics.size());
    }
    if (variant.replications > 1) {
      counts += fmt::format("; {} seeds, 95 % intervals", variant.replications);
    }
    add_line("  " + visible_text(variant.variant, style_.unicode) + ":", counts, Tone::strong);
    Table table(
        {{"metric", ColumnKind::text}, {"base"}, {"new"}, {"change"}, {"", ColumnKind::text, 1}});
    bool is_empty = true;
    for (const Change change : kShown) {
      for (const ComparedMetric& metric : variant.metrics) {
        if (metric.change == change && !says_the_same(metric, variant)) {
          is_empty = false;
          const auto [before, after] = amounts_that_differ(metric);
          table.add_row({{visible_text(metric.path, style_.unicode)},
                         {before},
                         {after},
                         {change_text(metric), tone_of(change)},
                         {std::string(word_of(change)), tone_of(change)}});
        }
      }
    }
    out_ += is_empty ? "" : table.render(style_);
  }

  const TextStyle& style_;
  std::string out_;
};

Json metric_json(const ComparedMetric& metric) {
  Json json{{"metric", metric.path},
            {"base", fraction(metric.base)},
            {"new", fraction(metric.next)},
            {"change", word_of(metric.change)}};
  if (metric.base != 0) {
    json["relative"] = fraction((metric.next - metric.base) / std::abs(metric.base));
  }
  if (metric.low < metric.high) {
    json["difference_low"] = fraction(metric.low);
    json["difference_high"] = fraction(metric.high);
  }
  return json;
}

Json break_json(const RuleBreak& each) {
  return {{"rule", each.rule},
          {"scenario", each.scenario},
          {"variant", each.variant},
          {"metric", metric_json(each.metric)},
          {"certain", each.is_certain}};
}

Json study_json(const StudyComparison& study) {
  return {{"name", study.name},
          {"variants", array_json(study.variants,
                                  [](const ComparedVariant& variant) {
                                    return Json{
                                        {"variant", variant.variant},
                                        {"seeds", variant.replications},
                                        {"metrics", array_json(variant.metrics, metric_json)}};
                                  })},
          {"notes", study.notes}};
}

}  // namespace

std::string compare_text(const CompareReport& report, const TextStyle& style) {
  CompareText text(style);
  for (const StudyComparison& study : report.studies) {
    text.add(study);
  }
  text.add_notes(report.notes);
  text.add_breaks(report);
  return text.take();
}

std::string compare_json(const CompareReport& report) {
  Json json;
  json["format_version"] = "1.0";
  json["generator"] = "partsim " PARTSIM_VERSION;
  json["scenarios"] = array_json(report.studies, study_json);
  json["notes"] = report.notes;
  json["fail_on"] = {{"rules", report.rules}, {"breaks", array_json(report.breaks, break_json)}};
  return json_file(json);
}

}  // namespace partsim
