#include "partsim/report/text.hpp"

#include "hostile_texts.hpp"
#include "support/catch.hpp"

namespace partsim {
namespace {

TEST_CASE("Control, direction and broken characters are shown, not sent", "[report]") {
  CHECK(visible_text("plain text, Zürich 東京") == "plain text, Zürich 東京");
  CHECK(visible_text("\x1B[2J") == "\\x1B[2J");
  CHECK(visible_text(std::string_view("a\0b", 3)) == "a\\x00b");
  CHECK(visible_text("a\tb\r\nc\x7F") == "a\\x09b\\x0D\\x0Ac\\x7F");
  CHECK(visible_text("\xC2\x85") == "\\x85");  // a C1 control
  CHECK(visible_text("\u202Egnp\u202C\u2028\uFEFF") == "\\u202Egnp\\u202C\\u2028\\uFEFF");
  CHECK(visible_text("\xFF") == "\\xFF");
  CHECK(visible_text("\xC0\xAF") == "\\xC0\\xAF");                    // overlong
  CHECK(visible_text("\xED\xA0\x80") == "\\xED\\xA0\\x80");           // a surrogate
  CHECK(visible_text("\xF4\x90\x80\x80") == "\\xF4\\x90\\x80\\x80");  // past the last
  CHECK(visible_text("\xE6\x9D") == "\\xE6\\x9D");                    // cut off
  CHECK(visible_text("\xF4\x8F\xBF\xBF") == "\xF4\x8F\xBF\xBF");      // the last
}

TEST_CASE("Without Unicode every character beyond ASCII is one question mark", "[report]") {
  CHECK(visible_text("Zürich 東京", false) == "Z?rich ??");
  CHECK(visible_text("\x1B", false) == "\\x1B");
}

TEST_CASE("Making text visible twice changes nothing", "[report]") {
  for (const std::string_view text : samples::kHostileTexts) {
    INFO(visible_text(text));
    CHECK(visible_text(visible_text(text)) == visible_text(text));
  }
}

TEST_CASE("Widths are terminal columns", "[report]") {
  CHECK(display_width("") == 0);
  CHECK(display_width("abc") == 3);
  CHECK(display_width("Zürich") == 6);
  CHECK(display_width("e\u0301") == 1);  // a letter and a combining accent
  CHECK(display_width("東京") == 4);
  CHECK(display_width("ﾄ") == 1);   // half width
  CHECK(display_width("Ａ") == 2);  // full width
  CHECK(display_width("한국") == 4);
  CHECK(display_width("🚀") == 2);
  CHECK(display_width("🀄") == 2);
  CHECK(display_width("✅") == 2);
  CHECK(display_width("⌚") == 2);
  CHECK(display_width("✓✗←█·…") == 6);  // our own
}

TEST_CASE("Shortened text fits and shows that something is missing", "[report]") {
  CHECK(shorten("partition", 9) == "partition");
  CHECK(shorten("partition", 8) == "partiti…");
  CHECK(shorten("partition", 8, false) == "partiti~");
  CHECK(shorten("two words", 5) == "two…");  // no space before the mark
  CHECK(shorten("東京都", 5) == "東京…");
  CHECK(shorten("東京都", 4) == "東…");  // half a character is none
  CHECK(shorten("abc", 1) == "…");
  CHECK(shorten("abc", 0).empty());
  CHECK(shorten("e\u0301e\u0301", 2) == "e\u0301e\u0301");
}

TEST_CASE("Wrapped lines keep every word and never exceed the width", "[report]") {
  CHECK(wrap("one two three", 7) == std::vector<std::string>{"one two", "three"});
  CHECK(wrap("one two three", 8) == std::vector<std::string>{"one two", "three"});
  CHECK(wrap("one two three", 13) == std::vector<std::string>{"one two three"});
  CHECK(wrap("", 10) == std::vector<std::string>{""});
  CHECK(wrap("  a   b  ", 10) == std::vector<std::string>{"a b"});
  CHECK(wrap("abcdefgh ij", 3) == std::vector<std::string>{"abc", "def", "gh", "ij"});
  CHECK(wrap("up to 99 % of it", 8) == std::vector<std::string>{"up to", "99 % of", "it"});
  CHECK(wrap("up to 99 %", 4) == std::vector<std::string>{"up", "to", "99 %"});
  CHECK(wrap("at 240 s; on", 7) == std::vector<std::string>{"at", "240 s;", "on"});
  CHECK(wrap("all is %", 7) == std::vector<std::string>{"all is", "%"});  // no number before it
  CHECK(wrap("123 %", 4) == std::vector<std::string>{"123", "%"});        // no room for both
  CHECK(wrap("東京都庁", 3) == std::vector<std::string>{"東", "京", "都", "庁"});
}

}  // namespace
}  // namespace partsim
