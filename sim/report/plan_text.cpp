#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "partsim/report/next_step.hpp"
#include "partsim/report/plan_report.hpp"
#include "partsim/report/text.hpp"

#include "expectation_text.hpp"
#include "metric_text.hpp"
#include "numbers.hpp"
#include "paragraph.hpp"
#include "table.hpp"

namespace partsim {
namespace {

constexpr std::size_t kMostRows = 16;
constexpr std::ptrdiff_t kMostLines = 34;  // and a next step
constexpr std::size_t kIndent = 8;

std::string rate(MilliRu mru_per_s) {
  return mru_per_s % kMilliPerRu == 0
             ? grouped(static_cast<std::uint64_t>(mru_per_s / kMilliPerRu)) + " RU/s"
             : in_ru(static_cast<double>(mru_per_s) / static_cast<double>(kMilliPerRu)) + " RU/s";
}

class PlanSummary {
 public:
  PlanSummary(const PlanResult& result, const ScenarioWords& scenario, const TextStyle& style)
      : result_(result), scenario_(scenario), style_(style) {
    style_.width = std::clamp(style_.width, 40U, 120U);
  }

  std::string text() {
    append_target();
    append_answers();
    append_notes();
    append_next_step();
    return std::move(out_);
  }

 private:
  [[nodiscard]] std::string visible(std::string_view text) const {
    return visible_text(text, style_.unicode);
  }
  void append(std::string_view label, std::string_view text, Tone tone = Tone::strong) {
    out_ += paragraph(
        {.label = std::string(label), .tone = tone, .text = visible(text), .indent = kIndent},
        style_);
  }
  [[nodiscard]] bool is_bought() const {
    return result_.lever == Lever::throughput || result_.lever == Lever::autoscale;
  }
  [[nodiscard]] std::string title_of(const PlanAnswer& answer) const {
    return answer.variant == "base" ? result_.name : answer.variant;
  }
  [[nodiscard]] std::string amount_text(std::int64_t amount) const {
    return is_bought() ? rate(amount) : grouped(static_cast<std::uint64_t>(amount));
  }
  [[nodiscard]] std::string sought() const {
    switch (result_.lever) {
      case Lever::throughput:
        return "throughput";
      case Lever::autoscale:
        return "autoscale maximum";
      case Lever::suffixes:
        return "number of suffixes";
      case Lever::partitions:
        break;
    }
    return "number of partitions";
  }

  void append_target() {
    std::string rules;
    for (const std::string& rule : result_.rules) {
      rules += (rules.empty() ? "" : ", ") + rule;
    }
    append("Target", rules);
    append("",
           fmt::format("Sought: the smallest {}{} with which all of it holds in {}.", sought(),
                       is_bought() ? " (in steps of " + rate(result_.step) + ")" : std::string(),
                       result_.seeds == 1 ? std::string("one seed")
                                          : fmt::format("each of {} seeds", result_.seeds)));
  }

  /// As many as leave the whole within a screen.
  void append_notes() {
    std::size_t left_out = 0;
    for (const PlanAnswer& answer : result_.answers) {
      const std::string note =
          "\n" + paragraph({.label = {},
                            .tone = Tone::plain,
                            .text = visible(title_of(answer) + ": " + note_on(answer)),
                            .indent = 2},
                           style_);
      const auto lines =
          std::count(out_.begin(), out_.end(), '\n') + std::count(note.begin(), note.end(), '\n');
      if (lines > kMostLines || left_out > 0) {
        ++left_out;
      } else {
        out_ += note;
      }
    }
    if (left_out > 0) {
      out_ += fmt::format("\n  Notes on {} more variants are in --format json.\n", left_out);
    }
  }

  /// The rule that is nearest to breaking.
  static const RuleOutcome* binding(const PlanTrial& trial) {
    const auto nearest = std::min_element(
        trial.rules.begin(), trial.rules.end(),
        [](const RuleOutcome& a, const RuleOutcome& b) { return a.margin < b.margin; });
    return nearest == trial.rules.end() ? nullptr : &*nearest;
  }

