// Keys judged on rows of real items, in memory that does not grow with their number.
#include <algorithm>
#include <set>
#include <utility>

#include "partsim/core/heavy_hitters.hpp"
#include "partsim/workload/key_space.hpp"
#include "partsim/workload/trace_rows.hpp"

#include "advise_parts.hpp"

namespace partsim::advice {
namespace {

constexpr std::size_t kMaxTop = 3;
constexpr std::size_t kExactDistinct = 1U << 14;
constexpr std::uint32_t kHeavy = 1U << 14;
/// A key that so many rows hardly repeat is taken to be one for each item.
constexpr std::uint64_t kRowsToTell = 1'000;
constexpr double kAlmostAll = 0.97;
constexpr std::size_t kMaxTextBytes = std::size_t{256} << 20;

[[noreturn]] void refuse(const std::string& message) {
  throw TraceError(TraceError::Kind::content, "error: the sample " + message);
}

/// How many different hashes there were: exactly up to kExactDistinct, beyond that by how close the
/// smallest of them lie (to about 0.8 %).
class DistinctCount {
 public:
  void add(std::uint64_t hash) {
    if (smallest_.size() == kExactDistinct && hash >= *smallest_.rbegin()) {
      overflowed_ = overflowed_ || hash > *smallest_.rbegin();
      return;
    }
    smallest_.insert(hash);
    if (smallest_.size() > kExactDistinct) {
      smallest_.erase(std::prev(smallest_.end()));
      overflowed_ = true;
    }
  }
  [[nodiscard]] bool is_estimate() const { return overflowed_; }
  [[nodiscard]] std::uint64_t count() const {
    if (!overflowed_) {
      return smallest_.size();
    }
    const double span = (static_cast<double>(*smallest_.rbegin()) + 1) * 0x1p-64;
    return static_cast<std::uint64_t>(static_cast<double>(kExactDistinct - 1) / span);
  }

 private:
  std::set<std::uint64_t> smallest_;
  bool overflowed_ = false;
};

/// The row that keys are read from just now.
struct CurrentRow {
  const SampleRow* row = nullptr;
  std::vector<std::size_t> column_of_field;

  static std::string_view text(const void* self, std::size_t field, std::uint64_t /*row*/) {
    const auto& current = *static_cast<const CurrentRow*>(self);
    return current.row->fields[current.column_of_field[field]];
  }
};

/// One key over all rows.
class KeyOfRows {
 public:
  KeyOfRows(const Scenario& scenario, std::uint32_t index, const KeyLevels& levels,
            const CurrentRow& current)
      : keyed_(with_key(scenario, index, levels)),
        keys_(keyed_.containers[index], scenario.start_unix_s),
        layout_(layout_of(keyed_, index)),
        streams_(keys_.streams_for(scenario.seed, item_writer())),
        count_(layout_.ranges.size()),
        heavy_(kHeavy) {
    keys_.read_columns({&current, &CurrentRow::text});
    Nanoseconds until_ns = 0;
    choice_.unix_second = keys_.clock_second(0, &until_ns);
    choice_.index.resize(keys_.axes().size());
  }
  KeyOfRows(const KeyOfRows&) = delete;
  KeyOfRows& operator=(const KeyOfRows&) = delete;

  void take(std::uint64_t row) {
    keys_.choose(streams_, row, choice_);
    const HashPoint point = keys_.point(choice_);
    const std::uint64_t hash = hash_of(point);
    ++count_[owner_of(layout_.ranges, point)];
    distinct_.add(hash);
    heavy_.add(hash, 1, {row, 0});
  }

  /// Rows in which the heaviest keys stand.
  [[nodiscard]] std::vector<HeavyHitters::Entry> heaviest() const { return heavy_.top(kMaxTop); }
  [[nodiscard]] std::string text(std::uint64_t row) {
    keys_.choose(streams_, row, choice_);
    return keys_.text(choice_);
  }

  [[nodiscard]] KeyLoad load(std::uint64_t rows) const {
    KeyLoad load;
    load.basis = KeyLoad::Basis::rows;
    load.looked_at = rows;
    load.distinct = distinct_.count();
    load.is_estimate = distinct_.is_estimate();
    load.never_repeats = rows >= kRowsToTell && static_cast<double>(load.distinct) >=
                                                    kAlmostAll * static_cast<double>(rows);
    for (const std::uint64_t count : count_) {
      load.partition_share.push_back(static_cast<double>(count) / static_cast<double>(rows));
    }
    return load;
  }

