#include "money_view.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "partsim/metrics/derived.hpp"
#include "partsim/report/text.hpp"

#include "numbers.hpp"
#include "paragraph.hpp"
#include "provider_words.hpp"
#include "table.hpp"

namespace partsim {
namespace {

constexpr std::size_t kMaxVariants = 8;

/// "$4.80 an hour, $3,504 a month; 2 hours billed: $9.60 for throughput, $0.01 for storage".
std::string bill_of(const Cost& cost) {
  return fmt::format("{} an hour, {} a month; {} hour{} billed: {} for throughput, {} for storage",
                     in_usd(cost.per_hour_micro), in_usd(cost.per_month_micro), cost.hours,
                     cost.hours == 1 ? "" : "s", in_usd(cost.throughput_micro),
                     in_usd(cost.storage_micro));
}

}  // namespace

std::string money_view(const StudyResult& study, const TextStyle& style) {
  const bool billed = std::any_of(study.runs.begin(), study.runs.end(),
                                  [](const VariantResult& r) { return r.run.cost.hours > 0; });
  if (!billed || study.runs.size() > kMaxVariants) {
    return {};  // what many variants cost a month stands in their comparison
  }
  const Cost& first = study.runs.front().run.cost;
  const bool alike = std::all_of(study.runs.begin(), study.runs.end(), [&](const VariantResult& r) {
    return bill_of(r.run.cost) == bill_of(first);
  });
  const std::string title = heading("What it costs", "billed by started clock hours", style);
  if (alike) {
    return title + paragraph({.label = "", .text = bill_of(first), .indent = 2}, style);
  }
  std::string text = title;
  for (const VariantResult& result : study.runs) {
    const std::string variant =
        shorten(visible_text(result.variant, style.unicode), 18, style.unicode);
    text +=
        paragraph({.label = "  " + variant, .text = bill_of(result.run.cost), .indent = 22}, style);
  }
  return text;
}

std::string error_view(const StudyResult& study, const TextStyle& style) {
  if (study.runs.size() > kMaxVariants) {
    return {};
  }
  std::string text;
  for (const VariantResult& result : study.runs) {
    const ClientResult total = result.run.total();
    const ProviderWords& words = words_of(result.run);
    const std::array<std::pair<std::uint64_t, std::string_view>, 3> errors{
        {{total.throttled, words.throttled},
         {total.gone, words.gone},
         {total.forbidden, words.forbidden}}};
    std::string met;
    for (const auto& [count, name] : errors) {
      if (count > 0) {
        met += fmt::format("{}{} times {}", met.empty() ? "" : "; ", in_short(count), name);
      }
    }
    if (!met.empty()) {
      const std::string variant =
          shorten(visible_text(result.variant, style.unicode), 18, style.unicode);
      text += paragraph({.label = "  " + variant, .text = met, .indent = 22}, style);
    }
  }
  return text.empty() ? text : heading("Refusals", "as the application gets them", style) + text;
}

}  // namespace partsim
