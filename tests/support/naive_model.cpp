#include "support/naive_model.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <utility>

#include "partsim/core/distribution.hpp"
#include "partsim/core/rng.hpp"

#include "support/naive_requests.hpp"

namespace partsim {
namespace {

__extension__ using Wide = __int128;

struct RequestState {
  std::uint32_t attempt = 0;
  Nanoseconds waited_ns = 0;
  bool failed = false;
  Nanoseconds admitted_ns = 0;
  Nanoseconds start_ns = 0;
  Nanoseconds end_ns = kNever;  // when it completed or failed
};

struct OperationState {
  NaiveOperation plan;
  std::vector<RequestState> requests;
};

struct PartitionState {
  const ContainerSpec* container = nullptr;
  Wide share = 0;    // per window
  Wide balance = 0;  // mRU; the level of a token bucket: mRU times window
  Nanoseconds refilled_ns = 0;
  std::vector<Nanoseconds> worker_free_ns;
  std::vector<Nanoseconds> completions_ns;
};

class Model {
 public:
  explicit Model(const Scenario& scenario)
      : scenario_(scenario), rules_(scenario.parameters), window_(rules_.throttle_window_ns) {
    for (const ClientSpec& client : scenario.clients) {
      result_.clients.emplace_back().name = client.name;
    }
    const NaivePlan plan = naive_plan(scenario);
    for (const NaiveShare& partition : plan.partitions) {
      add_partition(partition);
    }
    for (const NaiveOperation& operation : plan.operations) {
      const std::string& client = scenario.clients[operation.client].name;
      operations_[{client, operation.number}] = {operation, {}};
      operations_[{client, operation.number}].requests.resize(operation.requests.size());
      for (std::size_t r = 0; r < operation.requests.size(); ++r) {
        queue_.insert({operation.sent_ns, operation.number, client, r});
      }
    }
  }

  NaiveResult run() {
    while (!queue_.empty()) {
      const auto [time, number, client, r] = *queue_.begin();
      queue_.erase(queue_.begin());
      count(handle(time, operations_.at({client, number}), r), operations_.at({client, number}));
    }
    for (const auto& [id, operation] : operations_) {
      finish(operation, result_.clients[operation.plan.client]);
    }
    return result_;
  }

 private:
  // Section 6: a partition.
  void add_partition(const NaiveShare& share) {
    PartitionResult& result = result_.partitions.emplace_back();
    result.id = static_cast<std::uint32_t>(partitions_.size());
    result.share_mru_per_s = share.share_mru_per_s;
    PartitionState& partition = partitions_.emplace_back();
    partition.container = share.container;
    partition.share = static_cast<Wide>(share.share_mru_per_s) * window_ / kSecond;
    partition.balance = partition.share * balance_unit();
    partition.worker_free_ns.resize(share.container->workers ? share.container->workers->count : 0);
  }

  bool model_is(ThrottleModel model) const { return rules_.throttle_model == model; }
  Wide balance_unit() const { return model_is(ThrottleModel::token_bucket) ? window_ : 1; }

  void refill(PartitionState& partition, Nanoseconds t) const {
    const Wide share = partition.share;
    if (model_is(ThrottleModel::token_bucket)) {
      partition.balance =
          std::min(partition.balance + share * (t - partition.refilled_ns), share * window_);
    } else {
      for (auto k = partition.refilled_ns / window_; k < t / window_; ++k) {
        const bool strict = model_is(ThrottleModel::window_strict);
        partition.balance = strict ? share : std::min(partition.balance + share, share);
      }
    }
    partition.refilled_ns = t;
  }

  /// When the budget will be ready for the charge; t itself if it admits it now.
  Nanoseconds ready_at(const PartitionState& partition, MilliRu charge, Nanoseconds t) const {
    const Wide share = partition.share;
    const Wide balance = partition.balance;
    if (model_is(ThrottleModel::window_strict)) {
      return charge <= balance ? t : (t / window_ + 1) * window_;
    }
    if (model_is(ThrottleModel::window_debt)) {
      const Wide n = share == 0 ? 1 : -balance / share + 1;
      return balance > 0 ? t : static_cast<Nanoseconds>((t / window_ + n) * window_);
    }
    if (share == 0) {
      return t + window_;
    }
    const Wide missing = std::min<Wide>(charge, share) * window_ - balance;
    return missing <= 0 ? t : static_cast<Nanoseconds>(t + (missing + share - 1) / share);
  }

