// The checks that need more than one value of a scenario.
#include "problems.hpp"
#include "support/catch.hpp"

namespace partsim::testing {
namespace {

TEST_CASE("A sound scenario has no problem", "[scenario]") {
  CHECK(problems_of(sound()).empty());
}

TEST_CASE("A scenario with nothing in it has problems, not crashes", "[scenario]") {
  const std::string text = problems_of(Scenario{});
  CHECK_THAT(text, has_text("duration: "));
  CHECK_THAT(text, has_text("container: no container"));
  CHECK_THAT(text, has_text("clients: clients are out of range, expected 1 to 1024, got 0"));
}

TEST_CASE("All problems are found in one pass", "[scenario]") {
  const std::string text = problems_after([](Scenario& s) {
    s.warm_up_ns = 10 * kSecond;
    s.parameters.throttle_window_ns = 300 * kMillisecond;
    s.containers.front().throughput.mru_per_s = 450'000;
    s.containers.front().partition_key = {key("{nobody}")};
    s.clients.front().operations.front().share_ppm = 500'000;
  });
  CHECK_THAT(text, has_text("duration: warm-up must end before the run"));
  CHECK_THAT(text, has_text("parameters.throttle_window_ms: "));
  CHECK_THAT(text, has_text("container.throughput: throughput is between two steps"));
  CHECK_THAT(text, has_text("container.partition_key: the key uses an unknown field 'nobody'"));
  CHECK_THAT(text, has_text("clients.app.operations: shares must sum to 100%, got 50%"));
}

TEST_CASE("The warm-up ends before the run", "[scenario]") {
  CHECK(problems_after([](Scenario& s) { s.warm_up_ns = s.duration_ns - 1; }).empty());
  CHECK_THAT(problems_after([](Scenario& s) { s.warm_up_ns = s.duration_ns; }),
             has_text("duration: warm-up must end before the run"));
  CHECK_THAT(problems_after([](Scenario& s) { s.warm_up_ns = -1; }), has_text("warm_up: "));
}

TEST_CASE("A run lasts between a nanosecond and ten years", "[scenario]") {
  const auto lasting = [](Nanoseconds duration) {
    return problems_after([duration](Scenario& s) {
      s.duration_ns = duration;
      s.parameters.throttle_window_ns = 1;
    });
  };
  CHECK(lasting(1).empty());
  CHECK(lasting(kMaxDuration).empty());
  CHECK_THAT(lasting(0), has_text("duration: the run is out of range"));
  CHECK_THAT(lasting(-5), has_text("duration: the run is out of range"));
  CHECK_THAT(lasting(kMaxDuration + 1), has_text("duration: the run is out of range"));
}

TEST_CASE("A run starts between 1970 and 2262", "[scenario]") {
  CHECK(problems_after([](Scenario& s) { s.start_unix_s = 0; }).empty());
  CHECK_THAT(problems_after([](Scenario& s) { s.start_unix_s = -1; }), has_text("start: "));
  CHECK_THAT(problems_after([](Scenario& s) { s.start_unix_s = 10'000'000'000; }),
             has_text("start: "));
}

TEST_CASE("A window divides a second or is whole seconds, and fits the run", "[scenario]") {
  const auto window = [](Nanoseconds length) {
    return problems_after([length](Scenario& s) { s.parameters.throttle_window_ns = length; });
  };
  for (const Nanoseconds good : {Nanoseconds{1}, 125 * kMillisecond, kSecond, 7 * kSecond}) {
    CHECK(window(good).empty());
  }
  for (const Nanoseconds bad :
       {Nanoseconds{0}, Nanoseconds{-1}, 300 * kMillisecond, 1'500 * kMillisecond, 11 * kSecond}) {
    CHECK_THAT(window(bad), has_text("parameters.throttle_window_ms: "));
  }
}

TEST_CASE("A token bucket may hold minutes of its share", "[scenario]") {
  CHECK(problems_after([](Scenario& s) {
          s.parameters.throttle_model = ThrottleModel::token_bucket;
          s.parameters.throttle_window_ns = 300 * kSecond;
          s.duration_ns = kHour;
          s.containers.front() = container(10'000);
        }).empty());
}

TEST_CASE("Retries need a wait", "[scenario]") {
  CHECK_THAT(problems_after([](Scenario& s) { s.parameters.retry_after_min_ns = 0; }),
             has_text("retries without a wait would never end"));
  CHECK(problems_after([](Scenario& s) {
          s.parameters.retry_after_min_ns = 0;
          s.clients.front().retry = no_retry();
        }).empty());
  CHECK(problems_after([](Scenario& s) { s.clients.front().retry.max_retries = 255; }).empty());
  CHECK_THAT(problems_after([](Scenario& s) { s.clients.front().retry.max_retries = 256; }),
             has_text("clients.app.retry.max_retries: "));
}

TEST_CASE("A key uses fields that exist", "[scenario]") {
  for (const std::string text : {"{j}", "x{hash j 1..4}"}) {
    CHECK_THAT(
        problems_after([&text](Scenario& s) { s.containers.front().partition_key = {key(text)}; }),
        has_text("container.partition_key: the key uses an unknown field 'j'"));
  }
  // Of several levels the one at fault is named.
  CHECK_THAT(problems_after([](Scenario& s) {
               s.containers.front().partition_key = {key("{k}"), key("{j}")};
               s.containers.front().hash = HashVersion::multihash;
             }),
             has_text("container.partition_key.1: "));
}

TEST_CASE("One to three levels, and the hierarchical hash only for several", "[scenario]") {
  const auto with_levels = [](std::size_t levels, HashVersion hash) {
    return problems_after([levels, hash](Scenario& s) {
      s.containers.front().partition_key.assign(levels, key("{k}"));
      s.containers.front().hash = hash;
    });
  };
  CHECK(with_levels(1, HashVersion::v1).empty());
  CHECK(with_levels(3, HashVersion::multihash).empty());
  // The model takes the hierarchical hash for several levels by itself.
  CHECK(with_levels(2, HashVersion::v2).empty());
  CHECK_THAT(with_levels(1, HashVersion::multihash), has_text("container.hash: "));
  CHECK_THAT(with_levels(4, HashVersion::multihash), has_text("4 levels, expected 1 to 3"));
  CHECK_THAT(with_levels(0, HashVersion::v2), has_text("0 levels, expected 1 to 3"));
}

TEST_CASE("The longest key fits its limit to the byte", "[scenario]") {
  struct Case {
    FieldSpec field;
    Bytes longest;  // of `k.` and the field's text
  };
  ChooseField padded;
  padded.count = 1'001;  // 0 to 1000: four digits
  padded.is_text = true;
  padded.prefix = "VIN";
  padded.width = 6;
  const std::vector<Case> cases = {
      {choose("f", 1'001), 2 + 4},
      {{"f", padded}, 2 + 3 + 6},
      {{"f", TimeField{TimeFormat::parse("%Y-%m-%d").value()}}, 2 + 10},
      {{"f", TimeField{TimeFormat::parse("%s").value()}}, 2 + 10},
      {{"f", UniqueField{}}, 2 + 16},
      {{"f", ValuesField{{std::string("abc"), std::string("z")}, UniformChoice{}}}, 2 + 3},
  };
  for (const auto& [field, longest] : cases) {
    const auto limited = [&field = field](Bytes limit) {
      return problems_after([&](Scenario& s) {
        s.containers.front().fields = {field};
        s.containers.front().partition_key = {key("k.{f}")};
        s.parameters.partition_key_max_bytes = limit;
      });
    };
    INFO(longest);
    CHECK(limited(longest).empty());
    CHECK_THAT(limited(longest - 1), has_text("the key may grow to " + std::to_string(longest)));
  }
}

TEST_CASE("Callers know fields that exist", "[scenario]") {
  CHECK_THAT(problems_after([](Scenario& s) {
               s.clients.front().operations.front().kind = OperationKind::read;
               s.clients.front().operations.front().given = {"k", "vin"};
             }),
             has_text("clients.app.operations.0.given.vin: unknown field 'vin'"));
}

TEST_CASE("Clients are sorted by name and differ", "[scenario]") {
  CHECK_THAT(problems_after([](Scenario& s) { s.clients.push_back(s.clients.front()); }),
             has_text("clients.app: clients must be sorted by name and differ"));
  CHECK_THAT(problems_after([](Scenario& s) { s.clients.front().container = 1; }),
             has_text("clients.app: the client's container does not exist"));
}

TEST_CASE("Operations at once happen inside the run", "[scenario]") {
  const auto at = [](Nanoseconds instant) {
    return problems_after([instant](Scenario& s) {
      s.clients.front().arrivals = AtOnce{5, instant};
    });
  };
  CHECK(at(0).empty());
  CHECK(at(10 * kSecond - 1).empty());
  CHECK_THAT(at(10 * kSecond), has_text("clients.app.at: "));
  CHECK_THAT(at(-1), has_text("clients.app.at: "));
}

TEST_CASE("Requests are estimated by the routing of their operations", "[scenario]") {
  const auto requests = [](const std::string& text, const OperationSpec& operation) {
    Scenario s = sound();
    s.containers.front() = container(4'000, 10);
    s.containers.front().partition_key = {key(text)};
    s.clients = {evenly("app", 100, operation)};  // 1,000 operations in ten seconds
    return estimated_requests(s);
  };
  OperationSpec read;
  read.kind = OperationKind::read;
  OperationSpec knowing = read;
  knowing.given = {"k"};
  CHECK(requests("{k}", create(1)) == 1'000);
  CHECK(requests("{k}", knowing) == 1'000);
  CHECK(requests("{k}", read) == 10'000);                    // asks all ten
  CHECK(requests("{k}{random 1..4}", knowing) == 4'000);     // four candidates
  CHECK(requests("{k}{random 1..400}", knowing) == 10'000);  // more candidates than partitions
  CHECK(requests("{k}{random 1..10001}", knowing) == 10'000);
}

}  // namespace
}  // namespace partsim::testing
