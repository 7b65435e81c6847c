// Bombs and graphs: files that are cheap to write and dear to read.
#include "scenario_text.hpp"
#include "support/catch.hpp"

namespace partsim::testing {
namespace {

std::string repeated(std::string_view text, std::size_t times) {
  std::string result;
  for (std::size_t i = 0; i < times; ++i) {
    result += text;
  }
  return result;
}

std::string nested_lists(std::size_t depth) {
  return with("name: small", "name: " + repeated("[", depth) + repeated("]", depth));
}

TEST_CASE("A hundred thousand open brackets end in one finding", "[loader]") {
  for (const std::string_view opening : {"[", "{a: ", "- "}) {
    const LoadResult result = load_study(repeated(opening, 100'000), "bad.yaml");
    INFO("C01, C05, C07: " << opening);
    CHECK(result.diagnostics.size() == 1);
    CHECK_FALSE(result.study.has_value());
  }
}

TEST_CASE("Thirty-two levels are read, the next is over a limit", "[loader]") {
  check_refused({"C03", nested_lists(31), "2:7", {"wrong type"}});
  check_refused({"one past it", nested_lists(32), "2:38", {"nested deeper than 32"}, true});
  std::string stairs;
  for (std::size_t i = 0; i < 600; ++i) {
    stairs += std::string(i, ' ') + "a:\n";
  }
  check_refused({"C09", stairs, "33:33", {"nested deeper than 32"}, true});
}

TEST_CASE("More than 100000 keys and values are over a limit", "[loader]") {
  std::string many;
  for (std::size_t i = 0; i < 60'000; ++i) {
    many += "k" + std::to_string(i) + ": 1\n";
  }
  // A mapping is one value, each entry two more: line 50000 holds values 99999 and 100000.
  check_refused({"C11", many, "50000:9", {"more than 100000"}, true});
}

TEST_CASE("Anchors, aliases, cycles and merge keys are refused before they can grow", "[loader]") {
  std::string laughs = "a: &a [x,x,x,x,x,x,x,x,x]\n";
  for (char level = 'b'; level <= 'h'; ++level) {
    const std::string before = "*" + std::string(1, static_cast<char>(level - 1));
    laughs += std::string(1, level) + ": &" + std::string(1, level) + " [" + before +
              repeated("," + before, 8) + "]\n";
  }
  check_refused({"C13", laughs, "1:4", {"anchors are not allowed"}});
  check_refused({"C15", "&x [*x]\n", "1:1", {"anchors are not allowed"}});
  check_refused({"C17", "a: &x\n  - *x\n", "1:4", {"anchors are not allowed"}});
  check_refused({"C19", "a: *nope\n", "1:4", {"aliases are not allowed"}});
  check_refused({"C21", "a: &p {x: 1}\nb:\n  <<: *p\n", "1:4", {"anchors are not allowed"}});
  check_refused({"C23", "a: [&k 1, &k 2, *k]\n", "1:5", {"anchors are not allowed"}});
  check_refused({"on a key", "&k a: 1\n", "1:1", {"anchors are not allowed"}});
  check_refused({"merge key", "b:\n  <<: {x: 1}\n", "2:3", {"merge keys are not allowed"}});
}

TEST_CASE("Tags are refused", "[loader]") {
  check_refused(
      {"C25", "a: !!python/object/apply:os.system [\"id\"]\n", "1:4", {"tags are not allowed"}});
  check_refused({"C27", "a: !!int \"7\"\n", "1:4", {"tags are not allowed"}});
  check_refused({"C29", "a: !<tag:x> 1\n", "1:4", {"tags are not allowed"}});
  check_refused({"on text", "a: !!str 7\n", "1:4", {"tags are not allowed"}});
  check_refused({"the bare mark", "a: ! 7\n", "1:4", {"tags are not allowed"}});
}

TEST_CASE("Thousands of mistakes are all counted", "[loader]") {
  std::string many;
  for (std::size_t i = 0; i < 20'000; ++i) {
    many += "key" + std::to_string(i) + ": 1\n";
  }
  const LoadResult result = load_study(and_then(many), "bad.yaml");
  CHECK(result.diagnostics.size() == 20'000);
}

TEST_CASE("Forty thousand clients in a variant do not keep the loader busy for long", "[loader]") {
  std::string text = and_then("variants:\n  v:\n    clients:\n");
  for (std::size_t i = 0; i < 40'000; ++i) {
    text += "      c" + std::to_string(i) + ": {}\n";
  }
  const LoadResult result = load_study(text, "bad.yaml");
  CHECK_FALSE(result.diagnostics.empty());
}

TEST_CASE("Variants cannot multiply a big scenario without limit", "[loader]") {
  std::string text =
      with("      k: {choose: 10}", "      k: {values: [1" + repeated(", 1", 9'999) + "]}");
  text += "variants:\n";
  for (std::size_t i = 0; i < 100; ++i) {
    text += "  v" + std::to_string(i) + ": {}\n";
  }
  check_refused({"10000 values 100 times", text, "15:3", {"variants", "1000000"}, true});
}

}  // namespace
}  // namespace partsim::testing
