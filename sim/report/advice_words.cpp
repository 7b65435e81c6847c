#include "advice_words.hpp"

#include <algorithm>
#include <array>
#include <vector>

#include <fmt/format.h>

#include "partsim/core/units.hpp"
#include "partsim/report/text.hpp"

#include "numbers.hpp"

namespace partsim {
namespace {

std::string period_words(std::int64_t period_s) {
  switch (period_s) {
    case 86'400:
      return "day";
    case 3'600:
      return "hour";
    case 60:
      return "minute";
    default:
      return "second";
  }
}

bool reads(OperationKind kind) {
  return kind == OperationKind::read || kind == OperationKind::query ||
         kind == OperationKind::read_feed;
}

bool is_transaction(OperationKind kind) {
  return kind == OperationKind::batch || kind == OperationKind::script;
}

std::string joined(const std::vector<std::string>& words, std::string_view between) {
  std::string text;
  for (const std::string& word : words) {
    text += (text.empty() ? "" : std::string(between)) + word;
  }
  return text;
}

std::string days_words(double days) {
  if (days < 2.0 / 24) {
    return fmt::format("in {} min", static_cast<std::int64_t>(days * 1'440));
  }
  if (days < 2) {
    return fmt::format("in {} h", static_cast<std::int64_t>(days * 24));
  }
  if (days < 3'653) {
    return fmt::format("in {} days", grouped(static_cast<std::uint64_t>(days)));
  }
  return fmt::format("in {} years", grouped(static_cast<std::uint64_t>(std::min(days, 1e9) / 365)));
}

}  // namespace

std::string_view grade_letter(Grade grade) noexcept {
  static constexpr std::array<std::string_view, 5> kLetters{"A", "B", "C", "D", "F"};
  return kLetters.at(static_cast<std::size_t>(grade));
}

Tone grade_tone(Grade grade) noexcept {
  if (grade <= Grade::b) {
    return Tone::good;
  }
  return grade <= Grade::d ? Tone::warning : Tone::bad;
}

std::string_view criterion_name(Criterion criterion) noexcept {
  static constexpr std::array<std::string_view, 9> kNames{
      "throttled_share", "failed_share", "p99_ms", "hottest_partition", "growth", "extra_read_ru",
      "storage_days",    "transactions", "key"};
  return kNames.at(static_cast<std::size_t>(criterion));
}

std::string_view operation_name(OperationKind kind) noexcept {
  static constexpr std::array<std::string_view, 10> kNames{
      "create", "read",   "query",     "upsert", "replace",
      "patch",  "delete", "read_feed", "batch",  "script"};
  return kNames.at(static_cast<std::size_t>(kind));
}

std::string storage_words(const KeyJudgement& key, const KeyAdvice& advice) {
  const std::string limit = in_bytes(advice.key_limit_bytes);
  switch (key.wall.kind) {
    case StorageWall::Kind::no_limit:
      return "a logical partition has no limit";
    case StorageWall::Kind::no_growth:
      return fmt::format("never {}: nothing is added", limit);
    case StorageWall::Kind::rotates:
      return fmt::format("never {}: a key takes writes for one {}", limit,
                         period_words(key.clock_period_s));
    case StorageWall::Kind::expires:
      return fmt::format("never {}: items expire before", limit);
    case StorageWall::Kind::unique:
      return fmt::format("never {}: a key holds one item", limit);
    case StorageWall::Kind::day:
      break;
  }
  const double days = key.wall.days;
  std::string date;
  const double at = static_cast<double>(advice.start_unix_s) + days * 86'400.0;
  if (at < 9.2e9) {  // the last year that times are written in
    date = " (" + format_utc(static_cast<std::int64_t>(at)).substr(0, 10) + ")";
  }
  return fmt::format("the heaviest key has {} {}{}", limit, days_words(days), date);
}

std::string criterion_words(const CriterionGrade& criterion, const KeyJudgement& key,
                            const KeyAdvice& advice) {
  const double value = criterion.value;
  switch (criterion.criterion) {
    case Criterion::throttled:
      return value > 0 ? in_percent(value) + " of attempts throttled (429)"
                       : "no attempt throttled (429)";
    case Criterion::failed:
      return value > 0 ? in_percent(value) + " of operations failed" : "no operation failed";
    case Criterion::latency:
      return fmt::format("p99 {} ({})", in_ms(value), key.simulated->slowest_client);
    case Criterion::hottest:
      return fmt::format("hottest partition asked for {} of its RU/s", in_percent(value));
    case Criterion::hot_key:
      return value < 0 ? "no hot key"
                       : fmt::format("{} times this load before one key fills a partition",
                                     in_times(std::min(value, 1e9)));
    case Criterion::reads:
      return value > 0
                 ? fmt::format("asking several partitions costs {} of the RU/s", in_percent(value))
                 : "no operation asks more partitions than it must";
    case Criterion::storage:
      return storage_words(key, advice);
    case Criterion::transactions:
      return value > 0 ? "transactions over several logical partitions are refused (400)"
                       : "transactions stay in one logical partition";
    case Criterion::key:
      break;
  }
  return "the service does not take it: " + key.problem;
}

std::string value_words(const KeyJudgement& key) {
  const KeyLoad& load = key.load;
  std::string text;
  if (load.never_repeats) {
    text = "A key value for each item";
  } else {
    const std::string_view about = !load.is_estimate                    ? ""
                                   : load.basis == KeyLoad::Basis::rows ? "about "
                                                                        : "up to ";
    text = fmt::format("{}{} key {}", about, in_short(load.distinct),
                       load.distinct == 1 ? "value takes" : "values take");
    text += key.clock_period_s > 0 ? " writes at the same time" : " writes";
    if (!text.empty() && !about.empty()) {
      text.front() = about.front() == 'a' ? 'A' : 'U';
    }
  }
  if (key.clock_period_s > 0) {
    text +=
        fmt::format("{}, others each {}", key.clock_leads ? ", all with the clock in front" : "",
                    period_words(key.clock_period_s));
  }
  const bool even = !load.top.empty() && load.distinct > 1 &&
                    load.top.front().share * static_cast<double>(load.distinct) < 1.01;
  if (even) {
    text += ", all alike";
  } else if (!load.top.empty() && load.distinct > 1) {
    text += fmt::format("; the heaviest, {}, takes {}", load.top.front().key,
                        in_percent(load.top.front().share));
  }
  if (load.basis == KeyLoad::Basis::drawn) {
    text += fmt::format(" ({} items drawn)", grouped(load.looked_at));
  }
  return text + ".";
}

std::string operation_words(const KeyJudgement& key) {
  std::vector<std::string> lines;
  for (const OperationAdvice& each : key.operations) {
    if (each.kind == OperationKind::create || each.kind == OperationKind::upsert) {
      continue;
    }
    if (each.is_refused) {
      lines.push_back(fmt::format("{} {}: refused (400)", each.client, operation_name(each.kind)));
      continue;
    }
    if (each.partitions < 1.005) {
      continue;  // nothing to tell
    }
    lines.push_back(fmt::format("{} {} knows {}: {} partitions, {} RU", each.client,
                                operation_name(each.kind),
                                each.given.empty() ? "nothing" : joined(each.given, "+"),
                                in_visits(each.partitions), in_ru(each.ru)));
  }
  return joined(lines, "; ");
}

std::string transaction_words(const KeyJudgement& key) {
  const bool has_one =
      std::any_of(key.operations.begin(), key.operations.end(),
                  [](const OperationAdvice& each) { return is_transaction(each.kind); });
  if (has_one) {
    return "";
  }
  if (key.load.never_repeats) {
    return "A transaction could write one item only.";
  }
  std::vector<std::string> fields;
  bool random = false;
  for (const KeyTemplate& level : key.levels) {
    for (const KeyPart& part : level.parts) {
      const auto* value = std::get_if<FieldValue>(&part);
      const auto* hashed = std::get_if<HashedSuffix>(&part);
      random = random || std::holds_alternative<RandomSuffix>(part);
      if (value != nullptr || hashed != nullptr) {
        fields.push_back(value != nullptr ? value->field : "suffix by " + hashed->field);
      }
    }
  }
  if (random) {
    fields.emplace_back("random number");
  }
  return fields.empty() ? "A transaction could write any items together."
                        : fmt::format("A transaction could write items of one {} together.",
                                      joined(fields, " and "));
}

std::string reader_words(const KeyJudgement& key) {
  const OperationAdvice* widest = nullptr;
  for (const OperationAdvice& each : key.operations) {
    if (reads(each.kind) && (widest == nullptr || each.partitions > widest->partitions)) {
      widest = &each;
    }
  }
  if (widest == nullptr) {
    return "nothing is read";
  }
  if (widest->partitions < 1.005) {
    return "reads stay on one partition";
  }
  return fmt::format("a {} of {} asks {} partitions", operation_name(widest->kind), widest->client,
                     in_visits(widest->partitions));
}

}  // namespace partsim
