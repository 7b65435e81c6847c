#include "partsim/study/advise.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include "partsim/core/distribution.hpp"
#include "partsim/keys/epk.hpp"

#include "support/catch.hpp"
#include "support/scenario_builder.hpp"

namespace partsim {
namespace {

using testing::choose;
using testing::container;
using testing::evenly;
using testing::key;
using testing::scenario;

constexpr std::int64_t kAugust9 = 1'533'772'800;  // 2018-08-09T00:00:00Z

FieldSpec day(std::string name) {
  return {std::move(name), TimeField{*TimeFormat::parse("%Y-%m-%d")}};
}

OperationSpec operation(OperationKind kind, std::vector<std::string> given = {}) {
  OperationSpec spec;
  spec.kind = kind;
  spec.given = std::move(given);
  return spec;
}

/// Writers and readers of telemetry: 100 creates and 10 reads a second.
Scenario telemetry(std::uint32_t partitions, std::uint64_t vins = 1'000) {
  ContainerSpec spec = container(6'000 * partitions, partitions);
  spec.fields = {day("date"), choose("vin", vins)};
  spec.partition_key = {key("{date}")};
  Scenario result = scenario(4 * kSecond, spec, evenly("ingest", 100, OperationSpec{}));
  result.clients.push_back(evenly("lookup", 10, operation(OperationKind::read, {"date", "vin"})));
  result.start_unix_s = kAugust9;
  return result;
}

KeyJudgement judged(const Scenario& asked, const std::string& text) {
  AdviceRequest request;
  request.keys = {{key(text)}};
  request.simulate = 0;
  const KeyAdvice advice = advise(asked, request);
  const auto found = std::find_if(advice.keys.begin(), advice.keys.end(),
                                  [&](const KeyJudgement& each) { return each.key == text; });
  REQUIRE(found != advice.keys.end());
  return *found;
}

const CriterionGrade& criterion(const KeyJudgement& key, Criterion wanted) {
  return *std::find_if(key.criteria.begin(), key.criteria.end(),
                       [wanted](const CriterionGrade& each) { return each.criterion == wanted; });
}

TEST_CASE("The load of an even field is what hashing each of its values counts", "[advise]") {
  const Scenario asked = scenario(kSecond, container(60'000, 7), evenly("app", 1, {}));
  const KeyLoad load = key_load(asked, 0, asked.start_unix_s);

  const std::vector<HashRange> ranges = initial_ranges(HashVersion::v2, 7);
  std::vector<int> counted(7);
  for (int value = 0; value < 1'000; ++value) {
    const KeyComponent component = static_cast<double>(value);
    ++counted[owner_of(ranges, hash_point(HashVersion::v2, {&component, 1}))];
  }
  CHECK(load.basis == KeyLoad::Basis::exact);
  CHECK(load.distinct == 1'000);
  CHECK_FALSE(load.is_estimate);
  for (std::size_t i = 0; i < 7; ++i) {
    CHECK(load.partition_share[i] == Approx(counted[i] / 1'000.0));
  }
  CHECK(load.imbalance() ==
        Approx(*std::max_element(counted.begin(), counted.end()) * 7 / 1'000.0));
}

TEST_CASE("The heaviest key of Zipf's law has the published share, few values or many (V4)",
          "[advise]") {
  ContainerSpec spec = container(10'000, 4);
  const auto top_of = [&spec](std::uint64_t count) {
    spec.fields = {choose("k", count, ZipfChoice{990'000})};
    return key_load(scenario(kSecond, spec, evenly("app", 1, {})), 0, 0);
  };
  CHECK(top_of(1'000).top.front().share == Approx(0.12938).margin(5e-6));
  const KeyLoad many = top_of(1'000'000);
  CHECK(many.basis == KeyLoad::Basis::drawn);
  CHECK(many.top.front().share == Approx(0.06497).margin(5e-6));
  CHECK(many.top.front().key == "0");
  CHECK(many.distinct == 1'000'000);
}

TEST_CASE("A field that never repeats makes a key for each item, its hash a suffix", "[advise]") {
  ContainerSpec spec = container(10'000, 4);
  spec.fields = {{"id", UniqueField{}}};
  spec.partition_key = {key("{id}")};
  const KeyLoad each = key_load(scenario(kSecond, spec, evenly("app", 1, {})), 0, 0);
  CHECK(each.never_repeats);
  CHECK(each.top.empty());
  CHECK(each.imbalance() < 1.02);  // 200,000 draws

  spec.partition_key = {key("{hash id 1..50}")};
  const KeyLoad suffixed = key_load(scenario(kSecond, spec, evenly("app", 1, {})), 0, 0);
  CHECK(suffixed.basis == KeyLoad::Basis::exact);
  CHECK(suffixed.distinct == 50);
}

TEST_CASE("A device of 1 KB a second meets 20 GB after 231 days, with its index earlier",
          "[advise]") {
  // FACTS section 7: 20 GB / 31.5 GB a year = 7.6 months, in decimal units and without the index
  ContainerSpec spec = container(60'000, 10);
  spec.fields = {day("date"), choose("device", 100)};
  spec.partition_key = {key("{device}")};
  spec.item_size_bytes = 1'000;
  Scenario asked = scenario(kSecond, spec, evenly("devices", 100, OperationSpec{}));
  asked.parameters.logical_partition_max_storage_bytes = 20'000'000'000;
  asked.parameters.index_storage_overhead_ppm = 0;
  const StorageWall wall = judged(asked, "{device}").wall;
  CHECK(wall.kind == StorageWall::Kind::day);
  CHECK(wall.key_bytes_per_day == Approx(86.4e6));
  CHECK(wall.days == Approx(231.48).margin(0.01));

  // the service's own units and 15 % of index: 20 * 2^30 / (1024 * 1.15 * 86400)
  asked.containers[0].item_size_bytes = kKilobyte;
  asked.parameters = ProviderParameters{};
  CHECK(judged(asked, "{device}").wall.days == Approx(211.07).margin(0.01));

  CHECK(judged(asked, "{device}/{date}").wall.kind == StorageWall::Kind::rotates);
  asked.containers[0].ttl_ns = 200 * kDay;
  CHECK(judged(asked, "{device}").wall.kind == StorageWall::Kind::expires);
  asked.containers[0].ttl_ns = 220 * kDay;
  CHECK(judged(asked, "{device}").wall.kind == StorageWall::Kind::day);
  asked.parameters.logical_partition_max_storage_bytes = 0;
  CHECK(judged(asked, "{device}").wall.kind == StorageWall::Kind::no_limit);
}

TEST_CASE("A date key that takes more than 20 GB in a day is full on that day", "[advise]") {
  Scenario asked = telemetry(10);
  std::get<OpenLoop>(asked.clients[0].arrivals).rate = testing::per_second(7'000);
  const StorageWall wall = judged(asked, "{date}").wall;
  CHECK(wall.kind == StorageWall::Kind::day);
  // 20 * 2^30 / (7000 * 1024 * 1.15) seconds
  CHECK(wall.days * 86'400 == Approx(2'605.2).margin(0.1));
}

TEST_CASE("What reads cost follows from what their callers know", "[advise]") {
  const Scenario asked = telemetry(10);
  const auto lookup = [&asked](const std::string& text) {
    const KeyJudgement found = judged(asked, text);
    return *std::find_if(
        found.operations.begin(), found.operations.end(),
        [](const OperationAdvice& each) { return each.kind == OperationKind::read; });
  };
  CHECK(lookup("{date}.{hash vin 1..400}").partitions == Approx(1));
  CHECK(lookup("{date}.{hash vin 1..400}").ru == Approx(1));
  // ten partitions at 2.5 RU, one match at 0.03, one KB sent back at 0.7
  CHECK(lookup("{date}.{random 1..400}").partitions == Approx(10));
  CHECK(lookup("{date}.{random 1..400}").ru == Approx(25.73));
  CHECK(lookup("{date}.{random 1..400}").one_partition_ru == Approx(1));
  CHECK(criterion(judged(asked, "{date}.{random 1..400}"), Criterion::reads).value ==
        Approx(10 * 24.73 / 60'000));
}

TEST_CASE("The hottest partition's load is rate times charge times its share", "[advise]") {
  Scenario asked = telemetry(10);
  asked.clients[0].operations[0].charge_mru = 5 * kMilliPerRu;
  asked.clients.pop_back();
  const KeyJudgement found = judged(asked, "{date}");
  CHECK(found.hottest_use == Approx(100 * 5 / 6'000.0));
  CHECK(found.growth == Approx(10'000.0 / (100 * 5)));
}

TEST_CASE("A batch over several logical partitions is an F", "[advise]") {
  Scenario asked = telemetry(4);
  asked.clients[0].operations = {operation(OperationKind::batch, {"date"})};
  CHECK(criterion(judged(asked, "{date}"), Criterion::transactions).grade == Grade::a);
  const KeyJudgement broken = judged(asked, "{date}/{vin}");
  CHECK(criterion(broken, Criterion::transactions).grade == Grade::f);
  CHECK(broken.grade == Grade::f);
}

TEST_CASE("A threshold belongs to the better grade", "[advise]") {
  CHECK(graded(Criterion::throttled, 0.001).grade == Grade::a);
  CHECK(graded(Criterion::throttled, 0.0011).grade == Grade::b);
  CHECK(graded(Criterion::throttled, 0.2).grade == Grade::d);
  CHECK(graded(Criterion::throttled, 0.21).grade == Grade::f);
  CHECK(graded(Criterion::storage, 365).grade == Grade::c);
  CHECK(graded(Criterion::storage, 364).grade == Grade::d);
  CHECK(graded(Criterion::storage, -1).grade == Grade::a);
  CHECK(graded(Criterion::hot_key, 0.4).grade == Grade::f);
  CHECK(graded(Criterion::transactions, 0).grade == Grade::a);
  CHECK(graded(Criterion::transactions, 0.01).grade == Grade::f);
  CHECK(worst_of({graded(Criterion::throttled, 0), graded(Criterion::storage, 364)}) == Grade::d);
  CHECK(worst_of({}) == Grade::a);
}

TEST_CASE("Candidates begin with the current key, differ and are at most 24", "[advise]") {
  Scenario asked = telemetry(10);
  for (int i = 0; i < 12; ++i) {
    asked.containers[0].fields.push_back(choose("z" + std::to_string(10 + i), 10));
  }
  const std::vector<KeyLevels> also{{key("{vin}")}, {key("{nothing}")}, {key("{vin}.{date}")}};
  const std::vector<KeyLevels> keys = key_candidates(asked, 0, also);
  CHECK(keys.size() == 24);
  std::vector<std::string> texts;
  std::transform(keys.begin(), keys.end(), std::back_inserter(texts), key_text);
  CHECK(texts[0] == "{date}");
  CHECK(texts[1] == "{vin}");
  CHECK(texts[2] == "{vin}.{date}");
  std::sort(texts.begin(), texts.end());
  CHECK(std::adjacent_find(texts.begin(), texts.end()) == texts.end());
  CHECK(std::find(texts.begin(), texts.end(), "{nothing}") == texts.end());
}

TEST_CASE("Small scenarios get suffixes and levels among their candidates", "[advise]") {
  std::vector<std::string> texts;
  for (const KeyLevels& levels : key_candidates(telemetry(10), 0, {})) {
    texts.push_back(key_text(levels));
  }
  const auto begins = [&texts](const std::string& text) {
    return std::any_of(texts.begin(), texts.end(),
                       [&text](const std::string& each) { return each.starts_with(text); });
  };
  CHECK(begins("{date}/{vin}"));
  CHECK(begins("{date}.{hash vin 1.."));
  CHECK(begins("{date}.{random 1.."));
  CHECK(begins("[\"{vin}\", \"{date}\"]"));
}

TEST_CASE("Advice simulates the best keys and the current one, and does not depend on threads",
          "[advise]") {
  AdviceRequest request;
  request.simulate = 1;
  const KeyAdvice one = advise(telemetry(3), request);
  request.jobs = 3;
  const KeyAdvice three = advise(telemetry(3), request);
  REQUIRE(one.keys.size() == three.keys.size());
  REQUIRE(one.current() != nullptr);
  CHECK(one.current()->simulated);
  CHECK(one.keys.front().simulated);
  for (std::size_t i = 0; i < one.keys.size(); ++i) {
    CHECK(one.keys[i].key == three.keys[i].key);
    CHECK(one.keys[i].grade == three.keys[i].grade);
    CHECK(one.keys[i].hottest_use == three.keys[i].hottest_use);
    CHECK(one.keys[i].simulated.has_value() == three.keys[i].simulated.has_value());
    if (i > 0) {
      CHECK(one.keys[i - 1].grade <= one.keys[i].grade);
    }
  }
}

TEST_CASE("A key that the service does not take is an F with its reason", "[advise]") {
  Scenario asked = telemetry(3);
  asked.parameters.partition_key_max_bytes = 12;
  const KeyJudgement found = judged(asked, "{date}/{vin}");
  CHECK(found.grade == Grade::f);
  CHECK_THAT(found.problem, has_text("expected at most 12"));
}

TEST_CASE("Advice that is stopped says so", "[advise]") {
  const std::atomic<bool> stop{true};
  AdviceRequest request;
  request.stop = &stop;
  CHECK(advise(telemetry(3), request).partial);
}

}  // namespace
}  // namespace partsim
