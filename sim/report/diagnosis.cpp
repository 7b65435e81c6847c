#include "diagnosis.hpp"

#include <algorithm>
#include <optional>
#include <string_view>

#include <fmt/format.h>

#include "partsim/report/text.hpp"

#include "notes.hpp"
#include "numbers.hpp"
#include "provider_words.hpp"

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
constexpr double kFullSecond = 0.9;    // large charges leave a rest that nothing fits in
constexpr double kNoticedQueue = 0.2;  // of the latency without retries
constexpr double kNoticedInFlight = 0.05;
constexpr std::size_t kKeyWidth = 40;

/// What the sentences are made of.
struct Evidence {
  const ProviderWords* words = nullptr;
  const PartitionResult* hottest = nullptr;  // of those alive at the end, as are the next four
  std::size_t partitions = 0;
  std::size_t burning = 0;     // partitions that throttle more than is healthy
  double worst_throttled = 0;  // of any partition
  double throttled = 0;        // of all attempts
  double load = 0;             // hottest partition's part of the demand
  double hottest_used = 0;     // of its share
  double others_used = 0;      // of theirs, together
  double demand = 0;           // first attempts' RU over provisioned RU
  double peak = 0;             // largest use of a share in any second
  double imbalance = 1;
  double worst_retired = 0;  // throttled share of any partition that a split or merge replaced
  LatencyPartsSummary waits;
};

double ratio(double part, double whole) {
  return whole > 0 ? part / whole : 0.0;
}

Evidence gather(const RunResult& run) {
  Evidence evidence;
  evidence.words = &words_of(run);
  evidence.partitions = alive_partitions(run);
  evidence.throttled = run.throttled_share();
  evidence.imbalance = run.imbalance();
  evidence.peak = run.normalized_peak();
  evidence.waits = latency_parts_ms(run.total());
  const std::optional<std::size_t> hottest = hottest_partition(run);
  if (!hottest) {
    return evidence;
  }
  evidence.hottest = &run.partitions[*hottest];
  double demand_mru = 0;
  double others_consumed_mru = 0;
  double others_granted_mru = 0;
  double alive_demand_mru_per_s = 0;
  for (const PartitionResult& partition : run.partitions) {
    demand_mru += static_cast<double>(partition.demand_mru);
    if (!partition.alive()) {
      evidence.worst_retired = std::max(evidence.worst_retired, throttled_share(partition));
      continue;
    }
    alive_demand_mru_per_s += demand_mru_per_s(run, partition);
    evidence.worst_throttled = std::max(evidence.worst_throttled, throttled_share(partition));
    evidence.burning += throttled_share(partition) > kHealthyTo ? 1U : 0U;
    if (partition.id != evidence.hottest->id) {
      others_consumed_mru += static_cast<double>(partition.consumed_mru);
      others_granted_mru += granted_mru(run, partition);
    }
  }
  evidence.load = ratio(demand_mru_per_s(run, *evidence.hottest), alive_demand_mru_per_s);
  evidence.hottest_used = mean_utilization(run, *evidence.hottest);
  evidence.others_used = ratio(others_consumed_mru, others_granted_mru);
  evidence.demand = ratio(demand_mru, static_cast<double>(run.provisioned_mru));
  return evidence;
}

Cause find_cause(const RunResult& run, const Evidence& evidence) {
  if (evidence.hottest == nullptr || run.total().attempts == 0) {
    return Cause::idle;
  }
  // judged by the worst partition: one that burns must not hide in an average
  if (evidence.worst_throttled < kHealthyFrom) {
    if (evidence.worst_retired >= kHealthyFrom) {
      return Cause::outgrown;
    }
    return evidence.waits.queue > evidence.waits.service ? Cause::queueing : Cause::calm;
  }
  // refusals while every whole second left RU/s over: not the budget, or a window of less than one
  if (evidence.peak < kFullSecond) {
    return evidence.waits.queue > 0 ? Cause::queueing : Cause::bursts;
  }
  // where every partition is full no other key would find room
  if (evidence.burning == evidence.partitions && evidence.demand > 1.0) {
    return Cause::overload;
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
    case Cause::outgrown:
      return Severity::warning;
    case Cause::hot_partition:
    case Cause::overload:
    case Cause::uneven:
    case Cause::bursts:
    case Cause::queueing:
      break;
  }
  return evidence.worst_throttled > kHealthyTo ? Severity::bad : Severity::warning;
}

