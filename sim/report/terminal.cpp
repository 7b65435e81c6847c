#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "partsim/metrics/derived.hpp"
#include "partsim/report/report.hpp"
#include "partsim/report/text.hpp"

#include "diagnosis.hpp"
#include "expectation_text.hpp"
#include "layout_view.hpp"
#include "money_view.hpp"
#include "numbers.hpp"
#include "paragraph.hpp"
#include "partition_view.hpp"
#include "provider_differences.hpp"
#include "provider_words.hpp"
#include "short_parts.hpp"
#include "table.hpp"

namespace partsim {
namespace {

constexpr std::size_t kMaxClientRows = 40;
constexpr std::size_t kMaxStories = 8;  // more variants than this get a few words each
constexpr ColumnKind kNumber = ColumnKind::number;
constexpr ColumnKind kText = ColumnKind::text;

class Summary {
 public:
  Summary(const StudyResult& study, const TextStyle& style) : study_(study), style_(style) {
    style_.width = std::clamp(style_.width, 40U, 120U);
    for (const VariantResult& result : study.runs) {
      diagnoses_.push_back(diagnose(result.run));
    }
  }

  std::string text() {
    append_partial_notice();
    append_verdict();
    append_diagnoses();
    out_ += layout_view(study_, style_);
    out_ += partition_view(study_, style_);
    append_service_view();
    append_application_view();
    append_clients();
    out_ += error_view(study_, style_);
    out_ += provider_differences(study_, style_);
    out_ += money_view(study_, style_);
    append_expectations();
    append_digests();
    return out_;
  }

 private:
  [[nodiscard]] std::string visible(std::string_view text) const {
    return visible_text(text, style_.unicode);
  }

  void append_heading(std::string_view text, std::string_view note = {}) {
    out_ += heading(text, note, style_);
  }

  void append_paragraph(std::string_view label, Tone tone, std::string_view text,
                        std::size_t indent) {
    out_ += paragraph(
        {.label = std::string(label), .tone = tone, .text = std::string(text), .indent = indent},
        style_);
  }

  void append_partial_notice() {
    if (!study_.partial) {
      return;
    }
    std::string text =
        "result: stopped early. Expectations are not judged; variants that had not begun "
        "are missing.";
    for (const VariantResult& result : study_.runs) {
      if (result.run.partial) {
        text += fmt::format(" {} ends at {}.", visible(result.variant),
                            in_seconds(result.run.simulated_ns));
      }
    }
    append_paragraph("PARTIAL ", Tone::warning, text, 9);
  }

  void append_verdict() {
    Severity worst = Severity::good;
    for (const Diagnosis& diagnosis : diagnoses_) {
      worst = std::max(worst, diagnosis.severity);
    }
    const Tone tone = worst == Severity::good ? Tone::good : Tone::strong;
    append_paragraph("Verdict ", tone, visible(verdict(study_, diagnoses_)), 9);
    const std::string title = visible(study_.title.empty() ? study_.name : study_.title);
    for (const std::string& line : wrap(title, style_.width)) {
      out_ += paint(line, Tone::dim, style_) + "\n";
    }
  }

  void append_diagnoses() {
    if (study_.runs.empty()) {
      return;
    }
    out_ += "\n";
    std::size_t widest = 0;
    for (const VariantResult& result : study_.runs) {
      widest = std::max(widest, display_width(visible(result.variant)));
    }
    const std::size_t name_width = std::min<std::size_t>(widest, 18);
    for (std::size_t i = 0; i < study_.runs.size(); ++i) {
      const std::string label =
          fmt::format("{} {}", mark_of(diagnoses_[i].severity, style_),
                      shorten(visible(study_.runs[i].variant), name_width, style_.unicode));
      const std::string& story =
          study_.runs.size() > kMaxStories ? diagnoses_[i].finding : diagnoses_[i].sentence;
      append_paragraph(label, tone_of(diagnoses_[i].severity), visible(story), name_width + 4);
      if (study_.runs.size() <= kMaxStories) {
        for (const std::string& note : diagnoses_[i].notes) {
          append_paragraph("", Tone::plain, visible(note), name_width + 4);
        }
      }
    }
  }

