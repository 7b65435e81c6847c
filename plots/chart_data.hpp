/// What the charts show, as numbers and tab-separated text. All text of users is in data files; the
/// scripts that read them are made of our own words and numbers only.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "partsim/metrics/derived.hpp"
#include "partsim/study/study.hpp"

namespace partsim {

struct DataFile {
  std::string name;
  std::string content;
};

/// A user's text as one quoted field of a data file: visible characters only, nothing that
/// gnuplot's reader would interpret, at most `width` columns.
[[nodiscard]] std::string data_text(std::string_view text, std::size_t width);

// ---- utilisation over time ----------------------------------------------------------------------

/// One variant's panel. Long runs and many partitions are merged into cells; a cell keeps the
/// largest utilisation and the largest throttled share in it, so that a peak never disappears.
struct UtilizationPanel {
  std::size_t columns = 0;  // cells along time
  std::size_t rows = 0;     // cells along partitions
  std::size_t partitions = 0;
  double seconds = 0;      // that the columns cover
  double highest = 0;      // utilisation, fraction
  bool throttled = false;  // some cell has a 429
  DataFile cells;          // start s, end s, partition, utilisation % (NaN: not there), throttled
  std::vector<double> marks;  // s at which the layout changed
};

inline constexpr std::size_t kMaxPanels = 12;
inline constexpr std::size_t kMaxLinePartitions = 5;  // up to here lines tell more than a heat map

/// When the layout or a share changed, each instant once; of very many only some.
[[nodiscard]] std::vector<double> change_times_s(const RunResult& run);

[[nodiscard]] std::vector<UtilizationPanel> utilization_panels(const StudyResult& study);

// ---- latency curve ------------------------------------------------------------------------------

inline constexpr std::size_t kMaxCurves = 16;

struct LatencyCurves {
  std::vector<std::size_t> runs;  // that have a curve, as indexes into the study
  double lowest_ms = 1;
  double highest_ms = 1;
  double largest_x = 100;        // x is 1 / (1 - percentile)
  std::vector<DataFile> curves;  // x, ms; the first line is the column headers
};

[[nodiscard]] LatencyCurves latency_curves(const StudyResult& study);

// ---- variants side by side ----------------------------------------------------------------------

inline constexpr std::size_t kMaxBars = 24;

struct VariantBars {
  std::size_t count = 0;
  std::vector<double> largest;  // by measure: throttled %, p99 ms, RU per operation, imbalance
  std::string ru_of;            // whose operations the RU are for
  DataFile bars;                // row, colour, name, then value and its text for each measure
};

[[nodiscard]] VariantBars variant_bars(const StudyResult& study);

}  // namespace partsim
