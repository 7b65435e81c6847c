/// How the key space and the RU/s were divided among the partitions, over time.
#pragma once

#include <string>
#include <vector>

#include "chart_data.hpp"

namespace partsim {

struct LayoutPanel {
  std::size_t run = 0;         // index into the study
  std::size_t partitions = 0;  // that ever were
  double seconds = 0;
  double highest = 0;         // RU/s of all partitions together
  std::string_view rate;      // what a share is counted in
  DataFile keys;              // start s, end s, low %, high %, colour, label: one band a partition
  DataFile shares;            // the same in RU/s; a band has a new line whenever it moves
  std::vector<double> marks;  // s at which the layout changed
};

inline constexpr std::size_t kMaxLayouts = 6;

/// Of the variants whose layout or shares changed.
[[nodiscard]] std::vector<LayoutPanel> layout_panels(const StudyResult& study);

}  // namespace partsim
