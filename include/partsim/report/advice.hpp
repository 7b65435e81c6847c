/// Advice on a partition key, as people and as programs read it.
#pragma once

#include <string>

#include "partsim/report/next_step.hpp"
#include "partsim/report/report.hpp"
#include "partsim/study/advise.hpp"

namespace partsim {

/// Where the advice came from, and what to do with it.
struct AdviceContext {
  std::string scenario;  // its name
  std::string variant;   // empty: the scenario itself
  std::string sample;    // the file; empty: none
  NextStep next_step;
};

/// Verdict, ranked keys, reasons for the best and the current one, suffixes, one next step: about
/// 40 lines at 80 columns.
[[nodiscard]] std::string advice_text(const KeyAdvice& advice, const AdviceContext& context,
                                      const TextStyle& style);
/// Format_version 1.0, ends in \n.
[[nodiscard]] std::string advice_json(const KeyAdvice& advice, const AdviceContext& context);

}  // namespace partsim
