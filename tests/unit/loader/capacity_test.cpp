// How a container buys throughput, what it stores, and the caps of its clients.
#include "scenario_text.hpp"
#include "support/catch.hpp"

namespace partsim::testing {
namespace {

const std::string kBuying = "  throughput: 400 RU/s";

const ContainerSpec& container_of(const StudyFile& study) {
  return study.variants.front().scenario.containers.front();
}

TEST_CASE("A container buys throughput by hand, by autoscale or as it goes", "[loader]") {
  const ThroughputSpec manual = container_of(check_accepted("manual", kSmallest)).throughput;
  CHECK(manual.mode == CapacityMode::manual);
  CHECK(manual.mru_per_s == 400'000);
  const ThroughputSpec scaling =
      container_of(check_accepted("autoscale", with(kBuying, "  autoscale: 60000 RU/s")))
          .throughput;
  CHECK(scaling.mode == CapacityMode::autoscale);
  CHECK(scaling.mru_per_s == 60'000'000);
  const ThroughputSpec serverless =
      container_of(check_accepted("serverless", with(kBuying, "  serverless: true"))).throughput;
  CHECK(serverless.mode == CapacityMode::serverless);
  CHECK(serverless.mru_per_s == 0);
  check_refused({"false", with(kBuying, "  serverless: false"), "5:15", {"expected true"}});
}

TEST_CASE("A container buys throughput in exactly one way", "[loader]") {
  check_refused({"two",
                 with(kBuying, kBuying + "\n  autoscale: 1000 RU/s"),
                 "6:3",
                 {"'autoscale' does not go with 'throughput'", "exactly one of"}});
  check_refused({"none",
                 with(kBuying, "  hash: v2"),
                 "4:1",
                 {"nothing selected in 'container'", "capacity_units"}});
  check_refused({"no unit", with(kBuying, "  autoscale: 1000"), "5:14", {"1000", "400 RU/s"}});
}

TEST_CASE("An autoscale maximum has a minimum and steps of its own", "[loader]") {
  check_accepted("least", with(kBuying, "  autoscale: 1000 RU/s"));
  check_refused({"less",
                 with(kBuying, "  autoscale: 900 RU/s"),
                 "5:14",
                 {"too low, expected at least 1000 RU/s, got 900 RU/s"}});
  check_refused({"between",
                 with(kBuying, "  autoscale: 1500 RU/s"),
                 "5:14",
                 {"multiple of 1000 RU/s, got 1500 RU/s"}});
}

TEST_CASE("What is stored at the start raises the minimum", "[loader]") {
  const auto stored = [](const std::string& size) {
    return with(kBuying, "  throughput: 1000 RU/s\n  storage: " + size);
  };
  // 1 RU/s for each GB
  CHECK(container_of(check_accepted("1000 GB", stored("1000 GB"))).initial_storage_bytes ==
        1'000 * kGigabyte);
  check_refused({"1001 GB",
                 stored("1001 GB"),
                 "5:15",
                 {"at least 1001 RU/s, got 1000 RU/s", "1001 GB are stored"}});
  // 10 RU/s for each GB under autoscale, rounded up to 1000
  check_accepted("autoscale", with(kBuying, "  autoscale: 2000 RU/s\n  storage: 200 GB"));
  check_refused({"autoscale, more",
                 with(kBuying, "  autoscale: 2000 RU/s\n  storage: 201 GB"),
                 "5:14",
                 {"at least 3000 RU/s"}});
  check_refused({"no size", stored("5"), "6:12", {"'storage' has no unit"}});
}

TEST_CASE("Partitions are enough for what is stored", "[loader]") {
  const auto stored = [](const std::string& size) {
    return "parameters: {split_storage_threshold_gb: 0.001, min_ru_per_gb_manual: 0}\n" +
           with(kBuying, kBuying + "\n  storage: " + size);
  };
  check_accepted("fewer", stored("9.5 GB"));
  // 0.001 GB are 1073741 whole bytes: ten thousand of them are a little less than 10 GB
  check_refused({"more", stored("10 GB"), "6:15", {"partitions are out of range", "got 10001"}});
}

TEST_CASE("Capacity units are for DynamoDB", "[loader]") {
  const std::string units = with(kBuying, "  capacity_units: {read: 5000, write: 2000}");
  const StudyFile study = check_accepted("units", units + "provider: dynamodb\n");
  const ThroughputSpec& throughput = container_of(study).throughput;
  CHECK(throughput.mode == CapacityMode::manual);
  REQUIRE(throughput.units.has_value());
  CHECK(throughput.units->read_per_s == 5'000'000);
  CHECK(throughput.units->write_per_s == 2'000'000);
  CHECK(throughput.mru_per_s == 7'000'000);
  check_refused({"cosmos", units, "5:19", {"sold by dynamodb only"}});
  check_refused({"one is missing",
                 with(kBuying, "  capacity_units: {read: 5000}") + "provider: dynamodb\n",
                 "5:3",
                 {"missing key 'write' in 'capacity_units'"}});
  check_refused(
      {"none", with(kBuying, "  capacity_units: {read: 0, write: 1}"), "5:26", {"'read'"}});
}

TEST_CASE("A DynamoDB partition has limits for reads and for writes", "[loader]") {
  const auto table = [](const std::string& units, const std::string& partitions) {
    return with(kBuying, "  capacity_units: " + units + "\n  partitions: " + partitions) +
           "provider: dynamodb\n";
  };
  check_accepted("at the limits", table("{read: 6000, write: 2000}", "2"));
  check_refused({"reads",
                 table("{read: 6001, write: 2000}", "2"),
                 "6:15",
                 {"too much for a partition", "3000 RU/s each", "at least 3 partitions"}});
  check_refused({"writes",
                 table("{read: 6000, write: 2001}", "2"),
                 "6:15",
                 {"too much for a partition", "1000 RU/s each", "write units"}});
  check_refused({"autoscale",
                 with(kBuying, "  autoscale: 1000 RU/s") + "provider: dynamodb\n",
                 "5:14",
                 {"not modelled for dynamodb", "capacity_units"}});
}

TEST_CASE("Serverless containers have one region", "[loader]") {
  const std::string serverless = with(kBuying, "  serverless: true");
  check_refused({"two", serverless + "regions: [a, b]\n", "5:15", {"has one region, got 2"}});
  check_accepted("one", serverless + "regions: [a]\n");
  check_accepted("partitions", serverless + "parameters: {serverless_ru_per_partition: 10000}\n");
}

TEST_CASE("A fixed container is of 2017, of one partition and not too large", "[loader]") {
  const auto fixed = [](const std::string& ru, const std::string& more = {}) {
    return with(kBuying, "  throughput: " + ru + "\n  fixed: true" + more);
  };
  const std::string old = "provider: cosmos_2017\n";
  CHECK(container_of(check_accepted("fixed", fixed("400 RU/s") + old)).fixed);
  check_accepted("largest", fixed("10000 RU/s") + old);
  check_refused({"now", fixed("400 RU/s"), "6:10", {"no fixed containers", "cosmos_2017"}});
  check_refused({"too much",
                 fixed("10100 RU/s") + old,
                 "5:15",
                 {"too much for a fixed container, expected at most 10000 RU/s"}});
  check_refused({"two partitions",
                 fixed("400 RU/s", "\n  partitions: 2") + old,
                 "7:15",
                 {"one partition, got 2"}});
  check_refused({"too full",
                 fixed("400 RU/s", "\n  storage: 11 GB") + old,
                 "7:12",
                 {"at most 10 GB, got 11 GB"}});
  check_refused({"autoscale",
                 with(kBuying, "  autoscale: 1000 RU/s\n  fixed: true") + old,
                 "6:3",
                 {"'fixed' does not go with 'autoscale'"}});
  // Any other container of 2017 starts at 2500 RU/s.
  check_refused({"not fixed", kSmallest.data() + old, "5:15", {"at least 2500 RU/s"}});
}

TEST_CASE("Items may live for a time", "[loader]") {
  const auto ttl = [](const std::string& time) {
    return with(kBuying, kBuying + "\n  ttl: " + time);
  };
  CHECK(container_of(check_accepted("ttl", ttl("10min"))).ttl_ns == 10 * kMinute);
  CHECK_FALSE(container_of(check_accepted("none", kSmallest)).ttl_ns.has_value());
  check_refused({"zero", ttl("0s"), "6:8", {"'ttl' is out of range"}});
}

TEST_CASE("Throughput buckets cap groups of clients", "[loader]") {
  const auto text = [](const std::string& buckets, const std::string& bucket) {
    return with(kBuying, kBuying + "\n  throughput_buckets: " + buckets) + "    bucket: " + bucket +
           "\n";
  };
  const StudyFile study = check_accepted("buckets", text("{1: 20%, 5: 50%}", "5"));
  CHECK(container_of(study).bucket_ppm == std::array<std::int64_t, 5>{200'000, 0, 0, 0, 500'000});
  CHECK(study.variants.front().scenario.clients.front().bucket == 5);
  check_refused({"not there",
                 text("{1: 20%, 5: 50%}", "2"),
                 "15:13",
                 {"no throughput bucket 2", "known buckets: 1, 5"}});
  check_refused({"a sixth", text("{6: 20%}", "1"), "6:24", {"unknown key '6'", "1, 2, 3, 4, 5"}});
  check_refused({"no bucket at all",
                 std::string(kSmallest) + "    bucket: 1\n",
                 "14:13",
                 {"no throughput bucket 1", "throughput_buckets"}});
  check_refused({"out of range", text("{1: 20%}", "6"), "15:13", {"between 1 and 5"}});
  check_refused({"more than all", text("{1: 101%}", "1"), "6:27", {"out of range"}});
}

TEST_CASE("Low priority, buckets and burst need a window", "[loader]") {
  const std::string model = "parameters: {throttle_model: token_bucket}\n";
  check_refused({"priority",
                 std::string(kSmallest) + "    priority: low\n" + model,
                 "14:15",
                 {"low priority needs a window model", "window_strict"}});
  check_refused({"bucket",
                 with(kBuying, kBuying + "\n  throughput_buckets: {1: 5%}") + model,
                 "6:23",
                 {"a throughput bucket needs a window model"}});
  check_refused({"burst",
                 "burst: true\n" + std::string(kSmallest) + model,
                 "1:8",
                 {"burst needs a window model"}});
  check_refused({"DynamoDB bursts by itself",
                 std::string(kSmallest) + "provider: dynamodb\n" + model,
                 "",
                 {"burst needs a window model"}});
  check_accepted("without burst",
                 std::string(kSmallest) + "provider: dynamodb\nburst: false\n" + model);
  check_accepted("high", std::string(kSmallest) + "    priority: high\n" + model);
}

TEST_CASE("A client has a priority", "[loader]") {
  const StudyFile study = check_accepted("low", std::string(kSmallest) + "    priority: low\n");
  CHECK(study.variants.front().scenario.clients.front().priority == Priority::low);
  CHECK(check_accepted("default", kSmallest).variants.front().scenario.clients.front().priority ==
        Priority::high);
  check_refused({"middle",
                 std::string(kSmallest) + "    priority: middle\n",
                 "14:15",
                 {"'priority' is unknown, expected one of high, low"}});
}

TEST_CASE("A variant buys in another way", "[loader]") {
  const StudyFile study = check_accepted(
      "ways",
      with(kBuying, kBuying + "\n  partitions: 4") +
          "variants:\n"
          "  scaling: {container: {autoscale: 40000 RU/s}}\n"
          "  going: {container: {serverless: true}}\n"
          "  amazon: {provider: dynamodb, container: {capacity_units: {read: 9, write: 9}}}\n"
          "  same: {}\n");
  const auto throughput = [&study](std::size_t i) {
    return study.variants.at(i).scenario.containers.front().throughput;
  };
  CHECK(throughput(0).mode == CapacityMode::autoscale);
  CHECK(throughput(0).partitions == 4);
  CHECK(throughput(1).mode == CapacityMode::serverless);
  CHECK(throughput(2).units.has_value());
  CHECK(throughput(3).mode == CapacityMode::manual);
}

}  // namespace
}  // namespace partsim::testing
