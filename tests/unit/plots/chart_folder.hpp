/// A folder for charts that is gone at the end of the test, and a look into it.
#pragma once

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

namespace partsim::testing {

class ChartFolder {
 public:
  ChartFolder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "charts-XXXXXX").string();
    if (mkdtemp(pattern.data()) == nullptr) {
      throw std::filesystem::filesystem_error("mkdtemp", std::error_code());
    }
    path_ = pattern;
  }
  ~ChartFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  ChartFolder(const ChartFolder&) = delete;
  ChartFolder& operator=(const ChartFolder&) = delete;

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

  /// Everything below it, hidden files included.
  [[nodiscard]] std::vector<std::string> files() const {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(path_)) {
      names.push_back(entry.path().lexically_relative(path_).string());
    }
    std::sort(names.begin(), names.end());
    return names;
  }

  [[nodiscard]] std::string content(const std::string& name) const {
    std::ifstream stream(path_ / name, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
  }

  /// A program that stands in for gnuplot.
  [[nodiscard]] std::string add_script(const std::string& name, const std::string& body) const {
    const std::filesystem::path file = path_ / name;
    std::ofstream(file) << "#!/bin/sh\n" << body << "\n";
    std::filesystem::permissions(file, std::filesystem::perms::owner_all);
    return file.string();
  }

 private:
  std::filesystem::path path_;
};

}  // namespace partsim::testing
