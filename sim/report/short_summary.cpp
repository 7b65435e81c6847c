#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "partsim/metrics/derived.hpp"
#include "partsim/report/report.hpp"
#include "partsim/report/text.hpp"

#include "expectation_text.hpp"
#include "layout_text.hpp"
#include "next_step.hpp"
#include "numbers.hpp"
#include "paragraph.hpp"
#include "short_parts.hpp"

namespace partsim {
namespace {

constexpr std::size_t kMostLines = 38;  // of 40: the program tells where it wrote the results
constexpr std::size_t kMostVerdictLines = 4;
constexpr std::size_t kMostFailures = 3;

/// The first lines; the last of them ends in an ellipsis if something was cut off.
std::string first_lines(const std::string& text, std::size_t most, const TextStyle& style) {
  if (count_lines(text) <= most) {
    return text;
  }
  std::size_t end = 0;
  for (std::size_t line = 0; line < most; ++line) {
    end = text.find('\n', end) + 1;
  }
  std::string kept = text.substr(0, end == 0 ? 0 : end - 1);
  if (kept.empty()) {
    return kept;
  }
  const std::string_view mark = style.unicode ? " …" : " ~";
  const std::size_t begin = kept.rfind('\n') == std::string::npos ? 0 : kept.rfind('\n') + 1;
  while (kept.size() > begin && display_width(kept.substr(begin)) + 2 > style.width) {
    kept.erase(std::max(kept.find_last_of(' '), begin));  // a word at a time
  }
  return kept + std::string(mark) + "\n";
}

/// A sentence about a variant, and how much it matters.
struct Statement {
  std::size_t variant = 0;
  int rank = 0;  // lower goes first
  bool leads = false;
  std::string text;  // wrapped
};

class ShortSummary {
 public:
  ShortSummary(const StudyResult& study, const TextStyle& style, const ScenarioWords& scenario)
      : study_(study), style_(style), scenario_(scenario) {
    style_.width = std::clamp(style_.width, 40U, 120U);
    for (const VariantResult& result : study.runs) {
      diagnoses_.push_back(diagnose(result.run));
    }
  }

  /// What always stands there is made first; the rest shares the lines that are left.
  [[nodiscard]] std::string text() const {
    const std::string top = partial_notice() + verdict_part() + title_part();
    const std::string layout = layout_part();
    const std::string bottom = expectations_part() + next_part() + footer_part();
    const std::size_t fixed = count_lines(top) + count_lines(layout) + count_lines(bottom);
    const std::size_t room = kMostLines - std::min(kMostLines, fixed);
    const ShortView view{study_, diagnoses_, style_};
    const Shares needed{count_lines(statements_part(room)), count_lines(short_variants(view, room)),
                        count_lines(short_partitions(view, room))};
    const Shares given = shared(room, needed);
    // what one part leaves of its lines goes to the next
    const std::string variants = short_variants(view, given[1]);
    const std::size_t left = room - count_lines(variants);
    const std::string partitions =
        short_partitions(view, std::max(given[2], left - std::min(left, needed[0])));
    return top + statements_part(left - std::min(left, count_lines(partitions))) + variants +
           partitions + layout + bottom;
  }

 private:
  using Shares = std::array<std::size_t, 3>;  // lines of statements, variants, partitions

  /// Each first gets what it cannot do without,
  /// the variants a row each; then they grow in turns.
  [[nodiscard]] Shares shared(std::size_t room, const Shares& needed) const {
    constexpr std::size_t kAroundRows = 4;
    constexpr std::size_t kMostVariants = 14;
    const Shares least{4, kAroundRows + std::min(study_.runs.size() + 1, kMostVariants), 6};
    Shares given{};
    std::size_t used = 0;
    for (std::size_t i = 0; i < given.size(); ++i) {
      given[i] = std::min({needed[i], least[i], room - used});
      used += given[i];
    }
    for (bool grown = true; grown && used < room;) {
      grown = false;
      for (std::size_t i = 0; i < given.size() && used < room; ++i) {
        if (given[i] < needed[i]) {
          ++given[i];
          ++used;
          grown = true;
        }
      }
    }
    return given;
  }

  [[nodiscard]] std::string visible(std::string_view text) const {
    return visible_text(text, style_.unicode);
  }

  [[nodiscard]] std::string dim_line(std::string_view text) const {
    return paint(shorten(text, style_.width, style_.unicode), Tone::dim, style_) + "\n";
  }