/// The hottest partition's share: "6,000 RU/s", "3,000 read and 1,000 write units/s".
std::string share_text(const Evidence& evidence) {
  const PartitionResult& hottest = *evidence.hottest;
  if (hottest.write_share_mru_per_s == 0) {
    return in_rate(hottest.share_mru_per_s, *evidence.words);
  }
  const MilliRu reads = hottest.share_mru_per_s - hottest.write_share_mru_per_s;
  if (reads == 0) {
    return in_rate(hottest.write_share_mru_per_s, *evidence.words);
  }
  return fmt::format(
      "{} read and {} write {}", grouped(static_cast<std::uint64_t>(reads / kMilliPerRu)),
      grouped(static_cast<std::uint64_t>(hottest.write_share_mru_per_s / kMilliPerRu)),
      evidence.words->rate);
}

std::string_view evenness(double imbalance) {
  return imbalance < 1.1 ? "even" : imbalance < kEvenImbalance ? "fairly even" : "uneven";
}

std::string calm_sentence(const Evidence& evidence) {
  const std::string lead =
      evidence.throttled > 0 ? fmt::format("Only {} of the attempts met {}",
                                           in_percent(evidence.throttled), evidence.words->refusal)
                             : fmt::format("No attempt met {}", evidence.words->refusal);
  if (evidence.partitions == 1) {
    return fmt::format("{}: the one partition uses {} of its {}", lead,
                       in_percent(evidence.hottest_used), share_text(evidence));
  }
  return fmt::format(
      "{}: partition {}, the busiest of {}, uses {} of its {}; the load is {} "
      "(imbalance {})",
      lead, evidence.hottest->id, evidence.partitions, in_percent(evidence.hottest_used),
      share_text(evidence), evenness(evidence.imbalance), in_times(evidence.imbalance));
}

std::string hot_sentence(const Evidence& evidence) {
  const PartitionResult& hottest = *evidence.hottest;
  const bool idle = evidence.others_used <= kIdleOthers;
  const std::string_view others = evidence.partitions == 2 ? (idle ? "other idles" : "other is")
                                                           : (idle ? "others idle" : "others are");
  std::string text = fmt::format(
      "Partition {} of {} takes {} of the load and is at {} of its {} while the {} at {}: {}",
      hottest.id, evidence.partitions, in_percent(evidence.load), in_percent(evidence.hottest_used),
      share_text(evidence), others, in_percent(evidence.others_used),
      evidence.burning > 1 ? fmt::format("one of {} hot partitions", evidence.burning)
                           : "a hot partition");
  if (evidence.demand > 1.0) {
    text += fmt::format(", and the demand as a whole is {} of what is provisioned",
                        in_percent(evidence.demand));
  }
  return text;
}

std::string overload_sentence(const RunResult& run, const Evidence& evidence) {
  const std::string where =
      evidence.partitions == 1 ? std::string("the one partition is full")
      : evidence.burning == evidence.partitions
          ? fmt::format("all {} partitions are full", evidence.partitions)
          : fmt::format("{} of {} partitions are full", evidence.burning, evidence.partitions);
  std::string text = fmt::format(
      "The {} is too small, whatever the key: the demand is {} of the {} provisioned and {}; only "
      "more {} or fewer requests help",
      evidence.words->container, in_percent(evidence.demand),
      in_rate(run.provisioned_mru_per_s, *evidence.words), where, evidence.words->rate);
  if (evidence.imbalance >= kEvenImbalance) {
    text +=
        fmt::format("; the load is uneven as well (imbalance {})", in_times(evidence.imbalance));
  }
  return text;
}

std::string bursts_sentence(const Evidence& evidence) {
  if (evidence.peak < kFullSecond) {
    return fmt::format(
        "{} of the attempts are refused although no partition uses more than {} of its {} in any "
        "second: bursts shorter than a second, or too few workers",
        in_percent(evidence.throttled), in_percent(evidence.peak), evidence.words->rate);
  }
  return fmt::format(
      "The demand is {} of what is provisioned and evenly spread, but it comes in bursts: {} of "
      "the attempts met {} in a full second",
      in_percent(evidence.demand), in_percent(evidence.throttled), evidence.words->refusal);
}

std::string queueing_sentence(const Evidence& evidence) {
  const std::string refused =
      evidence.throttled > 0
          ? fmt::format(" and {} of the attempts are refused", in_percent(evidence.throttled))
          : std::string();
  return fmt::format(
      "The workers are the limit, not the {}: an operation queues {} for {} of service{}, while "
      "no partition ever uses more than {} of its {}",
      evidence.words->rate, in_ms(evidence.waits.queue), in_ms(evidence.waits.service), refused,
      in_percent(evidence.peak), evidence.words->rate);
}

