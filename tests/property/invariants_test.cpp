// Identities that hold in every run, checked from the engine's result and its log of attempts.
#include <algorithm>
#include <map>
#include <sstream>
#include <tuple>

#include "run_log.hpp"
#include "support/catch.hpp"
#include "support/random_scenario.hpp"

using namespace partsim;

namespace {

__extension__ using Wide = __int128;

/// Checks a property of 200 scenarios; a counterexample is shrunk and printed.
template <class Property>
void for_all_scenarios(Property property) {
  rc::detail::TestParams params;
  params.seed = 2018;
  params.maxSuccess = 200;
  const auto result = rc::detail::checkTestable(
      [&] {
        const Scenario scenario = *any_scenario();
        property(scenario, run_logged(scenario));
      },
      rc::detail::TestMetadata{}, params);
  std::ostringstream message;
  rc::detail::printResultMessage(result, message);
  INFO(message.str());
  CHECK(result.template is<rc::detail::SuccessResult>());
}

bool admitted(const AttemptRecord& record) {
  return record.outcome == AttemptOutcome::admitted;
}

struct Tally {
  std::uint64_t attempts = 0;
  std::uint64_t throttled = 0;
  MilliRu consumed_mru = 0;
  MilliRu demand_mru = 0;
  bool operator==(const Tally&) const = default;

  void add(const AttemptRecord& record) {
    attempts += 1;
    throttled += admitted(record) ? 0U : 1U;
    consumed_mru += admitted(record) ? record.charge_mru : 0;
    demand_mru += record.attempt == 0 ? record.charge_mru : 0;
  }
};

/// The log of each partition, in the order in which it saw its attempts.
std::vector<std::vector<AttemptRecord>> by_partition(const RunLog& log) {
  std::vector<std::vector<AttemptRecord>> partitions(log.result.partitions.size());
  for (const AttemptRecord& record : log.attempts) {
    partitions.at(record.partition).push_back(record);
  }
  return partitions;
}

Wide share_of_window(const Scenario& scenario, const PartitionResult& partition) {
  return Wide{partition.share_mru_per_s} * scenario.parameters.throttle_window_ns / kSecond;
}

/// The most that admitted charges up to and including each record exceed a steady refill, over all
/// intervals that end there; without the last charge it may never be above the capacity.
void check_token_bucket(const std::vector<AttemptRecord>& attempts, Wide share,
                        Nanoseconds window) {
  Wide excess = 0;  // in mRU times window
  Nanoseconds before = 0;
  for (const AttemptRecord& record : attempts) {
    if (admitted(record)) {
      excess = std::max<Wide>(0, excess - share * (record.time_ns - before));
      before = record.time_ns;
      RC_ASSERT(excess <= share * window);
      excess += Wide{record.charge_mru} * window;
    }
  }
}

void check_windows(const std::vector<AttemptRecord>& attempts, Wide share, Nanoseconds window,
                   bool strict) {
  std::map<Nanoseconds, Wide> granted;  // of each window so far
  for (const AttemptRecord& record : attempts) {
    if (!admitted(record)) {
      continue;
    }
    const Nanoseconds now = record.time_ns / window;
    // From any earlier boundary to now: what was granted without this attempt left something.
    Wide sum = 0;
    granted[now] += 0;
    for (auto it = granted.rbegin(); it != granted.rend() && !strict; ++it) {
      sum += it->second;
      RC_ASSERT(sum < share * (now - it->first + 1));
    }
    granted[now] += record.charge_mru;
    RC_ASSERT(!strict || granted[now] <= share);
  }
}

}  // namespace

