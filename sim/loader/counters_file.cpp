#include "counters_file.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <optional>
#include <set>
#include <utility>

#include "scalar.hpp"
#include "trace_values.hpp"

namespace partsim {
namespace {

constexpr std::size_t kEnoughFaults = 100;

struct Cell {
  std::string text;
  std::uint32_t column = 1;  // where it begins
};

/// The cells of a line; quotes as in RFC 4180, but no line end inside. Nothing: a quote is wrong.
std::optional<std::vector<Cell>> cells_of(std::string_view line) {
  std::vector<Cell> cells;
  std::size_t at = 0;
  for (;;) {
    Cell cell{{}, static_cast<std::uint32_t>(at + 1)};
    if (at < line.size() && line[at] == '"') {
      for (++at; at < line.size() && (line[at] != '"' || line.substr(at, 2) == "\"\""); ++at) {
        cell.text += line[at];
        at += line[at] == '"' ? 1U : 0U;
      }
      if (at == line.size() || (at + 1 < line.size() && line[at + 1] != ',')) {
        return std::nullopt;
      }
      ++at;
    } else {
      const std::size_t end = std::min(line.find(',', at), line.size());
      cell.text = line.substr(at, end - at);
      at = end;
    }
    cells.push_back(std::move(cell));
    if (at == line.size()) {
      return cells;
    }
    ++at;
  }
}

/// `Total Request Units (Sum)` and `TotalRequestUnits` are one name.
std::string plain_name(std::string_view name) {
  std::string plain;
  for (const char c : lower_case(name.substr(0, name.find_first_of("([")))) {
    if (c != ' ' && c != '_') {
      plain += c;
    }
  }
  return plain;
}

/// Ids that are numbers by value, before all others.
bool id_before(const std::string& a, const std::string& b) {
  const auto rank = [](const std::string& id) {
    const auto number = trace_number(id);
    return std::pair(number ? 0 : 1, number.value_or(0));
  };
  return std::pair(rank(a), a) < std::pair(rank(b), b);
}

class CounterReader {
 public:
  CounterReader(std::uint32_t origin, std::vector<Fault>& faults)
      : origin_(origin), faults_(faults) {}

  /// False: no use to read on.
  bool line(std::uint32_t number, std::string_view text) {
    line_ = number;
    auto cells = cells_of(text);
    if (!cells) {
      return fault(1, "a quoted field without its closing quote or with text behind it");
    }
    if (columns_ == 0) {
      return header(*cells);
    }
    if (cells->size() != columns_) {
      return fault(1, std::to_string(cells->size()) + " fields, expected " +
                          std::to_string(columns_) + " as in the first line");
    }
    return row(*cells);
  }

  Counters finish(std::vector<Fault>& faults) {
    if (faults.empty() && times_.empty()) {
      faults.push_back({{origin_, 1, 1},
                        columns_ == 0 ? "the file is empty, expected a line such as "
                                        "TimeGenerated,PhysicalPartitionId,TotalRequestUnits"
                                      : "no rows with a number",
                        {}});
    }
    if (!faults.empty()) {
      return {};
    }
    Counters counters;
    counters.is_normalized = is_normalized_;
    if (partition_ != kNone) {
      counters.partitions.assign(ids_.begin(), ids_.end());
      std::sort(counters.partitions.begin(), counters.partitions.end(), id_before);
    }
    const std::size_t width = std::max<std::size_t>(1, counters.partitions.size());
    const Nanoseconds first = times_.begin()->first;
    for (const auto& [time, by_id] : times_) {
      if (!counters.times_ns.empty()) {
        const Nanoseconds gap = time - first - counters.times_ns.back();
        counters.span_ns = counters.times_ns.size() == 1 ? gap : std::min(counters.span_ns, gap);
      }
      counters.times_ns.push_back(time - first);
      std::vector<std::int64_t> amounts(width, 0);
      for (std::size_t i = 0; i < width; ++i) {
        const auto found = by_id.find(partition_ == kNone ? "" : counters.partitions[i]);
        amounts[i] = found == by_id.end() ? 0 : found->second;
      }
      counters.amounts.push_back(std::move(amounts));
    }
    return counters;
  }

 private:
  static constexpr std::size_t kNone = SIZE_MAX;

  /// Goes on unless there is too much to tell.
  bool fault(std::uint32_t column, std::string message, bool over_limit = false) {
    faults_.push_back({{origin_, line_, column}, std::move(message), {}, over_limit});
    return !over_limit && columns_ > 0 && faults_.size() < kEnoughFaults;
  }

