/// Results to charts.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "partsim/plots/chart.hpp"
#include "partsim/study/study.hpp"

namespace partsim {

struct ChartOutcome {
  std::vector<std::string> files;  // written, relative to the folder
  std::string warning;             // why there are none or fewer; empty if all is well
};

/// `matplot` draws the same charts simpler (texts in ASCII, no colour scale, no bar for the
/// warm-up above heat maps) and
/// exists only where partsim was built with Matplot++.
enum class ChartBackend : std::uint8_t { gnuplot, matplot };

/// False for `matplot` in a build without Matplot++.
[[nodiscard]] bool is_built_in(ChartBackend backend) noexcept;

struct ChartOptions {
  std::string gnuplot = "gnuplot";  // program, found in PATH
  std::chrono::seconds limit{30};   // a hanging gnuplot is ended after this
  ChartBackend backend = ChartBackend::gnuplot;
};

/// Draws what `describe_charts` found as .svg and .png into `folder` (exists). One gnuplot draws
/// all charts; it is started without a shell, and text of users reaches it only through data files.
/// Each file appears complete or not at all. Never throws for want of a tool, of time or of a place
/// to write: that is the warning.
[[nodiscard]] ChartOutcome draw_charts(const StudyResult& study, const std::string& folder,
                                       const ChartOptions& options = {});
/// Any others, in the same way.
[[nodiscard]] ChartOutcome draw_charts(const std::vector<Chart>& charts, const std::string& folder,
                                       const ChartOptions& options = {});

}  // namespace partsim
