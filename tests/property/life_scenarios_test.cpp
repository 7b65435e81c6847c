// What really happens in scenarios with layouts that change, as the naive model sees it: a
// generator that stops covering a rule must not go unnoticed.
#include <algorithm>
#include <map>
#include <string>
#include <tuple>

#include "support/catch.hpp"
#include "support/naive_model.hpp"
#include "support/random_scenario.hpp"

using namespace partsim;

namespace {

constexpr auto kGone = static_cast<AttemptOutcome>(3);
constexpr auto kForbidden = static_cast<AttemptOutcome>(4);

/// How many scenarios of so many showed a thing.
using Seen = std::map<std::string, int>;

bool has_event(const NaiveResult& result, LayoutEventKind kind, LayoutCause cause,
               const std::string& reason = {}) {
  return std::any_of(result.layout_events.begin(), result.layout_events.end(),
                     [&](const LayoutEvent& event) {
                       return event.kind == kind && event.cause == cause && event.reason == reason;
                     });
}

void note_events(const Scenario& scenario, const NaiveResult& result, Seen& seen) {
  using Kind = LayoutEventKind;
  using Cause = LayoutCause;
  const auto note = [&](const std::string& what, bool is_so) { seen[what] += is_so ? 1 : 0; };
  note("a split for throughput", has_event(result, Kind::split, Cause::throughput));
  note("a split for storage", has_event(result, Kind::split, Cause::storage));
  note("a merge", has_event(result, Kind::merge, Cause::request));
  note("throughput set", has_event(result, Kind::scale, Cause::throughput));
  note("throughput raised by storage", has_event(result, Kind::scale, Cause::storage));
  note("shares redistributed", has_event(result, Kind::redistribute, Cause::throughput));
  note("refused: 423", has_event(result, Kind::refused, Cause::throughput, "423"));
  note("refused: below the minimum",
       has_event(result, Kind::refused, Cause::throughput, "below the minimum"));
  note("refused: redistribution",
       has_event(result, Kind::refused, Cause::throughput, "redistribute"));
  note("refused: merge", has_event(result, Kind::refused, Cause::request, "merge"));
  note("a merge cancelled",
       has_event(result, Kind::refused, Cause::request, "the merge was cancelled"));
  note("a partition full of one key",
       has_event(result, Kind::refused, Cause::storage, "a single key fills the partition"));
  bool grandchild = false;
  bool heir_of_target = false;
  for (const PartitionResult& partition : result.partitions) {
    grandchild |= partition.parent && result.partitions[*partition.parent].parent;
  }
  bool redistributed = false;
  for (const LayoutEvent& event : result.layout_events) {
    redistributed |= event.kind == Kind::redistribute;
    heir_of_target |= redistributed && event.kind == Kind::split &&
                      event.total_after_mru > event.total_before_mru;
  }
  note("a child that split or merged again", grandchild);
  note("a target above the limit that split", heir_of_target);
  note("a split in a database",
       scenario.database && has_event(result, Kind::split, Cause::storage));
  note("a split with units apart",
       scenario.parameters.read_unit_bytes > 0 && has_event(result, Kind::split, Cause::storage));
  note("a serverless split", scenario.containers[0].throughput.mode == CapacityMode::serverless &&
                                 has_event(result, Kind::split, Cause::storage));
}

void note_attempts(const Scenario& scenario, const NaiveResult& result, Seen& seen) {
  using Request = std::tuple<std::uint32_t, std::uint64_t>;
  std::map<Request, std::uint32_t> last_at;
  bool moved = false;
  bool gone = false;
  bool gone_twice = false;
  bool forbidden = false;
  bool fixed_full = false;
  for (const AttemptRecord& record : result.attempts) {
    const Request request{record.client, record.operation};
    moved |= record.attempt > 0 && result.partitions[record.partition].parent.has_value() &&
             last_at[request] != record.partition;
    gone_twice |= record.outcome == kGone && record.attempt > 0;
    last_at[request] = record.partition;
    gone |= record.outcome == kGone;
    forbidden |= record.outcome == kForbidden;
    fixed_full |= record.outcome == kForbidden &&
                  scenario.containers[scenario.clients[record.client].container].fixed;
  }
  seen["a retry moved to a child"] += moved ? 1 : 0;
  seen["an attempt gone"] += gone ? 1 : 0;
  seen["an attempt gone again"] += gone_twice ? 1 : 0;
  seen["a write forbidden"] += forbidden ? 1 : 0;
  seen["a write forbidden in a fixed container"] += fixed_full ? 1 : 0;
}

std::string text_of(const Seen& seen) {
  std::string text;
  for (const auto& [what, scenarios] : seen) {
    text += std::to_string(scenarios) + ' ' + what + '\n';
  }
  return text;
}

void check_at_least(const Seen& seen, const Seen& least) {
  for (const auto& [what, scenarios] : least) {
    INFO(what);
    CHECK(seen.contains(what));
    CHECK(seen.at(what) >= scenarios);
  }
}

/// A rule mattered if without it the run is another.
void note_differences(const Scenario& scenario, const NaiveResult& result, Seen& seen) {
  const auto note = [&](const std::string& what, bool is_on, auto switch_off) {
    if (is_on) {
      Scenario changed = scenario;
      switch_off(changed);
      seen[what] += naive_run(changed).digest != result.digest ? 1 : 0;
    }
  };
  const ProviderParameters& p = scenario.parameters;
  const auto any_client = [&](auto property) {
    return std::any_of(scenario.clients.begin(), scenario.clients.end(), property);
  };
  note("burst", p.burst_enabled, [](Scenario& s) { s.parameters.burst_enabled = false; });
  note("burst, strict window", p.burst_enabled && p.throttle_model == ThrottleModel::window_strict,
       [](Scenario& s) { s.parameters.burst_enabled = false; });
  note("burst, gross", p.burst_enabled && !p.burst_net_of_share,
       [](Scenario& s) { s.parameters.burst_net_of_share = true; });
  note("RU per minute", p.ru_per_minute_enabled,
       [](Scenario& s) { s.parameters.ru_per_minute_enabled = false; });
  note("adaptive capacity", p.adaptive_capacity,
       [](Scenario& s) { s.parameters.adaptive_capacity = false; });
  note("initial storage", true, [](Scenario& s) {
    for (ContainerSpec& container : s.containers) {
      container.initial_storage_bytes = 0;
    }
  });
  note("where a split cuts", true, [](Scenario& s) {
    s.parameters.split_cut_storage = SplitCut::midpoint;
    s.parameters.split_cut_throughput = SplitCut::midpoint;
  });
  note("which partition splits first", p.split_order != SplitOrder::lowest_id,
       [](Scenario& s) { s.parameters.split_order = SplitOrder::lowest_id; });
  note("half of the parent's share", p.throughput_distribution != ThroughputDistribution::even,
       [](Scenario& s) { s.parameters.throughput_distribution = ThroughputDistribution::even; });
  note("growth that splits all", p.growth_splits_all,
       [](Scenario& s) { s.parameters.growth_splits_all = false; });
  note("low priority", any_client([](const auto& c) { return c.priority == Priority::low; }),
       [](Scenario& s) {
         for (ClientSpec& client : s.clients) {
           client.priority = Priority::high;
         }
       });
  note("a throughput bucket", any_client([](const auto& c) { return c.bucket > 0; }),
       [](Scenario& s) {
         for (ClientSpec& client : s.clients) {
           client.bucket = 0;
         }
       });
  note("back-off", any_client([](const auto& c) { return c.retry.backoff_base_ns > 0; }),
       [](Scenario& s) {
         for (ClientSpec& client : s.clients) {
           client.retry.backoff_base_ns = 0;
         }
       });
  note("a client elsewhere", scenario.regions.size() > 1, [](Scenario& s) {
    for (ClientSpec& client : s.clients) {
      client.region = 0;
    }
  });
  note("writes in every region", scenario.multi_region_writes,
       [](Scenario& s) { s.multi_region_writes = false; });
}

}  // namespace

