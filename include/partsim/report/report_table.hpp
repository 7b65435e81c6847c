/// The tables of a report as plain values: captions, headings and cells in words, with the numbers
/// behind them to sort by. Text of users stands in them as it is.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "partsim/report/findings.hpp"
#include "partsim/study/study.hpp"

namespace partsim {

struct ReportColumn {
  std::string header;
  std::string hint;     // what it means, if the header does not say
  bool number = false;  // stands to the right
};

struct ReportCell {
  std::string text;
  std::optional<double> number = std::nullopt;  // to sort by
  Severity severity = Severity::good;
  std::optional<double> bar = std::nullopt;  // 0 to 1, to be drawn behind the text
};

struct ReportTable {
  std::string caption;
  std::vector<ReportColumn> columns;  // the first one names the row
  std::vector<std::vector<ReportCell>> rows;
  std::string rest;  // what was left out, and where it is; may be empty
};

// Of all variants; empty tables have no rows.
[[nodiscard]] ReportTable expectations_table(const StudyResult& study);
[[nodiscard]] ReportTable variants_table(const StudyResult& study);
[[nodiscard]] ReportTable clients_table(const StudyResult& study);
[[nodiscard]] ReportTable latency_table(const StudyResult& study);
[[nodiscard]] ReportTable refusals_table(const StudyResult& study);
[[nodiscard]] ReportTable cost_table(const StudyResult& study);
/// Seed, model and digest of every run: what two runs must agree in to be the same.
[[nodiscard]] ReportTable runs_table(const StudyResult& study);

// Of one variant.
/// Most refused attempts first, then the busiest.
[[nodiscard]] ReportTable partitions_table(const VariantResult& result, std::size_t most_rows);
[[nodiscard]] ReportTable layout_table(const VariantResult& result, std::size_t most_rows);
[[nodiscard]] ReportTable hot_keys_table(const VariantResult& result);
[[nodiscard]] ReportTable large_keys_table(const VariantResult& result);

}  // namespace partsim
