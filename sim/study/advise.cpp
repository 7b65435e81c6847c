#include "partsim/study/advise.hpp"

#include <algorithm>
#include <utility>

#include "partsim/core/assert.hpp"
#include "partsim/metrics/derived.hpp"
#include "partsim/study/study.hpp"
#include "partsim/study/work_list.hpp"

#include "advise_parts.hpp"

namespace partsim {
namespace {

/// Further keys than asked for are run while one that was not run looks better than all that were.
constexpr std::size_t kMoreRuns = 4;
constexpr std::uint64_t kDays = 31;
/// Suffixes are worth a table if one of so many best keys has them.
constexpr std::size_t kSuffixLooked = 4;
const std::vector<std::uint64_t> kSuffixCounts{1, 2, 5, 10, 20, 50, 100, 200, 400, 1000, 5000};

/// RU/s that operations cost beyond what they would under a key that their callers know.
double extra_ru_per_s(const KeyJudgement& key) {
  double extra = 0;
  for (const OperationAdvice& operation : key.operations) {
    extra += operation.per_s * std::max(0.0, operation.ru - operation.one_partition_ru);
  }
  return extra;
}

std::size_t parts_of(const KeyLevels& levels) {
  std::size_t parts = 0;
  for (const KeyTemplate& level : levels) {
    parts += level.parts.size();
  }
  return parts;
}

/// Better keys first. Where grades say nothing: those that were run, cheaper reads, evener writes
/// (in steps of 2 %), simpler keys.
bool is_better(const KeyJudgement& a, const KeyJudgement& b) {
  if (a.grade != b.grade) {
    return a.grade < b.grade;
  }
  if (a.problem.empty() != b.problem.empty()) {
    return a.problem.empty();
  }
  if (a.simulated.has_value() != b.simulated.has_value()) {
    return a.simulated.has_value();
  }
  const auto steps = [](double value) {
    const double up = value + 0.5;
    return static_cast<std::int64_t>(up);
  };
  if (steps(extra_ru_per_s(a)) != steps(extra_ru_per_s(b))) {
    return steps(extra_ru_per_s(a)) < steps(extra_ru_per_s(b));
  }
  if (!a.problem.empty()) {
    return false;
  }
  if (steps(a.load.usable() * 50) != steps(b.load.usable() * 50)) {
    return a.load.usable() > b.load.usable();
  }
  return parts_of(a.levels) < parts_of(b.levels);
}

class Advising {
 public:
  Advising(const Scenario& scenario, const AdviceRequest& request)
      : scenario_(scenario), request_(request), index_(request.container) {
    PARTSIM_ASSERT(index_ < scenario.containers.size(),
                   "advice is for a container of the scenario");
  }

  KeyAdvice advise() {
    if (request_.open_sample) {
      const advice::SampleTable table = advice::read_sample(request_.open_sample, scenario_.seed);
      advice_.sample = table.summary;
      advice::use_sample(table, scenario_.containers[index_]);
      columns_ = table.columns;
    }
    describe();
    make_keys();
    judge_all();
    simulate_best();
    if (!stopped()) {
      std::stable_sort(advice_.keys.begin(), advice_.keys.end(), is_better);
      add_suffixes();
    }
    advice_.partial = stopped();
    return std::move(advice_);
  }

 private:
  [[nodiscard]] bool stopped() const {
    return request_.stop != nullptr && request_.stop->load(std::memory_order_relaxed);
  }
  [[nodiscard]] double ru_per_s() const {
    const Share total = initial_total(scenario_, advice::pool_of(scenario_, index_));
    return static_cast<double>(total.sum()) / static_cast<double>(kMilliPerRu);
  }

  void describe() {
    advice_.container = scenario_.containers[index_].name;
    advice_.partitions = static_cast<std::uint32_t>(
        initial_partition_count(scenario_, advice::pool_of(scenario_, index_)));
    advice_.ru_per_s = ru_per_s();
    advice_.key_limit_bytes = scenario_.parameters.logical_partition_max_storage_bytes;
    advice_.start_unix_s = scenario_.start_unix_s;
    advice_.simulated_s = static_cast<double>(scenario_.duration_ns) / 1e9;
  }

  /// Whether a field is in the sample, or needs none.
  [[nodiscard]] bool is_covered(const FieldSpec& field) const {
    return !request_.open_sample || std::holds_alternative<TimeField>(field.kind) ||
           std::find(columns_.begin(), columns_.end(), field.name) != columns_.end();
  }
  [[nodiscard]] bool is_covered(const KeyLevels& key) const {
    return std::all_of(key.begin(), key.end(), [this](const KeyTemplate& level) {
      return std::all_of(level.parts.begin(), level.parts.end(), [this](const KeyPart& part) {
        const std::string* name = advice::field_of(part);
        const FieldSpec* field =
            name == nullptr ? nullptr : advice::find_field(scenario_.containers[index_], *name);
        return field == nullptr || is_covered(*field);
      });
    });
  }