  static bool queue_is_full(const PartitionState& partition, Nanoseconds t) {
    const auto& workers = partition.container->workers;
    if (!workers || !workers->queue_limit) {
      return false;
    }
    const auto& all = partition.completions_ns;
    const auto unfinished = std::count_if(all.begin(), all.end(), [&](auto at) { return at > t; });
    return unfinished >= std::int64_t{workers->count} + *workers->queue_limit;
  }

  Nanoseconds service_time(const NaiveOperation& operation, MilliRu charge, std::size_t r) {
    std::uint64_t random = naive_draw(scenario_, operation, "service");
    if (operation.fan_out) {
      random = mix64(naive_draw(scenario_, operation, "service/fan-out") + (r + 1) * kGoldenGamma);
    }
    const ClientSpec& client = scenario_.clients[operation.client];
    if (const auto& service = scenario_.containers[client.container].service) {
      const auto [mean_ns, per_ru] = service->mean;
      if (service->law == ServiceTimeSpec::Law::fixed) {
        return per_ru ? mean_ns * charge / 1000 : mean_ns;
      }
      const double factor = per_ru ? static_cast<double>(charge) / 1000.0 : 1.0;
      return static_cast<Nanoseconds>(exponential(random) *
                                      (static_cast<double>(mean_ns) * factor));
    }
    const bool create = operation.spec->kind == OperationKind::create;
    const auto p50 = create ? rules_.write_latency_p50_ns : rules_.read_latency_p50_ns;
    const auto p99 = create ? rules_.write_latency_p99_ns : rules_.read_latency_p99_ns;
    const auto law =
        laws_.try_emplace({p50, p99}, static_cast<double>(p50), static_cast<double>(p99));
    const auto extra = operation.fan_out ? rules_.query_latency_ns_per_ru * charge / 1000 : 0;
    return static_cast<Nanoseconds>(law.first->second.sample(random)) + extra;
  }

  AttemptRecord handle(Nanoseconds t, OperationState& operation, std::size_t r) {
    const NaiveRequest& request = operation.plan.requests[r];
    PartitionState& partition = partitions_[request.partition];
    RequestState& state = operation.requests[r];
    AttemptRecord record{t,
                         operation.plan.number,
                         operation.plan.client,
                         request.partition,
                         state.attempt,
                         AttemptOutcome::admitted,
                         request.charge_mru,
                         kNever};
    refill(partition, t);
    const Nanoseconds ready = ready_at(partition, request.charge_mru, t);
    if (ready > t) {
      record.outcome = AttemptOutcome::throttled;
      if (rules_.throttled_charge_counts) {
        partition.balance -= rules_.throttled_request_charge_mru * balance_unit();
      }
    } else if (queue_is_full(partition, t)) {
      record.outcome = AttemptOutcome::queue_full;
    }
    if (record.outcome != AttemptOutcome::admitted) {
      record.next_ns = retry(t, operation, r, ready);
      return record;
    }
    partition.balance -= request.charge_mru * balance_unit();
    auto& free_ns = partition.worker_free_ns;
    const auto worker = std::min_element(free_ns.begin(), free_ns.end());
    state.admitted_ns = t;
    state.start_ns = worker == free_ns.end() ? t : std::max(t, *worker);
    state.end_ns = state.start_ns + service_time(operation.plan, request.charge_mru, r);
    if (worker != free_ns.end()) {
      *worker = state.end_ns;
    }
    partition.completions_ns.push_back(state.end_ns);
    record.next_ns = state.end_ns;
    return record;
  }

  /// When a refused request is sent again; kNever if it has failed.
  Nanoseconds retry(Nanoseconds t, OperationState& operation, std::size_t r, Nanoseconds ready) {
    const ClientSpec& client = scenario_.clients[operation.plan.client];
    RequestState& state = operation.requests[r];
    const Nanoseconds step = rules_.retry_after_step_ns;
    const Nanoseconds retry_after =
        (std::max(rules_.retry_after_min_ns, ready - t) + step - 1) / step * step;
    const std::uint64_t k = state.attempt + 1;
    std::uint64_t random =
        mix64(naive_draw(scenario_, operation.plan, "jitter") + k * kGoldenGamma);
    if (operation.plan.fan_out) {
      random = mix64(naive_draw(scenario_, operation.plan, "jitter/fan-out") +
                     (r * 256 + k) * kGoldenGamma);
    }
    Nanoseconds wait = retry_after;
    if (client.retry.jitter_ns > 0) {
      const auto bound = static_cast<std::uint64_t>(client.retry.jitter_ns);
      wait += static_cast<Nanoseconds>(bounded(random, bound));
      random = redraw(random);
    }
    if (client.retry.jitter_ppm > 0) {
      const auto bound = static_cast<std::uint64_t>(client.retry.jitter_ppm);
      const auto ppm = static_cast<Wide>(bounded(random, bound));
      wait += static_cast<Nanoseconds>(retry_after * ppm / kMillion);
    }
    const Nanoseconds most = client.retry.max_wait_ns;
    if (state.attempt == client.retry.max_retries || state.waited_ns + wait > most ||
        wait >= most) {
      state.failed = true;
      state.end_ns = t + rules_.throttle_response_ns;
      return kNever;
    }
    state.attempt += 1;
    state.waited_ns += wait;
    const Nanoseconds again = t + rules_.throttle_response_ns + wait;
    if (again < scenario_.duration_ns) {
      queue_.insert({again, operation.plan.number, client.name, r});
    }
    return again;
  }

