// Numbers: one spelling, no rounding, no surprise of some YAML dialect.
#include "scenario_text.hpp"
#include "support/catch.hpp"

namespace partsim::testing {
namespace {

const Slot kSeedSlot{"duration: 10s", "duration: 10s\nseed: $"};

std::vector<Slot> integer_slots() {
  return {
      {"  partition_key: \"{k}\"", "  partition_key: \"{k}\"\n  partitions: $"},
      {"      k: {choose: 10}", "      k:\n        choose: $"},
      {"  items:", "  items:\n    indexed_terms: $"},
      {"  items:", "  workers:\n    count: $\n  items:"},
      {"  items:", "  workers:\n    count: 1\n    queue_limit: $\n  items:"},
      {"clients:", "parameters:\n  hours_per_month: $\nclients:"},
      {"clients:", "parameters:\n  item_max_bytes: $\nclients:"},
      {"    rate: 10/s", "    at_once: $"},
      {"    rate: 10/s", "    rate: 10/s\n    retry:\n      max_retries: $"},
      {"partsim: 1", "partsim: $"},
  };
}

std::vector<Slot> decimal_slots() {
  return {
      {"      k: {choose: 10}", "      k:\n        choose: 10\n        zipf: $"},
      {"clients:", "parameters:\n  strong_read_multiplier: $\nclients:"},
      {"clients:", "parameters:\n  price_storage_gb_month: $\nclients:"},
      {"clients:", "parameters:\n  query_ru_per_match: $\nclients:"},
      {"clients:", "parameters:\n  throttle_response_ms: $\nclients:"},
  };
}

/// The version of the language is 1 and nothing else.
std::string expectation_at(const Slot& slot) {
  return slot.line == "partsim: 1" ? "expected 1" : "expected an integer between";
}

TEST_CASE("An integer is written in one way only", "[loader]") {
  // E01 to E55
  const std::vector<std::string> bad = {"010",
                                        "08",
                                        "0x1F",
                                        "0b101",
                                        "1,000",
                                        "-1",
                                        "+1",
                                        "1e3",
                                        "1.5",
                                        "1e309",
                                        ".inf",
                                        ".nan",
                                        "inf",
                                        "18446744073709551616",
                                        "-9223372036854775809",
                                        "\"12 \"",
                                        "12abc",
                                        "1e",
                                        "1 2",
                                        ".",
                                        ".5",
                                        "1f",
                                        "10k",
                                        "60:30",
                                        "\xd9\xa3",
                                        "~",
                                        "''",
                                        "[1]",
                                        "\"1\"",
                                        "{a: 1}",
                                        "true"};
  std::vector<Slot> slots = integer_slots();
  slots.push_back(kSeedSlot);
  for (const Slot& slot : slots) {
    for (const std::string& value : bad) {
      check_refused({value, filled(slot, value), place_of(slot), {expectation_at(slot)}});
    }
    check_refused({"E57",
                   filled(slot, ""),
                   place_behind_colon(slot),
                   {"missing value", expectation_at(slot)}});
  }
}

TEST_CASE("An integer past the range of its key is refused with the range", "[loader]") {
  for (const Slot& slot : integer_slots()) {
    check_refused({"E25",
                   filled(slot, "9223372036854775807"),
                   place_of(slot),
                   {"out of range", expectation_at(slot), "got '9223372036854775807'"}});
  }
}

TEST_CASE("A seed is any number of 64 bits", "[loader]") {
  const auto seed_of = [](const std::string& value) {
    return check_accepted(value, filled(kSeedSlot, value)).variants.front().scenario.seed;
  };
  CHECK(seed_of("0") == 0);
  CHECK(seed_of("9223372036854775807") == 9'223'372'036'854'775'807U);
  CHECK(seed_of("18446744073709551615") == UINT64_MAX);
  check_refused({"H63", filled(kSeedSlot, "-1"), "4:7", {"0 and 18446744073709551615"}});
  check_refused({"H65", filled(kSeedSlot, "abc"), "4:7", {"'seed' is not an integer"}});
}

TEST_CASE("A decimal is finite, without sign or exponent", "[loader]") {
  // E17 to E23, E41, E59 to E65
  for (const Slot& slot : decimal_slots()) {
    for (const std::string value : {"1e-400", "1e400", "-.INF", ".inf", ".nan", "-0.0", ".5", "5.",
                                    "010", "0x1F", "1,5", "1e3", "\"0.5\"", "~", "[0.5]"}) {
      check_refused({value, filled(slot, value), place_of(slot), {"expected a number"}});
    }
  }
}

TEST_CASE("A decimal finer than its scale is refused, not rounded", "[loader]") {
  const std::vector<Slot> slots = decimal_slots();
  check_refused({"E67",
                 filled(slots[0], "0.1000000000000000055511151231257827"),
                 place_of(slots[0]),
                 {"finer than 0.000001"}});
  check_refused({"one digit", filled(slots[0], "0.1234567"), "11:15", {"finer than 0.000001"}});
  check_refused({"H09 in RU", filled(slots[3], "0.0005"), "11:23", {"finer than 0.001 RU"}});
  check_refused({"in ms", filled(slots[4], "0.0000005"), "11:25", {"finer than 0.000001 ms"}});
  check_accepted("at it", filled(slots[0], "0.123456"));
}

/// The listed values of field `k`.
std::vector<KeyComponent> values_of(const std::string& list) {
  const StudyFile study =
      check_accepted(list, with("      k: {choose: 10}", "      k: {values: " + list + "}"));
  return std::get<ValuesField>(
             study.variants.front().scenario.containers.front().fields.front().kind)
      .values;
}

TEST_CASE("A listed number is the double nearest to its text", "[loader]") {
  CHECK(values_of("[0.1000000000000000055511151231257827]") == std::vector<KeyComponent>{0.1});
  CHECK(values_of("[0, 0.0, -0, 7, -2.5]") == std::vector<KeyComponent>{0.0, 0.0, 0.0, 7.0, -2.5});
  // 2^53 + 1 lies half-way between two doubles; the even one is 2^53, as in the service.
  CHECK(values_of("[9007199254740993]") == std::vector<KeyComponent>{9007199254740992.0});
  CHECK(values_of("[9007199254740995]") == std::vector<KeyComponent>{9007199254740996.0});
  CHECK(values_of("[9007199254740993.0000000000000000001]") ==
        std::vector<KeyComponent>{9007199254740994.0});
  CHECK(values_of("[18014398509481985]") == std::vector<KeyComponent>{18014398509481984.0});
  CHECK(values_of("[0.30000000000000004, 123456789012345678901234567890]") ==
        std::vector<KeyComponent>{0.30000000000000004, 123456789012345678901234567890.0});
  CHECK(values_of("[0.000000000000000000000000000001]") == std::vector<KeyComponent>{1e-30});
}

TEST_CASE("A listed value keeps the type it is written in", "[loader]") {
  CHECK(values_of("[red, \"1\", 1, true, \"true\", null, false]") ==
        std::vector<KeyComponent>{std::string("red"), std::string("1"), 1.0, true,
                                  std::string("true"), Null{}, false});
  const Slot slot{"      k: {choose: 10}", "      k:\n        values:\n          - $"};
  for (const std::string value : {"010", "1e3", "0x1F", "1_000", ".inf", "+1", "yes", "NO", "True",
                                  "12:30:45", "~", "Null"}) {
    check_refused({value, filled(slot, value), place_of(slot), {"item 1 of 'values'"}});
  }
}

}  // namespace
}  // namespace partsim::testing
