/// Files of the repository that tests read.
#pragma once

#include <string>

namespace partsim {

/// The path of a file by its path in the repository.
[[nodiscard]] std::string in_repository(const std::string& path);

}  // namespace partsim
