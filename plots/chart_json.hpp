/// Chart descriptions as the JSON that the report page carries for its script.
#pragma once

#include <string>
#include <vector>

#include "partsim/plots/chart.hpp"
#include "partsim/study/study.hpp"

namespace partsim {

/// One line of ASCII but for text of users, without any `<`: safe inside a <script> element. Places
/// have five significant digits, cells of heat maps three: more than a screen can show.
[[nodiscard]] std::string page_data_json(const StudyResult& study,
                                         const std::vector<Chart>& charts);

}  // namespace partsim