std::string sentence_of(Cause cause, const RunResult& run, const Evidence& evidence) {
  switch (cause) {
    case Cause::idle:
      return "No attempt was counted: nothing can be said";
    case Cause::calm:
      return calm_sentence(evidence);
    case Cause::healthy:
      return fmt::format(
          "{} of the attempts met {}, at most {} on any partition, and the load is {} "
          "(imbalance {}): up to 5 % is healthy",
          in_percent(evidence.throttled), evidence.words->refusal,
          in_percent(evidence.worst_throttled), evenness(evidence.imbalance),
          in_times(evidence.imbalance));
    case Cause::hot_partition:
      return hot_sentence(evidence);
    case Cause::overload:
      return overload_sentence(run, evidence);
    case Cause::uneven:
      return fmt::format(
          "The total demand is {} of what is provisioned, but partition {} of {} "
          "gets {} times the average and throttles {} of its attempts: an uneven key",
          in_percent(evidence.demand), evidence.hottest->id, evidence.partitions,
          in_times(evidence.imbalance), in_percent(throttled_share(*evidence.hottest)));
    case Cause::bursts:
      return bursts_sentence(evidence);
    case Cause::queueing:
      return queueing_sentence(evidence);
    case Cause::outgrown:
      return fmt::format(
          "{} of the attempts met {}, nearly all of them before the layout grew: of the {} "
          "partitions at the end none throttles{}",
          in_percent(evidence.throttled), evidence.words->refusal, evidence.partitions,
          evidence.worst_throttled > 0 ? " more than " + in_percent(evidence.worst_throttled) : "");
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
      return fmt::format("{} partition {} of {}", evidence.burning > 0 ? "burns" : "strains",
                         evidence.hottest->id, evidence.partitions);
    case Cause::overload:
      return fmt::format("is overloaded ({} of its {} asked for)", in_percent(evidence.demand),
                         evidence.words->rate);
    case Cause::uneven:
      return fmt::format("overfills partition {} of {}", evidence.hottest->id, evidence.partitions);
    case Cause::bursts:
      return "throttles in bursts";
    case Cause::queueing:
      return "queues for workers";
    case Cause::outgrown:
      return "burned until it split";
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
  return fmt::format("; {} \"{}\" alone causes {} of the demand", evidence.words->partition_key,
                     shorten(visible_text(top.key), kKeyWidth, false), in_percent(share));
}

/// What the application notices of it.
std::string outcome_clause(const RunResult& run, const Evidence& evidence) {
  const OperationCounts operations = run.total().operations;
  const double failed = run.failed_share();
  std::string text;
  if (failed > 0) {
    text = fmt::format("; {} of the operations fail", in_percent(failed));
  } else if (evidence.throttled >= kHealthyFrom && operations.succeeded > 0) {
    text = fmt::format("; no operation fails, but retries add {} to the mean latency",
                       in_ms(evidence.waits.retry_wait));
  }
  const double unanswered = share_of(operations.in_flight, operations.offered);
  if (unanswered >= kNoticedInFlight) {
    text += fmt::format("; {} had no answer yet at the end", in_percent(unanswered));
  }
  return text;
}

std::string queue_clause(Cause cause, const Evidence& evidence) {
  const double served = evidence.waits.service + evidence.waits.queue;
  if (cause == Cause::queueing || ratio(evidence.waits.queue, served) < kNoticedQueue) {
    return {};
  }
  return fmt::format("; an operation queues {} for a worker", in_ms(evidence.waits.queue));
}

std::string fan_out_clause(const RunResult& run, const ProviderWords& words) {
  const auto widest = std::max_element(
      run.clients.begin(), run.clients.end(), [](const ClientResult& a, const ClientResult& b) {
        return partitions_per_operation(a) < partitions_per_operation(b);
      });
  if (widest == run.clients.end() || partitions_per_operation(*widest) < kFanOut) {
    return {};
  }
  std::string visits = fmt::format("; an operation of {} fans out to {} partitions", widest->name,
                                   in_visits(partitions_per_operation(*widest)));
  if (widest->operations.succeeded == 0) {
    return visits;  // what it costs is not known
  }
  return fmt::format("{} and costs {} {}{}", visits, in_ru(ru_per_operation(*widest)), words.unit,
                     words.unit == "RU" ? "" : "s");
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
                          outcome_clause(run, evidence) + queue_clause(diagnosis.cause, evidence) +
                          fan_out_clause(run, *evidence.words);
  }
  diagnosis.sentence += '.';
  for (Note& note : notes_on(run)) {
    // what a variant suffers beside 429s must not be lost behind "holds"
    if (note.severity > diagnosis.severity && !note.finding.empty()) {
      diagnosis.finding = note.finding;
    }
    diagnosis.severity = std::max(diagnosis.severity, note.severity);
    diagnosis.notes.push_back(std::move(note.sentence));
  }
  return diagnosis;
}

}  // namespace partsim
