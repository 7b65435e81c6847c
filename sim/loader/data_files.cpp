#include "data_files.hpp"

#include <algorithm>
#include <utility>

#include "partsim/core/assert.hpp"
#include "partsim/core/rng.hpp"
#include "partsim/core/units.hpp"

#include "fragment.hpp"
#include "parameter_table.hpp"
#include "text.hpp"

namespace partsim {
namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

std::string_view without_mark(std::string_view text) {
  return text.starts_with(kByteOrderMark) ? text.substr(kByteOrderMark.size()) : text;
}

/// Every name of a file of one kind, wherever it stands.
template <class Take>
void each_name(const TreeNode& node, std::string_view key, Take take) {
  for (const TreeNode& item : node.items) {
    each_name(item, key, take);
  }
  for (const Entry& entry : node.entries) {
    if (entry.key == key && entry.value.is_scalar()) {
      take(entry.value);
    } else {
      each_name(entry.value, key, take);
    }
  }
}

/// A row of a rate file; its mistakes stand at the cell.
class RateRow {
 public:
  RateRow(Place place, std::string_view line, std::vector<Fault>& faults)
      : place_(place), line_(line), faults_(faults) {}

  /// False: told already.
  bool read(RateChange& change) {
    const std::size_t comma = line_.find(',');
    if (comma == std::string_view::npos || line_.find(',', comma + 1) != std::string_view::npos) {
      return fault(0, "expected two columns such as 12.5,900, got " + quoted(line_));
    }
    const Parsed<std::int64_t> seconds = parse_decimal_micro(line_.substr(0, comma));
    static constexpr std::int64_t kMicroPerDay = 86'400'000'000;
    if (!seconds || *seconds.value > 3'653 * kMicroPerDay) {
      return fault(0, "not a time, expected seconds between 0 and 315619200 such as 12.5, got " +
                          quoted(line_.substr(0, comma)));
    }
    const std::string_view rate = line_.substr(comma + 1);
    const Parsed<std::int64_t> count = parse_decimal_micro(rate);
    static constexpr std::int64_t kMostMicro = 1'000'000'000 * kMillion;
    if (!count || *count.value > kMostMicro) {
      return fault(comma + 1,
                   "not a rate, expected operations per second between 0 and 1000000000 such as "
                   "900, got " +
                       quoted(rate));
    }
    change.at_ns = *seconds.value * kMicrosecond;
    change.rate = {*count.value, kSecond};
    return true;
  }
  bool fault(std::size_t column, std::string message) {
    Place place = place_;
    place.column += static_cast<std::uint32_t>(column);
    faults_.push_back({place, std::move(message), {}});
    return false;
  }

 private:
  Place place_;
  std::string_view line_;
  std::vector<Fault>& faults_;
};

}  // namespace

const DataFiles::File& DataFiles::open(const std::string& name) {
  const auto [entry, is_new] = files_.try_emplace(name);
  File& file = entry->second;
  if (!is_new) {
    return file;
  }
  if (!reader_) {
    file.trouble = "files beside the scenario cannot be read here";
    return file;
  }
  FileText read = reader_(name);
  file.trouble = std::move(read.trouble);
  file.path = std::move(read.path);
  file.text = std::move(read.text);
  file.hash = name_hash(file.text);
  file.origin = kFirstFileOrigin + static_cast<std::uint32_t>(paths_.size());
  paths_.push_back(file.path);
  return file;
}

void DataFiles::read_values(const TreeNode& name, std::vector<Fault>& faults) {
  const File& file = open(name.text);
  if (!file.trouble.empty()) {
    faults.push_back({name.place, file.trouble, {}});
    return;
  }
  if (values_.contains(name.text)) {
    return;
  }
  const std::string_view text = without_mark(file.text);
  if (auto wrong = find_fault_in_file(text)) {
    faults.push_back({PlaceFinder(text, file.origin).at(wrong->offset), wrong->message, {}});
    return;
  }
  std::vector<KeyComponent> values;
  each_line(text, [&](std::uint32_t number, std::string_view line) {
    if (values.size() == kMaxListedValues) {
      faults.push_back({{file.origin, number, 1}, "more than 1000000 values", {}, true});
      return false;
    }
    values.emplace_back(std::string(line));
    return true;
  });
  if (values.empty()) {
    faults.push_back({{file.origin, 1, 1}, "no values, expected one on each line", {}});
    return;
  }
  values_.emplace(name.text, std::move(values));
}

