/// Made-up runs whose layout changes: partitions that are born and retire, events, full keys.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "sample_study.hpp"

namespace partsim::samples {

/// A partition of `percent` of the key space, and its load while it is there.
struct LifeSpec {
  std::int64_t percent = 100;
  std::int64_t share_ru_per_s = 10'000;
  std::int64_t demand_ru_per_s = 0;
  std::int64_t born_s = 0;
  std::optional<std::int64_t> retired_s = std::nullopt;
  std::optional<std::uint32_t> parent = std::nullopt;
};

constexpr std::int64_t q32_of_percent(std::int64_t percent) {
  return (std::int64_t{1} << 32) * percent / 100;
}

/// Charges of 5 RU; what is over the share is throttled and fails.
inline RunResult make_layout_run(const std::vector<LifeSpec>& lives, std::int64_t seconds) {
  RunResult run = make_run({.demand_ru_per_s = std::vector<std::int64_t>(lives.size()),
                            .share_ru_per_s = 0,
                            .seconds = seconds});
  run.provisioned_mru = 0;
  run.provisioned_mru_per_s = 0;
  std::uint64_t served_attempts = 0;
  std::uint64_t throttled = 0;
  for (std::size_t i = 0; i < lives.size(); ++i) {
    const LifeSpec& life = lives[i];
    PartitionResult& partition = run.partitions[i];
    const auto column = static_cast<Eigen::Index>(i);
    const std::int64_t end_s = life.retired_s.value_or(seconds);
    const std::int64_t served = std::min(life.demand_ru_per_s, life.share_ru_per_s);
    partition.parent = life.parent;
    partition.width_q32 = q32_of_percent(life.percent);
    partition.born_ns = life.born_s * kSecond;
    partition.share_mru_per_s = life.share_ru_per_s * kMilliPerRu;
    partition.peak_share_mru = partition.share_mru_per_s;
    partition.peak_second_mru = served * kMilliPerRu;
    partition.consumed_mru = served * kMilliPerRu * (end_s - life.born_s);
    partition.demand_mru = life.demand_ru_per_s * kMilliPerRu * (end_s - life.born_s);
    partition.attempts =
        static_cast<std::uint64_t>(life.demand_ru_per_s / 5 * (end_s - life.born_s));
    partition.throttled =
        static_cast<std::uint64_t>((life.demand_ru_per_s - served) / 5 * (end_s - life.born_s));
    for (std::int64_t second = life.born_s; second < end_s; ++second) {
      run.series.share_mru(second, column) = partition.share_mru_per_s;
      run.series.consumed_mru(second, column) = served * kMilliPerRu;
      run.series.attempts(second, column) = life.demand_ru_per_s / 5;
      run.series.throttled(second, column) = (life.demand_ru_per_s - served) / 5;
    }
    if (life.retired_s) {
      partition.retired_ns = *life.retired_s * kSecond;
    } else {
      run.provisioned_mru_per_s += partition.share_mru_per_s;
    }
    run.provisioned_mru += partition.share_mru_per_s * (end_s - life.born_s);
    run.total_demand_mru += partition.demand_mru;
    throttled += partition.throttled;
    served_attempts += partition.attempts - partition.throttled;
  }
  run.clients = {make_client("ingest", served_attempts, throttled)};
  run.clients[0].throttled = throttled;
  return run;
}

inline LayoutEvent::Slice slice(std::uint32_t partition, std::int64_t percent,
                                std::int64_t share_ru_per_s, Bytes bytes = 0) {
  return {partition, q32_of_percent(percent), share_ru_per_s * kMilliPerRu, bytes};
}

/// When it took effect, when it was asked for, and what it was.
struct EventSpec {
  std::int64_t at_s = 0;
  std::int64_t asked_s = 0;
  LayoutEventKind kind = LayoutEventKind::split;
  LayoutCause cause = LayoutCause::throughput;
  std::vector<LayoutEvent::Slice> before = {};
  std::vector<LayoutEvent::Slice> after = {};
  std::int64_t total_before_ru = 0;
  std::int64_t total_after_ru = 0;
};

inline LayoutEvent make_event(const EventSpec& spec) {
  LayoutEvent event;
  event.at_ns = spec.at_s * kSecond;
  event.asked_ns = spec.asked_s * kSecond;
  event.kind = spec.kind;
  event.cause = spec.cause;
  event.container = "main";
  event.before = spec.before;
  event.after = spec.after;
  event.total_before_mru = spec.total_before_ru * kMilliPerRu;
  event.total_after_mru = spec.total_after_ru * kMilliPerRu;
  return event;
}

/// One partition asked for 30,000 RU/s: two rounds of splits, 50/25/25 % of the keys at the end.
/// The vendor's own example of an uneven split, in ten minutes.
inline RunResult growing_run() {
  RunResult run = make_layout_run({{.demand_ru_per_s = 18'000, .retired_s = 240},
                                   {.percent = 50,
                                    .share_ru_per_s = 5'000,
                                    .demand_ru_per_s = 9'000,
                                    .born_s = 240,
                                    .retired_s = 360,
                                    .parent = 0},
                                   {.percent = 50,
                                    .share_ru_per_s = 10'000,
                                    .demand_ru_per_s = 9'000,
                                    .born_s = 240,
                                    .parent = 0},
                                   {.percent = 25,
                                    .share_ru_per_s = 10'000,
                                    .demand_ru_per_s = 4'500,
                                    .born_s = 360,
                                    .parent = 1},
                                   {.percent = 25,
                                    .share_ru_per_s = 10'000,
                                    .demand_ru_per_s = 4'500,
                                    .born_s = 360,
                                    .parent = 1}},
                                  600);
  run.partitions[0].min_epk = "";
  run.partitions[1].min_epk = "";
  run.partitions[2].min_epk = "20";
  run.partitions[3].min_epk = "";
  run.partitions[4].min_epk = "10";
  // partition 2 had half of its parent's share until the new total took effect
  run.series.share_mru.col(2).segment(240, 120) = 5'000'000;
  run.series.consumed_mru.col(2).segment(240, 120) = 5'000'000;
  run.series.throttled.col(2).segment(240, 120) = 800;
  run.partitions[2].consumed_mru = (5'000 * 120 + 9'000 * 240) * kMilliPerRu;
  run.partitions[2].throttled = 800 * 120;
  run.clients[0] = make_client("ingest", 1'584'000, 576'000);
  run.layout_events = {
      make_event({.at_s = 240,
                  .before = {slice(0, 100, 10'000)},
                  .after = {slice(1, 50, 5'000), slice(2, 50, 5'000)},
                  .total_before_ru = 10'000,
                  .total_after_ru = 10'000}),
      make_event({.at_s = 360,
                  .before = {slice(1, 50, 5'000)},
                  .after = {slice(3, 25, 2'500), slice(4, 25, 2'500)},
                  .total_before_ru = 10'000,
                  .total_after_ru = 10'000}),
      make_event({.at_s = 360,
                  .kind = LayoutEventKind::scale,
                  .before = {slice(3, 25, 2'500), slice(4, 25, 2'500), slice(2, 50, 5'000)},
                  .after = {slice(3, 25, 10'000), slice(4, 25, 10'000), slice(2, 50, 10'000)},
                  .total_before_ru = 10'000,
                  .total_after_ru = 30'000})};
  LayoutEvent refused = make_event({.at_s = 120, .asked_s = 120, .kind = LayoutEventKind::refused});
  refused.reason = "423: another throughput change is still in progress";
  run.layout_events.insert(run.layout_events.begin(), refused);
  return run;
}

}  // namespace partsim::samples