  /// Latency and cost are those of succeeded operations; without one there is no number to show.
  static std::string known(const ClientResult& client, double number) {
    return client.operations.succeeded > 0 ? three_digits(number) : "-";
  }

  void append_service_view() {
    if (study_.runs.empty()) {
      return;
    }
    append_heading("What the service saw", "usable: part of the RU/s this key can reach");
    Table table({{"variant", kText},
                 {refusals_header(study_)},
                 {"used", kNumber, 2},
                 {"peak", kNumber, 1},
                 {"imbalance"},
                 {"usable", kNumber, 3},
                 {"RU/op"},
                 {"cost", kNumber, 4}});
    table.add_units({"", "%", "%", "%", "", "%", "", "$/month"});
    for (std::size_t i = 0; i < study_.runs.size(); ++i) {
      const RunResult& run = study_.runs[i].run;
      const ClientResult total = run.total();
      const double imbalance = run.imbalance();
      table.add_row({{visible(study_.runs[i].variant)},
                     {percent_cell(run.throttled_share()), tone_of_429s(i)},
                     {percent_cell(run.utilization())},
                     {percent_cell(run.normalized_peak())},
                     {three_digits(imbalance)},
                     {percent_cell(1 / imbalance)},
                     {known(total, ru_per_operation(total))},
                     {dollars_cell(run.cost.per_month_micro)}});
    }
    out_ += table.render(style_);
  }

  [[nodiscard]] Tone tone_of_429s(std::size_t index) const {
    return diagnoses_[index].severity == Severity::good ? Tone::plain
                                                        : tone_of(diagnoses_[index].severity);
  }

  /// Whether any variant waits in this way; a column of zeros is the first to go.
  [[nodiscard]] bool waits(std::uint64_t LatencyParts::*part) const {
    return std::any_of(study_.runs.begin(), study_.runs.end(), [part](const VariantResult& result) {
      return result.run.total().parts.*part > 0;
    });
  }

  void append_application_view() {
    if (study_.runs.empty()) {
      return;
    }
    append_heading("What the application saw", "mean = service + queue + retry wait");
    Table table({{"variant", kText},
                 {"failed"},
                 {"p50"},
                 {"p99"},
                 {"mean", kNumber, 1},
                 {"service", kNumber, 3},
                 {"queue", kNumber, waits(&LatencyParts::queue_ns) ? 5U : 2U},
                 {"retry wait", kNumber, waits(&LatencyParts::retry_wait_ns) ? 4U : 2U}});
    table.add_units({"", "%", "ms", "ms", "ms", "ms", "ms", "ms"});
    for (const VariantResult& result : study_.runs) {
      const ClientResult total = result.run.total();
      const LatencySummary ms = latency_ms(total.latency_ns);
      const LatencyPartsSummary parts = latency_parts_ms(total);
      const double failed = failed_share(total);
      table.add_row({{visible(result.variant)},
                     {percent_cell(failed), failed > 0 ? Tone::bad : Tone::plain},
                     {known(total, ms.p50)},
                     {known(total, ms.p99)},
                     {known(total, ms.mean)},
                     {known(total, parts.service)},
                     {known(total, parts.queue)},
                     {known(total, parts.retry_wait)}});
    }
    out_ += table.render(style_);
  }

  static std::vector<Cell> client_row(std::string name, const ClientResult& client) {
    const double failed = failed_share(client);
    return {{std::move(name)},
            {count_cell(client.operations.offered)},
            {percent_cell(failed), failed > 0 ? Tone::bad : Tone::plain},
            {percent_cell(throttled_share(client))},
            {known(client, latency_ms(client.latency_ns).p50)},
            {known(client, latency_ms(client.latency_ns).p99)},
            {known(client, ru_per_operation(client))},
            {in_visits(partitions_per_operation(client))}};
  }

