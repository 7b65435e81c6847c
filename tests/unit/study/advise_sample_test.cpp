#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "partsim/study/advise.hpp"
#include "partsim/workload/key_space.hpp"
#include "partsim/workload/trace_rows.hpp"

#include "support/catch.hpp"
#include "support/scenario_builder.hpp"

namespace partsim {
namespace {

using testing::container;
using testing::evenly;
using testing::key;

using Texts = std::vector<std::string>;

/// Rows made one by one.
class MadeRows final : public SampleRows {
 public:
  using Maker = std::function<Texts(std::uint64_t)>;
  MadeRows(std::vector<std::string> names, std::uint64_t count, Maker make)
      : names_(std::move(names)), count_(count), make_(std::move(make)) {}
  const std::vector<std::string>& names() const override { return names_; }
  const SampleRow* next() override {
    if (at_ == count_) {
      return nullptr;
    }
    texts_ = make_(at_++);
    views_.assign(texts_.begin(), texts_.end());
    row_ = {views_, 2'000, static_cast<Nanoseconds>(at_) * kSecond};
    return &row_;
  }

 private:
  std::vector<std::string> names_;
  std::uint64_t count_;
  Maker make_;
  std::uint64_t at_ = 0;
  Texts texts_;
  std::vector<std::string_view> views_;
  SampleRow row_;
};

KeyAdvice advised(std::uint64_t rows, const MadeRows::Maker& make, const std::string& text,
                  std::uint32_t simulate = 0) {
  ContainerSpec spec = container(24'000, 4);
  spec.partition_key = {key("{k}")};
  AdviceRequest request;
  request.keys = {{key(text)}};
  request.simulate = simulate;
  request.open_sample = [=] {
    return std::make_unique<MadeRows>(std::vector<std::string>{"tenant", "user"}, rows, make);
  };
  return advise(testing::scenario(10 * kSecond, spec, evenly("app", 1'000, OperationSpec{})),
                request);
}

Texts of_seven(std::uint64_t row) {
  // user u belongs to tenant u % 7
  return {"t" + std::to_string(row % 7 % 7), "u" + std::to_string(row % 700)};
}

TEST_CASE("Frequencies of a sample are counted as they are", "[advise]") {
  const KeyAdvice advice = advised(
      1'000,
      [](std::uint64_t row) {
        return Texts{row < 250 ? "big" : "t" + std::to_string(row), "u"};
      },
      "{tenant}");
  REQUIRE(advice.sample);
  CHECK(advice.sample->rows == 1'000);
  CHECK(advice.sample->mean_bytes == 2'000);
  CHECK(advice.sample->seconds == 999);
  REQUIRE(advice.keys.size() == 1);  // the current key reads no column, so it is not judged
  const KeyLoad& load = advice.keys.front().load;
  CHECK(load.basis == KeyLoad::Basis::rows);
  CHECK(load.distinct == 751);
  CHECK_FALSE(load.is_estimate);
  CHECK(load.top.front().key == "big");
  CHECK(load.top.front().share == Approx(0.25));
}

TEST_CASE("Columns of one row stay together", "[advise]") {
  const KeyAdvice advice = advised(7'000, of_seven, "{tenant}/{user}");
  CHECK(advice.keys.front().load.distinct == 700);  // not 7 times 700

  // in the simulation too: a key is made of one row
  ContainerSpec spec = container(24'000, 4);
  ValuesField tenants;
  ValuesField users;
  for (std::uint64_t row = 0; row < 700; ++row) {
    tenants.values.emplace_back(of_seven(row)[0]);
    users.values.emplace_back(of_seven(row)[1]);
  }
  tenants.rows = users.rows = "sample";
  spec.fields = {{"tenant", tenants}, {"user", users}};
  spec.partition_key = {key("{tenant}"), key("{user}")};
  spec.hash = HashVersion::multihash;
  KeySpace keys(spec, 0);
  CHECK(keys.axes().size() == 1);
  const KeyStreams streams = keys.streams_for(1, testing::evenly("app", 1, OperationSpec{}));
  KeyChoice choice;
  for (std::uint64_t item = 0; item < 200; ++item) {
    keys.choose_at(streams, item, 0, choice);
    const std::string text = keys.text(choice);
    const std::size_t user = std::stoul(text.substr(text.find('u') + 1));
    CHECK(text.substr(0, text.find(' ')) == "t" + std::to_string(user % 7));
  }
}

TEST_CASE("Many different values are counted to about one percent, and it is said", "[advise]") {
  const KeyAdvice advice = advised(
      120'000,
      [](std::uint64_t row) {
        return Texts{"t", "u" + std::to_string(row % 60'000)};
      },
      "{user}");
  const KeyLoad& load = advice.keys.front().load;
  CHECK(load.is_estimate);
  CHECK(static_cast<double>(load.distinct) == Approx(60'000).epsilon(0.03));
  CHECK_FALSE(load.never_repeats);
  CHECK(advice.sample->rows == 120'000);
  CHECK(advice.sample->replayed == 100'000);
}

TEST_CASE("A column that hardly repeats is a key for each item", "[advise]") {
  const KeyAdvice advice = advised(
      5'000,
      [](std::uint64_t row) {
        return Texts{"t", "u" + std::to_string(row)};
      },
      "{user}");
  CHECK(advice.keys.front().load.never_repeats);
  CHECK(advice.keys.front().wall.kind == StorageWall::Kind::unique);
}

TEST_CASE("The simulation of a sample throttles what the sample makes hot", "[advise]") {
  const auto half_hot = [](std::uint64_t row) {
    return Texts{row % 2 == 0 ? "hot" : "t" + std::to_string(row % 501), "u"};
  };
  const KeyAdvice advice = advised(4'000, half_hot, "{tenant}", 1);
  REQUIRE(advice.keys.front().simulated);
  // 1000 creates a second of 2 KB, half of them on one partition of 6000 RU/s
  CHECK(advice.keys.front().hottest_use ==
        Approx(1'000 * advice.keys.front().operations[0].ru *
               *std::max_element(advice.keys.front().load.partition_share.begin(),
                                 advice.keys.front().load.partition_share.end()) /
               6'000));
  CHECK(advice.keys.front().simulated->normalized_peak ==
        Approx(advice.keys.front().hottest_use).epsilon(0.1));
}

TEST_CASE("A sample without rows is refused", "[advise]") {
  CHECK_THROWS_AS(advised(0, of_seven, "{user}"), TraceError);
}

}  // namespace
}  // namespace partsim