  // Sections 7 to 9: how operations end, what is counted, the digest.
  void count(const AttemptRecord& record, const OperationState& operation) {
    ClientResult& client = result_.clients[record.client];
    PartitionResult& partition = result_.partitions[record.partition];
    const bool admitted = record.outcome == AttemptOutcome::admitted;
    result_.attempts.push_back(record);
    if (record.time_ns >= scenario_.warm_up_ns) {
      client.attempts += 1;
      partition.attempts += 1;
      client.throttled += admitted ? 0 : 1;
      partition.throttled += admitted ? 0 : 1;
      client.consumed_mru += admitted ? record.charge_mru : 0;
      partition.consumed_mru += admitted ? record.charge_mru : 0;
      partition.demand_mru += record.attempt == 0 ? record.charge_mru : 0;
    }
    if (admitted && operation.plan.spec->kind == OperationKind::create) {
      partition.storage_bytes += partitions_[record.partition].container->item_size_bytes;
    }
    const auto bits = [](auto value) { return static_cast<std::uint64_t>(value); };
    const std::uint64_t who =
        mix64(bits(record.time_ns) + name_hash(client.name)) + record.operation * kGoldenGamma;
    const std::uint64_t what =
        bits(record.partition) << 40U | bits(record.attempt) << 32U | bits(record.charge_mru);
    const std::uint64_t then = bits(record.next_ns) * 4 + bits(record.outcome);
    result_.digest += mix64(who ^ what) + mix64(who + then);
  }

  void finish(const OperationState& operation, ClientResult& client) const {
    const Nanoseconds sent_ns = operation.plan.sent_ns;
    if (sent_ns < scenario_.warm_up_ns) {
      return;
    }
    RequestState last = operation.requests.front();
    bool failed = false;
    MilliRu cost_mru = 0;
    for (std::size_t r = 0; r < operation.requests.size(); ++r) {
      const RequestState& request = operation.requests[r];
      last = request.end_ns >= last.end_ns ? request : last;
      failed = failed || request.failed;
      cost_mru += operation.plan.requests[r].charge_mru;
    }
    client.operations.offered += 1;
    client.requests += operation.requests.size();
    if (last.end_ns >= scenario_.duration_ns) {
      client.operations.in_flight += 1;
    } else if (failed) {
      client.operations.failed += 1;
    } else {
      client.operations.succeeded += 1;
      client.succeeded_mru += cost_mru;
      client.latency_ns.add(static_cast<std::uint64_t>(last.end_ns - sent_ns));
      client.parts.service_ns += static_cast<std::uint64_t>(last.end_ns - last.start_ns);
      client.parts.queue_ns += static_cast<std::uint64_t>(last.start_ns - last.admitted_ns);
      client.parts.retry_wait_ns += static_cast<std::uint64_t>(last.admitted_ns - sent_ns);
    }
  }

  const Scenario& scenario_;
  const ProviderParameters& rules_;
  const Nanoseconds window_;
  NaiveResult result_;
  std::vector<PartitionState> partitions_;
  std::map<std::pair<std::string, std::uint64_t>, OperationState> operations_;
  /// Attempts to come, in the order of section 6: time, operation number, client name; then
  /// request.
  std::set<std::tuple<Nanoseconds, std::uint64_t, std::string, std::size_t>> queue_;
  std::map<std::pair<Nanoseconds, Nanoseconds>, LogNormal> laws_;
};

}  // namespace

NaiveResult naive_run(const Scenario& scenario) {
  return Model(scenario).run();
}

}  // namespace partsim
