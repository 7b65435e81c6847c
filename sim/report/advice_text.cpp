#include <algorithm>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "partsim/report/advice.hpp"
#include "partsim/report/text.hpp"

#include "advice_words.hpp"
#include "numbers.hpp"
#include "paragraph.hpp"
#include "table.hpp"

namespace partsim {
namespace {

constexpr std::size_t kShownKeys = 5;
constexpr std::size_t kIndent = 4;

class AdviceText {
 public:
  AdviceText(const KeyAdvice& advice, const AdviceContext& context, const TextStyle& style)
      : advice_(advice), context_(context), style_(style) {
    style_.width = std::clamp(style_.width, 40U, 120U);
  }

  std::string text() {
    append_verdict();
    append_keys();
    append_reasons();
    append_suffixes();
    out_ += "\n";
    out_ += next_step_text(context_.next_step, style_);
    return out_;
  }

 private:
  [[nodiscard]] std::string visible(std::string_view text) const {
    return visible_text(text, style_.unicode);
  }
  void append(std::string label, Tone tone, std::string_view text, std::size_t indent) {
    out_ += paragraph({std::move(label), tone, visible(text), indent}, style_);
  }

  /// The worst of a key's criteria in words.
  [[nodiscard]] std::string fault_of(const KeyJudgement& key) const {
    const auto worst = std::max_element(
        key.criteria.begin(), key.criteria.end(),
        [](const CriterionGrade& a, const CriterionGrade& b) { return a.grade < b.grade; });
    return worst == key.criteria.end() ? "" : criterion_words(*worst, key, advice_);
  }

  void append_verdict() {
    const KeyJudgement& best = advice_.keys.front();
    const std::string merits =
        fmt::format("{} usable, {}", in_percent(best.load.usable()), reader_words(best));
    std::string text;
    if (!best.problem.empty()) {
      text = fmt::format("no key can be used; {}: {}", best.key, fault_of(best));
    } else if (best.grade >= Grade::d) {
      text = fmt::format("no good key: the best is {}, grade {}: {}", best.key,
                         grade_letter(best.grade), fault_of(best));
    } else {
      text = fmt::format("{} {}: {}", best.is_current ? "keep" : "use", best.key, merits);
    }
    const bool good = best.grade <= Grade::b;
    for (const std::string& line : wrap(visible(text), style_.width)) {
      out_ += paint(line, good ? Tone::good : Tone::strong, style_) + "\n";
    }
    const KeyJudgement* current = advice_.current();
    if (current != nullptr && !best.is_current) {
      append("", Tone::plain,
             fmt::format("now {}, grade {}: {}", current->key, grade_letter(current->grade),
                         fault_of(*current)),
             0);
    }
  }

  [[nodiscard]] std::string source() const {
    std::string text =
        fmt::format("{}, {} {}, {} RU/s", advice_.container, grouped(advice_.partitions),
                    advice_.partitions == 1 ? "partition" : "partitions",
                    grouped(static_cast<std::uint64_t>(advice_.ru_per_s)));
    if (advice_.sample) {
      text += fmt::format(", {} rows", grouped(advice_.sample->rows));
    }
    return text;
  }

  void append_keys() {
    out_ += heading("Keys", visible(source()), style_);
    Table table({{"", ColumnKind::text},
                 {"key", ColumnKind::text},
                 {"usable", ColumnKind::number, 4},
                 {"hottest", ColumnKind::number, 3},
                 {"429s", ColumnKind::number},
                 {"p99", ColumnKind::number, 1},
                 {"read RU", ColumnKind::number},
                 {"full in", ColumnKind::number, 2}});
    std::size_t shown = 0;
    for (const KeyJudgement& key : advice_.keys) {
      if (shown < kShownKeys || key.is_current) {
        add_row(table, key);
        ++shown;
      }
    }
    out_ += table.render(style_);
    std::string notes;
    if (shown < advice_.keys.size()) {
      notes = fmt::format("{} more in --format json. ", advice_.keys.size() - shown);
    }
    const bool unseen =
        std::any_of(advice_.keys.begin(), advice_.keys.end(),
                    [](const KeyJudgement& key) { return !key.simulated && key.problem.empty(); });
    notes += unseen ? "-: not simulated, the grade is the best it can get." : "";
    if (!notes.empty()) {
      append("", Tone::plain, notes, 2);
    }
  }

