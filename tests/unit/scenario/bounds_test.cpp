// Bounds that keep the engine's integers from overflowing, each from both sides.
#include "problems.hpp"
#include "support/catch.hpp"

namespace partsim::testing {
namespace {

OperationSpec query(std::uint32_t matches, std::uint32_t returned) {
  OperationSpec operation;
  operation.kind = OperationKind::query;
  operation.matches = matches;
  operation.returned = returned;
  return operation;
}

template <class Change>
std::string problems_of_operation(OperationSpec operation, Change change) {
  return problems_after([&](Scenario& s) {
    s.clients.front().operations = {std::move(operation)};
    change(s);
  });
}

std::string problems_of_operation(OperationSpec operation) {
  return problems_of_operation(std::move(operation), [](Scenario&) {});
}

TEST_CASE("A fixed charge is at most 4 million RU", "[scenario]") {
  OperationSpec operation;
  operation.charge_mru = 4'000'000'000;
  CHECK(problems_of_operation(operation).empty());
  operation.charge_mru = 4'000'000'001;
  CHECK_THAT(problems_of_operation(operation), has_text("clients.app.operations.0.charge: "));
  operation.charge_mru = 0;
  CHECK_THAT(problems_of_operation(operation), has_text("clients.app.operations.0.charge: "));
  CHECK(kMaxChargeMilliRu < INT64_C(1) << 32);
}

TEST_CASE("A query costs at most 4 million RU, with all its matches on one partition",
          "[scenario]") {
  // 2.5 RU and 4 RU for each match: 999,999 of them cost 3,999,998.5 RU, one more 4,000,002.5.
  const auto dear = [](Scenario& s) { s.parameters.query_mru_per_match = 4'000; };
  CHECK(problems_of_operation(query(999'999, 0), dear).empty());
  CHECK_THAT(problems_of_operation(query(1'000'000, 0), dear),
             has_text("clients.app.operations.0: a request may cost more than 4000000 RU"));
  // Strong reads double it.
  const auto strong = [](Scenario& s) {
    s.parameters.query_mru_per_match = 4'000;
    s.containers.front().consistency = Consistency::strong;
  };
  CHECK(problems_of_operation(query(499'999, 0), strong).empty());
  CHECK_FALSE(problems_of_operation(query(500'000, 0), strong).empty());
}

TEST_CASE("What a query sends back counts as well", "[scenario]") {
  // 0.7 RU for each KB: 5,714,282 items of 1 KB cost 3,999,999.9 RU with the 2.5 RU of the query.
  const auto free_matches = [](Scenario& s) { s.parameters.query_mru_per_match = 0; };
  CHECK(problems_of_operation(query(5'714'282, 5'714'282), free_matches).empty());
  CHECK_FALSE(problems_of_operation(query(5'714'283, 5'714'283), free_matches).empty());
}

TEST_CASE("A create costs at most 4 million RU, with all its index terms", "[scenario]") {
  OperationSpec create;
  const auto terms = [](std::uint32_t count) {
    return [count](Scenario& s) {
      s.parameters.index_mru_per_term = 1'000'000;
      s.containers.front().indexed_terms = count;
    };
  };
  // The item itself costs at most 1,250 RU.
  CHECK(problems_of_operation(create, terms(3'998)).empty());
  CHECK_FALSE(problems_of_operation(create, terms(4'000)).empty());
}

TEST_CASE("A request costs something", "[scenario]") {
  const auto multiplier = [](std::int64_t micro) {
    return [micro](Scenario& s) {
      s.containers.front().consistency = Consistency::strong;
      s.parameters.strong_read_multiplier_micro = micro;
    };
  };
  // A read of 1 KB costs 1 RU, which times 0.001 is the finest amount.
  CHECK(problems_of_operation(query(1, 1), multiplier(1'000)).empty());
  CHECK_THAT(problems_of_operation(query(1, 1), multiplier(999)),
             has_text("parameters.strong_read_multiplier: a request may cost nothing"));
  CHECK_THAT(problems_of_operation(
                 query(1, 1), [](Scenario& s) { s.parameters.query_min_mru_per_partition = 0; }),
             has_text("parameters.query_min_ru_per_partition: a request may cost nothing"));
}

TEST_CASE("A service time is at most an hour, or a second for each RU", "[scenario]") {
  const auto service = [](Nanoseconds mean, bool per_ru, ServiceTimeSpec::Law law) {
    return problems_after([=](Scenario& s) {
      s.containers.front().service = ServiceTimeSpec{law, {mean, per_ru}};
    });
  };
  for (const auto law : {ServiceTimeSpec::Law::fixed, ServiceTimeSpec::Law::exponential}) {
    CHECK(service(1, false, law).empty());
    CHECK(service(kHour, false, law).empty());
    CHECK(service(kSecond, true, law).empty());
    CHECK_THAT(service(kHour + 1, false, law), has_text("container.service."));
    CHECK_THAT(service(kSecond + 1, true, law), has_text("at most 1s/RU"));
    CHECK_THAT(service(0, true, law), has_text("container.service."));
    CHECK_THAT(service(-1, false, law), has_text("container.service."));
  }
}

TEST_CASE("The latency of a query is at most a second for each RU", "[scenario]") {
  const auto latency = [](Nanoseconds per_ru) {
    return problems_after([=](Scenario& s) { s.parameters.query_latency_ns_per_ru = per_ru; });
  };
  CHECK(latency(0).empty());
  CHECK(latency(kSecond).empty());
  CHECK_THAT(latency(kSecond + 1), has_text("parameters.query_latency_ms_per_ru: "));
  CHECK_THAT(latency(-1), has_text("parameters.query_latency_ms_per_ru: "));
}

TEST_CASE("A latency's tail ends within the clock", "[scenario]") {
  const auto spread = [](Nanoseconds p50, Nanoseconds p99) {
    return problems_after([=](Scenario& s) {
      s.parameters.read_latency_p50_ns = p50;
      s.parameters.read_latency_p99_ns = p99;
    });
  };
  // The farthest draw lies below p50 * (p99 / p50)^4, which must stay below 4e18 ns.
  CHECK(spread(kMillisecond, 1'400 * kMillisecond).empty());
  CHECK_THAT(spread(kMillisecond, 1'500 * kMillisecond), has_text("too far above the median"));
  CHECK(spread(kHour, kHour).empty());
  CHECK_THAT(spread(kHour + 1, kHour + 1), has_text("too far above the median"));
  CHECK_THAT(spread(2, 1), has_text("parameters.read_latency_p99_ms: "));
  CHECK_THAT(spread(0, 1), has_text("parameters.read_latency_p99_ms: "));
  CHECK_THAT(spread(-5, -1), has_text("parameters.read_latency_p99_ms: "));
}

TEST_CASE("At most 1024 clients and 65535 operations in all", "[scenario]") {
  const auto many = [](std::size_t clients, std::size_t operations) {
    return problems_after([=](Scenario& s) {
      s.clients.clear();
      for (std::size_t i = 0; i < clients; ++i) {
        ClientSpec client = poisson("c" + std::to_string(10'000 + i), 1, create(1));
        client.operations.assign(operations, create(1));
        for (OperationSpec& operation : client.operations) {
          operation.share_ppm = 0;
        }
        client.operations.front().share_ppm = kMillion;
        s.clients.push_back(std::move(client));
      }
    });
  };
  CHECK(many(1'024, 1).empty());
  CHECK_THAT(many(1'025, 1), has_text("clients: clients are out of range, expected 1 to 1024"));
  CHECK(many(1'023, 64).empty());
  CHECK_THAT(many(1'024, 64), has_text("clients: too many operations over all clients, expected at "
                                       "most 65535, got 65536"));
}

TEST_CASE("At most 10000 partitions, given or by the creation rule", "[scenario]") {
  const auto partitions = [](std::uint32_t count) {
    return problems_after(
        [count](Scenario& s) { s.containers.front().throughput.partitions = count; });
  };
  CHECK(partitions(10'000).empty());
  CHECK_THAT(partitions(10'001), has_text("container.partitions: partitions are out of range"));
  CHECK_THAT(partitions(0), has_text("container.partitions: partitions are out of range"));
  const auto by_rule = [](MilliRu throughput) {
    return problems_after([throughput](Scenario& s) {
      s.containers.front().throughput.partitions.reset();
      s.containers.front().throughput.mru_per_s = throughput;
    });
  };
  CHECK(by_rule(60'000'000'000).empty());
  CHECK_THAT(by_rule(60'000'100'000),
             has_text("container.throughput: partitions are out of range"));
  CHECK_THAT(by_rule(INT64_MAX), has_text("container.throughput: throughput is out of range"));
  CHECK_THAT(by_rule(-1), has_text("container.throughput: throughput is out of range"));
}

TEST_CASE("At most 10^10 requests, 4e18 mRU and 4e18 ns of queue", "[scenario]") {
  const auto at_once_of = [](std::uint64_t count, MilliRu charge) {
    return problems_after([=](Scenario& s) {
      s.clients = {at_once("app", count, create(1))};
      s.clients.front().operations.front().charge_mru = charge;
    });
  };
  CHECK(at_once_of(10'000'000'000, 1).empty());
  CHECK_THAT(at_once_of(10'000'000'001, 1), has_text("clients.app.at_once (limit): too much work"));
  CHECK(at_once_of(1'000'000'000, 4'000'000'000).empty());
  CHECK_THAT(at_once_of(1'000'000'001, 4'000'000'000),
             has_text("(limit): the run could consume more RU than can be counted"));
  const auto queued = [](std::uint64_t count) {
    return problems_after([=](Scenario& s) {
      s.clients = {at_once("app", count, create(1))};
      s.containers.front().workers = WorkersSpec{};
      s.containers.front().service = ServiceTimeSpec{ServiceTimeSpec::Law::fixed, {kHour, false}};
    });
  };
  CHECK(queued(1'111'111).empty());  // hours of 3.6e12 ns
  CHECK_THAT(queued(1'111'112), has_text("(limit): the queues could grow longer"));
}

TEST_CASE("The charges of refusals can be paid off within the clock", "[scenario]") {
  const auto refused = [](std::uint64_t count) {
    return problems_after([=](Scenario& s) {
      s.clients = {at_once("app", count, create(1))};
      s.parameters.throttled_charge_counts = true;
      s.parameters.throttled_request_charge_mru = 1'000'000;
    });
  };
  // Ten attempts each, 1,000 RU each, paid off at 400 RU/s: 25 s for every operation.
  CHECK(refused(159'000'000).empty());
  CHECK_THAT(refused(161'000'000), has_text("(limit): the charges of 429s could grow"));
}

TEST_CASE("Times of the parameters and of retries are within an hour or ten years", "[scenario]") {
  CHECK_THAT(problems_after([](Scenario& s) { s.parameters.throttle_response_ns = kHour + 1; }),
             has_text("parameters.throttle_response_ms: "));
  CHECK_THAT(problems_after([](Scenario& s) { s.parameters.retry_after_min_ns = INT64_MAX; }),
             has_text("parameters.retry_after_min_ms: "));
  CHECK_THAT(problems_after([](Scenario& s) { s.parameters.retry_after_step_ns = 0; }),
             has_text("parameters.retry_after_step_ms: "));
  CHECK_THAT(problems_after([](Scenario& s) { s.clients.front().retry.max_wait_ns = INT64_MAX; }),
             has_text("clients.app.retry: "));
  CHECK_THAT(problems_after([](Scenario& s) { s.clients.front().retry.jitter_ppm = 1'000'001; }),
             has_text("clients.app.retry: "));
}

TEST_CASE("A rate is at most one operation a nanosecond", "[scenario]") {
  CHECK(problems_after([](Scenario& s) { loop_of(s).rate = {kMillion, 1}; }).empty());
  CHECK_THAT(problems_after([](Scenario& s) {
               loop_of(s).rate = {kMillion + 1, 1};
             }),
             has_text("clients.app.rate: "));
  CHECK_THAT(problems_after([](Scenario& s) {
               loop_of(s).rate = {1, 0};
             }),
             has_text("clients.app.rate: "));
  CHECK(problems_after([](Scenario& s) { loop_of(s).rate = {0, kSecond}; }).empty());
}

TEST_CASE("Values that make no sense at all are problems, not crashes", "[scenario]") {
  CHECK_FALSE(
      problems_after([](Scenario& s) { s.parameters.partition_max_mru_per_s = 0; }).empty());
  CHECK_FALSE(problems_after([](Scenario& s) {
                s.containers.front().throughput.partitions.reset();
                s.parameters.initial_partition_mru_manual = 0;
              }).empty());
  CHECK_FALSE(
      problems_after([](Scenario& s) { s.containers.front().item_size_bytes = -1; }).empty());
  CHECK_FALSE(problems_after([](Scenario& s) { s.parameters.item_max_bytes = -1; }).empty());
  CHECK_FALSE(problems_after([](Scenario& s) {
                s.clients.front().operations.front().share_ppm = INT64_MIN;
              }).empty());
  CHECK_FALSE(problems_after([](Scenario& s) { s.clients.front().operations.clear(); }).empty());
}

}  // namespace
}  // namespace partsim::testing
