/// Texts that act on something: shells, gnuplot, spreadsheets, browsers, terminals, files, readers
/// of CSV and JSON. Each that could run a command would create a file named `canary`.
#pragma once

#include <array>
#include <string_view>

namespace partsim::samples {

inline constexpr std::array<std::string_view, 44> kHostileTexts{
    "`touch canary`",
    "a`touch canary`b",
    "$(touch canary)",
    "${HOME}",
    "; touch canary",
    "| touch canary",
    "|touch canary",
    "< touch canary",
    "<touch canary",
    "> canary",
    "'; system('touch canary'); '",
    "\"; system(\"touch canary\"); \"",
    "' ; !touch canary",
    "!touch canary",
    "@A",
    "@`touch canary`",
    "%s%n%d",
    "%1$s",
    "a\nsystem 'touch canary'\n",
    "EOD\nsystem 'touch canary'\n$d << EOD",
    "EOF\n!touch canary",
    "\"\nsystem \"touch canary\"\n#",
    "a_b^c{/=40 big}",
    "{/Symbol a}@_b",
    "\\n\\101\\x41",
    "trailing backslash\\",
    "\\\"",
    "# no comment",
    "a\tb\tc",
    "\t=1+1",
    "\r=1+1",
    "=cmd|' /C calc'!A0",
    "+1+1",
    "-1+1",
    "@SUM(A1:A9)",
    "a\"b,c\r\nd",
    "</script><b>&amp;",
    "' onmouseover='x",
    "]]><!-- -->",
    "\x1B]0;x\x07\x1B[2J\x1B[31m",
    "abc\u202Egnp.exe\u2028",
    "\xFF\xFE\xC0\xAF broken",
    "Zürich 東京 e\u0301 👩‍🚀 ✅",
    "../../x",
};

}  // namespace partsim::samples
