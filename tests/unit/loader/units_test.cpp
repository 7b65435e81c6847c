// Amounts with a unit: a bare number is shown the right form, and nothing is rounded.
#include "scenario_text.hpp"
#include "support/catch.hpp"

namespace partsim::testing {
namespace {

const Slot kDurationSlot{"duration: 10s", "duration: $"};
const Slot kRateSlot{"    rate: 10/s", "    rate: $"};

TEST_CASE("A duration has a unit of the one table", "[loader]") {
  // G01 to G21; in `duration` zero is refused as well.
  const std::vector<std::string> bad = {
      "10",       "10S",       "5M",     "1.5ns", "\"10 ms \"",
      ".s",       "10ss",      "1h -5m", "00:10", "10\xc2\xb5\xc5\xbf",
      "1e3s",     "-5s",       "10  s",  "s",     "010s",
      "\" 10s\"", "10 seconds"};
  std::vector<Slot> slots = {
      kDurationSlot,
      {"duration: 10s", "duration: 10s\nwarm_up: $"},
      {"    rate: 10/s", "    at_once: 5\n    at: $"},
      {"    rate: 10/s", "    rate: 10/s\n    retry:\n      max_wait: $"},
  };
  for (const Slot& slot : slots) {
    for (const std::string& value : bad) {
      check_refused({value,
                     filled(slot, value),
                     place_of(slot),
                     {"expected a duration", "such as 250ms, 10s, 5m"}});
    }
  }
  check_refused({"G05", filled(kDurationSlot, "0s"), "3:11", {"out of range", "between 1ns and"}});
}

TEST_CASE("A bare number where a unit is needed is shown the right form", "[loader]") {
  struct Form {
    Slot slot;
    std::string value;
    std::string form;
  };
  const std::vector<Form> forms = {
      {kDurationSlot, "10", "250ms, 10s, 5min"},
      {kRateSlot, "7000", "7000/s, 100/min, 8000/3s"},
      {{"  throughput: 400 RU/s", "  throughput: $"}, "400", "400 RU/s"},
      {{"  items:", "  items:\n    size: $"}, "1024", "1 KB, 500 B, 2 MB"},
      {{"    operations: [{create: 100%}]", "    operations:\n      - create: $"}, "100", "80%"},
      {{"    operations: [{create: 100%}]",
        "    operations:\n      - create: 100%\n        charge: $"},
       "5",
       "5 RU"},
      {{"  items:", "  service:\n    fixed: $\n  items:"}, "5", "5ms, 0.2ms/RU"},
      {{"    rate: 10/s", "    rate: 10/s\n    retry:\n      jitter: $"}, "5", "100ms, 20%"},
  };
  for (const auto& [slot, value, form] : forms) {
    check_refused({value, filled(slot, value), place_of(slot), {"has no unit", "such as " + form}});
  }
}

TEST_CASE("A wrong unit is told from a missing one", "[loader]") {
  const Slot throughput{"  throughput: 400 RU/s", "  throughput: $"};
  for (const std::string value : {"400 RU", "400 ru/s", "400 RU/min", "400 WCU"}) {
    check_refused({value, filled(throughput, value), "5:15", {"has an unknown unit", "400 RU/s"}});
  }
  check_refused({"H09", filled(throughput, "400.0005 RU/s"), "5:15", {"finer than 0.001 RU/s"}});
  check_refused({"H19", filled(kDurationSlot, "300y"), "3:11", {"unknown unit"}});
  check_refused({"63 bits", filled(kDurationSlot, "200000d"), "3:11", {"out of range", "3653d"}});
  const Slot size{"  items:", "  items:\n    size: $"};
  check_refused({"kilo", filled(size, "1 kB"), "8:11", {"unknown unit", "1 KB"}});
  check_refused({"kibi", filled(size, "1 KiB"), "8:11", {"unknown unit", "1 KB"}});
}

TEST_CASE("A rate counts operations in a time", "[loader]") {
  for (const std::string value :
       {"10/0s", "1e18/s", "-1/s", "10/", "10/y", "10 s", "/s", "10/s/s"}) {
    check_refused({"G23, G25 " + value, filled(kRateSlot, value), "12:11", {"expected a rate"}});
  }
  check_refused({"just above 1e9/s",
                 filled(kRateSlot, "1000000001/s"),
                 "12:11",
                 {"out of range", "at most 1000000000/s"}});
  const auto rate_of = [](const std::string& value) {
    const StudyFile study = check_accepted(value, filled(kRateSlot, value));
    return std::get<OpenLoop>(study.variants.front().scenario.clients.front().arrivals).rate;
  };
  CHECK(rate_of("8000/3s") == Rate{8'000 * kMillion, 3 * kSecond});
  CHECK(rate_of("0.5/min") == Rate{kMillion / 2, kMinute});
  CHECK(rate_of("10/0.5s") == Rate{10 * kMillion, kSecond / 2});
  // H15: an idle client is allowed.
  CHECK(rate_of("0/s") == Rate{0, kSecond});
}

TEST_CASE("Amounts are read exactly, in powers of 1024 for sizes", "[loader]") {
  const StudyFile study = check_accepted(
      "amounts",
      "partsim: 1\nname: a\nduration: 1.5h\nwarm_up: 250ms\nstart: 2018-08-09T08:00:00Z\n"
      "container:\n  throughput: 60000 RU/s\n  partition_key: \"x{k}\"\n"
      "  items: {size: 1.5 KB, fields: {k: {choose: 5, hot: {share: 80%, of: 0.0001%}}}}\n"
      "  service: {exponential: 0.2ms/RU}\n"
      "clients:\n  c:\n    at_once: 5\n    at: 3m\n"
      "    operations: [{create: 33.3333%, charge: 5.123 RU}, {read: 66.6667%}]\n"
      "    retry: {max_retries: 0, max_wait: 1min, jitter: 20%}\n");
  const Scenario& scenario = study.variants.front().scenario;
  CHECK(scenario.duration_ns == 5'400 * kSecond);
  CHECK(scenario.warm_up_ns == 250 * kMillisecond);
  CHECK(scenario.start_unix_s == 1'533'801'600);
  const ContainerSpec& container = scenario.containers.front();
  CHECK(container.throughput.mru_per_s == 60'000'000);
  CHECK(container.item_size_bytes == 1'536);
  REQUIRE(container.service.has_value());
  CHECK(container.service->mean == ServiceDuration{200'000, true});
  CHECK(container.service->law == ServiceTimeSpec::Law::exponential);
  const auto& law = std::get<ChooseField>(container.fields.front().kind).law;
  CHECK(std::get<HotSetChoice>(law).share_ppm == 800'000);
  CHECK(std::get<HotSetChoice>(law).of_ppm == 1);
  const ClientSpec& client = scenario.clients.front();
  CHECK(std::get<AtOnce>(client.arrivals).at_ns == 180 * kSecond);
  CHECK(client.operations[0].charge_mru == 5'123);
  CHECK(client.operations[0].share_ppm == 333'333);
  CHECK(client.operations[1].share_ppm == 666'667);
  CHECK(client.retry.max_retries == 0);
  CHECK(client.retry.max_wait_ns == 60 * kSecond);
  CHECK(client.retry.jitter_ppm == 200'000);
  CHECK(client.retry.jitter_ns == 0);
}

TEST_CASE("A start is an instant in UTC that exists", "[loader]") {
  const Slot slot{"duration: 10s", "duration: 10s\nstart: $"};
  for (const std::string value : {"2018-08-09", "2018-02-30T00:00:00Z", "2018-08-09T08:00:00",
                                  "2018-08-09T24:00:00Z", "1969-12-31T23:59:59Z", "now"}) {
    check_refused({value,
                   filled(slot, value),
                   "4:8",
                   {"expected a time in UTC such as 2018-08-09T08:00:00Z"}});
  }
}

TEST_CASE("Formats of fields are checked where they stand", "[loader]") {
  const Slot time{"      k: {choose: 10}", "      k: {time: $}"};
  for (const std::string value : {"\"%Q\"", "\"%\"", "''"}) {
    check_refused({value, filled(time, value), "9:17", {"expected a time format", "%Y-%m-%d"}});
  }
  const Slot as{"      k: {choose: 10}", "      k: {choose: 10, as: $}"};
  for (const std::string value :
       {"VIN", "\"{}{}\"", "\"{:6}\"", "\"{:019}\"", "\"}{\"", "\"{x}\""}) {
    check_refused({value, filled(as, value), "9:27", {"text with one {} or {:06}"}});
  }
  check_accepted("widest", filled(as, "\"a{:018}b\""));
}

}  // namespace
}  // namespace partsim::testing
