// Layout events as sentences, notes about them, and the words of each service.
#include <algorithm>
#include <string>
#include <vector>

#include "partsim/report/report.hpp"

#include "layout_text.hpp"
#include "notes.hpp"
#include "provider_differences.hpp"
#include "provider_words.hpp"
#include "sample_layouts.hpp"
#include "support/catch.hpp"

namespace partsim {
namespace {

using samples::make_event;
using samples::slice;

std::string text_of(const samples::EventSpec& spec) {
  RunResult run;
  run.layout_events = {make_event(spec)};
  const std::vector<LayoutLine> lines = layout_lines(run);
  REQUIRE(lines.size() == 1);
  return lines[0].when + ": " + lines[0].what;
}

std::string notes_text(const RunResult& run) {
  std::string text;
  for (const Note& note : notes_on(run)) {
    text += note.sentence + "\n";
  }
  return text;
}

bool mentions(const std::string& text, const std::string& word) {
  return text.find(word) != std::string::npos;
}

/// Without line breaks and indents, so that a sentence can be found wherever it was wrapped.
std::string unwrapped(const std::string& text) {
  std::string flat;
  for (const char c : text) {
    const bool space = c == ' ' || c == '\n';
    if (!space || (!flat.empty() && flat.back() != ' ')) {
      flat += space ? ' ' : c;
    }
  }
  return flat;
}

TEST_CASE("A split says who had what, who has it now, why and since when", "[report]") {
  CHECK(text_of({.at_s = 300,
                 .before = {slice(0, 100, 10'000)},
                 .after = {slice(1, 50, 5'000), slice(2, 50, 5'000)}}) ==
        "at 300 s: partition 0 (100 % of keys, 10,000 RU/s) split for throughput into 1 and 2 "
        "(50 % of keys, 5,000 RU/s each); asked at 0 s");
  CHECK(text_of({.at_s = 18'000,
                 .asked_s = 3'600,
                 .cause = LayoutCause::storage,
                 .before = {slice(0, 50, 6'000, 51 * kGigabyte)},
                 .after = {slice(4, 20, 3'000, 26 * kGigabyte),
                           slice(5, 30, 3'000, 25 * kGigabyte)}}) ==
        "at 5 h: partition 0 (50 % of keys, 51 GB, 6,000 RU/s) split for storage into 4 (20 % of "
        "keys, 26 GB, 3,000 RU/s) and 5 (30 % of keys, 25 GB, 3,000 RU/s); begun at 60 min");
}

TEST_CASE("A merge names both parents and their child", "[report]") {
  CHECK(text_of({.at_s = 20,
                 .asked_s = 20,
                 .kind = LayoutEventKind::merge,
                 .cause = LayoutCause::request,
                 .before = {slice(3, 25, 500, kGigabyte), slice(4, 25, 500, kGigabyte)},
                 .after = {slice(7, 50, 1'000, 2 * kGigabyte)}}) ==
        "at 20 s: partitions 3 and 4 (25 % of keys, 1 GB, 500 RU/s each) merged into 7 (50 % of "
        "keys, 2 GB, 1,000 RU/s)");
}

TEST_CASE("A change of throughput says what each partition has now", "[report]") {
  CHECK(text_of({.at_s = 60,
                 .asked_s = 60,
                 .kind = LayoutEventKind::scale,
                 .after = {slice(0, 50, 3'000), slice(1, 50, 3'000)},
                 .total_before_ru = 12'000,
                 .total_after_ru = 6'000}) ==
        "at 60 s: throughput lowered from 12,000 to 6,000 RU/s: 2 partitions (50 % of keys, 3,000 "
        "RU/s each)");
}

TEST_CASE("What is bought and cannot be used is said where it happens", "[report]") {
  // shares of 1, 4 and 1 k scaled to 24,000 are 4, 10 and 4 k: the vendor's own example
  const samples::EventSpec spec{
      .kind = LayoutEventKind::scale,
      .after = {slice(0, 33, 4'000), slice(1, 33, 10'000), slice(2, 34, 4'000)},
      .total_before_ru = 6'000,
      .total_after_ru = 24'000};
  CHECK_THAT(text_of(spec), has_text("; 24,000 RU/s bought, 18,000 usable: partition 1 is at its "
                                     "10,000 RU/s limit"));
  CHECK(unusable_mru(make_event(spec)) == 6'000'000);
}

TEST_CASE("Shares that were rounded down are not called unusable", "[report]") {
  LayoutEvent event = make_event({.kind = LayoutEventKind::scale,
                                  .after = {slice(0, 50, 1'000), slice(1, 50, 1'000)},
                                  .total_after_ru = 2'000});
  CHECK(unusable_mru(event) == 0);
  event.total_after_mru += 2;
  CHECK(unusable_mru(event) == 0);
  event.total_after_mru += 1;
  CHECK(unusable_mru(event) == 3);
}

TEST_CASE("A redistribution names the partitions whose share changed", "[report]") {
  CHECK(text_of({.kind = LayoutEventKind::redistribute,
                 .cause = LayoutCause::request,
                 .before = {slice(0, 33, 2'000), slice(1, 33, 2'000), slice(2, 34, 2'000)},
                 .after = {slice(0, 33, 1'000), slice(1, 33, 4'000), slice(2, 34, 2'000)},
                 .total_before_ru = 6'000,
                 .total_after_ru = 7'000}) ==
        "at 0 s: throughput redistributed: partition 0 from 2,000 to 1,000 RU/s, 1 from 2,000 to "
        "4,000 RU/s");
}

TEST_CASE("A refusal has the service's reason", "[report]") {
  RunResult run;
  run.layout_events = {make_event({.at_s = 9, .kind = LayoutEventKind::refused})};
  run.layout_events[0].reason = "423: busy";
  CHECK(layout_lines(run)[0].what == "change of throughput refused: 423: busy");
  run.layout_events[0].cause = LayoutCause::request;
  CHECK(layout_lines(run)[0].what == "request refused: 423: busy");
  run.layout_events[0].reason = "the merge was cancelled by a change of throughput";
  CHECK(layout_lines(run)[0].what == "the merge was cancelled by a change of throughput");
}

/// `count` partitions of one split at the same instant.
RunResult many_splits(std::uint32_t count) {
  RunResult run;
  for (std::uint32_t i = 0; i < count; ++i) {
    run.layout_events.push_back(make_event(
        {.at_s = 300,
         .before = {slice(i, 10, 10'000)},
         .after = {slice(count + 2 * i, 5, 5'000), slice(count + 2 * i + 1, 5, 5'000)}}));
  }
  return run;
}

TEST_CASE("Partitions that split together share a line", "[report]") {
  const std::vector<LayoutLine> lines = layout_lines(many_splits(10));
  REQUIRE(lines.size() == 1);
  CHECK(lines[0].events == 10);
  CHECK(lines[0].what ==
        "partitions 0 to 9 (10 % of keys, 10,000 RU/s each) split for throughput into 10 to 29 "
        "(5.0 % of keys, 5,000 RU/s each); asked at 0 s");
  CHECK(layout_lines(many_splits(2)).size() == 2);
  RunResult apart = many_splits(3);
  apart.layout_events[1].at_ns += kSecond;
  CHECK(layout_lines(apart).size() == 3);
}

TEST_CASE("Where several containers change, each line names its own", "[report]") {
  RunResult run = many_splits(1);
  run.layout_events[0].container = "orders";
  run.partitions.resize(2);
  run.partitions[0].container = "orders";
  CHECK_FALSE(layout_lines(run)[0].what.empty());
  run.partitions[1].container = "users";
  CHECK(layout_lines(run)[0].what.starts_with("orders: partition 0 "));
}

TEST_CASE("The summary shows eight events and says how many there are more", "[report]") {
  RunResult run = samples::growing_run();
  const std::string few = terminal_summary(samples::one_run_study(run), {});
  CHECK_THAT(few, has_text("Layout of base  2 splits, 1 change of throughput, 1 refusal\n"));
  CHECK_THAT(few, has_text("\n  at 240 s  partition 0 (100 % of keys, 10,000 RU/s)"));
  CHECK_FALSE(mentions(few, "more in results.json"));
  for (int i = 0; i < 20; ++i) {
    run.layout_events.push_back(run.layout_events[0]);
  }
  const std::string many = terminal_summary(samples::one_run_study(run), {});
  CHECK_THAT(many, has_text("  ... and 16 more in results.json\n"));
  CHECK_FALSE(mentions(terminal_summary(samples::vehicle_telemetry(), {}), "Layout of"));
}

TEST_CASE("The partition table shows who is there and marks who has retired", "[report]") {
  const std::string text = terminal_summary(samples::one_run_study(samples::growing_run()), {});
  CHECK_THAT(text, has_text("base  3 partitions of 10,000 RU/s, 2 retired\n"));
  CHECK_THAT(text, has_text("← burned until 240 s\n"));
  CHECK_THAT(text, has_text("← from 360 s\n"));
  CHECK_THAT(unwrapped(text), has_text(" 4 25.0 10,000 ███▋···· 45.0 45.0 0 10.0 ← from 360 s"));
}

TEST_CASE("A run that splits out of its trouble burned, and holds now", "[report]") {
  const RunResult run = samples::make_layout_run(
      {{.demand_ru_per_s = 16'000, .retired_s = 100},
       {.percent = 50, .demand_ru_per_s = 8'000, .born_s = 100, .parent = 0},
       {.percent = 50, .demand_ru_per_s = 8'000, .born_s = 100, .parent = 0}},
      200);
  const Diagnosis diagnosis = diagnose(run);
  CHECK(diagnosis.cause == Cause::outgrown);
  CHECK(diagnosis.severity == Severity::warning);
  CHECK(diagnosis.finding == "burned until it split");
  CHECK_THAT(diagnosis.sentence, has_text("of the 2 partitions at the end none throttles;"));
  CHECK_THAT(notes_text(run), has_text("Partition 0 throttled 38 % of its attempts until it was "
                                       "replaced at 100 s."));  // 6,000 of 16,000
}

TEST_CASE("A split that leaves the keys uneven is noted, an even one is not", "[report]") {
  RunResult run = samples::growing_run();
  CHECK_THAT(notes_text(run), has_text("The splits left the keys uneven: partition 2 owns 50 % of "
                                       "them and 33 % of the RU/s."));
  run.partitions[2].share_mru_per_s = 20'000'000;  // half of 40,000
  CHECK_FALSE(mentions(notes_text(run), "uneven"));
  run = samples::growing_run();
  run.layout_events.clear();
  CHECK_FALSE(mentions(notes_text(run), "uneven"));
}

TEST_CASE("More partitions for the same total are called thinner shares", "[report]") {
  RunResult run = samples::make_layout_run(
      {{.share_ru_per_s = 6'000, .retired_s = 100},
       {.percent = 50, .share_ru_per_s = 3'000, .born_s = 100, .parent = 0},
       {.percent = 50, .share_ru_per_s = 3'000, .born_s = 100, .parent = 0}},
      200);
  run.layout_events = {make_event({.at_s = 100,
                                   .cause = LayoutCause::storage,
                                   .before = {slice(0, 100, 6'000)},
                                   .after = {slice(1, 50, 3'000), slice(2, 50, 3'000)}})};
  CHECK_THAT(notes_text(run), has_text("The shares are thinner now: 6,000 RU/s over 2 partitions "
                                       "leave 3,000 RU/s for one, it was 6,000 RU/s."));
  CHECK_FALSE(mentions(notes_text(samples::growing_run()), "thinner"));
}

TEST_CASE("A key at its wall is named, with what is lost", "[report]") {
  RunResult run = samples::make_run({.demand_ru_per_s = {3'000, 3'000}, .seconds = 10});
  CHECK(notes_on(run).empty());
  run.large_keys = {{"tenant-7", 1, 20 * kGigabyte, true}, {"small", 0, 5, false}};
  run.clients[0].operations = {.offered = 12'000, .succeeded = 9'000, .failed = 3'000};
  run.clients[0].forbidden = 3'000;
  const Diagnosis diagnosis = diagnose(run);
  CHECK(diagnosis.severity == Severity::bad);  // although hardly an attempt is throttled
  CHECK(diagnosis.finding == "has a full logical partition");
  CHECK(diagnosis.needs_another_key);
  CHECK(diagnosis.sentence ==
        "Key \"tenant-7\" on partition 1 is at its wall of 20 GB: 25 % of the operations of ingest "
        "are refused for good (403/1014, logical partition full); its reads go on.");
  REQUIRE(diagnosis.notes.size() == 1);
  CHECK_THAT(diagnosis.notes[0], has_text("No attempt met a 429"));
  run.large_keys.clear();  // a container of fixed size
  CHECK_THAT(notes_text(run), has_text("The container is full: 25 % of the operations"));
  // a few 429s beside it are not what the operations fail of
  run.partitions[0].throttled = run.partitions[0].attempts / 10;
  run.partitions[0].peak_second_mru = run.partitions[0].share_mru_per_s;
  run.clients[0].throttled = run.partitions[0].throttled;
  CHECK(diagnose(run).finding == "has a full logical partition");
  run.clients[0].operations = {.offered = 20'000, .succeeded = 9'000, .failed = 11'000};
  CHECK(diagnose(run).finding != "has a full logical partition");
}

TEST_CASE("A partition that one key fills is past help by splitting", "[report]") {
  RunResult run = samples::make_run({.demand_ru_per_s = {3'000, 3'000}});
  run.partitions[1].single_key_full = true;
  run.partitions[1].storage_bytes = 51 * kGigabyte;
  run.api = Api::mongodb;
  CHECK(notes_text(run) ==
        "Partition 1 is over its limit with 51 GB, and one shard key fills it: no split can help, "
        "since all its items stay together whatever their _id.\n");
  CHECK(diagnose(run).severity == Severity::warning);
  run.partitions[1].retired_ns = kSecond;
  CHECK_FALSE(mentions(notes_text(run), "no split can help"));
}

TEST_CASE("Burst and swaps are noted only where they occurred", "[report]") {
  RunResult run = samples::make_run({.demand_ru_per_s = {3'000, 3'000}, .seconds = 10});
  run.partitions[1].burst_mru = 6'000'000;  // of 60,000 RU
  run.clients[0].gone = 1'234;
  const std::string text = notes_text(run);
  CHECK_THAT(text, has_text("Saved-up burst capacity served 6,000 RU above the shares (10 % of "
                            "all), most of it on partition 1."));
  CHECK_THAT(text, has_text("1,234 attempts met 410/1007, partition in its swap."));
}

TEST_CASE("Bought throughput that a limit makes unusable is noted", "[report]") {
  RunResult run = samples::make_run({.demand_ru_per_s = {10, 10}});
  run.provisioned_mru_per_s = 15'000'000;  // of which 12,000 fit
  CHECK(notes_on(run).empty());
  run.layout_events = {make_event({.kind = LayoutEventKind::scale})};
  CHECK_THAT(notes_text(run), has_text("15,000 RU/s are paid for, 12,000 RU/s can be used"));
}

TEST_CASE("Every service and API has its own words for keys and errors", "[report]") {
  CHECK(words_of(Provider::cosmos, Api::nosql).throttled == "429/3200 with x-ms-retry-after-ms");
  CHECK(words_of(Provider::cosmos, Api::mongodb).throttled ==
        "16500 TooManyRequests with RetryAfterMs=");
  CHECK(words_of(Provider::cosmos, Api::mongodb).partition_key == "shard key");
  CHECK_THAT(std::string(words_of(Provider::cosmos, Api::gremlin).throttled), has_text("TimeSpan"));
  CHECK(words_of(Provider::cosmos, Api::table).row_key == "RowKey");
  CHECK_THAT(std::string(words_of(Provider::cosmos, Api::cassandra).throttled), has_text("0x1001"));
  const ProviderWords& dynamodb = words_of(Provider::dynamodb, Api::nosql);
  CHECK(dynamodb.throttled == "400 ProvisionedThroughputExceededException");
  CHECK(dynamodb.unit == "capacity unit");
  CHECK(dynamodb.row_key == "sort key");
  CHECK(words_of(Provider::cosmos_2017, Api::nosql).unit == "RU");
}

TEST_CASE("A run is told in the words of its service", "[report]") {
  RunResult run = samples::make_run({.demand_ru_per_s = {9'000, 300}});
  run.hot_keys = {{"k", 0, run.total_demand_mru}};
  run.provider = Provider::dynamodb;
  const std::string text = unwrapped(terminal_summary(samples::one_run_study(run), {}));
  CHECK_THAT(text, has_text("at its limit of 6,000 units/s for 60 of 60 s"));
  CHECK_THAT(text, has_text("partition key \"k\" caused all of it"));
  CHECK_THAT(text, has_text("times 400 ProvisionedThroughputExceededException"));
  CHECK_FALSE(mentions(text, "429"));
  run.provider = Provider::cosmos;
  run.api = Api::mongodb;
  const std::string mongodb = unwrapped(terminal_summary(samples::one_run_study(run), {}));
  CHECK_THAT(mongodb, has_text("shard key \"k\" caused all of it"));
  CHECK_THAT(mongodb, has_text("16500s"));
  CHECK_FALSE(mentions(mongodb, "429"));
}

TEST_CASE("Differences between providers are those that the runs met", "[report]") {
  StudyResult study =
      samples::one_run_study(samples::make_run({.demand_ru_per_s = {300, 300}}), "azure");
  study.runs.push_back({"aws", study.runs[0].run});
  CHECK_FALSE(mentions(terminal_summary(study, {}), "Differences"));
  study.runs[1].run.provider = Provider::dynamodb;
  const std::string text = terminal_summary(study, {});
  CHECK_THAT(text, has_text("Differences met between the providers\n  azure (cosmos)\n"));
  CHECK_THAT(text, has_text("    - an operation costs 5.0 capacity units\n"));
  for (const char* never : {"adaptive", "burst", "split", "merge", "the most a partition"}) {
    CHECK_FALSE(mentions(text, never));
  }
}

TEST_CASE("Lent capacity is what was used above the even shares", "[report]") {
  RunResult run = samples::make_run({.demand_ru_per_s = {100, 100}, .share_ru_per_s = 100});
  run.provider = Provider::dynamodb;
  run.warm_up_ns = 10 * kSecond;
  run.series.consumed_mru.col(0) = 140'000;  // 40 units/s of the other's, for 50 s that count
  run.series.consumed_mru.col(1) = 50'000;
  run.series.consumed_mru(20, 1) = 101'000;  // the last request of a second overdrew
  run.partitions[0].burst_mru = 500'000;     // was saved, not lent
  const std::vector<std::string> traits = provider_traits(run);
  CHECK(std::count(traits.begin(), traits.end(),
                   "adaptive capacity lent 1,500 units above the even shares, most to partition "
                   "0") == 1);
  run.provider = Provider::cosmos;
  for (const std::string& trait : provider_traits(run)) {
    CHECK_FALSE(mentions(trait, "adaptive"));
  }
}

TEST_CASE("Splits, limits and walls that a provider met are listed", "[report]") {
  RunResult run = samples::make_layout_run(
      {{.share_ru_per_s = 1'000, .demand_ru_per_s = 3'000}, {.share_ru_per_s = 1'000}}, 60);
  run.provider = Provider::dynamodb;
  run.partitions[0].write_share_mru_per_s = 800'000;  // the rest of 1,000 a second was lent
  run.hot_keys = {{"user-1", 0, run.total_demand_mru}};
  run.large_keys = {{"user-1", 0, 10 * kGigabyte, true}};
  run.layout_events = {make_event({.at_s = 30,
                                   .cause = LayoutCause::heat,
                                   .before = {slice(9, 100, 1'000)},
                                   .after = {slice(0, 50, 500), slice(1, 50, 500)}})};
  const std::vector<std::string> traits = provider_traits(run);
  const auto has = [&traits](const std::string& trait) {
    return std::find(traits.begin(), traits.end(), trait) != traits.end();
  };
  CHECK(has("split for heat at 30 s"));
  CHECK(
      has("partition 0 throttles at 1,000 write units/s, the most a partition can have, and so the "
          "most "
          "partition key \"user-1\" can have"));
  run.provider = Provider::cosmos;
  run.partitions[0].write_share_mru_per_s = 0;
  for (const std::string& trait : provider_traits(run)) {
    CHECK_FALSE(mentions(trait, "the most"));  // 1,000 of 10,000 RU/s
  }
  CHECK(has("a logical partition was full at 10 GB"));
}

TEST_CASE("The bill says what it is made of, once if all variants pay the same", "[report]") {
  StudyResult study = samples::vehicle_telemetry();
  for (VariantResult& result : study.runs) {
    result.run.cost = {.per_hour_micro = 4'900'000,
                       .per_month_micro = 3'577'000'000,
                       .throughput_micro = 9'600'000,
                       .storage_micro = 200'000,
                       .hours = 2};
  }
  const std::string bill =
      "$4.90 an hour, $3,577 a month; 2 hours billed: $9.60 for throughput, $0.20 for storage";
  const std::string text = unwrapped(terminal_summary(study, {}));
  REQUIRE(mentions(text, bill));
  CHECK(text.find(bill) == text.rfind(bill));
  study.runs[1].run.cost.hours = 1;
  CHECK_THAT(unwrapped(terminal_summary(study, {})), has_text("random-suffix $4.90 an hour, $3,577 "
                                                              "a month; 1 hour billed: "));
}

}  // namespace
}  // namespace partsim
