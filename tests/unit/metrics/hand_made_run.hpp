/// A result whose every number can be checked with pencil and paper.
#pragma once

#include "partsim/study/study.hpp"

namespace partsim::testing {

/// 10 s of which the first 2 s do not count; two partitions of 1,000 RU/s.
///
/// client         offered succeeded failed flight requests attempts throttled  succeeded RU
/// writer              10         6      2      2       10       20         8            30
/// reader.eu            4         4      0      0       12       14         2            10
///
/// partition  attempts throttled consumed  demand  peak second
/// 0                20         9    4,000   6,000          900
/// 1                14         1    1,600   2,000        1,250
inline RunResult hand_made_run() {
  RunResult run;
  run.seed = 7;
  run.digest = 0xABC;
  run.events = 40;
  run.simulated_ns = 10 * kSecond;
  run.warm_up_ns = 2 * kSecond;
  run.provisioned_mru_per_s = 2'000'000;
  run.provisioned_mru = 16'000'000;  // 2,000 RU/s for the 8 s that count

  ClientResult writer;
  writer.name = "writer";
  writer.operations = {.offered = 10, .succeeded = 6, .failed = 2, .in_flight = 2};
  writer.requests = 10;
  writer.attempts = 20;
  writer.throttled = 8;
  writer.gone = 1;
  writer.forbidden = 2;
  writer.consumed_mru = 40'000;
  writer.succeeded_mru = 30'000;
  for (const std::uint64_t ms : {1U, 2U, 3U, 4U, 5U, 9U}) {
    writer.latency_ns.add(ms * 1'000'000);
  }
  writer.parts = {.service_ns = 12'000'000, .queue_ns = 3'000'000, .retry_wait_ns = 9'000'000};

  ClientResult reader;
  reader.name = "reader.eu";
  reader.operations = {.offered = 4, .succeeded = 4, .failed = 0, .in_flight = 0};
  reader.requests = 12;
  reader.attempts = 14;
  reader.throttled = 2;
  reader.gone = 3;
  reader.consumed_mru = 12'000;
  reader.succeeded_mru = 10'000;
  for (const std::uint64_t ms : {2U, 2U, 2U, 10U}) {
    reader.latency_ns.add(ms * 1'000'000);
  }
  reader.parts = {.service_ns = 14'000'000, .queue_ns = 0, .retry_wait_ns = 2'000'000};
  run.clients = {reader, writer};

  run.partitions.resize(2);
  for (PartitionResult& partition : run.partitions) {
    partition.container = "main";
    partition.share_mru_per_s = 1'000'000;
    partition.peak_share_mru = 1'000'000;
    partition.width_q32 = std::int64_t{1} << 31;
    partition.storage_bytes = 4096;
  }
  PartitionResult& first = run.partitions[0];
  first.max_epk = "7F";
  first.attempts = 20;
  first.throttled = 9;
  first.consumed_mru = 4'000'000;
  first.demand_mru = 6'000'000;
  first.peak_second_mru = 900'000;
  first.burst_mru = 70'000;
  PartitionResult& second = run.partitions[1];
  second.id = 1;
  second.min_epk = "7F";
  second.max_epk = "FF";
  second.attempts = 14;
  second.throttled = 1;
  second.consumed_mru = 1'600'000;
  second.demand_mru = 2'000'000;
  second.peak_second_mru = 1'250'000;
  second.burst_mru = 5'000;
  second.ttl_mru = 9'000;
  second.storage_bytes = 8192;

  run.series.attempts = LoadMatrix::Zero(10, 2);
  run.series.throttled = LoadMatrix::Zero(10, 2);
  run.series.consumed_mru = LoadMatrix::Zero(10, 2);
  run.series.storage_bytes = LoadMatrix::Zero(10, 2);
  run.series.share_mru = LoadMatrix::Constant(10, 2, 1'000'000);
  run.hot_keys = {{"2018-08-09", 0, 5'000'000}, {"other", 1, 1'000'000}};
  run.total_demand_mru = 8'000'000;
  run.large_keys = {{"2018-08-09", 0, 3000, true}, {"other", 1, 100, false}};
  run.cost = {.per_hour_micro = 160'000,
              .per_month_micro = 116'800'000,
              .throughput_micro = 300'000,
              .storage_micro = 20'000,
              .hours = 2};
  return run;
}

inline StudyResult hand_made_study() {
  StudyResult study;
  study.name = "hand-made";
  study.title = "Hand made";
  study.seed = 7;
  study.runs = {{"only", hand_made_run()}};
  return study;
}

}  // namespace partsim::testing
