#include "partsim/study/plan.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <utility>

#include "partsim/metrics/derived.hpp"
#include "partsim/scenario/check.hpp"
#include "partsim/scenario/pools.hpp"
#include "partsim/study/study.hpp"
#include "partsim/study/sweep.hpp"
#include "partsim/study/work_list.hpp"

#include "plan_lever.hpp"

namespace partsim {
namespace {

/// Parts of the layout whose upper end is tried below an answer, because a container with a
/// partition less may hold where one with a partition more does not.
constexpr int kLowerParts = 8;

/// The rules of one variant. One that compares it with another has no answer here.
std::vector<Expectation> rules_for(const std::vector<Expectation>& rules,
                                   const std::string& variant) {
  std::vector<Expectation> own;
  std::copy_if(rules.begin(), rules.end(), std::back_inserter(own), [&](const Expectation& rule) {
    const bool names_other = rule.against && !rule.against->variant.empty();
    return !names_other && (rule.variant.empty() || rule.variant == variant);
  });
  return own;
}

class Search {
 public:
  Search(const Variant& variant, std::vector<Expectation> rules, const PlanOptions& options,
         unsigned jobs)
      : variant_(variant),
        rules_(std::move(rules)),
        options_(options),
        jobs_(jobs),
        grid_(grid_of(variant.scenario, options)) {}

  PlanAnswer answer() {
    PlanAnswer answer;
    answer.variant = variant_.name;
    std::optional<std::int64_t> found = smallest();
    for (int part = 0; found && part < kLowerParts; ++part) {
      const std::optional<std::int64_t> lower = smallest_with_fewer_partitions(*found);
      if (!lower) {
        break;
      }
      found = lower;
    }
    if (stopped()) {
      return answer;
    }
    if (found) {
      verify(*found, answer);
    } else {
      explain(answer);
    }
    for (const auto& [amount, trial] : trials_) {
      answer.trials.push_back(trial);
    }
    return answer;
  }

 private:
  [[nodiscard]] bool stopped() const {
    return options_.stop != nullptr && options_.stop->load(std::memory_order_relaxed);
  }

  /// From what the scenario has, up or down by factors of two to the first pair of amounts of which
  /// the smaller breaks a rule and the larger does not, then between them.
  std::optional<std::int64_t> smallest() {
    std::int64_t high = grid_.start;
    std::int64_t low = grid_.least - grid_.step;  // breaks, by definition
    if (holds(high)) {
      while (high > grid_.least) {
        const std::int64_t half = std::max(grid_.least, on_grid(high / 2));
        if (!holds(half)) {
          low = half;
          break;
        }
        high = half;
      }
    } else {
      do {
        if (high >= grid_.most || is_hopeless(high)) {
          return from_below();
        }
        low = high;
        high = std::min(grid_.most, high * 2);
      } while (!holds(high));
    }
    return between(low, high);
  }

  /// Where the file's own amount and all above are too much of something, less may still do: fewer
  /// partitions, fewer suffixes. Where doubling has gone past them, the tops of the layouts.
  std::optional<std::int64_t> from_below() {
    std::int64_t low = grid_.least - grid_.step;
    for (std::int64_t high = grid_.least; high < grid_.start && !stopped();
         high = std::min(grid_.start, on_grid(high * 2))) {
      if (holds(high)) {
        return between(low, high);
      }
      low = high;
    }
    for (std::int64_t top = top_below(grid_.most + grid_.step); top >= grid_.least && !stopped();
         top = top_below(top / 2 + 1)) {
      if (top % grid_.step == 0 && holds(top)) {
        return between(std::max(grid_.least - grid_.step, top_below(top)), top);
      }
    }
    return std::nullopt;
  }

  [[nodiscard]] std::int64_t top_below(std::int64_t amount) const {
    return layout_top_below(variant_.scenario, options_.lever, amount);
  }

  /// `low` breaks, `high` holds.
  std::optional<std::int64_t> between(std::int64_t low, std::int64_t high) {
    while (high - low > grid_.step && !stopped()) {
      const std::int64_t middle = on_grid(low + (high - low) / 2);
      (holds(middle) ? high : low) = middle;
    }
    return stopped() ? std::nullopt : std::optional(high);
  }

  /// With fewer partitions each has more: the tops of the lower layouts are tried, and below the
  /// highest that holds the search goes on.
  std::optional<std::int64_t> smallest_with_fewer_partitions(std::int64_t found) {
    std::int64_t top = top_below(found);
    for (int part = 0; part < kLowerParts && top >= grid_.least && top > 0 && !stopped(); ++part) {
      if (top % grid_.step == 0 && holds(top)) {
        return between(std::max(grid_.least - grid_.step, top_below(top)), top);
      }
      top = top_below(top);
    }
    return std::nullopt;
  }