  [[nodiscard]] std::string full_in(const KeyJudgement& key) const {
    if (!key.problem.empty()) {
      return "-";
    }
    if (key.wall.kind != StorageWall::Kind::day) {
      return "never";
    }
    return key.wall.days < 2
               ? in_clock(static_cast<std::int64_t>(key.wall.days * 1'440) * 60 * kSecond)
               : fmt::format("{} d",
                             in_short(static_cast<std::uint64_t>(std::min(key.wall.days, 1e12))));
  }

  /// Mean over the operations that read.
  static std::string read_ru(const KeyJudgement& key) {
    double ru = 0;
    double rate = 0;
    for (const OperationAdvice& each : key.operations) {
      const bool reads = each.kind == OperationKind::read || each.kind == OperationKind::query ||
                         each.kind == OperationKind::read_feed;
      ru += reads ? each.per_s * each.ru : 0;
      rate += reads ? each.per_s : 0;
    }
    return rate > 0 ? in_ru(ru / rate) : "-";
  }

  void add_row(Table& table, const KeyJudgement& key) {
    const bool sound = key.problem.empty();
    const auto& run = key.simulated;
    table.add_row({{std::string(grade_letter(key.grade)), grade_tone(key.grade)},
                   {visible(key.key + (key.is_current ? "  (now)" : ""))},
                   {sound ? in_percent(key.load.usable()) : "-"},
                   {sound ? in_percent(key.hottest_use) : "-"},
                   {run ? in_percent(run->throttled_share) : "-"},
                   {run && run->slowest_p99_ms > 0 ? in_ms(run->slowest_p99_ms) : "-"},
                   {sound ? read_ru(key) : "-"},
                   {full_in(key)}});
  }

  void append_reasons() {
    const KeyJudgement& best = advice_.keys.front();
    append_reasons_of(best, Grade::a);
    append_facts(best);
    const KeyJudgement* current = advice_.current();
    if (current != nullptr && current != &best) {
      append_reasons_of(*current, std::min(current->grade, Grade::c));
    }
  }

  /// Its criteria by grade, worst first, down to the best that is told.
  void append_reasons_of(const KeyJudgement& key, Grade best_told) {
    out_ += heading(visible(fmt::format("Why {} for {}", grade_letter(key.grade), key.key)),
                    key.is_current ? "the key of now" : "", style_);
    for (int grade = static_cast<int>(Grade::f); grade >= static_cast<int>(best_told); --grade) {
      std::string text;
      for (const CriterionGrade& each : key.criteria) {
        if (static_cast<int>(each.grade) == grade) {
          text += (text.empty() ? "" : "; ") + criterion_words(each, key, advice_);
        }
      }
      if (!text.empty()) {
        const auto letter = static_cast<Grade>(grade);
        append("  " + std::string(grade_letter(letter)), grade_tone(letter), text, kIndent);
      }
    }
  }

  void append_facts(const KeyJudgement& key) {
    if (key.problem.empty()) {
      std::string facts = value_words(key);
      const std::string operations = operation_words(key);
      facts += operations.empty() ? "" : " " + operations + ".";
      const std::string transactions = transaction_words(key);
      facts += transactions.empty() ? "" : " " + transactions;
      append("", Tone::plain, facts, kIndent);
    }
  }

  void append_suffixes() {
    if (!advice_.suffixes) {
      return;
    }
    const SuffixTable& suffixes = *advice_.suffixes;
    const SuffixRow& enough = suffixes.rows[suffixes.recommended];
    out_ += heading(
        visible(fmt::format("How many suffixes for {}", suffixes.key)),
        fmt::format("{} {} enough", grouped(enough.count), enough.count == 1 ? "is" : "are"),
        style_);
    Table table({{"S"},
                 {"usable"},
                 {"worst day", ColumnKind::number, 1},
                 {"one item"},
                 {"RU"},
                 {"all of a prefix", ColumnKind::number, 2},
                 {"RU at least", ColumnKind::number, 3}});
    for (std::size_t i = 0; i < suffixes.rows.size(); ++i) {
      const SuffixRow& row = suffixes.rows[i];
      const bool is_between = (row.count > 1 && row.count < 100) || row.count == 200;
      if (is_between && i != suffixes.recommended) {
        continue;  // all are in the JSON
      }
      const Tone tone = i == suffixes.recommended ? Tone::good : Tone::plain;
      table.add_row({{grouped(row.count), tone},
                     {in_percent(row.usable), tone},
                     {in_percent(row.worst_usable)},
                     {in_visits(row.item_partitions)},
                     {in_ru(row.item_ru)},
                     {in_visits(row.prefix_partitions)},
                     {in_ru(row.prefix_ru)}});
    }
    out_ += table.render(style_);
    std::string rule = fmt::format("Enough: the fewest with {} of the best usable share",
                                   in_percent(kSuffixEnough));
    rule += suffixes.days > 1 ? fmt::format(", median of {} days.", suffixes.days) : ".";
    append("", Tone::dim, rule, 2);
  }

  const KeyAdvice& advice_;
  const AdviceContext& context_;
  TextStyle style_;
  std::string out_;
};

}  // namespace

std::string advice_text(const KeyAdvice& advice, const AdviceContext& context,
                        const TextStyle& style) {
  return AdviceText(advice, context, style).text();
}

}  // namespace partsim