  [[nodiscard]] std::string partial_notice() const {
    if (!study_.partial) {
      return {};
    }
    return paragraph({.label = "PARTIAL",
                      .tone = Tone::warning,
                      .text = "Stopped early: expectations are not judged, variants that had not "
                              "begun are missing.",
                      .indent = 9},
                     style_);
  }

  [[nodiscard]] std::string verdict_part() const {
    Severity worst = Severity::good;
    for (const Diagnosis& diagnosis : diagnoses_) {
      worst = std::max(worst, diagnosis.severity);
    }
    const Tone tone = worst == Severity::good ? Tone::good : Tone::strong;
    return first_lines(paragraph({.label = "Verdict",
                                  .tone = tone,
                                  .text = visible(verdict(study_, diagnoses_)),
                                  .indent = 9},
                                 style_),
                       kMostVerdictLines, style_);
  }

  [[nodiscard]] std::string title_part() const {
    return dim_line(visible(study_.title.empty() ? study_.name : study_.title));
  }

  void add_statement(std::vector<Statement>& all, Statement statement, const std::string& name,
                     const std::string& sentence) const {
    const Severity severity = diagnoses_[statement.variant].severity;
    std::string label;
    if (statement.leads) {
      label = std::string(mark_of(severity, style_));
    }
    statement.text = paragraph({.label = label,
                                .tone = tone_of(severity),
                                .text = visible(statement.leads ? name + sentence : sentence),
                                .indent = 2},
                               style_);
    all.push_back(std::move(statement));
  }

  [[nodiscard]] bool says_the_same(std::size_t a, std::size_t b) const {
    return diagnoses_[a].severity == diagnoses_[b].severity &&
           diagnoses_[a].sentence == diagnoses_[b].sentence &&
           diagnoses_[a].notes == diagnoses_[b].notes;
  }

  /// Variants by what is said of them, those of one group in the order of the file.
  [[nodiscard]] std::vector<std::vector<std::size_t>> groups() const {
    std::vector<std::vector<std::size_t>> all;
    for (std::size_t i = 0; i < study_.runs.size(); ++i) {
      const auto same = std::find_if(all.begin(), all.end(), [&](const auto& group) {
        return says_the_same(group.front(), i);
      });
      if (same == all.end()) {
        all.push_back({i});
      } else {
        same->push_back(i);
      }
    }
    return all;
  }

  /// In the order in which they are told.
  [[nodiscard]] std::vector<Statement> statements() const {
    std::vector<Statement> all;
    const std::size_t best = study_.runs.empty() ? 0 : best_variant(study_, diagnoses_);
    for (const std::vector<std::size_t>& group : groups()) {
      const Diagnosis& diagnosis = diagnoses_[group.front()];
      std::vector<std::string> names;
      names.reserve(group.size());
      for (const std::size_t variant : group) {
        names.push_back(shorten(visible(study_.runs[variant].variant), 24, style_.unicode));
      }
      const std::string lead = study_.runs.size() == 1 ? "" : joined_names(names) + ": ";
      const bool has_best = std::find(group.begin(), group.end(), best) != group.end();
      const int rank = (2 - static_cast<int>(diagnosis.severity)) * 2 + (has_best ? 0 : 1);
      add_statement(all, {group.front(), rank, true, {}}, lead, diagnosis.sentence);
      for (const std::string& note : diagnosis.notes) {
        add_statement(all, {group.front(), 10 + rank, false, {}}, {}, note);
      }
    }
    return all;
  }

  [[nodiscard]] std::string statements_part(std::size_t most_lines) const {
    const std::vector<Statement> all = statements();
    if (all.empty() || most_lines < 2) {
      return {};
    }
    std::vector<std::size_t> order(all.size());
    for (std::size_t i = 0; i < order.size(); ++i) {
      order[i] = i;
    }
    std::stable_sort(order.begin(), order.end(),
                     [&all](std::size_t a, std::size_t b) { return all[a].rank < all[b].rank; });
    std::vector<bool> told(all.size(), false);
    std::size_t used = 1;  // the empty line before
    std::size_t left_out = 0;
    for (const std::size_t i : order) {
      const std::size_t lines = count_lines(all[i].text);
      const bool room_for_rest = used + lines < most_lines || left_out + 1 == all.size();
      // a note without its variant's sentence would hang in the air
      const bool hangs = !all[i].leads && !told[leader_of(all, i)];
      if (!hangs && (room_for_rest || (used + lines <= most_lines && is_last(told, i)))) {
        told[i] = true;
        used += lines;
      } else {
        ++left_out;
      }
    }
    return told_text(all, told, most_lines);
  }

  static std::size_t leader_of(const std::vector<Statement>& all, std::size_t i) {
    while (!all[i].leads) {
      --i;
    }
    return i;
  }

