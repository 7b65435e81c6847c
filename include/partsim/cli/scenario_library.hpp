/// `partsim list scenarios`: what a folder of scenarios has to teach, sorted by what each is for.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "partsim/cli/scenario_files.hpp"

namespace partsim {

/// Where scenarios are looked for if nobody says otherwise.
inline constexpr std::string_view kLibraryFolder = "scenarios";

/// The files themselves, and of a folder its scenario files in order of their names. Throws
/// FileError for a folder that cannot be read or has none.
[[nodiscard]] std::vector<std::string> scenario_paths(std::span<const std::string> places);

struct LibraryGroup {
  std::string name;                      // a word of `group:`, or "other"
  std::vector<const LoadedFile*> files;  // never empty; all of them loaded
};

/// The files that could be loaded, in the order of the words of `group:`.
[[nodiscard]] std::vector<LibraryGroup> by_group(const std::vector<LoadedFile>& files);

/// The lesson, or what else there is to say.
[[nodiscard]] const std::string& lesson_of(const StudyFile& study);

/// `{"teaching":[{"name":…,"lesson":…,"title":…,"file":…}],…}` with a line end.
[[nodiscard]] std::string library_json(const std::vector<LibraryGroup>& groups);

}  // namespace partsim
