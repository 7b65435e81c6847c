#include "partsim/cli/scenario_library.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <system_error>

#include <fmt/format.h>

#include "partsim/cli/descriptor.hpp"
#include "partsim/cli/exit_code.hpp"
#include "partsim/cli/json_text.hpp"
#include "partsim/loader/loader.hpp"

namespace partsim {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kOther = "other";

bool is_scenario_name(const fs::path& path) {
  constexpr std::array<std::string_view, 3> kEndings{".yaml", ".yml", ".json"};
  return std::find(kEndings.begin(), kEndings.end(), path.extension().string()) != kEndings.end();
}

void add_folder(const std::string& folder, std::vector<std::string>& paths) {
  std::error_code error;
  std::vector<std::string> found;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error)) {
    if (is_scenario_name(entry->path())) {
      found.push_back(entry->path().string());
    }
  }
  if (error) {
    throw_file_error("read", folder, error.value());
  }
  if (found.empty()) {
    throw FileError("no scenarios in " + in_quotes(folder));
  }
  // The file system's own order is nobody's.
  std::sort(found.begin(), found.end());
  paths.insert(paths.end(), found.begin(), found.end());
}

/// The words of `group:`, and a place for those who say nothing.
std::vector<std::string> group_names() {
  std::vector<std::string> names;
  for (const ChoiceGroup& group : scenario_choices()) {
    if (group.title == "groups") {
      for (const NamedChoice& choice : group.choices) {
        names.push_back(choice.name);
      }
    }
  }
  names.emplace_back(kOther);
  return names;
}

}  // namespace

std::vector<std::string> scenario_paths(std::span<const std::string> places) {
  std::vector<std::string> paths;
  for (const std::string& place : places) {
    std::error_code ignored;
    if (fs::is_directory(place, ignored)) {
      add_folder(place, paths);
    } else {
      paths.push_back(place);
    }
  }
  return paths;
}

std::vector<LibraryGroup> by_group(const std::vector<LoadedFile>& files) {
  std::vector<LibraryGroup> groups;
  for (const std::string& name : group_names()) {
    LibraryGroup group{name, {}};
    for (const LoadedFile& file : files) {
      const std::optional<StudyFile>& study = file.result.study;
      if (study && (study->group.empty() ? kOther : std::string_view(study->group)) == name) {
        group.files.push_back(&file);
      }
    }
    if (!group.files.empty()) {
      groups.push_back(std::move(group));
    }
  }
  return groups;
}

const std::string& lesson_of(const StudyFile& study) {
  return study.lesson.empty() ? study.title : study.lesson;
}

std::string library_json(const std::vector<LibraryGroup>& groups) {
  std::string text;
  for (const LibraryGroup& group : groups) {
    std::string list;
    for (const LoadedFile* file : group.files) {
      const StudyFile& study = *file->result.study;
      list +=
          fmt::format(R"({}{{"name":{},"lesson":{},"title":{},"file":{}}})",
                      list.empty() ? "\n  " : ",\n  ", json_string(study.name),
                      json_string(study.lesson), json_string(study.title), json_string(file->path));
    }
    text += (text.empty() ? "" : ",\n") + json_string(group.name) + ":[" + list + "]";
  }
  return "{" + text + "}\n";
}

}  // namespace partsim
