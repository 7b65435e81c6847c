/// Made-up results with simple numbers, so that reports and charts are tested without running
/// anything.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "partsim/core/rng.hpp"
#include "partsim/study/study.hpp"

namespace partsim::samples {

/// A load that does not change over time: partition p is asked for `demand[p]` RU/s and serves at
/// most its share; what is over is throttled, every throttled attempt being tried once.
struct LoadSpec {
  std::vector<std::int64_t> demand_ru_per_s;
  std::int64_t share_ru_per_s = 6'000;
  std::int64_t seconds = 60;
  std::int64_t wiggle_percent = 0;  // of the demand, from second to second
};

inline ClientResult make_client(std::string name, std::uint64_t succeeded,
                                std::uint64_t failed = 0) {
  ClientResult client;
  client.name = std::move(name);
  client.operations = {succeeded + failed, succeeded, failed, 0};
  client.requests = succeeded + failed;
  client.attempts = succeeded + failed;
  client.throttled = failed;
  client.succeeded_mru = static_cast<MilliRu>(succeeded) * 5'000;
  client.consumed_mru = client.succeeded_mru;
  return client;
}

/// Charges of 5 RU; the series, the partitions' counters and one client "ingest" agree.
inline RunResult make_run(const LoadSpec& spec) {
  constexpr std::int64_t kCharge = 5;
  const auto count = static_cast<Eigen::Index>(spec.demand_ru_per_s.size());
  RunResult run;
  run.seed = 2018;
  run.digest = 0x00C0FFEE12345678ULL;
  run.simulated_ns = spec.seconds * kSecond;
  run.provisioned_mru_per_s = spec.share_ru_per_s * kMilliPerRu * count;
  run.provisioned_mru = run.provisioned_mru_per_s * spec.seconds;
  run.cost = {.per_hour_micro = run.provisioned_mru_per_s / kMilliPerRu * 80,
              .per_month_micro = run.provisioned_mru_per_s / kMilliPerRu * 58'400,
              .throughput_micro = run.provisioned_mru_per_s / kMilliPerRu * 80,
              .hours = 1};
  run.series.attempts = LoadMatrix::Zero(spec.seconds, count);
  run.series.throttled = LoadMatrix::Zero(spec.seconds, count);
  run.series.consumed_mru = LoadMatrix::Zero(spec.seconds, count);
  run.series.storage_bytes = LoadMatrix::Zero(spec.seconds, count);
  run.series.share_mru =
      LoadMatrix::Constant(spec.seconds, count, spec.share_ru_per_s * kMilliPerRu);
  const RngStream noise(7, "samples", "wiggle");
  for (Eigen::Index p = 0; p < count; ++p) {
    PartitionResult partition;
    partition.id = static_cast<std::uint32_t>(p);
    partition.container = "main";
    partition.min_epk = p == 0 ? "" : "0" + std::to_string(p);
    partition.max_epk = p + 1 == count ? "FF" : "0" + std::to_string(p + 1);
    partition.share_mru_per_s = spec.share_ru_per_s * kMilliPerRu;
    partition.peak_share_mru = partition.share_mru_per_s;
    partition.width_q32 = (std::int64_t{1} << 32) / count;
    for (std::int64_t second = 0; second < spec.seconds; ++second) {
      const std::int64_t mean = spec.demand_ru_per_s[static_cast<std::size_t>(p)];
      const auto swing = static_cast<std::int64_t>(
          bounded(noise.draw(static_cast<std::uint64_t>(second * count + p)), 201));
      const std::int64_t asked = mean + mean * spec.wiggle_percent * (swing - 100) / 10'000;
      const std::int64_t served = std::min(asked, spec.share_ru_per_s);
      run.series.attempts(second, p) = asked / kCharge;
      run.series.throttled(second, p) = (asked - served) / kCharge;
      run.series.consumed_mru(second, p) = served * kMilliPerRu;
      partition.demand_mru += asked * kMilliPerRu;
      partition.consumed_mru += served * kMilliPerRu;
      partition.peak_second_mru = std::max(partition.peak_second_mru, served * kMilliPerRu);
      partition.attempts += static_cast<std::uint64_t>(asked / kCharge);
      partition.throttled += static_cast<std::uint64_t>((asked - served) / kCharge);
    }
    run.events += partition.attempts;
    run.total_demand_mru += partition.demand_mru;
    run.partitions.push_back(partition);
  }
  std::uint64_t attempts = 0;
  std::uint64_t throttled = 0;
  for (const PartitionResult& partition : run.partitions) {
    attempts += partition.attempts;
    throttled += partition.throttled;
  }
  run.clients.push_back(make_client("ingest", attempts - throttled, throttled));
  return run;
}

/// `count` latencies around `median_ms`; the slowest `waiting_percent` wait `wait_ms` more.
inline void add_latency(ClientResult& client, std::uint64_t median_us,
                        std::uint64_t waiting_percent = 0, std::uint64_t wait_us = 0) {
  constexpr std::uint64_t kSamples = 20'000;
  const RngStream noise(11, client.name, "latency");
  for (std::uint64_t i = 0; i < kSamples; ++i) {
    const std::uint64_t draw = noise.draw(i);
    std::uint64_t us =
        median_us / 2 + bounded(draw, median_us) + bounded(redraw(draw), 97) % 50 * median_us / 100;
    if (i % 100 < waiting_percent) {
      us += wait_us * (1 + i % 7);
    }
    client.latency_ns.add(us * 1'000);
  }
  client.parts.service_ns = client.operations.succeeded * median_us * 1'000;
  client.parts.retry_wait_ns = client.operations.succeeded * waiting_percent * wait_us * 10;
}

/// Keys per range of 400 suffixes over 10 partitions: uneven as the real hash makes them.
inline std::vector<std::int64_t> suffix_demand(std::int64_t ru_per_suffix) {
  std::vector<std::int64_t> demand;
  for (const std::int64_t keys : {43, 48, 27, 45, 40, 30, 40, 40, 36, 51}) {
    demand.push_back(keys * ru_per_suffix);
  }
  return demand;
}

/// The question of the flagship scenario: a date as key, and two ways to spread it.
inline StudyResult vehicle_telemetry() {
  StudyResult study;
  study.name = "vehicle-telemetry";
  study.title = "Vehicle telemetry, one day of writes, three partition keys";
  study.seed = 2018;

  RunResult date =
      make_run({.demand_ru_per_s = {0, 0, 0, 0, 0, 0, 0, 0, 40'600, 0}, .wiggle_percent = 6});
  date.hot_keys.push_back({"2018-08-09", 8, date.total_demand_mru});
  add_latency(date.clients[0], 5'000, 85, 1'000'000);
  RunResult random = make_run({.demand_ru_per_s = suffix_demand(102), .wiggle_percent = 12});
  add_latency(random.clients[0], 5'000);
  RunResult hashed = make_run({.demand_ru_per_s = suffix_demand(101), .wiggle_percent = 12});
  add_latency(hashed.clients[0], 5'000);

  const auto add_lookup = [](RunResult& run, std::uint64_t partitions, MilliRu charge,
                             std::uint64_t us) {
    ClientResult lookup = make_client("lookup", 6'000);
    lookup.requests = 6'000 * partitions;
    lookup.succeeded_mru = 6'000 * charge;
    lookup.consumed_mru = lookup.succeeded_mru;
    lookup.attempts = lookup.requests;
    add_latency(lookup, us);
    run.clients.push_back(lookup);
  };
  add_lookup(date, 1, 1'000, 2'000);
  add_lookup(random, 10, 25'730, 6'500);
  add_lookup(hashed, 1, 1'000, 2'000);
  study.runs = {{"date", date}, {"random-suffix", random}, {"vin-suffix", hashed}};
  study.expectations = {
      {"date.throttled_share > 50%", "date", date.throttled_share(), true},
      {"vin-suffix.throttled_share < 1%", "vin-suffix", 0.0, true},
      {"vin-suffix.clients.lookup.ru_per_operation < 1.1", "vin-suffix", 1.0, true},
      {"random-suffix.clients.lookup.ru_per_operation > 30", "random-suffix", 25.73, false}};
  return study;
}

inline StudyResult one_run_study(RunResult run, std::string variant = "base") {
  StudyResult study;
  study.name = "sample";
  study.title = "A sample";
  study.seed = run.seed;
  study.runs.push_back({std::move(variant), std::move(run)});
  return study;
}

}  // namespace partsim::samples