TEST_CASE("Every operation and every attempt is counted once, by client and by partition",
          "[property]") {
  for_all_scenarios([](const Scenario& scenario, const RunLog& log) {
    std::vector<Tally> clients(scenario.clients.size());
    std::vector<Tally> partitions(log.result.partitions.size());
    Tally all;
    for (const AttemptRecord& record : log.attempts) {
      if (record.time_ns >= scenario.warm_up_ns) {
        clients.at(record.client).add(record);
        partitions.at(record.partition).add(record);
        all.add(record);
      }
    }
    for (std::size_t i = 0; i < clients.size(); ++i) {
      const ClientResult& client = log.result.clients.at(i);
      const OperationCounts& operations = client.operations;
      RC_ASSERT(client.name == scenario.clients[i].name);
      RC_ASSERT(operations.offered ==
                operations.succeeded + operations.failed + operations.in_flight);
      RC_ASSERT(client.requests >= operations.offered);
      RC_ASSERT(client.attempts == clients[i].attempts);
      RC_ASSERT(client.throttled == clients[i].throttled);
      RC_ASSERT(client.consumed_mru == clients[i].consumed_mru);
    }
    for (std::size_t i = 0; i < partitions.size(); ++i) {
      const PartitionResult& result = log.result.partitions[i];
      const Tally tally{result.attempts, result.throttled, result.consumed_mru, result.demand_mru};
      RC_ASSERT(result.id == i);
      RC_ASSERT(tally == partitions[i]);
    }
    const ClientResult total = log.result.total();
    RC_ASSERT(total.attempts == all.attempts);
    RC_ASSERT(total.throttled == all.throttled);
    RC_ASSERT(total.consumed_mru == all.consumed_mru);
    RC_ASSERT(log.result.total_demand_mru == all.demand_mru);
    RC_ASSERT(log.result.events == log.attempts.size());
    RC_ASSERT(!log.result.partial);
    RC_ASSERT(log.result.simulated_ns == scenario.duration_ns);
  });
}

TEST_CASE("The series of a partition is its attempts second by second, warm-up included",
          "[property]") {
  for_all_scenarios([](const Scenario& scenario, const RunLog& log) {
    const LoadSeries& series = log.result.series;
    RC_ASSERT(series.interval_s == 1);
    std::map<std::pair<Eigen::Index, Eigen::Index>, Tally> cells;
    for (const AttemptRecord& record : log.attempts) {
      cells[{record.time_ns / kSecond, record.partition}].add(record);
    }
    const auto partitions = static_cast<Eigen::Index>(log.result.partitions.size());
    RC_ASSERT(series.attempts.rows() == (scenario.duration_ns + kSecond - 1) / kSecond);
    RC_ASSERT(series.attempts.cols() == partitions);
    for (Eigen::Index p = 0; p < partitions; ++p) {
      MilliRu peak_mru = 0;
      for (Eigen::Index row = 0; row < series.attempts.rows(); ++row) {
        const Tally& cell = cells[{row, p}];
        RC_ASSERT(series.attempts(row, p) == static_cast<std::int64_t>(cell.attempts));
        RC_ASSERT(series.throttled(row, p) == static_cast<std::int64_t>(cell.throttled));
        RC_ASSERT(series.consumed_mru(row, p) == cell.consumed_mru);
        peak_mru = std::max(peak_mru, cell.consumed_mru);
      }
      if (scenario.warm_up_ns == 0) {
        const PartitionResult& result = log.result.partitions[static_cast<std::size_t>(p)];
        RC_ASSERT(result.peak_second_mru == peak_mru);
        RC_ASSERT(series.attempts.col(p).sum() == static_cast<std::int64_t>(result.attempts));
        RC_ASSERT(series.throttled.col(p).sum() == static_cast<std::int64_t>(result.throttled));
        RC_ASSERT(series.consumed_mru.col(p).sum() == result.consumed_mru);
      }
    }
  });
}

