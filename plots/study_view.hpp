/// What several charts share in how they look at a study.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "partsim/metrics/derived.hpp"
#include "partsim/plots/chart.hpp"
#include "partsim/study/study.hpp"

namespace partsim {

inline constexpr std::size_t kMaxPanels = 12;

/// How many runs have a panel.
[[nodiscard]] std::size_t panels_of(const StudyResult& study) noexcept;
/// Small multiples over time stand side by side when there are many.
[[nodiscard]] std::uint32_t columns_for(std::size_t panels) noexcept;
/// " (the first 12 of 30 variants)" or nothing.
[[nodiscard]] std::string left_out(std::size_t shown, std::size_t all);

/// The variant as its reader knows it; a file without variants has one run, known by its scenario.
[[nodiscard]] std::string name_of(const StudyResult& study, std::size_t run);
/// The same for a sentence: visible and not too long.
[[nodiscard]] std::string short_name(const StudyResult& study, std::size_t run);

/// "86 % of attempts throttled, 84 % of operations failed": all that an application suffered, so
/// that what no 429 shows is not taken for health.
[[nodiscard]] std::string outcome_of(const RunResult& run, bool brief = false);

/// "; grey: warm-up", or nothing: for the explanation of charts over time.
[[nodiscard]] std::string phase_words(const StudyResult& study);

/// A chart about the study, with its subject filled in.
[[nodiscard]] Chart new_chart(const StudyResult& study, std::string_view name);
/// A panel of a run over time: heading, time axis, warm-up, splits under way, changes of layout.
[[nodiscard]] Panel new_time_panel(const StudyResult& study, std::size_t run);

/// The rows of a run's series in steps, few enough to be told apart.
struct Steps {
  Eigen::Index rows = 0;  // of the series
  Eigen::Index step = 1;  // rows a step
  double interval_s = 1;
  double end_s = 0;  // where the last step ends

  [[nodiscard]] Eigen::Index count() const { return (rows + step - 1) / step; }
  [[nodiscard]] Eigen::Index first_row(Eigen::Index i) const { return i * step; }
  [[nodiscard]] Eigen::Index rows_in(Eigen::Index i) const {
    return std::min(step, rows - i * step);
  }
  [[nodiscard]] double begin_s(Eigen::Index i) const {
    return std::min(static_cast<double>(i * step) * interval_s, end_s);
  }
  [[nodiscard]] double length_s(Eigen::Index i) const { return begin_s(i + 1) - begin_s(i); }
};
[[nodiscard]] Steps steps_of(const RunResult& run, Eigen::Index most);

/// A stepped line over time without values yet: x has every step's begin, and the end.
[[nodiscard]] Line new_time_line(const Steps& steps, double unit_s);
/// Repeats the last value, for the x at the end.
void close_line(Line& line);

/// Indexes of the partitions with most demand, first; at most `most`, and none
/// without any but the first.
[[nodiscard]] std::vector<std::size_t> busiest_partitions(const RunResult& run, std::size_t most);
[[nodiscard]] std::string partition_name(const PartitionResult& partition);

}  // namespace partsim
