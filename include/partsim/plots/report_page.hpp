/// Results to one web page that needs nothing else: no network, no other file.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "partsim/study/study.hpp"

namespace partsim {

/// A chart that was drawn already, as SVG.
struct StaticChart {
  std::string name;  // as the description of the chart has it: "utilization"
  std::string svg;
};

/// What a reader needs to run the same again, and what stands in for interactive charts.
struct ReportContext {
  std::string scenario_text;  // the file as it was read
  std::string file_name;
  std::string command;  // that gives the same results
  std::vector<StaticChart> static_charts;
};

/// Whether this build carries the interactive charts. Otherwise the page shows the static ones.
[[nodiscard]] bool has_interactive_page() noexcept;

/// Verdict and expectations, findings in words, charts, tables, and how to reproduce them: an HTML
/// document whose policy forbids everything but its own style and script. Text of users is text in
/// it. The same study and context give the same bytes.
[[nodiscard]] std::string report_page(const StudyResult& study, const ReportContext& context);

}  // namespace partsim