TEST_CASE("The latencies counted are those of the succeeded operations, and their parts add up",
          "[property]") {
  for_all_scenarios([](const Scenario& /*scenario*/, const RunLog& log) {
    for (const ClientResult& client : log.result.clients) {
      const LatencyParts& parts = client.parts;
      RC_ASSERT(client.latency_ns.count() == client.operations.succeeded);
      RC_ASSERT(client.latency_ns.sum() == parts.service_ns + parts.queue_ns + parts.retry_wait_ns);
      std::uint64_t below = client.latency_ns.min();
      for (const std::uint32_t ppm : {1U, 500'000U, 900'000U, 990'000U, 999'000U, 1'000'000U}) {
        RC_ASSERT(client.latency_ns.quantile(ppm) >= below);
        below = client.latency_ns.quantile(ppm);
      }
      RC_ASSERT(below <= client.latency_ns.max());
    }
  });
}

TEST_CASE("No partition grants more than its share and one overdraft, over any stretch of windows",
          "[property]") {
  for_all_scenarios([](const Scenario& scenario, const RunLog& log) {
    const std::vector<std::vector<AttemptRecord>> attempts = by_partition(log);
    const Nanoseconds window = scenario.parameters.throttle_window_ns;
    const ThrottleModel model = scenario.parameters.throttle_model;
    for (std::size_t i = 0; i < attempts.size(); ++i) {
      const Wide share = share_of_window(scenario, log.result.partitions[i]);
      if (model == ThrottleModel::token_bucket) {
        check_token_bucket(attempts[i], share, window);
      } else {
        check_windows(attempts[i], share, window, model == ThrottleModel::window_strict);
      }
    }
  });
}

TEST_CASE("Every retry has one parent, comes when the parent said, and not too often",
          "[property]") {
  for_all_scenarios([](const Scenario& scenario, const RunLog& log) {
    using Send = std::tuple<std::uint32_t, std::uint64_t, std::uint32_t, std::uint32_t>;
    std::map<Send, AttemptRecord> sends;
    for (const AttemptRecord& record : log.attempts) {
      const Send send{record.client, record.operation, record.partition, record.attempt};
      RC_ASSERT(sends.emplace(send, record).second);
    }
    for (const auto& [send, record] : sends) {
      const RetrySpec& retry = scenario.clients[record.client].retry;
      RC_ASSERT(record.time_ns >= 0);
      RC_ASSERT(record.time_ns < scenario.duration_ns);
      RC_ASSERT(record.attempt <= retry.max_retries);
      Send child = send;
      ++std::get<3>(child);
      const bool sent_again = !admitted(record) && record.next_ns < scenario.duration_ns;
      RC_ASSERT(sends.contains(child) == sent_again);
      if (sent_again) {
        RC_ASSERT(sends.at(child).time_ns == record.next_ns);
        RC_ASSERT(sends.at(child).charge_mru == record.charge_mru);
      }
      if (record.attempt > 0) {
        Send parent = send;
        --std::get<3>(parent);
        RC_ASSERT(sends.contains(parent));
      }
    }
  });
}

TEST_CASE("A client waits at least as long as it was told, and never longer than it may in all",
          "[property]") {
  for_all_scenarios([](const Scenario& scenario, const RunLog& log) {
    const ProviderParameters& rules = scenario.parameters;
    std::map<std::tuple<std::uint32_t, std::uint64_t, std::uint32_t>, Nanoseconds> waited;
    for (const AttemptRecord& record : log.attempts) {
      RC_ASSERT(record.next_ns >= record.time_ns);
      if (admitted(record) || record.next_ns == kNever) {
        continue;
      }
      const Nanoseconds wait = record.next_ns - record.time_ns - rules.throttle_response_ns;
      RC_ASSERT(wait >= rules.retry_after_min_ns);
      if (record.outcome == AttemptOutcome::throttled &&
          rules.throttle_model != ThrottleModel::token_bucket) {
        const Nanoseconds window = rules.throttle_window_ns;
        RC_ASSERT(record.time_ns + wait >= (record.time_ns / window + 1) * window);
      }
      Nanoseconds& sum = waited[{record.client, record.operation, record.partition}];
      sum += wait;
      RC_ASSERT(sum <= scenario.clients[record.client].retry.max_wait_ns);
    }
  });
}
