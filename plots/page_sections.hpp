/// The parts of the report page, in the order of a reader's questions.
#pragma once

#include <string>
#include <vector>

#include "partsim/plots/chart.hpp"
#include "partsim/plots/report_page.hpp"
#include "partsim/report/findings.hpp"
#include "partsim/report/report_table.hpp"
#include "partsim/study/study.hpp"

#include "html.hpp"
#include "page_assets.hpp"

namespace partsim {

/// What the sections are written from, and what they share: each chart stands in one of them.
struct PageWriter {
  const StudyResult& study;
  const ReportContext& context;
  const PageAssets& assets;
  const std::vector<VariantFindings>& findings;
  const std::vector<Chart>& charts;
  Html& html;
  std::vector<bool> placed = std::vector<bool>(charts.size());  // charts that stand somewhere

  void add_verdict();
  void add_findings();
  void add_heat_map();
  void add_variants();
  void add_partitions();
  void add_latency();
  void add_layout();
  void add_keys();
  void add_cost();
  void add_other_charts();
  void add_reproduction();

  // The pieces.
  void open_section(const std::string& id, const std::string& title);
  void close_section();
  /// Nothing for a table without rows.
  void add_table(const std::string& name, const ReportTable& table,
                 const std::string& variant = {});
  /// The charts of these names, if there are any.
  void add_charts(std::initializer_list<std::string_view> names);
  void add_chart(std::size_t index);
  [[nodiscard]] bool has_chart(std::initializer_list<std::string_view> names) const;
};

/// The page with given assets instead of the program's own.
[[nodiscard]] std::string make_page(const StudyResult& study, const ReportContext& context,
                                    const PageAssets& assets);

}  // namespace partsim
