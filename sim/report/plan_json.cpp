#include <array>
#include <string>

#include "partsim/report/plan_report.hpp"

#include "json_writer.hpp"

namespace partsim {
namespace {

constexpr std::array kLevers{"throughput", "autoscale", "suffixes", "partitions"};
constexpr std::array kLimits{"none", "one_key", "not_throttled", "not_enough", "not_sold"};

bool is_bought(Lever lever) {
  return lever == Lever::throughput || lever == Lever::autoscale;
}

Json amount_json(Lever lever, std::int64_t value) {
  return is_bought(lever) ? amount(value, kMilliPerRu) : Json(value);
}

Json rule_json(const RuleOutcome& rule) {
  return {{"rule", rule.rule},
          {"value", fraction(rule.value)},
          {"holds", rule.holds},
          {"margin", fraction(rule.margin)}};
}

Json trial_json(Lever lever, const PlanTrial& trial) {
  Json json{{"amount", amount_json(lever, trial.amount)},
            {"holds", trial.holds},
            {"replications", trial.replications},
            {"partitions", trial.partitions}};
  json["cost_per_month"] = amount(trial.per_month_micro, 1'000'000);
  json["throttled_share"] = fraction(trial.throttled_share);
  json["imbalance"] = fraction(trial.imbalance);
  json["ru_per_operation"] = fraction(trial.ru_per_operation);
  json["partitions_per_operation"] = fraction(trial.most_partitions_per_operation);
  json["rules"] = array_json(trial.rules, rule_json);
  return json;
}

Json optional_trial(Lever lever, const std::optional<PlanTrial>& trial) {
  return trial ? trial_json(lever, *trial) : Json(nullptr);
}

Json answer_json(Lever lever, const PlanAnswer& answer) {
  Json json{{"variant", answer.variant}};
  json["answer"] = optional_trial(lever, answer.found);
  json["below"] = optional_trial(lever, answer.below);
  json["above"] = optional_trial(lever, answer.above);
  json["breaks_again_at"] = array_json(answer.broken_above, [lever](const PlanTrial& trial) {
    return amount_json(lever, trial.amount);
  });
  if (answer.found && is_bought(lever)) {
    json["grows_from_partitions"] = answer.grows_from > 0 ? Json(answer.grows_from) : Json(nullptr);
    json["even_split_target"] = answer.even_target_mru_per_s > 0
                                    ? amount(answer.even_target_mru_per_s, kMilliPerRu)
                                    : Json(nullptr);
    json["floor_afterwards"] = amount(answer.floor_mru_per_s, kMilliPerRu);
  }
  if (!answer.found) {
    json["limit"] = kLimits.at(static_cast<std::size_t>(answer.limit));
    json["hot_key"] = {{"key", answer.hot_key.key},
                       {"ru_share", fraction(answer.hot_key.share)},
                       {"ru_per_s", amount(answer.hot_key.demand_mru_per_s, kMilliPerRu)},
                       {"ceiling_ru_per_s", amount(answer.hot_key.ceiling_mru_per_s, kMilliPerRu)}};
  }
  json["trials"] = array_json(answer.trials,
                              [lever](const PlanTrial& trial) { return trial_json(lever, trial); });
  return json;
}

}  // namespace

std::string plan_json(const PlanResult& result) {
  Json json;
  json["format_version"] = "1.0";
  json["generator"] = "partsim " PARTSIM_VERSION;
  json["model"] = kModelVersion;
  json["scenario"] = {{"name", result.name}, {"title", result.title}, {"seed", result.seed}};
  json["find"] = kLevers.at(static_cast<std::size_t>(result.lever));
  json["step"] = amount_json(result.lever, result.step);
  json["most"] = amount_json(result.lever, result.most);
  json["seeds"] = result.seeds;
  json["rules"] = array_json(result.rules, [](const std::string& rule) { return Json(rule); });
  json["answers"] = array_json(result.answers, [&result](const PlanAnswer& answer) {
    return answer_json(result.lever, answer);
  });
  return json_file(json);
}

}  // namespace partsim