  /// The current key cannot be judged if the sample lacks its columns; then it is left out.
  void make_keys() {
    const KeyLevels& current = scenario_.containers[index_].partition_key;
    std::vector<KeyLevels> keys;
    if (request_.keys.empty()) {
      Scenario covered = scenario_;
      std::erase_if(covered.containers[index_].fields,
                    [this](const FieldSpec& field) { return !is_covered(field); });
      keys = key_candidates(covered, index_, request_.also);
    } else {
      keys.push_back(current);
      for (const KeyLevels& key : request_.keys) {
        const auto is_same = [&key](const KeyLevels& each) {
          return key_text(each) == key_text(key);
        };
        if (std::none_of(keys.begin(), keys.end(), is_same)) {
          keys.push_back(key);
        }
      }
    }
    std::erase_if(keys, [this](const KeyLevels& key) { return !is_covered(key); });
    const bool is_given = !request_.keys.empty();
    for (KeyLevels& key : keys) {
      KeyJudgement judgement;
      judgement.key = key_text(key);
      judgement.is_current = key_text(key) == key_text(current);
      judgement.levels = std::move(key);
      const Scenario keyed = advice::with_key(scenario_, index_, judgement.levels);
      const std::vector<Problem> problems = check(keyed, request_.max_requests);
      if (!problems.empty()) {
        judgement.problem = problems.front().message;
        judgement.criteria = {graded(Criterion::key, 0)};
        judgement.grade = Grade::f;
      }
      // what nobody asked for and the service would not take is no advice
      if (problems.empty() || is_given || judgement.is_current) {
        advice_.keys.push_back(std::move(judgement));
      }
    }
  }

  void judge_all() {
    std::vector<KeyLevels> sound;
    for (const KeyJudgement& key : advice_.keys) {
      sound.push_back(key.problem.empty() ? key.levels : KeyLevels{});
    }
    std::vector<KeyLoad> loads(sound.size());
    if (request_.open_sample) {
      std::vector<KeyLevels> judged = sound;
      std::erase_if(judged, [](const KeyLevels& key) { return key.empty(); });
      std::vector<KeyLoad> found =
          advice::sample_loads(request_.open_sample, scenario_, index_, judged);
      auto next = found.begin();
      for (std::size_t i = 0; i < sound.size(); ++i) {
        loads[i] = sound[i].empty() ? KeyLoad{} : std::move(*next++);
      }
    }
    work_through(sound.size(), request_.jobs, request_.stop, [&](std::size_t i) {
      if (!sound[i].empty()) {
        judge(advice_.keys[i], request_.open_sample ? &loads[i] : nullptr);
      }
    });
  }

  /// All that can be said without a run.
  void judge(KeyJudgement& key, KeyLoad* sampled) const {
    const Scenario keyed = advice::with_key(scenario_, index_, key.levels);
    const ContainerSpec& container = keyed.containers[index_];
    key.load =
        sampled != nullptr ? std::move(*sampled) : key_load(keyed, index_, scenario_.start_unix_s);
    key.clock_period_s = advice::clock_period_s(container);
    const auto* first = std::get_if<FieldValue>(&key.levels.front().parts.front());
    const FieldSpec* field =
        first == nullptr ? nullptr : advice::find_field(container, first->field);
    key.clock_leads = field != nullptr && std::holds_alternative<TimeField>(field->kind);
    advice::judge_costs(keyed, index_, key);
    key.wall = advice::storage_wall(keyed, index_, key);
    grade(key);
  }

  void grade(KeyJudgement& key) const {
    key.criteria.clear();
    if (key.simulated) {
      key.criteria.push_back(graded(Criterion::throttled, key.simulated->throttled_share));
      key.criteria.push_back(graded(Criterion::failed, key.simulated->failed_share));
      if (key.simulated->slowest_p99_ms > 0) {
        key.criteria.push_back(graded(Criterion::latency, key.simulated->slowest_p99_ms));
      }
    }
    key.criteria.push_back(graded(Criterion::hottest, key.hottest_use));
    key.criteria.push_back(graded(Criterion::hot_key, key.growth > 0 ? key.growth : -1.0));
    key.criteria.push_back(graded(Criterion::reads, extra_ru_per_s(key) / ru_per_s()));
    const bool has_day = key.wall.kind == StorageWall::Kind::day;
    key.criteria.push_back(graded(Criterion::storage, has_day ? key.wall.days : -1.0));
    double refused = 0;
    double all = 0;
    for (const OperationAdvice& operation : key.operations) {
      const bool is_one =
          operation.kind == OperationKind::batch || operation.kind == OperationKind::script;
      all += is_one ? 1.0 : 0.0;
      refused += operation.is_refused ? 1.0 : 0.0;
    }
    if (all > 0) {
      key.criteria.push_back(graded(Criterion::transactions, refused / all));
    }
    key.grade = worst_of(key.criteria);
  }