  bool header(const std::vector<Cell>& cells) {
    std::size_t normalized = kNone;
    std::size_t total = kNone;
    const std::array roles{
        std::pair(std::string_view("time timegenerated timestamp"), &time_),
        std::pair(std::string_view("physicalpartitionid partitionkeyrangeid partition"),
                  &partition_),
        std::pair(std::string_view("totalrequestunits ru total"), &total),
        std::pair(std::string_view("normalizedruconsumption normalized"), &normalized)};
    for (std::size_t i = 0; i < cells.size(); ++i) {
      const std::string name = " " + plain_name(cells[i].text) + " ";
      for (const auto& [names, place] : roles) {
        if (name.size() < 4 || (" " + std::string(names) + " ").find(name) == std::string::npos) {
          continue;
        }
        if (*place != kNone) {
          return fault(cells[i].column,
                       "a second column that means the same as " + quoted(cells[*place].text));
        }
        *place = i;
      }
    }
    if (time_ == kNone) {
      return fault(1,
                   "no column 'TimeGenerated' or 'time', expected a first line such as "
                   "TimeGenerated,PhysicalPartitionId,TotalRequestUnits");
    }
    if ((total == kNone) == (normalized == kNone)) {
      return fault(1, total == kNone
                          ? "no column 'TotalRequestUnits' or 'NormalizedRUConsumption'"
                          : "both request units and normalized consumption, expected one of them");
    }
    is_normalized_ = total == kNone;
    amount_ = is_normalized_ ? normalized : total;
    columns_ = cells.size();
    return true;
  }

  bool row(const std::vector<Cell>& cells) {
    const Cell& time_cell = cells[time_];
    const auto time = trace_time(time_cell.text);
    if (!time) {
      return fault(time_cell.column, "the time is " + quoted(time_cell.text) +
                                         ", expected an instant such as 2024-01-31T16:05:00Z");
    }
    const Cell& cell = cells[amount_];
    if (cell.text.empty()) {
      return true;  // nothing was measured
    }
    std::string_view text = cell.text;
    text.remove_suffix(is_normalized_ && text.ends_with('%') ? 1 : 0);
    const Parsed<std::int64_t> amount = parse_decimal_micro(text);
    static constexpr std::int64_t kMostRu = 1'000'000'000'000;
    if (!amount || *amount.value > (is_normalized_ ? 100 : kMostRu) * kMillion) {
      return fault(cell.column, is_normalized_ ? "the consumption is " + quoted(cell.text) +
                                                     ", expected percent from 0 to 100"
                                               : "the amount is " + quoted(cell.text) +
                                                     ", expected RU from 0 to 1000000000000");
    }
    const std::string id = partition_ == kNone ? std::string() : cells[partition_].text;
    if (partition_ != kNone && id.empty()) {
      return fault(cells[partition_].column, "no partition, expected its id");
    }
    ids_.insert(id);
    std::int64_t& sum = times_[*time][id];
    if (is_normalized_) {
      sum = std::max(sum, *amount.value);
    } else {
      sum = std::min(sum + *amount.value, kMostRu * kMillion);  // by operation, by status ...
    }
    if (times_.size() > kMaxCounterTimes || ids_.size() > kMaxCounterPartitions ||
        times_.size() * ids_.size() > kMaxCounterValues) {
      return fault(1, "more than 50000 times, 10000 partitions or 10000000 of both", true);
    }
    return true;
  }

  std::uint32_t origin_;
  std::vector<Fault>& faults_;
  std::uint32_t line_ = 0;
  std::size_t columns_ = 0;
  std::size_t time_ = kNone;
  std::size_t partition_ = kNone;
  std::size_t amount_ = kNone;
  bool is_normalized_ = false;
  std::set<std::string> ids_;
  std::map<Nanoseconds, std::map<std::string, std::int64_t>> times_;
};

}  // namespace

Counters read_counters(std::string_view text, std::uint32_t origin, std::vector<Fault>& faults) {
  std::vector<Fault> found;
  CounterReader reader(origin, found);
  each_line(text,
            [&](std::uint32_t number, std::string_view line) { return reader.line(number, line); });
  Counters counters = reader.finish(found);
  std::move(found.begin(), found.end(), std::back_inserter(faults));
  return counters;
}

}  // namespace partsim
