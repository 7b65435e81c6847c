#include <array>
#include <string>

#include "partsim/core/units.hpp"
#include "partsim/report/advice.hpp"

#include "advice_words.hpp"
#include "json_writer.hpp"

namespace partsim {
namespace {

Json load_json(const KeyLoad& load) {
  static constexpr std::array kBases{"exact", "drawn", "rows"};
  Json json{{"basis", kBases.at(static_cast<std::size_t>(load.basis))},
            {"looked_at", load.looked_at},
            {"distinct", load.never_repeats ? Json(nullptr) : Json(load.distinct)},
            {"distinct_is_estimate", load.is_estimate},
            {"never_repeats", load.never_repeats}};
  json["top"] = array_json(load.top, [](const KeyLoad::Value& value) {
    return Json{{"key", value.key}, {"share", fraction(value.share)}};
  });
  json["partition_share"] = array_json(load.partition_share, fraction);
  json["imbalance"] = fraction(load.imbalance());
  json["usable"] = fraction(load.usable());
  return json;
}

Json operation_json(const OperationAdvice& operation) {
  return {{"client", operation.client},
          {"operation", operation_name(operation.kind)},
          {"given", operation.given},
          {"per_s", fraction(operation.per_s)},
          {"partitions", fraction(operation.partitions)},
          {"ru", fraction(operation.ru)},
          {"one_partition_ru", fraction(operation.one_partition_ru)},
          {"refused", operation.is_refused}};
}

Json wall_json(const StorageWall& wall, std::int64_t start_unix_s) {
  static constexpr std::array kKinds{"day",     "no_limit", "no_growth",
                                     "rotates", "expires",  "unique"};
  const bool is_day = wall.kind == StorageWall::Kind::day;
  const double at = static_cast<double>(start_unix_s) + wall.days * 86'400.0;
  const bool has_date = is_day && at < 9.2e9;
  return {{"kind", kKinds.at(static_cast<std::size_t>(wall.kind))},
          {"days", is_day ? fraction(wall.days) : Json(nullptr)},
          {"date", has_date ? Json(format_utc(static_cast<std::int64_t>(at))) : Json(nullptr)},
          {"key_bytes_per_day", fraction(wall.key_bytes_per_day)}};
}

Json key_json(const KeyJudgement& key, const KeyAdvice& advice) {
  Json json{{"key", key.key},
            {"grade", grade_letter(key.grade)},
            {"current", key.is_current},
            {"problem", key.problem.empty() ? Json(nullptr) : Json(key.problem)}};
  json["criteria"] = array_json(key.criteria, [&](const CriterionGrade& each) {
    return Json{{"name", criterion_name(each.criterion)},
                {"grade", grade_letter(each.grade)},
                {"value", fraction(each.value)},
                {"text", criterion_words(each, key, advice)}};
  });
  if (!key.problem.empty()) {
    return json;
  }
  json["load"] = load_json(key.load);
  json["clock_period_s"] = key.clock_period_s;
  json["clock_leads"] = key.clock_leads;
  json["hottest_partition"] = fraction(key.hottest_use);
  json["growth"] = key.growth > 0 ? fraction(key.growth) : Json(nullptr);
  json["operations"] = array_json(key.operations, operation_json);
  json["storage"] = wall_json(key.wall, advice.start_unix_s);
  json["simulated"] = nullptr;
  if (key.simulated) {
    json["simulated"] = {{"throttled_share", fraction(key.simulated->throttled_share)},
                         {"failed_share", fraction(key.simulated->failed_share)},
                         {"slowest_p99_ms", fraction(key.simulated->slowest_p99_ms)},
                         {"slowest_client", key.simulated->slowest_client},
                         {"normalized_peak", fraction(key.simulated->normalized_peak)}};
  }
  return json;
}

Json suffix_json(const SuffixTable& table) {
  Json json{{"key", table.key},
            {"days", table.days},
            {"recommended", table.rows[table.recommended].count}};
  json["rows"] = array_json(table.rows, [](const SuffixRow& row) {
    return Json{{"count", row.count},
                {"usable", fraction(row.usable)},
                {"worst_usable", fraction(row.worst_usable)},
                {"item_partitions", fraction(row.item_partitions)},
                {"item_ru", fraction(row.item_ru)},
                {"prefix_partitions", fraction(row.prefix_partitions)},
                {"prefix_ru", fraction(row.prefix_ru)}};
  });
  return json;
}

}  // namespace

std::string advice_json(const KeyAdvice& advice, const AdviceContext& context) {
  Json json;
  json["format_version"] = "1.0";
  json["generator"] = "partsim " PARTSIM_VERSION;
  json["scenario"] = {{"name", context.scenario},
                      {"variant", context.variant.empty() ? Json(nullptr) : Json(context.variant)},
                      {"container", advice.container},
                      {"partitions", advice.partitions},
                      {"ru_per_s", fraction(advice.ru_per_s)},
                      {"start", format_utc(advice.start_unix_s)},
                      {"simulated_s", fraction(advice.simulated_s)}};
  json["sample"] = nullptr;
  if (advice.sample) {
    json["sample"] = {{"file", context.sample},
                      {"rows", advice.sample->rows},
                      {"rows_replayed", advice.sample->replayed},
                      {"mean_bytes", fraction(advice.sample->mean_bytes)},
                      {"seconds", fraction(advice.sample->seconds)}};
  }
  json["keys"] =
      array_json(advice.keys, [&](const KeyJudgement& key) { return key_json(key, advice); });
  json["suffixes"] = advice.suffixes ? suffix_json(*advice.suffixes) : Json(nullptr);
  json["next_step"] = one_line(context.next_step);
  return json_file(json);
}

}  // namespace partsim