  /// With more digits where fewer would look like the limit itself.
  [[nodiscard]] static std::string measured(const RuleOutcome& rule, const PlanAnswer& answer) {
    return metric_heading(rule.metric) + " " +
           measured_value({rule.rule, answer.variant, rule.value, rule.holds});
  }

  void append_answers() {
    out_ += "\n";
    const bool spreads = result_.lever == Lever::suffixes;
    std::vector<Column> columns{{"variant", ColumnKind::text},
                                {"smallest", ColumnKind::number},
                                {"partitions", ColumnKind::number, 2},
                                {"cost/month", ColumnKind::number, spreads ? 1U : 0U}};
    if (spreads) {
      columns.push_back({"imbalance", ColumnKind::number});
      columns.push_back({"RU/op", ColumnKind::number});
      columns.push_back({"fan-out", ColumnKind::number});
    }
    columns.push_back({"tightest", ColumnKind::text});
    Table table(std::move(columns));
    const std::size_t shown = std::min(result_.answers.size(), kMostRows);
    for (std::size_t i = 0; i < shown; ++i) {
      table.add_row(row_of(result_.answers[i], spreads));
    }
    out_ += table.render(style_);
    if (result_.answers.size() > shown) {
      out_ += fmt::format("  and {} more; --format json has all\n", result_.answers.size() - shown);
    }
  }

  [[nodiscard]] std::vector<Cell> row_of(const PlanAnswer& answer, bool spreads) const {
    std::vector<Cell> row{{visible(title_of(answer))}};
    if (!answer.found) {
      row.push_back({"none", Tone::bad});
      row.resize(spreads ? 8 : 5);
      return row;
    }
    const PlanTrial& found = *answer.found;
    row.push_back({amount_text(found.amount), Tone::good});
    row.push_back({grouped(found.partitions)});
    row.push_back({in_usd(found.per_month_micro)});
    if (spreads) {
      row.push_back({in_times(found.imbalance)});
      row.push_back({in_ru(found.ru_per_operation)});
      row.push_back({in_visits(found.most_partitions_per_operation)});
    }
    const RuleOutcome* rule = binding(found);
    row.push_back({rule == nullptr ? "" : visible(measured(*rule, answer))});
    return row;
  }

  [[nodiscard]] std::string note_on(const PlanAnswer& answer) const {
    return answer.found ? note_on_answer(answer) : note_on_limit(answer);
  }

  [[nodiscard]] std::string note_on_answer(const PlanAnswer& answer) const {
    std::string text;
    if (answer.below) {
      text += fmt::format("{} is not enough", amount_text(answer.below->amount));
      const RuleOutcome* rule = binding(*answer.below);
      text += rule == nullptr ? ". " : fmt::format(" ({}). ", measured(*rule, answer));
    } else {
      text += "no less can be had, or was asked for. ";
    }
    if (!answer.broken_above.empty()) {
      const PlanTrial& first = answer.broken_above.front();
      text += fmt::format("More is not always better: {} with {} partitions breaks a rule again. ",
                          amount_text(first.amount), first.partitions);
    }
    if (answer.grows_from > 0) {
      text += fmt::format(
          "{} partitions cannot have that: raise to {} first, wait until all of them have split, "
          "then lower to {}. ",
          answer.grows_from, rate(answer.even_target_mru_per_s), rate(answer.found->amount));
    }
    if (is_bought()) {
      text += fmt::format("Afterwards it cannot go below {}.", rate(answer.floor_mru_per_s));
    }
    return text;
  }

  [[nodiscard]] std::string note_on_limit(const PlanAnswer& answer) const {
    const PlanHotKey& key = answer.hot_key;
    switch (answer.limit) {
      case PlanLimit::one_key:
        return fmt::format(
            "no {} up to {} helps, because one key is the limit: {} alone asks for {} ({} of the "
            "demand), and the partition it lives on never has more than {}. More partitions do "
            "not help, for a key lives on one. What would: another key, or a suffix that makes at "
            "least {} keys of it.",
            sought(), amount_text(result_.most), quoted(key.key), rate(rounded(key)),
            in_percent(key.share), rate(key.ceiling_mru_per_s), keys_needed(key));
      case PlanLimit::not_throttled:
        return fmt::format(
            "no {} helps: nothing is throttled any more, and a rule breaks all the same{}. It is "
            "not the throughput that decides it.",
            sought(), nearest_miss(answer));
      case PlanLimit::not_sold:
        return "no amount in the range can be bought: " + answer.not_sold;
      case PlanLimit::not_enough:
      case PlanLimit::none:
        break;
    }
    return fmt::format("not even {} is enough{}. The heaviest key, {}, makes {} of the demand.",
                       amount_text(result_.most), nearest_miss(answer), quoted(key.key),
                       in_percent(key.share));
  }