  /// Whether everything but `i` is told.
  static bool is_last(const std::vector<bool>& told, std::size_t i) {
    return static_cast<std::size_t>(std::count(told.begin(), told.end(), true)) + 1 ==
               told.size() &&
           !told[i];
  }

  [[nodiscard]] std::string told_text(const std::vector<Statement>& all,
                                      const std::vector<bool>& told, std::size_t most_lines) const {
    std::string text = "\n";
    std::size_t left_out = 0;
    for (std::size_t i = 0; i < all.size(); ++i) {
      text += told[i] ? all[i].text : std::string();
      left_out += told[i] ? 0U : 1U;
    }
    if (left_out == all.size()) {
      return "\n" + first_lines(all.front().text, most_lines - 1, style_);
    }
    if (left_out > 0 && count_lines(text) < most_lines) {
      text += dim_line(fmt::format("  and {} more: --summary full", left_out));
    }
    return text;
  }

  /// One line: when and how stands in the full summary.
  [[nodiscard]] std::string layout_part() const {
    std::string text;
    std::size_t changed = 0;
    for (const VariantResult& result : study_.runs) {
      const std::string counts = layout_counts(result.run);
      if (!counts.empty()) {
        ++changed;
        text += text.empty() ? "" : "; ";
        text += study_.runs.size() == 1 ? counts : visible(result.variant) + " " + counts;
      }
    }
    if (changed == 0) {
      return {};
    }
    constexpr std::string_view kHint = " (--summary full)";
    const std::size_t room = style_.width - std::min<std::size_t>(style_.width, kHint.size());
    return paint(shorten("Layout changed: " + text, room, style_.unicode) + std::string(kHint),
                 Tone::dim, style_) +
           "\n";
  }

  [[nodiscard]] std::string expectation_line(const ExpectationResult& expectation) const {
    std::string rule = visible(expectation.rule);
    if (study_.runs.size() > 1 && !expectation.rule.starts_with(expectation.variant + ".")) {
      rule += fmt::format(" [{}]", visible(expectation.variant));
    }
    const std::string value =
        fmt::format("  {} {}", style_.unicode ? "→" : "->", measured_value(expectation));
    const std::size_t room = style_.width - 2 - display_width(value);
    return paint(mark_of(Severity::bad, style_), Tone::bad, style_) + " " +
           shorten(rule, room, style_.unicode) + value + "\n";
  }

  [[nodiscard]] std::string expectations_part() const {
    if (study_.expectations.empty()) {
      return {};
    }
    const std::size_t all = study_.expectations.size();
    std::string text = "\n";
    std::size_t failed = 0;
    for (const ExpectationResult& expectation : study_.expectations) {
      if (!expectation.passed && ++failed <= kMostFailures) {
        text += expectation_line(expectation);
      }
    }
    if (failed > kMostFailures) {
      const std::string rest =
          fmt::format("  and {} more failed, all in results.json", failed - kMostFailures);
      text += paint(shorten(rest, style_.width, style_.unicode), Tone::bad, style_) + "\n";
    }
    const Severity severity = failed == 0 ? Severity::good : Severity::bad;
    text += paint(mark_of(severity, style_), tone_of(severity), style_) +
            fmt::format(" {} of {} expectation{} met\n", all - failed, all, all == 1 ? "" : "s");
    return text;
  }

  [[nodiscard]] std::string next_part() const {
    const NextStep next = next_step(study_, diagnoses_, scenario_);
    return (study_.expectations.empty() ? "\n" : "") + next_step_text(next, style_);
  }

  [[nodiscard]] std::string footer_part() const {
    if (study_.runs.empty()) {
      return {};
    }
    std::uint64_t attempts = 0;
    for (const VariantResult& result : study_.runs) {
      attempts += result.run.events;
    }
    const RunResult& first = study_.runs.front().run;
    std::string text = fmt::format("{} attempts simulated, seed {}, model {}", in_short(attempts),
                                   first.seed, kModelVersion);
    text += study_.runs.size() == 1
                ? fmt::format(", digest {:016x}", first.digest)
                : fmt::format(", {} variants; all: --summary full", study_.runs.size());
    return dim_line(text);
  }

  const StudyResult& study_;
  TextStyle style_;
  const ScenarioWords& scenario_;
  std::vector<Diagnosis> diagnoses_;
};

}  // namespace

std::string short_summary(const StudyResult& study, const TextStyle& style,
                          const ScenarioWords& scenario) {
  return ShortSummary(study, style, scenario).text();
}

}  // namespace partsim