  /// By client, then variant: what one client pays under each key is the comparison that matters.
  void append_clients() {
    std::vector<std::string_view> names;
    for (const VariantResult& result : study_.runs) {
      for (const ClientResult& client : result.run.clients) {
        if (std::find(names.begin(), names.end(), client.name) == names.end()) {
          names.push_back(client.name);
        }
      }
    }
    if (names.empty()) {
      return;
    }
    append_heading("Clients", "RU/op: what a succeeded operation costs");
    const bool one_variant = study_.runs.size() == 1;
    Table table({{"client", kText},
                 {"ops", kNumber, 3},
                 {"failed"},
                 {refusals_header(study_), kNumber, 4},
                 {"p50", kNumber, 1},
                 {"p99", kNumber, 2},
                 {"RU/op"},
                 {"partitions/op"}});
    table.add_units({"", "", "%", "%", "ms", "ms", "", ""});
    std::size_t rows = 0;
    std::size_t left_out = 0;
    for (const std::string_view name : names) {
      if (rows >= kMaxClientRows) {
        ++left_out;
        continue;
      }
      if (!one_variant) {
        table.add_row({{visible(name), Tone::strong}, {}, {}, {}, {}, {}, {}, {}});
      }
      rows += add_client_rows(table, name, one_variant);
    }
    out_ += table.render(style_);
    if (left_out > 0) {
      out_ += fmt::format("  and {} more in results.json\n", left_out);
    }
  }

  std::size_t add_client_rows(Table& table, std::string_view name, bool one_variant) const {
    std::size_t rows = 0;
    for (const VariantResult& result : study_.runs) {
      for (const ClientResult& client : result.run.clients) {
        if (client.name == name) {
          table.add_row(
              client_row(one_variant ? visible(name) : "  " + visible(result.variant), client));
          ++rows;
        }
      }
    }
    return rows;
  }

  void append_expectations() {
    if (study_.expectations.empty()) {
      return;
    }
    const auto met = std::count_if(study_.expectations.begin(), study_.expectations.end(),
                                   [](const ExpectationResult& e) { return e.passed; });
    append_heading(fmt::format("Expectations: {} of {} met", met, study_.expectations.size()));
    for (const ExpectationResult& expectation : study_.expectations) {
      const Severity severity = expectation.passed ? Severity::good : Severity::bad;
      std::string text = visible(expectation.rule);
      if (study_.runs.size() > 1 && !expectation.rule.starts_with(expectation.variant + ".")) {
        text += fmt::format(" [{}]", visible(expectation.variant));
      }
      text += fmt::format("  {} {}", style_.unicode ? "→" : "->", measured_value(expectation));
      text += expectation.can_fail ? "" : " (the rule can never fail)";
      append_paragraph(fmt::format("  {}", mark_of(severity, style_)), tone_of(severity), text, 4);
    }
  }

  void append_digests() {
    out_ += "\n";
    for (const VariantResult& result : study_.runs) {
      const RunResult& run = result.run;
      std::string line = fmt::format("digest={:016x} events={} seed={} model={}", run.digest,
                                     run.events, run.seed, kModelVersion);
      if (study_.runs.size() > 1) {
        line += fmt::format(" variant={}", visible(result.variant));
      }
      for (const std::string& part : wrap(line, style_.width)) {
        out_ += paint(part, Tone::dim, style_) + "\n";
      }
    }
  }

  const StudyResult& study_;
  TextStyle style_;
  std::vector<Diagnosis> diagnoses_;
  std::string out_;
};

}  // namespace

std::string terminal_summary(const StudyResult& study, const TextStyle& style) {
  return Summary(study, style).text();
}

}  // namespace partsim
