// YAML syntax: every file that cannot be read is refused once, and none hangs the loader.
#include "scenario_text.hpp"
#include "support/catch.hpp"

namespace partsim::testing {
namespace {

TEST_CASE("What is opened must be closed", "[loader]") {
  check_refused({"B01", "[1, 2", "1:1", {"not closed"}});
  check_refused({"B03", "a: \"abc", "", {"text is not closed"}});
  check_refused({"at a line end", "a: \"abc\n", "", {"text is not closed"}});
  check_refused({"B05", "]", "1:1", {"unexpected ]"}});
  check_refused({"B09", "[:", "1:2", {}});
  check_refused({"B37", "{a: 1 b: 2}\n", "1:8", {}});
}

TEST_CASE("One comma is refused and does not hang the loader", "[loader]") {
  check_refused({"B07", ",", "1:1", {"unexpected ','"}});
  check_refused({"after blanks", "\n\n  ,\n", "3:3", {"unexpected ','"}});
  check_refused_among_others({"after a mapping", "a: 1\n,\n", "", {}});
  check_refused_among_others({"after a comment", "# x\n,,\n", "2:1", {"unexpected ','"}});
}

TEST_CASE("The whole file is one mapping", "[loader]") {
  check_refused({"B11", "[:]", "1:1", {"must be a mapping"}});
  check_refused({"D27", "text\n", "1:1", {"must be a mapping", "'text'"}});
  check_refused({"B19", "a:1\nb:2\n", "1:1", {"must be a mapping", "space missing"}});
  check_refused({"a list", "- a\n- b\n", "1:1", {"must be a mapping", "a list"}});
}

TEST_CASE("Indentation mistakes are told where the line stands", "[loader]") {
  check_refused({"B13", "a:\n\tb: 1\n", "", {"tab in indentation"}});
  check_refused({"B15", "a:\n   b: 1\n  c: 2\n", "3:3", {"bad indentation"}});
  check_refused({"B17", "a: 1\n- 2\n", "2:1", {}});
}

TEST_CASE("Nothing may follow the one document", "[loader]") {
  check_refused({"B21", "a: 1\n...\ngarbage: [\n", "3:1", {"text after the end"}});
  check_refused({"B23", "---\n---\na: 1\n", "2:1", {"more than one document"}});
  const std::string twice = std::string(kSmallest) + "---\n" + std::string(kSmallest);
  check_refused({"two scenarios", twice, "14:1", {"more than one document"}});
  check_accepted("one with its mark", "---\n" + std::string(kSmallest));
  check_accepted("one with its end", std::string(kSmallest) + "...\n");
}

TEST_CASE("Directives are refused", "[loader]") {
  check_refused({"B25", "%YAML 9.9\n---\na: 1\n", "1:1", {"directives"}});
  check_refused({"B27", "%\na: 1\n", "1:1", {"directives"}});
  check_refused({"in the middle", "a: 1\n%x\nb: 2\n", "2:1", {"directives"}});
}

TEST_CASE("Broken escapes and block headers are refused", "[loader]") {
  check_refused({"B29", "a: \"\\xZZ\"\n", "", {}});
  check_refused({"B31", "a: \"\\UFFFFFFFF\"\n", "", {}});
  check_refused({"B35", "a: |+-\n x\n", "", {}});
  check_refused({"B41", "a: `x`\n", "1:4", {"reserved character"}});
}

TEST_CASE("Keys are text and have values", "[loader]") {
  check_refused({"B43", "? [a, b]\n: c\n", "1:3", {"keys must be text"}});
  check_refused({"B45", "{a, b, c}\n", "1:2", {"has no value"}});
  check_refused({"B47", std::string(1'025, 'k') + ": 1", "", {"key too long"}});
  check_refused({"D11", "~: x\n", "1:1", {"keys must be text"}});
  check_refused({"D13", "[1,2]: x\n", "1:1", {"keys must be text"}});
  check_refused({"a mapping", "{a: 1}: x\n", "1:1", {"keys must be text"}});
}

TEST_CASE("A comma behind the last item is allowed", "[loader]") {
  check_accepted("B39",
                 with("    operations: [{create: 100%}]", "    operations: [{create: 100%,},]"));
}

TEST_CASE("The same scenario in another spelling is the same study", "[loader]") {
  const std::string json =
      R"({"partsim": 1, "name": "small", "duration": "10s", "container": {"throughput": )"
      R"("400 RU/s", "partition_key": "{k}", "items": {"fields": {"k": {"choose": 10}}}}, )"
      R"("clients": {"app": {"rate": "10/s", "operations": [{"create": "100%"}]}}})";
  LoadResult result;
  const std::string from_json = explain_study(json, "a", {}, result);
  const std::string from_yaml = explain_study(kSmallest, "a", {}, result);
  REQUIRE(result.study.has_value());
  std::string plain;  // the quotes of JSON stay in the resolved view
  for (const char c : from_json) {
    plain += c == '"' ? "" : std::string(1, c);
  }
  std::string other;
  for (const char c : from_yaml) {
    other += c == '"' ? "" : std::string(1, c);
  }
  CHECK(plain == other);
  check_accepted("D31", json);
}

TEST_CASE("Comments change nothing", "[loader]") {
  const StudyFile study =
      check_accepted("D33", with("duration: 10s", "duration: 10s # note\n# duration: 20s"));
  CHECK(study.variants.front().scenario.duration_ns == 10 * kSecond);
}

}  // namespace
}  // namespace partsim::testing
