#include <algorithm>
#include <array>
#include <numeric>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "partsim/metrics/derived.hpp"
#include "partsim/metrics/metric_table.hpp"
#include "partsim/report/report.hpp"
#include "partsim/report/text.hpp"

#include "diagnosis.hpp"
#include "numbers.hpp"
#include "table.hpp"

namespace partsim {
namespace {

constexpr double kBurning = 0.05;  // more 429s than the vendor calls healthy
constexpr std::size_t kMaxClientRows = 40;
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
    append_partitions();
    append_service_view();
    append_application_view();
    append_clients();
    append_expectations();
    append_digests();
    return out_;
  }

 private:
  [[nodiscard]] std::string visible(std::string_view text) const {
    return visible_text(text, style_.unicode);
  }

  void append_heading(std::string_view text, std::string_view note = {}) {
    constexpr std::size_t kShortestHeading = 24;
    const std::size_t note_width = note.empty() ? 0 : display_width(note) + 2;
    const bool has_room = style_.width >= kShortestHeading + note_width;
    const std::size_t room = has_room ? style_.width - note_width : style_.width;
    out_ += "\n" + paint(shorten(text, room, style_.unicode), Tone::strong, style_);
    if (has_room && !note.empty()) {
      out_ += "  " + paint(note, Tone::dim, style_);
    }
    out_ += "\n";
  }

  /// Wrapped under a hanging indent; `label` (already visible) stands in the indent of the first
  /// line.
  void append_paragraph(std::string_view label, Tone tone, std::string_view text,
                        std::size_t indent) {
    const std::vector<std::string> lines = wrap(text, style_.width - indent);
    for (std::size_t i = 0; i < lines.size(); ++i) {
      const std::string lead = i == 0 ? std::string(label) : std::string();
      out_ += paint(lead, tone, style_) + std::string(indent - display_width(lead), ' ') +
              lines[i] + "\n";
    }
  }

  void append_partial_notice() {
    if (!study_.partial) {
      return;
    }
    std::string text =
        "stopped early. Expectations are not judged; variants that had not begun are missing.";
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

  [[nodiscard]] std::string_view mark(Severity severity) const {
    switch (severity) {
      case Severity::good:
        return style_.unicode ? "✓" : "+";
      case Severity::warning:
        return "!";
      case Severity::bad:
        return style_.unicode ? "✗" : "x";
    }
    return "";
  }

  static Tone tone_of(Severity severity) {
    return severity == Severity::good      ? Tone::good
           : severity == Severity::warning ? Tone::warning
                                           : Tone::bad;
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
          fmt::format("{} {}", mark(diagnoses_[i].severity),
                      shorten(visible(study_.runs[i].variant), name_width, style_.unicode));
      append_paragraph(label, tone_of(diagnoses_[i].severity), visible(diagnoses_[i].sentence),
                       name_width + 4);
    }
  }