TEST_CASE("Scenarios whose layout changes show every rule of the model at work", "[property]") {
  Seen seen;
  std::size_t attempts = 0;
  for (std::uint64_t seed = 1; seed <= 1'000; ++seed) {
    const Scenario scenario = random_life_scenario(seed);
    const NaiveResult result = naive_run(scenario);
    attempts += result.attempts.size();
    note_events(scenario, result, seen);
    note_attempts(scenario, result, seen);
  }
  INFO(text_of(seen));
  CHECK(attempts > 300'000);
  // About a third of what is seen; a generator that lost a rule falls through.
  const Seen least = {{"a child that split or merged again", 40},
                      {"a merge", 15},
                      {"a merge cancelled", 5},
                      {"a partition full of one key", 15},
                      {"a retry moved to a child", 60},
                      {"a serverless split", 6},
                      {"a split for storage", 45},
                      {"a split for throughput", 60},
                      {"a split in a database", 10},
                      {"a split with units apart", 10},
                      {"a target above the limit that split", 12},
                      {"a write forbidden", 70},
                      {"a write forbidden in a fixed container", 15},
                      {"an attempt gone", 50},
                      {"an attempt gone again", 40},
                      {"refused: 423", 30},
                      {"refused: below the minimum", 40},
                      {"refused: merge", 30},
                      {"refused: redistribution", 70},
                      {"shares redistributed", 90},
                      {"throughput raised by storage", 15},
                      {"throughput set", 100}};
  check_at_least(seen, least);
}

TEST_CASE("In scenarios whose layout changes every rule that can be switched off matters",
          "[property]") {
  Seen seen;
  for (std::uint64_t seed = 1; seed <= 250; ++seed) {
    const Scenario scenario = random_life_scenario(seed);
    note_differences(scenario, naive_run(scenario), seen);
  }
  INFO(text_of(seen));
  const Seen least = {{"RU per minute", 2},
                      {"a client elsewhere", 13},
                      {"a throughput bucket", 30},
                      {"adaptive capacity", 4},
                      {"back-off", 20},
                      {"burst", 6},
                      {"burst, gross", 3},
                      {"burst, strict window", 2},
                      {"growth that splits all", 2},
                      {"half of the parent's share", 2},
                      {"initial storage", 25},
                      {"low priority", 17},
                      {"where a split cuts", 10},
                      {"which partition splits first", 6},
                      {"writes in every region", 8}};
  check_at_least(seen, least);
}
