#include "diagnosis_text.hpp"

#include <array>
#include <optional>
#include <string_view>

#include <fmt/format.h>

#include "partsim/report/text.hpp"

#include "numbers.hpp"
#include "provider_words.hpp"

namespace partsim {
namespace {

constexpr double kWhole = 0.995;      // reads as 100 %
constexpr double kDominantKey = 0.2;  // of its partition's demand
constexpr double kNoRoom = 0.95;      // of what is provisioned
constexpr double kNoticedInFlight = 0.05;
constexpr double kNoticedQueue = 0.2;  // of the latency without retries
constexpr std::size_t kKeyWidth = 40;

/// "two", "eleven", "13".
std::string in_words(std::size_t count) {
  constexpr std::array<std::string_view, 13> kWords{"no",   "one",    "two",   "three", "four",
                                                    "five", "six",    "seven", "eight", "nine",
                                                    "ten",  "eleven", "twelve"};
  return count < kWords.size() ? std::string(kWords[count]) : grouped(count);
}

/// The hottest partition's share: "6,000 RU/s", "3,000 read and 1,000 write units/s".
std::string share_text(const Evidence& evidence) {
  const PartitionResult& hottest = *evidence.hottest;
  if (hottest.write_share_mru_per_s == 0) {
    return in_rate(hottest.share_mru_per_s, *evidence.words);
  }
  const MilliRu reads = hottest.share_mru_per_s - hottest.write_share_mru_per_s;
  const std::string writes =
      grouped(static_cast<std::uint64_t>(hottest.write_share_mru_per_s / kMilliPerRu));
  if (reads < kMilliPerRu) {
    return fmt::format("{} write {}", writes, evidence.words->rate);
  }
  return fmt::format("{} read and {} write {}",
                     grouped(static_cast<std::uint64_t>(reads / kMilliPerRu)), writes,
                     evidence.words->rate);
}

std::string name_of(const Evidence& evidence, std::string_view partition) {
  std::string name = fmt::format("{} {}", partition, evidence.hottest->id);
  if (evidence.names_container) {
    name += fmt::format(" of {}", evidence.hottest->container);
  }
  return name;
}

/// "Partition 8 was at its limit of 6,000 RU/s for 60 of 60 s".
std::string limit_text(const RunResult& run, const Evidence& evidence) {
  const std::string name =
      evidence.partitions == 1 ? "The one partition" : name_of(evidence, "Partition");
  if (evidence.at_limit.rows == 0) {  // in a fraction of a second before the first counted row
    return fmt::format("{} throttled {} of its attempts", name,
                       in_percent(throttled_share(*evidence.hottest)));
  }
  return fmt::format("{} was at its limit of {} {}", name, share_text(evidence),
                     time_text(run, evidence.at_limit));
}

/// "; key "2018-08-09" caused all of it".
std::string key_clause(const RunResult& run, const Evidence& evidence) {
  if (run.hot_keys.empty()) {
    return {};
  }
  const HeaviestKey heaviest = heaviest_key(run, *evidence.hottest);
  if (heaviest.key == nullptr || heaviest.share < kDominantKey) {
    return fmt::format("; no single {} stands out there", evidence.words->partition_key);
  }
  return fmt::format("; {} \"{}\" caused {} of it", evidence.words->partition_key,
                     shorten(visible_text(heaviest.key->key), kKeyWidth, false),
                     heaviest.share >= kWhole ? "all" : in_percent(heaviest.share));
}

/// "; the other nine averaged 1 %".
std::string others_clause(const Evidence& evidence) {
  if (evidence.partitions < 2) {
    return {};
  }
  std::string text = fmt::format("; the other {} averaged {}", in_words(evidence.partitions - 1),
                                 in_percent(evidence.others_used));
  if (evidence.burning > 1) {
    text += evidence.partitions == 2
                ? std::string(" and is hot too")
                : fmt::format(" ({} of them hot too)", in_words(evidence.burning - 1));
  }
  return text;
}

std::string_view evenness(double imbalance) {
  return imbalance < 1.1 ? "even" : imbalance < kEvenImbalance ? "fairly even" : "uneven";
}

std::string calm_sentence(const Evidence& evidence) {
  std::string lead = "No attempt met ";
  if (evidence.throttled > 0) {
    const std::string share = in_percent(evidence.throttled);
    lead = share[0] == '<' ? "Fewer than " + share.substr(1) : "Only " + share;
    lead += " of the attempts met ";
  }
  lead += evidence.words->refusal;
  if (evidence.partitions == 1) {
    return fmt::format("{}: the one partition uses {} of its {}", lead,
                       in_percent(evidence.hottest_used), share_text(evidence));
  }
  return fmt::format(
      "{}: {}, the busiest of {}, uses {} of its {}; the load is {} "
      "(imbalance {})",
      lead, name_of(evidence, "partition"), evidence.partitions, in_percent(evidence.hottest_used),
      share_text(evidence), evenness(evidence.imbalance), in_times(evidence.imbalance));
}

std::string hot_sentence(const RunResult& run, const Evidence& evidence) {
  std::string text =
      limit_text(run, evidence) + key_clause(run, evidence) + others_clause(evidence);
  if (evidence.demand > 1.0) {
    text += fmt::format("; all the demand together is {} of what is provisioned",
                        in_percent(evidence.demand));
  }
  return text;
}

std::string overload_sentence(const RunResult& run, const Evidence& evidence) {
  if (evidence.container_demand > 0) {
    return fmt::format(
        "{}: the demand on {} is {} of what it has, whatever the key; only more {} for it or fewer "
        "requests help{}",
        limit_text(run, evidence), evidence.hottest->container,
        in_percent(evidence.container_demand), evidence.words->rate, others_clause(evidence));
  }
  const bool all = evidence.burning == evidence.partitions;
  std::string text;
  if (evidence.partitions == 1 || !all) {
    text = limit_text(run, evidence);
    text +=
        all ? "" : fmt::format(", {} of {} partitions burn", evidence.burning, evidence.partitions);
  } else {
    const TimeAtLimit& least = evidence.least_at_limit;
    text = fmt::format("All {} partitions were at their limit {}", in_words(evidence.partitions),
                       time_text(run, least, least.rows < least.of_rows ? "at least " : ""));
  }
  text += fmt::format(
      ": the demand is {} of the {} provisioned, whatever the key; only more {} or fewer requests "
      "help",
      in_percent(evidence.demand), in_rate(run.provisioned_mru_per_s, *evidence.words),
      evidence.words->rate);
  if (evidence.imbalance >= kEvenImbalance) {
    text +=
        fmt::format("; the load is uneven as well (imbalance {})", in_times(evidence.imbalance));
  }
  return text;
}

std::string uneven_sentence(const RunResult& run, const Evidence& evidence) {
  const std::optional<std::size_t> busiest = hottest_partition(run);
  std::string asked;
  if (busiest && &run.partitions[*busiest] == evidence.hottest) {
    asked = fmt::format(", asked for {} times the average", in_times(evidence.imbalance));
  }
  std::string text =
      limit_text(run, evidence) + asked + key_clause(run, evidence) + others_clause(evidence);
  if (!evidence.names_container) {
    text += fmt::format("; evenly spread, all would fit: the demand is {} of what is provisioned",
                        in_percent(evidence.demand));
  }
  return text;
}

std::string bursts_sentence(const RunResult& run, const Evidence& evidence) {
  if (evidence.peak < kFullSecond) {
    return fmt::format(
        "{} of the attempts are refused although no partition uses more than {} of its {} in any "
        "second: bursts shorter than a second, or too few workers",
        in_percent(evidence.throttled), in_percent(evidence.peak), evidence.words->rate);
  }
  const std::string met = fmt::format("{} of the attempts met {}", in_percent(evidence.throttled),
                                      evidence.words->refusal);
  const std::string demand = in_percent(evidence.demand);
  if (evidence.demand > kNoRoom) {
    return fmt::format(
        "{}: the demand is evenly spread, but at {} of what is provisioned there is no room for "
        "its "
        "ups and downs, and {}",
        limit_text(run, evidence), demand, met);
  }
  return fmt::format(
      "{}, although the demand is {} of what is provisioned and evenly spread: it comes in bursts, "
      "and {}",
      limit_text(run, evidence), demand, met);
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

/// Without its full stop.
std::string core_of(Cause cause, const RunResult& run, const Evidence& evidence) {
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
      return hot_sentence(run, evidence);
    case Cause::overload:
      return overload_sentence(run, evidence);
    case Cause::uneven:
      return uneven_sentence(run, evidence);
    case Cause::bursts:
      return bursts_sentence(run, evidence);
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
  if (cause == Cause::queueing || evidence.waits.queue <= 0 ||
      evidence.waits.queue < kNoticedQueue * served) {
    return {};
  }
  return fmt::format("; an operation queues {} for a worker", in_ms(evidence.waits.queue));
}

/// Ids go on counting when partitions split, so that one of 20 may be partition 21.
std::string among_all(const Evidence& evidence) {
  return fmt::format("{}{}{}", evidence.hottest->id,
                     evidence.hottest->id < evidence.partitions ? " of " : ", one of ",
                     evidence.partitions);
}

}  // namespace

std::string finding_text(Cause cause, const Evidence& evidence) {
  switch (cause) {
    case Cause::idle:
      return "did nothing";
    case Cause::calm:
    case Cause::healthy:
      return "holds";
    case Cause::hot_partition:
      return fmt::format("{} partition {}", evidence.burning > 0 ? "burns" : "strains",
                         among_all(evidence));
    case Cause::overload:
      if (evidence.container_demand > 0) {
        return fmt::format("overloads {} ({} of its {} asked for)", evidence.hottest->container,
                           in_percent(evidence.container_demand), evidence.words->rate);
      }
      return fmt::format("is overloaded ({} of its {} asked for)", in_percent(evidence.demand),
                         evidence.words->rate);
    case Cause::uneven:
      return fmt::format("overfills partition {}", among_all(evidence));
    case Cause::bursts:
      return "throttles in bursts";
    case Cause::queueing:
      return "queues for workers";
    case Cause::outgrown:
      return "burned until it split";
  }
  return {};
}

std::string sentence_text(Cause cause, const RunResult& run, const Evidence& evidence) {
  std::string text = core_of(cause, run, evidence);
  if (cause != Cause::idle) {
    text += outcome_clause(run, evidence) + queue_clause(cause, evidence);
  }
  return text + ".";
}

std::string time_text(const RunResult& run, const TimeAtLimit& time, std::string_view bound) {
  const std::string rows = fmt::format("{} of {}", grouped(static_cast<std::uint64_t>(time.rows)),
                                       grouped(static_cast<std::uint64_t>(time.of_rows)));
  if (run.series.interval_s > 1) {
    return fmt::format("in {}{} intervals of {} s", bound, rows, run.series.interval_s);
  }
  return fmt::format("for {}{} s", bound, rows);
}

}  // namespace partsim
