#include "partsim/study/sweep.hpp"

#include <limits>
#include <map>
#include <set>
#include <tuple>

#include "support/catch.hpp"
#include "support/scenario_builder.hpp"

namespace partsim {
namespace {

using namespace testing;

Variant variant(std::string name, double rate) {
  ContainerSpec spec = container(1'000, 2);
  spec.fields = {choose("k", 40, ZipfChoice{900'000})};
  return {std::move(name), scenario(2 * kSecond, spec, poisson("app", rate, create(5)))};
}

/// Two axes of 2 and 3 values, two variants.
SweepDesign two_axes(std::uint32_t seeds) {
  SweepDesign design;
  design.name = "small";
  design.axes = {{"a", {"1", "2"}}, {"b", {"x", "y", "z"}}};
  design.variants = {"slow", "fast"};
  design.metrics = {"latency_ms.p99",       "throttled_share",  "failed_share", "cost.per_month",
                    "operations.succeeded", "ru.per_operation", "attempts"};
  design.seeds = seeds;
  return design;
}

std::vector<SweepTask> tasks_of(const SweepDesign& design) {
  std::vector<SweepTask> tasks;
  for (std::size_t point = 0; point < point_count(design); ++point) {
    const double rate = 100 + 20 * static_cast<double>(point);
    tasks.push_back({point, {variant("slow", rate), variant("fast", rate + 7)}});
  }
  return tasks;
}

using Rows = std::vector<std::vector<double>>;
Rows rows_of(const SweepResult& result) {
  Rows rows;
  for (const SweepPoint& point : result.points) {
    for (const SweepCell& cell : point.variants) {
      for (const Replication& each : cell.replications) {
        rows.push_back(each.values);
        rows.back().push_back(static_cast<double>(each.seed));
        rows.back().push_back(static_cast<double>(each.digest % 1'000'003));
      }
    }
  }
  return rows;
}

TEST_CASE("Points run through the product, the last axis fastest", "[sweep]") {
  const SweepDesign design = two_axes(1);
  REQUIRE(point_count(design) == 6);
  CHECK(values_at(design, 0) == std::vector<std::size_t>{0, 0});
  CHECK(values_at(design, 2) == std::vector<std::size_t>{0, 2});
  CHECK(values_at(design, 3) == std::vector<std::size_t>{1, 0});
  CHECK(values_at(design, 5) == std::vector<std::size_t>{1, 2});
}

TEST_CASE("A product too large to count is as large as can be, not small", "[sweep]") {
  SweepDesign design = two_axes(1);
  design.axes.assign(5, {"a", std::vector<std::string>(100'000, "1")});
  CHECK(point_count(design) == SIZE_MAX);
}

TEST_CASE("The first repetition has the file's seed, the others each their own", "[sweep]") {
  CHECK(replication_seed(2018, 0) == 2018);
  std::set<std::uint64_t> seeds;
  for (std::uint32_t i = 0; i < 1'000; ++i) {
    seeds.insert(replication_seed(2018, i));
    CHECK(replication_seed(2018, i) < (std::uint64_t{1} << 53U));
  }
  CHECK(seeds.size() == 1'000);
}

TEST_CASE("One repetition of a sweep is the run itself", "[sweep]") {
  const SweepDesign design = two_axes(1);
  const std::vector<SweepTask> tasks = tasks_of(design);
  const SweepResult result = run_sweep(design, tasks, {});
  REQUIRE(result.points.size() == 6);
  const RunResult alone = run(tasks[4].variants[1].scenario);
  const Replication& found = result.points[4].variants[1].replications.front();
  CHECK(found.digest == alone.digest);
  CHECK(found.values == metric_values(alone, design.metrics));
}

TEST_CASE("All points and variants meet the same seeds", "[sweep]") {
  const SweepDesign design = two_axes(4);
  const SweepResult result = run_sweep(design, tasks_of(design), {});
  for (const SweepPoint& point : result.points) {
    for (const SweepCell& cell : point.variants) {
      REQUIRE(cell.replications.size() == 4);
      for (std::uint32_t i = 0; i < 4; ++i) {
        CHECK(cell.replications[i].seed == replication_seed(2018, i));
      }
    }
  }
}

TEST_CASE("Neither threads nor remembered runs nor shards change a value", "[sweep]") {
  SweepDesign design = two_axes(12);
  design.precision = 0.05;
  const std::vector<SweepTask> tasks = tasks_of(design);
  std::map<std::tuple<std::size_t, std::size_t, std::uint32_t>, Replication> kept;
  SweepOptions options;
  options.jobs = 3;
  options.remember = [&](const RunPlace& place, const Replication& run) {
    kept[{place.point, place.variant, place.replication}] = run;
  };
  const Rows expected = rows_of(run_sweep(design, tasks, options));
  CHECK(rows_of(run_sweep(design, tasks, {})) == expected);

  // Half of the runs are known; none of those is made again.
  std::size_t made = 0;
  SweepOptions second;
  second.recall = [&](const RunPlace& place) -> std::optional<Replication> {
    if ((place.point + place.variant + place.replication) % 2 == 0) {
      return std::nullopt;
    }
    const auto found = kept.find({place.point, place.variant, place.replication});
    return found == kept.end() ? std::nullopt : std::optional(found->second);
  };
  second.remember = [&](const RunPlace& place, const Replication& /*run*/) {
    ++made;
    CHECK((place.point + place.variant + place.replication) % 2 == 0);
  };
  CHECK(rows_of(run_sweep(design, tasks, second)) == expected);
  CHECK(made > 0);
  CHECK(made < kept.size());

  Rows joined;
  std::map<std::size_t, SweepPoint> points;
  for (const std::uint32_t number : {2U, 1U, 3U}) {
    const Shard shard{number, 3};
    std::vector<SweepTask> own;
    for (const SweepTask& task : tasks) {
      if (shard.has(task.number)) {
        own.push_back(task);
      }
    }
    REQUIRE(own.size() == 2);
    for (SweepPoint& point : run_sweep(design, own, {}).points) {
      points[point.number] = std::move(point);
    }
  }
  SweepResult whole;
  for (auto& [number, point] : points) {
    whole.points.push_back(std::move(point));
  }
  CHECK(rows_of(whole) == expected);
}

TEST_CASE("With a precision, a point ends when its target is known that well", "[sweep]") {
  SweepDesign design = two_axes(100);
  design.target = 4;  // operations.succeeded
  design.precision = 0.03;
  const SweepResult result = run_sweep(design, tasks_of(design), {});
  for (const SweepPoint& point : result.points) {
    const std::size_t count = point.variants[0].replications.size();
    CHECK(point.variants[1].replications.size() == count);
    REQUIRE(count >= kLeastReplications);
    REQUIRE(count < 100);
    for (const SweepCell& cell : point.variants) {
      CHECK(is_precise(*interval_of(cell, design.target), 0.03));
    }
  }
  // An unreachable precision takes all that are allowed.
  design.seeds = 8;
  design.precision = 1e-6;
  CHECK(run_sweep(design, tasks_of(design), {}).points[0].variants[0].replications.size() == 8);
}

TEST_CASE("A stop leaves an incomplete sweep; what was remembered is whole", "[sweep]") {
  const SweepDesign design = two_axes(3);
  std::atomic<bool> stop{false};
  std::size_t remembered = 0;
  SweepOptions options;
  options.stop = &stop;
  options.remember = [&](const RunPlace& /*place*/, const Replication& run) {
    CHECK(run.values.size() == design.metrics.size());
    stop = ++remembered == 5;
  };
  CHECK_FALSE(run_sweep(design, tasks_of(design), options).complete);
  CHECK(remembered == 5);
}

/// One point a price and a p99, one variant.
SweepResult offers(const std::vector<std::pair<double, double>>& list) {
  SweepResult result;
  result.design.axes = {{"a", std::vector<std::string>(list.size(), "1")}};
  result.design.variants = {"base"};
  result.design.metrics = {"latency_ms.p99", "cost.per_month", "failed_share",
                           "operations.succeeded"};
  for (std::size_t i = 0; i < list.size(); ++i) {
    SweepCell cell;
    cell.replications.push_back({1, 1, {list[i].second, list[i].first, 0.0, 100.0}});
    result.points.push_back({i, {cell}});
  }
  return result;
}

std::vector<std::size_t> points_of(const std::vector<SweepChoice>& choices) {
  std::vector<std::size_t> points;
  for (const SweepChoice& choice : choices) {
    points.push_back(choice.point);
  }
  return points;
}

TEST_CASE("The frontier is what nothing beats in both price and p99", "[sweep]") {
  //               0          1          2          3         4: dearer, as fast as 1
  SweepResult result = offers({{100, 50}, {200, 20}, {300, 30}, {50, 90}, {250, 20}});
  SweepRanking ranking = rank(result);
  CHECK(points_of(ranking.frontier) == std::vector<std::size_t>{3, 0, 1});
  // 1 and 4 are equally fast: the price decides.
  CHECK(points_of(ranking.order) == std::vector<std::size_t>{1, 4, 2, 0, 3});
}

TEST_CASE("Who loses operations is neither best nor on the frontier", "[sweep]") {
  SweepResult result = offers({{100, 50}, {200, 20}, {20, 5}, {10, 0}});
  result.points[2].variants[0].replications[0].values[2] = 0.01;
  result.points[3].variants[0].replications[0].values[3] = 0;  // nothing succeeded
  const SweepRanking ranking = rank(result);
  CHECK(points_of(ranking.frontier) == std::vector<std::size_t>{0, 1});
  CHECK(ranking.order.front().point == 1);
  CHECK(ranking.order.back().point == 2);
  CHECK(loses_operations(result, {3, 0}));
}

TEST_CASE("A few cents of storage do not make a choice cheaper", "[sweep]") {
  const SweepResult result = offers({{116.80, 50}, {116.83, 20}});
  CHECK(points_of(rank(result).frontier) == std::vector<std::size_t>{1});
}

TEST_CASE("More succeeded operations are better, more latency is not", "[sweep]") {
  CHECK(preferred_direction("operations.succeeded") == Direction::higher_is_better);
  CHECK(preferred_direction("clients.app.operations.succeeded") == Direction::higher_is_better);
  CHECK(preferred_direction("latency_ms.p99") == Direction::lower_is_better);
  CHECK(preferred_direction("partitions.hottest.throttled_share") == Direction::lower_is_better);
  CHECK(preferred_direction("cost.per_month") == Direction::lower_is_better);
  CHECK_FALSE(preferred_direction("ru.provisioned_per_s"));
  CHECK_FALSE(preferred_direction("partitions.hottest.attempts"));
}

TEST_CASE("A metric that some run does not have has no interval", "[sweep]") {
  SweepCell cell;
  cell.replications.push_back({1, 1, {3.0}});
  cell.replications.push_back({2, 1, {std::numeric_limits<double>::quiet_NaN()}});
  CHECK_FALSE(interval_of(cell, 0));
  CHECK_FALSE(difference_of(cell, cell, 0));
}

}  // namespace
}  // namespace partsim