void DataFiles::read_rates(const TreeNode& name, std::vector<Fault>& faults) {
  static constexpr std::string_view kHeader = "seconds,rate";
  const File& file = open(name.text);
  if (!file.trouble.empty()) {
    faults.push_back({name.place, file.trouble, {}});
    return;
  }
  if (rates_.contains(name.text)) {
    return;
  }
  const std::string_view text = without_mark(file.text);
  if (auto wrong = find_fault_in_file(text)) {
    faults.push_back({PlaceFinder(text, file.origin).at(wrong->offset), wrong->message, {}});
    return;
  }
  std::vector<RateChange> rates;
  bool has_header = false;
  each_line(text, [&](std::uint32_t number, std::string_view line) {
    RateRow row({file.origin, number, 1}, line, faults);
    if (!has_header) {
      has_header = true;
      return line == kHeader ||
             row.fault(0, "expected the header seconds,rate, got " + quoted(line));
    }
    RateChange change;
    if (!row.read(change)) {
      return faults.size() < 100;
    }
    if (!rates.empty() && change.at_ns <= rates.back().at_ns) {
      return row.fault(0, "rows must be in order of time, expected more than " +
                              format_duration(rates.back().at_ns) + ", got " +
                              format_duration(change.at_ns));
    }
    if (rates.size() == kMaxListedRates) {
      faults.push_back({{file.origin, number, 1}, "more than 100000 rows", {}, true});
      return false;
    }
    rates.push_back(change);
    return true;
  });
  if (!has_header) {
    faults.push_back({{file.origin, 1, 1}, "the file is empty, expected seconds,rate", {}});
  }
  rates_.emplace(name.text, std::move(rates));
}

void DataFiles::read_counter_file(const TreeNode& name, std::vector<Fault>& faults) {
  const File& file = open(name.text);
  if (!file.trouble.empty()) {
    faults.push_back({name.place, file.trouble, {}});
    return;
  }
  if (counters_.contains(name.text)) {
    return;
  }
  const std::string_view text = without_mark(file.text);
  if (auto wrong = find_fault_in_file(text)) {
    faults.push_back({PlaceFinder(text, file.origin).at(wrong->offset), wrong->message, {}});
    return;
  }
  counters_.emplace(name.text, read_counters(text, file.origin, faults));
}

void DataFiles::read_all(const TreeNode& fragment, std::vector<Fault>& faults) {
  for (const NamedContainer& container : containers_in(fragment)) {
    each_name(*container.node, "values_file",
              [&](const TreeNode& name) { read_values(name, faults); });
  }
  for (const Entry& client : fragment.find("clients")->entries) {
    if (const TreeNode* name = client.value.find("rate_file")) {
      read_rates(*name, faults);
    }
    if (const TreeNode* name = client.value.find("rate_counters")) {
      read_counter_file(*name, faults);
    }
  }
}

const std::vector<KeyComponent>& DataFiles::values(const std::string& name) const {
  const auto found = values_.find(name);
  PARTSIM_ASSERT(found != values_.end(), "every file was read before the binding");
  return found->second;
}

const std::vector<RateChange>& DataFiles::rates(const std::string& name) const {
  const auto found = rates_.find(name);
  PARTSIM_ASSERT(found != rates_.end(), "every file was read before the binding");
  return found->second;
}

const Counters& DataFiles::counters(const std::string& name) const {
  const auto found = counters_.find(name);
  PARTSIM_ASSERT(found != counters_.end(), "every file was read before the binding");
  return found->second;
}

std::size_t DataFiles::count_values(const TreeNode& fragment) const {
  std::size_t count = 0;
  for (const NamedContainer& container : containers_in(fragment)) {
    each_name(*container.node, "values_file",
              [&](const TreeNode& name) { count += values(name.text).size(); });
  }
  return count;
}

std::uint64_t DataFiles::hash_of(const std::string& name) const {
  const auto found = files_.find(name);
  return found == files_.end() ? 0 : found->second.hash;
}

const std::string& DataFiles::path_of(std::uint32_t origin) const {
  return paths_.at(origin - kFirstFileOrigin);
}

}  // namespace partsim