 private:
  Scenario keyed_;
  KeySpace keys_;
  Layout layout_;
  KeyStreams streams_;
  std::vector<std::uint64_t> count_;
  DistinctCount distinct_;
  HeavyHitters heavy_;
  KeyChoice choice_;
};

/// A row in which a heavy key stands.
struct Wanted {
  std::uint64_t row = 0;
  std::size_t key = 0;  // index of the candidate
  std::size_t top = 0;  // index among its heaviest
};

}  // namespace

SampleTable read_sample(const SampleOpener& open, std::uint64_t seed) {
  const std::unique_ptr<SampleRows> rows = open();
  SampleTable table;
  table.columns = rows->names();
  table.values.resize(table.columns.size());
  const RngStream places(seed, "advise", "sample");
  std::size_t text_bytes = 0;
  double bytes = 0;
  std::uint64_t sized = 0;
  std::optional<Nanoseconds> first;
  std::optional<Nanoseconds> last;
  SampleSummary& summary = table.summary;
  while (const SampleRow* row = rows->next()) {
    // each row of the first n is kept with the same probability
    const std::uint64_t drawn = summary.rows < kMaxRows
                                    ? summary.rows
                                    : bounded(places.draw(summary.rows), summary.rows + 1);
    for (std::size_t i = 0; drawn < kMaxRows && i < table.values.size(); ++i) {
      if (summary.rows < kMaxRows) {
        table.values[i].emplace_back(std::string(row->fields[i]));
      } else {
        text_bytes -= std::get<std::string>(table.values[i][drawn]).size();
        table.values[i][drawn] = std::string(row->fields[i]);
      }
      text_bytes += row->fields[i].size();
    }
    if (text_bytes > kMaxTextBytes) {
      refuse("holds more than 256 MB of text in 100000 rows, expected columns for keys");
    }
    if (row->size_bytes) {
      bytes += static_cast<double>(*row->size_bytes);
      ++sized;
    }
    if (row->time_ns) {
      first = first ? std::min(*first, *row->time_ns) : *row->time_ns;
      last = last ? std::max(*last, *row->time_ns) : *row->time_ns;
    }
    ++summary.rows;
  }
  if (summary.rows == 0) {
    refuse("has no rows, expected at least one behind the names of its columns");
  }
  summary.replayed = std::min(summary.rows, kMaxRows);
  summary.mean_bytes = sized > 0 ? bytes / static_cast<double>(sized) : 0;
  summary.seconds = first ? static_cast<double>(*last - *first) / 1e9 : 0;
  return table;
}

void use_sample(const SampleTable& table, ContainerSpec& container) {
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    const auto found =
        std::find_if(container.fields.begin(), container.fields.end(),
                     [&](const FieldSpec& field) { return field.name == table.columns[i]; });
    if (found != container.fields.end() && std::holds_alternative<TimeField>(found->kind)) {
      continue;  // the clock goes on
    }
    ValuesField values{table.values[i], UniformChoice{}, "sample"};
    if (found != container.fields.end()) {
      found->kind = std::move(values);
    } else {
      container.fields.push_back({table.columns[i], std::move(values)});
    }
  }
  std::sort(container.fields.begin(), container.fields.end(),
            [](const FieldSpec& a, const FieldSpec& b) { return a.name < b.name; });
  if (table.summary.mean_bytes > 0) {
    container.item_size_bytes = std::max<Bytes>(1, static_cast<Bytes>(table.summary.mean_bytes));
    container.item_size_law.reset();
  }
}

std::vector<KeyLoad> sample_loads(const SampleOpener& open, const Scenario& scenario,
                                  std::uint32_t index, const std::vector<KeyLevels>& keys) {
  CurrentRow current;
  Scenario columns = scenario;
  std::unique_ptr<SampleRows> rows = open();
  for (FieldSpec& field : columns.containers[index].fields) {
    const auto found = std::find(rows->names().begin(), rows->names().end(), field.name);
    current.column_of_field.push_back(static_cast<std::size_t>(found - rows->names().begin()));
    if (std::holds_alternative<ValuesField>(field.kind) && found != rows->names().end()) {
      field.kind = ColumnField{field.name};
    }
  }
  std::vector<std::unique_ptr<KeyOfRows>> each;
  each.reserve(keys.size());
  for (const KeyLevels& key : keys) {
    each.push_back(std::make_unique<KeyOfRows>(columns, index, key, current));
  }
  std::uint64_t count = 0;
  for (; (current.row = rows->next()) != nullptr; ++count) {
    for (const auto& key : each) {
      key->take(count);
    }
  }
  if (count == 0) {
    refuse("has lost its rows while it was read");
  }
  std::vector<KeyLoad> loads;
  std::vector<Wanted> wanted;  // rows whose keys are to be named
  for (std::size_t i = 0; i < each.size(); ++i) {
    loads.push_back(each[i]->load(count));
    for (const HeavyHitters::Entry& entry : each[i]->heaviest()) {
      wanted.push_back({entry.witness.first, i, loads[i].top.size()});
      loads[i].top.push_back({"", static_cast<double>(entry.weight) / static_cast<double>(count)});
    }
  }
  std::sort(wanted.begin(), wanted.end(),
            [](const Wanted& a, const Wanted& b) { return a.row < b.row; });
  rows = open();
  std::uint64_t row = 0;
  for (auto next = wanted.begin(); next != wanted.end(); ++row) {
    current.row = rows->next();
    if (current.row == nullptr) {
      break;
    }
    for (; next != wanted.end() && next->row == row; ++next) {
      loads[next->key].top[next->top].key = each[next->key]->text(row);
    }
  }
  return loads;
}

}  // namespace partsim::advice
