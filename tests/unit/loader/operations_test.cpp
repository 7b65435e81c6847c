// What clients do: the kinds of operations, what goes with each, and what a run could not take.
#include "scenario_text.hpp"
#include "support/catch.hpp"

namespace partsim::testing {
namespace {

const Slot kOperation{"    operations: [{create: 100%}]", "    operations: [{$}]"};

OperationSpec operation_of(const std::string& keys) {
  check_round_trip(filled(kOperation, keys));
  return check_scenario(keys, filled(kOperation, keys)).clients.front().operations.front();
}

void check_wrong(const std::string& keys, const std::string& place,
                 const std::vector<std::string>& words) {
  check_refused({keys, filled(kOperation, keys), place, words});
}

TEST_CASE("Every kind of operation has its word", "[loader]") {
  CHECK(operation_of("create: 100%").kind == OperationKind::create);
  CHECK(operation_of("read: 100%").kind == OperationKind::read);
  CHECK(operation_of("query: 100%, given: []").kind == OperationKind::query);
  CHECK(operation_of("upsert: 100%").kind == OperationKind::upsert);
  CHECK(operation_of("replace: 100%").kind == OperationKind::replace);
  CHECK(operation_of("patch: 100%").kind == OperationKind::patch);
  CHECK(operation_of("delete: 100%").kind == OperationKind::remove);
  CHECK(operation_of("read_feed: 100%").kind == OperationKind::read_feed);
  CHECK(operation_of("batch: 100%, given: [k]").kind == OperationKind::batch);
  CHECK(operation_of("script: 100%, given: [k]").kind == OperationKind::script);
}

TEST_CASE("What a caller knows without saying depends on what it does", "[loader]") {
  const std::vector<std::string> all{"k"};
  for (const std::string kind : {"read", "replace", "patch", "delete"}) {
    CHECK(operation_of(kind + ": 100%").given == all);
  }
  CHECK(operation_of("read_feed: 100%").given.empty());
  CHECK(operation_of("read_feed: 100%, given: [k]").given == all);
  for (const std::string kind : {"query", "batch", "script"}) {
    check_wrong(kind + ": 100%", "13:18", {"missing key 'given' beside '" + kind + "'"});
  }
  for (const std::string kind : {"create", "upsert"}) {
    check_refused_among_others({kind,
                                filled(kOperation, kind + ": 100%, given: [k]"),
                                "",
                                {"'given' does not go with '" + kind + "'"}});
  }
}

TEST_CASE("Each amount goes to its place", "[loader]") {
  const OperationSpec query =
      operation_of("query: 100%, given: [k], keys: 5, matches: 9, returned: 7");
  CHECK(query.keys == 5);
  CHECK(query.matches == 9);
  CHECK(query.returned == 7);
  CHECK(operation_of("read_feed: 100%, returned: 50").returned == 50);
  CHECK(operation_of("read_feed: 100%").returned == 1);
  CHECK(operation_of("batch: 100%, given: [k], items: 100").items == 100);
  CHECK(operation_of("script: 100%, given: [k], items: 1000").items == 1'000);
  CHECK(operation_of("batch: 100%, given: [k]").items == 1);
  for (const std::string kind : {"replace", "patch", "upsert"}) {
    CHECK(operation_of(kind + ": 100%").changed_terms == 2);
    CHECK(operation_of(kind + ": 100%, changed_terms: 0").changed_terms == 0);
  }
  CHECK(operation_of("patch: 100%, patched: 3").patched == 3);
  CHECK(operation_of("upsert: 100%").existing_ppm == kMillion);
  CHECK(operation_of("upsert: 100%, existing: 20%").existing_ppm == 200'000);
  CHECK(operation_of("read: 100%").within_ns == 0);
  CHECK(operation_of("patch: 100%, charge: 7 RU").charge_mru == 7'000);
}

TEST_CASE("Only who looks for an item can say how old it is", "[loader]") {
  for (const std::string kind : {"read", "replace", "patch", "delete", "read_feed"}) {
    CHECK(operation_of(kind + ": 100%, within: 5s").within_ns == 5 * kSecond);
  }
  CHECK(operation_of("query: 100%, given: [k], within: 5s").within_ns == 5 * kSecond);
  check_wrong("create: 100%, within: 5s", "13:33", {"'within' does not go with 'create'"});
  check_wrong("upsert: 100%, within: 5s", "13:33", {"'within' does not go with 'upsert'"});
  check_wrong("batch: 100%, given: [k], within: 5s", "13:44", {"does not go with 'batch'"});
}

TEST_CASE("What does not go with an operation is refused", "[loader]") {
  check_wrong("read: 100%, matches: 5", "13:31", {"'matches' does not go with 'read'"});
  check_wrong("replace: 100%, patched: 5", "13:34", {"'patched' does not go with 'replace'"});
  check_wrong("delete: 100%, changed_terms: 5", "13:33", {"'changed_terms' does not go with"});
  check_wrong("replace: 100%, existing: 5%", "13:34", {"'existing' does not go with 'replace'"});
  check_wrong("create: 100%, items: 5", "13:33", {"'items' does not go with 'create'"});
  check_wrong("delet: 100%", "13:19", {"unknown key 'delet'", "did you mean 'delete'?"});
  check_wrong("read: 50%, delete: 50%", "13:30", {"'delete' does not go with 'read'"});
}

TEST_CASE("A batch writes at most 100 items, a script 1000", "[loader]") {
  check_wrong("batch: 100%, given: [k], items: 101", "13:51", {"expected 1 to 100, got 101"});
  check_wrong("script: 100%, given: [k], items: 1001", "13:52", {"between 1 and 1000"});
  check_wrong("batch: 100%, given: [k], items: 0", "13:51", {"between 1 and 1000"});
}

TEST_CASE("Several keys are asked for by their values", "[loader]") {
  check_wrong("query: 100%, given: [], keys: 2", "13:49", {"all fields of the key in 'given'"});
  check_accepted("one", filled(kOperation, "query: 100%, given: [], keys: 1"));
  std::string text = filled(kOperation, "query: 100%, given: [k], keys: 2");
  const std::string key = "\"{k}\"";
  text.replace(text.find(key), key.size(), "\"{k}.{random 1..3}\"");
  check_refused({"random", text, "13:50", {"no random part in the key"}});
}

TEST_CASE("DynamoDB has no stored procedures", "[loader]") {
  check_refused({"script",
                 filled(kOperation, "script: 100%, given: [k]") + "provider: dynamodb\n",
                 "13:27",
                 {"no stored procedures", "a batch"}});
}

TEST_CASE("No request of any kind may cost more than 4000000 RU", "[loader]") {
  // 2 MB cost 1250 RU to write: 1000 of them fit, and four times the factor does not.
  const auto text = [](const std::string& factor) {
    return with("  items:", "  items:\n    size: 2 MB") +
           "parameters: {script_operation_factor: " + factor + "}\n";
  };
  const auto script = [&text](const std::string& factor) {
    std::string result = text(factor);
    const std::string create = "{create: 100%}";
    return result.replace(result.find(create), create.size(),
                          "{script: 100%, given: [k], items: 1000}");
  };
  check_accepted("3", script("3"));
  check_refused({"4", script("4"), "14:18", {"may cost more than 4000000 RU"}});
}

TEST_CASE("Sizes that differ are judged by the largest", "[loader]") {
  const auto feed = [](const std::string& size) {
    std::string text = filled(kOperation, "read_feed: 100%, returned: 20000");
    return text.replace(text.find("  items:\n"), 9, "  items:\n    size: " + size + "\n");
  };
  // 20000 items of 2 MB cost 291.8 RU each, more than 4000000 RU in all; of 1 MB half of that.
  check_accepted("1 MB", feed("{min: 1 KB, max: 1 MB}"));
  check_refused({"2 MB", feed("{min: 1 KB, max: 2 MB}"), "14:18", {"more than 4000000 RU"}});
  check_refused({"law", feed("{p50: 1 KB, p99: 4 KB}"), "14:18", {"more than 4000000 RU"}});
}

}  // namespace
}  // namespace partsim::testing
