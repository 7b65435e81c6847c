/// Files that a scenario names beside itself: lists of values, of rates, of counters.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "partsim/keys/component.hpp"
#include "partsim/loader/loader.hpp"
#include "partsim/scenario/scenario.hpp"

#include "counters_file.hpp"
#include "tree.hpp"

namespace partsim {

/// Places of origins from here on are in data files, in the order in which they were read.
inline constexpr std::uint32_t kFirstFileOrigin = 0x8000'0000U;
inline constexpr std::size_t kMaxListedValues = 1'000'000;
inline constexpr std::size_t kMaxListedRates = 100'000;

/// Reads each file once; what is wrong with it is a fault inside the file, what keeps it from being
/// read a fault where it is named.
class DataFiles {
 public:
  explicit DataFiles(FileReader reader) : reader_(std::move(reader)) {}

  /// Everything that a fragment which has passed the walk names.
  void read_all(const TreeNode& fragment, std::vector<Fault>& faults);

  /// After `read_all` without faults.
  [[nodiscard]] const std::vector<KeyComponent>& values(const std::string& name) const;
  [[nodiscard]] const std::vector<RateChange>& rates(const std::string& name) const;
  [[nodiscard]] const Counters& counters(const std::string& name) const;

  /// Values of all files that a fragment names.
  [[nodiscard]] std::size_t count_values(const TreeNode& fragment) const;
  /// Of a file's text; 0 for one that was never read.
  [[nodiscard]] std::uint64_t hash_of(const std::string& name) const;
  /// The path of the file with an origin, for messages.
  [[nodiscard]] const std::string& path_of(std::uint32_t origin) const;

 private:
  struct File {
    std::string path;
    std::string text;
    std::string trouble;  // why it could not be read
    std::uint32_t origin = 0;
    std::uint64_t hash = 0;
  };
  const File& open(const std::string& name);
  void read_values(const TreeNode& name, std::vector<Fault>& faults);
  void read_rates(const TreeNode& name, std::vector<Fault>& faults);
  void read_counter_file(const TreeNode& name, std::vector<Fault>& faults);

  FileReader reader_;
  std::map<std::string, File> files_;
  std::vector<std::string> paths_;
  std::map<std::string, std::vector<KeyComponent>> values_;
  std::map<std::string, std::vector<RateChange>> rates_;
  std::map<std::string, Counters> counters_;
};

}  // namespace partsim
