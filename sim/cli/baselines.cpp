#include "partsim/cli/baselines.hpp"

#include <algorithm>
#include <optional>
#include <system_error>
#include <vector>

#include "partsim/cli/descriptor.hpp"
#include "partsim/cli/exit_code.hpp"
#include "partsim/cli/whole_file.hpp"
#include "partsim/loader/loader.hpp"

namespace partsim {
namespace {

namespace fs = std::filesystem;

constexpr const char* kFolder = "partsim-baselines";
constexpr std::size_t kMaxNameBytes = 64;
constexpr std::size_t kMaxResultBytes = std::size_t{1} << 29;

bool is_name(const std::string& text) {
  const auto is_plain = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
  };
  const auto is_allowed = [&](char c) { return is_plain(c) || c == '.' || c == '_' || c == '-'; };
  return !text.empty() && text.size() <= kMaxNameBytes && is_plain(text.front()) &&
         std::all_of(text.begin(), text.end(), is_allowed);
}

fs::path path_of(const std::string& name, const std::string& scenario) {
  return fs::path(kFolder) / name / (scenario + ".json");
}

MeasuredStudy read_one(const fs::path& path) {
  const std::string text = read_regular_file(path, kMaxResultBytes + 1);
  if (text.size() > kMaxResultBytes) {
    throw FileError("cannot read " + in_quotes(path.native()) + ": it is larger than 512 MiB");
  }
  MeasuredStudy study = parse_measured(text);
  if (!study.error.empty()) {
    throw UsageError(in_quotes(path.native()) + " " + study.error,
                     "expected a results.json or a baseline of partsim");
  }
  study.place = path.string();
  return study;
}

std::vector<MeasuredStudy> read_folder(const fs::path& folder) {
  if (const fs::path results = folder / "results.json"; fs::exists(results)) {
    return {read_one(results)};
  }
  std::vector<fs::path> paths;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
    if (entry.path().extension() == ".json") {
      paths.push_back(entry.path());
    }
  }
  if (paths.empty()) {
    throw FileError("no results in " + in_quotes(folder.native()));
  }
  // The file system's own order is nobody's.
  std::sort(paths.begin(), paths.end());
  std::vector<MeasuredStudy> studies;
  std::transform(paths.begin(), paths.end(), std::back_inserter(studies), read_one);
  return studies;
}

std::vector<std::string> kept_names() {
  std::vector<std::string> names;
  std::error_code error;
  for (fs::directory_iterator entry(kFolder, error), end; !error && entry != end;
       entry.increment(error)) {
    names.push_back(entry->path().filename().string());
  }
  std::sort(names.begin(), names.end());  // the nearest word is the first of equals
  return names;
}

}  // namespace

void check_baseline_target(const std::string& name) {
  if (!is_name(name)) {
    throw UsageError(
        "--save-baseline is " + in_quotes(name) + ", expected a name of letters, digits, . _ and -",
        "baselines are kept in partsim-baselines/NAME/");
  }
  check_file_target(path_of(name, "scenario"));
}

fs::path save_baseline(const std::string& name, const StudyResult& study) {
  fs::path path = path_of(name, study.name);
  write_whole_file(path, baseline_json(study));
  return path;
}

std::vector<MeasuredStudy> read_measured(const std::string& place) {
  std::error_code ignored;
  const fs::path kept = fs::path(kFolder) / place;
  const bool is_kept = is_name(place) && !fs::exists(place, ignored) && fs::exists(kept, ignored);
  if (!is_kept && is_name(place) && fs::status(place, ignored).type() == fs::file_type::not_found) {
    const std::optional<std::string> meant = nearest_word(place, kept_names());
    throw FileError("no file, folder or baseline is called " + in_quotes(place) +
                    (meant ? ", did you mean " + in_quotes(*meant) + "?" : ""));
  }
  const fs::path path = is_kept ? kept : fs::path(place);
  return fs::is_directory(path, ignored) ? read_folder(path)
                                         : std::vector<MeasuredStudy>{read_one(path)};
}

}  // namespace partsim
