/// The parts of the short summary, each within a number of lines.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "diagnosis.hpp"
#include "table.hpp"

namespace partsim {

struct ShortView {
  const StudyResult& study;
  const std::vector<Diagnosis>& diagnoses;
  const TextStyle& style;
};

[[nodiscard]] std::size_t count_lines(const std::string& text);
[[nodiscard]] std::string_view mark_of(Severity severity, const TextStyle& style);
[[nodiscard]] Tone tone_of(Severity severity);

/// Indexes of at most `most` variants in the order of the file: the best one and those in trouble
/// before the others.
[[nodiscard]] std::vector<std::size_t> variants_worth_showing(const ShortView& view,
                                                              std::size_t most);

/// A row a variant, and the clients where there is room: what was throttled and lost, latency by
/// cause, cost.
[[nodiscard]] std::string short_variants(const ShortView& view, std::size_t most_lines);

/// The worst partitions over time.
[[nodiscard]] std::string short_partitions(const ShortView& view, std::size_t most_lines);

}  // namespace partsim