  static MilliRu rounded(const PlanHotKey& key) {
    return (key.demand_mru_per_s + kMilliPerRu / 2) / kMilliPerRu * kMilliPerRu;
  }
  static std::int64_t keys_needed(const PlanHotKey& key) {
    return (key.demand_mru_per_s + key.ceiling_mru_per_s - 1) / key.ceiling_mru_per_s;
  }
  static std::string quoted(std::string_view text) { return "\"" + std::string(text) + "\""; }

  /// The broken rule of the trial that came nearest.
  [[nodiscard]] static std::string nearest_miss(const PlanAnswer& answer) {
    const RuleOutcome* best = nullptr;
    for (const PlanTrial& trial : answer.trials) {
      const RuleOutcome* rule = binding(trial);
      if (rule != nullptr && (best == nullptr || rule->margin > best->margin)) {
        best = rule;
      }
    }
    return best == nullptr ? "" : fmt::format(" ({} at best)", measured(*best, answer));
  }

  void append_next_step() {
    const auto cheapest = std::min_element(
        result_.answers.begin(), result_.answers.end(),
        [](const PlanAnswer& a, const PlanAnswer& b) { return price(a) < price(b); });
    if (cheapest == result_.answers.end()) {
      return;
    }
    out_ += "\n";
    const bool is_key =
        std::any_of(result_.answers.begin(), result_.answers.end(),
                    [](const PlanAnswer& answer) { return answer.limit == PlanLimit::one_key; });
    out_ +=
        next_step_text(cheapest->found ? with_answer(*cheapest) : without_answer(is_key), style_);
  }

  [[nodiscard]] NextStep without_answer(bool is_key) const {
    if (is_key) {
      return {"look for another key", command_words("advise", scenario_)};
    }
    return {"see what decides the rules", command_words("run", scenario_)};
  }

  [[nodiscard]] NextStep with_answer(const PlanAnswer& answer) const {
    const std::int64_t amount = answer.found->amount;
    NextStep step{"see it run", command_words("run", scenario_)};
    if (answer.variant != "base") {
      add_variant(step.command, answer.variant);
    }
    const auto set = [&](std::string_view name, const std::string& value) {
      step.command.push_back("--set " +
                             shell_word(fmt::format("{}.{}={}", result_.path, name, value)));
    };
    switch (result_.lever) {
      case Lever::throughput:
        set("throughput", fmt::format("{} RU/s", amount / kMilliPerRu));
        if (answer.grows_from > 0) {  // more than the stated partitions can have
          set("partitions", fmt::format("{}", answer.found->partitions));
        }
        break;
      case Lever::autoscale:
        set("autoscale", fmt::format("{} RU/s", amount / kMilliPerRu));
        if (answer.grows_from > 0) {
          set("partitions", fmt::format("{}", answer.found->partitions));
        }
        break;
      case Lever::partitions:
        set("partitions", fmt::format("{}", amount));
        break;
      case Lever::suffixes:
        step.why = fmt::format("write {} suffixes into the key, then see it run", amount);
        break;
    }
    return step;
  }

  static std::int64_t price(const PlanAnswer& answer) {
    return answer.found ? answer.found->per_month_micro : INT64_MAX;
  }

  const PlanResult& result_;
  const ScenarioWords& scenario_;
  TextStyle style_;
  std::string out_;
};

}  // namespace

std::string plan_summary(const PlanResult& result, const ScenarioWords& scenario,
                         const TextStyle& style) {
  return PlanSummary(result, scenario, style).text();
}

}  // namespace partsim
