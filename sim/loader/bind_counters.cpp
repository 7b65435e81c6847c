// Counters of a service to the rate of a client. docs/SCENARIO.md, "Counters".
#include <algorithm>
#include <numeric>
#include <optional>

#include "partsim/engine/engine.hpp"
#include "partsim/scenario/pools.hpp"
#include "partsim/workload/choice.hpp"
#include "partsim/workload/key_space.hpp"

#include "bind.hpp"
#include "bind_values.hpp"
#include "text.hpp"

namespace partsim {
namespace {

__extension__ using Wide = __int128;

/// Bursts within a minute come and go so often; six of them fit.
constexpr Nanoseconds kBurstPeriod = 10 * kSecond;
constexpr std::uint64_t kMeasured = 1'000;
constexpr std::uint64_t kMostWeight = 1'000'000'000;

/// What an operation of a client costs, in millionths of a milli-RU: for each kind the mean of the
/// first thousand as the model charges them, all kinds by their shares.
Wide mean_charge(const Scenario& scenario, const ClientSpec& client) {
  Scenario alone = scenario;
  alone.timeline.clear();
  alone.duration_ns = kSecond;
  alone.warm_up_ns = 0;
  alone.clients = {client};
  ClientSpec& only = alone.clients.front();
  only.arrivals = AtOnce{kMeasured, 0};
  only.concurrency.reset();
  only.timeout_ns.reset();
  only.retry = RetrySpec{};
  only.retry.max_retries = 0;
  Wide sum = 0;
  for (OperationSpec operation : client.operations) {
    const std::int64_t share_ppm = operation.share_ppm;
    operation.share_ppm = kMillion;
    only.operations = {operation};
    for (const PartitionResult& partition : run(alone).partitions) {
      sum += Wide{partition.demand_mru} * share_ppm;
    }
  }
  return sum / Wide{kMeasured};
}

PoolSpec pool_of(const Scenario& scenario, std::uint32_t container) {
  const std::vector<PoolSpec> pools = pools_of(scenario);
  return *std::find_if(pools.begin(), pools.end(),
                       [container](const PoolSpec& pool) { return pool.has(container); });
}

/// Operations a second of one time of the counters, while something is sent.
struct Scale {
  const Counters* counters;
  Wide mean_charge;        // of an operation, in millionths of a milli-RU
  MilliRu full_mru_per_s;  // what 100 % stands for
  std::int64_t burstiness_micro;

  [[nodiscard]] Rate rate(const std::vector<std::int64_t>& amounts) const {
    Wide sum = 0;
    for (const std::int64_t amount : amounts) {
      sum += amount;
    }
    Wide count_micro = 0;
    if (counters->is_normalized) {
      // percent of a partition's share in its busiest second, each share being the same
      const Wide mru_per_s =
          sum * full_mru_per_s / (Wide{100} * kMillion * static_cast<Wide>(amounts.size()));
      count_micro = mru_per_s * kMillion * kMillion / mean_charge;
      return {bounded_count(count_micro), kSecond};
    }
    count_micro = sum * kMilliPerRu * kMillion / mean_charge * burstiness_micro / kMillion;
    return {bounded_count(count_micro), counters->span_ns};
  }

 private:
  /// What is too much for a rate stays so, for the check to tell.
  static std::int64_t bounded_count(Wide count) {
    return static_cast<std::int64_t>(std::min<Wide>(count, INT64_MAX));
  }
};

void set_rates(const Scale& scale, OpenLoop& loop) {
  const Counters& counters = *scale.counters;
  Nanoseconds covered = 0;
  const auto change_to = [&loop](Nanoseconds at, Rate rate) {
    if (at == 0) {
      loop.rate = rate;
    } else {
      loop.changes.push_back({at, rate, 0});
    }
  };
  for (std::size_t i = 0; i < counters.times_ns.size(); ++i) {
    if (counters.times_ns[i] > covered) {
      change_to(covered, {0, kSecond});  // nothing was counted in between
    }
    change_to(counters.times_ns[i], scale.rate(counters.amounts[i]));
    covered = counters.times_ns[i] + counters.span_ns;
  }
  change_to(covered, {0, kSecond});
  if (scale.burstiness_micro > kMillion) {
    const Nanoseconds on = kBurstPeriod * kMillion / scale.burstiness_micro;
    loop.on_off = OnOff{on, kBurstPeriod - on};
  }
}

/// Why the load of single partitions cannot be put where it was, or nothing and the weights.
class PartitionWeights {
 public:
  PartitionWeights(const Scenario& scenario, const ClientSpec& client, const Counters& counters)
      : scenario_(scenario),
        client_(client),
        counters_(counters),
        container_(scenario.containers[client.container]),
        keys_(container_, scenario.start_unix_s) {}

  [[nodiscard]] std::string obstacle() const {
    const auto count = initial_partition_count(scenario_, pool_of(scenario_, client_.container));
    if (count != counters_.partitions.size()) {
      return "the container has " + std::to_string(count);
    }
    if (std::count_if(
            scenario_.clients.begin(), scenario_.clients.end(),
            [&](const ClientSpec& other) { return other.container == client_.container; }) > 1) {
      return "the container has other clients";
    }
    const std::vector<KeyAxis>& axes = keys_.axes();
    const bool is_listed = axes.size() == 1 && !keys_.reads_clock() && keys_.levels() == 1 &&
                           axes.front().is_finite() && axes.front().kind != KeyAxis::Kind::random &&
                           axes.front().choice.count() <= kMaxListedValues;
    return is_listed ? "" : "the key is not made of one field with listed values";
  }

