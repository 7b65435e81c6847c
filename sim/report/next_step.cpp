#include "next_step.hpp"

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

#include "partsim/report/text.hpp"

#include "expectation_text.hpp"

namespace partsim {
namespace {

constexpr std::string_view kUsualTarget = "throttled_share < 1%";

class Steps {
 public:
  Steps(const StudyResult& study, const std::vector<Diagnosis>& diagnoses,
        const ScenarioWords& scenario)
      : study_(study), diagnoses_(diagnoses), scenario_(scenario) {}

  [[nodiscard]] NextStep choose() const {
    if (study_.partial || study_.runs.empty()) {
      return {"let it run to the end", command_words("run", scenario_)};
    }
    if (const ExpectationResult* failed = first_failed()) {
      return after_failure(*failed);
    }
    const std::size_t best = best_variant(study_, diagnoses_);
    if (diagnoses_[best].severity != Severity::good) {
      return against(diagnoses_[best], best);
    }
    if (!study_.expectations.empty()) {
      return {"keep it so, in a pipeline", command_words("check", scenario_)};
    }
    return plan("find out what less throughput would do", std::string(kUsualTarget), best);
  }

 private:
  [[nodiscard]] const ExpectationResult* first_failed() const {
    const auto found = std::find_if(study_.expectations.begin(), study_.expectations.end(),
                                    [](const ExpectationResult& e) { return !e.passed; });
    return found == study_.expectations.end() ? nullptr : &*found;
  }

  /// More throughput only helps where throughput is what lacks, and a single busy key gets none
  /// of it.
  [[nodiscard]] NextStep after_failure(const ExpectationResult& failed) const {
    const std::optional<std::size_t> index = index_of(failed.variant);
    if (index && diagnoses_[*index].needs_another_key) {
      return other_keys(*index);
    }
    if (index && wants_less_of_what_throughput_lowers(failed)) {
      return plan("find the smallest throughput that meets this", failed.rule, *index);
    }
    return all_there_is();
  }

  [[nodiscard]] NextStep against(const Diagnosis& diagnosis, std::size_t variant) const {
    if (diagnosis.needs_another_key) {
      return other_keys(variant);
    }
    switch (diagnosis.cause) {
      case Cause::overload:
      case Cause::bursts:
      case Cause::outgrown:
        return plan("find the smallest throughput that meets this", std::string(kUsualTarget),
                    variant);
      case Cause::idle:
        return {"see what the scenario says when it is resolved",
                command_words("explain", scenario_)};
      default:
        return all_there_is();
    }
  }

  [[nodiscard]] NextStep other_keys(std::size_t variant) const {
    return {"compare keys: no throughput helps a key that is too busy",
            command_for("advise", variant)};
  }

  /// The command, the file, and which variant if there are several.
  [[nodiscard]] std::vector<std::string> command_for(const std::string& command,
                                                     std::size_t variant) const {
    std::vector<std::string> words = command_words(command, scenario_);
    if (study_.runs.size() > 1) {
      add_variant(words, study_.runs[variant].variant);
    }
    return words;
  }

  [[nodiscard]] NextStep all_there_is() const {
    std::vector<std::string> command = command_words("run", scenario_);
    command.emplace_back("--summary full");
    return {"see every client, partition and change", std::move(command)};
  }

  /// A plan turns one amount of throughput, so it takes containers that buy it together.
  [[nodiscard]] bool can_plan(std::size_t variant) const {
    const std::vector<PartitionResult>& partitions = study_.runs[variant].run.partitions;
    return std::all_of(partitions.begin(), partitions.end(), [&](const PartitionResult& each) {
      return each.container == partitions.front().container;
    });
  }

  [[nodiscard]] NextStep plan(std::string why, std::string target, std::size_t variant) const {
    if (!can_plan(variant)) {
      return all_there_is();
    }
    std::vector<std::string> command = command_for("plan", variant);
    const std::string prefix = study_.runs[variant].variant + ".";
    if (study_.runs.size() > 1 && target.starts_with(prefix)) {
      target.erase(0, prefix.size());
    }
    command.push_back("--target " + shell_word(target));
    return {std::move(why), std::move(command)};
  }

  [[nodiscard]] std::optional<std::size_t> index_of(const std::string& variant) const {
    for (std::size_t i = 0; i < study_.runs.size(); ++i) {
      if (study_.runs[i].variant == variant) {
        return i;
      }
    }
    return std::nullopt;
  }

  const StudyResult& study_;
  const std::vector<Diagnosis>& diagnoses_;
  const ScenarioWords& scenario_;
};

}  // namespace

NextStep next_step(const StudyResult& study, const std::vector<Diagnosis>& diagnoses,
                   const ScenarioWords& scenario) {
  return Steps(study, diagnoses, scenario).choose();
}

}  // namespace partsim