  /// Eighths of a column in Unicode, whole columns in ASCII; anything above zero shows.
  [[nodiscard]] std::string bar(double share, std::size_t width) const {
    constexpr std::array<std::string_view, 8> kEighths{"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
    const std::size_t steps = style_.unicode ? 8 : 1;
    const double filled = std::clamp(share, 0.0, 1.0) * static_cast<double>(width * steps);
    std::size_t full = static_cast<std::size_t>(filled + 0.5);
    full = share > 0 ? std::max<std::size_t>(full, 1) : full;
    std::string text;
    for (std::size_t i = 0; i < full / steps; ++i) {
      text += style_.unicode ? "█" : "#";
    }
    text += kEighths[full % steps];
    for (std::size_t used = (full + steps - 1) / steps; used < width; ++used) {
      text += style_.unicode ? "·" : ".";
    }
    return text;
  }

  /// How many partitions a variant may show, so that a study of many variants stays readable.
  [[nodiscard]] std::size_t partition_rows() const {
    return study_.runs.size() <= 3 ? 12 : study_.runs.size() <= 8 ? 3 : 1;
  }

  void append_partitions() {
    for (const VariantResult& result : study_.runs) {
      append_partitions_of(result);
    }
  }

  void append_partitions_of(const VariantResult& result) {
    const RunResult& run = result.run;
    const std::size_t count = run.partitions.size();
    std::vector<std::size_t> shown(count);
    std::iota(shown.begin(), shown.end(), 0U);
    std::vector<std::size_t> rest;
    if (count > partition_rows()) {
      std::stable_sort(shown.begin(), shown.end(), [&run](std::size_t a, std::size_t b) {
        return run.partitions[a].demand_mru > run.partitions[b].demand_mru;
      });
      const auto cut = shown.begin() + static_cast<std::ptrdiff_t>(partition_rows());
      rest.assign(cut, shown.end());
      shown.erase(cut, shown.end());
    }
    append_heading(visible(result.variant), partitions_note(run));
    append_partition_table(run, shown);
    append_rest(run, rest);
  }

  static std::string partitions_note(const RunResult& run) {
    std::string note =
        fmt::format("{} partition{}", run.partitions.size(), run.partitions.size() == 1 ? "" : "s");
    if (!run.partitions.empty()) {
      const auto [least, most] =
          std::minmax_element(run.partitions.begin(), run.partitions.end(),
                              [](const PartitionResult& a, const PartitionResult& b) {
                                return a.share_mru_per_s < b.share_mru_per_s;
                              });
      const auto low = static_cast<std::uint64_t>(least->share_mru_per_s / kMilliPerRu);
      const auto high = static_cast<std::uint64_t>(most->share_mru_per_s / kMilliPerRu);
      note += low == high ? fmt::format(" of {} RU/s", grouped(low))
                          : fmt::format(" of {} to {} RU/s", grouped(low), grouped(high));
    }
    return note;
  }

  void append_partition_table(const RunResult& run, const std::vector<std::size_t>& shown) {
    if (shown.empty()) {
      return;
    }
    double demand_mru = 0;
    for (const PartitionResult& partition : run.partitions) {
      demand_mru += static_cast<double>(partition.demand_mru);
    }
    const bool wide = style_.width >= 72;
    const std::size_t bar_width = wide ? 26 : 8;
    Table table({{"partition"},
                 {wide ? "used of its share" : "used", ColumnKind::bar, 3},
                 {"mean"},
                 {"peak", kNumber, 1},
                 {"429s"},
                 {"load"},
                 {"", kText, 2}});
    for (const std::size_t index : shown) {
      const PartitionResult& partition = run.partitions[index];
      const double used = mean_utilization(run, partition);
      const bool burning = throttled_share(partition) > kBurning;
      const Tone tone = burning ? Tone::bad : Tone::plain;
      const double load =
          demand_mru > 0 ? static_cast<double>(partition.demand_mru) / demand_mru : 0.0;
      table.add_row({{fmt::format("{}", partition.id), tone},
                     {bar(used, bar_width), tone},
                     {in_percent(used), tone},
                     {in_percent(peak_utilization(partition))},
                     {in_percent(throttled_share(partition)), tone},
                     {in_percent(load)},
                     {burning ? (style_.unicode ? "← burns" : "<- burns") : "", tone}});
    }
    out_ += table.render(style_);
  }

  void append_rest(const RunResult& run, const std::vector<std::size_t>& rest) {
    if (rest.empty()) {
      return;
    }
    double low = mean_utilization(run, run.partitions[rest.front()]);
    double high = low;
    for (const std::size_t index : rest) {
      low = std::min(low, mean_utilization(run, run.partitions[index]));
      high = std::max(high, mean_utilization(run, run.partitions[index]));
    }
    out_ += paint(fmt::format("  and {} more between {} and {}", rest.size(), in_percent(low),
                              in_percent(high)),
                  Tone::dim, style_) +
            "\n";
  }

  void append_service_view() {
    if (study_.runs.empty()) {
      return;
    }
    append_heading("What the service saw", "usable = 1 / imbalance");
    Table table({{"variant", kText},
                 {"429s"},
                 {"used", kNumber, 2},
                 {"peak", kNumber, 1},
                 {"imbalance"},
                 {"usable", kNumber, 3},
                 {"RU/op"},
                 {"cost/month", kNumber, 4}});
    for (std::size_t i = 0; i < study_.runs.size(); ++i) {
      const RunResult& run = study_.runs[i].run;
      const double imbalance = run.imbalance();
      table.add_row({{visible(study_.runs[i].variant)},
                     {in_percent(run.throttled_share()), tone_of_429s(i)},
                     {in_percent(run.utilization())},
                     {in_percent(run.normalized_peak())},
                     {in_times(imbalance)},
                     {in_percent(1 / imbalance)},
                     {in_ru(ru_per_operation(run.total()))},
                     {in_usd(run.cost.per_month_micro)}});
    }
    out_ += table.render(style_);
  }

  [[nodiscard]] Tone tone_of_429s(std::size_t index) const {
    return diagnoses_[index].severity == Severity::good ? Tone::plain
                                                        : tone_of(diagnoses_[index].severity);
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
                 {"service"},
                 {"queue", kNumber, 2},
                 {"retry wait"}});
    for (const VariantResult& result : study_.runs) {
      const ClientResult total = result.run.total();
      const LatencySummary ms = latency_ms(total.latency_ns);
      const LatencyPartsSummary parts = latency_parts_ms(total);
      const double failed = failed_share(total);
      table.add_row({{visible(result.variant)},
                     {in_percent(failed), failed > 0 ? Tone::bad : Tone::plain},
                     {in_ms(ms.p50)},
                     {in_ms(ms.p99)},
                     {in_ms(ms.mean)},
                     {in_ms(parts.service)},
                     {in_ms(parts.queue)},
                     {in_ms(parts.retry_wait)}});
    }
    out_ += table.render(style_);
  }

  static std::vector<Cell> client_row(std::string name, const ClientResult& client) {
    const double failed = failed_share(client);
    return {{std::move(name)},
            {in_short(client.operations.offered)},
            {in_percent(failed), failed > 0 ? Tone::bad : Tone::plain},
            {in_percent(throttled_share(client))},
            {in_ms(latency_ms(client.latency_ns).p50)},
            {in_ms(latency_ms(client.latency_ns).p99)},
            {in_ru(ru_per_operation(client))},
            {in_ru(partitions_per_operation(client))}};
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
    append_heading("Clients", "partitions an operation visits, RU a succeeded one costs");
    const bool one_variant = study_.runs.size() == 1;
    Table table({{"client", kText},
                 {"ops", kNumber, 3},
                 {"failed"},
                 {"429s", kNumber, 4},
                 {"p50", kNumber, 1},
                 {"p99", kNumber, 2},
                 {"RU/op"},
                 {"partitions/op"}});
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

  /// The unit comes from the metric the rule names: the text before the comparison, less the
  /// variant.
  static std::string actual_value(const ExpectationResult& expectation) {
    std::string_view path = expectation.rule;
    path = path.substr(0, path.find_first_of("<>=!"));
    while (path.ends_with(' ')) {
      path.remove_suffix(1);
    }
    std::optional<MetricUnit> unit = metric_unit(path);
    if (!unit && path.starts_with(expectation.variant + ".")) {
      unit = metric_unit(path.substr(expectation.variant.size() + 1));
    }
    switch (unit.value_or(MetricUnit::ratio)) {
      case MetricUnit::share:
        return decimal(rounded(expectation.value * 100)) + "%";
      case MetricUnit::milliseconds:
        return decimal(expectation.value) + " ms";
      case MetricUnit::seconds:
        return decimal(expectation.value) + " s";
      case MetricUnit::ru:
        return decimal(expectation.value) + " RU";
      case MetricUnit::ru_per_second:
        return decimal(expectation.value) + " RU/s";
      case MetricUnit::bytes:
        return decimal(expectation.value) + " B";
      case MetricUnit::usd:
        return "$" + decimal(expectation.value);
      case MetricUnit::count:
      case MetricUnit::ratio:
        break;
    }
    return decimal(expectation.value);
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
      text += fmt::format("  {} {}", style_.unicode ? "→" : "->", actual_value(expectation));
      append_paragraph(fmt::format("  {}", mark(severity)), tone_of(severity), text, 4);
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
