/// What a study means, in sentences: for the terminal, the report page and whoever shows results.
/// Texts hold names and keys of users; `visible_text` (text.hpp) makes them safe to show.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "partsim/study/study.hpp"

namespace partsim {

enum class Severity : std::uint8_t { good, warning, bad };

struct VariantFindings {
  std::string variant;
  Severity severity = Severity::good;
  std::string finding;             // a few words after the name: "burns partition 8 of 10"
  std::string sentence;            // why, with the numbers that show it; ends in a full stop
  std::vector<std::string> notes;  // what else happened, a sentence each, worst first
};

/// Which variant is best and what is wrong with the others; one or a few short sentences.
[[nodiscard]] std::string verdict_sentence(const StudyResult& study);

/// One entry a variant, in the order of `study.runs`.
[[nodiscard]] std::vector<VariantFindings> findings(const StudyResult& study);

}  // namespace partsim
