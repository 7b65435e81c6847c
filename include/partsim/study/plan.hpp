/// How little is enough: the smallest throughput, autoscale maximum, number of suffixes or of
/// partitions with which some rules hold.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "partsim/engine/engine.hpp"
#include "partsim/scenario/minimum.hpp"
#include "partsim/scenario/study_file.hpp"

namespace partsim {

/// What is looked for.
enum class Lever : std::uint8_t { throughput, autoscale, suffixes, partitions };

struct PlanOptions {
  Lever lever = Lever::throughput;
  /// In milli-RU/s for throughput and autoscale, else a count; without it from the least that is
  /// sold to what the service sells at most.
  std::optional<std::pair<std::int64_t, std::int64_t>> range;
  std::uint32_t seeds = 5;
  unsigned jobs = 1;
  const std::atomic<bool>* stop = nullptr;
  TraceOpener open_trace;
};

/// A rule over all replications: the value that is nearest to breaking it, or breaks it most.
struct RuleOutcome {
  std::string rule;
  std::string metric;
  double value = 0;
  double limit = 0;
  bool holds = false;
  /// How far the value is on the good side, as a part of the limit; negative: on the bad side.
  double margin = 0;
};

/// One amount, tried.
struct PlanTrial {
  std::int64_t amount = 0;  // as in PlanOptions::range
  bool holds = false;       // every rule in every replication that was run
  std::uint32_t replications = 0;
  std::vector<RuleOutcome> rules;
  std::uint64_t partitions = 0;      // at the start
  std::int64_t per_month_micro = 0;  // the dearest replication
  double throttled_share = 0;        // the mean over replications, as all below
  double imbalance = 1;
  double ru_per_operation = 0;
  double most_partitions_per_operation = 1;  // of the client that fans out most
};

/// Why no amount is enough.
enum class PlanLimit : std::uint8_t {
  none,           // there is an answer
  one_key,        // one key asks more than a partition can have
  not_throttled,  // nothing is throttled at the best amount, and a rule breaks all the same
  not_enough,     // it is still throttled at the largest amount that was tried
  not_sold,       // no amount in the range can be bought
};

/// The heaviest key in the trial that came nearest.
struct PlanHotKey {
  std::string key;
  double share = 0;  // of the demand
  std::int64_t demand_mru_per_s = 0;
  std::int64_t ceiling_mru_per_s = 0;  // most that its partition had in any trial
};

struct PlanAnswer {
  std::string variant;
  std::optional<PlanTrial> found;
  std::optional<PlanTrial> below;  // one step less, which breaks a rule; none at the lower end
  std::optional<PlanTrial> above;  // one step more
  /// Larger amounts that were tried and break a rule again.
  std::vector<PlanTrial> broken_above;
  std::vector<PlanTrial> trials;  // all of them, by amount
  PlanLimit limit = PlanLimit::none;
  PlanHotKey hot_key;
  std::string not_sold;  // why not, in the words of the checks
  /// Partitions that the container has now and must be split for the amount; 0: none must.
  std::uint32_t grows_from = 0;
  MilliRu even_target_mru_per_s = 0;  // buy this first, so that all of them split equally often
  MilliRu floor_mru_per_s = 0;        // the least that can be bought afterwards
};

struct PlanResult {
  std::string name;
  std::string title;
  std::uint64_t seed = 0;
  Lever lever = Lever::throughput;
  std::string path;  // of what buys the throughput: `container`, `database`
  std::uint32_t seeds = 1;
  std::int64_t step = 1;
  std::int64_t most = 0;  // the upper end of the search
  std::vector<std::string> rules;
  std::vector<PlanAnswer> answers;  // one a variant that some rule is about
  bool complete = true;             // false: it was stopped
};

/// Why this lever cannot be used on this scenario; empty if it can.
[[nodiscard]] std::string plan_objection(const Scenario& scenario, Lever lever);

/// The scenario with that amount. More throughput than `partitions:` can have stands for the layout
/// after even splits: every partition split equally often.
[[nodiscard]] Scenario with_amount(const Scenario& scenario, Lever lever, std::int64_t amount);

/// Searches for every variant. An amount is enough if every rule holds in every replication; all
/// amounts meet the same arrivals. The result does not depend on `jobs`.
[[nodiscard]] PlanResult plan(const StudyFile& study, const std::vector<Expectation>& rules,
                              const PlanOptions& options);

}  // namespace partsim
