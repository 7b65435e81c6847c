#include "diagnosis.hpp"

#include <algorithm>
#include <optional>
#include <string_view>

#include <fmt/format.h>

#include "numbers.hpp"

namespace partsim {
namespace {

// The vendor's yardsticks: 1 to 5 % of 429s is healthy if partitions are even; one range at 100 %
// with the others at or below 30 % is the sign of a hot partition.
constexpr double kHealthyFrom = 0.01;
constexpr double kHealthyTo = 0.05;
constexpr double kIdleOthers = 0.30;
// Ours: from twice the mean the hottest partition, not the total, decides what can be used.
constexpr double kHotImbalance = 2.0;
constexpr double kEvenImbalance = 1.5;
constexpr double kDominantKey = 0.2;
constexpr double kFanOut = 1.05;

/// What the sentences are made of.
struct Evidence {
  const PartitionResult* hottest = nullptr;
  std::size_t partitions = 0;
  std::size_t burning = 0;     // partitions that throttle more than is healthy
  double worst_throttled = 0;  // of any partition
  double throttled = 0;        // of all attempts
  double load = 0;             // hottest partition's part of the demand
  double hottest_used = 0;     // of its share
  double others_used = 0;      // of theirs, together
  double demand = 0;           // first attempts' RU over provisioned RU
  double imbalance = 1;
};

double ratio(double part, double whole) {
  return whole > 0 ? part / whole : 0.0;
}

Evidence gather(const RunResult& run) {
  Evidence evidence;
  evidence.partitions = run.partitions.size();
  evidence.throttled = run.throttled_share();
  evidence.imbalance = run.imbalance();
  const std::optional<std::size_t> hottest = hottest_partition(run);
  if (!hottest) {
    return evidence;
  }
  evidence.hottest = &run.partitions[*hottest];
  double demand_mru = 0;
  double others_consumed_mru = 0;
  double others_share_mru = 0;
  for (const PartitionResult& partition : run.partitions) {
    demand_mru += static_cast<double>(partition.demand_mru);
    evidence.worst_throttled = std::max(evidence.worst_throttled, throttled_share(partition));
    evidence.burning += throttled_share(partition) > kHealthyTo ? 1U : 0U;
    if (partition.id != evidence.hottest->id) {
      others_consumed_mru += static_cast<double>(partition.consumed_mru);
      others_share_mru += static_cast<double>(partition.share_mru_per_s);
    }
  }
  evidence.load = ratio(static_cast<double>(evidence.hottest->demand_mru), demand_mru);
  evidence.hottest_used = mean_utilization(run, *evidence.hottest);
  evidence.others_used = ratio(others_consumed_mru, others_share_mru * run.counted_seconds());
  evidence.demand =
      ratio(demand_mru, static_cast<double>(run.provisioned_mru_per_s) * run.counted_seconds());
  return evidence;
}

Cause find_cause(const RunResult& run, const Evidence& evidence) {
  if (evidence.hottest == nullptr || run.total().attempts == 0) {
    return Cause::idle;
  }
  // judged by the worst partition: one that burns must not hide in an average
  if (evidence.worst_throttled < kHealthyFrom) {
    return Cause::calm;
  }
  const bool others_idle = evidence.partitions > 1 && evidence.others_used <= kIdleOthers &&
                           evidence.imbalance >= kEvenImbalance;
  if (others_idle || evidence.imbalance >= kHotImbalance) {
    return Cause::hot_partition;
  }
  if (evidence.worst_throttled <= kHealthyTo && evidence.imbalance < kEvenImbalance) {
    return Cause::healthy;
  }
  if (evidence.demand > 1.0) {
    return Cause::overload;
  }
  return evidence.imbalance > 1.1 ? Cause::uneven : Cause::bursts;
}

Severity severity_of(Cause cause, const Evidence& evidence) {
  switch (cause) {
    case Cause::calm:
    case Cause::healthy:
      return Severity::good;
    case Cause::idle:
      return Severity::warning;
    case Cause::hot_partition:
    case Cause::overload:
    case Cause::uneven:
    case Cause::bursts:
      break;
  }
  return evidence.worst_throttled > kHealthyTo ? Severity::bad : Severity::warning;
}

std::string share_text(const PartitionResult& partition) {
  return grouped(static_cast<std::uint64_t>(partition.share_mru_per_s / kMilliPerRu)) + " RU/s";
}

std::string calm_sentence(const Evidence& evidence) {
  const std::string lead = evidence.throttled > 0 ? fmt::format("Only {} of the attempts met a 429",
                                                                in_percent(evidence.throttled))
                                                  : std::string("No attempt met a 429");
  if (evidence.partitions == 1) {
    return fmt::format("{}: the one partition uses {} of its {}", lead,
                       in_percent(evidence.hottest_used), share_text(*evidence.hottest));
  }
  return fmt::format(
      "{}: the busiest partition, {} of {}, uses {} of its {} and the load is {} "
      "(imbalance {})",
      lead, evidence.hottest->id, evidence.partitions, in_percent(evidence.hottest_used),
      share_text(*evidence.hottest), evidence.imbalance < kEvenImbalance ? "even" : "uneven",
      in_times(evidence.imbalance));
}

std::string hot_sentence(const Evidence& evidence) {
  const PartitionResult& hottest = *evidence.hottest;
  std::string text = fmt::format(
      "Partition {} of {} takes {} of the load and is at {} of its {} while the others {} at {}: "
      "{}",
      hottest.id, evidence.partitions, in_percent(evidence.load), in_percent(evidence.hottest_used),
      share_text(hottest), evidence.others_used <= kIdleOthers ? "idle" : "are",
      in_percent(evidence.others_used),
      evidence.burning > 1 ? fmt::format("one of {} hot partitions", evidence.burning)
                           : "a hot partition");
  if (evidence.demand > 1.0) {
    text += fmt::format(", and the demand as a whole is {} of what is provisioned",
                        in_percent(evidence.demand));
  }
  return text;
}

std::string overload_sentence(const RunResult& run, const Evidence& evidence) {
  const std::string provisioned =
      grouped(static_cast<std::uint64_t>(run.provisioned_mru_per_s / kMilliPerRu));
  const std::string where =
      evidence.partitions == 1 ? std::string("the one partition is full")
      : evidence.burning == evidence.partitions
          ? fmt::format("all {} partitions are full", evidence.partitions)
          : fmt::format("{} of {} partitions are full", evidence.burning, evidence.partitions);
  return fmt::format("Overload: the demand is {} of the {} RU/s provisioned and {}; {}",
                     in_percent(evidence.demand), provisioned, where,
                     "no key can mend that, only more RU/s or fewer requests");
}

std::string sentence_of(Cause cause, const RunResult& run, const Evidence& evidence) {
  switch (cause) {
    case Cause::idle:
      return "No attempt was counted: nothing can be said";
    case Cause::calm:
      return calm_sentence(evidence);
    case Cause::healthy:
      return fmt::format(
          "{} of the attempts met a 429 and the partitions are even (imbalance {}): "
          "within the healthy 1 to 5 %",
          in_percent(evidence.throttled), in_times(evidence.imbalance));
    case Cause::hot_partition:
      return hot_sentence(evidence);
    case Cause::overload:
      return overload_sentence(run, evidence);
    case Cause::uneven:
      return fmt::format(
          "The total demand is only {} of what is provisioned, but partition {} of {} "
          "gets {} times the average and throttles {} of its attempts: an uneven key",
          in_percent(evidence.demand), evidence.hottest->id, evidence.partitions,
          in_times(evidence.imbalance), in_percent(throttled_share(*evidence.hottest)));
    case Cause::bursts:
      return fmt::format(
          "The demand is {} of what is provisioned and evenly spread, but it comes in "
          "bursts: {} of the attempts met a 429 in a full second",
          in_percent(evidence.demand), in_percent(evidence.throttled));
  }
  return {};
}

std::string finding_of(Cause cause, const Evidence& evidence) {
  switch (cause) {
    case Cause::idle:
      return "did nothing";
    case Cause::calm:
    case Cause::healthy:
      return "holds";
    case Cause::hot_partition:
      return fmt::format("burns partition {} of {}", evidence.hottest->id, evidence.partitions);
    case Cause::overload:
      return fmt::format("is overloaded ({} of its RU/s asked for)", in_percent(evidence.demand));
    case Cause::uneven:
      return fmt::format("overfills partition {} of {}", evidence.hottest->id, evidence.partitions);
    case Cause::bursts:
      return "throttles in bursts";
  }
  return {};
}

/// The heaviest key, if it explains the hottest partition.
std::string key_clause(Cause cause, const RunResult& run, const Evidence& evidence) {
  if ((cause != Cause::hot_partition && cause != Cause::uneven) || run.hot_keys.empty()) {
    return {};
  }
  const HotKey& top = run.hot_keys.front();
  const double share =
      ratio(static_cast<double>(top.demand_mru), static_cast<double>(run.total_demand_mru));
  if (share < kDominantKey || top.partition != evidence.hottest->id) {
    return {};
  }
  return fmt::format("; key \"{}\" alone causes {} of the demand", top.key, in_percent(share));
}

std::string failure_clause(const RunResult& run, const Evidence& evidence) {
  const double failed = run.failed_share();
  if (failed > 0) {
    return fmt::format("; {} of the operations fail", in_percent(failed));
  }
  return evidence.throttled >= kHealthyFrom ? "; retries hide it, no operation fails" : "";
}

std::string fan_out_clause(const RunResult& run) {
  const auto widest = std::max_element(
      run.clients.begin(), run.clients.end(), [](const ClientResult& a, const ClientResult& b) {
        return partitions_per_operation(a) < partitions_per_operation(b);
      });
  if (widest == run.clients.end() || partitions_per_operation(*widest) < kFanOut) {
    return {};
  }
  std::string visited = in_ru(partitions_per_operation(*widest));
  if (visited.ends_with(".0")) {
    visited.resize(visited.size() - 2);
  }
  return fmt::format("; an operation of {} fans out to {} partitions and costs {} RU", widest->name,
                     visited, in_ru(ru_per_operation(*widest)));
}

}  // namespace

Diagnosis diagnose(const RunResult& run) {
  const Evidence evidence = gather(run);
  Diagnosis diagnosis;
  diagnosis.cause = find_cause(run, evidence);
  diagnosis.severity = severity_of(diagnosis.cause, evidence);
  diagnosis.finding = finding_of(diagnosis.cause, evidence);
  diagnosis.sentence = sentence_of(diagnosis.cause, run, evidence);
  if (diagnosis.cause != Cause::idle) {
    diagnosis.sentence += key_clause(diagnosis.cause, run, evidence) +
                          failure_clause(run, evidence) + fan_out_clause(run);
  }
  diagnosis.sentence += '.';
  return diagnosis;
}

}  // namespace partsim
