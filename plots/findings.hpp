/// What load did to partitions, in the words of a chart's title.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "partsim/study/study.hpp"

namespace partsim {

struct Place {
  std::size_t run = 0;
  std::size_t partition = 0;
};

/// All of them look at the runs that have a panel.
/// In the run with the largest part of throttled attempts the partition with most of them; nullopt
/// if nothing was throttled.
[[nodiscard]] std::optional<Place> worst_place(const StudyResult& study);
/// The partition that was nearest to its share on average.
[[nodiscard]] std::optional<Place> fullest_place(const StudyResult& study);

/// "date: partition 8 of 10 took all of the load and refused 86 % of its attempts".
[[nodiscard]] std::string load_finding(const StudyResult& study);
/// What failed although nothing was throttled: ", but every operation of x fails (400)"; else
/// empty.
[[nodiscard]] std::string other_failures(const StudyResult& study);

}  // namespace partsim