  [[nodiscard]] std::int64_t on_grid(std::int64_t amount) const {
    return std::max(amount / grid_.step * grid_.step, grid_.step);
  }

  /// Nothing was throttled: more of the same changes nothing.
  bool is_hopeless(std::int64_t amount) {
    const PlanTrial& trial = try_amount(amount);
    const bool buys = options_.lever == Lever::throughput || options_.lever == Lever::autoscale;
    return buys && trial.replications > 0 && trial.throttled_share <= 0.0;
  }

  bool holds(std::int64_t amount) { return try_amount(amount).holds; }

  const PlanTrial& try_amount(std::int64_t amount) {
    const auto known = trials_.find(amount);
    if (known != trials_.end()) {
      return known->second;
    }
    return trials_[amount] = run_trial(amount);
  }

  PlanTrial run_trial(std::int64_t amount) {
    PlanTrial trial;
    trial.amount = amount;
    const Scenario scenario = with_amount(variant_.scenario, options_.lever, amount);
    trial.partitions = partitions_at_start(scenario);
    const std::vector<Problem> problems =
        check(scenario, std::numeric_limits<std::uint64_t>::max());
    if (!problems.empty()) {
      not_sold_ = problems.front().message;
      return trial;
    }
    // The first replication alone decides most amounts that are too small.
    std::vector<std::optional<RunResult>> runs(options_.seeds);
    run_one(scenario, 0, runs);
    if (runs.front() && all_hold(*runs.front())) {
      work_through(runs.size() - 1, jobs_, options_.stop,
                   [&](std::size_t index) { run_one(scenario, index + 1, runs); });
    }
    take(runs, trial);
    return trial;
  }

  void run_one(Scenario scenario, std::size_t index,
               std::vector<std::optional<RunResult>>& runs) const {
    scenario.seed = replication_seed(scenario.seed, static_cast<std::uint32_t>(index));
    RunOptions run_options;
    run_options.stop = options_.stop;
    run_options.open_trace = options_.open_trace;
    RunResult result = run(scenario, run_options);
    if (!result.partial) {
      runs[index] = std::move(result);
    }
  }

  [[nodiscard]] std::vector<ExpectationResult> judged(const RunResult& run) const {
    std::vector<VariantResult> one(1);
    one.front().variant = variant_.name;
    one.front().run = run;
    return judge(rules_, one);
  }

  [[nodiscard]] bool all_hold(const RunResult& run) const {
    const std::vector<ExpectationResult> verdicts = judged(run);
    return std::all_of(verdicts.begin(), verdicts.end(),
                       [](const ExpectationResult& each) { return each.passed; });
  }

  void take(const std::vector<std::optional<RunResult>>& runs, PlanTrial& trial) {
    trial.ru_per_operation = trial.throttled_share = trial.imbalance = 0;
    trial.holds = true;
    for (const std::optional<RunResult>& result : runs) {
      if (!result) {
        trial.holds = false;  // not all seeds were run: the first one broke a rule
        continue;
      }
      ++trial.replications;
      take_rules(*result, trial);
      trial.per_month_micro = std::max(trial.per_month_micro, result->cost.per_month_micro);
      trial.throttled_share += result->throttled_share();
      trial.imbalance += result->imbalance();
      trial.ru_per_operation += partsim::ru_per_operation(result->total());
      for (const ClientResult& client : result->clients) {
        trial.most_partitions_per_operation =
            std::max(trial.most_partitions_per_operation, partitions_per_operation(client));
      }
    }
    if (trial.replications > 0) {
      const auto count = static_cast<double>(trial.replications);
      trial.throttled_share /= count;
      trial.imbalance /= count;
      trial.ru_per_operation /= count;
      note_hot_key(*runs.front());
    }
  }

  void take_rules(const RunResult& run, PlanTrial& trial) const {
    const std::vector<ExpectationResult> verdicts = judged(run);
    const bool is_first = trial.rules.empty();
    for (std::size_t i = 0; i < verdicts.size(); ++i) {
      const ExpectationResult& verdict = verdicts[i];
      const RuleOutcome outcome{rules_[i].rule, rules_[i].metric, verdict.value,
                                verdict.limit,  verdict.passed,   verdict.margin};
      trial.holds = trial.holds && outcome.holds;
      if (is_first) {
        trial.rules.push_back(outcome);
      } else if (std::pair(outcome.holds, outcome.margin) <
                 std::pair(trial.rules[i].holds, trial.rules[i].margin)) {
        trial.rules[i] = outcome;
      }
    }
  }

