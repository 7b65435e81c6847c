/// The smallest valid scenario as text, one line of it replaced, and what the loader says to that.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "partsim/loader/loader.hpp"

namespace partsim::testing {

/// Thirteen lines; every value that can be left out is.
inline constexpr std::string_view kSmallest =
    "partsim: 1\n"                        // 1
    "name: small\n"                       // 2
    "duration: 10s\n"                     // 3
    "container:\n"                        // 4
    "  throughput: 400 RU/s\n"            // 5
    "  partition_key: \"{k}\"\n"          // 6
    "  items:\n"                          // 7
    "    fields:\n"                       // 8
    "      k: {choose: 10}\n"             // 9
    "clients:\n"                          // 10
    "  app:\n"                            // 11
    "    rate: 10/s\n"                    // 12
    "    operations: [{create: 100%}]\n"  // 13
    ;

/// The smallest scenario with one of its lines (without its end) replaced; throws if it has no such
/// line.
[[nodiscard]] std::string with(std::string_view line, std::string_view replacement);
/// ... with lines added at its end.
[[nodiscard]] std::string and_then(std::string_view lines);

/// `1:7 control character U+0007 ...`: place, message and, behind a bar, the hint.
[[nodiscard]] std::string brief(const Diagnostic& diagnostic);
[[nodiscard]] std::vector<std::string> findings(std::string_view text,
                                                const LoadOptions& options = {});

/// A place for a value: a line of the smallest scenario and what replaces it, `$` for the value.
struct Slot {
  std::string line;
  std::string replacement;
};
[[nodiscard]] std::string filled(const Slot& slot, std::string_view value);
/// Where the value of a slot stands, as "3:11".
[[nodiscard]] std::string place_of(const Slot& slot);
/// Where a value that is not there is looked for: behind the colon.
[[nodiscard]] std::string place_behind_colon(const Slot& slot);

/// One bad input of a table.
struct BadInput {
  std::string id;
  std::string text;
  std::string place;               // "1:7"; empty: the parser's own place is good enough
  std::vector<std::string> words;  // all of them in the message or the hint
  bool over_limit = false;         // exit code 4
};

/// Refuses the text with one finding, at the place and in the words of the row.
void check_refused(const BadInput& row);
/// As above, but the file may have further findings.
void check_refused_among_others(const BadInput& row);
/// No finding at all; gives the study.
StudyFile check_accepted(std::string_view id, std::string_view text,
                         const LoadOptions& options = {});
/// The only variant's scenario of a text that is accepted.
Scenario check_scenario(std::string_view id, std::string_view text,
                        const LoadOptions& options = {});
/// The resolved view is a scenario that resolves to itself; gives the view.
std::string check_round_trip(std::string_view text, const LoadOptions& options = {});

}  // namespace partsim::testing
