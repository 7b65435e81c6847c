// Bytes and encoding: what is refused before the YAML parser sees the text.
#include "scenario_text.hpp"
#include "support/catch.hpp"

namespace partsim::testing {
namespace {

using namespace std::string_literals;

TEST_CASE("A file that says nothing is an empty scenario", "[loader]") {
  check_refused({"A01", "", "1:1", {"empty scenario"}});
  check_refused({"A03", "# only a comment\n", "1:1", {"empty scenario"}});
  check_refused({"a line end", "\n", "1:1", {"empty scenario"}});
  check_refused({"D29", "null\n", "1:1", {"empty scenario"}});
  check_refused({"only a mark", "---\n", "1:1", {"empty scenario"}});
}

TEST_CASE("A byte order mark is taken off and moves nothing", "[loader]") {
  const std::string mark = "\xEF\xBB\xBF";
  check_accepted("A05", mark + std::string(kSmallest));
  check_refused({"A05 place", mark + with("partsim: 1", "partsim: 2"), "1:10", {"'partsim'"}});
}

TEST_CASE("Bytes that are not UTF-8 are refused where they stand", "[loader]") {
  const std::string wide = "\xFE\xFF\0n\0a\0m\0e"s;
  check_refused({"A07", wide, "1:1", {"not UTF-8"}});
  check_refused({"little-endian", "\xFF\xFEn\0"s, "1:1", {"not UTF-8"}});
  check_refused({"A09", "name: \xff\xfe\xfa\n", "1:7", {"invalid UTF-8"}});
  check_refused({"A11", "name: \xc0\xaf\n", "1:7", {"invalid UTF-8"}});
  check_refused({"A13", "name: \xf4\x90\x80\x80\n", "1:7", {"invalid UTF-8"}});
  check_refused({"surrogate", "name: \xed\xa0\x80\n", "1:7", {"invalid UTF-8"}});
  check_refused({"cut off", "name: \xe2\x82", "1:7", {"invalid UTF-8"}});
}

TEST_CASE("Control characters are refused by their number", "[loader]") {
  check_refused({"A15", "name: a\0b\n"s, "1:8", {"control character U+0000"}});
  check_refused({"A17", "name: \x07\n", "1:7", {"control character U+0007"}});
  check_refused({"A19", "name: \x1b[2J\n", "1:7", {"control character U+001B"}});
  check_refused({"A21", "name: a\xc2\x85"s + "b\n", "1:8", {"control character U+0085"}});
  check_refused({"line separator", "name: a\xe2\x80\xa8"s + "b\n", "1:8", {"U+2028"}});
  check_refused({"A29", "\x7f"s + "ELF\x02\x01\x01\0"s, "1:1", {"control character"}});
  check_refused({"A31", "PK\x03\x04", "1:3", {"control character"}});
  check_refused({"in a comment", "# \x1b[2J\n", "1:3", {"control character U+001B"}});
}

TEST_CASE("Characters that reorder what a reader sees are refused", "[loader]") {
  check_refused({"A23",
                 "name: abc\xe2\x80\xaegnp.exe\n",
                 "1:10",
                 {"bidirectional control U+202E", "not allowed"}});
  check_refused({"isolate", "title: \xe2\x81\xa6x\n", "1:8", {"bidirectional control U+2066"}});
}

TEST_CASE("A letter that only looks like one of ours is named", "[loader]") {
  check_refused({"A25",
                 with("name: small", "n\xd0\xb0me: small"),
                 "2:1",
                 {"unknown key", "U+0430", "did you mean 'name'?"}});
}

TEST_CASE("A carriage return ends no line by itself", "[loader]") {
  check_refused({"A27", "name: a\rseed: 1\r", "1:8", {"bare carriage return"}});
}

TEST_CASE("Line ends of two bytes are read like those of one", "[loader]") {
  std::string text;
  for (const char c : with("duration: 10s", "duration: 10")) {
    text += c == '\n' ? "\r\n" : std::string(1, c);
  }
  check_refused({"place with CRLF", text, "3:11", {"'duration' has no unit"}});
  text.replace(text.find("duration: 10"), 12, "duration: 10s");
  const StudyFile study = check_accepted("CRLF", text);
  CHECK(study.name == "small");
  CHECK(study.variants.front().scenario.duration_ns == 10 * kSecond);
}

TEST_CASE("Columns count characters, not bytes", "[loader]") {
  // Four characters of one to four bytes stand before the key at fault.
  const std::string text = with("name: small",
                                "name: small\n"
                                "title: a\xc3\xa9\xe2\x82\xac\xf0\x9f\x9a\x97  # \xc3\xa9") +
                           "variants: {\"a\": {}, \"\xc3\xa9\xe2\x82\xac\": {}}\n";
  check_refused({"after others", text, "15:21", {"a name may hold letters, digits, . _ - only"}});
}

TEST_CASE("One value longer than 65536 bytes is over a limit", "[loader]") {
  const std::string longest(65'536, 'a');
  check_refused({"at it", with("name: small", "name: " + longest), "2:7", {"longer than 64"}});
  check_refused({"A33", "name: " + longest + "a", "1:7", {"longer than 65536 bytes"}, true});
}

TEST_CASE("A file of more than 1 MiB is over a limit", "[loader]") {
  std::string text(kSmallest);
  text += "#" + std::string(1'048'576 - text.size() - 2, ' ') + "\n";
  REQUIRE(text.size() == 1'048'576);
  check_accepted("at it", text);
  check_refused({"one past it", text + "\n", "1:1", {"larger than 1048576 bytes"}, true});
}

TEST_CASE("Escapes cannot smuggle in what the file may not hold", "[loader]") {
  check_refused({"B33", R"(a: "\e[31m")", "1:4", {"control character U+001B"}});
  check_refused({"nul", R"(a: "\0")", "1:4", {"control character U+0000"}});
  check_refused({"bidi", R"(a: "\u202E")", "1:4", {"bidirectional control U+202E"}});
  check_refused({"in a key", R"("a\nb": 1)", "1:1", {"control character U+000A"}});
  check_refused({"block text", "a: |\n  one\n  two\n", "1:4", {"control character U+000A"}});
}

}  // namespace
}  // namespace partsim::testing
