/// A folder of results that appears complete or not at all.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace partsim {

/// In every folder partsim makes: what it wrote there. A folder may be replaced if it has this file
/// and nothing that is not in the list, so that nobody's notes are lost.
inline constexpr std::string_view kMarkerName = ".partsim";

struct OutputTarget {
  std::filesystem::path folder;
  bool force = false;
  /// Never to be removed with the folder, not even by force: the scenarios, for example.
  std::vector<std::filesystem::path> precious;
};

/// Throws FileError if the folder may not be made or replaced. Touches nothing.
void check_output_target(const OutputTarget& target);

/// Files are collected in a hidden folder beside the target and moved into place in one step.
/// Without `commit()`, or if it throws, everything is as it was.
class OutputFolder {
 public:
  /// Makes the hidden folder, and missing parents. Throws FileError.
  explicit OutputFolder(OutputTarget target);
  OutputFolder(const OutputFolder&) = delete;
  OutputFolder& operator=(const OutputFolder&) = delete;
  ~OutputFolder();

  [[nodiscard]] const std::filesystem::path& target() const noexcept { return target_.folder; }
  /// Where the files are until the commit.
  [[nodiscard]] const std::filesystem::path& staging() const noexcept { return staging_; }
  void write(std::string_view name, std::string_view content);
  void commit();

 private:
  void put_in_place();
  void remove_made_parents() noexcept;

  OutputTarget target_;
  std::filesystem::path staging_;
  std::vector<std::filesystem::path> made_parents_;
  bool committed_ = false;
};

}  // namespace partsim