  /// False: some partition with load owns no key.
  bool apply(ContainerSpec& container) {
    const Choice& choice = keys_.axes().front().choice;
    const std::vector<double> popularity = choice.probabilities();
    const std::vector<HashRange> ranges = initial_ranges(
        hash_version_of(container_), static_cast<std::uint32_t>(counters_.partitions.size()));
    std::vector<std::size_t> owner(popularity.size());
    std::vector<double> owned(ranges.size(), 0.0);
    KeyChoice key{{0}, scenario_.start_unix_s};
    for (std::size_t i = 0; i < popularity.size(); ++i) {
      key.index[0] = i;
      owner[i] = owner_of(ranges, keys_.point(key));
      owned[owner[i]] += popularity[i];
    }
    std::vector<double> load(ranges.size(), 0.0);
    for (const std::vector<std::int64_t>& amounts : counters_.amounts) {
      for (std::size_t p = 0; p < load.size(); ++p) {
        load[p] += static_cast<double>(amounts[p]);
      }
    }
    for (std::size_t p = 0; p < load.size(); ++p) {
      if (load[p] > 0 && owned[p] <= 0) {
        empty_ = counters_.partitions[p];
        return false;
      }
    }
    std::vector<double> exact(popularity.size(), 0.0);
    for (std::size_t i = 0; i < exact.size(); ++i) {
      exact[i] = popularity[i] > 0 ? popularity[i] * load[owner[i]] / owned[owner[i]] : 0.0;
    }
    const double most = *std::max_element(exact.begin(), exact.end());
    if (most <= 0) {
      return true;  // no load at all
    }
    WeightedChoice weighted;
    for (const double weight : exact) {
      weighted.weights.push_back(
          static_cast<std::uint64_t>(weight / most * static_cast<double>(kMostWeight)));
    }
    set_law(container.fields[keys_.axes().front().field], std::move(weighted));
    return true;
  }

  [[nodiscard]] std::string field() const {
    return quoted(container_.fields[keys_.axes().front().field].name);
  }
  [[nodiscard]] const std::string& empty_partition() const { return empty_; }

 private:
  static void set_law(FieldSpec& field, WeightedChoice law) {
    if (auto* choose = std::get_if<ChooseField>(&field.kind)) {
      choose->law = std::move(law);
    } else {
      std::get<ValuesField>(field.kind).law = std::move(law);
    }
  }

  const Scenario& scenario_;
  const ClientSpec& client_;
  const Counters& counters_;
  ContainerSpec container_;  // of its own: the scenario's gets another law
  KeySpace keys_;
  std::string empty_;
};

std::string partition_note(Scenario& scenario, const ClientSpec& client, const Counters& counters) {
  if (counters.partitions.empty()) {
    return {};
  }
  const std::string count = "; " + std::to_string(counters.partitions.size()) + " partitions ";
  PartitionWeights weights(scenario, client, counters);
  if (const std::string obstacle = weights.obstacle(); !obstacle.empty()) {
    return count + "added up: " + obstacle;
  }
  if (!weights.apply(scenario.containers[client.container])) {
    return count + "added up: partition " + weights.empty_partition() + " owns no value of " +
           weights.field();
  }
  return count + "by weights of " + weights.field();
}

/// `5.75 RU`
std::string charge_text(Wide mean_charge) {
  const auto mru = static_cast<std::int64_t>((mean_charge + kMillion / 2) / kMillion);
  std::string fraction = std::to_string(1'000 + mru % 1'000).substr(1);
  while (!fraction.empty() && fraction.back() == '0') {
    fraction.pop_back();
  }
  return std::to_string(mru / 1'000) + (fraction.empty() ? "" : "." + fraction) + " RU";
}

}  // namespace

bool apply_counters(TreeNode& fragment, const DataFiles& files, Scenario& scenario) {
  bool any = false;
  for (Entry& entry : fragment.find("clients")->entries) {
    TreeNode* name = entry.value.find("rate_counters");
    if (name == nullptr) {
      continue;
    }
    any = true;
    const Counters& counters = files.counters(name->text);
    ClientSpec& client =
        *std::find_if(scenario.clients.begin(), scenario.clients.end(),
                      [&](const ClientSpec& each) { return each.name == entry.key; });
    Scale scale{&counters, mean_charge(scenario, client), 0,
                bind::signed_amount(entry.value, "burstiness", ValueKind::decimal)};
    scale.full_mru_per_s =
        entry.value.find("full_throughput") != nullptr
            ? bind::signed_amount(entry.value, "full_throughput", ValueKind::throughput)
            : initial_total(scenario, pool_of(scenario, client.container)).sum();
    if (scale.mean_charge <= 0) {
      name->note = "operations that cost nothing: no rate follows";
      continue;
    }
    set_rates(scale, std::get<OpenLoop>(client.arrivals));
    name->note = charge_text(scale.mean_charge) + " an operation" +
                 partition_note(scenario, client, counters);
  }
  return any;
}

}  // namespace partsim
