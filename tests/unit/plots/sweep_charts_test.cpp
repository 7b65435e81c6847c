#include "partsim/plots/sweep_charts.hpp"

#include "support/catch.hpp"
#include "unit/report/sample_sweep.hpp"

namespace partsim {
namespace {

using namespace testing;

const std::vector<Line>& lines_of(const Chart& chart, std::size_t panel = 0) {
  return std::get<std::vector<Line>>(chart.panels.at(panel).content);
}

TEST_CASE("The target stands against the varied value, with its interval", "[plots]") {
  const std::vector<Chart> charts = describe_sweep_charts(sample_sweep());
  REQUIRE(charts.size() == 2);
  const Chart& chart = charts[0];
  CHECK(chart.name == "sweep");
  CHECK_THAT(chart.title, has_text("vin at throughput 2000 RU/s"));
  REQUIRE(chart.panels.size() == 1);
  CHECK(chart.panels[0].x.title == "throughput");
  CHECK(chart.panels[0].x.unit == "RU/s");
  CHECK(chart.panels[0].x.high == 2'000);
  CHECK(chart.panels[0].y.unit == "ms");
  const std::vector<Line>& lines = lines_of(chart);
  REQUIRE(lines.size() == 6);  // mean, low and high of two variants
  CHECK(lines[0].name == "date");
  CHECK(lines[0].x == std::vector<double>{1'000, 2'000});
  CHECK(lines[0].y == std::vector<double>{41, 30});
  CHECK(lines[1].dashed);
  CHECK(lines[1].y[0] == Approx(41 - 12.706205));
  CHECK(lines[2].y[0] == Approx(41 + 12.706205));
  CHECK(lines[3].number == 1);
}

TEST_CASE("Price stands against p99; the frontier holds what nothing beats", "[plots]") {
  const Chart chart = describe_sweep_charts(sample_sweep()).at(1);
  CHECK(chart.name == "pareto");
  CHECK_THAT(chart.title, has_text("2 of 4 choices"));
  const std::vector<Line>& lines = lines_of(chart);
  REQUIRE(lines.size() == 3);
  CHECK(lines[2].name == "frontier");
  CHECK(lines[2].x == std::vector<double>{58, 117});
  CHECK(lines[2].y == std::vector<double>{20.5, 10});
  CHECK(chart.panels[0].y.low <= 10);
  CHECK(chart.panels[0].y.high >= 41);
  CHECK(chart.panels[0].x.high >= 117);
}

TEST_CASE("What else is varied makes panels with equal axes; words stand side by side", "[plots]") {
  SweepResult result = sample_sweep();
  result.design.axes = {{"container.throughput", {"1000 RU/s", "2000 RU/s"}},
                        {"clients.app.retry", {"dotnet", "none", "java"}}};
  result.points.clear();
  for (std::size_t number = 0; number < 6; ++number) {
    const auto p99 = static_cast<double>(10 + number);
    result.points.push_back({number, {sample_cell(p99, p99, 58), sample_cell(p99, p99, 58)}});
  }
  const Chart chart = describe_sweep_charts(result).at(0);
  REQUIRE(chart.panels.size() == 2);
  CHECK(chart.panels[0].heading == "throughput 1000 RU/s");
  CHECK(chart.panels[1].heading == "throughput 2000 RU/s");
  CHECK(chart.panels[0].y.high == chart.panels[1].y.high);
  REQUIRE(chart.panels[0].x.ticks.size() == 3);
  CHECK(chart.panels[0].x.ticks[1].text == "none");
  CHECK(lines_of(chart, 1)[0].y == std::vector<double>{13, 14, 15});
}

TEST_CASE("A sweep of seeds alone has no varied value to draw, nor has an empty one", "[plots]") {
  SweepResult result = sample_sweep();
  result.design.axes.clear();
  result.points.resize(1);
  const std::vector<Chart> charts = describe_sweep_charts(result);
  REQUIRE(charts.size() == 1);
  CHECK(charts[0].name == "pareto");
  result.points.clear();
  CHECK(describe_sweep_charts(result).empty());
}

}  // namespace
}  // namespace partsim