  /// The heaviest key, and the most that its partition ever had.
  void note_hot_key(const RunResult& run) {
    if (run.hot_keys.empty() || run.total_demand_mru <= 0 || run.counted_seconds() <= 0) {
      return;
    }
    const HotKey& key = run.hot_keys.front();
    hot_key_.key = key.key;
    hot_key_.share =
        static_cast<double>(key.demand_mru) / static_cast<double>(run.total_demand_mru);
    hot_key_.demand_mru_per_s =
        static_cast<std::int64_t>(static_cast<double>(key.demand_mru) / run.counted_seconds());
    for (const PartitionResult& partition : run.partitions) {
      if (partition.id == key.partition) {
        hot_key_.ceiling_mru_per_s =
            std::max(hot_key_.ceiling_mru_per_s, partition.share_mru_per_s);
      }
    }
  }

  void verify(std::int64_t found, PlanAnswer& answer) {
    if (found > grid_.least) {
      answer.below = try_amount(found - grid_.step);
    }
    if (found < grid_.most) {
      answer.above = try_amount(found + grid_.step);
    }
    // With the next partition each has less than before.
    const std::int64_t top = layout_top_from(variant_.scenario, options_.lever, found);
    if (top > 0 && top + grid_.step <= grid_.most) {
      static_cast<void>(try_amount(on_grid(top + grid_.step)));
    }
    answer.found = trials_.at(found);
    for (const auto& [amount, trial] : trials_) {
      if (amount > found && !trial.holds) {
        answer.broken_above.push_back(trial);
      }
    }
    answer.hot_key = hot_key_;
    if (options_.lever == Lever::throughput || options_.lever == Lever::autoscale) {
      growth(found, answer);
    }
  }

  void growth(std::int64_t found, PlanAnswer& answer) const {
    const Scenario turned = with_amount(variant_.scenario, options_.lever, found);
    const auto stated = pools_of(variant_.scenario).front().throughput.partitions;
    const std::uint64_t now = stated.value_or(0);
    MilliRu highest = found;
    if (now > 0 && partitions_at_start(turned) > now) {
      answer.grows_from = static_cast<std::uint32_t>(now);
      highest = even_growth_mru_per_s(turned.parameters, *stated, found);
      answer.even_target_mru_per_s = highest;
    }
    answer.floor_mru_per_s = floor_after(turned, highest);
  }

  void explain(PlanAnswer& answer) const {
    answer.hot_key = hot_key_;
    answer.not_sold = not_sold_;
    const auto best = best_trial();
    if (!best) {
      answer.limit = PlanLimit::not_sold;
    } else if (best->throttled_share <= 0.0) {
      answer.limit = PlanLimit::not_throttled;
    } else if (hot_key_.ceiling_mru_per_s > 0 &&
               hot_key_.demand_mru_per_s > hot_key_.ceiling_mru_per_s) {
      answer.limit = PlanLimit::one_key;
    } else {
      answer.limit = PlanLimit::not_enough;
    }
  }

  /// The least throttled one.
  [[nodiscard]] std::optional<PlanTrial> best_trial() const {
    std::optional<PlanTrial> best;
    for (const auto& [amount, trial] : trials_) {
      if (trial.replications > 0 && (!best || trial.throttled_share < best->throttled_share)) {
        best = trial;
      }
    }
    return best;
  }

  const Variant& variant_;
  std::vector<Expectation> rules_;
  const PlanOptions& options_;
  unsigned jobs_;
  PlanGrid grid_;
  std::map<std::int64_t, PlanTrial> trials_;
  PlanHotKey hot_key_;
  std::string not_sold_;
};

}  // namespace

PlanResult plan(const StudyFile& study, const std::vector<Expectation>& rules,
                const PlanOptions& options) {
  PlanResult result;
  result.name = study.name;
  result.title = study.title;
  result.lever = options.lever;
  result.seeds = options.seeds;
  std::vector<const Variant*> asked;
  for (const Variant& variant : study.variants) {
    if (!rules_for(rules, variant.name).empty()) {
      asked.push_back(&variant);
    }
  }
  for (const Expectation& rule : rules) {
    result.rules.push_back(rule.rule);
  }
  if (asked.empty()) {
    return result;
  }
  const PlanGrid grid = grid_of(asked.front()->scenario, options);
  result.seed = asked.front()->scenario.seed;
  result.step = grid.step;
  const PoolSpec pool = pools_of(asked.front()->scenario).front();
  result.path = pool.is_database      ? "database"
                : pool.name == "main" ? "container"
                                      : "containers." + pool.name;
  result.most = grid.most;
  result.answers.resize(asked.size());
  const auto inner = static_cast<unsigned>(
      std::max<std::size_t>(1, options.jobs / std::max<std::size_t>(1, asked.size())));
  work_through(asked.size(), options.jobs, options.stop, [&](std::size_t index) {
    result.answers[index] =
        Search(*asked[index], rules_for(rules, asked[index]->name), options, inner).answer();
  });
  result.complete = options.stop == nullptr || !options.stop->load();
  return result;
}

}  // namespace partsim
