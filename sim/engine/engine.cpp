#include "partsim/engine/engine.hpp"

#include <algorithm>

#include "partsim/core/assert.hpp"

#include "run.hpp"

namespace partsim {
namespace {

/// Arrivals a step should hold: enough to amortise it, few enough to stay in the cache.
constexpr double kArrivalsPerStep = 2048;

}  // namespace

/// How long a step must be to hold about kArrivalsPerStep requests. Nothing observable depends on
/// it.
Nanoseconds Run::step_length_ns() const {
  double requests_per_ns = 0;
  for (std::size_t i = 0, plan = 0; i < scenario_.clients.size(); ++i) {
    const ClientSpec& client = scenario_.clients[i];
    const Pool& pool = *pools_[pool_of_container_[client.container]].pool;
    double requests = 0;  // of a mean operation
    for (const OperationSpec& operation : client.operations) {
      requests += static_cast<double>(operation.share_ppm) / 1e6 *
                  (plans_[plan++].is_point() ? 1.0 : static_cast<double>(pool.partitions().size()));
    }
    if (const auto* loop = std::get_if<OpenLoop>(&client.arrivals)) {
      requests_per_ns += requests * static_cast<double>(loop->rate.count_micro) / 1e6 /
                         static_cast<double>(loop->rate.per_ns);
    }
  }
  const auto longest = static_cast<double>(scenario_.duration_ns);
  const double length = requests_per_ns > 0 ? kArrivalsPerStep / requests_per_ns : longest;
  return std::max<Nanoseconds>(1, static_cast<Nanoseconds>(std::min(length, longest)));
}

RunResult Run::execute() {
  const Nanoseconds step_ns = step_length_ns();
  bool stopped = false;
  control();
  while (now_ns_ < scenario_.duration_ns && !stopped) {
    const Nanoseconds next_control = next_control_ns();
    Nanoseconds horizon = std::min({now_ns_ + step_ns, scenario_.duration_ns, next_control,
                                    interaction_horizon_ns(), trace_horizon_ns()});
    if (now_ns_ < scenario_.warm_up_ns) {
      horizon = std::min(horizon, scenario_.warm_up_ns);
    }
    PARTSIM_ASSERT(horizon > now_ns_, "every step goes forward");
    step(horizon);
    if (horizon == next_control && horizon < scenario_.duration_ns) {
      control();
    }
    if (options_.progress) {
      options_.progress(now_ns_, recorder_.events);
    }
    stopped = options_.stop != nullptr && options_.stop->load(std::memory_order_relaxed);
  }
  for (const std::uint32_t id : alive_) {
    partitions_[id].loop->settle(now_ns_);
    partitions_[id].loop->finish(now_ns_ > scenario_.warm_up_ns);
  }
  leave_unheard();
  return result();
}

/// One block: arrivals in time order, binned to partitions, each partition to the horizon, joins.
void Run::step(Nanoseconds horizon) {
  arrivals_.clear();
  run_ends_.clear();
  interact_before(horizon);
  if (!interactive_.empty()) {
    arrivals_.swap(interactive_);
    run_ends_.push_back(arrivals_.size());
  }
  for (std::size_t i = 0; i < sources_.size(); ++i) {
    if (agents_[i].pacer) {
      continue;  // has sent what it may
    }
    const std::size_t before = arrivals_.size();
    sources_[i].emit_before(horizon, arrivals_, fan_outs_, demand_mru_);
    if (arrivals_.size() > before) {
      run_ends_.push_back(arrivals_.size());
    }
  }
  requests_sent_ += arrivals_.size();
  merge_runs();
  scatter();

  const bool counted = now_ns_ >= scenario_.warm_up_ns;
  const bool begins_counting = now_ns_ == scenario_.warm_up_ns;
  for (const std::uint32_t id : alive_) {
    PartitionLoop& loop = *partitions_[id].loop;
    if (begins_counting) {
      loop.begin_counting();
    }
    const std::span<const Arrival> bin(binned_.data() + bin_begin_[id],
                                       bin_begin_[id + 1] - bin_begin_[id]);
    loop.run_until(horizon, bin, counted, recorder_);
  }
  take_answers();
  join_fan_outs();
  sweep_traces();
  now_ns_ = horizon;
}

/// Merges the clients' sorted runs pairwise until one is left.
void Run::merge_runs() {
  while (run_ends_.size() > 1) {
    merged_.resize(arrivals_.size());
    std::vector<std::size_t> ends;
    std::size_t begin = 0;
    for (std::size_t i = 0; i < run_ends_.size(); i += 2) {
      const std::size_t middle = run_ends_[i];
      const std::size_t end = i + 1 < run_ends_.size() ? run_ends_[i + 1] : middle;
      const auto at = [this](std::size_t k) {
        return arrivals_.begin() + static_cast<std::ptrdiff_t>(k);
      };
      std::merge(at(begin), at(middle), at(middle), at(end),
                 merged_.begin() + static_cast<std::ptrdiff_t>(begin));
      ends.push_back(end);
      begin = end;
    }
    arrivals_.swap(merged_);
    run_ends_.swap(ends);
  }
}

/// A counting sort by partition; it is stable, so every bin stays in order of (time, id).
void Run::scatter() {
  std::fill(bin_begin_.begin(), bin_begin_.end(), 0);
  for (const Arrival& arrival : arrivals_) {
    ++bin_begin_[arrival.partition + 1];
  }
  for (std::size_t i = 1; i < bin_begin_.size(); ++i) {
    bin_begin_[i] += bin_begin_[i - 1];
  }
  binned_.resize(arrivals_.size());
  for (const Arrival& arrival : arrivals_) {
    binned_[bin_begin_[arrival.partition]++] = arrival;
  }
  for (std::size_t i = bin_begin_.size() - 1; i > 0; --i) {
    bin_begin_[i] = bin_begin_[i - 1];
  }
  bin_begin_[0] = 0;
}

void Run::join_fan_outs() {
  for (const FanOutEnd& ended : recorder_.fan_out_ends) {
    const FanOutTable::Operation* operation = fan_outs_.close_request(ended.join, ended.end);
    if (operation == nullptr) {
      continue;
    }
    const std::uint32_t client = operation->client();
    if (operation->first_send_ns >= scenario_.warm_up_ns) {
      if (operation->failed) {
        const Nanoseconds timeout_ns = client_rules_[client].timeout_ns;
        OperationTally& tally = recorder_.operations[client];
        ++tally.failed;
        tally.timed_out +=
            operation->last.end_ns == operation->first_send_ns + timeout_ns ? 1U : 0U;
      } else {
        RequestEnd end = operation->last;
        end.charge_mru = operation->charge_mru;
        recorder_.succeed(client, end, operation->first_send_ns);
      }
    }
    if (client_rules_[client].waits_for_answers) {
      Answer answer;
      answer.time_ns = operation->last.end_ns;
      answer.sent.id = operation->id;
      answer.kind = Answer::Kind::ended;
      answer.timed_out =
          operation->failed &&
          answer.time_ns == operation->first_send_ns + client_rules_[client].timeout_ns;
      answers_.push(answer);
    }
  }
  recorder_.fan_out_ends.clear();
}

RunResult run(const Scenario& scenario, const RunOptions& options) {
  if (replays_traces(scenario)) {
    const Scenario replayed = with_row_kinds(scenario);
    return Run(replayed, options).execute();
  }
  return Run(scenario, options).execute();
}

}  // namespace partsim
