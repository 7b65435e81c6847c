// How findings are told: all at once, in file order, with the line, a caret and a hint.
#include "scenario_text.hpp"
#include "support/catch.hpp"

namespace partsim::testing {
namespace {

TEST_CASE("All mistakes of a file are reported at once, in its order", "[loader]") {
  const std::string text =
      "partsim: 2\n"
      "nmae: small\n"
      "duration: 10\n"
      "container:\n"
      "  throughput: 400\n"
      "  partition_key: \"{k\"\n"
      "  items:\n"
      "    fields:\n"
      "      k: {choose: 0}\n"
      "      k: {choose: 1}\n"
      "clients:\n"
      "  app:\n"
      "    rate: 10\n"
      "    operations: [{create: 100}]\n"
      "    retry: dotnett\n"
      "variants:\n"
      "  a: {seed: x}\n"
      "expect:\n"
      "  - a.attempts\n";
  std::string places;
  for (const std::string& finding : findings(text)) {
    places += finding.substr(0, finding.find(' ')) + " ";
  }
  CHECK(places == "1:10 2:1 3:11 5:15 6:18 9:19 10:7 13:11 14:27 15:12 17:13 19:5 ");
}

TEST_CASE("A mistake that variants share is told once", "[loader]") {
  const std::string text =
      with("duration: 10s", "duration: 10") + "variants: {a: {}, b: {}, c: {}}\n";
  CHECK(findings(text).size() == 1);
  const std::string impossible =
      with("  throughput: 400 RU/s", "  throughput: 450 RU/s") + "variants: {a: {}, b: {}}\n";
  CHECK(findings(impossible).size() == 1);
}

TEST_CASE("A finding shows its line with a caret below, then the hint", "[loader]") {
  const std::string text = with("    rate: 10/s", "    ratte: 10/s");
  const LoadResult result = load_study(text, "hot-key.yaml");
  REQUIRE(result.diagnostics.size() == 1);
  CHECK(format_diagnostic(result.diagnostics.front(), text) ==
        "hot-key.yaml:12:5: error: unknown key 'ratte' in 'client'\n"
        "      ratte: 10/s\n"
        "      ^\n"
        "  hint: did you mean 'rate'?\n");
}

TEST_CASE("The caret stands below its character, whatever came before", "[loader]") {
  // A tab and characters of several bytes each take one column.
  const std::string source = "\xc3\xa9\t\xe2\x82\xac: x\n";
  Diagnostic diagnostic;
  diagnostic.file = "a.yaml";
  diagnostic.line = 1;
  diagnostic.column = 6;
  diagnostic.message = "bad";
  CHECK(format_diagnostic(diagnostic, source) ==
        "a.yaml:1:6: error: bad\n"
        "  \xc3\xa9?\xe2\x82\xac: x\n"
        "       ^\n");
}

TEST_CASE("A long line is shown around its mistake", "[loader]") {
  const std::string text = with("name: small", "name: small  #" + std::string(300, '-')) +
                           "title: " + std::string(200, 't') + " {a\n" + "zzz: 1\n";
  const LoadResult result = load_study(text, "a.yaml");
  REQUIRE_FALSE(result.diagnostics.empty());
  Diagnostic diagnostic = result.diagnostics.front();
  diagnostic.line = 14;
  diagnostic.column = 209;  // the bracket
  const std::string shown = format_diagnostic(diagnostic, text);
  const std::size_t line = shown.find('\n') + 1;
  const std::size_t caret_line = shown.find('\n', line) + 1;
  CHECK(caret_line - line <= 103);
  const std::size_t caret = shown.find('^', caret_line) - caret_line;
  CHECK(shown[line + caret] == '{');
}

TEST_CASE("A finding without a line is one line", "[loader]") {
  LoadOptions options;
  options.overrides = {{"container.partitons", "5"}};
  const LoadResult result = load_study(kSmallest, "a.yaml", options);
  REQUIRE(result.diagnostics.size() == 1);
  CHECK(result.diagnostics.front().line == 0);
  CHECK(format_diagnostic(result.diagnostics.front(), kSmallest) ==
        "--set container.partitons=5: error: unknown key 'partitons' in 'container'\n"
        "  hint: did you mean 'partitions'?\n");
}

TEST_CASE("A message quotes at most 40 bytes and cuts between characters", "[loader]") {
  std::string euros;
  for (int i = 0; i < 40; ++i) {
    euros += "\xe2\x82\xac";
  }
  const std::vector<std::string> found = findings(with("duration: 10s", "duration: " + euros));
  REQUIRE(found.size() == 1);
  std::string kept;
  for (int i = 0; i < 12; ++i) {  // 36 bytes and three dots
    kept += "\xe2\x82\xac";
  }
  CHECK_THAT(found.front(), has_text("got '" + kept + "...'"));
}

TEST_CASE("The nearest word is the one that was meant, or none", "[loader]") {
  const std::vector<std::string> words = {"rate", "spacing", "operations", "retry"};
  CHECK(nearest_word("raet", words) == "rate");    // a swap is one slip
  CHECK(nearest_word("Retry", words) == "retry");  // so is a capital
  CHECK(nearest_word("operation", words) == "operations");
  CHECK(nearest_word("oprations", words) == "operations");
  CHECK(nearest_word("zzzz", words) == std::nullopt);
  CHECK(nearest_word("", words) == std::nullopt);
  CHECK(nearest_word("r", words) == std::nullopt);
  CHECK(nearest_word(std::string(65, 'r'), words) == std::nullopt);
  CHECK(nearest_word("rate", {}) == std::nullopt);
}

}  // namespace
}  // namespace partsim::testing