  /// Indices of keys, the best first.
  [[nodiscard]] std::vector<std::size_t> ranking() const {
    std::vector<std::size_t> order(advice_.keys.size());
    for (std::size_t i = 0; i < order.size(); ++i) {
      order[i] = i;
    }
    std::stable_sort(order.begin(), order.end(), [this](std::size_t a, std::size_t b) {
      return is_better(advice_.keys[a], advice_.keys[b]);
    });
    return order;
  }

  void simulate_best() {
    if (request_.simulate == 0 || advice_.keys.empty() || stopped()) {
      return;
    }
    std::vector<std::size_t> chosen;
    const std::vector<std::size_t> order = ranking();
    for (const std::size_t i : order) {
      const KeyJudgement& key = advice_.keys[i];
      const auto others = static_cast<std::size_t>(
          std::count_if(chosen.begin(), chosen.end(),
                        [this](std::size_t each) { return !advice_.keys[each].is_current; }));
      if (key.problem.empty() && (key.is_current || others < request_.simulate)) {
        chosen.push_back(i);
      }
    }
    simulate(chosen);
    for (std::size_t more = 0; more < kMoreRuns && !stopped(); ++more) {
      const std::size_t best = ranking().front();
      if (advice_.keys[best].simulated || !advice_.keys[best].problem.empty()) {
        return;
      }
      simulate({best});
    }
  }

  void simulate(const std::vector<std::size_t>& chosen) {
    StudyFile study;
    for (const std::size_t i : chosen) {
      study.variants.push_back(
          {std::to_string(i), advice::with_key(scenario_, index_, advice_.keys[i].levels)});
    }
    StudyOptions options;
    options.jobs = request_.jobs;
    options.stop = request_.stop;
    options.progress = request_.progress;
    const StudyResult result = run_study(study, options);
    if (result.partial) {
      return;
    }
    for (std::size_t i = 0; i < chosen.size(); ++i) {
      const RunResult& run = result.runs[i].run;
      SimulatedKey simulated{run.throttled_share(), run.failed_share(), 0, "",
                             run.normalized_peak()};
      for (const ClientResult& client : run.clients) {
        const double p99 = latency_ms(client.latency_ns).p99;
        if (p99 > simulated.slowest_p99_ms) {
          simulated.slowest_p99_ms = p99;
          simulated.slowest_client = client.name;
        }
      }
      KeyJudgement& key = advice_.keys[chosen[i]];
      key.simulated = simulated;
      grade(key);
    }
  }

  /// For the field that was asked for, else for the first of the best keys that has a suffix.
  void add_suffixes() {
    std::vector<std::uint64_t> counts = kSuffixCounts;
    if (!request_.suffixes.empty()) {
      advice_.suffixes = suffix_table(scenario_, index_, suffixed(), counts, kDays);
      return;
    }
    for (std::size_t i = 0; i < std::min(kSuffixLooked, advice_.keys.size()); ++i) {
      const KeyJudgement& key = advice_.keys[i];
      if (key.problem.empty() && key.levels.size() == 1 && advice::has_suffix(key.levels.front())) {
        advice_.suffixes = suffix_table(scenario_, index_, key.levels.front(), counts, kDays);
        return;
      }
    }
  }

  /// The current key (of several levels the first) with this suffix instead of its own.
  [[nodiscard]] KeyTemplate suffixed() const {
    KeyTemplate key;
    for (const KeyPart& part : scenario_.containers[index_].partition_key.front().parts) {
      const bool is_suffix =
          std::holds_alternative<RandomSuffix>(part) || std::holds_alternative<HashedSuffix>(part);
      const auto* value = std::get_if<FieldValue>(&part);
      const bool is_same = value != nullptr && value->field == request_.suffixes;
      if (!is_suffix && !is_same) {
        key.parts.push_back(part);
      }
    }
    while (!key.parts.empty() && std::holds_alternative<LiteralText>(key.parts.back()) &&
           key.parts.size() > 1) {
      key.parts.pop_back();
    }
    if (!key.parts.empty()) {
      key.parts.emplace_back(LiteralText{"."});
    }
    if (request_.suffixes == "random") {
      key.parts.emplace_back(RandomSuffix{1, 1});
    } else {
      key.parts.emplace_back(HashedSuffix{request_.suffixes, 1, 1});
    }
    return key;
  }

  Scenario scenario_;
  const AdviceRequest& request_;
  std::uint32_t index_;
  std::vector<std::string> columns_;  // of the sample
  KeyAdvice advice_;
};

}  // namespace

const KeyJudgement* KeyAdvice::current() const noexcept {
  const auto found = std::find_if(keys.begin(), keys.end(),
                                  [](const KeyJudgement& key) { return key.is_current; });
  return found == keys.end() ? nullptr : &*found;
}

KeyAdvice advise(const Scenario& scenario, const AdviceRequest& request) {
  return Advising(scenario, request).advise();
}

}  // namespace partsim
