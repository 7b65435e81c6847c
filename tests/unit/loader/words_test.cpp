// Booleans, closed lists of words, and the names an author may choose.
#include "scenario_text.hpp"
#include "support/catch.hpp"

namespace partsim::testing {
namespace {

const Slot kNameSlot{"name: small", "name: $"};
const Slot kTitleSlot{"name: small", "name: small\ntitle: $"};

TEST_CASE("Only true and false are booleans", "[loader]") {
  const Slot slot{"clients:", "parameters:\n  throttled_charge_counts: $\nclients:"};
  // F01 to F13
  for (const std::string value : {"yes", "on", "y", "TRUE", "True", "\"true\"", "0", "1", "''"}) {
    check_refused({value, filled(slot, value), "11:28", {"expected true or false"}});
  }
  const StudyFile study = check_accepted("true", filled(slot, "true"));
  CHECK(study.variants.front().scenario.parameters.throttled_charge_counts);
  check_accepted("false", filled(slot, "false"));
  const Slot unique{"      k: {choose: 10}", "      k: {unique: $}"};
  check_accepted("unique", filled(unique, "true"));
  check_refused({"not unique", filled(unique, "false"), "9:19", {"expected true, got 'false'"}});
}

TEST_CASE("A word of a closed list is taken as it is written", "[loader]") {
  struct Choice {
    Slot slot;
    std::string good;
    std::string expected;
  };
  const std::vector<Choice> choices = {
      {{"duration: 10s", "duration: 10s\nprovider: $"}, "cosmos", "cosmos, cosmos_2017, dynamodb"},
      {{"duration: 10s", "duration: 10s\ngroup: $"}, "planning", "teaching, planning, regression"},
      {{"  items:", "  hash: $\n  items:"}, "v1", "v1, v2"},
      {{"  items:", "  consistency: $\n  items:"},
       "strong",
       "strong, bounded_staleness, session, consistent_prefix, eventual"},
      {{"    rate: 10/s", "    rate: 10/s\n    spacing: $"}, "evenly", "poisson, evenly"},
      {{"    rate: 10/s", "    rate: 10/s\n    retry: $"},
       "none",
       "dotnet, java, python, javascript, rust, aws, aws_legacy, none"},
      {{"clients:", "parameters:\n  throttle_model: $\nclients:"},
       "token_bucket",
       "window_debt, window_strict, token_bucket"},
  };
  for (const auto& [slot, good, expected] : choices) {
    check_accepted(good, filled(slot, good));
    std::string upper = good;
    upper.front() = static_cast<char>(upper.front() - 'a' + 'A');
    check_refused({"F15", filled(slot, upper), place_of(slot), {expected, "case matters", good}});
    check_refused({"F17", filled(slot, "[" + good + "]"), place_of(slot), {expected, "a list"}});
    check_refused({"F19", filled(slot, "no"), place_of(slot), {"expected one of " + expected}});
    check_refused({"near",
                   filled(slot, good + "x"),
                   place_of(slot),
                   {expected, "did you mean '" + good + "'?"}});
  }
}

TEST_CASE("A scenario has a name", "[loader]") {
  check_refused({"F21", filled(kNameSlot, ""), "2:6", {"missing value of 'name'"}});
  check_refused({"F23", filled(kNameSlot, "\"   \""), "2:7", {"blank name"}});
  check_refused({"empty", filled(kNameSlot, "''"), "2:7", {"blank name"}});
  CHECK(check_accepted("F25", filled(kNameSlot, "no")).name == "no");
  CHECK(check_accepted("64", filled(kNameSlot, std::string(64, 'a'))).name.size() == 64);
  check_refused({"F27", filled(kNameSlot, std::string(65, 'a')), "2:7", {"longer than 64"}});
}

TEST_CASE("Names that differ only by case are refused", "[loader]") {
  check_refused({"F29",
                 and_then("variants:\n  date: {}\n  Date: {}\n"),
                 "16:3",
                 {"'date' and 'Date' differ only by case"}});
  check_refused({"clients",
                 and_then("  APP: {rate: 1/s, operations: [{create: 100%}]}\n"),
                 "14:3",
                 {"'app' and 'APP' differ only by case"}});
}

/// What may not be a name, and what each is dangerous for.
std::vector<std::string> hostile_names() {
  // I01 to I05, I11 to I25, I29 to I35
  return {R"("../../x")",
          R"("a/b")",
          R"(".")",
          R"("a b")",
          R"("`id`")",
          R"("| id")",
          R"("@A")",
          R"("a_b^c")",
          R"("=cmd|' /C calc'!A0")",
          R"("-1+1")",
          R"("a\"b")",
          R"("</script><b>")",
          R"("' onmouseover='x")",
          R"("&amp;")",
          R"("'; system('id'); '")",
          R"("..")",
          R"("\u00e9")"};
}

TEST_CASE("A name holds letters, digits, dots, underscores and dashes only", "[loader]") {
  for (const std::string& name : hostile_names()) {
    check_refused(
        {name, filled(kNameSlot, name), "2:7", {"a name may hold letters, digits, . _ - only"}});
    check_refused({"variant " + name,
                   and_then("variants:\n  " + name + ": {}\n"),
                   "15:3",
                   {"a name may hold letters, digits, . _ - only"}});
    check_refused({"client " + name,
                   with("  app:", "  " + name + ":"),
                   "11:3",
                   {"a name may hold letters, digits, . _ - only"}});
  }
  check_refused({"I09", filled(kNameSlot, "\"name.\""), "2:7", {"must not end in a dot"}});
  check_accepted("I41", and_then("variants: {a.b: {}, a_b: {}}\n"));
}

TEST_CASE("A name may not be that of an output file", "[loader]") {
  for (const std::string name :
       {"results", "Charts", "report", "partitions", "timeseries", "latency"}) {
    check_refused({"I39 " + name, filled(kNameSlot, name), "2:7", {"reserved name"}});
    check_refused(
        {"variant", and_then("variants: {" + name + ": {}}\n"), "14:12", {"reserved name"}});
  }
  check_refused({"base", and_then("variants: {base: {}}\n"), "14:12", {"reserved name"}});
}

TEST_CASE("A title holds any printable text and keeps it", "[loader]") {
  for (const std::string& text : hostile_names()) {
    check_accepted(text, filled(kTitleSlot, text));
  }
  CHECK(check_accepted("quotes", filled(kTitleSlot, R"("a\"b' <\\>")")).title == "a\"b' <\\>");
  CHECK(check_accepted("none", kSmallest).title == "small");
  check_accepted("256 bytes", filled(kTitleSlot, std::string(256, 'x')));
  check_refused({"257", filled(kTitleSlot, std::string(257, 'x')), "3:8", {"longer than 256"}});
  check_refused({"blank", filled(kTitleSlot, "\"  \""), "3:8", {"'title' is blank"}});
}

TEST_CASE("A scenario says what it is for and what it teaches, if it likes", "[loader]") {
  const Slot slot{"name: small", "name: small\ngroup: teaching\nlesson: $"};
  const StudyFile study = check_accepted("both", filled(slot, "a date is no key for many writes"));
  CHECK(study.group == "teaching");
  CHECK(study.lesson == "a date is no key for many writes");
  const StudyFile silent = check_accepted("none", kSmallest);
  CHECK(silent.group.empty());
  CHECK(silent.lesson.empty());
}

TEST_CASE("A lesson is one line of at most 100 bytes, for the whole file", "[loader]") {
  const Slot slot{"name: small", "name: small\nlesson: $"};
  check_accepted("100", filled(slot, std::string(100, 'x')));
  check_refused({"101", filled(slot, std::string(101, 'x')), "3:9", {"longer than 100 bytes"}});
  check_refused({"blank", filled(slot, "\"  \""), "3:9", {"'lesson' is blank"}});
  check_refused({"two lines", filled(slot, R"("a\nb")"), "3:9", {"control character"}});
  for (const std::string key : {"lesson", "group"}) {
    check_refused({key,
                   and_then("variants:\n  v: {" + key + ": planning}\n"),
                   "15:7",
                   {"'" + key + "' belongs to the whole file"}});
  }
}

TEST_CASE("Neither a name nor a title holds control characters", "[loader]") {
  // I07, I27, I37
  for (const std::string text : {R"("a\nb")", R"("\t=1+1")", R"("\e]0;x\a")", R"("\x7f")"}) {
    check_refused({text, filled(kNameSlot, text), "2:7", {"control character"}});
    check_refused({text, filled(kTitleSlot, text), "3:8", {"control character"}});
  }
}

TEST_CASE("A field name can stand in a key template", "[loader]") {
  for (const std::string name : {"a-b", "a.b", "1a", "\"a b\"", "\"{k}\""}) {
    check_refused(
        {name,
         with("      k: {choose: 10}", "      k: {choose: 10}\n      " + name + ": {choose: 10}"),
         "10:7",
         {"a field name may hold letters, digits and _ only"}});
  }
  check_accepted("case matters here",
                 with("      k: {choose: 10}", "      k: {choose: 10}\n      K: {choose: 10}"));
}

}  // namespace
}  // namespace partsim::testing
